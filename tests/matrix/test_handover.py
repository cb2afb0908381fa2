"""A seat whose player is on Matrix is handed over: a room is a player's and not a seat's, so the leaver keeps it."""

from datetime import UTC, datetime

import pytest

from pbem.services import desk, handover
from pbem.services.moderators import Ruler
from pbem.store.session import transact
from tests.matrix.table import Table
from tests.services.company import fates, said

MONA = Ruler("mona", moderator=True)
GONE = "The moderator mona gave the seat of alice to dave; alice has left it. Reason given: vanished"


def hand_over(table: Table, game: str, player: str, newcomer: str) -> None:
    stage, now = table.stage, datetime.now(UTC)
    transact(
        stage.db,
        lambda session: handover.replace(
            session, stage.house, now, desk.get_game(session, game), player, newcomer, "vanished", MONA
        ),
    )


@pytest.fixture
async def game(table: Table) -> str:
    """Deal alice, who is on Matrix, bob and carol; dave, on Matrix too, takes alice's seat."""
    found = await table.deal("alice")
    table.people["dave"] = table.server.person("dave")
    table.register("dave")
    await table.enter("dave")
    hand_over(table, found, "alice", "dave")
    await table.passed(lambda: [text for text in table.heard("dave") if "taken over a seat" in text])
    return found


def members(table: Table, name: str) -> set[str]:
    """Name who is in somebody's room, or may come in."""
    found = table.people[name].ask("GET", "rooms", table.rooms[name], "members")["chunk"]
    return {one["state_key"] for one in found}


async def test_the_leaver_is_told_what_all_are_told_and_the_room_is_never_the_newcomer_s(
    table: Table, game: str
) -> None:
    heard = table.heard("alice")
    assert GONE in said(heard[-1]) and "HAND" not in heard[-1]
    assert "YOUR HAND" in table.heard("dave")[-1]
    assert table.rooms["alice"] != table.rooms["dave"]
    assert members(table, "alice") == {table.bot.id, table.people["alice"].id}
    told = await table.answered("dave", "draw")
    assert "done" in said(told) and table.sitting(game).table.step == 1
    assert table.heard("alice") == heard


async def test_the_leaver_cannot_move_by_what_stands_in_the_room(table: Table, game: str) -> None:
    heard = table.heard("alice")
    table.people["alice"].say(table.rooms["alice"], "draw")
    await table.passed(lambda: fates(table.stage)[-1] == "held")
    await table.pass_once()
    assert table.sitting(game).table.step == 0 and table.heard("alice") == heard


async def test_the_room_goes_on_for_the_leaver_s_other_games(table: Table, game: str) -> None:
    table.stage.new_game("blame", ["alice", "bob"], seed="queen", first="alice")
    await table.passed(lambda: [text for text in table.heard("alice") if "blame-2" in text])
    assert "done" in said(await table.answered("alice", "draw"))
    assert table.sitting("blame-2").table.step == 1 and table.sitting(game).table.step == 0
