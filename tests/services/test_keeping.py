"""Old mails are emptied and a person is forgotten; the logs of the games stay whole."""

from datetime import timedelta

import pytest
from sqlmodel import Session, select

from pbem.core import table
from pbem.errors import AdminError, TemporaryFailure
from pbem.services import desk, keeping
from pbem.store import games
from pbem.store.session import read, transact
from pbem.store.tables import Inbox, Outbox, Place, Player, Seat
from pbem.testing.stage import Stage, text_of
from tests.services.hours import outbox
from tests.services.posts import shake

NAMES = ("alice", "bob", "carol")


def played(stage: Stage) -> str:
    """Play a turn of a game, with talk, and end it."""
    for name in NAMES:
        stage.add_player(name)
    game = stage.new_game("blame", NAMES, first="alice")
    stage.poll()
    stage.reply("alice", "draw\nsay I am alice of Example Street")
    stage.poll()
    return game


def end(stage: Stage, game: str) -> None:
    transact(stage.db, lambda session: desk.end(session, stage.house, stage.now, desk.get_game(session, game)))
    stage.poll()


def bodies(stage: Stage) -> tuple[list[bytes], list[str]]:
    """Give what is kept of mails: raw ones, and sent texts."""
    with Session(stage.db) as session:
        return (
            [row.raw for row in session.exec(select(Inbox)) if row.raw],
            [row.text for row in session.exec(select(Outbox)) if row.text or row.html],
        )


def replays(stage: Stage, game: str) -> bool:
    row = stage.game(game)
    entries = read(stage.db, lambda session: games.log_of(session, row.id or 0))
    again = table.verify(stage.house.engine("blame"), row.seed, ((one.kind, one.body, one.chain) for one in entries))
    return again.chain == row.chain


def tidy(stage: Stage, days: int) -> None:
    """Let the house tidy up so many days from now."""
    later = stage.now + timedelta(days=days)
    transact(stage.db, lambda session: keeping.tidy(session, stage.house, later))


def test_mails_of_a_game_that_goes_on_are_kept(stage: Stage) -> None:
    played(stage)
    tidy(stage, 400)
    assert all(bodies(stage))


def test_mails_are_kept_until_thirty_days_after_their_games_end(stage: Stage) -> None:
    game = played(stage)
    end(stage, game)
    tidy(stage, 29)
    assert all(bodies(stage))
    tidy(stage, 31)
    assert bodies(stage) == ([], [])
    assert replays(stage, game)


def test_a_person_is_forgotten_but_for_the_logs(stage: Stage) -> None:
    game = played(stage)
    with pytest.raises(AdminError, match="still plays in blame-1"):
        transact(stage.db, lambda session: keeping.forget(session, "alice"))
    end(stage, game)
    assert transact(stage.db, lambda session: keeping.forget(session, "Alice")) == ["blame-1"]
    with Session(stage.db) as session:
        for kind in (Player, Place, Inbox, Outbox):
            for row in session.exec(select(kind)):
                assert "alice" not in row.model_dump_json(exclude={"raw"}).casefold(), row
        assert all(b"alice" not in row.raw for row in session.exec(select(Inbox)))
        assert [seat.player_id is None for seat in session.exec(select(Seat).order_by(Seat.number))] == [  # type: ignore[arg-type]
            True,
            False,
            False,
        ]
    assert replays(stage, game)


def test_no_letter_that_waits_is_emptied_and_none_goes_to_who_is_forgotten(stage: Stage) -> None:
    game = played(stage)
    transact(stage.db, lambda session: desk.end(session, stage.house, stage.now, desk.get_game(session, game)))
    with pytest.raises(AdminError, match="wait to be sent; try again after the next pass"):
        transact(stage.db, lambda session: keeping.forget(session, "alice"))
    post = shake(stage)
    post.refuses["alice@example.org"] = TemporaryFailure("try again")
    stage.poll()
    transact(stage.db, lambda session: keeping.forget(session, "alice"))
    stage.pass_time(timedelta(hours=3))
    assert "The host ended the game" in text_of(stage.newest("bob"))
    assert {row.status for row in outbox(stage)} == {"sent", "failed"}
    assert not [row for row in outbox(stage) if row.status == "failed" and (row.text or row.place)]


def test_who_is_forgotten_may_come_again(stage: Stage) -> None:
    end(stage, played(stage))
    transact(stage.db, lambda session: keeping.forget(session, "alice"))
    stage.add_player("alice")
    assert stage.new_game("blame", NAMES, first="alice") == "blame-2"
