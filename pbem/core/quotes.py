"""Find a player's own words in an answer: by its blocks and by what we sent, not by the words of any language.

The words stand above the history (quotes, attribution, header block, marker, our own letter). Where nothing usable is
above, they stand below its end, if that end is known: the last quoted line, or the last line of the letter we sent.
What stands between is nobody's word: mail programs wrap quotes and forget the sign.
"""

import re
from collections.abc import Iterator, Sequence
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
DEVICES = (
    *("sent from ", "sent via ", "sent with ", "get outlook ", "gesendet von ", "gesendet mit ", "von meinem "),
    *("envoyé de ", "envoyé depuis ", "enviado desde ", "enviado do ", "enviado de ", "inviato da ", "verzonden "),
    *("wysłane z ", "skickat från ", "sendt fra ", "lähetetty ", "odesláno z ", "отправлено с ", "надіслано з "),
)
"""How the line begins that a telephone puts below a mail; it is prose anyway, this only keeps answers short."""


@dataclass(frozen=True, slots=True)
class OwnWords:
    """Hold what a player wrote, line by line, and the lines that may be the player's but were not read."""

    text: str
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _History:
    """Say where the history begins, where what it quotes begins, and whether that is marked with `>`."""

    start: int
    body: int
    quoted: bool


def own_words(text: str | None, html: str | None, sent: str | None) -> OwnWords:
    """Give the player's own words; `sent` is the text of the letter that is being answered, if it is known."""
    plain = _split(rows(text or ""), sent)
    if html is None or (plain.text and "html" not in plain.text.casefold()):
        return plain
    rich = _split(rows(as_text(html)), sent)
    if rich.text and plain.text not in rich.text:
        return rich
    return plain if plain.text or plain.unread else rich


def _split(page: Sequence[Row], sent: str | None) -> OwnWords:
    copy = find_copy(page, sent)
    history = _history(page, copy)
    theirs = [_theirs(page, copy, at, history) for at in range(len(page))]
    end = max((at + 1 for at, known in enumerate(theirs) if known), default=len(page))
    end += _torn(page, copy, end) if history.quoted else 0
    above, below = page[: history.start], _below(page, copy, end) if history.quoted or copy.complete else ()
    own = above if _usable(above) else [*above[: _signature(above)], *below]
    between = [page[at] for at in range(history.body, end) if not theirs[at]]
    left = [*(between if history.quoted or _told(page, sent) else ()), *(below if _usable(above) else ())]
    return OwnWords("\n".join(_finish(own)), _unread(own, left))


def _history(page: Sequence[Row], copy: Copy) -> _History:
    """Find the first row that is certainly not the player's, and the attribution above it."""
    for at, row in enumerate(page):
        block = header_block(page, at)
        if block or row.depth or row.marker or is_banner(row.text) or copy.begins(at):
            top = at
            while top and not page[top - 1].text and at - top < 2:
                top -= 1
            count = attribution(page, top, certain=True)
            return _History(top - count if count else at, at + block, row.depth > 0)
        if count := attribution(page, at + 1, certain=False):
            below = next((row for row in page[at + 1 :] if row.text or row.depth), row)
            return _History(at + 1 - count, at + 1, below.depth > 0)
    return _History(len(page), len(page), False)


def _theirs(page: Sequence[Row], copy: Copy, at: int, history: _History) -> bool:
    """Tell whether a row of the history is known to be no word of the player's."""
    if at < history.start:
        return False
    row, match = page[at], copy.matches[at]
    if history.quoted:
        return row.depth > 0 or row.marker or (match is not None and match.inside)
    return row.depth > 0 or row.marker or match is not None


def _below(page: Sequence[Row], copy: Copy, end: int) -> Sequence[Row]:
    """Give the rows below the history, up to where another begins."""
    again = _history(page[end:], Copy(copy.matches[end:], copy.length))
    return page[end : end + again.start]


def _torn(page: Sequence[Row], copy: Copy, end: int) -> int:
    """Count the rows below the last quoted one that may be the rest of it, with the sign forgotten.

    Where the letter is known, so is that row's end. Else it is doubtful below a long row, and wherever the same
    happened further up.
    """
    if end == 0 or copy.matches[end - 1] is not None:
        return 0
    glued = next((at for at, row in enumerate(page[end:]) if not row.text), len(page) - end)
    torn = any(one.depth and two.text and not two.depth and three.depth for one, two, three in _threes(page[:end]))
    return glued if torn else min(glued, int(len(page[end - 1].text) >= WRAP))


def _threes(page: Sequence[Row]) -> Iterator[tuple[Row, Row, Row]]:
    return zip(page, page[1:], page[2:], strict=False)


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
        noise = is_rule(line) or is_banner(line) or line.casefold().startswith(DEVICES)
        if not noise and (line or (kept and kept[-1])):
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
