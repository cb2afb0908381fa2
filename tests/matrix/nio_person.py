"""Be a player with a client library of its own, its own keys, and encryption."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nio import AsyncClient, AsyncClientConfig, MegolmEvent, RoomMessage, SyncResponse

from tests.real.synapse import Person

PATIENCE = 20.0


class NioPerson:
    """Read and write encrypted messages as one device of an account."""

    def __init__(self, person: Person, store: Path) -> None:
        self.person = person
        store.mkdir(parents=True, exist_ok=True)
        config = AsyncClientConfig(encryption_enabled=True, store_sync_tokens=False, max_timeouts=2)
        self.client = AsyncClient(person.server.url, person.id, store_path=str(store), config=config)
        self.heard: list[str] = []
        self.locked = 0
        self._since = ""

    async def login(self) -> "NioPerson":
        """Log in as a new device."""
        await self.client.login(self.person.password, device_name="phone")
        await self.sync(full_state=True)
        return self

    async def sync(self, **more: Any) -> None:
        """Read what came, and do what the library wants done."""
        answer = await self.client.sync(timeout=100, since=self._since or None, **more)
        assert isinstance(answer, SyncResponse), answer
        self._since = answer.next_batch
        for info in answer.rooms.join.values():
            for event in info.timeline.events:
                if isinstance(event, MegolmEvent):
                    self.locked += 1
                elif isinstance(event, RoomMessage) and event.sender != self.person.id:
                    assert event.decrypted
                    self.heard.append(str(event.source["content"]["body"]))
        if self.client.should_upload_keys:
            await self.client.keys_upload()
        if self.client.should_query_keys:
            await self.client.keys_query()

    async def accept(self) -> str:
        """Join the room that the person is invited to."""
        room = await asyncio.to_thread(self.person.accept)
        await self.sync(full_state=True)
        return room

    async def say(self, room: str, words: str, **more: Any) -> str:
        """Say something, encrypted."""
        content = {"msgtype": "m.text", "body": words, **more}
        answer = await self.client.room_send(room, "m.room.message", content, ignore_unverified_devices=True)
        return str(answer.event_id)

    async def hears(self, look: Callable[[str], object], turn: Callable[[], Any]) -> str:
        """Read on, and let the office make its passes, until something is heard that fits."""
        async with asyncio.timeout(PATIENCE):
            while True:
                for index, words in enumerate(self.heard):
                    if look(" ".join(words.split())):
                        del self.heard[: index + 1]
                        return " ".join(words.split())
                await turn()
                await self.sync()

    async def close(self) -> None:
        """Let go of the connection."""
        await self.client.close()
