"""Players take an order back: freely while nobody has learned anything from it, else with the consent of all others."""

import json
from typing import Any

import pytest

from pbem.services import rollback, rulings
from pbem.services.moderators import Ruler
from pbem.testing.stage import Stage
from tests.services.company import NAMES, Company, said
from tests.services.hours import HOUR, due, log_of, rule, told
from tests.services.test_desk import replayed

MONA = Ruler("mona", moderator=True)
ASKS = "alice asks to take the last order back. Something was learned from it, by alice; so all others must consent."


def seated(stage: Stage, engine: str, names: tuple[str, ...] = NAMES, **options: Any) -> Company:
    for name in names:
        if ":" not in name:
            stage.add_player(name)
    company = Company(stage, stage.new_game(engine, names, seed="queen", first="alice", **options))
    company.poll()
    return company


def example(company: Company, seat: int = 0) -> str:
    return company.sitting.table.awaiting()[seat].examples[0]


def whats(company: Company) -> list[str]:
    return [json.loads(row.body)["what"] for row in log_of(company) if row.kind in ("ruling", "restore")]


def test_c09_after_a_draw_all_others_must_agree_and_the_game_says_who_has_learned(company: Company) -> None:
    company.write("alice", "draw")
    drawn = company.hand("alice")
    post = company.write("alice", "undo")
    assert post.readers == sorted(NAMES)
    assert "Something was learned from your order, by alice. So bob and carol must agree" in said(post.only("alice"))
    for name in ("bob", "carol"):
        text = said(post.only(name))
        assert ASKS in text and 'Reply with "agree" or "refuse"; to play on is to refuse.' in text
        assert not any(card in text for card in set(drawn) - {"G1", "S1", "GS2"})
    assert company.sitting.table.step == 1 and list(company.sitting.prompts) == [1]


def test_c09_with_the_consent_of_all_it_is_taken_back_and_what_was_seen_is_worth_nothing(company: Company) -> None:
    before = company.sitting.table.state
    company.write("alice", "draw")
    drawn = company.hand("alice")
    company.write("alice", "undo")
    assert "carol must agree as well" in said(company.write("bob", "agree").only("bob"))
    assert "You have agreed already" in said(company.write("bob", "agree").only("bob"))
    post = company.write("carol", "Agree.")
    assert post.readers == sorted(NAMES)
    assert (
        "alice took the last order back. All others agreed, and what nobody could know before it was dealt anew."
        in (said(post.only("bob")))
    )
    assert "(taken back) alice drew 3 cards" in said(post.only("bob"))
    state = company.sitting.table.state
    assert (state.hands, state.pile) == (before.hands, before.pile) and state.draw != before.draw
    assert list(company.sitting.prompts) == [0]
    replayed(company.stage, company.game)
    company.write("alice", "draw")
    assert company.hand("alice") != drawn


def test_c09_one_who_refuses_is_enough_and_it_is_not_asked_twice(company: Company) -> None:
    company.write("alice", "draw")
    company.write("alice", "undo")
    company.write("carol", "agree")
    post = company.write("bob", "refuse")
    assert post.readers == sorted(NAMES) and "bob refuses, so the order stands." in said(post.only("alice"))
    assert "This was refused" in said(company.write("alice", "undo").only("alice"))
    assert "Nobody asks to take an order back now" in said(company.write("carol", "agree").only("carol"))
    assert company.sitting.table.step == 1


def test_to_play_on_is_to_refuse(company: Company) -> None:
    company.write("alice", "draw")
    company.write("alice", "undo")
    company.write("bob", "draw")
    assert "Nobody asks to take an order back now" in said(company.write("carol", "agree").only("carol"))
    assert company.sitting.table.step == 2


def test_who_asks_does_not_vote_and_asks_once(company: Company) -> None:
    company.write("alice", "draw")
    company.write("alice", "undo")
    assert "It is the others who must agree" in said(company.write("alice", "agree").only("alice"))
    assert "You ask already" in said(company.write("alice", "undo").only("alice"))
    assert whats(company) == ["house.undo_asked"]


def test_who_resigned_is_not_asked(company: Company) -> None:
    company.write("carol", "resign yes")
    company.write("alice", "draw")
    company.write("alice", "undo")
    company.write("bob", "agree")
    assert whats(company)[-1] == "house.undone"


def test_what_nobody_has_learned_anything_from_is_free(stage: Stage) -> None:
    company = seated(stage, "accuse")
    state, order = company.sitting.table.state, example(company)
    post = company.write("alice", order)
    assert company.sitting.table.step == 1 and "done" in said(post.to("alice")[0])
    post = company.write("alice", "undo")
    assert "Your order was taken back: nobody had learned anything from it" in said(post.only("alice"))
    assert "alice took the last order back. Nobody had learned anything from it." in said(post.only("bob"))
    assert company.sitting.table.state == state and whats(company) == ["house.undone"]
    assert json.loads(log_of(company)[-1].body)["redeal"] == []
    replayed(stage, company.game)


def test_once_somebody_has_answered_it_is_free_no_more(stage: Stage) -> None:
    company = seated(stage, "accuse")
    company.write("alice", example(company))
    for name in ("bob", "carol"):
        if company.sitting.prompts.get(NAMES.index(name)):
            company.write(name, "pass")
    assert company.sitting.table.step > 1
    assert "Something was learned from your order, by alice" in said(company.write("alice", "undo").only("alice"))


def test_a_sealed_answer_is_retracted(company: Company) -> None:
    company.blame_alice()
    company.write("bob", "bury W1")
    assert 'Your answer "bury W1" was taken back' in said(company.write("bob", "undo").only("bob"))
    assert company.orders == [] and whats(company) == []


def test_an_undo_gains_no_time(stage: Stage) -> None:
    company = seated(stage, "accuse")
    until = due(company)
    stage.pass_time(20 * HOUR)
    order = example(company)
    company.write("alice", order)
    company.write("alice", "undo")
    assert due(company) == until


def test_the_other_order_may_stand_below(stage: Stage) -> None:
    company = seated(stage, "accuse")
    order = example(company)
    company.write("alice", order)
    answer = said(company.write("alice", f"undo\n{order}").to("alice")[0])
    assert f'Read as "{order}" and done' in answer
    assert (company.sitting.game.epoch, len(company.sitting.seats)) == (1, 3)
    replayed(stage, company.game)


def test_an_order_and_its_undo_in_one_letter(stage: Stage) -> None:
    company = seated(stage, "accuse")
    state = company.sitting.table.state
    company.write("alice", f"{example(company)}\nundo")
    assert company.sitting.table.state == state and list(company.sitting.prompts) == [0]
    replayed(stage, company.game)


def test_c09_a_look_and_an_undo_in_one_letter_is_no_free_look(company: Company) -> None:
    company.write("alice", "draw\nundo")
    assert company.sitting.table.step == 1 and whats(company) == ["house.undo_asked"]


def test_among_bots_it_is_always_granted_and_dealt_anew(stage: Stage) -> None:
    company = seated(stage, "archer", ("alice", "bot:careful", "bot:random"))
    company.write("alice", example(company))
    hands = company.sitting.table.state.hands
    answer = said(company.write("alice", "undo").only("alice"))
    assert "bots always agree" in answer and hands
    assert json.loads(log_of(company)[-1].body)["redeal"] == [0, 1, 2]
    replayed(stage, company.game)


@pytest.mark.parametrize("word", ["undo", "agree", "refuse"])
def test_where_there_is_nothing_to_undo_it_is_said(company: Company, word: str) -> None:
    answer = said(company.write("alice", word).only("alice"))
    assert "There is no order of yours" in answer or "Nobody asks to take an order back now" in answer
    assert len(log_of(company)) == 1


def test_what_was_played_for_a_player_is_not_the_player_s_to_take_back(company: Company) -> None:
    rule(company, rulings.skip, None, "x", MONA)
    company.poll()
    assert "only a moderator can take it back" in said(company.write("alice", "undo").only("alice"))


def test_f04_an_undo_from_before_a_rollback_is_stale(company: Company) -> None:
    company.write("alice", "draw")
    old = company.newest("alice")

    def back(session: Any, house: Any, now: Any, game: Any) -> None:
        rollback.rollback(session, house, now, game, 0, "x", MONA, redeal=False)

    rule(company, back)
    company.poll()
    assert "This turn was taken back meanwhile" in said(company.write("alice", "undo", to=old).only("alice"))
    assert whats(company) == ["house.rolled_back"]


def test_a_moderator_may_put_an_undone_order_forward_again(stage: Stage) -> None:
    company = seated(stage, "accuse")
    company.write("alice", example(company))
    state = company.sitting.table.state
    company.write("alice", "undo")
    rule(company, rollback.forward, "asked in bad faith", MONA)
    company.poll()
    assert company.sitting.table.state == state
    assert "put the game forward again" in told(company, "bob")


def test_status_says_again_whose_undo_waits(company: Company) -> None:
    company.write("alice", "draw")
    company.write("alice", "undo")
    waits = "alice asks to take the last order back, and waits for your word."
    assert waits in said(company.write("carol", "status").only("carol"))
    assert waits not in said(company.write("alice", "status").only("alice"))
    company.write("carol", "agree")
    assert waits not in said(company.write("carol", "status").only("carol"))
    company.write("bob", "refuse")
    assert waits not in said(company.write("bob", "status").only("bob"))
