"""Find the letter that is being answered in a message, word for word, however it was wrapped or indented."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pbem.core.rows import Row, rows

LONG = 4
"""So many words in a row are looked for anywhere; fewer count only where the letter goes on with them."""
RUN = 3
PROOF = 12
"""A copy without any mark is one of RUN rows with PROOF words: a player may well type one line of ours."""


@dataclass(frozen=True, slots=True)
class Match:
    """Say where in the letter a row stands (`begin` and `end` count words), and whether it goes on inside a line."""

    begin: int
    end: int
    inside: bool


@dataclass(frozen=True, slots=True)
class Copy:
    """Hold what was found: a match for each row of the message, or None, and how many words the letter has."""

    matches: tuple[Match | None, ...]
    length: int

    @property
    def complete(self) -> bool:
        """Tell whether the copy runs to the letter's last word."""
        found = [match for match in self.matches if match]
        return bool(found) and found[-1].end == self.length

    def begins(self, at: int) -> bool:
        """Tell whether enough rows stand here one after the other as in the letter to prove a copy."""
        run = [match for match in self.matches[at : at + 2 * RUN] if match][:RUN]
        if self.matches[at] is None or len(run) < RUN or run[-1].end - run[0].begin < PROOF:
            return False
        return all(one.end == other.begin for one, other in pairwise(run))


def find_copy(page: Sequence[Row], sent: str | None) -> Copy:
    """Find the rows of a message that repeat the letter sent."""
    lines = [row.words for row in rows(sent or "") if row.words]
    words = [word for line in lines for word in line]
    starts, at = set(), 0
    for line in lines:
        starts.add(at)
        at += len(line)
    text = f" {' '.join(words)} "
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word) + 1)
    matches: list[Match | None] = []
    here = 0
    for row in page:
        begin = _place(row.words, words, here, text, offsets)
        match = None if begin is None else Match(begin, begin + len(row.words), begin not in starts)
        here = match.end if match else here
        matches.append(match)
    return Copy(tuple(matches), len(words))


def _place(row: tuple[str, ...], words: list[str], here: int, text: str, offsets: list[int]) -> int | None:
    """Give the word at which a row stands in the letter: where it goes on, or for a long row anywhere."""
    if not row:
        return None
    if tuple(words[here : here + len(row)]) == row:
        return here
    if here == len(words):  # the whole letter has been seen: what follows is new, or the letter once more
        return 0 if tuple(words[: len(row)]) == row else None
    if len(row) < LONG:
        return None
    wanted = f" {' '.join(row)} "
    found = text.find(wanted, offsets[here])
    found = found if found >= 0 else text.find(wanted)
    return bisect_left(offsets, found) if found >= 0 else None
