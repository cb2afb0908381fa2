"""Open a state for one step: move cards between named places, one at a time, and note each event."""

from collections.abc import Iterable

from engines.accuse.deck import FACE, RANK, ordered
from engines.accuse.sight import ALL, bits
from engines.accuse.table import Laid, State
from pbem.engine import Dice, Event

Fact = int | str | bool | list["Fact"] | dict[str, "Fact"] | None


class Board:
    """Hold a state open while a step is made.

    Orders: as in State; hands and `up` are sorted again when the board is closed.
    """

    __slots__ = (
        "accusations", "asked", "bids", "dice", "down", "due", "ending", "events", "given", "gone", "hands", "player",
        "queue", "shown", "state", "titles", "turn", "up", "winners",
    )  # fmt: skip

    def __init__(self, state: State, dice: Dice) -> None:
        self.state = state
        self.dice = dice
        self.titles = dict(state.deck)
        self.events: list[Event] = []
        self.hands = [list(hand) for hand in state.hands]
        self.down = list(state.down)
        self.up = list(state.up)
        self.gone = list(state.gone)
        self.shown = list(state.shown)
        self.given = state.given
        self.turn = state.turn
        self.player = state.player
        self.asked = [""] * len(state.names)
        self.due = 0
        self.accusations = state.accusations
        self.bids = state.bids
        self.queue = state.queue
        self.ending = ""
        self.winners: tuple[int, ...] = ()

    def close(self) -> State:
        """Give the state that the step made."""
        before = self.state
        return State(
            before.names,
            before.options,
            before.deck,
            before.dealt,
            before.culprits,
            tuple(map(ordered, self.hands)),
            tuple(self.down),
            ordered(self.up),
            tuple(self.gone),
            tuple(self.shown),
            self.given,
            self.turn,
            self.player,
            tuple(self.asked),
            self.due,
            self.accusations,
            self.bids,
            self.queue,
            self.ending,
            self.winners,
        )

    def note(self, kind: str, **facts: Fact) -> None:
        """Note what everybody sees."""
        self.events.append(Event(kind, facts))

    def note_for(self, seats: tuple[int, ...], kind: str, **facts: Fact) -> None:
        """Note what these seats alone see."""
        self.events.append(Event(kind, facts, seats))

    def card(self, card: str) -> Fact:
        """Give a card as facts tell it: its code and its name."""
        code = FACE[card]
        return [code, self.titles[code]]

    def cards(self, cards: Iterable[str]) -> Fact:
        """Give cards as facts tell them."""
        return [self.card(card) for card in cards]

    def place(self, declared: str) -> Fact:
        """Give what was declared as facts tell it: a card, or a Center card."""
        return [declared, self.titles[declared]]

    def held(self, seat: int, code: str) -> str:
        """Give the card of a hand that shows this code: of two Traps either."""
        return next(card for card in self.hands[seat] if FACE[card] == code)

    def show_all(self, card: str) -> None:
        """Let everybody see a card."""
        self.shown[RANK[card]] = ALL

    def lay(self, seat: int, card: str, declared: str) -> Laid:
        """Move a card from a hand face down on the table, under a number that was never given.

        Rule: C5
        """
        self.hands[seat].remove(card)
        self.given += 1
        laid = Laid(self.given, card, declared, seat)
        self.down.append(laid)
        return laid

    def turn_up(self, number: int) -> str:
        """Move a face-down card face up for everybody to see, and give it.

        Rule: C8, C20
        """
        laid = next(laid for laid in self.down if laid.number == number)
        self.down.remove(laid)
        self.up.append(laid.card)
        self.show_all(laid.card)
        return laid.card

    def take_away(self, card: str) -> None:
        """Move a face-up Trap out of the game.

        Rule: C8, C13
        """
        self.up.remove(card)
        self.gone.append(card)

    def give(self, seat: int, other: int, code: str) -> None:
        """Move a card from one hand to another; the two know it, the others see that a card was given.

        Rule: C12
        """
        card = self.held(seat, code)
        self.hands[seat].remove(card)
        self.hands[other].append(card)
        self.shown[RANK[card]] |= bits((other,))
        self.note("gave", seat=seat, other=other)
        self.note_for((seat, other), "gave_card", seat=seat, other=other, card=self.card(card))

    def show(self, seat: int, code: str) -> None:
        """Move a card from a hand face up on the table.

        Rule: C13
        """
        card = self.held(seat, code)
        self.hands[seat].remove(card)
        self.up.append(card)
        self.show_all(card)
        self.note("showed", seat=seat, card=self.card(card))
