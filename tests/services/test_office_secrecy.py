"""Test that what leaves the office for a seat is a function of that seat's view: worlds that it cannot tell apart."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlmodel import Session

from pbem.core.dice import rehearsal_seed
from pbem.engine import Dice
from pbem.services import desk
from pbem.store import games
from pbem.store.session import transact
from pbem.testing.stage import Stage, open_stage, text_of, unhashed
from tests.services.company import Company, said, whole

Deal = Callable[..., Company]


@pytest.fixture
def deal(tmp_path: Path) -> Iterator[Deal]:
    """Deal the same game in one world after another."""
    stages: list[Stage] = []

    def in_another_world(seed: str = "queen", **options: str) -> Company:
        stages.append(open_stage(tmp_path / str(len(stages))))
        return Company.deal(stages[-1], seed, **options)

    yield in_another_world
    for stage in stages:
        stage.close()


def letters(company: Company, name: str) -> list[str]:
    """Give every byte that went to a player, letter by letter, but for the hashes."""
    return [unhashed(letter) for letter in company.stage.mails(name)]


def write(company: Company, name: str, *messages: str) -> None:
    """Send messages that are the same in every world."""
    for at, words in enumerate(messages):
        message_id = f"<{name}-{at}-{len(company.stage.mails(name))}@example.org>"
        company.write(name, words, quote=False, Message_ID=message_id)  # what is quoted has hashes in it


def reshuffle(company: Company, seat: int) -> None:
    """Deal anew what a seat cannot know."""

    def work(session: Session) -> None:
        game = desk.get_game(session, company.game)
        engine = company.stage.house.engine(game.engine)
        state = engine.reshuffle(engine.load(game.state), (seat,), Dice(rehearsal_seed("another world")))
        assert engine.dump(state) != game.state
        game.state = engine.dump(state)
        games.save_game(session, game)

    transact(company.stage.db, work)


ERRORS = (
    "play A1",
    "play W1",
    "play V2",
    "play X",
    "play S1",
    "play V9",
    "play G1 GS2 S1 accuse alice",
    "drw",
    "give A1 bob",
)
OFFERS = ("status", "help", "log", "check G1 GS2", "check play A1", "check draw", "draw\nplay G1", "resign", "retract")


@pytest.mark.parametrize("words", [*ERRORS, *OFFERS])
def test_c14_errors_and_offers_are_the_same_where_only_hidden_cards_differ(deal: Deal, words: str) -> None:
    here, there = deal(), deal()
    reshuffle(there, 0)
    for company in (here, there):
        write(company, "alice", words)
    assert letters(here, "alice") == letters(there, "alice")
    assert len(letters(here, "alice")) == 2


def test_c14_what_others_hear_of_a_refused_order_is_nothing(deal: Deal) -> None:
    company = deal()
    for words in ERRORS:
        assert company.write("alice", words).readers == ["alice"]


def test_c06_a_burial_is_told_to_others_without_its_card(deal: Deal) -> None:
    company = deal("saffron")
    write(company, "alice", "draw\nbury A1\nlog")
    write(company, "bob", "log", "status")
    write(company, "carol", "log", "status")
    for name in ("bob", "carol"):
        told = "\n".join(whole(letter) for letter in company.stage.mails(name))
        assert "alice buried a card" in " ".join(told.split())
        assert not re.search(r"\bA1\b", told) and not re.search(r"\bbury A1\b", told)
    assert "A1" in text_of(company.newest("alice"))


def test_c06_a_burial_after_the_blame_is_told_without_its_card(deal: Deal) -> None:
    company = deal()
    company.blame_alice()
    write(company, "bob", "bury W1")
    write(company, "carol", "pass")
    for name in ("alice", "carol"):
        write(company, name, "log", "status")
        told = "\n".join(whole(letter) for letter in company.stage.mails(name))
        assert "bob buried a card" in " ".join(told.split())
        assert not re.search(r"\bW1\b", told)


@pytest.mark.parametrize("other", ["bury VS1", "pass"])
def test_a_sealed_answer_shows_in_no_letter_of_another_seat(deal: Deal, other: str) -> None:
    here, there = deal(), deal()
    for company, words in ((here, "bury W1"), (there, other)):
        write(company, "alice", "play G1 GS2 S1 accuse carol")
        write(company, "bob", words)
        write(company, "alice", "status", "log")
        write(company, "carol", "status", "log", "check bury A1", "retract")
    assert letters(here, "alice") == letters(there, "alice")
    assert letters(here, "carol") == letters(there, "carol")


def test_that_a_seat_has_answered_shows_in_no_letter_of_another(deal: Deal) -> None:
    here, there = deal(), deal()
    for company in (here, there):
        write(company, "alice", "play G1 GS2 S1 accuse carol")
    write(here, "bob", "pass")
    for company in (here, there):
        write(company, "carol", "status")
    assert letters(here, "carol") == letters(there, "carol")


def test_c08_what_changes_in_a_hand_shows_to_others_as_a_number_alone(deal: Deal) -> None:
    """Carol's letters are the same whichever card went from alice to bob."""
    here, there = deal(), deal()
    for company, card in ((here, "S1"), (there, "GS2")):
        write(company, "alice", "play G1", f"give {card} bob")
        write(company, "carol", "status", "log")
    assert letters(here, "carol") == letters(there, "carol")
    assert letters(here, "bob") != letters(there, "bob")
    assert "bob: Spymaster (S), 4 cards" in text_of(here.stage.newest("carol", "THE TABLE"))


def test_c15_equal_responsibility_leaves_the_pile_with_the_accuser(deal: Deal) -> None:
    company = deal("tie0")
    post = company.write("alice", "play AS2 AG2 GW2 accuse bob")
    for name in ("alice", "bob"):
        assert "alice takes the Blame" in said(post.to(name)[0]) or "alice took the Blame" in said(post.to(name)[0])
    assert len(company.hand("alice")) == 4 and len(company.hand("bob")) == 3


def test_c15_equal_lowest_scores_share_the_win_and_the_letters_say_so(deal: Deal) -> None:
    company = deal("tie6", max_turns="1")
    post = company.write("alice", "draw")
    assert company.sitting.game.status == "over"
    for name in ("alice", "bob", "carol"):
        assert "bob and carol share the win with 1 point each." in said(post.only(name))


def test_no_subject_names_a_card(deal: Deal) -> None:
    company = deal()
    write(company, "alice", "play G1\ngive S1 bob\nstatus")
    write(company, "bob", "play W1", "draw", "help")
    for letter in company.stage.mails():
        assert re.fullmatch(r"\[blame-1\] Turn \d+(: your answer is wanted \([a-z]+\))?", str(letter["Subject"]))
