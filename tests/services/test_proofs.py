"""Test the file of a game as the house gives it: whole after the end, before that what one seat knew."""

import json
from datetime import timedelta
from email.message import EmailMessage
from functools import partial

import pytest
from sqlmodel import Session

from pbem import games
from pbem.core import proof, proving
from pbem.core.proof import Proof
from pbem.errors import AdminError
from pbem.services import desk, proofs
from pbem.services.house import renderer
from pbem.services.moderators import Ruler
from pbem.services.witness import compare
from pbem.store import games as store
from pbem.store.session import read, transact
from pbem.testing.stage import Stage, text_of
from tests.services.company import NAMES, Company, said


def end(company: Company) -> None:
    """Let the host end the game."""

    def work(session: Session) -> None:
        desk.end(session, company.stage.house, company.stage.now, desk.get_game(session, company.game), "We go home")

    transact(company.stage.db, work)
    company.poll()


def whole(company: Company) -> Proof:
    return read(company.stage.db, lambda session: proofs.whole(session, desk.get_game(session, company.game)))


def attached(letter: EmailMessage) -> str:
    """Give the file that came with a letter."""
    (part,) = letter.iter_attachments()
    assert part.get_filename() == f"{str(letter['Subject'])[1:].partition(']')[0]}.jsonl"
    return part.get_payload(decode=True).decode()  # type: ignore[union-attr]


def peek(company: Company, name: str, reason: str) -> Proof:
    """Open what a seat knew, as the command line does."""

    def work(session: Session) -> Proof:
        game = desk.get_game(session, company.game)
        by = Ruler("mona", moderator=True)
        return proofs.opened(session, company.stage.house, company.stage.now, game, name, reason, by)

    return transact(company.stage.db, work)


@pytest.fixture
def open_game(stage: Stage) -> Company:
    """Deal a game that may be looked back at."""
    for name in NAMES:
        stage.add_player(name)
    company = Company(stage, stage.new_game("archer", NAMES, first="alice"))
    stage.poll()
    return company


def test_after_the_end_everybody_gets_the_whole_file_and_it_holds(company: Company) -> None:
    company.blame_alice()
    company.write("bob", "bury W1\nsay Ha, my secret plan")
    company.write("carol", "tell bob Well done")
    end(company)
    (letter,) = company.write("carol", "export").to("carol")
    text = attached(letter)
    found = proof.read(text)
    assert len(proving.prove(found, games.get)) == len(found.lines)
    assert "@" not in text and "secret plan" not in text and "Well done" not in text
    assert found.status == "ended" and found.seed == company.sitting.game.seed


def test_the_last_letter_names_the_seed_however_the_game_ended(company: Company) -> None:
    end(company)
    seed = company.sitting.game.seed.hex()
    for name in NAMES:
        assert seed in said(company.newest(name)).replace(" ", "")
        assert 'Reply with "export"' in said(company.newest(name))


def test_the_first_letter_states_program_version_and_options(company: Company) -> None:
    for name in NAMES:
        first = said(company.stage.mails(name)[0])
        assert "Played by pbem 0.1.0, Game of Blame version 1. Options: first alice" in first
    company.write("alice", "draw")
    assert "Played by" not in said(company.newest("alice"))


def test_before_the_end_there_is_no_whole_file(company: Company) -> None:
    with pytest.raises(AdminError, match="only after its end"):
        whole(company)


def test_where_the_rules_forbid_to_look_back_the_file_opens_at_the_end(company: Company) -> None:
    (letter,) = company.write("alice", "export").to("alice")
    assert "opens only when the game is over" in said(letter)
    assert list(letter.iter_attachments()) == []


def test_during_an_open_game_a_player_gets_what_the_seat_knew(open_game: Company) -> None:
    sitting = open_game.sitting
    order = sitting.table.awaiting()[0].examples[0]
    open_game.write("alice", order)
    for seat, name in enumerate(NAMES):
        (letter,) = open_game.write(name, "export").to(name)
        text = attached(letter)
        found = proof.read(text)
        assert proving.prove(found, games.get) == []
        assert found.seat == seat and found.seed is None and sitting.game.seed.hex() not in text
        assert all(event.visible(seat) for line in found.lines for event in line.events)
        assert {slip.seat for slip in found.slips} <= {seat}


def test_to_open_what_a_seat_knew_takes_a_reason_and_stands_in_the_log(open_game: Company) -> None:
    for reason in ("", "  ", "two\nlines"):
        with pytest.raises(AdminError, match="reason"):
            peek(open_game, "alice", reason)
    with pytest.raises(AdminError, match="alice, bob, carol"):
        peek(open_game, "eve", "a dispute")
    assert peek(open_game, "ALICE", "a dispute").seat == 0
    (_, entry) = read(open_game.stage.db, partial(store.log_of, game_id=1))
    told = json.loads(entry.body)
    assert (told["what"], told["seat"], told["thing"], told["by"]) == ("house.peeked", 0, "file", "mona")
    assert told["reason"] == "a dispute"


def test_that_somebody_looked_is_in_no_file_of_a_seat_before_the_end(open_game: Company) -> None:
    peek(open_game, "alice", "a dispute")
    for name in NAMES:
        assert "a dispute" not in attached(open_game.write(name, "export").to(name)[0])
    end(open_game)
    found = whole(open_game)
    assert "a dispute" in proof.write(found)
    assert proving.prove(found, games.get)


def test_an_answer_without_export_brings_no_file(company: Company) -> None:
    (letter,) = company.write("alice", "draw").to("alice")
    assert letter.get_content_type() == "multipart/alternative"
    assert text_of(letter)


def test_what_a_seat_knew_tells_for_whom_time_ran_out(open_game: Company) -> None:
    open_game.stage.pass_time(timedelta(days=3, hours=2))
    letter = next(one for one in open_game.stage.mails("bob") if "Time ran out for alice" in said(one))
    found = peek(open_game, "bob", "a doubt")
    assert "what happened" in compare(found, [], text_of(letter), renderer())
    (step,) = (line.body for line in found.lines if line.kind == "step")
    assert step is not None and step["orders"] == [] and step["late"] == [0]
