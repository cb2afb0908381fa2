"""A game is put back: who has learned what is counted, old letters are void, and nothing vanishes."""

import json
from typing import Any

import pytest

from pbem.errors import AdminError
from pbem.services import desk, rollback
from pbem.services.moderators import Ruler
from pbem.services.rollback import Learned, line_of
from pbem.store import games
from pbem.testing.stage import Stage, html_of, reply_to
from tests.services.company import NAMES, Company, said
from tests.services.hours import HOUR, due, log_of, rule, told
from tests.services.test_desk import replayed

MONA = Ruler("mona", moderator=True)
BACK = "mona took the game back to how it stood"


def go_back(company: Company, step: int, redeal: bool | None = None) -> list[Learned]:
    def ruling(session: Any, house: Any, now: Any, game: Any) -> list[Learned]:
        return rollback.rollback(session, house, now, game, step, "a rules error", MONA, redeal=redeal)

    return list(rule(company, ruling))


def forward(company: Company) -> None:
    rule(company, rollback.forward, "I erred", MONA)


@pytest.fixture
def played(company: Company) -> Company:
    """Give a game in which alice, bob and carol have each drawn three cards: steps 1, 2 and 3."""
    for name in NAMES:
        company.write(name, "draw")
    return company


def test_the_game_stands_as_it_did(company: Company) -> None:
    states = [company.sitting.table.state]
    for name in NAMES:
        company.write(name, "draw")
        states.append(company.sitting.table.state)
    go_back(company, 1, redeal=False)
    assert company.sitting.table.state == states[1]
    assert list(company.sitting.prompts) == [1] and due(company, 1) == company.stage.now + 72 * HOUR
    replayed(company.stage, company.game)
    go_back(company, 0, redeal=False)
    assert company.sitting.table.state == states[0]
    replayed(company.stage, company.game)


def test_f03_the_desk_counts_for_each_seat_what_it_has_learned_and_names_no_card(played: Company) -> None:
    with pytest.raises(AdminError, match="somebody has learned something since step 1: say --redeal or --keep"):
        go_back(played, 1)
    assert len(log_of(played)) == 4
    learned = go_back(played, 1, redeal=True)
    assert [str(one) for one in learned] == [
        "alice has learned nothing since",
        "bob has learned since: 3 cards shown to some, 0 shown to all",
        "carol has learned since: 3 cards shown to some, 0 shown to all",
    ]
    body = json.loads(log_of(played)[-1].body)
    assert body["learned"] == [str(one) for one in learned] and body["redeal"] == [0, 1, 2]
    assert (body["by"], body["reason"], body["before"], body["after"]) == ("mona", "a rules error", 3, 1)


def test_f03_after_a_redeal_hands_are_as_they_were_and_the_deck_is_another(played: Company) -> None:
    before, bob = played.sitting.table.state, played.hand("bob")
    go_back(played, 1, redeal=True)
    after = played.sitting.table.state
    assert played.hand("alice") == before.hands[0] and set(played.hand("bob")) < set(bob)
    assert after.pile == before.pile, "what was laid down before all eyes stays"
    seen = {card for hand in before.hands[1:] for card in hand}
    assert set(after.draw) == {*before.draw, *seen} - set(after.hands[1]) - set(after.hands[2])
    assert after.draw[: len(before.draw)] != before.draw
    replayed(played.stage, played.game)
    played.poll()
    played.write("bob", "draw")
    assert played.hand("bob") != bob
    replayed(played.stage, played.game)


def test_f03_the_choice_and_the_reason_are_announced_in_neutral_words(played: Company) -> None:
    go_back(played, 1, redeal=True)
    post = played.poll()
    assert post.readers == sorted(NAMES)
    line = f"{BACK} after step 1. What nobody could know then was dealt anew. Reason given: a rules error"
    for letter in post.letters:
        assert line in said(letter) and "This turn was taken back: please forget the letters since" in said(letter)
        assert "learned" not in said(letter)


def test_f03_the_deck_is_kept_where_nobody_has_learned_anything(stage: Stage) -> None:
    for name in NAMES:
        stage.add_player(name)
    company = Company(stage, stage.new_game("blame", NAMES, seed="queen", first="alice", roles="choose"))
    company.poll()
    state = company.sitting.table.state
    company.write("alice", company.sitting.table.awaiting()[0].examples[0])
    assert company.sitting.table.step == 1
    assert not any(one.anything for one in go_back(company, 0))
    assert company.sitting.table.state == state
    assert json.loads(log_of(company)[-1].body)["redeal"] == []


def test_players_see_what_was_taken_back_as_such(played: Company) -> None:
    go_back(played, 1, redeal=False)
    letter = played.poll().to("alice")[0]
    assert "(taken back) bob drew 3 cards" in said(letter)
    assert 'color:#808080">(taken back) bob drew' in html_of(letter)
    answer = played.write("carol", "log").to("carol")[0]
    assert "(taken back) bob drew 3 cards" in said(answer) and "- alice drew 3 cards" in said(answer)


def test_f04_old_letters_are_void_and_are_answered_with_a_new_digest(played: Company) -> None:
    letters = {name: played.stage.mails(name)[:] for name in NAMES}
    go_back(played, 1, redeal=False)
    played.poll()
    step = played.sitting.table.step
    for name in ("bob", "carol", "alice"):
        for old in letters[name]:
            answer = said(played.write(name, "draw", to=old).only(name))
            assert "This turn was taken back meanwhile, so nothing was done. Please move again" in answer
            assert "THE TABLE" in answer
    assert (played.sitting.table.step, played.orders) == (step, [])
    played.write("bob", "draw")
    assert played.sitting.table.step == step + 1


def test_f04_a_mail_that_comes_a_second_time_changes_nothing(company: Company) -> None:
    raw = reply_to(company.newest("alice"), "alice@example.org", "draw", company.stage.now, 7)
    company.deliver(raw)
    go_back(company, 0, redeal=False)
    company.poll()
    entries = company.sitting.table.entries
    assert company.deliver(raw).letters == () and company.sitting.table.entries == entries


def test_steps_are_counted_on_so_that_no_dice_fall_twice(played: Company) -> None:
    go_back(played, 1, redeal=False)
    played.poll()
    played.write("bob", "draw")
    assert json.loads(log_of(played)[-1].body)["step"] == 4
    with pytest.raises(AdminError, match="cannot go back to step 2; the latest to go back to: 0, 1"):
        go_back(played, 2)
    with pytest.raises(AdminError, match="cannot go back to step 4"):
        go_back(played, 4)
    go_back(played, 1, redeal=False)
    replayed(played.stage, played.game)


def test_forward_undoes_a_rollback_while_nothing_was_played_since(played: Company) -> None:
    state = played.sitting.table.state
    with pytest.raises(AdminError, match="is no rollback"):
        forward(played)
    go_back(played, 1, redeal=True)
    forward(played)
    assert played.sitting.table.state == state
    replayed(played.stage, played.game)
    played.poll()
    assert "put the game forward again" in told(played, "bob") and "(taken back)" not in told(played, "bob")
    with pytest.raises(AdminError, match="is no rollback"):
        forward(played)
    go_back(played, 1, redeal=False)
    played.poll()
    played.write("bob", "draw")
    with pytest.raises(AdminError, match="played on since"):
        forward(played)


def test_a_redeal_outlasts_a_second_rollback_to_the_same_step(played: Company) -> None:
    go_back(played, 1, redeal=True)
    state = played.sitting.table.state
    played.poll()
    played.write("bob", "draw")
    go_back(played, 1, redeal=False)
    assert played.sitting.table.state == state
    replayed(played.stage, played.game)


def test_a_paused_game_is_put_back_and_its_clocks_begin_when_it_goes_on(played: Company) -> None:
    rule(played, desk.pause)
    played.stage.pass_time(20 * HOUR)
    go_back(played, 1, redeal=False)
    played.stage.pass_time(20 * HOUR)
    rule(played, desk.resume)
    assert due(played, 1) == played.stage.now + 72 * HOUR


def test_a_game_that_is_over_is_not_put_back(played: Company) -> None:
    rule(played, desk.end)
    with pytest.raises(AdminError, match="blame-1 is ended"):
        go_back(played, 1, redeal=False)


def test_bots_forget_what_was_taken_back_and_play_on(stage: Stage) -> None:
    stage.add_player("alice")
    company = Company(stage, stage.new_game("archer", ["alice", "bot:careful", "bot:careful"], seed="queen"))
    company.poll()
    for _ in range(2):
        company.write("alice", company.sitting.table.awaiting()[0].examples[0])
    step = company.sitting.table.step
    go_back(company, 1, redeal=True)
    replayed(stage, company.game)
    back = line_of(log_of(company)).taken_back()
    assert len(back) == step - 1
    kept = [event for row in log_of(company) if row.number not in back for event in games.events_of(row)]
    assert list(company.sitting.past) == kept
