"""Make a message to the office of what was read of an event, and keep it so that it can be read again."""

import json
import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from pbem.core.message import Inbound
from pbem.transports.matrix.events import Seen
from pbem.transports.matrix.memory import Trace

__all__ = ["NAME", "again", "at_the_door", "message"]

NAME = "matrix"
LOCKED = "an encrypted message that cannot be read here; write in the room that the office made for you"
NOT_YET = "an encrypted message that cannot be read yet; it counts as it came once its key is here, or send it again"
GAME = re.compile(r"\s*([A-Za-z][A-Za-z0-9]*-\d{1,9})[:,]?(?:\s+|$)")
"""A game's name in front of what is typed says which game is meant."""


def message(
    seen: Seen, trace: Trace, room: str, *, example: str = "", exposed: str = "", waits: bool = False
) -> Inbound:
    """Make a message of an event; `example` is what a reaction stands for, `exposed` why its room is not private.

    `waits`: its key may still come, so it only says that it cannot be read yet, under an id of its own.
    """
    text, subject = _named(example or seen.text) if seen.kind in ("words", "edit", "reaction") else (None, "")
    marks = {
        "room": room,
        "exposed": exposed,
        "typed": "" if seen.about or trace.twice else "yes",
        "twice": trace.twice,
        "edit": seen.about if seen.kind == "edit" else "",
        "redacts": seen.about if seen.kind == "redaction" else "",
    }
    attached = (NOT_YET if waits else LOCKED,) if seen.kind == "locked" else (seen.what,) if seen.what else ()
    name = f"{seen.event_id} not yet" if waits else seen.event_id
    return _kept(name, seen.sender, seen.at, room, trace.answers, subject, text, attached, marks)


def at_the_door(event_id: str, sender: str, room: str, at: datetime, mark: str) -> Inbound:
    """Tell that somebody `joined` the room made for them, or sent an `invite`."""
    return _kept(event_id, sender, at, room, (), "", None, (), {"room": room, mark: "yes"})


def again(raw: bytes, received_at: datetime) -> Inbound:
    """Read a message again that was kept; of one that was emptied since nothing is left."""
    empty: dict[str, Any] = {
        "id": "",
        "sender": "",
        "room": "",
        "answers": [],
        "subject": "",
        "text": None,
        "attached": [],
        "marks": {},
    }
    told = empty | json.loads(raw or b"{}")
    return _kept(
        told["id"], told["sender"], received_at, told["room"], tuple(told["answers"]), told["subject"], told["text"],
        tuple(told["attached"]), told["marks"],
    )  # fmt: skip


def _kept(
    event_id: str, sender: str, at: datetime, room: str, answers: Iterable[str], subject: str, text: str | None,
    attached: Iterable[str], marks: dict[str, str],
) -> Inbound:  # fmt: skip
    told: dict[str, Any] = {
        "id": event_id, "sender": sender, "room": room, "answers": list(answers), "subject": subject, "text": text,
        "attached": list(attached), "marks": {name: value for name, value in marks.items() if value},
    }  # fmt: skip
    return Inbound(
        transport=NAME, external_id=event_id, sender=sender, recipients=(room,), answers=tuple(answers),
        subject=subject, text=text, html=None, received_at=at, raw=json.dumps(told, ensure_ascii=False).encode(),
        marks={name: (value,) for name, value in told["marks"].items()}, attached=tuple(attached),
    )  # fmt: skip


def _named(text: str | None) -> tuple[str | None, str]:
    """Take a game's name off the front of what was typed."""
    found = GAME.match(text or "")
    if text is None or found is None:
        return text, ""
    return text[found.end() :], found[1].lower()
