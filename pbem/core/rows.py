"""Turn a message's text into clean rows: the one place where signs are made comparable, and where limits hold.

What follows looks at rows alone, so nothing there meets more than ROWS rows of WIDTH characters.
"""

import unicodedata
from dataclasses import dataclass

TEXT = 16 * 1024
ROWS = 400
WIDTH = 500
MARKER = "##- pbem: please write above this line -##"
"""The first line of every letter: what stands below it is ours."""

_SAME = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u00b4\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u301d\u301e", '"'),
        **dict.fromkeys("\t\u2028\u2029", " "),
    }
)
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"))


@dataclass(frozen=True, slots=True)
class Row:
    """Hold one line: how deep it is quoted with `>`, its words, and what had to be cut off its end."""

    depth: int
    text: str
    cut: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """Give the words in the form in which they are compared, without another mail program's quoting signs."""
        return tuple(self.text.translate(_DASHES).casefold().lstrip("|:>} ").split())

    @property
    def marker(self) -> bool:
        """Tell whether the row holds the marker, however it was wrapped or quoted."""
        return MARKER[:8] in self.text.translate(_DASHES)


def rows(text: str) -> tuple[Row, ...]:
    """Cut a text into rows, within the limits; of a run of empty rows two are kept."""
    found: list[Row] = []
    for line in text[:TEXT].replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        row = _row(line)
        if row.text or row.depth or len(found) < 2 or any(kept.text or kept.depth for kept in found[-2:]):
            found.append(row)
        if len(found) == ROWS:
            break
    return tuple(found)


def tidy(text: str) -> str:
    """Make signs that look alike one, leave out those that cannot be seen, and collapse runs of blanks."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())  # most lines have no such signs, and to look for them costs
    same = unicodedata.normalize("NFKC", text).translate(_SAME)
    return " ".join("".join(sign for sign in same if unicodedata.category(sign) not in ("Cc", "Cf", "Cs")).split())


def _row(line: str) -> Row:
    text = tidy(line[:WIDTH])
    unquoted = text.lstrip("> ")
    return Row(
        text[: len(text) - len(unquoted)].count(">"),
        unquoted,
        tidy(line[WIDTH : WIDTH + 80]) if len(line) > WIDTH else "",
    )
