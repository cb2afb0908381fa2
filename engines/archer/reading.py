"""Read a line: split it into words, tell talk from an attempt, and put each word of an attempt into its place.

The order of the words decides what each is: the card, then the player, then the character. Nothing here asks what the
rules allow; that is done in `legal`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from engines.archer.cards import CHARACTERS, CHERYL, CYRIL, KRUEGER, LANA, MALORY, PAM, RAY, STERLING, listed, named
from engines.archer.orders import HIDE, LOOK, word
from pbem.engine import AmbiguousOrder, UnreadableOrder

NAME, CHARACTER, WAY = "name", "character", "way"
PLACES: dict[int, tuple[str, ...]] = {
    MALORY: (),
    LANA: (),
    RAY: (NAME,),
    PAM: (NAME,),
    CHERYL: (WAY,),
    CYRIL: (NAME,),
    KRUEGER: (CHARACTER,),
    STERLING: (NAME, CHARACTER),
}
WORDS = {word(character): character for character in CHARACTERS}
SURNAME, BEARERS = "archer", (MALORY, STERLING)
SHORTEST, LONGEST = 3, 30
QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“", "‘": "’", "«": "»"}


@dataclass(slots=True)
class Parts:
    """Hold what a line says, part by part; what it does not say is "" or 0."""

    card: int
    name: str = ""
    named: int = 0
    way: str = ""


def quoted(text: str) -> str:
    """Give a player's word back in quotes, cut to a readable length."""
    return f'"{text[:LONGEST]}…"' if len(text) > LONGEST else f'"{text}"'


def split(text: str) -> list[str]:
    """Split a line into lower-case words, without commas and without quotes round a word."""
    words = text.strip().removesuffix(".").casefold().replace(",", " ").split()
    return [word[1:-1] if len(word) > 2 and QUOTES.get(word[0]) == word[-1] else word for word in words]


@lru_cache(maxsize=4096)
def spelled(text: str) -> tuple[int, ...]:
    """Give the characters that a word may mean: by number, by name, or by the start of the name."""
    if len(text) == 1:
        return (int(text),) if text in "12345678" else ()
    if len(text) < SHORTEST:
        return ()
    found = tuple(character for name, character in WORDS.items() if name.startswith(text))
    return found + (BEARERS if SURNAME.startswith(text) else ())


def meant(text: str) -> int:
    """Give the card that a line begins with, or 0."""
    words = split(text)
    first = words[1:2] if words[:1] == ["play"] else words[:1]
    found = spelled(first[0]) if first else ()
    return found[0] if len(found) == 1 else 0


def read(text: str, names: Mapping[str, str]) -> Parts | None:
    """Put the words of a line into their places; None: it is talk.

    Orders: `names` maps each player's name in lower case to the name.
    Raises: UnreadableOrder, AmbiguousOrder
    """
    words = split(text)
    told = words[:1] == ["play"]
    card, *rest = words[told:] or [""]
    if told and (not card or (not spelled(card) and (card in names or card.isdigit()))):
        raise UnreadableOrder(f'"play" needs a card after it{f", and {quoted(card)} is none" if card else ""}.')
    if not _is_attempt(card, rest, names, told=told):
        return None
    character = _one(card)
    places = PLACES[character]
    if len(rest) > len(places):
        raise UnreadableOrder(_too_much(character, rest[len(places)]))
    parts = Parts(character)
    for place, one in zip(places, rest, strict=False):
        _put(parts, place, one, names)
    return parts


def _is_attempt(card: str, rest: list[str], names: Mapping[str, str], *, told: bool) -> bool:
    """Tell whether a line tries to be an order: a card, and what might follow one.

    One word may be none of ours, where a name or a character belongs; but then `play`, another word, or its own looks
    must show that it is no talk. A card's name alone is how a player of that name signs.
    """
    if not spelled(card):
        return False
    if not rest:
        return told or card.isdigit()
    places = PLACES[STERLING if len(spelled(card)) > 1 else spelled(card)[0]]
    strange = [at for at, one in enumerate(rest) if not _is_ours(one, names)]
    if not strange:
        return True
    words = {NAME: names, CHARACTER: WORDS, WAY: (HIDE, LOOK)}
    return (
        len(strange) == 1
        and strange[0] < len(places)
        and (told or len(rest) > 1 or _near(rest[0], words[places[0]]) != "")
    )


def _is_ours(text: str, names: Mapping[str, str]) -> bool:
    ascii_number = text.isascii() and text.isdigit()
    return text in names or ascii_number or text in ("play", HIDE, LOOK) or bool(spelled(text))


def _one(text: str) -> int:
    """Give the one character that a word means.

    Raises: AmbiguousOrder
    """
    character, *more = spelled(text)
    if more:
        both = listed([named(one) for one in (character, *more)], "or")
        raise AmbiguousOrder(f"{quoted(text)} may be {both}: write the number or the first name.")
    return character


def _put(parts: Parts, place: str, text: str, names: Mapping[str, str]) -> None:
    """Put a word into its place: a player's name is one in a player's place alone, and there always.

    Raises: UnreadableOrder, AmbiguousOrder
    """
    if place == NAME:
        if text not in names:
            raise UnreadableOrder(f"{quoted(text)} is no player at this table{_ask_back(text, names)}")
        parts.name = names[text]
    elif place == CHARACTER:
        if not spelled(text):
            raise UnreadableOrder(f"{quoted(text)} is no character{_ask_back(text, WORDS)}")
        parts.named = _one(text)
    elif text in (HIDE, LOOK):
        parts.way = text
    else:
        raise UnreadableOrder(f'After {named(CHERYL)} stands "hide" or "look", not {quoted(text)}.')


def _near(text: str, words: Collection[str]) -> str:
    """Give the word that looks like what was written, or ""."""
    return next(iter(get_close_matches(text[:LONGEST], words, 1)), "")


def _ask_back(text: str, words: Collection[str]) -> str:
    near = _near(text, words)
    return f"; was {near} meant?" if near else "."


def _too_much(character: int, text: str) -> str:
    places = PLACES[character]
    what = {NAME: "a player", CHARACTER: "a character", WAY: '"hide" or "look"'}
    takes = f"only {listed([what[place] for place in places])}" if places else "nothing"
    return f"{named(character)} takes {takes} after it, and here stands {quoted(text)}."
