"""The Matrix post alone, against a real homeserver: login, reading on, gaps, limits, restarts."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pbem.core.message import Address, Inbound, Outbound
from pbem.errors import Elsewhere, PermanentFailure, TemporaryFailure
from pbem.transports.base import Delivery
from pbem.transports.matrix.post import Matrix
from pbem.transports.matrix.session import Account, Revoked, Session
from tests.matrix.table import post
from tests.real.servers import until
from tests.real.synapse import MatrixServer, Person, Refused, request

NOW = datetime(2026, 3, 3, tzinfo=UTC)


@pytest.fixture
def bot(matrix_server: MatrixServer) -> Person:
    return matrix_server.person("judge")


@pytest.fixture
def alice(matrix_server: MatrixServer) -> Person:
    return matrix_server.person("alice")


@pytest.fixture
async def matrix(matrix_server: MatrixServer, bot: Person, tmp_path: Path) -> AsyncIterator[Matrix]:
    found = post(matrix_server, bot, tmp_path / "matrix")
    yield found
    await found.close()


def letter(to: str, key: str = "k1", text: str = "Hello", **more: object) -> Outbound:
    values = {"token": "", "thread": "", "subject": "s", "text": text, "html": f"<p>{text}</p>", "created_at": NOW}
    return Outbound(key=key, to=Address("matrix", to), **{**values, **more})  # type: ignore[arg-type]


async def brought(matrix: Matrix, *, done: bool = True) -> list[Inbound]:
    """Read all that came, and deal with it if wanted."""
    found: list[Delivery] = []
    async for delivery in matrix.receive():
        found.append(delivery)
        if done:
            await matrix.done(delivery.handle)
    return [delivery.message for delivery in found]


async def room_of(matrix: Matrix, person: Person) -> str:
    """Let the post make a person's room, and the person come in."""
    with pytest.raises(Elsewhere, match="has not joined"):
        await matrix.send(letter(person.id))
    room = await asyncio.to_thread(person.accept)
    await brought(matrix)
    return room


async def test_a_letter_sent_again_is_the_same_message(matrix: Matrix, alice: Person, bot: Person) -> None:
    room = await room_of(matrix, alice)
    for _ in range(2):
        await matrix.send(letter(alice.id))
    (event,) = alice.seen(room, bot.id)
    assert event["content"]["msgtype"] == "m.notice" and event["content"]["formatted_body"] == "<p>Hello</p>"


async def test_a_letter_is_the_same_after_a_restart_too(
    matrix: Matrix, alice: Person, bot: Person, matrix_server: MatrixServer
) -> None:
    room = await room_of(matrix, alice)
    await matrix.send(letter(alice.id))
    await matrix.close()
    again = post(matrix_server, bot, matrix._session.folder)
    await again.send(letter(alice.id))
    await again.close()
    assert len(alice.seen(room, bot.id)) == 1


async def test_what_asks_rings_and_names_who_is_asked(matrix: Matrix, alice: Person) -> None:
    room = await room_of(matrix, alice)
    await matrix.send(letter(alice.id, rings=True, examples=("draw", "play G1")))
    content = alice.seen(room)[-1]["content"]
    assert content["msgtype"] == "m.text" and content["m.mentions"] == {"user_ids": [alice.id]}
    assert "  2  play G1" in content["body"] and "<ol><li><code>draw</code></li>" in content["formatted_body"]


async def test_a_very_long_letter_is_several_messages(matrix: Matrix, alice: Person, bot: Person) -> None:
    room = await room_of(matrix, alice)
    lines = [f"line {number} {'x' * 60}" for number in range(1500)]
    await matrix.send(letter(alice.id, text="\n".join(lines)))
    assert "\n".join(alice.texts(room, bot.id)).split("\n") == lines


async def test_what_is_not_dealt_with_comes_again(matrix: Matrix, alice: Person) -> None:
    room = await room_of(matrix, alice)
    sent = [alice.say(room, f"line {number}") for number in range(3)]
    assert [one.external_id for one in await brought(matrix, done=False)] == sent
    assert [one.external_id for one in await brought(matrix)] == sent
    assert await brought(matrix) == []


async def test_one_that_is_left_brings_all_again(matrix: Matrix, alice: Person) -> None:
    room = await room_of(matrix, alice)
    sent = [alice.say(room, f"line {number}") for number in range(3)]
    async for delivery in matrix.receive():
        if delivery.handle != sent[1]:
            await matrix.done(delivery.handle)
    assert [one.external_id for one in await brought(matrix)] == sent


async def test_what_was_sent_while_the_bot_was_down_comes_however_much(
    matrix: Matrix, alice: Person, bot: Person, matrix_server: MatrixServer
) -> None:
    room = await room_of(matrix, alice)
    await matrix.close()
    sent = [alice.say(room, f"line {number}") for number in range(230)]
    again = post(matrix_server, bot, matrix._session.folder)
    assert [one.external_id for one in await brought(again)] == sent
    await again.close()


async def test_the_first_sync_fills_the_gap_too(matrix: Matrix, alice: Person) -> None:
    room = await room_of(matrix, alice)
    sent = [alice.say(room, f"line {number}") for number in range(130)]
    (matrix._session.folder / "sync.json").unlink()
    found = await brought(matrix) + await brought(matrix)  # the server keeps its first answer for a while
    assert [one.external_id for one in found if one.text] == sent


async def test_a_restarted_homeserver_loses_nothing(matrix: Matrix, alice: Person, matrix_server: MatrixServer) -> None:
    room = await room_of(matrix, alice)
    sent = [alice.say(room, "before")]
    with matrix_server.stopped():
        with pytest.raises(TemporaryFailure, match="cannot be reached"):
            await brought(matrix)
        with pytest.raises(TemporaryFailure):
            await matrix.send(letter(alice.id))
    sent.append(alice.say(room, "after"))
    assert [one.external_id for one in await brought(matrix)] == sent
    await matrix.send(letter(alice.id))
    assert alice.texts(room)[-1] == "Hello"


async def test_waiting_ends_when_something_comes(matrix: Matrix, alice: Person) -> None:
    room = await room_of(matrix, alice)
    waiting = asyncio.create_task(matrix.wait(30))
    await matrix.send(letter(alice.id))
    alice.say(room, "draw")
    async with asyncio.timeout(10):
        await waiting
    assert [one.text for one in await brought(matrix)] == ["draw"]


async def test_waiting_is_not_ended_by_our_own_letters(matrix: Matrix, alice: Person) -> None:
    await room_of(matrix, alice)
    waiting = asyncio.create_task(matrix.wait(1.0))
    await asyncio.sleep(0)
    begun = time.monotonic()
    await matrix.send(letter(alice.id))
    await waiting
    assert time.monotonic() - begun > 0.8


async def test_waiting_tells_of_a_server_that_fails_and_is_back(
    matrix: Matrix, alice: Person, matrix_server: MatrixServer
) -> None:
    await room_of(matrix, alice)
    async with asyncio.timeout(30):
        with matrix_server.stopped():
            await matrix.wait(20)
            back = asyncio.create_task(matrix.wait(20))
            await asyncio.sleep(0)
        await back


async def test_limits_are_waited_out(matrix: Matrix, alice: Person, bot: Person, matrix_server: MatrixServer) -> None:
    room = await room_of(matrix, alice)
    with matrix_server.limited():
        for number in range(6):
            await matrix.send(letter(alice.id, f"k{number}", f"letter {number}"))
        assert alice.texts(room, bot.id) == [f"letter {number}" for number in range(6)]


async def test_the_device_is_kept_and_only_for_its_owner(
    matrix: Matrix, bot: Person, matrix_server: MatrixServer
) -> None:
    await brought(matrix)
    await matrix.close()
    again = post(matrix_server, bot, matrix._session.folder)
    await brought(again)
    await again.close()
    assert len(bot.ask("GET", "devices")["devices"]) == 2, "the test's own, and the bot's"
    for name in ("device.json", "sync.json"):
        assert (matrix._session.folder / name).stat().st_mode & 0o077 == 0


async def test_a_login_by_token(bot: Person, matrix_server: MatrixServer, tmp_path: Path) -> None:
    session = Session(Account(matrix_server.url, bot.id, token=bot.token), tmp_path)
    assert await session.enter() == bot.id
    await session.close()


@pytest.mark.parametrize("wrong", [{"password": "wrong"}, {"token": "wrong"}])
async def test_a_wrong_login_must_be_mended(
    bot: Person, matrix_server: MatrixServer, tmp_path: Path, wrong: dict[str, Any]
) -> None:
    matrix = Matrix(Session(Account(matrix_server.url, bot.id, **wrong), tmp_path))
    with pytest.raises(PermanentFailure, match="does not take"):
        await brought(matrix)
    with pytest.raises(Elsewhere):
        await matrix.send(letter("@alice:pbem.test"))
    await matrix.close()
    assert "wrong" not in repr(matrix._session.account)


async def test_b22_a_login_that_lapses_is_renewed_as_the_same_device(
    matrix: Matrix, alice: Person, bot: Person, matrix_server: MatrixServer
) -> None:
    await room_of(matrix, alice)
    await matrix.close()
    device = matrix._session.folder / "device.json"
    known = json.loads(device.read_text())
    short = _short_token(matrix_server, bot)
    device.write_text(json.dumps({**known, "access_token": short}))
    until(lambda: _is_refused(matrix_server, short), "the token to lapse")
    await matrix.send(letter(alice.id))
    renewed = json.loads(device.read_text())
    assert renewed["device_id"] == known["device_id"] and renewed["access_token"] not in (short, known["access_token"])


async def test_b22_a_revoked_login_is_not_taken_up_again(matrix: Matrix, alice: Person, bot: Person) -> None:
    await room_of(matrix, alice)
    device = matrix._session.client.device_id
    auth = {"type": "m.login.password", "identifier": {"type": "m.id.user", "user": bot.id}, "password": bot.password}
    bot.ask("POST", "delete_devices", body={"devices": [device], "auth": auth})
    with pytest.raises(Revoked, match=r"was revoked.*remove .*device\.json"):
        await brought(matrix)
    with pytest.raises(Elsewhere, match="revoked"):
        await matrix.send(letter(alice.id))


def _short_token(server: MatrixServer, bot: Person) -> str:
    admin = server.person("admin", admin=True)
    url = f"{server.url}/_synapse/admin/v1/users/{bot.id}/login"
    body = {"valid_until_ms": int(time.time() * 1000) + 300}
    return str(request(url, "POST", body, admin.token)["access_token"])


def _is_refused(server: MatrixServer, token: str) -> bool:
    try:
        request(f"{server.url}/_matrix/client/v3/account/whoami", token=token)
    except Refused:
        return True
    return False
