"""Hold what lies on the table: the options, the state, and what one seat may know of it.

A seat is a number, a card a code (`C3`; a Trap `X`), a place what a card may be declared as: a code, or with
`declare=center` the number of a Center card. In an event's facts CARD is `[code, name]` (PLACE likewise), so that an
event can be told without a state; CARDS is a list of them, NUMBERED a list of `[number, CARD]`. Where others may know
less there are two events: the public one, and its twin for those named.

| event | facts | seen by |
|---|---|---|
| turn | turn, seat: this turn begins | all |
| passed_over | seat: has no card and nothing to turn up, while another holds one | all |
| cornered | seat, why ("empty", "turns"): must accuse now | all |
| laid | seat, number, declared: PLACE | all |
| laid_card | seat, number, card: CARD | seat |
| unchallenged | number, seats: who could have challenged | all |
| challenged | seat, other (who laid it), number | all |
| bluff | seat, other, number, card: CARD, declared: PLACE: seat takes the card | all |
| proved | seat, other, number, card: CARD: stays face up, seat owes other a card | all |
| trap | seat, other, number, card: CARD: leaves the game, seat must show a card | all |
| gave | seat, other | all |
| gave_card | seat, other, card: CARD | seat, other |
| showed | seat, card: CARD: put face up on the table | all |
| flipped | seat, number, card: CARD, gone: a Trap that leaves the game | all |
| accused | seat, cards: CARDS | all |
| wrong | seat: that was wrong, seat is out | all |
| culprits | seat, cards: CARDS | seat |
| gave_up | seat: accuses nobody, and is out | all |
| dropped | what ("challenge", "give", "show"), seat, number: an open window, or what seat owed | all |
| laid_down | seat, numbers: each hand is laid face down | all |
| laid_down_cards | seat, cards: NUMBERED | seat |
| bidding | turn, seats, most: who bids, and the highest bid | all |
| bids | bids: [[seat, bid], ...] in the order of guessing | all |
| guess | turn, seat, due: seat guesses, and turns up so many cards before | all |
| ended | ending ("accused", "guessed", "nobody"), winners, culprits: CARDS | all |

In a step the events stand in the order in which things happen, a twin right after its public event.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from engines.accuse.deck import CLUES, KINDS


@dataclass(frozen=True, slots=True)
class Options:
    """Hold what the rules leave to taste, with the defaults of the rules page.

    Rule: C2, C4, C9, C10
    """

    first: str = ""
    declare: Literal["card", "center"] = "card"
    challenge: Literal["seat", "first"] = "seat"
    max_turns: Annotated[int, Field(ge=1, le=10_000)] = 100


@dataclass(frozen=True, slots=True)
class Laid:
    """Be one face-down card: its number, what was declared, and who laid it.

    A card of a hand that was laid down in front of its player (C18) was declared as nothing: "". In a View `card` is ""
    unless the seat laid it.
    Rule: C5, C6, C18
    """

    number: int
    card: str
    declared: str
    seat: int

    @property
    def in_front(self) -> bool:
        """Tell whether it lies in front of its player, not in the middle."""
        return not self.declared


@dataclass(frozen=True, slots=True)
class State:
    """Hold a whole game.

    Orders: `dealt` and `hands` are by seat, hands and `up` sorted, `down` in the order of the numbers; `shown` goes by
    `deck.CARDS`: for each card, as bits, the seats that were ever shown it, and PUBLIC. `accusations` are (seat, cards)
    of those that were wrong or given up, the first one first. `queue` holds who guesses after `player`.
    Secret: all of it; what a seat may know is its View.
    """

    names: tuple[str, ...]
    options: Options
    deck: tuple[tuple[str, str], ...]
    dealt: tuple[tuple[str, ...], ...]
    culprits: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...]
    down: tuple[Laid, ...]
    up: tuple[str, ...]
    gone: tuple[str, ...]
    shown: tuple[int, ...]
    given: int
    turn: int
    player: int
    asked: tuple[str, ...]
    due: int = 0
    accusations: tuple[tuple[int, tuple[str, ...]], ...] = ()
    bids: tuple[int, ...] = ()
    queue: tuple[int, ...] = ()
    ending: str = ""
    winners: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """Hold all that one seat (None: an observer) may know.

    `deck` names every card and Center card. `down` are the face-down cards by number, `up` the face-up ones,
    `traps_gone` the number of Traps that left the game. `given` is the last number given, `player` whose turn or guess
    it is, `asked` what is asked of each seat, "" for nothing: who has answered it stands nowhere. `due` is how many
    cards the player must still turn up, `bids` are by seat once all are in, -1 for who made none, and `queue` is who
    guesses afterwards.
    Secret: `hand` is the seat's own; `seen` are the cards, Traps left out, that it was ever shown, culprits not
    counted; `culprits` is empty unless it was shown them. An observer holds no hand, and was shown what all were.
    Rule: C5, C6, C17, C19
    """

    seat: int | None
    names: tuple[str, ...]
    options: Options
    deck: tuple[tuple[str, str], ...]
    hand: tuple[str, ...]
    hand_sizes: tuple[int, ...]
    down: tuple[Laid, ...]
    up: tuple[str, ...]
    traps_gone: int
    seen: tuple[str, ...]
    culprits: tuple[str, ...]
    given: int
    turn: int
    player: int
    asked: tuple[str, ...]
    due: int
    accusations: tuple[tuple[int, tuple[str, ...]], ...]
    bids: tuple[int, ...]
    queue: tuple[int, ...]
    ending: str
    winners: tuple[int, ...]

    @property
    def ask(self) -> str:
        """Name what is asked of this seat, "" for nothing."""
        return "" if self.seat is None else self.asked[self.seat]

    @property
    def center(self) -> bool:
        """Tell whether cards are declared by the number of a Center card.

        Rule: C2
        """
        return self.options.declare == "center"

    @property
    def hunting(self) -> bool:
        """Tell whether nobody has accused wrongly yet.

        Rule: C16, C17
        """
        return not self.accusations and not self.ending

    @property
    def out(self) -> tuple[int, ...]:
        """Give the seats that are out, the first one first.

        Rule: C17, C17a
        """
        return tuple(seat for seat, _ in self.accusations)

    @property
    def open(self) -> Laid | None:
        """Give the play that may be challenged now.

        Rule: C10
        """
        return self.down[-1] if "challenge" in self.asked else None

    @property
    def flippable(self) -> tuple[int, ...]:
        """Give the numbers of the cards that the player may turn up now.

        Rule: C8, C20
        """
        if self.hunting:
            return tuple(laid.number for laid in self.down if laid.number != self.given)
        return tuple(laid.number for laid in self.down if not (laid.in_front and laid.seat == self.player))

    @property
    def possible(self) -> tuple[tuple[str, ...], ...]:
        """Give the cards of each kind that may be the culprit, as far as this seat was shown."""
        if self.culprits:
            return tuple((card,) for card in self.culprits)
        left = [card for card in CLUES if card not in self.seen]
        return tuple(tuple(card for card in left if card[0] == kind) for kind in KINDS)

    @property
    def titles(self) -> dict[str, str]:
        """Give each card's name."""
        return dict(self.deck)
