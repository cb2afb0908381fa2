"""Hold what lies on the table: the options, the state, and what one seat may know of it.

A seat is a number, a card a code (`VT2`, a Treason `X`), a Role or Emblem its letter. In an event's facts CARD is
`[code, title]`, so that an event can be told without a state; CARDS is a list of them, and a seat of None is the table.
Where others may know less there are two events: the public one, and its twin for those named.

| event | facts | seen by |
|---|---|---|
| chose | seat, role: took this Role (`roles=choose`) | all |
| turn | turn, seat: this turn begins | all |
| played | seat, role (held now), cards: CARDS in order, none for a draw | all |
| mistake | seat, card: CARD, under: CARD, why ("emblem", "treason"): the last card broke B6 | all |
| drew | seat, count, left: so many cards, so many are left to draw | all |
| drew_cards | seat, cards: CARDS | seat |
| swapped | seat, roles: [[emblem, from, to], [emblem, from, to]]: who swapped, and each Role's way | all |
| swapped_back | seat, roles: as above, by Nobility | all |
| exchanged | seat, other, gave, got: how many cards went each way | all |
| exchanged_cards | seat, other, gave: CARDS of seat's, got: CARDS of other's | seat, other |
| accused | seat, other | all |
| counted | seat, other, emblems, cards: CARDS of the pile from the top down, counts, blamed | all |
| nobody | seat: nobody may be accused | all |
| blamed | seat, count: takes the Blame, so many cards | all |
| blamed_cards | seat, cards: CARDS, where the pile was not counted | seat |
| spied | seat, other, count: takes so many Secrets of other | all |
| spied_cards | seat, other, cards: CARDS | seat, other |
| gave | seat, other | all |
| gave_card | seat, other, card: CARD | seat, other |
| buried | seat | all |
| buried_card | seat, card: CARD | seat |
| declined | seat, what ("bury", "nobility") | all |
| turned | card: CARD, left: turned up to start the Blame pile | all |
| ended | ending ("deck", "turns"), roles, hands: CARDS of each seat, scores, winners | all |

`emblems` and `counts` in counted are [seat's, other's]. In a step the events stand in the order in which things happen,
a twin right after its public event.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from engines.blame.deck import ROLES, Role


@dataclass(frozen=True, slots=True)
class Options:
    """Hold what the rules leave to taste, with the defaults of the rules page.

    Rule: B1, B2, B7, B18, B18a, B23, B25
    """

    first: str = ""
    roles: Literal["random", "choose"] = "random"
    hand: Annotated[int, Field(ge=1, le=7)] = 3
    mistakes: Literal["refuse", "blame"] = "refuse"
    bury: Literal["any", "own"] = "any"
    restart: Literal["top", "empty"] = "top"
    after_blame: Literal["next", "blamed"] = "next"
    abilities: Literal["on", "off"] = "on"
    max_turns: Annotated[int, Field(ge=1, le=10_000)] = 200


@dataclass(frozen=True, slots=True)
class State:
    """Hold a whole game.

    Orders: `roles`, `hands`, `secrets` and `asked` are by seat; the top of `pile` and of `draw` is the last card;
    hands are sorted. A Role not yet chosen and a seat not asked anything are "".
    Secret: all of it; what a seat may know is its View.
    """

    names: tuple[str, ...]
    options: Options
    deck: tuple[tuple[str, str], ...]
    roles: tuple[str, ...]
    untaken: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...]
    secrets: tuple[tuple[str, ...], ...]
    pile: tuple[str, ...]
    draw: tuple[str, ...]
    first: int
    turn: int
    player: int
    asked: tuple[str, ...]
    swap: str = ""
    spied: int | None = None
    blamed: int | None = None
    ending: str = ""
    scores: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """Hold all that one seat (None: an observer) may know.

    `deck` is every card of the game with its title, `top` the Blame pile's top card or "". `turn` is 0 while Roles are
    chosen; `player` is whose turn it is (or who chooses). `asked` names what is asked of each seat, "" for nothing: who
    has answered it stands nowhere. `swap` holds the two Emblems of a swap that Nobility may undo, `spied` the seat that
    the Spymaster owes a card, `blamed` who took the Blame, while these wait. When the game is over `ending` says how,
    `hands` holds every hand, `scores` and `winners` are known; before that they are empty.
    Secret: `hand` and `secrets` are the seat's own, empty for an observer.
    Rule: B8, B18, B24
    """

    seat: int | None
    names: tuple[str, ...]
    options: Options
    deck: tuple[tuple[str, str], ...]
    roles: tuple[str, ...]
    untaken: tuple[str, ...]
    hand_sizes: tuple[int, ...]
    secret_counts: tuple[int, ...]
    draw_size: int
    pile_size: int
    top: str
    hand: tuple[str, ...]
    secrets: tuple[str, ...]
    turn: int
    player: int
    asked: tuple[str, ...]
    swap: str
    spied: int | None
    blamed: int | None
    ending: str
    hands: tuple[tuple[str, ...], ...]
    scores: tuple[int, ...]
    winners: tuple[int, ...]

    @property
    def ask(self) -> str:
        """Name what is asked of this seat, "" for nothing."""
        return "" if self.seat is None else self.asked[self.seat]

    @property
    def role(self) -> str:
        """Give the letter of this seat's Role, "" for none."""
        return "" if self.seat is None else self.roles[self.seat]

    @property
    def others(self) -> tuple[int, ...]:
        """Give the other seats, in turn order from this one on."""
        seats = range(len(self.names))
        return tuple(seats) if self.seat is None else (*seats[self.seat + 1 :], *seats[: self.seat])

    @property
    def titles(self) -> dict[str, str]:
        """Give each card's title."""
        return dict(self.deck)

    def card(self, emblem: str) -> Role:
        """Give the Role card with this Emblem: name, office, colour, ability, text."""
        return ROLES[emblem]
