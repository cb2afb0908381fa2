"""Be the post that a Matrix homeserver carries; it satisfies `Transport`."""

import asyncio
import hashlib
import heapq
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from pbem.core.message import Inbound, Outbound
from pbem.errors import Elsewhere, PermanentFailure, TemporaryFailure, TransportFailure
from pbem.transports.base import Delivery
from pbem.transports.matrix import inbound
from pbem.transports.matrix.events import Seen, letter_of, read
from pbem.transports.matrix.memory import Memory, Trace
from pbem.transports.matrix.rooms import Rooms
from pbem.transports.matrix.session import Refused, Revoked, Session
from pbem.transports.matrix.sync import Batch, Change, Sync
from pbem.transports.matrix.vault import Locked, Vault
from pbem.transports.matrix.writing import contents

__all__ = ["Matrix"]

SLICE = 30.0
"""How many seconds one long poll lasts."""
PAUSE = 5.0
"""How many seconds pass after a failure, and where what came could not be dealt with."""
HISTORY = 2
"""How many pages above what is new are looked at for letters."""
Event = dict[str, Any]


class Matrix:
    """Carry letters by the rooms of a homeserver; `alone`: two processes with one device would lose its keys."""

    alone = True

    def __init__(self, session: Session, name: str = "pbem", *, slice_: float = SLICE, pause: float = PAUSE) -> None:
        self.name = inbound.NAME
        self.session = self._session = session
        self._sync = Sync(session)
        self._rooms = Rooms(session, name)
        self._vault = Vault(session) if session.encrypted else None
        self._locked = Locked(session)
        self._memories: dict[str, Memory] = {}
        self._open: set[str] = set()
        self._next = ""
        self._slice, self._pause = slice_, pause
        self._woken = "-"
        self._down = False

    async def receive(self) -> AsyncIterator[Delivery]:
        """Bring what came since all before was dealt with, oldest first; each room's order is kept.

        Raises: TemporaryFailure, PermanentFailure (an operator must mend it).
        """
        await self._enter()
        self._open, self._next = set(), ""
        batch = await self._sync.read()
        if self._vault is not None:
            await self._vault.take(batch.raw)
        found = [await self._entrances(batch), await self._unlocked()]
        found += [await self._read(change) for change in batch.changes]
        messages = list(heapq.merge(*found, key=lambda one: one.received_at))
        self._open = {message.external_id for message in messages}
        for message in messages:
            yield Delivery(message.external_id, message)
        self._next = batch.token
        self._advance()
        if self._vault is not None and self._locked.holds_clock():
            raise TemporaryFailure("an encrypted message waits for its key, so no deadline is judged for a while")

    async def done(self, handle: str) -> None:
        """Note that a message is dealt with; once all of a batch are, that is kept.

        Raises: TemporaryFailure; what is not kept comes again, and is known.
        """
        self._open.discard(handle)
        self._locked.drop(handle)
        self._advance()

    async def wait(self, timeout: float) -> None:
        """Wait until something comes, or the server fails or is back; at most so many seconds."""
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout
        since = self._sync.token
        if not since or since == self._woken:  # what it told of is not dealt with yet
            await asyncio.sleep(min(timeout, self._pause))
        since = since or self._sync.token
        while since and (left := end - loop.time()) > 0:
            try:
                answer = await self._sync.ask(since, min(left, self._slice))
            except TransportFailure:
                if not self._down:
                    self._down = True
                    return
                await asyncio.sleep(min(left, self._pause))
                continue
            if self._down or self._is_news(answer):
                self._down, self._woken = False, self._sync.token
                return
            since = str(answer["next_batch"])

    async def send(self, letter: Outbound) -> None:
        """Put a letter into its player's room, or into the room it names; sent again it is the same message.

        Raises: Elsewhere (no room is ready or private, or the server cannot say), PermanentFailure.
        """
        try:
            await self._enter()
            place = letter.to.place
            if place.startswith("!") and not letter.text:
                await self._remove(letter)
                return
            room = await self._public(letter) if place.startswith("!") else await self._rooms.open(place)
            for number, content in enumerate(contents(letter)):
                await self._put(room, place, content, f"{letter.key}{f'-{number}' if number else ''}")
            await self._tell_of_devices(room, place)
        except Elsewhere:
            raise
        except Revoked as revoked:
            raise Elsewhere(str(revoked)) from revoked
        except TemporaryFailure as failure:
            raise Elsewhere(str(failure), patient=True) from failure

    async def close(self) -> None:
        """Let go of the connection; it is made again when it is needed."""
        await self._session.close()

    async def _public(self, letter: Outbound) -> str:
        """Enter a room that others read too.

        Secret: a letter that bears a seat's token never goes there.
        """
        if letter.token:
            raise PermanentFailure("a private letter was about to go to a public room; nothing was sent")
        await self._session.call("POST", "join", letter.to.place)
        return letter.to.place

    async def _remove(self, letter: Outbound) -> None:
        """Take the message that a letter without words names out of a room; without the power it stays."""
        with suppress(Refused):
            await self._session.call("PUT", "rooms", letter.to.place, "redact", letter.thread, letter.key)

    async def _enter(self) -> None:
        await self._session.enter()
        if self._vault is not None:
            await self._vault.open()

    async def _put(self, room: str, user: str, content: Event, txn: str) -> None:
        """Say something in a room, encrypted where the room is."""
        kind = "m.room.message"
        if self._vault is not None and await self._rooms.is_encrypted(room):
            kind, content = await self._vault.closed(room, user, kind, content)
        await self._session.call("PUT", "rooms", room, "send", kind, txn, body=content)

    async def _tell_of_devices(self, room: str, user: str) -> None:
        """Tell a player of devices that can read the room since now."""
        for device in self._vault.newcomers(user) if self._vault is not None else ():
            words = (
                f"A new device of yours can read your letters from now on: {device}. If it is not yours, log it out."
            )
            txn = f"device-{hashlib.sha256(f'{room} {device}'.encode()).hexdigest()[:24]}"
            await self._put(room, user, {"msgtype": "m.notice", "body": words}, txn)

    async def _unlocked(self) -> list[Inbound]:
        """Read what could not be decrypted before, where the key has come."""
        found: list[Inbound] = []
        for room, event in self._locked.kept() if self._vault is not None else ():
            opened = self._opened(room, event)
            memory = self._memories.get(room) or await self._memory(Change(room, (), ""))
            if opened is not event and (message := await self._message(room, opened, memory, {})):
                found.append(message)
        return found

    def _opened(self, room: str, event: Event) -> Event:
        return event if self._vault is None else self._vault.opened(room, event)

    def _advance(self) -> None:
        if self._next and not self._open:
            self._sync.keep(self._next)

    def _is_news(self, answer: Mapping[str, Any]) -> bool:
        """Tell whether anything came but what we did ourselves."""
        rooms = answer.get("rooms") or {}
        own = self._session.user_id
        joined = (rooms.get("join") or {}).values()
        events = [event for told in joined for event in (told.get("timeline") or {}).get("events", ())]
        secrets = (answer.get("to_device") or {}).get("events")
        return bool(rooms.get("invite") or secrets or any(event.get("sender") != own for event in events))

    async def _entrances(self, batch: Batch) -> list[Inbound]:
        """Tell of those who invite us."""
        found = []
        for room, (user, event_id) in batch.invites.items():
            if user:
                self._rooms.note_invite(user, room)
                name = event_id or f"invite {room}"
                found.append(inbound.at_the_door(name, user, room, datetime.now(UTC), "invite"))
        return found

    async def _read(self, change: Change) -> list[Inbound]:
        """Read what came in one room."""
        memory = await self._memory(change)
        events = [self._opened(change.room, event) for event in change.events]
        edits = _edits(events)
        found = [await self._message(change.room, event, memory, edits) for event in events]
        return [message for message in found if message is not None]

    async def _memory(self, change: Change) -> Memory:
        """Remember what stands above in a room, the first time that it is read."""
        memory = self._memories.get(change.room)
        if memory is None:
            memory = Memory(self._session.user_id)
            try:
                above = [event async for event, _ in self._sync.back(change.room, change.before, pages=HISTORY)]
            except Refused:
                above = []
            for event in reversed(above):
                memory.add(self._opened(change.room, event))
            self._memories[change.room] = memory
        return memory

    async def _message(self, room: str, event: Event, memory: Memory, edits: Mapping[str, Seen]) -> Inbound | None:
        """Make a message to the office of an event, or give None if it says nothing to it.

        What was written anew before it was read is read so at once.
        """
        if event.get("type") == "m.room.member":
            return self._arrival(room, event)
        if event.get("type") == "m.room.tombstone":
            await self._rooms.follow(room, [event])
        seen = read(event)
        if seen is None or seen.sender == self._session.user_id:
            memory.add(event)
            return None
        if (edit := edits.get(seen.event_id)) and (edit.sender, seen.kind) == (seen.sender, "words"):
            seen = replace(seen, text=edit.text)
        waits = seen.kind == "locked" and self._vault is not None
        if waits:
            self._locked.add(room, event)
        answered = await self._answered(room, seen, memory)
        trace = memory.add(event, answered)
        if trace is None or (seen.kind == "reaction" and not _example(seen, answered)):
            return None
        exposed = "" if seen.kind == "redaction" else await self._rooms.why_exposed(room, seen.sender)
        return inbound.message(seen, trace, room, example=_example(seen, answered), exposed=exposed, waits=waits)

    async def _answered(self, room: str, seen: Seen, memory: Memory) -> Trace | None:
        """Find the message that an event is about, in the room if it is not remembered."""
        if not seen.about or seen.kind == "redaction":
            return None
        if (known := memory.find(seen.about)) is not None:
            return known
        try:
            event = await self._session.call("GET", "rooms", room, "event", seen.about)
        except Refused:
            return None
        event = self._opened(room, event)
        letter, told = letter_of(event), read({**event, "content": {"msgtype": "m.text", "body": ""}})
        if told is None or event.get("sender") != self._session.user_id:
            return None
        return Trace(told.event_id, told.sender, told.at, letter)

    def _arrival(self, room: str, event: Mapping[str, Any]) -> Inbound | None:
        """Tell that a player joined the room made for them."""
        user, content = event.get("state_key"), event.get("content") or {}
        before = (event.get("unsigned") or {}).get("prev_content") or {}
        came = content.get("membership") == "join" and before.get("membership") != "join"
        if not came or user != event.get("sender") or not self._rooms.is_of(room, str(user)):
            return None
        own = read({**event, "type": "m.room.message", "content": {"msgtype": "m.text", "body": ""}})
        return inbound.at_the_door(own.event_id, own.sender, room, own.at, "joined") if own else None


def _edits(events: Sequence[Event]) -> dict[str, Seen]:
    """Give the last edit of each event."""
    found = [seen for event in events if (seen := read(event)) and seen.kind == "edit"]
    return {seen.about: seen for seen in found}


def _example(seen: Seen, answered: Trace | None) -> str:
    """Give the line that a reaction stands for, "" for none."""
    examples: Sequence[str] = answered.letter.examples if answered and answered.letter else ()
    return examples[seen.number - 1] if 0 < seen.number <= len(examples) else ""
