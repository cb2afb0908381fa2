"""Give the values that pass between the house and its transports."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Address:
    """Name a place that one transport can deliver to, as registered: ("mail", "alice@example.org")."""

    transport: str
    place: str

    @property
    def key(self) -> str:
        """Give the form in which two addresses are compared."""
        return self.place.strip().casefold()


@dataclass(frozen=True, slots=True)
class Inbound:
    """Hold one message as a transport brought it; nothing in it is proven.

    `recipients` has the envelope's too, `answers` are the ids of the letters it replies to (In-Reply-To first, then
    References, newest first), `marks` the headers that intake asks for, by lower-case name, topmost first.
    `text` is the plain words (None: there were none), `html` the HTML part; `doubts` are remarks on how it was read.
    `received_at` is when our server got it (aware UTC). `beyond`: it exceeds the limits, so its words were not read.
    """

    transport: str
    external_id: str
    sender: str
    recipients: tuple[str, ...]
    answers: tuple[str, ...]
    subject: str
    text: str | None
    html: str | None
    received_at: datetime
    raw: bytes
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    attached: tuple[str, ...] = ()
    bounced: tuple[str, ...] = ()
    beyond: bool = False

    def mark(self, name: str) -> str:
        """Give the first value of a mark, "" for none."""
        return next(iter(self.marks.get(name, ())), "")


@dataclass(frozen=True, slots=True)
class Outbound:
    """Hold one letter to one recipient, ready for a transport.

    `key` is unique for ever and names the letter in every post; `token` is the signed word of a seat ("" for a letter
    outside games); `thread` is the key of the first letter of its game and seat ("" if this is that one, or none).
    `rings`: it asks or reminds; `examples` are lines that would answer it, which some posts let pick by number.
    `file` is what it brings for keeping, under a name ("": nothing).
    Secret: for the one player it is addressed to.
    """

    key: str
    to: Address
    token: str
    thread: str
    subject: str
    text: str
    html: str
    created_at: datetime
    rings: bool = False
    examples: tuple[str, ...] = ()
    file_name: str = ""
    file: str = ""
