"""Play a game of Blame over a real Postfix and a real Dovecot, each player answering with another mail program.

The same game by seed, played over Maildirs, gives the same orders, states and events.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlmodel import Session, col, select

from pbem.core.dice import rehearsal_seed
from pbem.daemon import one_pass
from pbem.engine import Dice
from pbem.store.session import read
from pbem.store.tables import Inbox, LogEntry, Outbox
from pbem.testing.stage import Stage, open_stage
from pbem.transports.mail import Mail
from tests.conftest import need
from tests.real.programs import answer_like_thunderbird, answer_with_mutt, answer_with_s_nail
from tests.real.servers import MailServer, User, until
from tests.real.thunderbird import answer_with_thunderbird

PLAYERS = ("alice", "bob", "carol")
TIME = 120
Answers = Mapping[str, Callable[[str], None]]


@pytest.fixture
def users(mail_server: MailServer) -> dict[str, User]:
    return {name: mail_server.user() for name in PLAYERS}


@pytest.fixture
def real(tmp_path: Path, mail_server: MailServer, office: User, users: dict[str, User]) -> Iterator[Stage]:
    """Open a house whose post is real, and whose clock is the wall's."""
    stage = open_stage(tmp_path / "real", datetime.now(UTC), **mail_server.config(office))
    stage.rig.clock = lambda: datetime.now(UTC)
    for name, user in users.items():
        stage.add_player(name, user.address)
    yield stage
    stage.close()


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Stage]:
    """Open the same house over Maildirs."""
    stage = open_stage(tmp_path / "local")
    for name in PLAYERS:
        stage.add_player(name)
    yield stage
    stage.close()


async def play(stage: Stage, answers: Answers) -> str:
    """Play to the end: whoever is asked answers a random legal order, one after the other."""
    game = stage.new_game("blame", PLAYERS, seed="the real post", max_turns="9", first="alice")
    dice = Dice(rehearsal_seed("company"))
    await one_pass(stage.rig)
    while (sitting := stage.sitting(game)).is_open:
        for seat in sorted(sitting.prompts):
            name = sitting.seats[seat].name
            await asyncio.to_thread(answers[name], sitting.engine.sample(sitting.table.view(seat), dice))
            await read_one(stage)
    return game


async def read_one(stage: Stage) -> None:
    """Make passes until a message has come."""
    async with asyncio.timeout(TIME):
        while not (await one_pass(stage.rig)).received:
            await stage.rig.transports[0].wait(TIME)


def with_newest(stage: Stage, user: User, answer: Callable[[User, str], None]) -> Callable[[str], None]:
    """Let a mail program answer, once the newest letter that was sent to its user has arrived."""

    def answering(words: str) -> None:
        wanted = sent_to(stage, user)[-1]
        until(lambda: user.mails()[-1:] and user.mails()[-1]["Message-ID"] == wanted, f"{wanted} for {user.address}")
        answer(user, words)

    return answering


def sent_to(stage: Stage, user: User) -> list[str]:
    """Give the Message-IDs of the letters that were sent to somebody, oldest first."""
    query = select(Outbox.letter_id).where(Outbox.place == user.address, Outbox.status == "sent")
    found = read(stage.db, lambda session: list(session.exec(query.order_by(col(Outbox.id)))))
    return [f"<{letter_id}@{stage.config.office.domain}>" for letter_id in found]


def log_of(stage: Stage) -> list[tuple[object, ...]]:
    """Give the log: orders, events, states, and the chain that binds them; all but when."""

    def work(session: Session) -> list[tuple[object, ...]]:
        rows = session.exec(select(LogEntry).order_by(col(LogEntry.game_id), col(LogEntry.number)))
        return [(row.number, row.kind, row.turn, row.body, row.events, row.state_hash, row.chain) for row in rows]

    return read(stage.db, work)


async def the_same_game(stage: Stage, local: Stage, users: dict[str, User], carol: Callable[[User, str], None]) -> None:
    """Play the game both ways, and compare; every letter that was sent is in its player's mailbox, once."""
    programs = {"alice": answer_with_mutt, "bob": answer_with_s_nail, "carol": carol}
    await play(stage, {name: with_newest(stage, users[name], program) for name, program in programs.items()})
    post = stage.rig.transports[0]
    assert isinstance(post, Mail)
    await post.close()
    await play(local, {name: lambda words, name=name: local.reply(name, words) for name in PLAYERS})  # type: ignore[misc]
    assert log_of(stage) == log_of(local)
    assert len(log_of(stage)) > 9
    for user in users.values():
        until(lambda user=user: len(user.mails()) == len(sent_to(stage, user)), "every letter")  # type: ignore[misc]
        assert sorted(mail["Message-ID"] for mail in user.mails()) == sorted(sent_to(stage, user))
        assert "The game is over" in str(user.mails()[-1]["Subject"])
    assert read(stage.db, lambda session: set(session.exec(select(Inbox.verdict)))) == {"answered"}


async def test_the_same_game_over_real_mail_and_over_maildirs(
    real: Stage, local: Stage, users: dict[str, User], office: User
) -> None:
    for program in ("mutt", "s-nail", "script"):
        need(program)
    await the_same_game(real, local, users, answer_like_thunderbird)
    assert all("$PbemDone" in flags for flags in office.flags())


@pytest.mark.prove
async def test_the_same_game_with_a_real_thunderbird(real: Stage, local: Stage, users: dict[str, User]) -> None:
    for program in ("mutt", "s-nail", "script", "thunderbird"):
        need(program)
    await the_same_game(real, local, users, answer_with_thunderbird)
