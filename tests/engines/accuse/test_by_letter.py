"""Play Accuse! by letter through the whole office: accusations at any time, sealed answers, whole games."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.core import table as tables
from pbem.testing.rehearsal import Company as Rehearsed
from pbem.testing.stage import Stage, open_stage, text_of
from tests.services.company import said, whole

from .office import Office
from .tables import NAMES, lay

HOUR = timedelta(hours=1)
STATE = lay("C3 L3 X", "W5 C1 X", "W4 C2 X", "W3 L5 X")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Open a house."""
    stage = open_stage(tmp_path)
    yield stage
    stage.close()


@pytest.fixture
def office(stage: Stage) -> Office:
    """Seat four players; ann has the turn."""
    return Office.seat(stage, state=STATE)


def test_a_window_is_sealed_and_closes_once_the_outcome_is_settled(office: Office) -> None:
    asked = office.write("ann", "C3=W1")
    assert asked.readers == list(NAMES)
    assert 'Read as "play C3 as W1" and done.' in said(asked.only("ann"))
    assert "It is sealed" in said(office.write("cleo", "challenge").only("cleo")), "bob comes first"
    assert office.write("dan", "challenge give W3").readers == ["dan"]
    assert len(office.orders) == 1
    closed = office.write("bob", "pass")
    assert office.orders[1] == '[[1,"pass","player"],[2,"challenge","player"],[3,"challenge give W3","player"]]'
    assert closed.readers == list(NAMES)
    for name in NAMES:
        letter = said(closed.only(name))
        assert "cleo challenged ann's #1!" in letter and "dan challenged" not in letter and "give W3" not in letter


def test_what_is_owed_is_asked_and_a_card_named_ahead_needs_no_question(office: Office) -> None:
    office.write("ann", "C3")
    closed = office.write("bob", "challenge")
    assert "give ann one card of your hand" in said(closed.only("bob"))
    given = office.write("bob", "c1>")
    assert "The card that bob gave ann is C1 (Aunt Calamity)." in said(given.only("ann"))
    assert "The card that" not in said(given.only("cleo")) and "bob gave ann a card." in said(given.only("cleo"))


@pytest.mark.parametrize("name", NAMES)
def test_anyone_may_accuse_while_others_are_asked(office: Office, name: str) -> None:
    office.write("ann", "C3=W1")
    office.write("dan", "pass")
    over = office.write(name, office.right)
    assert office.sitting.game.status == "over" and over.readers == list(NAMES)
    assert all(f"That was right: {name} wins" in said(over.only(one)) for one in NAMES)


def test_a_wrong_accusation_drops_what_was_sealed_and_nobody_ever_reads_it(office: Office) -> None:
    office.write("ann", "C3=W1")
    office.write("cleo", "challenge give C2")
    office.write("dan", "pass")
    told = office.write("dan", office.wrong)
    assert told.readers == list(NAMES), "who had answered may accuse as well"
    assert len(office.orders) == 2 and office.orders[1].startswith('[[3,"accuse ') and "cleo" not in office.orders[1]
    for name in NAMES:
        letter = said(told.only(name))
        assert "dan accused" in letter and "That was wrong: dan is out." in letter
        assert "#1 is over: it stays face down" in letter
        assert "challenge give" not in letter and "cleo challenged" not in letter
        assert (
            ("You were shown the culprits: C6" in letter)
            is ("THE CULPRITS" in text_of(told.to(name)[0]))
            is (name == "dan")
        )


def test_an_accusation_answers_any_letter_of_the_game_however_old(office: Office) -> None:
    first = office.newest("bob")
    office.write("ann", "C3=W1")
    stale = said(office.write("bob", "pass", to=first).only("bob"))
    assert "The letter you answered asked nothing of you" in stale or "no longer asked" in stale
    over = office.write("bob", office.right, to=first)
    assert "That was right: bob wins" in said(over.only("ann"))


def test_an_accusation_is_not_too_late_while_the_deadline_of_something_else_is(office: Office) -> None:
    office.write("ann", "C3=W1")
    due = office.wait_until_nearly_due()
    office.stage.now = due + timedelta(minutes=2)
    over = office.write("cleo", office.right)
    assert "That was right: cleo wins" in said(over.only("ann"))


def test_one_message_may_play_and_accuse(office: Office) -> None:
    told = office.write("ann", f"play C3 as W5\n{office.wrong}")
    assert [order.partition(",")[2][:9] for order in office.orders] == ['"play C3 ', '"accuse C']
    assert "ann is out" in said(told.only("bob"))


def test_who_is_asked_nothing_is_told_what_may_be_done(office: Office) -> None:
    answer = said(office.write("bob", "pass").only("bob"))
    assert "Nothing is asked of you now; all that you may do is to accuse." in answer
    checked = said(office.write("bob", f"check {office.wrong}").only("bob"))
    assert "it would be taken. Nothing was done." in checked and office.orders == []
    refused = said(office.write("bob", "accuse C1 L4").only("bob"))
    assert "This accuses no Weapon" in refused and office.orders == []


def test_who_knows_the_culprits_may_not_talk_and_who_does_not_may(office: Office) -> None:
    assert office.write("bob", "say good luck").readers == ["ann", "bob", "cleo", "dan"]
    office.write("bob", office.wrong)
    for words in ("say it was C6", "tell ann it was C6", "say:\nit was C6\nend"):
        told = office.write("bob", words)
        assert told.readers == ["bob"] and "You may not talk to the table" in said(told.only("bob"))
    assert office.write("ann", "say tell me").readers == list(NAMES)


def test_the_bids_are_shown_when_all_are_in(office: Office) -> None:
    office.write("bob", office.wrong)
    for name, words in (("ann", "bid 3"), ("cleo", "bid 0")):
        answer = office.write(name, words)
        assert answer.readers == [name]
    last = office.write("dan", "bid 12")
    assert last.readers == list(NAMES)
    assert all("cleo 0, ann 3, dan 12" in said(last.only(name)) for name in NAMES)
    assert "cleo is to guess at once" in said(last.only("bob"))


def test_cards_are_turned_up_at_once_or_a_few_at_a_time_and_the_accusation_may_stand_below(office: Office) -> None:
    office.write("bob", office.wrong)
    for name, words in (("ann", "bid 3"), ("cleo", "bid 3"), ("dan", "bid 12")):
        office.write(name, words)
    cleos, anns = ([laid.number for laid in office.state.down if laid.seat == seat] for seat in (2, 0))
    office.write("cleo", f"flip #{anns[0]}")
    twice = said(office.write("cleo", f"flip #{anns[1]}\nflip #{anns[2]}").only("cleo"))
    assert "answer the same question" in twice and office.state.due == 2
    refused = said(office.write("cleo", f"flip #{cleos[0]}").only("cleo"))
    assert f"#{cleos[0]} lies in front of yourself" in refused
    done = office.write("cleo", f"flip #{anns[1]} #{anns[2]}\n{office.right}")
    assert "That was right: cleo wins" in said(done.only("ann"))


@pytest.mark.parametrize(("players", "declare"), [(4, "card"), (3, "center"), (2, "card")])
def test_a_whole_game_by_letter(stage: Stage, players: int, declare: str) -> None:
    office = Office.seat(stage, players, seed="story", declare=declare)
    for _ in Rehearsed(stage, office.game, seed="story").play("ann"):
        pass
    sitting = office.sitting
    assert sitting.game.status == "over" and not sitting.prompts
    rows = [(row.kind, row.body, row.chain) for row in office.log]
    assert tables.verify(sitting.engine, sitting.game.seed, rows).state == office.state, "the log is enough"
    for name in NAMES[:players]:
        letters = [letter for letter in stage.mails(name) if office.game in str(letter["Subject"])]
        assert "The game is over" in str(letters[-1]["Subject"])
        knows = next((at for at, letter in enumerate(letters) if "THE CULPRITS" in text_of(letter)), len(letters))
        assert all("shown the culprits" not in whole(letter) for letter in letters[:knows])
        assert "The culprits were" in said(letters[-1]) and "The seed of the deal was" in said(letters[-1])
