"""A game's public room sees what was taken back as such: in the message that tells of it, each line once."""

from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from pbem.services import desk, rollback
from pbem.services.moderators import Ruler
from pbem.store.session import transact
from tests.matrix.table import NAMES, Table
from tests.services.company import said

MONA = Ruler("mona", moderator=True)
BACK = "The moderator mona took the game back to how it stood"


class Hall:
    """Be a game with a public room, and dora who looks on there."""

    def __init__(self, table: Table, **options: str) -> None:
        self.table = table
        self.dora = table.server.person("dora")
        self.room = self.dora.create(invite=[table.bot.id], preset="private_chat")
        for name in NAMES:
            table.stage.add_player(name)
        self.game = table.stage.new_game("blame", NAMES, seed="queen", first="alice", room=self.room, **options)

    def texts(self) -> list[str]:
        """Give what the room was told."""
        return [said(text) for text in self.dora.texts(self.room, self.table.bot.id)]

    async def news(self, *acts: Any) -> str:
        """Let things be done, and give the one message that the room gets for them."""
        await self.table.pass_once()
        before = len(self.texts())
        for act in acts:
            act()
        (told,) = await self.table.passed(lambda: self.texts()[before:])
        return told

    async def writes(self, name: str, words: str) -> str:
        """Let a player answer by mail."""
        return await self.news(partial(self.table.stage.reply, name, words))

    async def ruled(self, ruling: Any, *given: object, **more: Any) -> str:
        """Let mona rule."""
        house, now = self.table.stage.house, datetime.now(UTC)
        act = partial(ruling, **more)
        return await self.news(
            lambda: transact(
                self.table.stage.db, lambda session: act(session, house, now, desk.get_game(session, self.game), *given)
            )
        )


@pytest.fixture
async def hall(table: Table) -> Hall:
    """Give a game two steps on."""
    found = Hall(table)
    for name in NAMES[:2]:
        assert f"{name} drew 3 cards" in await found.writes(name, "draw")
    return found


async def test_a_rollback_shows_the_room_the_lines_that_were_taken_back(hall: Hall) -> None:
    told = await hall.ruled(rollback.rollback, 1, "an error", MONA, redeal=False)
    assert "(taken back) bob drew 3 cards" in told and "alice drew" not in told
    assert told.index("(taken back)") < told.index(f"{BACK} after step 1")
    assert "The table waits for bob (turn)." in told
    assert any("bob drew 3 cards" in text and "taken back" not in text for text in hall.texts()), "never vanished"
    told = await hall.ruled(rollback.rollback, 0, "another error", MONA, redeal=False)
    assert "(taken back) alice drew 3 cards" in told and "bob drew" not in told, "each line once"


async def test_what_is_put_forward_is_not_shown_as_taken_back(hall: Hall) -> None:
    await hall.ruled(rollback.rollback, 1, "an error", MONA, redeal=False)
    told = await hall.ruled(rollback.forward, "no error", MONA)
    assert "what was taken back last stands" in told and "(taken back)" not in told
    told = await hall.ruled(rollback.rollback, 1, "an error after all", MONA, redeal=False)
    assert "(taken back) bob drew 3 cards" in told


async def test_an_undo_that_all_agreed_to_shows_them_too(hall: Hall) -> None:
    assert "bob asks to take the last order back" in await hall.writes("bob", "undo")
    assert "(taken back)" not in await hall.writes("alice", "agree")
    told = await hall.writes("carol", "agree")
    assert "(taken back) bob drew 3 cards" in told and "bob took the last order back" in told


async def test_an_order_that_its_own_message_takes_back_is_shown_as_taken_back_alone(table: Table) -> None:
    hall = Hall(table, roles="choose")
    await table.pass_once()
    order = table.sitting(hall.game).table.awaiting()[0].examples[0]
    told = await hall.writes("alice", f"{order}\nundo")
    happened = told.partition("WHAT HAPPENED")[2].partition("THE TABLE")[0]
    lines = [line.strip() for line in happened.split(" - ") if line.strip()]
    assert lines[0].startswith("(taken back) ") and lines[-1].startswith("alice took the last order back.")
    assert len(lines) == 2
