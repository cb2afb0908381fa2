"""Test that players may add words to the seed before a game is dealt, and that anybody can reckon it again."""

import hashlib
import json
from datetime import timedelta
from functools import partial

import pytest
from sqlmodel import Session

from pbem import games
from pbem.core import proof, proving
from pbem.core.dice import commitment
from pbem.errors import AdminError
from pbem.services import desk, gathering, proofs
from pbem.services.house import renderer
from pbem.services.sittings import name_of
from pbem.services.witness import compare
from pbem.store import games as store
from pbem.store.gathering import find_gathering
from pbem.store.session import read, transact
from pbem.store.tables import Gathering
from pbem.testing.stage import Stage, text_of
from tests.services.company import NAMES, Company, said, whole

DAY = timedelta(days=1)


@pytest.fixture
def company(stage: Stage) -> Company:
    """Invite alice, bob and carol to a game that waits a day for their words."""
    return invited(stage)


def invited(stage: Stage, *names: str, **options: str) -> Company:
    for name in NAMES:
        stage.add_player(name)

    def work(session: Session) -> str:
        game, _ = gathering.announce(
            session, stage.house, stage.now, "blame", names or NAMES, DAY, options=options or {"first": "alice"}
        )
        return name_of(game)

    company = Company(stage, transact(stage.db, work))
    stage.poll()
    return company


def waiting(company: Company) -> Gathering:
    row = read(company.stage.db, partial(find_gathering, game_id=1))
    assert row is not None
    return row


def status(company: Company) -> str:
    return company.stage.game(company.game).status


def end(company: Company) -> None:
    def work(session: Session) -> None:
        desk.end(session, company.stage.house, company.stage.now, desk.get_game(session, company.game))

    transact(company.stage.db, work)
    company.poll()


def test_the_host_commits_before_any_words_come(company: Company) -> None:
    seal = commitment(waiting(company).secret)
    for name in NAMES:
        (letter,) = company.stage.mails(name)
        assert seal in said(letter).replace(" ", "") and waiting(company).secret.hex() not in whole(letter)
        assert "    seed The quick brown fox\n    ready\n" in text_of(letter)
        assert "on Tue 3 March 2026, 12:00 UTC" in said(letter)
        assert max(map(len, text_of(letter).splitlines())) <= 76


def test_the_game_begins_when_all_are_ready_and_the_seed_is_of_secret_and_words(company: Company) -> None:
    company.write("alice", "Seed:  The  cat sat")
    company.write("bob", "ready")
    company.write("carol", 'seed a\nseed "b": c\nready')
    assert status(company) == "gathering"
    post = company.write("alice", "ready")
    assert status(company) == "open" and post.readers == list(NAMES)
    text = f'pbem gather\n{waiting(company).secret.hex()}\nalice: The cat sat\nbob: \ncarol: "b": c\n'
    game = company.sitting.game
    assert game.seed == hashlib.sha256(text.encode()).digest()
    for name in NAMES:
        told = said(post.to(name)[0])
        assert 'in this order: alice: "The cat sat"; bob: ""; carol: ""b": c".' in told
        assert commitment(game.seed) in told.replace(" ", "") and "Played by pbem" in told
    assert company.write("alice", "draw").readers == ["alice", "bob"] or company.sitting.table.turn() == 2


def test_words_may_be_changed_until_then_and_each_message_has_its_receipt(company: Company) -> None:
    first = company.write("alice", "seed one").only("alice")
    second = company.write("alice", "ready\nseed two").only("alice")
    assert '"seed one"; entry 0 of the log.' in said(first) and '"ready"; "seed two"; entry 0' in said(second)
    assert 'Your words so far: "two".' in said(second)
    assert json.loads(waiting(company).words) == ["two", "", ""]


def test_when_the_time_is_over_the_game_begins_with_what_there_is(company: Company) -> None:
    company.write("alice", "seed one")
    company.stage.pass_time(DAY + timedelta(hours=1))
    assert status(company) == "open"
    body = json.loads(read(company.stage.db, partial(store.log_of, game_id=1))[0].body)
    assert body["gathered"]["words"] == ["one", "", ""]
    assert company.stage.game(company.game).created_at > waiting(company).until_at


def test_whatever_else_is_written_is_told_and_does_nothing(company: Company) -> None:
    for words in ("hello", "draw", "seed", "help", ""):
        (letter,) = company.write("bob", words).to("bob")
        assert "This would work" in said(letter) or "Each of these would work" in said(letter)
        assert "no order was taken" in said(letter)
    assert json.loads(waiting(company).words) == ["", "", ""] and status(company) == "gathering"


def test_a_players_words_are_only_text(company: Company) -> None:
    company.write("alice", "seed <b>{{ 7 * 7 }}</b> \u202e" + "x" * 300)
    company.write("bob", "ready")
    company.write("carol", "ready")
    post = company.write("alice", "ready")
    assert "<b>" not in post.to("bob")[0].as_string().partition("text/html")[2]
    assert "{{ 7 * 7 }}" in said(post.to("bob")[0]) and "\u202e" not in whole(post.to("bob")[0])
    assert len(json.loads(waiting(company).words)[0]) == gathering.LONGEST


def test_bots_need_not_be_ready(stage: Stage) -> None:
    company = invited(stage, "alice", "bot:random")
    company.write("alice", "ready")
    assert status(company) != "gathering"


def test_the_file_of_such_a_game_holds_and_so_does_every_letter(company: Company) -> None:
    for name in NAMES:
        company.write(name, f"seed {name}s words\nready")
    end(company)
    found = read(company.stage.db, lambda session: proofs.whole(session, desk.get_game(session, company.game)))
    assert found.secret == waiting(company).secret
    tables = proving.prove(proof.read(proof.write(found)), games.get)
    pages = renderer()
    fits = [compare(found, tables, text_of(letter), pages) for letter in company.stage.mails()]
    assert ["the seal of the host's secret"] in fits
    assert ["the seal of the host's secret", "its receipt"] in fits
    assert ["its seal", "its terms", "the table and the hand"] in fits


def test_a_game_is_called_off_before_it_is_dealt(company: Company) -> None:
    end(company)
    assert status(company) == "ended"
    assert "called the game off" in said(company.newest("bob"))
    company.stage.pass_time(2 * DAY)
    assert status(company) == "ended"


@pytest.mark.parametrize("ruling", [desk.pause, desk.resume])
def test_nothing_else_is_done_to_a_game_that_is_not_dealt(company: Company, ruling: object) -> None:
    def work(session: Session) -> None:
        ruling(session, company.stage.house, company.stage.now, desk.get_game(session, company.game))  # type: ignore[operator]

    with pytest.raises(AdminError, match="is gathering"):
        transact(company.stage.db, work)


def test_what_cannot_be_played_is_refused_at_once(stage: Stage) -> None:
    with pytest.raises(AdminError, match="first"):
        invited(stage, first="eve")
    assert stage.poll() and stage.mails() == []
