"""Read a line: split it into words, tell talk from an attempt, and sort an attempt into its parts.

Nothing here asks what the rules allow now; that is done in `legal`.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

from engines.accuse.deck import CENTERS, CLUES, KIND_NAMES, TRAP, by_kind
from pbem.engine import UnreadableOrder

QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“", "‘": "’", "«": "»"}
FILLERS = frozenset({"as", "if", "held", "nobody", "and"})
Part = TypeVar("Part")
_CARD = re.compile(r"[a-z][0-9]{1,2}|x")
_NUMBER = re.compile(r"#?([0-9]{1,3})")
_SIGNED = re.compile(r"(!?)(?:([a-z][0-9]{1,2}|x)>)?")
_SPELLED = {code.lower(): code for code in (*CLUES, TRAP)}


@dataclass(slots=True)
class Parts:
    """Hold what a line says: its verb, and the rest as far as the verb has it.

    `place` is what a card is declared as: a card's code or a bare number.
    """

    verb: str
    cards: tuple[str, ...] = ()
    place: str = ""
    numbers: tuple[int, ...] = ()
    if_held: bool = False


def quoted(text: str) -> str:
    """Give a player's word back in quotes, cut to a readable length; a card's code in capitals."""
    text = text.upper() if _CARD.fullmatch(text) else text
    return f'"{text[:30]}…"' if len(text) > 30 else f'"{text}"'


def _bare(word: str) -> str:
    """Take off quotes that stand around one word."""
    return word[1:-1] if len(word) > 2 and QUOTES.get(word[0]) == word[-1] else word


def _split(word: str) -> list[str]:
    """Write a word with signs as words of ours: `!C2>` as challenge give c2, `C3=W5` as c3 as w5."""
    word = _bare(word)
    signed = _SIGNED.fullmatch(word)
    if signed:
        return ["challenge"] * bool(signed[1]) + (["give", signed[2]] if signed[2] else [])
    card, sign, place = word.partition("=")
    if sign and (not card or _CARD.fullmatch(card)):
        return [part for part in (_bare(card), "as", _bare(place)) if part]
    return [word]


def split(text: str) -> list[str]:
    """Split a line into lower-case words, signs written out."""
    line = text.strip().removesuffix(".").casefold().replace(",", " ")
    return [part for word in line.split() for part in ([word] if word.isalnum() else _split(word))]


def is_talk(words: Collection[str], names: Collection[str]) -> bool:
    """Tell whether a line is no attempt at an order.

    An attempt has a verb of ours or a card's code, and all its other words are of the notation too, or spelled like a
    card, a number or a player's name.
    Orders: `names` are the players' names, in lower case.
    """
    attempt = False
    for word in words:
        if word in READERS or (word in _SPELLED and word != "x"):
            attempt = True
        elif word not in FILLERS and word not in names and not _CARD.fullmatch(word) and not _NUMBER.fullmatch(word):
            return True
    return not attempt


class Reader:
    """Walk along the words of a line.

    Raises: UnreadableOrder
    """

    __slots__ = ("at", "verb", "words")

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.at = 0
        self.verb = ""

    def read(self) -> Parts:
        """Read the whole line."""
        first = self.words[0]
        self.verb = first if first in READERS else "play"
        if first not in READERS and first not in _SPELLED:
            raise UnreadableOrder(f"{quoted(first)} cannot begin an order.")
        self.at = int(first in READERS)
        parts = READERS[self.verb](self)
        if self.at < len(self.words):
            raise UnreadableOrder(f"{quoted(self._peek())} does not belong here: {HINTS[self.verb]}.")
        return parts

    def _peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def _skip(self, *words: str) -> bool:
        """Step over these words if they stand here."""
        here = tuple(self.words[self.at : self.at + len(words)]) == words
        self.at += len(words) * here
        return here

    def _card(self) -> str:
        word = self._peek()
        if word not in _SPELLED:
            raise UnreadableOrder(self._no_card(word))
        self.at += 1
        return _SPELLED[word]

    def _no_card(self, word: str) -> str:
        if not word:
            return f"{quoted(self.verb)} needs more: {HINTS[self.verb]}."
        if _CARD.fullmatch(word):
            return f"There is no card {word.upper()} in this game."
        return f"{quoted(word)} is no card: {HINTS[self.verb]}."

    def _number(self) -> int:
        found = _NUMBER.fullmatch(self._peek())
        if not found:
            what = f"{quoted(self._peek())} is no number" if self._peek() else f"{quoted(self.verb)} needs more"
            raise UnreadableOrder(f"{what}: {HINTS[self.verb]}.")
        self.at += 1
        return int(found[1])

    def _listed(self, read: Callable[[], Part]) -> list[Part]:
        """Read what follows to the end, one or more of a kind; `and` may stand between."""
        found = [read()]
        while self._peek():
            self._skip("and")
            found.append(read())
        return found

    def play(self) -> Parts:
        """Read a card, and what it is declared as."""
        card = self._card()
        if not self._skip("as"):
            return Parts("play", (card,))
        if self._peek() in CENTERS:
            self.at += 1
            return Parts("play", (card,), self.words[self.at - 1])
        return Parts("play", (card,), self._card())

    def flip(self) -> Parts:
        """Read numbers of face-down cards."""
        return Parts("flip", numbers=tuple(self._listed(self._number)))

    def challenge(self) -> Parts:
        """Read a condition, and the card to lose."""
        if_held = self._skip("if", "held")
        lost = self._skip("give") or self._skip("show")
        return Parts("challenge", (self._card(),) if lost else (), if_held=if_held)

    def alone(self) -> Parts:
        """Read `pass`: nothing follows."""
        return Parts("pass")

    def lose(self) -> Parts:
        """Read the card that is given or shown."""
        return Parts(self.verb, (self._card(),))

    def accuse(self) -> Parts:
        """Read three cards, one of each kind in any order, or `nobody`."""
        if self._skip("nobody"):
            return Parts("accuse")
        return Parts("accuse", self._one_of_each(self._listed(self._card)))

    def _one_of_each(self, cards: list[str]) -> tuple[str, ...]:
        """Put an accusation's cards in order.

        Rule: C16
        """
        if TRAP in cards:
            raise UnreadableOrder(f"A Trap is no culprit: {HINTS['accuse']}.")
        for kind, name in KIND_NAMES.items():
            named = [card for card in cards if card[0] == kind]
            if not named:
                raise UnreadableOrder(f"This accuses no {name}: {HINTS['accuse']}.")
            if len(named) > 1:
                raise UnreadableOrder(f"{' and '.join(named[:3])} are all of one kind: {HINTS['accuse']}.")
        return by_kind(cards)

    def bid(self) -> Parts:
        """Read a number."""
        return Parts("bid", numbers=(self._number(),))


READERS: dict[str, Callable[[Reader], Parts]] = {
    "play": Reader.play,
    "flip": Reader.flip,
    "challenge": Reader.challenge,
    "pass": Reader.alone,
    "give": Reader.lose,
    "show": Reader.lose,
    "accuse": Reader.accuse,
    "bid": Reader.bid,
}
HINTS = {
    "play": "one card is played, and declared after the word as",
    "flip": "what follows are the numbers of face-down cards",
    "challenge": "what may follow is give and the card to lose",
    "pass": "it stands alone",
    "give": "one card of the hand is given",
    "show": "one card of the hand is shown",
    "accuse": "an accusation names one Character, one Location and one Weapon",
    "bid": "one number is bid",
}


def read(words: list[str], names: Collection[str]) -> Parts | None:
    """Sort the words of a line into its parts; None: it is talk.

    Raises: UnreadableOrder
    """
    if not words or all(word == "x" for word in words):
        return None
    try:
        return Reader(words).read()
    except UnreadableOrder:
        if is_talk(words, names):
            return None
        raise
