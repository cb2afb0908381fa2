"""Serve a house as one of several processes: a program of its own, with duties that lapse soon.

    python -m tests.store.serving FOLDER URL SPAN DIARY

It writes a line of JSON into the diary for each thing that another process must not do at the same time.
"""

import asyncio
import functools
import json
import logging
import os
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import structlog

from pbem import daemon
from pbem.config import Config
from pbem.services import deadlines
from pbem.services.house import House
from pbem.store.session import connect
from pbem.testing.stage import rig_of
from pbem.transports.maildir import Maildir

TICK = timedelta(seconds=0.1)
KEY = b"k" * 32


def main(folder: str, url: str, span: str, diary: str) -> None:
    """Serve until told to stop."""
    logging.getLogger("apscheduler").setLevel(logging.CRITICAL)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    config = Config(folder=Path(folder), store={"url": url}, time={"tick": TICK})
    rig = rig_of(connect(url), House(config, KEY))
    rig.duties.span = rig.claim = timedelta(seconds=float(span))
    keep_diary(Path(diary))
    asyncio.run(daemon.serve(rig))


def keep_diary(path: Path) -> None:
    """Note from when to when this process judges, and each letter that it sends."""

    def note(**what: object) -> None:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, (json.dumps({"pid": os.getpid(), "at": time.monotonic(), **what}) + "\n").encode())
        os.close(handle)

    def noted(real: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(real)
        def judge(*given: Any) -> Any:
            begun = time.monotonic()
            try:
                return real(*given)
            finally:
                note(what="judged", since=begun)

        return judge

    real_send = Maildir.send

    async def send(self: Maildir, letter: Any) -> None:
        note(what="sent", key=letter.key)
        await real_send(self, letter)

    deadlines.tick = noted(deadlines.tick)
    Maildir.send = send  # type: ignore[method-assign]


if __name__ == "__main__":
    main(*sys.argv[1:])
