"""Say what every post offers: receive, done, wait, send, and two ways to fail.

One that only its reader may send by says `alone = True`. One that keeps connections has `async close()` too, which lets
go of them; what needs them afterwards makes them anew.

A transport raises TemporaryFailure (the same may work later) or PermanentFailure (it never will), nothing else.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from pbem.core.message import Inbound, Outbound

__all__ = ["Delivery", "Transport"]


@dataclass(frozen=True, slots=True)
class Delivery:
    """Hold a message that was brought, and the handle by which its post knows it."""

    handle: str
    message: Inbound


class Transport(Protocol):
    """Carry messages between the house and one post; `name` is the `transport` of its addresses."""

    name: str

    def receive(self) -> AsyncIterator[Delivery]:
        """Bring what is not dealt with yet, oldest first, and mark nothing as seen.

        Raises: TemporaryFailure, if the post cannot be read now; PermanentFailure, if somebody must mend it first.
        """
        ...

    async def done(self, handle: str) -> None:
        """Mark a message as dealt with: called only after the commit; twice does no harm.

        Raises: TemporaryFailure; the message then comes again, and is known.
        """
        ...

    async def wait(self, timeout: float) -> None:
        """Wait until something may have come, or the post failed or is back; at most so many seconds.

        It only brings the next `receive` forward, never stands for it, and may be cancelled at any time.
        """
        ...

    async def send(self, letter: Outbound) -> None:
        """Send a letter to its one recipient; the same letter sent again goes out under the same id.

        Raises: TemporaryFailure, Elsewhere (another post of the same player may take it), PermanentFailure.
        """
        ...
