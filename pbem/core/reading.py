"""Read a player's own words line by line: what is for the office, what is an order, what is talk, what is a slip.

A line counts only if the whole of it is a command. Talk goes to nobody and spoils nothing; a slip is a line that would
be a command with one letter of one word mended, and it is shown with the line that would work.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["COMMANDS", "OFFICE_WORDS", "Command", "Line", "read"]

ALONE = (
    *(
        "help",
        "rules",
        "status",
        "log",
        "receipt",
        "export",
        "retract",
        "undo",
        "agree",
        "refuse",
        "resign",
        "on",
        "off",
    ),
    *("away", "end", "dispute", "appeal"),
)
"""Commands of one word."""
POSTS = ("mail", "matrix", "both")
COMMANDS = (*ALONE, "say", "tell", "check", "prefer")
"""All words by which a command begins: no game's order may begin so."""
LONG = ("say", "dispute")
"""Commands that may have many lines, up to one that says `end`."""
YIELDING = ("back",)
"""Commands of one word that give way to an order of the same word; `away back` says the same."""
OFFICE_WORDS = frozenset((*COMMANDS, *YIELDING, "yes", "seed", "ready", "all", "nobody", "bot", "table"))
"""What no player may be called: the office uses these words, or will."""

SLIP_WORDS = 8
"""Only lines of so many words are tried for slips."""
SIGNED = 3
"""A last word of so many letters, below another line, is how somebody signs."""


@dataclass(frozen=True, slots=True)
class Command:
    """Hold a command to the office: its word in lower case, and what follows it."""

    word: str
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """Hold one line as it was read; `mended` is the line that would work, for a slip."""

    text: str
    kind: Literal["office", "order", "talk", "slip"]
    command: Command | None = None
    mended: str = ""


def read(
    words: str, *, is_order: Callable[[str], bool], vocabulary: Collection[str], names: Collection[str],
    kinds: Collection[str] = (),
) -> tuple[Line, ...]:  # fmt: skip
    """Read each line of a player's own words.

    `is_order` tells whether the game takes a line for an order; `vocabulary` are the words of its notation, `names` the
    players', `kinds` what may be answered ahead. Nothing below a line `end` is read.
    """
    mender = _Mender((*vocabulary, *names, *kinds, *COMMANDS, *YIELDING, "yes"))
    reader = _Reader(is_order, frozenset(name.casefold() for name in names), frozenset(kinds), mender)
    return tuple(reader.lines([line.strip() for line in words.strip().split("\n")]))


class _Reader:
    def __init__(
        self, is_order: Callable[[str], bool], names: frozenset[str], kinds: frozenset[str], mender: "_Mender"
    ) -> None:
        self._is_order = is_order
        self._names = names
        self._kinds = kinds
        self._mender = mender

    def lines(self, texts: list[str]) -> Iterator[Line]:
        """Give the lines read, a `say:` or `dispute:` with those below it as one."""
        at = 0
        while at < len(texts):
            text, at = texts[at], at + 1
            if (word := text.casefold().rstrip(":")) in LONG and text.endswith(":"):
                stop = next((end for end in range(at, len(texts)) if _is_end(texts[end])), len(texts))
                yield Line(text, "office", Command(word, "\n".join(texts[at:stop]).strip()))
                at = stop + 1
            elif text:
                yield self._line(text, signed=1 < at == len(texts))
                if _is_end(text):
                    return

    def _line(self, text: str, *, signed: bool) -> Line:
        if command := _command(text, self._kinds):
            return Line(text, "office", command)
        for candidate in (text, text.rstrip(" .")):
            if candidate and self._is_order(candidate):
                return Line(candidate, "order")
        if _yielding(text):
            return Line(text, "office", Command(_yielding(text)))
        exempt = text.casefold() in self._names or (signed and len(text) <= SIGNED and " " not in text)
        mended = "" if exempt else next(filter(self._works, self._mender.mended(text)), "")
        return Line(text, "slip", mended=mended) if mended else Line(text, "talk")

    def _works(self, candidate: str) -> bool:
        """Tell whether a mended line would do something."""
        command = _command(candidate, self._kinds)
        if command is None:
            return self._is_order(candidate) or bool(_yielding(candidate))
        if command.word == "tell":
            name, _, rest = command.rest.partition(" ")
            return name.casefold() in self._names and bool(rest)
        if command.word == "check":
            return self._is_order(command.rest)
        return command.word not in LONG or bool(command.rest)


def _is_end(text: str) -> bool:
    return text.casefold().rstrip(" .") == "end"


def _yielding(text: str) -> str:
    """Give the command that a line is where it is no order, or nothing."""
    word = text.casefold().rstrip(" .")
    return word if word in YIELDING else ""


def _command(text: str, kinds: Collection[str]) -> Command | None:
    """Read a line as a command to the office, or give None if it is none."""
    first, _, rest = text.partition(" ")
    word, rest = first.casefold(), rest.strip()
    whole = text.casefold().rstrip(" .")
    if whole in ALONE:
        return Command(whole)
    if whole == "resign yes":
        return Command("resign", "yes")
    if word in ("on", "off") and rest.partition(" ")[0].rstrip(".:").casefold() in kinds:
        kind, _, answer = rest.rstrip(" .").partition(" ")
        return Command(word, f"{kind.rstrip(':').casefold()} {answer.strip()}".strip())
    if whole == "away back":
        return Command("back")
    if word == "away" and rest[:1].isdigit():
        return Command(word, rest.rstrip(" ."))
    if word == "receipt" and " " not in rest:
        return Command(word, rest.rstrip(".").casefold())
    if word.rstrip(":") == "dispute" or (word == "appeal" and rest[:1].isdigit()):
        return Command(word.rstrip(":"), rest)
    if word.rstrip(":") == "tell":
        name, _, message = rest.partition(" ")
        return Command("tell", f"{name.rstrip(':,')} {message.strip()}".strip())
    if word.rstrip(":") == "say":
        return Command("say", rest)
    if word.rstrip(":") == "prefer" and rest.casefold().rstrip(" .") in POSTS:
        return Command("prefer", rest.casefold().rstrip(" ."))
    return Command("check", rest.rstrip(" .")) if word.rstrip(":") == "check" else None


class _Mender:
    """Know the words, and find those that are one letter away: put in, left out, replaced, or two swapped."""

    def __init__(self, words: Collection[str]) -> None:
        self._words = dict.fromkeys(word.casefold() for word in words)
        self._near: dict[str, list[str]] = {}
        for word in self._words:
            for key in {word, *_shortened(word)}:
                self._near.setdefault(key, []).append(word)

    def mended(self, text: str) -> Iterator[str]:
        """Give the line with one word replaced by a near one, in every way; signs at its end count as letters too."""
        bare = text.rstrip(" .!?,;")
        yield from (bare,) if bare != text else ()
        for words in (text.split(), bare.split()):
            for at, word in enumerate(words if len(words) <= SLIP_WORDS else ()):
                for near in self._one_away(word.casefold()):
                    yield " ".join((*words[:at], near, *words[at + 1 :]))

    def _one_away(self, word: str) -> Iterator[str]:
        keys = (word, *_shortened(word)) if len(word) <= 30 else ()
        found = dict.fromkeys(near for key in keys for near in self._near.get(key, ()))
        return (near for near in found if _distance_is_one(word, near))


def _shortened(word: str) -> Iterator[str]:
    return (word[:at] + word[at + 1 :] for at in range(len(word)))


def _distance_is_one(one: str, other: str) -> bool:
    if len(one) < len(other):
        one, other = other, one
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(other))
    if len(one) > len(other):
        return one[same + 1 :] == other[same:]
    swapped = one[same : same + 2] == other[same : same + 2][::-1] and one[same + 2 :] == other[same + 2 :]
    return one != other and (swapped or one[same + 1 :] == other[same + 1 :])
