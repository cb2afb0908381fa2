"""Private rooms on a real homeserver: where anybody else may read, nothing secret goes."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from tests.matrix.table import Table
from tests.real.synapse import Person, Refused
from tests.services.company import said

SECRETS = ("YOUR HAND", "WHAT IS ASKED", "Orcs")


def _invited(table: Table, room: str, eve: Person) -> None:
    table.bot.invite(room, eve.id)


def _joined(table: Table, room: str, eve: Person) -> None:
    _invited(table, room, eve)
    eve.join(room)


def _left(table: Table, room: str, eve: Person) -> None:
    _joined(table, room, eve)
    eve.leave(room)


def _readable(table: Table, room: str, eve: Person) -> None:
    table.bot.state(room, "m.room.history_visibility", {"history_visibility": "world_readable"})


def _public(table: Table, room: str, eve: Person) -> None:
    table.bot.state(room, "m.room.join_rules", {"join_rule": "public"})


def _upgraded(table: Table, room: str, eve: Person) -> None:
    new = table.bot.ask("POST", "rooms", room, "upgrade", body={"new_version": "12"})["replacement_room"]
    _joined(table, new, eve)


def alarms(table: Table) -> list[str]:
    return [said(row.text) for row in table.outbox() if row.kind == "alarm"]


def bots_words(table: Table) -> str:
    """Give all that the bot said in rooms, but for the one that it made last."""
    rooms = [room for room in table.bot.joined() if room != table.matrix._rooms.known()[table.people["alice"].id]]
    return "\n".join(text for room in rooms for text in table.bot.texts(room, table.bot.id))


@pytest.mark.parametrize("intrude", [_invited, _joined, _left, _readable, _public, _upgraded])
async def test_b10_a_third_user_gets_no_secret(table: Table, intrude: Callable[[Table, str, Person], None]) -> None:
    await table.deal("alice")
    alice, eve, room = table.people["alice"], table.server.person("eve"), table.rooms["alice"]
    before = bots_words(table) + "\n".join(table.heard("alice"))
    intrude(table, room, eve)
    with suppress(Refused):  # nobody writes any more in a room that was moved
        alice.say(room, "status")
    table.stage.reply("bob", "say hello")
    await table.passed(alice.invited)
    new = alice.accept()
    table.rooms["alice"] = new
    await table.passed(lambda: [text for text in table.heard("alice") if "hello" in text])
    later = bots_words(table)
    for line in later.splitlines():
        assert line in before or not any(secret in line for secret in SECRETS), line
    seen = [text for room in eve.joined() for text in eve.texts(room, table.bot.id)]
    assert not [text for text in seen if any(secret in text for secret in SECRETS)]
    assert [text for text in alarms(table) if "private no more" in text] == alarms(table) and len(alarms(table)) == 1
    assert "YOUR HAND" in await table.answered("alice", "status")


async def test_a_player_cannot_open_the_room(table: Table) -> None:
    await table.deal("alice")
    alice, room = table.people["alice"], table.rooms["alice"]
    acts: tuple[Callable[[], None], ...] = (
        lambda: alice.invite(room, table.people["bob"].id),
        lambda: alice.state(room, "m.room.history_visibility", {"history_visibility": "world_readable"}),
        lambda: alice.state(room, "m.room.join_rules", {"join_rule": "public"}),
    )
    for act in acts:
        with pytest.raises(Refused, match="M_FORBIDDEN"):
            act()


async def test_an_upgraded_room_is_followed(table: Table) -> None:
    await table.deal("alice")
    alice = table.people["alice"]
    new = table.bot.ask("POST", "rooms", table.rooms["alice"], "upgrade", body={"new_version": "12"})
    table.stage.reply("bob", "say hello")
    assert await table.passed(alice.invited) == [new["replacement_room"]]
    table.rooms["alice"] = alice.accept()
    await table.passed(lambda: [text for text in table.heard("alice") if "hello" in text])
    assert alarms(table) == []


async def test_the_own_room_of_a_player_is_used_if_it_is_private(table: Table) -> None:
    table.register("alice")
    alice = table.people["alice"]
    history = {"type": "m.room.history_visibility", "state_key": "", "content": {"history_visibility": "joined"}}
    room = alice.create(invite=[table.bot.id], is_direct=True, preset="private_chat", initial_state=[history])
    table.rooms["alice"] = room
    await table.passed(lambda: [text for text in table.heard("alice") if "Welcome" in text])


async def test_a_room_whose_history_is_open_is_told_why_not(table: Table) -> None:
    table.register("alice")
    alice = table.people["alice"]
    room = alice.create(invite=[table.bot.id], is_direct=True, preset="trusted_private_chat")
    told = await table.passed(lambda: alice.texts(room, table.bot.id))
    assert "who comes later may read what was said before" in told[0] and "Welcome" not in told[0]
    table.rooms["alice"] = alice.accept()
    await table.passed(lambda: [text for text in table.heard("alice") if "Welcome" in text])


async def test_a_stranger_is_not_followed_and_not_answered(table: Table) -> None:
    eve = table.server.person("eve")
    room = eve.create(invite=[table.bot.id])
    await table.passed(table.inbox)
    await table.pass_once()
    assert [row.verdict for row in table.inbox()] == ["held"]
    assert table.bot.joined() == [] and eve.texts(room, table.bot.id) == []


async def test_a_player_who_left_is_invited_again(table: Table) -> None:
    await table.deal("alice")
    alice, room = table.people["alice"], table.rooms["alice"]
    alice.leave(room)
    table.stage.reply("bob", "say hello")
    assert await table.passed(alice.invited) == [room]
    alice.accept()
    await table.passed(lambda: [text for text in table.heard("alice") if "hello" in text])


async def test_lost_notes_find_the_room_again(table: Table) -> None:
    await table.deal("alice")
    (table.stage.config.path(table.stage.config.matrix.folder) / "rooms.json").unlink()
    await table.answered("alice", "status")
    assert table.people["alice"].invited() == [] and len(table.bot.joined()) == 1
