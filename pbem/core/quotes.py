"""Find a player's own words in an answer: by its blocks and by what we sent, not by the words of any language.

The words stand above the history (quotes, attribution, header block, marker, our own letter). Where nothing usable is
above, they stand below its end, if that end is known: the last quoted line, or the last line of the letter we sent.
What stands between is nobody's word: mail programs wrap quotes and forget the sign.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pbem.core.copied import Copy, find_copy
from pbem.core.history import attribution, header_block, is_banner, is_rule
from pbem.core.markup import as_text
from pbem.core.rows import MARKER, Row, rows

__all__ = ["MARKER", "OwnWords", "own_words"]

UNREAD = 20
"""How many lines are told back as not read."""
WRAP = 66
"""A quoted row as long as this may have been wrapped by the player's mail program."""
BULLET = re.compile(r"(?:[-*\u2013\u2014] |[\u2022\u2023\u25aa\u25cf\u00b7] ?|\u2014)+")
DEVICE = re.compile(
    r"(?:sent (?:from|with|via)|get outlook|gesendet (?:von|mit)|von meinem .{1,30} gesendet|envoy\u00e9 (?:de|depuis)"
    r"|enviado (?:desde|do|de)|inviato da|verzonden (?:vanaf|met)|wys\u0142ane z|skickat fr\u00e5n|sendt fra"
    r"|l\u00e4hetetty|odesl\u00e1no z|\u043e\u0442\u043f\u0440\u0430\u0432\u043b\u0435\u043d\u043e)\b.{0,80}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class OwnWords:
    """Hold what a player wrote, line by line, and the lines that may be the player's but were not read."""

    text: str
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _History:
    """Say where the history begins (its attribution included), and whether it is marked with `>`."""

    start: int
    quoted: bool


def own_words(text: str | None, html: str | None, sent: str | None) -> OwnWords:
    """Give the player's own words; `sent` is the text of the letter that is being answered, if it is known."""
    plain = _split(rows(text or ""), sent)
    if html is None or (plain.text and "html" not in plain.text.casefold()):
        return plain
    rich = _split(rows(as_text(html)), sent)
    return rich if rich.text and plain.text not in rich.text else plain if plain.text else rich


def _split(page: Sequence[Row], sent: str | None) -> OwnWords:
    copy = find_copy(page, sent)
    history = _history(page, copy)
    theirs = [_theirs(page, copy, at, history) for at in range(len(page))]
    end = max((at + 1 for at, known in enumerate(theirs) if known), default=len(page))
    if history.quoted and _wrapped(page, copy, end):
        end += 1
    above, below = page[: history.start], page[end:]
    if not (history.quoted or copy.complete):
        below = ()
    own = [*above, *([] if _usable(above) else below)]
    between = [row for row, known in zip(page[history.start : end], theirs[history.start :], strict=False) if not known]
    left = [*(between if history.quoted or _told(page, sent) else ()), *(below if _usable(above) else ())]
    return OwnWords("\n".join(_finish(own)), _unread(own, left))


def _history(page: Sequence[Row], copy: Copy) -> _History:
    """Find the first row that is certainly not the player's, and the attribution above it."""
    for at, row in enumerate(page):
        if row.depth or row.marker or is_banner(row.text) or header_block(page, at) or copy.begins(at):
            top = at
            while top and not page[top - 1].text and at - top < 2:
                top -= 1
            count = attribution(page, top, certain=True)
            return _History(top - count if count else at, row.depth > 0)
        if count := attribution(page, at + 1, certain=False):
            below = next((row for row in page[at + 1 :] if row.text or row.depth), row)
            return _History(at + 1 - count, below.depth > 0)
    return _History(len(page), False)


def _theirs(page: Sequence[Row], copy: Copy, at: int, history: _History) -> bool:
    """Tell whether a row of the history is known to be no word of the player's."""
    if at < history.start:
        return False
    row, match = page[at], copy.matches[at]
    if history.quoted:
        return row.depth > 0 or row.marker or (match is not None and match.inside)
    return row.depth > 0 or row.marker or match is not None


def _wrapped(page: Sequence[Row], copy: Copy, end: int) -> bool:
    """Tell whether the row below the last quoted one may be the rest of that one, with its sign forgotten."""
    if not 0 < end < len(page) or not page[end].text or copy.matches[end - 1] is not None:
        return False
    return len(page[end - 1].text) >= WRAP


def _usable(above: Sequence[Row]) -> bool:
    """Tell whether anything but a salutation stands there."""
    lines = _finish(above)
    return bool(lines) and not (len(lines) == 1 and lines[0].endswith(",") and len(lines[0].split()) <= 4)


def _told(page: Sequence[Row], sent: str | None) -> bool:
    """Tell whether rows without `>` can be told from our own letter: it is known, or not there at all."""
    return sent is not None or not any(row.marker for row in page)


def _finish(own: Sequence[Row]) -> list[str]:
    """Give the lines above the signature, without rules, banners and bullets."""
    kept: list[str] = []
    for row in own[: _signature(own)]:
        line = _bare(row.text)
        if not (is_rule(line) or is_banner(line) or DEVICE.fullmatch(line)) and (line or (kept and kept[-1])):
            kept.append(line)
    return kept[:-1] if kept and not kept[-1] else kept


def _signature(own: Sequence[Row]) -> int:
    return next((at for at, row in enumerate(own) if row.text == "--"), len(own))


def _bare(text: str) -> str:
    """Take the bullet and the stars of bold print off a line."""
    text = BULLET.sub("", text, count=1) if BULLET.match(text) else text
    return text[1:-1].strip("* ") if len(text) > 2 and text[0] == text[-1] == "*" else text


def _unread(own: Sequence[Row], left: Sequence[Row]) -> tuple[str, ...]:
    """Give what may be the player's and was not read; below a signature only where nothing else was written."""
    lost = () if _finish(own) else own[_signature(own) + 1 :]
    lines = (*(f"... {row.cut}" for row in own if row.cut), *_finish(left), *_finish(lost))
    return tuple(line for line in lines if line)[:UNREAD]
