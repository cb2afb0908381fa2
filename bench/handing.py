"""Measure how fast letters are handed over: to a folder, and to a real Postfix where this machine has one."""

import asyncio
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import office
from bench.growth import multiply
from bench.measure import emit
from pbem.outbox import send_waiting
from pbem.testing.stage import Stage, open_stage
from pbem.transports.mail import Mail
from tests.real.fixtures import PROGRAMS
from tests.real.servers import run as serve
from tests.real.servers import started

LETTERS = 600


def run() -> None:
    """Print the letters a second, each marked as sent in the store."""
    _measure("a Maildir", {}, "example.org")
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if os.geteuid() or not all(map(shutil.which, PROGRAMS)):
        print("handed over: no Postfix and Dovecot here, or not root: not measured")
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            server = started(Path(folder) / "servers")
            _measure("Postfix, a kept connection", server.config(server.user()), server.domain)
        finally:
            serve("purge", Path(folder) / "servers")


def _measure(name: str, settings: dict[str, Any], domain: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        stage = open_stage(Path(folder), **settings)
        for player in office.PLAYERS:
            stage.add_player(player, f"{player}@{domain}")
        stage.new_game("blame", office.PLAYERS, seed="handing")
        multiply(stage, LETTERS // len(office.PLAYERS) - 1)
        start = time.perf_counter()
        sent = asyncio.run(_send_all(stage))
        seconds = time.perf_counter() - start
        stage.close()
    assert sent == (LETTERS, 0), sent
    emit(f"handed over: to {name}", LETTERS / seconds, "letters/s")


async def _send_all(stage: Stage) -> tuple[int, int]:
    sent = await send_waiting(stage.rig)
    for transport in stage.rig.transports:
        if isinstance(transport, Mail):
            await transport.close()
    return sent
