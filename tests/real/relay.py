"""Stand between a client and a server, and misbehave on request: fall silent, break off, break off in mid-letter."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Relay:
    """Pass bytes on between `port` and a server; `limit`: how many bytes of the client pass before it breaks off."""

    target: int
    port: int = 0
    limit: int | None = None
    passing: asyncio.Event = field(default_factory=asyncio.Event)
    connections: int = 0
    _writers: list[asyncio.StreamWriter] = field(default_factory=list)
    _tasks: list["asyncio.Task[None]"] = field(default_factory=list)

    def break_off(self) -> None:
        """End every connection at once, without a word."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    def fall_silent(self) -> None:
        """Pass nothing on any more, and end nothing."""
        self.passing.clear()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.append(writer)
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        self._writers.append(far_writer)
        self._tasks += [
            asyncio.create_task(self._pass(reader, far_writer, counted=True)),
            asyncio.create_task(self._pass(far_reader, writer, counted=False)),
        ]

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, counted: bool) -> None:
        with suppress(OSError):
            while chunk := await reader.read(4096):
                await self.passing.wait()
                if counted and self.limit is not None:
                    self.limit -= len(chunk)
                    if self.limit < 0:
                        self.break_off()
                        return
                writer.write(chunk)
                await writer.drain()
        writer.transport.abort()


@asynccontextmanager
async def relayed(target: int, *, limit: int | None = None) -> AsyncIterator[Relay]:
    """Set a relay up before a port of this machine."""
    relay = Relay(target, limit=limit)
    relay.passing.set()
    server = await asyncio.start_server(relay._accept, "127.0.0.1", 0)
    relay.port = server.sockets[0].getsockname()[1]
    try:
        yield relay
    finally:
        server.close()
        relay.break_off()
        for task in relay._tasks:
            task.cancel()
        await asyncio.gather(*relay._tasks, return_exceptions=True)
        await settle()


async def settle() -> None:
    """Let the loop finish with connections that were just closed."""
    for _ in range(5):
        await asyncio.sleep(0)
