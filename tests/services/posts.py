"""Be a post that fails when a test says so; the letters themselves go through real Maildirs."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from pbem.core.message import Outbound
from pbem.errors import TemporaryFailure
from pbem.testing.stage import Stage
from pbem.transports.base import Delivery, Transport


@dataclass
class ShakyPost:
    """Pass on what a real post does, unless it is told to fail.

    `down`: it cannot be read. `breaks_after`: reading breaks off after so many messages. `refuses`: what sending to a
    place raises. `meanwhile` is called once all that was there is read.
    """

    real: Transport
    down: bool = False
    breaks_after: int | None = None
    refuses: dict[str, Exception] = field(default_factory=dict)
    meanwhile: Callable[[], object] = lambda: None
    sent: list[str] = field(default_factory=list)
    name: str = "mail"

    async def receive(self) -> AsyncIterator[Delivery]:
        """Bring what the real post brings."""
        if self.down:
            raise TemporaryFailure("the post does not answer")
        count = 0
        async for delivery in self.real.receive():
            if count == self.breaks_after:
                raise TemporaryFailure("the connection broke")
            yield delivery
            count += 1
        self.meanwhile()

    async def done(self, handle: str) -> None:
        """Mark a message at the real post."""
        await self.real.done(handle)

    async def wait(self, timeout: float) -> None:
        """Wait at the real post."""
        await self.real.wait(timeout)

    async def send(self, letter: Outbound) -> None:
        """Send a letter by the real post."""
        self.sent.append(letter.key)
        if letter.to.place in self.refuses:
            raise self.refuses[letter.to.place]
        await self.real.send(letter)


def shake(stage: Stage) -> ShakyPost:
    """Put a post that may fail in the place of the stage's own."""
    (real,) = stage.rig.transports
    post = ShakyPost(real)
    stage.rig.transports = [post]
    return post
