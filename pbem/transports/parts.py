"""Take a mail apart into its parts, with bounded work and without ever raising.

The standard parser recurses as deep as a mail says and looks at every line once a level; this one stops at DEPTH and
MANY, and looks at SIZE bytes. What it leaves out it says in `doubts`.
"""

import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pbem.transports.fields import plain, unbase64

SIZE = 1024 * 1024
"""How many bytes of a mail are looked at."""
HEAD = 64 * 1024
"""How many bytes of a header block are looked at."""
FIELDS = 500
DEPTH = 10
MANY = 100

NAME = re.compile(rb"[!-9;-~]{1,100}")
PARAMETER = re.compile(r""";\s{0,20}([^\s=;"]{1,60})\s{0,20}=\s{0,20}(?:"((?:[^"\\]|\\.)*)"|([^;]*))""")


@dataclass(frozen=True, slots=True)
class Part:
    """Hold one part: its headers as they came (lower-case names), its type, and its body or its parts."""

    headers: tuple[tuple[str, str], ...]
    kind: str
    options: Mapping[str, str]
    body: bytes
    parts: tuple["Part", ...] = ()

    def all(self, name: str) -> tuple[str, ...]:
        """Give the raw values of a header, topmost first."""
        return tuple(value for known, value in self.headers if known == name)

    def first(self, name: str) -> str:
        """Give the topmost raw value of a header, or ""."""
        return next(iter(self.all(name)), "")

    @property
    def attached(self) -> bool:
        """Tell whether it is meant to be kept as a file, not to be read."""
        return self.first("content-disposition").strip().lower().startswith("attachment")

    @property
    def filename(self) -> str:
        """Give the file name it came with, or ""."""
        _, disposition = _kind(self.first("content-disposition"))
        return plain(disposition.get("filename", "") or self.options.get("name", ""))[:100]

    def decoded(self) -> bytes:
        """Give the body with its transfer encoding undone; an unknown encoding is none."""
        encoding = self.first("content-transfer-encoding").strip().lower()
        if encoding == "base64":
            return unbase64(self.body)
        return binascii.a2b_qp(self.body) if encoding == "quoted-printable" else self.body

    def walk(self) -> Iterator["Part"]:
        """Give the leaves, in their order."""
        for part in self.parts:
            yield from part.walk()
        if not self.parts:
            yield self


@dataclass(slots=True)
class _Budget:
    parts: int = MANY
    doubts: list[str] = field(default_factory=list)

    def doubt(self, what: str) -> None:
        if what not in self.doubts:
            self.doubts.append(what)


def open_mail(raw: bytes) -> tuple[Part, tuple[str, ...], bool]:
    """Take a mail apart: its outermost part, the doubts, and whether its structure went beyond the limits."""
    budget = _Budget()
    if len(raw) > SIZE:
        budget.doubt("only the first MiB was looked at")
    lines = raw[:SIZE].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    head, body = cut_head(lines)
    if len(head) > HEAD:
        budget.doubt("the headers are too long")
        return Part(fields(head[:HEAD]), "text/plain", {}, b""), tuple(budget.doubts), True
    before = len(budget.doubts)
    part = _part(head, body, DEPTH, budget)
    return part, tuple(budget.doubts), len(budget.doubts) > before


def cut_head(block: bytes) -> tuple[bytes, bytes]:
    """Cut a block into its headers and its body, at the first empty line."""
    if block.startswith(b"\n"):
        return b"", block[1:]
    head, _, body = block.partition(b"\n\n")
    return head, body


def fields(head: bytes) -> tuple[tuple[str, str], ...]:
    """Read header fields: unfolded, values as written; lines that are none are passed over."""
    found: list[tuple[str, list[bytes]]] = []
    for line in head.split(b"\n"):
        name, colon, value = line.partition(b":")
        if line[:1] in (b" ", b"\t"):
            if found:
                found[-1][1].append(line)
        elif colon and NAME.fullmatch(name.rstrip()) and len(found) < FIELDS:
            found.append((name.rstrip().decode("ascii").lower(), [value]))
    return tuple((name, _text(b"".join(values)).strip()) for name, values in found)


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _part(head: bytes, body: bytes, depth: int, budget: _Budget) -> Part:
    budget.parts -= 1
    headers = fields(head[:HEAD])
    kind, options = _kind(next((value for name, value in headers if name == "content-type"), ""))
    boundary = options.get("boundary", "").rstrip()[:200]
    if not kind.startswith("multipart/") or not boundary:
        return Part(headers, kind if "/" in kind else "text/plain", options, body)
    if depth == 0:
        budget.doubt("its parts are nested too deeply")
        return Part(headers, kind, options, b"")
    return Part(headers, kind, options, b"", tuple(_inner(body, boundary, depth, budget)))


def _inner(body: bytes, boundary: str, depth: int, budget: _Budget) -> Iterator[Part]:
    line = re.compile(rb"(?:^|\n)--" + re.escape(boundary.encode("utf-8", "replace")) + rb"(--)?[ \t]*(?=\n|$)")
    start = None
    for found in line.finditer(body):
        if start is not None:
            yield _part(*cut_head(body[start : found.start()]), depth - 1, budget)
        start = None if found[1] else found.end() + 1
        if found[1] or budget.parts <= 0:
            break
    if budget.parts <= 0:
        budget.doubt(f"it has more than {MANY} parts")
    elif start is not None:
        yield _part(*cut_head(body[start:]), depth - 1, budget)


def _kind(value: str) -> tuple[str, dict[str, str]]:
    """Read `text/plain; charset=utf-8` and its like."""
    value = value[:2_000]
    options: dict[str, str] = {}
    for name, quoted, bare in PARAMETER.findall(value):
        options.setdefault(name.lower().rstrip("*").removesuffix("*0"), re.sub(r"\\(.)", r"\1", quoted) or bare.strip())
    return value.partition(";")[0].strip().lower(), options
