"""Open a state for one step: move cards between named piles, one at a time, and note each event."""

from collections.abc import Iterable

from engines.blame.deck import DECK, TITLES, TREASON, emblems, ordered
from engines.blame.table import State
from pbem.engine import Event

Fact = int | str | list["Fact"] | dict[str, "Fact"] | None


class DrawPileEmpty(Exception):
    """Stop whatever was going on: the last card was drawn.

    Rule: B10
    """


class Board:
    """Hold a state open while a step is made.

    Orders: as in State; hands are sorted again when the board is closed.
    """

    __slots__ = (
        "asked", "blamed", "draw", "ending", "events", "hands", "pile", "player", "roles", "scores", "secrets", "spied",
        "state", "swap", "titles", "turn", "untaken", "winners",
    )  # fmt: skip

    def __init__(self, state: State) -> None:
        self.state = state
        self.titles = TITLES if state.deck is DECK else dict(state.deck)
        self.events: list[Event] = []
        self.roles = list(state.roles)
        self.untaken = list(state.untaken)
        self.hands = [list(hand) for hand in state.hands]
        self.secrets = [list(cards) for cards in state.secrets]
        self.pile = list(state.pile)
        self.draw = list(state.draw)
        self.turn = state.turn
        self.player = state.player
        self.asked = [""] * len(state.names)
        self.swap = ""
        self.spied: int | None = None
        self.blamed: int | None = None
        self.ending = ""
        self.scores: tuple[int, ...] = ()
        self.winners: tuple[int, ...] = ()

    def close(self) -> State:
        """Give the state that the step made."""
        before = self.state
        hands = [
            hand if (hand := tuple(cards)) == old else ordered(hand)
            for cards, old in zip(self.hands, before.hands, strict=True)
        ]
        return State(
            before.names,
            before.options,
            before.deck,
            tuple(self.roles),
            tuple(self.untaken),
            tuple(hands),
            tuple(map(tuple, self.secrets)),
            tuple(self.pile),
            tuple(self.draw),
            before.first,
            self.turn,
            self.player,
            tuple(self.asked),
            self.swap,
            self.spied,
            self.blamed,
            self.ending,
            self.scores,
            self.winners,
        )

    def seat(self, name: str) -> int:
        """Give the seat of a player that an order names."""
        return self.state.names.index(name)

    def note(self, kind: str, **facts: Fact) -> None:
        """Note what everybody sees."""
        self.events.append(Event(kind, facts))

    def note_for(self, seats: tuple[int, ...], kind: str, **facts: Fact) -> None:
        """Note what these seats alone see."""
        self.events.append(Event(kind, facts, seats))

    def card(self, code: str) -> Fact:
        """Give a card as facts tell it: its code and its title."""
        return [code, self.titles[code]]

    def cards(self, codes: Iterable[str]) -> Fact:
        """Give cards as facts tell them."""
        return [[code, self.titles[code]] for code in codes]

    def take_from_draw(self, seat: int, count: int) -> None:
        """Draw cards one at a time into a hand, and stop all at the last one.

        Rule: B9, B10
        """
        drawn: list[str] = []
        while self.draw and len(drawn) < count:
            drawn.append(self.draw.pop())
        self.hands[seat] += drawn
        self.note("drew", seat=seat, count=len(drawn), left=len(self.draw))
        self.note_for((seat,), "drew_cards", seat=seat, cards=self.cards(drawn))
        self._stop_if_empty()

    def turn_up(self) -> None:
        """Turn the top of the Draw pile up to start a Blame pile.

        Rule: B18a, B10
        """
        self.pile.append(self.draw.pop())
        self.note("turned", card=self.card(self.pile[-1]), left=len(self.draw))
        self._stop_if_empty()

    def _stop_if_empty(self) -> None:
        if not self.draw:
            raise DrawPileEmpty

    def take_pile(self, seat: int) -> list[str]:
        """Move the whole Blame pile into a hand, and give the cards from the top down.

        Rule: B18
        """
        taken = self.pile[::-1]
        self.hands[seat] += taken
        self.pile.clear()
        return taken

    def bury(self, seat: int, card: str) -> None:
        """Move a card from a hand among the same player's Secrets.

        Rule: B18, B20
        """
        self.hands[seat].remove(card)
        self.secrets[seat].append(card)
        self.note("buried", seat=seat)
        self.note_for((seat,), "buried_card", seat=seat, card=self.card(card))

    def give(self, seat: int, other: int, card: str) -> None:
        """Move a card from one hand to another.

        Rule: B22
        """
        self.hands[seat].remove(card)
        self.hands[other].append(card)
        self.note("gave", seat=seat, other=other)
        self.note_for((seat, other), "gave_card", seat=seat, other=other, card=self.card(card))

    def place(self, emblem: str) -> int | None:
        """Tell which seat holds a Role; None: it lies on the table."""
        return self.roles.index(emblem) if emblem in self.roles else None

    def swap_roles(self, pair: str) -> Fact:
        """Exchange the places of two Role cards, and tell each one's way.

        Rule: B11
        """
        one, two = pair[0], pair[1]
        ways: Fact = [[one, self.place(one), self.place(two)], [two, self.place(two), self.place(one)]]
        exchanged = {one: two, two: one}
        self.roles = [exchanged.get(role, role) for role in self.roles]
        self.untaken = [exchanged.get(role, role) for role in self.untaken]
        return ways

    def count(self, emblem: str) -> int:
        """Count the Issues of the Blame pile with an Emblem; a Treason counts for nobody.

        Rule: B15
        """
        return sum(card != TREASON and emblem in emblems(card) for card in self.pile)
