"""Read a story: what of its text is kept as it stands, and what is done in it.

A story is a text file. Its title and what it is about come first; then scenes, each under a line that begins with `--`.
In a scene stand sentences (a deed each), asides in round brackets, and under a sentence what is given with it:

    | what somebody writes
    $ what somebody types
    > what somebody gets: the teller writes these lines
"""

from dataclasses import dataclass, field

WRITTEN, TYPED, GOT = "  | ", "  $ ", "  > "


@dataclass
class Deed:
    """Be one sentence of a story, with the lines written or typed under it; `line` is where it stands."""

    line: int
    sentence: str
    written: list[str] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)

    @property
    def words(self) -> str:
        """Give what is written."""
        return "\n".join(self.written)


def read(text: str) -> list[str | Deed]:
    """Give each line that is kept, and each deed; what was told of it before is left out."""
    items: list[str | Deed] = []
    begun = aside = False
    for number, line in enumerate(text.splitlines(), 1):
        begun = begun or line.startswith("--")
        aside = aside or line.startswith("(")
        if not begun or aside or not line or line.startswith("--"):
            items.append(line)
            aside = aside and not line.endswith(")")
        elif line.startswith(" "):
            _add(items[-1], line, number)
        else:
            items.append(Deed(number, line))
    return items


def _add(deed: str | Deed, line: str, number: int) -> None:
    """Put a line to its sentence; a typed line that ends in a backslash goes on in the next."""
    assert isinstance(deed, Deed), f"line {number}: no sentence stands above it"
    kind, words = f"{line:4}"[:4], line[4:]
    if deed.typed and deed.typed[-1].endswith("\\"):
        deed.typed[-1] += f"\n{line}"
    elif kind == WRITTEN:
        deed.written.append(words)
    elif kind == TYPED:
        deed.typed.append(words)
    else:
        assert kind == GOT, f"line {number}: it begins with none of {WRITTEN!r}, {TYPED!r}, {GOT!r}"
