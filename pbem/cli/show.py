"""Print: the one place from which text reaches a terminal, harmless whatever a player wrote into it.

There is no markup here, so brackets are brackets; control characters, and those that turn the writing direction, are
shown as escapes.
"""

import json
import os
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from pbem.core.harmless import is_unseen, visible
from pbem.core.rows import MARKER


def line(text: object = "") -> None:
    """Print one line."""
    print(visible(text))


def block(text: str) -> None:
    """Print several lines."""
    for one in text.split("\n"):
        line(one)


def letter(text: str) -> None:
    """Print a letter, its headings set off where the terminal has colour."""
    for one in text.replace(MARKER, "").strip("\n").split("\n"):
        heading = one.isupper() and not one.startswith(" ")
        colour = not os.environ.get("NO_COLOR") and sys.stdout.isatty()
        print(f"\x1b[1;36m{visible(one)}\x1b[0m" if colour and heading else visible(one))


def complain(text: str) -> None:
    """Print the one line of an error."""
    print(visible(f"pbem: {text}"), file=sys.stderr)


def table(head: Sequence[str], rows: Iterable[Sequence[object]], nothing: str) -> None:
    """Print rows under their headings in aligned columns; `nothing` is said where there are none."""
    cells = [[visible("" if cell is None else cell) for cell in row] for row in rows]
    if not cells:
        line(nothing)
        return
    cells.insert(0, list(head))
    widths = [max(_width(row[at]) for row in cells) for at in range(len(head))]
    for row in cells:
        padded = (cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True))
        print("  ".join(padded).rstrip())


def as_json(value: Any) -> None:
    """Print a value as JSON, with the same escapes for what could not be seen."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    print("".join(json.dumps(sign)[1:-1] if is_unseen(sign) and sign != "\n" else sign for sign in text))


def _width(text: str) -> int:
    """Count the columns that a terminal gives a text: wide letters take two, combining ones none."""
    return sum(0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in "WF") for sign in text)
