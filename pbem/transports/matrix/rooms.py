"""Have one private room for each player, and know from the server itself that it is still private.

Secret: letters go only where nobody but the bot and the player is, was, or is invited.
"""

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import structlog

from pbem.errors import Elsewhere
from pbem.transports.matrix.session import Refused, Session, keep

__all__ = ["Rooms", "exposure"]

log = structlog.get_logger()
ROOMS = "rooms.json"
OWNER = "pbem.player"
"""The key in what makes a room of ours under which stands whose it is."""
HISTORY = ("joined", "invited")
GONE = ("M_FORBIDDEN", "M_NOT_FOUND", "M_UNKNOWN")
MEGOLM = "m.megolm.v1.aes-sha2"
Event = dict[str, Any]


def exposure(state: Sequence[Event], own: str, user: str, *, reads_secrets: bool) -> str:
    """Tell from a room's whole state why it is not private to one user and us, "" if it is.

    What is not known is taken for the worst.
    """
    members = {str(one.get("state_key")): _content(one) for one in state if one.get("type") == "m.room.member"}
    if members.get(own, {}).get("membership") != "join":
        return "the bot is not in it"
    for other, content in members.items():
        # Who was there before is as good as who is there: we cannot know what they may still read.
        if other not in (own, user) and content.get("membership") != "ban":
            return f"{other[:80]} is, was or may come in"
    if any(_content(one) for one in state if one.get("type") == "m.room.third_party_invite"):
        return "somebody is invited to it by mail"
    if _value(state, "m.room.join_rules", "join_rule") != "invite":
        return "others may join it without an invitation"
    if _value(state, "m.room.history_visibility", "history_visibility") not in HISTORY:
        return "who comes later may read what was said before"
    if _value(state, "m.room.encryption", "algorithm") and not reads_secrets:
        return "it is encrypted, which the office cannot read"
    return ""


class Rooms:
    """Find, make and follow the private rooms."""

    def __init__(self, session: Session, name: str) -> None:
        self._session = session
        self._name = name
        self._path = session.folder / ROOMS
        self._encrypted: dict[str, bool] = {}

    def known(self) -> dict[str, str]:
        """Give the room of each user, as noted."""
        with suppress(OSError, ValueError):
            told = json.loads(self._path.read_text(encoding="utf-8"))
            return {str(user): str(room) for user, room in told.get("rooms", {}).items()}
        return {}

    def invites(self) -> dict[str, str]:
        """Give the room that each user invited us to, and that we did not answer yet."""
        with suppress(OSError, ValueError):
            told = json.loads(self._path.read_text(encoding="utf-8"))
            return {str(user): str(room) for user, room in told.get("invites", {}).items()}
        return {}

    def note(self, user: str, room: str) -> None:
        """Note which room is a user's."""
        self._write(self.known() | {user: room}, self.invites())

    def note_invite(self, user: str, room: str) -> None:
        """Note who invited us where."""
        self._write(self.known(), self.invites() | {user: room})

    def is_of(self, room: str, user: str) -> bool:
        """Tell whether a room is noted as this user's."""
        return self.known().get(user) == room

    async def why_exposed(self, room: str, user: str) -> str:
        """Tell why a room is not private to a user and us, "" if it is."""
        return self._exposure(await self._state(room), user)

    async def open(self, user: str) -> str:
        """Give the room where a letter for one user may go now.

        Raises: Elsewhere, if there is none (one is made, or waits for the user), TemporaryFailure, PermanentFailure.
        """
        room = await self._found(user)
        state = await self._state(room) if room else []
        if room and (followed := await self._followed(room, state)) != room:
            self.note(user, followed)
            room, state = followed, await self._state(followed)
        moved = bool(_value(state, "m.room.tombstone", "replacement_room"))
        if not room or moved or self._membership(state, user) == "ban":
            await self._make(user)
            raise Elsewhere(f"{user} is invited to a room, and has not joined it yet")
        if why := self._exposure(state, user):
            await self._replace(user, room, why)
            raise Elsewhere(
                f"the room of {user} is not private",
                alarm=f"The private room of {user} is private no more ({why}); nothing secret goes there, a new one "
                "was made.",
            )
        if self._membership(state, user) != "join":
            await self._invite(user, room, state)
            raise Elsewhere(f"{user} is invited to a room, and has not joined it yet")
        return room

    async def is_encrypted(self, room: str) -> bool:
        """Tell whether a room is encrypted, as it was when it was last looked at; that is never undone."""
        if room not in self._encrypted:
            await self._state(room)
        return self._encrypted.get(room, False)

    async def follow(self, room: str, state: Sequence[Event]) -> None:
        """Go where a room was moved to, so that what is written there is read; whether it is private is asked then."""
        await self._followed(room, state)

    async def enter_invited(self, user: str) -> None:
        """Accept the invitation of somebody whom the office writes to; a room that is private becomes theirs."""
        room = self.invites().get(user)
        if room is None:
            return
        self._write(self.known(), {name: place for name, place in self.invites().items() if name != user})
        try:
            await self._session.call("POST", "join", room)
        except Refused:
            return
        why = self._exposure(await self._state(room), user)
        if not why:
            self.note(user, room)
        else:
            await self.tell(room, f"Nothing secret can be told here: {why}. Your letters come in a room of your own.")

    async def tell(self, room: str, words: str) -> None:
        """Say something in a room that is no secret."""
        txn = "told-" + hashlib.sha256(f"{room} {words}".encode()).hexdigest()[:24]
        with suppress(Refused):
            body = {"msgtype": "m.notice", "body": words}
            await self._session.call("PUT", "rooms", room, "send", "m.room.message", txn, body=body)

    async def _found(self, user: str) -> str:
        """Find a user's room: as noted, else among those that we made; the notes may be lost."""
        await self.enter_invited(user)
        if room := self.known().get(user):
            return room
        joined = await self._session.call("GET", "joined_rooms")
        for room in joined.get("joined_rooms", ()):
            state = await self._state(str(room))
            made: Event = next((one for one in state if one.get("type") == "m.room.create"), {})
            is_theirs = made.get("sender") == self._session.user_id and _content(made).get(OWNER) == user
            if is_theirs and not self._exposure(state, user):
                self.note(user, str(room))
                return str(room)
        return ""

    async def _state(self, room: str) -> list[Event]:
        """Ask for a room's whole state: [] for one that we may not know."""
        try:
            found = await self._session.listed("GET", "rooms", room, "state")
        except Refused as refused:
            if refused.code not in GONE:
                raise
            return []
        state = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
        self._encrypted[room] = bool(_value(state, "m.room.encryption", "algorithm"))
        return state

    async def _followed(self, room: str, state: Sequence[Event]) -> str:
        """Give the room that a room was moved to, and enter it; itself if it was not moved, or we cannot follow."""
        for _ in range(5):
            following = _value(state, "m.room.tombstone", "replacement_room")
            if not following:
                break
            try:
                await self._session.call("POST", "join", following)
            except Refused:
                break
            room, state = following, await self._state(following)
        return room

    async def _make(self, user: str) -> str:
        state: list[Event] = [
            {"type": "m.room.history_visibility", "state_key": "", "content": {"history_visibility": "joined"}},
            {"type": "m.room.guest_access", "state_key": "", "content": {"guest_access": "forbidden"}},
        ]
        if self._session.encrypted:
            state.append({"type": "m.room.encryption", "state_key": "", "content": {"algorithm": MEGOLM}})
        # Nobody but the bot may invite, or change who may read: in rooms of every version we stand above this.
        powers = {"users_default": 0, "events_default": 0, "state_default": 100, "invite": 100, "kick": 100}
        made = await self._session.call(
            "POST", "createRoom",
            body={
                "preset": "private_chat", "is_direct": True, "invite": [user], "name": self._name,
                "topic": "Letters for you alone. Whoever else comes in ends that.", "initial_state": state,
                "creation_content": {OWNER: user},
                "power_level_content_override": powers | {"events": {"m.room.encryption": 100}},
            },
        )  # fmt: skip
        room = str(made["room_id"])
        self.note(user, room)
        log.info("a private room was made", user=user, room=room)
        return room

    async def _replace(self, user: str, room: str, why: str) -> None:
        """Make another room, and say in the old one why."""
        await self._make(user)
        words = f"This room is not private any more: {why}. Your letters go to a new room, to which you are invited."
        await self.tell(room, words)

    async def _invite(self, user: str, room: str, state: Sequence[Event]) -> None:
        if self._membership(state, user) != "invite":
            try:
                await self._session.call("POST", "rooms", room, "invite", body={"user_id": user})
            except Refused:  # who moved the room may have left us without the power to invite
                await self._make(user)

    def _exposure(self, state: Sequence[Event], user: str) -> str:
        return exposure(state, self._session.user_id, user, reads_secrets=self._session.encrypted)

    def _membership(self, state: Sequence[Event], user: str) -> str:
        found = [one for one in state if one.get("type") == "m.room.member" and one.get("state_key") == user]
        return str(_content(found[0]).get("membership", "")) if found else ""

    def _write(self, rooms: dict[str, str], invites: dict[str, str]) -> None:
        keep(self._path, {"rooms": rooms, "invites": invites})


def _content(event: Event) -> dict[str, Any]:
    content = event.get("content")
    return content if isinstance(content, dict) else {}


def _value(state: Sequence[Event], kind: str, name: str) -> str:
    found = [one for one in state if one.get("type") == kind and one.get("state_key") == ""]
    value = _content(found[0]).get(name) if found else None
    return value if isinstance(value, str) else ""
