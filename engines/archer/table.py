"""Hold what lies on the table: the options, the state, and what one seat may know of it.

A seat is a number. In a State a card is its place in the kit, so that each of the five Sterlings is one of its own and
it can be told who was ever shown which; outside it, in views, orders and events, a card is its character's number.

| event | facts | seen by |
|---|---|---|
| round | round, seat: this round begins, and this seat starts it | all |
| dealt | seat, card: the first card in hand of a round | seat |
| turn | turn, seat, left: this turn begins, its player drew, so many cards are left | all |
| drew | seat, card | seat |
| played | seat, card, other: whom the card is played at, or none | all |
| without_effect | seat: nobody is open to the card | all |
| shuffled | seat, seats: whose cards were shuffled with the secret and dealt anew | all |
| discarded | seat, card: laid without effect, as Ray or Pam demands | all |
| took_secret | seat, replaced: whether the deck's top card is the secret now, left | all |
| redrew | seat, left: drew a new card in place of the one discarded | all |
| got | seat, card: the card that this brought | seat |
| hid | seat: is protected | all |
| looked | seat: looked at the secret | all |
| dueled | seat, other, lower: the seat of the lower card, or none | all |
| duel_cards | seat, other, cards: [seat's, other's] | seat, other |
| guessed_secret | seat, named, right | all |
| saw_secret | seat, card | seat |
| guessed | seat, other, named, right | all |
| saw_hand | seat, other, card | seat |
| out | seat, card: the hand that is laid face up | all |
| round_over | round, how (guess, alone, deck), winners, hands: by seat, none for who is out, secret, points | all |
| ended | how, winners, points | all |

In a step the events stand in the order in which things happen, a private one right after its public one. `secret` is
none where there is no secret any more.
"""

from dataclasses import dataclass

from engines.archer.cards import CHARACTERS, Character

NO_SECRET = -1


@dataclass(frozen=True, slots=True)
class Options:
    """Hold what the rules leave to taste, with the default of the rules page.

    Rule: A2
    """

    first: str = ""


@dataclass(frozen=True, slots=True)
class Sight:
    """Hold what a seat has seen: the card of a seat's hand (`of`; none: the secret), and in which turn.

    `past` tells why it may no longer be there: laid, discarded, out, lana, ray; "" while it must be.
    Orders: `card` is a card of the kit in a State, a character in a View.
    Secret: for the seat that saw it.
    Rule: A4
    """

    of: int | None
    card: int
    turn: int
    past: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """Hold a whole game.

    `kit` is the character of every card, the strongest first; `needed` the points that win. `round` and `turn` count
    from 1 through the game; `first` started the round. Who is out of the round has no card in `hands`; `laid` are the
    cards face up before each seat. `seen` is what each seat has seen. For each card of the kit `shown` has the bits of
    those who were ever shown it in this round (`eye`), and `fits` the bits of the characters that it might be: with one
    of those in its place the round would have gone the same way for all but those.
    Orders: hands are sorted, the strongest first; the top of `draw` is its last card; `laid` is in the order of play.
    Secret: all of it; what a seat may know is its View.
    """

    names: tuple[str, ...]
    options: Options
    kit: tuple[int, ...]
    needed: int
    points: tuple[int, ...]
    round: int
    turn: int
    first: int
    player: int
    hands: tuple[tuple[int, ...], ...]
    secret: int
    draw: tuple[int, ...]
    laid: tuple[tuple[int, ...], ...]
    shielded: tuple[bool, ...]
    seen: tuple[tuple[Sight, ...], ...]
    shown: tuple[int, ...]
    fits: tuple[int, ...]
    ending: str = ""
    winners: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """Hold all that one seat (None: an observer) may know; every card is a character's number.

    `inside` tells who is still in the round. When the game is over `ending` says how its last round ended, `hands`
    holds the card of each seat (0: it was out) and `secret` the secret (0: there was none); before that they are empty.
    Secret: `hand` and `seen` are the seat's own, empty for an observer.
    Rule: A3, A4, A12
    """

    seat: int | None
    names: tuple[str, ...]
    options: Options
    kit: tuple[int, ...]
    needed: int
    points: tuple[int, ...]
    round: int
    turn: int
    first: int
    player: int
    inside: tuple[bool, ...]
    shielded: tuple[bool, ...]
    laid: tuple[tuple[int, ...], ...]
    draw_size: int
    hand: tuple[int, ...]
    seen: tuple[Sight, ...]
    ending: str
    winners: tuple[int, ...]
    hands: tuple[int, ...]
    secret: int

    @property
    def ask(self) -> str:
        """Name what is asked of this seat, "" for nothing."""
        return "turn" if self.seat == self.player and not self.ending else ""

    @property
    def others(self) -> tuple[int, ...]:
        """Give the other seats, in turn order from this one on."""
        seats = range(len(self.names))
        return tuple(seats) if self.seat is None else (*seats[self.seat + 1 :], *seats[: self.seat])

    @property
    def open(self) -> tuple[int, ...]:
        """Give the other seats at which a card may be played now, in turn order.

        Rule: A13
        """
        return tuple(seat for seat in self.others if self.inside[seat] and not self.shielded[seat])

    @property
    def unseen(self) -> dict[int, int]:
        """Count the copies of each character that lie neither face up nor in the seat's own hand.

        What it has seen of others' cards is not taken off: that is its own to remember.
        """
        left = dict.fromkeys(CHARACTERS, 0)
        for character in self.kit:
            left[character] += 1
        for cards in (*self.laid, (*self.hands, self.secret) if self.ending else self.hand):
            for character in cards:
                if character:
                    left[character] -= 1
        return left

    def card(self, character: int) -> Character:
        """Give what a card shows: number, name, full name, copies, text."""
        return CHARACTERS[character]
