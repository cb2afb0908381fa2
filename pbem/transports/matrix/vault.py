"""Encrypt and decrypt what goes through private rooms; the library keeps device and room keys in its own store.

Devices are trusted when they are first seen, and the player is told of each new one.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp
import structlog
from nio import EncryptionError, ErrorResponse, Event, LocalProtocolError, MatrixRoom, MegolmEvent, SyncResponse

from pbem.errors import TemporaryFailure
from pbem.transports.matrix.session import Session, keep
from pbem.transports.matrix.signing import cross_sign

__all__ = ["Locked", "Vault"]

log = structlog.get_logger()
DEVICES, LOCKED = "devices.json", "locked.json"
KEPT = timedelta(days=7)
"""How long a message that cannot be decrypted is kept for its key to come."""
WAITED = timedelta(hours=1)
"""How long the clock waits for that."""
Found = dict[str, Any]


class Vault:
    """Hold the keys of one device."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._client: object = None

    async def open(self) -> None:
        """Publish our keys, and sign our device, once a login.

        Raises: TemporaryFailure, PermanentFailure.
        """
        if self._client is not self._session.client:
            await self._upload()
            await cross_sign(self._session)
            self._client = self._session.client

    async def take(self, answer: Mapping[str, Any]) -> None:
        """Take the keys that a sync brought, and note whose devices changed."""
        client = self._session.client
        counts = answer.get("device_one_time_keys_count") or {}
        lists = answer.get("device_lists") or {}
        told = SyncResponse.from_dict({
            "next_batch": answer["next_batch"], "rooms": {}, "to_device": answer.get("to_device") or {"events": []},
            "device_one_time_keys_count": counts, "device_lists": {"changed": [], "left": [], **lists},
        })  # fmt: skip
        if not isinstance(told, SyncResponse):
            raise TemporaryFailure("the keys of a sync cannot be read")
        await client.receive_response(told)
        client.olm.add_changed_users(set(lists.get("changed", ())))
        # The library passes a count of nought over, and would never make keys again.
        client.olm.uploaded_key_count = int(counts.get("signed_curve25519") or 0)
        await self._upload()

    def opened(self, room: str, event: Found) -> Found:
        """Decrypt an event, if it is encrypted and its key is here; else give it as it is."""
        if event.get("type") != "m.room.encrypted":
            return event
        found = Event.parse_encrypted_event({**event, "room_id": room})
        if not isinstance(found, MegolmEvent):
            return event
        try:
            plain = self._session.client.decrypt_event(found)
        except (EncryptionError, LocalProtocolError):
            return event
        source = getattr(plain, "source", None)
        if not isinstance(source, dict):
            return event
        same = {name: event[name] for name in ("event_id", "sender", "origin_server_ts", "unsigned") if name in event}
        return {**source, **same}

    async def closed(self, room: str, user: str, kind: str, content: Found) -> tuple[str, Found]:
        """Encrypt an event for all devices of a user.

        Secret: for that user's devices alone.
        Raises: TemporaryFailure.
        """
        client = self._session.client
        if room not in client.rooms:
            made = MatrixRoom(room, self._session.user_id, encrypted=True)
            for member in (self._session.user_id, user):
                made.add_member(member, None, None)
            made.members_synced = True
            client.rooms[room] = made
            client.olm.update_tracked_users(made)
        try:
            if client.should_query_keys:
                _checked(await client.keys_query())
            if client.olm.should_share_group_session(room):
                _checked(await client.share_group_session(room, ignore_unverified_devices=True))
            sealed: tuple[str, Found] = client.encrypt(room, kind, content)
        except (aiohttp.ClientError, TimeoutError, OSError, LocalProtocolError, EncryptionError) as error:
            raise TemporaryFailure(f"a letter could not be encrypted: {type(error).__name__}") from error
        return sealed

    def newcomers(self, user: str) -> list[str]:
        """Give the devices of a user that were not there before, and note them; the first ones are no news."""
        path = self._session.folder / DEVICES
        known: dict[str, list[str]] = {}
        with suppress(OSError, ValueError):
            known = json.loads(path.read_text(encoding="utf-8"))
        devices = {
            device.id: device.display_name for device in self._session.client.device_store.active_user_devices(user)
        }
        new = [f"{name or 'no name'} ({key})" for key, name in devices.items() if key not in known.get(user, ())]
        if new:
            keep(path, known | {user: sorted({*known.get(user, ()), *devices})})
        return new if user in known else []

    async def _upload(self) -> None:
        client = self._session.client
        try:
            if client.should_upload_keys:
                _checked(await client.keys_upload())
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise TemporaryFailure("the homeserver does not take our keys now") from error


class Locked:
    """Keep the messages that could not be decrypted, until their keys come."""

    def __init__(self, session: Session) -> None:
        self._path = session.folder / LOCKED

    def kept(self) -> list[tuple[str, Found]]:
        """Give them, each with its room; those that are too old are forgotten."""
        with suppress(OSError, ValueError):
            told = json.loads(self._path.read_text(encoding="utf-8"))
            return [(str(one["room"]), one["event"]) for one in told if _age(one["event"]) < KEPT]
        return []

    def add(self, room: str, event: Found) -> None:
        """Keep one more, once."""
        others = [(place, one) for place, one in self.kept() if one.get("event_id") != event.get("event_id")]
        self._write([*others, (room, event)])

    def drop(self, event_id: str) -> None:
        """Forget one, since it is dealt with."""
        if any(event.get("event_id") == event_id for _, event in self.kept()):
            self._write([(room, event) for room, event in self.kept() if event.get("event_id") != event_id])

    def holds_clock(self) -> bool:
        """Tell whether a deadline must not be judged yet, since an order may lie there."""
        return any(_age(event) < WAITED for _, event in self.kept())

    def _write(self, kept: list[tuple[str, Found]]) -> None:
        keep(self._path, [{"room": room, "event": event} for room, event in kept])


def _age(event: Found) -> timedelta:
    stamp = event.get("origin_server_ts")
    at = datetime.fromtimestamp(stamp / 1000, UTC) if isinstance(stamp, int) else datetime.now(UTC)
    return datetime.now(UTC) - at


def _checked(response: object) -> None:
    """Make sure that the library's request worked.

    Raises: TemporaryFailure.
    """
    if isinstance(response, ErrorResponse):
        raise TemporaryFailure(f"the homeserver refused keys: {str(response.message)[:100]}")
