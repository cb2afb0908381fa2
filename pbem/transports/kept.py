"""Look again at a message that was kept as it came."""

import json
from dataclasses import dataclass
from datetime import datetime

from pbem.core.message import Inbound
from pbem.transports import mime
from pbem.transports.fields import plain
from pbem.transports.matrix import inbound
from pbem.transports.parts import HEAD, cut_head, fields

__all__ = ["Header", "Kept", "look"]


@dataclass(frozen=True, slots=True)
class Header:
    """Hold one header: its name in lower case, its value in one line as it came, and what that says once decoded."""

    name: str
    value: str
    plain: str


@dataclass(frozen=True, slots=True)
class Kept:
    """Hold what a kept message was: as the office reads it, and its headers."""

    message: Inbound
    headers: tuple[Header, ...]


def look(transport: str, raw: bytes, received_at: datetime) -> Kept:
    """Read a message as it was read when it came; of one that was emptied since nothing is left."""
    if transport == inbound.NAME:
        return Kept(inbound.again(raw, received_at), _event(raw))
    return Kept(mime.read(raw, transport, received_at), _mail(raw))


def _mail(raw: bytes) -> tuple[Header, ...]:
    head, _ = cut_head(raw[: 2 * HEAD].replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    return tuple(Header(name, " ".join(value.split()), plain(value)) for name, value in fields(head[:HEAD]))


def _event(raw: bytes) -> tuple[Header, ...]:
    """Give what stands around the words of an event."""
    told = json.loads(raw or b"{}")
    around = {name: told[name] for name in ("id", "sender", "room", "answers") if told.get(name)}
    values = ((name, value if isinstance(value, str) else " ".join(value)) for name, value in around.items())
    marks = told.get("marks", {}).items()
    return tuple(Header(name, value, value) for name, value in (*values, *marks))
