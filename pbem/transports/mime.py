"""Read a mail into an Inbound, whatever its bytes are; write a letter as a mail (see `letterhead`)."""

import hashlib
import re
from collections.abc import Iterable
from datetime import datetime

from pbem.core.message import Inbound
from pbem.transports.fields import MANY, addresses, decode, ids, one_line, plain, the_sender
from pbem.transports.letterhead import Letterhead, letter_id, write
from pbem.transports.parts import Part, cut_head, fields, open_mail

__all__ = ["Letterhead", "letter_id", "read", "write"]

TEXT = 16 * 1024
"""How many characters of plain text are considered."""
HTML = 256 * 1024
BODY = 256 * 1024
"""How many bytes a text part may have: a longer one is not read at all."""

MARKS = (
    "return-path",
    "auto-submitted",
    "precedence",
    "list-id",
    "list-unsubscribe",
    "x-autoreply",
    "x-autorespond",
    "x-auto-response-suppress",
    "x-loop",
    "x-pbem",
    "authentication-results",
    "content-type",
    "from",
    "message-id",
    "date",
)
RECIPIENTS = ("delivered-to", "x-original-to", "envelope-to", "to")
COPIES = ("message/rfc822", "message/global", "text/rfc822-headers", "message/rfc822-headers", "message/global-headers")
ACTION = re.compile(rb"^action:[ \t]*([a-z]{1,20})", re.IGNORECASE | re.MULTILINE)
QUOTED_ID = re.compile(r"^[> \t]{0,8}message-id:[ \t]{0,8}(<[^<>\s]{1,250}>)", re.IGNORECASE | re.MULTILINE)


def read(raw: bytes, transport: str, received_at: datetime) -> Inbound:
    """Read a mail, within limits; what could not be read, or not for certain, is said in `doubts`."""
    mail, doubts, beyond = open_mail(raw)
    remarks = list(doubts)
    leaves = list(mail.walk())
    text = None if beyond else _text(leaves, remarks)
    html = None if beyond else _html(leaves, remarks)
    sender = the_sender(mail.all("from"))
    recipients = _unique(found for name in RECIPIENTS for value in mail.all(name) for found in addresses(value))
    return Inbound(
        transport=transport,
        external_id=_external_id(mail, sender, recipients, raw),
        sender=sender,
        recipients=recipients,
        answers=_answers(mail),
        subject=plain(mail.first("subject")),
        text=text,
        html=html,
        received_at=received_at,
        raw=raw,
        marks={name: found for name in MARKS if (found := tuple(plain(one) for one in mail.all(name)[:20]))},
        doubts=_unique(remarks),
        attached=_attached(leaves),
        bounced=_bounced(mail, leaves, text),
        beyond=beyond,
    )


def _unique(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))[:MANY]


def _external_id(mail: Part, sender: str, recipients: tuple[str, ...], raw: bytes) -> str:
    """Name a mail: its Message-ID may be missing, or used again for another mail; its UID is no name at all."""
    named = next(iter(ids(mail.first("message-id"))), "")
    _, body = cut_head(raw.replace(b"\r\n", b"\n"))
    heads = (sender,) if named else (sender, *recipients)
    return f"{named}#{hashlib.sha256(chr(10).join(heads).encode() + b'|' + body).hexdigest()[:16]}"


def _answers(mail: Part) -> tuple[str, ...]:
    replied = [found for value in mail.all("in-reply-to") for found in ids(value)]
    older = [found for value in mail.all("references") for found in ids(value)]
    return _unique([*replied, *reversed(older)])


def _text(leaves: list[Part], remarks: list[str]) -> str | None:
    """Give the first plain text that holds anything; a mail attached to this one is not looked into."""
    for part in leaves:
        if part.kind == "text/plain" and not part.attached:
            text = _words(part, remarks)
            if part.options.get("format", "").lower() == "flowed":
                text = _unflowed(text, part.options.get("delsp", "").lower() == "yes")
            if len(text) > TEXT:
                remarks.append("only the first 16 kB of the text were read")
            if text.strip():
                return text[:TEXT]
    return None


def _html(leaves: list[Part], remarks: list[str]) -> str | None:
    for part in leaves:
        if part.kind == "text/html" and not part.attached and (words := _words(part, remarks)).strip():
            return words[:HTML]
    return None


def _words(part: Part, remarks: list[str]) -> str:
    if len(part.body) > BODY:
        remarks.append("a text of more than 256 kB was not read")
        return ""
    words, doubt = decode(part.decoded(), part.options.get("charset", ""))
    if doubt:
        remarks.append(doubt)
    words = words.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    return words.encode("utf-8", "replace").decode("utf-8")


def _unflowed(text: str, delsp: bool) -> str:
    """Join the lines that a blank at their end says go on (RFC 3676); fixed lines stay apart."""
    rows: list[tuple[int, list[str]]] = []
    open_depth = -1
    for line in text.split("\n"):
        content = line.lstrip(">")
        depth = len(line) - len(content)
        content = content.removeprefix(" ")
        flows = content.endswith(" ") and content != "-- "
        if depth == open_depth and content != "-- ":
            rows[-1][1].append(content[: -1 if flows and delsp else None])
        else:
            rows.append((depth, [content[: -1 if flows and delsp else None]]))
        open_depth = depth if flows else -1
    return "\n".join(">" * depth + " " * bool(depth) + "".join(pieces) for depth, pieces in rows)


def _attached(leaves: list[Part]) -> tuple[str, ...]:
    """Name the parts that are not read, for telling a player so."""
    others = [part for part in leaves if part.attached or part.kind not in ("text/plain", "text/html")]
    return tuple(f"{part.filename or 'unnamed'} ({one_line(part.kind)[:60]})" for part in others[:20])


def _bounced(mail: Part, leaves: list[Part], text: str | None) -> tuple[str, ...]:
    """Find the ids of the letters that a delivery report, or an old mailer's plain notice, gives back."""
    if mail.kind == "multipart/report" and any(part.kind == "message/delivery-status" for part in leaves):
        reports = [part.decoded()[:BODY] for part in leaves if part.kind == "message/delivery-status"]
        actions = {found.lower() for report in reports for found in ACTION.findall(report)}
        if actions and b"failed" not in actions:
            return ()
        copies = [fields(cut_head(part.decoded())[0]) for part in leaves if part.kind in COPIES]
        return _unique(found for copy in copies for name, value in copy if name == "message-id" for found in ids(value))
    if text and any(value.strip() == "<>" for value in mail.all("return-path")):
        return _unique(found for value in QUOTED_ID.findall(text) for found in ids(value))
    return ()
