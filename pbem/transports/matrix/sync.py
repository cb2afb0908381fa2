"""Ask the homeserver what is new: nothing is left out, and how far we have read is ours to keep.

The token stands in `sync.json`, and is written once all that it brought is dealt with.
"""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pbem.errors import TemporaryFailure
from pbem.transports.matrix.session import Refused, Session, keep

__all__ = ["Batch", "Change", "Sync"]

READ = "sync.json"
PAGE = "100"
PAGES = 100
"""How many pages back a gap is filled at most."""
FIRST_PAGES = 10
"""The same where we have never read before."""
NOTHING: dict[str, list[str]] = {"types": []}
FILTER = json.dumps({
    "presence": NOTHING, "account_data": NOTHING,
    "room": {"ephemeral": NOTHING, "account_data": NOTHING, "timeline": {"limit": 100}},
})  # fmt: skip
Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """Hold what came in one room, the oldest first; `before` is where one may page back from it."""

    room: str
    events: tuple[Event, ...]
    before: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Hold all that came; `invites` are rooms, with who invites and the event's id; `raw` is the answer itself."""

    token: str
    changes: tuple[Change, ...]
    invites: dict[str, tuple[str, str]]
    raw: dict[str, Any]


class Sync:
    """Read what came since the token that is kept."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._path = session.folder / READ

    @property
    def token(self) -> str:
        """Give how far all is dealt with, "" for nowhere yet; a token of another account says nothing."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            told = json.loads(self._path.read_text(encoding="utf-8"))
            if told["user"] == self._session.account.user:
                return str(told["since"])
        return ""

    def keep(self, token: str) -> None:
        """Keep how far all is dealt with.

        Raises: TemporaryFailure.
        """
        keep(self._path, {"user": self._session.account.user, "since": token})

    async def read(self) -> Batch:
        """Ask for what came, and fill the gaps.

        Raises: TemporaryFailure, PermanentFailure.
        """
        since = self.token
        answer = await self.ask(since)
        rooms = _mapping(answer.get("rooms"))
        changes = [
            await self._change(room, _mapping(told), since) for room, told in _mapping(rooms.get("join")).items()
        ]
        invites = {room: _inviter(told, self._session.user_id) for room, told in _mapping(rooms.get("invite")).items()}
        return Batch(str(answer["next_batch"]), tuple(changes), invites, answer)

    async def ask(self, since: str, wait: float = 0.0) -> dict[str, Any]:
        """Ask once, and let the server wait for so many seconds until something comes."""
        query = {"timeout": str(int(wait * 1000)), "filter": FILTER, "set_presence": "offline"}
        query |= {"since": since} if since else {}
        answer = await self._session.call("GET", "sync", query=query, wait=wait)
        if not isinstance(answer.get("next_batch"), str):
            raise TemporaryFailure("the homeserver's answer to a sync cannot be read")
        return answer

    async def back(self, room: str, start: str, end: str = "", pages: int = PAGES) -> AsyncIterator[tuple[Event, str]]:
        """Give the events before a place, the newest first, each with a place to go on from."""
        while start and pages:
            query = {"dir": "b", "limit": PAGE, "from": start, **({"to": end} if end else {})}
            answer = await self._session.call("GET", "rooms", room, "messages", query=query)
            found = [event for event in answer.get("chunk", ()) if isinstance(event, dict)]
            following = answer.get("end")
            start, pages = str(following) if following and found else "", pages - 1
            for event in found:
                yield event, start

    async def _change(self, room: str, told: Mapping[str, Any], since: str) -> Change:
        timeline = _mapping(told.get("timeline"))
        events = [event for event in timeline.get("events", ()) if isinstance(event, dict)]
        before = str(timeline.get("prev_batch") or "")
        if timeline.get("limited"):
            known = {event.get("event_id") for event in events}
            with suppress(Refused):
                async for event, place in self.back(room, before, since, PAGES if since else FIRST_PAGES):
                    if event.get("event_id") not in known:
                        events.insert(0, event)
                    before = place
        return Change(room, tuple(events), before)


def _inviter(told: object, own: str) -> tuple[str, str]:
    state = _mapping(_mapping(told).get("invite_state")).get("events", ())
    for event in state if isinstance(state, list) else ():
        if _mapping(event).get("type") == "m.room.member" and event.get("state_key") == own:
            return str(event.get("sender", "")), str(event.get("event_id", ""))
    return "", ""


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
