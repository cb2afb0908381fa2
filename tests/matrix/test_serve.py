"""A house that serves: what is typed is dealt with at once, not at the next tick."""

import asyncio
import os
import signal

from pbem import daemon
from tests.matrix.table import Table
from tests.services.company import said

PATIENCE = 20.0


async def test_what_is_typed_is_answered_before_the_next_tick(table: Table) -> None:
    game = await table.deal("alice")
    serving = asyncio.create_task(daemon.serve(table.stage.rig))
    try:
        for words in ("status", "draw"):
            before = len(table.heard("alice"))
            table.people["alice"].say(table.rooms["alice"], words)
            async with asyncio.timeout(PATIENCE):  # a tick takes half a minute
                while not (heard := (await asyncio.to_thread(table.heard, "alice"))[before:]):
                    assert not serving.done()
        assert 'Read as "draw" and done.' in said(heard[0]) and table.sitting(game).table.step == 1
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        await serving
