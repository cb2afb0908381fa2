"""Read a line: split it into words, tell talk from an attempt, and sort an attempt into its parts.

Nothing here asks what the rules allow; that is done in `legal`.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from engines.blame.deck import EMBLEMS, ROLES, code
from pbem.engine import UnreadableOrder

SIGNS = {"~": "swap", "=": "exchange", "!": "accuse", "?": "spy", "_": "bury"}
QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“", "‘": "’", "«": "»"}
ROLE_LETTERS = {role.name.casefold(): emblem for emblem, role in ROLES.items()}


@dataclass(slots=True)
class Parts:
    """Hold what a line says, part by part; `used` are its verbs, in the order of the line."""

    used: list[str] = field(default_factory=list)
    cards: tuple[str, ...] = ()
    swap: str = ""
    name: str = ""
    gift: str = ""
    to: str = ""
    bury: tuple[str, ...] = ()
    take: str = ""


def quoted(text: str) -> str:
    """Give a player's word back in quotes, cut to a readable length."""
    return f'"{text[:30]}…"' if len(text) > 30 else f'"{text}"'


def _bare(word: str) -> str:
    """Take off quotes that stand around one word."""
    return word[1:-1] if len(word) > 2 and QUOTES.get(word[0]) == word[-1] else word


def _split(word: str, names: Collection[str]) -> list[str]:
    """Write a word with signs as words of ours: `!bob` as accuse bob, `A2>bob` as give a2 bob."""
    word = _bare(word)
    if word.isalnum() or word in names:
        return [word]
    rest = _bare(word[1:])
    if word[0] in SIGNS and rest and (rest in names or rest[0].isalnum()):
        return [SIGNS[word[0]], *_split(rest, names)]
    card, sign, name = word.partition(">")
    if sign and code(card):
        return ["give", card, _bare(name)] if name else ["give", card]
    return [word]


def split(text: str, names: Collection[str]) -> list[str]:
    """Split a line into lower-case words, signs written out.

    Orders: `names` are the players' names, in lower case.
    """
    line = text.strip()
    words = line.removesuffix(".").casefold().replace(",", " ").split()
    return [part for word in words for part in ([word] if word.isalnum() else _split(word, names))]


def _emblems(word: str) -> str:
    """Give the Emblem letters that a word stands for, or ""."""
    if word in ROLE_LETTERS:
        return ROLE_LETTERS[word]
    letters = word.upper()
    return letters if len(letters) <= 2 and all(letter in EMBLEMS for letter in letters) else ""


def _is_name_place(words: list[str], at: int) -> bool:
    if at and words[at - 1] in ("accuse", "exchange", "spy"):
        return True
    return at > 1 and words[at - 2] == "give" and code(words[at - 1]) != ""


def is_talk(words: list[str], names: Collection[str]) -> bool:
    """Tell whether a line is no attempt at an order.

    An attempt has a word of ours or a card's code, and each further word is one too, or a player's name, an Emblem, a
    number, or stands where a name belongs.
    """
    attempt = False
    for at, word in enumerate(words):
        if word in READERS or (code(word) and word != "x"):
            attempt = True
        elif word in names or word == "x" or _emblems(word) or (word.isascii() and word.isdigit()):
            continue
        elif not _is_name_place(words, at):
            return True
    return not attempt


class Reader:
    """Walk along the words of a line and fill in its parts.

    Raises: UnreadableOrder
    """

    __slots__ = ("at", "names", "parts", "words")

    def __init__(self, words: list[str], names: dict[str, str]) -> None:
        self.words = words
        self.names = names
        self.at = 0
        self.parts = Parts()

    def read(self) -> Parts:
        """Read the whole line."""
        while self.at < len(self.words):
            word = self.words[self.at]
            if reader := READERS.get(word):
                self.at += 1
                self._use(word if word != "0" else "draw")
                reader(self)
            elif code(word):
                self._use("play")
                self.play()
            else:
                raise UnreadableOrder(f"{quoted(word)} cannot be read: it is no card, and no word of an order.")
        return self.parts

    def _use(self, verb: str) -> None:
        if verb in self.parts.used:
            raise UnreadableOrder(f"{quoted(verb)} stands twice in one order.")
        self.parts.used.append(verb)

    def _peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def _cards(self, verb: str) -> tuple[str, ...]:
        cards = []
        while card := code(self._peek()):
            cards.append(card)
            self.at += 1
        if not cards:
            raise UnreadableOrder(f"{quoted(verb)} needs a card after it{self._instead()}.")
        return tuple(cards)

    def _instead(self) -> str:
        return f", and {quoted(self._peek())} is none" if self._peek() else ""

    def draw(self) -> None:
        """Read `draw`, `back` or `pass`: nothing follows."""

    def play(self) -> None:
        """Read the cards of a turn."""
        self.parts.cards = self._cards("play")

    def swap(self) -> None:
        """Read Emblems, together or apart, as letters or as the names of Roles."""
        while letters := _emblems(self._peek()):
            self.parts.swap += letters
            self.at += 1
        if not self.parts.swap:
            raise UnreadableOrder(f'"swap" needs an Emblem after it{self._instead()}.')
        if len(self.parts.swap) > 2:
            raise UnreadableOrder("A swap names two Emblems at most.")

    def point(self) -> None:
        """Read the player whom `accuse`, `exchange` or `spy` names."""
        verb = self.words[self.at - 1]
        name = self._peek()
        if name not in self.names:
            raise UnreadableOrder(f"{quoted(verb)} needs a player's name after it{self._instead()}.")
        self.parts.name = self.names[name]
        self.at += 1

    def give(self) -> None:
        """Read a card and, where one stands, the name of a player."""
        card = code(self._peek())
        if not card:
            raise UnreadableOrder(f'"give" needs a card after it{self._instead()}.')
        self.parts.gift = card
        self.at += 1
        name = self._peek()
        if name in self.names:
            self.parts.to = self.names[name]
            self.at += 1
        elif name and name not in READERS and not code(name):
            raise UnreadableOrder(f"{quoted(name)} is no player at this table.")

    def bury(self) -> None:
        """Read the cards of which the first in hand is buried."""
        self.parts.bury = self._cards("bury")

    def take(self) -> None:
        """Read one Emblem or the name of a Role."""
        letters = _emblems(self._peek())
        if len(letters) != 1:
            raise UnreadableOrder(f'"take" needs the letter of one Role after it{self._instead()}.')
        self.parts.take = letters
        self.at += 1


READERS: dict[str, Callable[[Reader], None]] = {
    "draw": Reader.draw,
    "0": Reader.draw,
    "play": Reader.play,
    "swap": Reader.swap,
    "exchange": Reader.point,
    "accuse": Reader.point,
    "spy": Reader.point,
    "give": Reader.give,
    "bury": Reader.bury,
    "back": Reader.draw,
    "pass": Reader.draw,
    "take": Reader.take,
}


def read(words: list[str], names: dict[str, str]) -> Parts | None:
    """Sort the words of a line into its parts; None: it is talk.

    Orders: `names` maps each player's name in lower case to the name.
    Raises: UnreadableOrder
    """
    if not words or all(word == "x" for word in words):
        return None
    try:
        return Reader(words, names).read()
    except UnreadableOrder:
        if is_talk(words, names):
            return None
        raise
