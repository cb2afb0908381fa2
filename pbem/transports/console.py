"""Be the post of one keyboard: what is typed answers the newest letter, and letters are printed."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from datetime import datetime

from pbem.core.message import Inbound, Outbound
from pbem.transports.base import Delivery

NAME = "console"


class Console:
    """Carry the lines and letters of one player; it satisfies `Transport`.

    `show` prints a letter's text; `newest` is the id of the letter that a line answers.
    """

    def __init__(self, player: str, show: Callable[[str], None]) -> None:
        self.name = NAME
        self.newest = ""
        self._player = player
        self._show = show
        self._typed: deque[Delivery] = deque()

    def type(self, words: str, now: datetime, number: str) -> None:
        """Take a line; `number` sets it apart from all others for ever."""
        message = Inbound(
            transport=self.name, external_id=number, sender=self._player, recipients=(), answers=(self.newest,),
            subject="", text=words, html=None, received_at=now, raw=words.encode("utf-8", "replace"),
        )  # fmt: skip
        self._typed.append(Delivery(number, message))

    async def receive(self) -> AsyncIterator[Delivery]:
        """Bring what was typed."""
        for delivery in tuple(self._typed):
            yield delivery

    async def done(self, handle: str) -> None:
        """Drop a line that was dealt with."""
        self._typed = deque(delivery for delivery in self._typed if delivery.handle != handle)

    async def wait(self, timeout: float) -> None:
        """Wait so many seconds: whoever takes the lines knows when one has come."""
        await asyncio.sleep(timeout)

    async def send(self, letter: Outbound) -> None:
        """Print a letter; lines answer it from now on."""
        if letter.token:
            self.newest = f"{letter.token}.{letter.key}"
        self._show(letter.text)
