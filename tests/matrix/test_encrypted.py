"""Encrypted private rooms: a player with a real client, and keys that come late, run out, or are new."""

import asyncio
from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pbem.daemon import one_pass
from tests.matrix.table import Table, seated
from tests.real.synapse import MatrixServer


@pytest.fixture
async def table(matrix_server: MatrixServer, tmp_path: Path) -> AsyncIterator[Table]:
    from tests.conftest import lack

    if find_spec("vodozemac") is None:
        lack("pbem[e2ee] is not installed")
    async with seated(matrix_server, tmp_path, encryption=True) as found:
        yield found


@pytest.fixture
async def alice(table: Table, tmp_path: Path) -> AsyncIterator[Any]:
    from tests.matrix.nio_person import NioPerson

    found = NioPerson(table.people["alice"], tmp_path / "alice")
    yield await found.login()
    await found.close()


async def seat(table: Table, alice: Any) -> str:
    """Register alice, let her come in, and deal."""
    table.register("alice")
    await table.passed(table.people["alice"].invited)
    table.rooms["alice"] = await alice.accept()
    await alice.hears(lambda words: "Welcome" in words, table.pass_once)
    for name in ("bob", "carol"):
        table.stage.add_player(name)
    game = table.stage.new_game("blame", ("alice", "bob", "carol"), seed="queen", first="alice")
    await alice.hears(lambda words: "WHAT IS ASKED OF YOU" in words, table.pass_once)
    return game


async def test_a_move_in_an_encrypted_room(table: Table, alice: Any) -> None:
    game = await seat(table, alice)
    await alice.say(table.rooms["alice"], "draw")
    assert await alice.hears(lambda words: 'Read as "draw" and done.' in words, table.pass_once)
    assert table.sitting(game).table.step == 1
    kinds = [one["type"] for one in table.bot.events(table.rooms["alice"]) if one["sender"] == table.bot.id]
    assert "m.room.message" not in kinds and kinds.count("m.room.encrypted") == 4


async def test_the_device_of_the_bot_is_signed(table: Table, alice: Any) -> None:
    await seat(table, alice)
    known = table.bot.ask("POST", "keys", "query", body={"device_keys": {table.bot.id: []}})
    device = known["device_keys"][table.bot.id][table.matrix._session.client.device_id]
    (signing,) = known["self_signing_keys"][table.bot.id]["keys"]
    assert signing in device["signatures"][table.bot.id]


async def test_keys_are_kept_across_a_restart(table: Table, alice: Any) -> None:
    game = await seat(table, alice)
    await table.matrix.close()
    event = await alice.say(table.rooms["alice"], "draw")
    assert event
    from pbem.transports.posts import posts

    table.stage.rig.transports = posts(table.stage.config)
    assert await alice.hears(lambda words: 'Read as "draw" and done.' in words, table.pass_once)
    assert table.sitting(game).table.step == 1


async def test_b13_a_message_is_read_once_its_key_comes(table: Table, alice: Any) -> None:
    game = await seat(table, alice)
    client, kept = alice.client, []
    send = client.to_device

    async def hold(message: Any, *more: Any) -> Any:
        kept.append(message)
        return await send(type(message)("m.dummy", message.recipient, message.recipient_device, {}))

    client.invalidate_outbound_session(table.rooms["alice"])
    client.to_device = hold
    sent = client.send
    shares: list[tuple[Any, ...]] = []

    async def without_keys(method: str, path: str, *more: Any, **named: Any) -> Any:
        if "/sendToDevice/" in path:
            shares.append((method, path, *more))
            return await sent("GET", "/_matrix/client/versions", *((None, *more[1:])), **named)
        return await sent(method, path, *more, **named)

    client.send = without_keys
    await alice.say(table.rooms["alice"], "draw")
    client.send = sent
    assert await alice.hears(lambda words: "cannot be read yet" in words, table.pass_once)
    assert table.sitting(game).table.step == 0
    passed = await one_pass(table.stage.rig)
    assert "waits for its key" in passed.unread
    for share in shares:
        await sent(*share)
    assert await alice.hears(lambda words: 'Read as "draw" and done.' in words, table.pass_once)
    assert table.sitting(game).table.step == 1
    await one_pass(table.stage.rig)
    assert table.sitting(game).table.step == 1 and not (await one_pass(table.stage.rig)).unread


async def test_a_new_device_reads_on_and_is_told_of(table: Table, alice: Any, tmp_path: Path) -> None:
    from tests.matrix.nio_person import NioPerson

    await seat(table, alice)
    other = await NioPerson(table.people["alice"], tmp_path / "other").login()
    try:
        await alice.say(table.rooms["alice"], "status")
        assert await other.hears(lambda words: "YOUR HAND" in words, table.pass_once)
        assert await alice.hears(lambda words: "A new device of yours can read" in words, table.pass_once)
    finally:
        await other.close()


async def test_one_time_keys_are_made_anew_when_they_run_out(table: Table, alice: Any) -> None:
    await seat(table, alice)
    bot, device = table.bot.id, table.matrix._session.client.device_id
    claim = {"one_time_keys": {bot: {device: "signed_curve25519"}}}

    def claimed() -> Any:
        return table.people["bob"].ask("POST", "keys", "claim", body=claim)["one_time_keys"].get(bot)

    while claimed():
        pass
    await asyncio.sleep(0)
    assert await table.passed(claimed)
