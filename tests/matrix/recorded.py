"""Play recorded events to the office: a homeserver of one process, which answers what the post asks of a real one."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from pbem.transports.matrix.session import Account, Refused, Session

FILES = Path(__file__).parents[1] / "cases" / "matrix"
EXPECTATIONS: dict[str, Any] = json.loads((FILES / "expectations.json").read_text())
MOVES = (
    ("guess Bobby T. lana", "play G1 GS2 S1 accuse Bobby T."),
    ("guess <a", "play G1 GS2 S1 accuse <a"),
    ("</a> lana", "</a>"),
    ("guess bob lana", "play G1 GS2 S1 accuse bob"),
    ("play VA G2", "play G1"),
    ("play SP 3", "play G1 GS2"),
)
"""The stand-ins of the cases, and moves of Blame; `hand` becomes `status` where it is the whole line."""


def case(name: str) -> dict[str, Any]:
    """Read a case, with moves of Blame."""
    raw = (FILES / name).read_text().replace('"hand"', '"status"').replace("\\n\\nhand", "\\n\\nstatus")
    raw = raw.replace("</mx-reply>hand", "</mx-reply>status")
    for old, new in MOVES:
        raw = raw.replace(old, new)
    found: dict[str, Any] = json.loads(raw)
    return found


@dataclass
class Room:
    """Hold a room as the server knows it."""

    members: dict[str, str]
    history: str
    encrypted: bool = False
    creator: str = ""
    more: list[dict[str, Any]] = field(default_factory=list)

    def state(self) -> list[dict[str, Any]]:
        """Give all state events."""
        one = {"state_key": "", "sender": self.creator}
        state = [
            {**one, "type": "m.room.create", "content": {}},
            {**one, "type": "m.room.join_rules", "content": {"join_rule": "invite"}},
            {**one, "type": "m.room.history_visibility", "content": {"history_visibility": self.history}},
            *({"type": "m.room.member", "state_key": user, "content": {"membership": membership}}
              for user, membership in self.members.items()),
        ]  # fmt: skip
        if self.encrypted:
            state.append({**one, "type": "m.room.encryption", "content": {"algorithm": "m.megolm.v1.aes-sha2"}})
        return [*state, *self.more]


class Homeserver:
    """Stand in for `Session`: no network, no clock of its own."""

    def __init__(self, folder: Path, bot: str, now: datetime) -> None:
        self.account = Account("http://127.0.0.1", bot)
        self.folder = folder
        self.encrypted = False
        self.user_id = bot
        self.now = now
        self.rooms: dict[str, Room] = {}
        self.stream: list[dict[str, Any]] = []
        self.invites: dict[str, Any] = {}
        self.refuses: dict[str, Exception] = {}
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def session(self) -> Session:
        """Give it as what the post expects."""
        return cast(Session, self)

    def deliver(self, event: dict[str, Any]) -> None:
        """Let an event happen."""
        room = self.rooms[event["room_id"]]
        if event["type"] == "m.room.member":
            room.members[event["state_key"]] = event["content"]["membership"]
        self.stream.append(event)

    def told(self, room: str) -> list[str]:
        """Give what the bot said in a room."""
        events = [event for event in self.stream if event["room_id"] == room and event["sender"] == self.user_id]
        return [event["content"]["body"] for event in events if "body" in event["content"]]

    async def enter(self) -> str:
        """Be logged in."""
        if "enter" in self.refuses:
            raise self.refuses["enter"]
        return self.user_id

    async def close(self) -> None:
        """Let go of nothing."""

    async def listed(self, method: str, *path: str, **more: Any) -> Any:
        """Answer what may be a list."""
        return await self.call(method, *path, **more)

    async def call(
        self, method: str, *path: str, body: Any = None, query: Mapping[str, str] = {}, wait: float = 0.0
    ) -> Any:  # fmt: skip
        """Answer a request."""
        await asyncio.sleep(0)
        match (method, *path):
            case ("GET", "sync"):
                return self._sync(int(query.get("since", "0")))
            case ("GET", "joined_rooms"):
                return {"joined_rooms": list(self.rooms)}
            case ("GET", "rooms", room, "state"):
                return self._known(room).state()
            case ("GET", "rooms", room, "messages"):
                return self._messages(room, int(query["from"]))
            case ("GET", "rooms", room, "event", name):
                return next((e for e in self.stream if e["event_id"] == name), None) or self._missing()
            case ("PUT", "rooms", room, "send", kind, txn):
                return self._said(room, kind, txn, body)
            case ("POST", "createRoom"):
                return self._made(body)
            case ("POST", "join", room):
                self._known(room).members[self.user_id] = "join"
                return {}
            case ("POST", "rooms", room, "invite"):
                self._known(room).members[body["user_id"]] = "invite"
                return {}
        raise AssertionError((method, *path))

    def _known(self, room: str) -> Room:
        return self.rooms[room] if room in self.rooms else self._missing()

    def _missing(self) -> Any:
        raise Refused("M_NOT_FOUND", "not found")

    def _sync(self, since: int) -> dict[str, Any]:
        joined: dict[str, Any] = {}
        for event in self.stream[since:]:
            told = joined.setdefault(event["room_id"], {"timeline": {"events": [], "prev_batch": str(since)}})
            told["timeline"]["events"].append(event)
        invites, self.invites = self.invites, {}
        return {"next_batch": str(len(self.stream)), "rooms": {"join": joined, "invite": invites}}

    def _messages(self, room: str, start: int) -> dict[str, Any]:
        return {"chunk": [event for event in self.stream[:start][::-1] if event["room_id"] == room]}

    def _said(self, room: str, kind: str, txn: str, body: Any) -> dict[str, Any]:
        assert self._known(room).members.get(self.user_id) == "join"
        if not any(event.get("txn") == txn for event in self.stream):
            self.stream.append(
                {"type": kind, "room_id": room, "event_id": f"$own{len(self.stream)}", "sender": self.user_id,
                 "origin_server_ts": int(self.now.timestamp() * 1000), "content": body, "txn": txn}
            )  # fmt: skip
        return {"event_id": "$own"}

    def _made(self, body: Any) -> dict[str, Any]:
        name = f"!made{len(self.rooms)}"
        members = {self.user_id: "join", **dict.fromkeys(body["invite"], "invite")}
        (history,) = [one["content"] for one in body["initial_state"] if one["type"] == "m.room.history_visibility"]
        more = [{"type": "m.room.create", "state_key": "", "sender": self.user_id, "content": body["creation_content"]}]
        self.rooms[name] = Room(members, history["history_visibility"], creator=self.user_id, more=more)
        return {"room_id": name}
