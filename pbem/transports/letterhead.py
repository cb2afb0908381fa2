"""Write a letter as a mail: strict, and the same bytes for the same letter, however often it goes out.

Source: RFC 5322 (headers), RFC 2047 (encoded words), RFC 2045 (quoted-printable), RFC 3834 (automatic mail).
"""

import base64
import hashlib
import re
import unicodedata
from dataclasses import dataclass
from email.utils import format_datetime

from pbem.core.message import Outbound

ADDRESS = re.compile(r"[^\s<>()\[\]\",;:\\@]+@[^\s<>()\[\]\",;:\\@]+")
NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
UNSAFE = re.compile(rb"[^\t\x20-\x3c\x3e-\x7e]")

# RFC 3834 asks automatic mail to say `auto-generated`, and then nothing may answer it. Exchange looks at its own header
# alone (all of it but NDR: a letter that did not arrive must come back), old vacation programs at Precedence, new
# ones at any List-Id.
QUIET = (
    "Auto-Submitted: auto-generated",
    "X-Auto-Response-Suppress: DR, RN, NRN, OOF, AutoReply",
    "Precedence: list",
    "X-Pbem: letter",
)


@dataclass(frozen=True, slots=True)
class Letterhead:
    """Say who writes: the name shown, the house's address, and whether it takes `local+token@domain` too."""

    name: str
    address: str
    plus: bool

    @property
    def domain(self) -> str:
        """Give what stands after the @."""
        return self.address.rpartition("@")[2]

    def reply_to(self, token: str) -> str:
        """Give the address to which a letter with this token is answered."""
        local, _, domain = self.address.rpartition("@")
        return f"{local}+{token}@{domain}" if self.plus and token else self.address


def letter_id(letter: Outbound) -> str:
    """Give the left part of a letter's Message-ID."""
    return f"{letter.token}.{letter.key}" if letter.token else letter.key


def write(letter: Outbound, head: Letterhead) -> bytes:
    """Write a letter as a mail, with CRLF line ends.

    Raises: ValueError, if a header would hold a control character, or an id or address is none.
    """
    boundary = "=_" + hashlib.sha256(letter.key.encode()).hexdigest()[:24]
    body = _part("plain", letter.text)
    if letter.html:
        body = _several("alternative", boundary, body, _part("html", letter.html))
    if letter.file:
        body = _several("mixed", f"{boundary}f", body, _file(letter.file_name, letter.file))
    lines = [*_headers(letter, head), *body]
    return "\r\n".join(lines).encode()


def _headers(letter: Outbound, head: Letterhead) -> list[str]:
    own = f"<{_name(letter_id(letter))}@{head.domain}>"
    thread = f"<{_name(letter.thread)}@{head.domain}>" if letter.thread else ""
    return [
        f"From: {_phrase(head.name)} <{_address(head.address)}>",
        f"To: {_address(letter.to.place)}",
        f"Reply-To: {_address(head.reply_to(letter.token))}",
        f"Subject: {_unstructured(letter.subject)}",
        f"Date: {format_datetime(letter.created_at)}",
        f"Message-ID: {own}",
        *([f"In-Reply-To: {thread}", f"References: {thread}"] if thread else []),
        f"List-Id: <pbem.{head.domain}>",
        *QUIET,
        "MIME-Version: 1.0",
    ]


def _name(text: str) -> str:
    if not NAME.fullmatch(text) or len(text) > 200:
        raise ValueError(f"{text[:200]!r} cannot stand in a Message-ID")
    return text


def _address(text: str) -> str:
    if not ADDRESS.fullmatch(text) or len(text) > 320 or _controls(text):
        raise ValueError(f"{text[:320]!r} is no mail address")
    return text


def _controls(text: str) -> bool:
    return any(unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") for sign in text)


def _phrase(name: str) -> str:
    """Write a display name: quoted, or as encoded words where it is long or not ASCII."""
    if _controls(name):
        raise ValueError("a name in a header holds a control character")
    if not name.isascii() or len(name) > 60 or "=?" in name:
        return _encoded(name)
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unstructured(text: str) -> str:
    """Write a subject: as it stands, folded between words, or as encoded words where that would not keep it."""
    if _controls(text):
        raise ValueError("a header holds a control character")
    words = text.split(" ")
    if not text.isascii() or "=?" in text or not all(0 < len(word) <= 60 for word in words):
        return _encoded(text) if text else ""
    rows = [words[0]]
    for word in words[1:]:
        room = 76 - (9 if len(rows) == 1 else 1)
        if len(rows[-1]) + len(word) + 1 > room:
            rows.append(word)
        else:
            rows[-1] += " " + word
    return "\r\n ".join(rows)


def _encoded(text: str) -> str:
    """Write encoded words of at most 75 characters, each of whole letters."""
    chunks = [""]
    for sign in text:
        if len((chunks[-1] + sign).encode()) > 39:
            chunks.append("")
        chunks[-1] += sign
    return "\r\n ".join(f"=?utf-8?b?{base64.b64encode(chunk.encode()).decode()}?=" for chunk in chunks)


def _part(kind: str, words: str) -> list[str]:
    charset = f"Content-Type: text/{kind}; charset=utf-8"
    return [charset, "Content-Transfer-Encoding: quoted-printable", "", *_quoted_printable(words)]


def _several(kind: str, boundary: str, *parts: list[str]) -> list[str]:
    lines = [f'Content-Type: multipart/{kind}; boundary="{boundary}"', ""]
    for part in parts:
        lines += [f"--{boundary}", *part]
    return [*lines, f"--{boundary}--", ""]


def _file(name: str, text: str) -> list[str]:
    """Write a file to be saved: base64, so that no program on the way changes its line ends."""
    encoded = base64.b64encode(text.encode()).decode()
    return [
        f'Content-Type: application/json; name="{_name(name)}"',
        f'Content-Disposition: attachment; filename="{_name(name)}"',
        "Content-Transfer-Encoding: base64",
        "",
        *(encoded[at : at + 76] for at in range(0, len(encoded), 76)),
    ]


def _quoted_printable(words: str) -> list[str]:
    """Write lines of at most 76 characters; none begins with a dot or with `From `, none ends with a blank."""
    rows: list[str] = []
    for line in words.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        rest = UNSAFE.sub(lambda sign: b"=%02X" % ord(sign[0]), line.encode()).decode()
        if rest.endswith((" ", "\t")):
            rest = f"{rest[:-1]}={ord(rest[-1]):02X}"
        while len(rest := _safe_start(rest)) > 76:
            cut = rest.rfind("=", 73, 75)
            cut = cut if cut > 0 else 75
            rows.append(rest[:cut] + "=")
            rest = rest[cut:]
        rows.append(rest)
    return rows


def _safe_start(row: str) -> str:
    if row.startswith((".", "From ")):
        return f"={ord(row[0]):02X}{row[1:]}"
    return row
