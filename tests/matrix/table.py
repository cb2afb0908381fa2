"""Sit at a table whose office is on a real homeserver; people there make plain requests."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from pbem.daemon import Passed, one_pass
from pbem.services import people
from pbem.services.sittings import Sitting
from pbem.store.session import read, transact
from pbem.store.tables import Inbox, Outbox
from pbem.testing.stage import open_stage
from pbem.transports.matrix.post import Matrix
from pbem.transports.matrix.session import Account, Session
from tests.real.synapse import MatrixServer, Person
from tests.services import company

Found = TypeVar("Found")
SOON = 20.0
NAMES = ("alice", "bob", "carol")


def post(server: MatrixServer, bot: Person, folder: Path, **other: Any) -> Matrix:
    """Give the post whose office is this account."""
    account = Account(server.url, bot.id, bot.password, device_name="tests")
    return Matrix(Session(account, folder), "pbem", pause=0.05, **other)


class Table:
    """Be a whole house with a Matrix account, a clock that is the real one, and the people at its table."""

    def __init__(
        self,
        server: MatrixServer,
        folder: Path,
        *,
        encryption: bool = False,
        moderators_room: str = "",
        **settings: Any,
    ) -> None:
        self.server = server
        self.bot = server.person("judge")
        self.people = {name: server.person(name) for name in NAMES}
        matrix = {
            "homeserver": server.url, "user": self.bot.id, "password": self.bot.password,
            "encryption": encryption, "moderators_room": moderators_room,
        }  # fmt: skip
        moderators = {"mona": "mona@example.org"}
        self.stage = open_stage(
            folder, datetime.now(UTC), **{"matrix": matrix, "moderators": moderators, **settings}
        )  # fmt: skip
        self.stage.rig.clock = lambda: datetime.now(UTC)
        self.rooms: dict[str, str] = {}

    @property
    def matrix(self) -> Matrix:
        """Give the Matrix post."""
        found = self.stage.rig.transports[1]
        assert isinstance(found, Matrix)
        return found

    def register(self, name: str, *, email: bool = False) -> None:
        """Register a player with a Matrix id, and with a mail address too if wanted."""
        emails, users = [f"{name}@example.org"] if email else [], [self.people[name].id]
        now = datetime.now(UTC)
        transact(self.stage.db, lambda s: people.add_player(s, self.stage.house, now, name, emails, users=users))

    async def enter(self, name: str) -> str:
        """Let a player accept the room that the office makes, and wait for the welcome there."""
        person = self.people[name]
        await self.passed(lambda: person.invited())
        self.rooms[name] = person.accept()
        await self.passed(lambda: [text for text in self.heard(name) if "Welcome" in text])
        return self.rooms[name]

    async def passed(self, look: Callable[[], Found]) -> Found:
        """Make passes until something is found."""
        async with asyncio.timeout(SOON):
            while not (found := await asyncio.to_thread(look)):
                await one_pass(self.stage.rig)
        return found

    async def pass_once(self) -> Passed:
        """Make a pass."""
        return await one_pass(self.stage.rig)

    def heard(self, name: str, room: str = "") -> list[str]:
        """Give what the bot said to a player, the oldest first."""
        return self.people[name].texts(room or self.rooms[name], self.bot.id)

    async def answered(self, name: str, words: str) -> str:
        """Let a player type something, and give what the office says to it."""
        before = len(self.heard(name))
        self.people[name].say(self.rooms[name], words)
        return (await self.passed(lambda: self.heard(name)[before:]))[0]

    async def told(self, name: str, act: Callable[[], object]) -> str:
        """Let somebody do something, and give what the office says to a player for it."""
        before = len(self.heard(name))
        act()
        return (await self.passed(lambda: self.heard(name)[before:]))[0]

    def inbox(self) -> list[Inbox]:
        """List what came."""
        return company.inbox(self.stage)

    def outbox(self) -> list[Outbox]:
        """List what was written."""
        return company.outbox(self.stage)

    def sitting(self, game: str) -> Sitting:
        """Take a game in hand, to look at it."""
        return self.stage.sitting(game)

    async def deal(self, *on_matrix: str, seed: str = "queen", **options: str) -> str:
        """Register everybody, some of them on Matrix alone, deal, and send the first letters."""
        for name in NAMES:
            if name in on_matrix:
                self.register(name)
                await self.enter(name)
            else:
                self.stage.add_player(name)
        game = self.stage.new_game("blame", NAMES, seed=seed, first="alice", **options)
        await self.pass_once()
        return game

    def rows(self, query: Any) -> list[Any]:
        """Look something up."""
        return read(self.stage.db, lambda session: list(session.exec(query)))


@asynccontextmanager
async def seated(server: MatrixServer, folder: Path, **settings: Any) -> AsyncIterator[Table]:
    """Open a table, and clear it at the end."""
    table = Table(server, folder, **settings)
    try:
        yield table
    finally:
        await table.matrix.close()
        table.stage.close()
