"""Read what one event of a room says: pure, and never surprised by what a client sends.

Nothing in it is proven but `sender` and `event_id`; display names mean nothing.
Source: the Matrix client-server API: rich replies, relations, mentions.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import unquote

from lxml import etree, html

from pbem.core.markup import as_text

__all__ = ["LETTER", "Letter", "Seen", "letter_of", "read"]

LETTER = "pbem.letter"
"""The key in our own messages under which stands which letter they are."""
MENTION = re.compile(r"(?:https://matrix\.to/#/@|matrix:u/)([^/?]+)")
USER = re.compile(r"@[^\s:]+:[A-Za-z0-9.\-\[\]]+(?::\d+)?")
SIZE = 65536
TRAPPED = {
    "m.emote": "an emote",
    "m.image": "a picture",
    "m.file": "a file",
    "m.audio": "a voice message",
    "m.video": "a film",
    "m.location": "a place",
}
ODD = {"m.sticker": "a sticker", "m.poll.start": "a poll", "org.matrix.msc3381.poll.start": "a poll"}
NUMBER = re.compile(r"([1-9])[\ufe0e\ufe0f]?\u20e3?")
Kind = Literal["words", "edit", "reaction", "redaction", "other", "locked"]


@dataclass(frozen=True, slots=True)
class Letter:
    """Say which letter a message of ours is: its id, the first of its game and seat ("" for none), its examples."""

    id: str
    thread: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """Hold what an event says: `about` is the event that it answers, edits, reacts to or takes away."""

    event_id: str
    sender: str
    at: datetime
    kind: Kind
    text: str | None = None
    about: str = ""
    number: int = 0
    what: str = ""


def read(event: Mapping[str, Any]) -> Seen | None:
    """Read an event; None if it says nothing to us: a notice, a state, what was taken away, nonsense."""
    event_id, sender, kind = event.get("event_id"), event.get("sender"), event.get("type")
    if not (isinstance(event_id, str) and isinstance(sender, str) and isinstance(kind, str)):
        return None
    at, content = _moment(event.get("origin_server_ts")), _mapping(event.get("content"))
    relation = _mapping(content.get("m.relates_to"))
    if kind == "m.room.redaction":
        about = _word(event.get("redacts")) or _word(content.get("redacts"))
        return Seen(event_id, sender, at, "redaction", about=about) if about else None
    if kind == "m.reaction":
        number = NUMBER.fullmatch(_word(relation.get("key")).strip())
        about = _word(relation.get("event_id"))
        return Seen(event_id, sender, at, "reaction", about=about, number=int(number[1])) if number and about else None
    if kind == "m.room.encrypted":
        return Seen(event_id, sender, at, "locked") if content else None
    if kind in ODD:
        return Seen(event_id, sender, at, "other", what=ODD[kind])
    return _message(event_id, sender, at, content, relation) if kind == "m.room.message" else None


def letter_of(event: Mapping[str, Any]) -> Letter | None:
    """Tell which letter a message of ours is; only asked of our own."""
    told = _mapping(_mapping(event.get("content")).get(LETTER))
    name, examples = _word(told.get("id")), told.get("examples")
    lines = [one for one in examples if isinstance(one, str)] if isinstance(examples, list) else []
    return Letter(name, _word(told.get("thread")), tuple(lines)) if name else None


def _message(
    event_id: str, sender: str, at: datetime, content: Mapping[str, Any], relation: Mapping[str, Any]
) -> Seen | None:
    sort, rel, about = _word(content.get("msgtype")), _word(relation.get("rel_type")), _word(relation.get("event_id"))
    if sort in ("", "m.notice"):
        return None
    if rel == "m.replace":
        new = _mapping(content.get("m.new_content"))
        if _word(new.get("msgtype")) != "m.text" or not about:
            return None
        return Seen(event_id, sender, at, "edit", _own_words(new, answers=False), about)
    if rel == "m.thread":
        return Seen(event_id, sender, at, "other", what="a message in a thread; write in the room itself")
    if sort != "m.text":
        return Seen(event_id, sender, at, "other", what=TRAPPED.get(sort, "something that is no text"))
    answered = _word(_mapping(relation.get("m.in_reply_to")).get("event_id"))
    return Seen(event_id, sender, at, "words", _own_words(content, answers=bool(answered)), answered)


def _own_words(content: Mapping[str, Any], *, answers: bool) -> str:
    """Give what was typed: without the quote of what it answers, and with user ids where people were picked."""
    rich = _word(content.get("formatted_body"))
    if content.get("format") == "org.matrix.custom.html" and MENTION.search(unquote(rich)):
        words = _with_mentions(rich)
        if words.strip():
            return words
    body = _word(content.get("body"))
    return _without_fallback(body) if answers else body


def _without_fallback(body: str) -> str:
    """Cut off the lines with `> ` that old clients put above an answer."""
    lines = body.split("\n")
    at = 0
    while at < len(lines) and (lines[at].startswith("> ") or lines[at] == ">"):
        at += 1
    return "\n".join(lines[at:]).lstrip("\n") if at else body


def _with_mentions(rich: str) -> str:
    """Give the text of a formatted body, with the user id in the place of each person's name."""
    try:
        page = html.fragment_fromstring(rich[:SIZE], create_parent="div")
    except (etree.LxmlError, ValueError, AssertionError):
        return ""
    for quoted in page.xpath("//mx-reply"):
        quoted.drop_tree()
    for link in page.xpath("//a[@href]"):
        found = MENTION.match(unquote(link.get("href", "")))
        user = f"@{found[1]}" if found else ""
        if USER.fullmatch(user):
            for child in list(link):
                link.remove(child)
            link.text = user
            link.attrib.clear()
    return as_text(etree.tostring(page, encoding="unicode", method="html"))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _word(value: object) -> str:
    return value[:SIZE] if isinstance(value, str) else ""


def _moment(value: object) -> datetime:
    """Read when the server got it; nothing came later than now."""
    now = datetime.now(UTC)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 43:
        return now
    return min(now, datetime.fromtimestamp(value / 1000, UTC))
