"""Test what the office takes of a player's words: "Reading" and "Turns" of one move, a test a sentence."""

from datetime import timedelta

import pytest

from pbem.services import desk, sittings, turns
from pbem.services.commands import LIMIT
from pbem.store import games
from pbem.store.session import transact
from pbem.testing.stage import Stage, reply_to, text_of
from tests.services.company import Company, said


def test_each_line_that_is_wholly_a_command_counts(company: Company) -> None:
    answer = company.write("alice", "help\n\ndraw\n\nlog").only("alice")
    assert 'Read as "draw" and done.' in answer
    assert "WHAT YOU CAN WRITE" in answer
    assert "THE LOG" in answer


def test_other_prose_spoils_nothing_and_is_listed_as_not_read(company: Company) -> None:
    post = company.write("alice", "Dear all,\nI think I shall\ndraw\nsee you soon")
    assert company.sitting.table.turn() == 2
    for line in ("Dear all,", "I think I shall", "see you soon"):
        assert f'"{line}" Not read as an order, and shown to nobody.' in said(post.only("alice"))


def test_other_prose_goes_to_nobody(company: Company) -> None:
    post = company.write("alice", "my secret plan is to wait\ndraw")
    assert post.readers == ["alice", "bob", "carol"]
    for name in ("bob", "carol"):
        assert "secret plan" not in post.to(name)[0].as_string()


def test_prose_that_holds_a_command_is_no_command(company: Company) -> None:
    answer = company.write("alice", "I will draw\nshall I draw?").only("alice")
    assert company.sitting.table.turn() == 1
    assert "No line of your message is a command." in said(answer)
    assert "draw" in answer.split("This would work")[-1] or "Each of these would work" in answer


def test_a_quoted_command_is_no_command(company: Company) -> None:
    company.write("alice", "thanks")
    assert "\n    draw\n" in text_of(company.stage.mails("alice")[0])
    assert company.sitting.table.turn() == 1


def test_a_line_one_slip_away_is_refused_with_all_orders_of_its_message(company: Company) -> None:
    answer = company.write("alice", "play G1\ngiv S1 bob").only("alice")
    assert company.sitting.table.turn() == 1 and not company.orders
    assert company.hand("alice") == ("G1", "S1", "GS2")
    assert '"giv S1 bob" One letter away from a command; was this meant?' in said(answer)
    assert "give S1 bob" in answer
    assert '"play G1" Not done, since another line of your message is not clear.' in said(answer)


def test_a_slip_does_not_refuse_what_changes_nothing(company: Company) -> None:
    answer = company.write("alice", "drw\nhelp").only("alice")
    assert "WHAT YOU CAN WRITE" in answer


def test_an_order_that_cannot_be_read_is_refused_with_all_orders_of_its_message(company: Company) -> None:
    answer = company.write("alice", "draw\nplay V9").only("alice")
    assert company.sitting.table.turn() == 1
    assert "There is no card V9 in this game." in said(answer)


def test_orders_on_further_lines_answer_what_the_same_seat_is_asked_next(company: Company) -> None:
    post = company.write("alice", "play G1\ngive S1 bob")
    assert 'Read as "play G1" and done.' in post.only("alice")
    assert 'Read as "give S1 bob" and done.' in post.only("alice")
    assert "S1" in company.hand("bob")
    assert company.sitting.table.turn() == 2


def test_the_treasurer_draws_and_buries_in_one_message(stage: Stage) -> None:
    company = Company.deal(stage, "saffron")
    answer = company.write("alice", "draw\nbury A1").only("alice")
    assert 'Read as "bury A1" and done.' in answer
    assert company.sitting.table.turn() == 2


def test_two_answers_to_one_prompt_are_refused_and_both_are_shown(company: Company) -> None:
    answer = company.write("alice", "draw\nplay G1").only("alice")
    assert company.sitting.table.turn() == 1
    assert said(answer).count('Not done: "draw" and "play G1" answer the same question. Please send one of them.') == 2


def test_two_answers_refuse_the_retraction_beside_them(company: Company) -> None:
    company.blame_alice()
    company.write("bob", "bury W1")
    company.write("bob", "retract\npass\nbury VS1")
    assert company.orders == ["bury W1"]


def test_an_order_below_one_that_was_refused_is_not_tried(company: Company) -> None:
    """What it was meant to follow did not happen, so it would answer another question."""
    answer = company.write("alice", "play S1\ndraw").only("alice")
    assert company.sitting.table.turn() == 1
    assert "S1 cannot lie on AG2" in said(answer)
    assert '"draw" Not done, since the order above it was not taken.' in said(answer)


def test_the_first_order_stands_when_a_further_one_is_refused(company: Company) -> None:
    """Nothing is probed for free: what a drawn card told is not taken back by a line that fails."""
    before = company.hand("alice")
    answer = company.write("alice", "play G1\ngive G1 bob").only("alice")
    (drawn,) = set(company.hand("alice")) - set(before)
    assert drawn in answer
    assert company.sitting.prompts[0].kind == "gift"
    company.write("alice", "draw")
    assert drawn in company.hand("alice"), "the card that was seen stays drawn"


def test_a_refused_order_draws_nothing(company: Company) -> None:
    state = company.sitting.game.state
    for words in ("play S1", "play G1 GS2 S1 accuse alice", "play A1", "play G1 G1", "give S1 bob"):
        post = company.write("alice", words)
        assert post.readers == ["alice"]
        assert company.sitting.game.state == state


@pytest.mark.parametrize(
    "order", ["play S1", "play G1 GS2 S1", "play G1 GS2 S1 acuse bob", "play G1 GS2 S1 accuse alice"]
)
def test_c04_an_order_that_the_rules_forbid_costs_nothing(company: Company, order: str) -> None:
    due, hand = company.sitting.prompts[0].deadline_at, company.hand("alice")
    company.stage.now += timedelta(hours=1)
    post = company.write("alice", order)
    assert post.readers == ["alice"]
    answer = post.only("alice")
    assert f'"{order}"' in answer, "it repeats what was read"
    assert "would work:" in answer, "it shows a line that would"
    assert company.sitting.prompts[0].deadline_at == due
    assert company.hand("alice") == hand


def test_orders_are_sealed_until_settled(company: Company) -> None:
    company.blame_alice()
    post = company.write("bob", "bury W1")
    assert post.readers == ["bob"], "nobody else hears that he has answered"
    assert "It is sealed until all answers are in" in said(post.only("bob"))
    assert "W1" in company.hand("bob")
    company.write("carol", "pass")
    assert "W1" not in company.hand("bob")


def test_an_answer_that_is_sealed_is_not_overwritten(company: Company) -> None:
    company.blame_alice()
    company.write("bob", "bury W1")
    answer = company.write("bob", "bury VS1").only("bob")
    assert company.orders == ["bury W1"]
    assert 'You have answered this already with "bury W1", which is sealed.' in said(answer)


def test_a_doubled_order_is_stale_whatever_its_message_id(company: Company) -> None:
    letter = company.newest("alice")
    company.write("alice", "draw", to=letter)
    hand = company.hand("alice")
    post = company.write("alice", "draw", to=letter)
    assert post.readers == ["alice"]
    assert 'You have already moved: "draw" stands, and nothing was done now.' in said(post.only("alice"))
    assert company.hand("alice") == hand


def test_an_order_to_an_older_letter_is_stale(company: Company) -> None:
    first = company.newest("alice")
    for name in ("alice", "bob", "carol"):
        company.write(name, "draw")
    answer = company.write("alice", "play G1", to=first).only("alice")
    assert 'You have already moved: "draw" stands' in said(answer)
    assert "WHAT IS ASKED OF YOU" in answer, "how things stand is below"
    assert "G1" in company.hand("alice")


def test_a_late_order_is_stale(company: Company) -> None:
    letter, due = company.newest("alice"), company.wait_until_nearly_due()
    company.stage.now = due + timedelta(minutes=2)
    post = company.write("alice", "play G1", to=letter)
    assert "This came after the deadline had passed" in said(post.to("alice")[0])
    assert "G1" in company.hand("alice")
    answer = company.write("alice", "play G1", to=letter).only("alice")
    assert 'Time had run out, and the game answered for you: "draw" stands' in said(answer)


def test_a_message_is_judged_by_when_it_was_received_not_by_its_date(company: Company) -> None:
    letter, due = company.newest("alice"), company.wait_until_nearly_due()
    raw = reply_to(letter, "alice@example.org", "draw", due, 1, Date="Mon, 01 Jan 2035 00:00:00 +0000")
    company.stage.deliver(raw, at=due - timedelta(seconds=2))
    company.stage.now = due + timedelta(minutes=3)
    assert 'Read as "draw" and done.' in text_of(company.poll().to("alice")[0])


def test_d12_a_date_before_the_deadline_makes_no_late_mail_early(company: Company) -> None:
    letter, due = company.newest("alice"), company.wait_until_nearly_due()
    raw = reply_to(letter, "alice@example.org", "draw", due - timedelta(minutes=5), 1)
    company.stage.deliver(raw, at=due + timedelta(seconds=5))
    company.stage.now = due + timedelta(minutes=3)
    assert "This came after the deadline had passed" in said(company.poll().to("alice")[0])


def test_an_order_of_before_a_rollback_is_stale(company: Company) -> None:
    def raise_epoch(session: object) -> None:
        game = desk.get_game(session, company.game)  # type: ignore[arg-type]
        game.epoch += 1
        games.save_game(session, game)  # type: ignore[arg-type]

    before = company.newest("alice")
    transact(company.stage.db, raise_epoch)
    for words in ("draw", "resign yes", "retract"):
        answer = company.write("alice", words, to=before).only("alice")
        assert "This turn was taken back meanwhile, so nothing was done." in said(answer)
        assert company.sitting.table.turn() == 1 and not company.sitting.seats[0].resigned
    company.write("alice", "draw")
    assert company.sitting.table.turn() == 2, "the digest in that answer may be answered"


def test_a_letter_that_asked_nothing_cannot_be_answered_by_an_order(company: Company) -> None:
    waiting = company.newest("bob")
    company.write("alice", "draw")
    answer = company.write("bob", "draw", to=waiting).only("bob")
    assert "The letter you answered asked nothing of you; please answer the digest below." in said(answer)
    assert company.sitting.table.turn() == 2


def test_who_is_not_asked_is_told_so(company: Company) -> None:
    answer = company.write("bob", "draw").only("bob")
    assert "Nothing is asked of you just now." in answer


def test_one_message_has_so_many_commands_and_no_more(company: Company) -> None:
    answer = company.write("alice", "\n".join(["status"] * LIMIT + ["draw"])).only("alice")
    assert f'"draw" Not read, nor what stands below: one message may have {LIMIT} commands.' in said(answer)
    assert company.sitting.table.turn() == 1


def test_what_was_not_read_is_told_within_limits(company: Company) -> None:
    answer = company.write("alice", "\n".join(f"word number {at} of many" for at in range(300))).only("alice")
    assert answer.count("Not read as an order") == 6
    assert "So it was with 294 more." in answer
    assert len(answer) < 6000


def test_nothing_below_end_is_read(company: Company) -> None:
    answer = company.write("alice", "draw\nend\nhelp\nplay what you like").only("alice")
    assert "WHAT YOU CAN WRITE" not in answer and "what you like" not in answer
    assert company.sitting.table.turn() == 2


def test_end_alone_is_answered(company: Company) -> None:
    answer = company.write("alice", "end\ndraw").only("alice")
    assert "No line of your message is a command." in said(answer)
    assert company.sitting.table.turn() == 1


def test_an_accepted_order_stands_at_the_head_of_the_digest_if_a_step_follows_at_once(company: Company) -> None:
    answer = company.write("alice", "0").only("alice")
    head, _, digest = answer.partition("WHAT HAPPENED")
    assert 'Read as "draw" and done.' in head
    assert "alice drew 3 cards" in digest


def test_a_race_is_tried_once_more(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else writes the game between our reading and our writing."""
    done: list[str] = []
    advance = turns.advance

    def meanwhile(sitting: sittings.Sitting, now: object) -> None:
        if not done:
            done.append("once")
            sitting.game.revision -= 1
        advance(sitting, now)  # type: ignore[arg-type]

    monkeypatch.setattr(turns, "advance", meanwhile)
    post = company.write("alice", "draw")
    assert done and 'Read as "draw" and done.' in post.only("alice")
    assert company.sitting.table.step == 1
