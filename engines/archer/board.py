"""Open a state for one step: move cards one at a time, keep who was shown what, and note each event."""

from dataclasses import replace

from engines.archer.table import NO_SECRET, Sight, State
from pbem.engine import Event

Fact = int | str | bool | list["Fact"] | None
ANY = sum(1 << character for character in range(1, 9))
"""The bits of all characters."""


def eye(seat: int | None) -> int:
    """Give the bit of a seat (None: an observer) among those who were shown a card."""
    return 1 if seat is None else 2 << seat


def everybody(seats: int) -> int:
    """Give the bits of all seats and of an observer."""
    return (2 << seats) - 1


class Board:
    """Hold a state open while a step is made.

    Orders: as in State; hands are sorted again when the board is closed.
    """

    __slots__ = (
        "draw", "ending", "events", "first", "fits", "hands", "kit", "laid", "player", "points", "round", "secret",
        "seen", "shielded", "shown", "state", "turn", "winners",
    )  # fmt: skip

    def __init__(self, state: State) -> None:
        self.state = state
        self.events: list[Event] = []
        self.kit = state.kit
        self.points = list(state.points)
        self.round = state.round
        self.turn = state.turn
        self.first = state.first
        self.player = state.player
        self.hands = [list(hand) for hand in state.hands]
        self.secret = state.secret
        self.draw = list(state.draw)
        self.laid = [list(cards) for cards in state.laid]
        self.shielded = list(state.shielded)
        self.seen = [list(sights) for sights in state.seen]
        self.shown = list(state.shown)
        self.fits = list(state.fits)
        self.ending = ""
        self.winners: tuple[int, ...] = ()

    def close(self) -> State:
        """Give the state that the step made."""
        before = self.state
        return State(
            before.names,
            before.options,
            before.kit,
            before.needed,
            tuple(self.points),
            self.round,
            self.turn,
            self.first,
            self.player,
            tuple([tuple(sorted(hand)) for hand in self.hands]),
            self.secret,
            tuple(self.draw),
            tuple(map(tuple, self.laid)),
            tuple(self.shielded),
            tuple(map(tuple, self.seen)),
            tuple(self.shown),
            tuple(self.fits),
            self.ending,
            self.winners,
        )

    def seat(self, name: str) -> int:
        """Give the seat of a player that an order names."""
        return self.state.names.index(name)

    def inside(self) -> list[int]:
        """Give the seats still in the round."""
        return [seat for seat, hand in enumerate(self.hands) if hand]

    def note(self, kind: str, **facts: Fact) -> None:
        """Note what everybody sees."""
        self.events.append(Event(kind, facts))

    def note_for(self, seats: tuple[int, ...], kind: str, **facts: Fact) -> None:
        """Note what these seats alone see."""
        self.events.append(Event(kind, facts, seats))

    def give(self, seat: int, card: int) -> int:
        """Put a card into a hand, whose player sees it, and give its character."""
        self.hands[seat].append(card)
        self.shown[card] |= eye(seat)
        return self.kit[card]

    def take_top(self, seat: int) -> int:
        """Draw the deck's top card into a hand, and give its character."""
        return self.give(seat, self.draw.pop())

    def take_secret(self, seat: int) -> int:
        """Move the secret into a hand, and give its character; there is none then."""
        card, self.secret = self.secret, NO_SECRET
        return self.give(seat, card)

    def lay(self, seat: int, card: int, why: str) -> int:
        """Lay a card of a hand face up before its player, and give its character.

        A card that is played may be the one that was not seen: only one of the same character makes a sight past.
        Rule: A3, A4
        """
        self.hands[seat].remove(card)
        self.laid[seat].append(card)
        self.shown[card] = everybody(len(self.hands))
        character = self.kit[card]
        self.expire(seat, why, character if why == "laid" else 0)
        return character

    def out(self, seat: int) -> None:
        """Take a player out of the round: the card in hand is laid face up, without effect.

        Rule: A5
        """
        (card,) = self.hands[seat]
        self.note("out", seat=seat, card=self.lay(seat, card, "out"))

    def see(self, seat: int, of: int | None) -> int:
        """Let a seat look at another's one card, or at the secret (`of` is none), and give its character.

        Rule: A4
        """
        card = self.secret if of is None else self.hands[of][0]
        self.seen[seat].append(Sight(of, card, self.turn))
        self.shown[card] |= eye(seat)
        return self.kit[card]

    def expire(self, of: int | None, why: str, character: int = 0) -> None:
        """Mark what was seen of a hand, or of the secret, as past; with a character only a sight of that one.

        Rule: A4
        """
        for sights in self.seen:
            for at, sight in enumerate(sights):
                if sight.of != of or sight.past:
                    continue
                alike = self.kit[sight.card] == character
                if alike or not character:
                    sights[at] = replace(sight, past=why)
                if character:  # with another card there this mark would be another
                    self.narrow(sight.card, 1 << character if alike else ~(1 << character))

    def narrow(self, card: int, characters: int) -> None:
        """Note that with none but these characters (bits) for a hidden card all would have gone the same so far."""
        self.fits[card] &= characters
