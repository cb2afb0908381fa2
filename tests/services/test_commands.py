"""Test what a player can ask of the office, a test a command."""

from datetime import timedelta

import pytest

from pbem.core.reading import OFFICE_WORDS
from pbem.services import desk
from pbem.services.commands import OFFICE
from pbem.services.pages import AHEAD_HELP, OFFICE_HELP, POST_HELP
from pbem.store.session import transact
from pbem.testing.stage import Stage, html_of, text_of
from tests.services.company import Company, outbox, said, whole


def test_every_command_stands_in_the_help_and_names_no_player() -> None:
    listed = {line.partition(" ")[0].rstrip(":") for line, _ in (*OFFICE_HELP, *AHEAD_HELP, *POST_HELP)}
    assert listed == {*OFFICE, "end"} - {"back"}
    assert set(OFFICE) <= OFFICE_WORDS


def test_help_lists_all_that_can_be_written(company: Company) -> None:
    (letter,) = company.write("alice", "help").to("alice")
    for line, told in OFFICE_HELP:
        assert line in text_of(letter) and told in said(letter) and told in html_of(letter)
    assert "words: play CARD CARD CARD accuse NAME" in said(letter)
    assert '"on bury|nobility ORDER"' in said(letter) and '"off bury|nobility"' in said(letter)
    assert "YOUR HAND" not in text_of(letter), "help costs nobody a whole digest"


def test_rules_show_how_the_game_is_played_by_letter(company: Company) -> None:
    (letter,) = company.write("alice", "rules").to("alice")
    assert "HOW TO PLAY" in text_of(letter) and "The Blame pile is shown and counted" in said(letter)
    assert max(map(len, text_of(letter).splitlines())) <= 76


def test_what_is_asked_twice_is_shown_once(company: Company) -> None:
    assert company.write("alice", "help\nHELP\nhelp.").only("alice").count("WHAT YOU CAN WRITE") == 1


def test_status_is_the_digest_again(company: Company) -> None:
    first = text_of(company.newest("alice"))
    again = company.write("alice", "status").only("alice")
    for part in ("THE TABLE", "YOUR HAND", "WHAT IS ASKED OF YOU"):
        there, here = (text[text.index(part) :].split("\n\n")[0] for text in (first, again))
        assert there == here


def test_status_may_be_answered(company: Company) -> None:
    company.write("alice", "status")
    company.write("alice", "draw")
    assert company.sitting.table.turn() == 2


def test_the_log_shows_the_last_turn_only_where_the_rules_forbid_to_look_back(company: Company) -> None:
    for name, words in (("alice", "play G1\ngive S1 bob"), ("bob", "draw"), ("carol", "draw")):
        company.write(name, words)
    log = company.write("bob", "log").only("bob")
    assert "carol drew 3 cards" in log
    assert "alice" not in log[log.index("THE LOG") :].replace("Turn 4: alice is to play", "")


def test_the_log_shows_each_what_the_seat_may_see(company: Company) -> None:
    company.write("alice", "play G1\ngive S1 bob")
    logs = {name: company.write(name, "log").only(name).partition("THE LOG")[2] for name in ("alice", "bob", "carol")}
    assert "S1" in logs["alice"] and "S1" in logs["bob"]
    assert "S1" not in logs["carol"] and "alice gave" in said(logs["carol"])


def test_check_tells_of_a_legal_order_and_changes_nothing(company: Company) -> None:
    state = company.sitting.game.state
    post = company.write("alice", "check G1 gs2")
    assert 'Read as "play G1 GS2": it would be taken. Nothing was done.' in said(post.only("alice"))
    assert post.readers == ["alice"]
    assert company.sitting.game.state == state and not company.orders


@pytest.mark.parametrize(
    ("order", "told"),
    [
        ("play S1", "S1 cannot lie on AG2"),
        ("play A1", "A1 is not in your hand"),
        ("play V9", "There is no card V9 in this game."),
        ("hello there", "This is no order."),
        ("pass", '"pass" does not answer what you are asked now.'),
    ],
)
def test_check_tells_why_an_order_would_not_be_taken(company: Company, order: str, told: str) -> None:
    answer = company.write("alice", f"check {order}").only("alice")
    assert f'"check {order}" {told}' in said(answer)
    assert "would work:" in answer


def test_check_needs_a_question(company: Company) -> None:
    assert "so no order can be checked" in said(company.write("bob", "check draw").only("bob"))


def test_retract_takes_back_a_sealed_answer_and_another_may_be_given(company: Company) -> None:
    company.blame_alice()
    company.write("bob", "bury W1")
    post = company.write("bob", "retract")
    assert post.readers == ["bob"] and company.orders == []
    assert 'Your answer "bury W1" was taken back; the question is open again.' in said(post.only("bob"))
    company.write("bob", "bury VS1")
    assert company.orders == ["bury VS1"]


def test_retract_and_the_new_order_may_stand_in_one_message(company: Company) -> None:
    company.blame_alice()
    company.write("bob", "bury W1")
    company.write("bob", "retract\nbury VS1")
    assert company.orders == ["bury VS1"]


def test_c09_what_was_used_cannot_be_taken_back(company: Company) -> None:
    company.write("alice", "draw")
    hand = company.hand("alice")
    answer = company.write("alice", "retract").only("alice")
    assert "No sealed answer of yours waits; what was used cannot be taken back." in said(answer)
    assert company.hand("alice") == hand


def test_a_late_retraction_takes_back_no_later_answer(company: Company) -> None:
    """The letter that is answered asked another question."""
    old = company.newest("bob")
    company.blame_alice()
    company.write("bob", "bury W1")
    answer = company.write("bob", "retract", to=old).only("bob")
    assert company.orders == ["bury W1"]
    assert "asked nothing of you" in said(answer)


def test_nothing_is_retracted_after_the_deadline(company: Company) -> None:
    company.blame_alice()
    letter = company.newest("bob")
    company.write("bob", "bury W1")
    company.stage.now = company.wait_until_nearly_due() + timedelta(seconds=1)
    answer = company.write("bob", "retract", to=letter).to("bob")[0]
    assert 'The deadline has passed, so "bury W1" stands.' in said(answer)
    assert company.orders == ["bury W1"]


def test_resign_asks_first(company: Company) -> None:
    answer = company.write("alice", "resign").only("alice")
    assert "Nothing was done yet." in said(answer) and "resign yes" in answer
    assert not company.sitting.seats[0].resigned


def test_resign_yes_lets_the_seats_defaults_answer_at_once(company: Company) -> None:
    post = company.write("alice", "resign yes")
    assert company.sitting.seats[0].resigned and company.sitting.table.turn() == 2
    assert "alice has resigned" in said(post.only("bob")) and "alice has resigned" in said(post.only("carol"))
    assert "You have resigned. You will get one more letter" in said(post.only("alice"))
    company.write("bob", "draw")
    assert company.write("carol", "draw").readers == ["bob", "carol"]
    assert company.sitting.table.turn() == 5, "alice's next turn was played too"


def test_who_has_resigned_gives_no_more_orders(company: Company) -> None:
    company.write("carol", "resign yes")
    company.blame_alice()
    assert company.orders == ["pass"]
    for words in ("retract", "bury A1", "resign yes", "check pass"):
        assert "You have resigned from this game" in said(company.write("carol", words).only("carol"))
        assert company.orders == ["pass"]


def test_a_game_that_all_have_left_is_played_to_its_end(company: Company) -> None:
    for name in ("alice", "bob"):
        company.write(name, "resign yes")
    post = company.write("carol", "resign yes")
    assert company.sitting.game.status == "over"
    assert post.readers == ["alice", "bob", "carol"]
    assert all("The game is over" in letter["Subject"] for letter in post.letters)


def test_a_message_to_a_game_that_is_over_is_answered_to_its_sender_alone(company: Company) -> None:
    for name in ("alice", "bob", "carol"):
        company.write(name, "resign yes")
    for words, told in (
        ("draw", "is over; no more orders are taken."),
        ("help", "WHAT YOU CAN WRITE"),
        ("thanks all", ""),
    ):
        post = company.write("bob", words)
        assert post.readers == ["bob"]
        assert told in said(post.only("bob"))
    assert "THE TABLE" in company.write("bob", "status").only("bob")


def test_a_message_to_a_paused_game_is_answered_to_its_sender_alone(company: Company) -> None:
    stage = company.stage
    transact(
        stage.db, lambda session: desk.pause(session, stage.house, stage.now, desk.get_game(session, company.game))
    )
    company.poll()
    for words in ("draw", "retract", "resign yes", "check draw"):
        post = company.write("alice", words)
        assert post.readers == ["alice"] and "is paused; your clock stands still" in said(post.only("alice"))
    status = company.write("alice", "status").only("alice")
    assert "YOUR HAND" in status and "WHAT IS ASKED OF YOU" not in status
    assert company.sitting.table.step == 0 and not company.sitting.seats[0].resigned


def test_no_answer_names_an_internal(company: Company) -> None:
    company.write("alice", "help\nrules\nlog\nstatus\ncheck draw\nresign\nretract\nhm")
    company.write("alice", "draw")
    for letter in company.stage.mails():
        for internal in ("None", "prompt", "epoch", "sqlite", "/tmp", "Traceback", "house.", "uuid", "sitting"):
            assert internal not in whole(letter)


def test_no_line_of_any_answer_is_wider_than_76_columns(stage: Stage) -> None:
    company = Company.deal(stage)
    for words in ("help", "rules", "log", "x" * 300, "say " + "y" * 300, "tell bob " + "z" * 300, "check " + "w" * 300):
        company.write("alice", words)
    company.write("alice", "draw")
    for row in outbox(stage):
        assert max(map(len, row.text.splitlines())) <= 76, row.text
