"""Read header values: encoded words, addresses, ids. Nothing here raises, whatever the value holds.

Addresses are taken from the value as it was written, before encoded words are opened: what a sender hides in a display
name is never an address. Every pattern is linear, and every value is cut to WIDTH before it is looked at.
"""

import base64
import binascii
import codecs
import re
import unicodedata
from collections.abc import Iterable

WIDTH = 2_000
"""How many characters of a value count."""
MANY = 50
"""How many addresses or ids of one header count."""

ENCODED = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=")
ADDRESS = re.compile(r"[^\s<>()\[\]\",;:\\@]{1,200}@[^\s<>()\[\]\",;:\\@]{1,255}")
ID = re.compile(r"<([^<>\s]{1,250})>")
LABEL = re.compile(r"[A-Za-z0-9_.:+-]{1,40}")

# What a label means in practice, and codecs that Python offers but no mail may choose.
WIDER = {"iso8859-1": "cp1252", "ascii": "utf-8", "gb2312": "gb18030", "euc_kr": "cp949", "shift_jis": "cp932"}
BARRED = {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"}


def plain(value: str) -> str:
    """Decode a header value into one line of text without control characters."""
    return one_line(_decoded(value[:WIDTH]))[:WIDTH]


def one_line(text: str) -> str:
    """Make one line of it: line ends and control characters become blanks, bidi and zero-width marks vanish."""
    return " ".join("".join(_seen(sign) for sign in text).split())


def _seen(sign: str) -> str:
    kind = unicodedata.category(sign)
    return "" if kind == "Cf" else " " if kind in ("Cc", "Cs", "Zl", "Zp") else sign


def _decoded(value: str) -> str:
    """Open the encoded words; neighbours of one charset are joined first, as letters may be split between them."""
    out: list[str] = []
    label, pending, end = "", b"", 0
    for word in ENCODED.finditer(value):
        between = value[end : word.start()]
        if between.strip() or word[1].lower() != label:
            out += [decode(pending, label)[0], between if between.strip() or not label else ""]
            label, pending = word[1].lower(), b""
        pending += _opened(word[2], word[3])
        end = word.end()
    return "".join([*out, decode(pending, label)[0], value[end:]])


def _opened(how: str, coded: str) -> bytes:
    raw = coded.encode("utf-8", "replace")
    return unbase64(raw) if how in "bB" else binascii.a2b_qp(raw, header=True)


def unbase64(raw: bytes) -> bytes:
    """Decode base64 up to its padding, and pass over what is none."""
    letters = re.sub(rb"[^A-Za-z0-9+/]", b"", raw.partition(b"=")[0])
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    return base64.b64decode(letters + b"=" * (-len(letters) % 4))


def decode(raw: bytes, label: str) -> tuple[str, str]:
    """Decode bytes by their charset label, or as UTF-8, or as Latin-1; the second is a doubt ("": there is none)."""
    codec = _codec(label)
    doubt = "" if codec else f"the charset '{one_line(label)[:40]}' is unknown"
    for name in (codec, "utf-8"):
        try:
            return raw.decode(name or "utf-8"), doubt
        except ValueError:
            doubt = doubt or f"the text is not {codec}"
    if codec in ("", "utf-8", "cp1252"):
        return raw.decode("latin-1"), "the charset could only be guessed"
    return raw.decode(codec, "replace"), doubt


def _codec(label: str) -> str:
    """Give the codec that a label names: utf-8 if there is no label, "" if it names none that a mail may choose."""
    label = label.strip("\"' ")
    if not label:
        return "utf-8"
    try:
        "".encode(label if LABEL.fullmatch(label) else "none")  # refuses what is no text codec: zlib, hex, rot13
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return ""
    return "" if name.replace("-", "_") in BARRED else WIDER.get(name, name)


def addresses(value: str) -> tuple[str, ...]:
    """Find the bare addresses in a raw header value, as written; a mailbox that cannot be read is left out."""
    found = [_bare(mailbox) for mailbox in _unquoted(value[: 10 * WIDTH]).split(",")[:MANY]]
    return tuple(address for address in found if address)


def the_sender(values: Iterable[str]) -> str:
    """Give the one address of the From header, or "" where there is none, or more than one."""
    mailboxes = [_bare(mailbox) for value in values for mailbox in _unquoted(value[:WIDTH]).split(",")]
    return mailboxes[0] if len(mailboxes) == 1 else ""


def _unquoted(value: str) -> str:
    """Drop quoted strings and comments, and what stands between backslashes in them."""
    out: list[str] = []
    quoted, depth, escaped = False, 0, False
    for sign in value:
        if escaped:
            escaped = False
        elif sign == "\\":
            escaped = True
        elif sign == '"' and not depth:
            quoted = not quoted
        elif sign in "()" and not quoted:
            depth = max(0, depth + (1 if sign == "(" else -1))
        elif not quoted and not depth:
            out.append(sign)
    return "".join(out)


def _bare(mailbox: str) -> str:
    before, opened, rest = mailbox.partition("<")
    inner, closed, after = rest.partition(">")
    candidate = inner if opened and closed and not after.strip() else "" if opened else before
    candidate = candidate.strip()
    return candidate if ADDRESS.fullmatch(candidate) and one_line(candidate) == candidate else ""


def ids(value: str) -> tuple[str, ...]:
    """Find the message ids in a raw header value, without their angle brackets."""
    value = value[: 10 * WIDTH]
    found = ID.findall(value) or [word for word in value.split() if "@" in word and len(word) <= 250]
    return tuple(clean for one in found[-MANY:] if (clean := one_line(one)) and " " not in clean)
