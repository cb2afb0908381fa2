"""Play Tussle, the small sound game by which the kit is tested: hands, a draw pile, sealed answers, an interruption.

All lay a card at once; the highest takes the trick, and its player may throw a card for a new one. Who is not asked
just then may knock: the game is over, and is the knocker's if that hand is the highest alone.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field

from pbem.engine import Dice, Event, IllegalOrder, Notation, Prompt, Result, UnreadableOrder

TITLE = "Tussle"
SEATS = range(2, 5)
VERSION = 1
ENDINGS = ("spent", "knock")
MEMORY = "open"
KINDS = ("lay", "throw")
STANDING = ("throw",)
NOTATION = (
    Notation("lay a card", "lay CARD", "CARD", "lay 7"),
    Notation("throw a card for a new one", "throw CARD", "CARD>", "throw 3"),
    Notation("keep what you hold", "keep", "keep", "keep"),
    Notation("end the game, while nothing is asked of you", "knock", "knock", "knock"),
)
CARDS = 24
FORMS = {"lay": ("lay {}", "{}"), "throw": ("throw {}", "{}>"), "keep": ("keep",), "knock": ("knock",)}


@dataclass(frozen=True)
class Options:
    """Hold how many cards each is dealt."""

    hand: Annotated[int, Field(ge=1, le=5)] = 3


@dataclass(frozen=True)
class State:
    """Hold a game: `laid` is all that lies face up, `winner` who may throw a card, `ending` "" while it goes on."""

    names: tuple[str, ...]
    hands: tuple[tuple[int, ...], ...]
    draw: tuple[int, ...]
    laid: tuple[int, ...] = ()
    tricks: tuple[int, ...] = ()
    turn: int = 1
    winner: int = -1
    ending: str = ""


@dataclass(frozen=True)
class View:
    """Hold what a seat may know: the own hand, and what is open to all."""

    seat: int | None
    names: tuple[str, ...]
    hand: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]
    left: int
    laid: tuple[int, ...]
    tricks: tuple[int, ...]
    turn: int
    kind: str
    may_knock: bool
    ending: str


@dataclass(frozen=True)
class Order:
    """Hold an order: its word, and the card it names (0: none)."""

    word: str
    card: int = 0


def setup(names: tuple[str, ...], options: Options, dice: Dice) -> State:
    """Deal."""
    cards, size = dice.shuffled(range(1, CARDS + 1)), options.hand
    hands = tuple(tuple(sorted(cards[seat * size : (seat + 1) * size])) for seat in range(len(names)))
    return State(names, hands, cards[len(names) * size :], tricks=(0,) * len(names))


def asked(state: State) -> dict[int, str]:
    """Give what each seat is asked: whoever took a trick is asked even with an empty hand, which else would tell."""
    if state.ending:
        return {}
    if state.winner >= 0:
        return {state.winner: "throw"}
    return {seat: "lay" for seat, hand in enumerate(state.hands) if hand}


def awaiting(state: State) -> Mapping[int, Prompt]:
    """Give the prompts."""
    texts = {"lay": "Lay a card: the highest takes the trick.", "throw": "You may throw a card for a new one, or keep."}
    return {
        seat: Prompt(kind, kind == "throw", texts[kind], legal(view(state, seat))[:3])
        for seat, kind in asked(state).items()
    }


def interrupts(state: State) -> Collection[int]:
    """Give who may knock: all that are not asked, as long as the game goes on."""
    return () if state.ending else tuple(seat for seat in range(len(state.names)) if seat not in asked(state))


def legal(view: View) -> tuple[str, ...]:
    """Give every legal line."""
    if view.kind == "throw":
        return ("keep", *(f"throw {card}" for card in view.hand))
    return tuple(f"lay {card}" for card in view.hand) if view.kind else ("knock",) * view.may_knock


def parse(view: View, text: str) -> Order | None:
    """Read a line."""
    words = text.casefold().split()
    short = words[0] if len(words) == 1 else ""
    if short.rstrip(">").isdecimal() and short.isascii() and len(short) < 5:
        words = ["throw" if short.endswith(">") else "lay", short.rstrip(">")]
    if not words or words[0] not in FORMS:
        return None
    line = " ".join(words)
    if line in legal(view):
        return Order(words[0], int(words[1]) if len(words) == 2 else 0)
    wrong = IllegalOrder if len(words) == len(FORMS[words[0]][0].split()) else UnreadableOrder
    raise wrong(f"{line!r} cannot be done now.", *legal(view)[:3])


def format(order: Order) -> str:
    """Write an order."""
    return FORMS[order.word][0].format(order.card)


def resolve(state: State, orders: Mapping[int, Order], dice: Dice) -> tuple[State, tuple[Event, ...]]:
    """Make a step."""
    seat, order = next(iter(orders.items()))
    if order.word == "knock":
        return finish(state, "knock", seat)
    if state.winner < 0:
        return trick(state, orders)
    if order.word == "keep":
        return finish_turn(replace(state, winner=-1), (Event("kept", {"seat": seat}),))
    state, events = draw(lay(replace(state, winner=-1), {seat: order.card}), (seat,))
    return finish_turn(state, (Event("threw", {"seat": seat, "card": order.card}), *events))


def trick(state: State, orders: Mapping[int, Order]) -> tuple[State, tuple[Event, ...]]:
    """Let the highest card take the trick; each who laid one draws one."""
    cards = {seat: orders[seat].card for seat in sorted(orders)}
    winner = max(cards, key=lambda seat: cards[seat])
    told = [Event("laid", {"seat": seat, "card": card}) for seat, card in cards.items()]
    tricks = tuple(count + (seat == winner) for seat, count in enumerate(state.tricks))
    state, events = draw(lay(replace(state, tricks=tricks, winner=winner), cards), tuple(cards))
    return state, (*told, Event("won", {"seat": winner}), *events)


def lay(state: State, cards: Mapping[int, int]) -> State:
    """Move cards from hands onto the table."""
    hands = tuple(tuple(c for c in hand if c != cards.get(seat)) for seat, hand in enumerate(state.hands))
    return replace(state, hands=hands, laid=(*state.laid, *cards.values()))


def draw(state: State, seats: tuple[int, ...]) -> tuple[State, tuple[Event, ...]]:
    """Let seats draw a card each, as long as there are any."""
    hands, pile, events = list(state.hands), list(state.draw), list[Event]()
    for seat in seats:
        if pile:
            card = pile.pop()
            hands[seat] = tuple(sorted((*hands[seat], card)))
            events += [Event("drew", {"seat": seat}), Event("drew_card", {"card": card}, (seat,))]
    return replace(state, hands=tuple(hands), draw=tuple(pile)), tuple(events)


def finish_turn(state: State, events: tuple[Event, ...]) -> tuple[State, tuple[Event, ...]]:
    """Go on, unless all hands are empty."""
    if any(state.hands):
        return replace(state, turn=state.turn + 1), events
    state, ended = finish(state, "spent", -1)
    return state, (*events, *ended)


def finish(state: State, ending: str, knocker: int) -> tuple[State, tuple[Event, ...]]:
    """End the game: a knock that was right takes all tricks, one that was wrong loses the knocker's."""
    sums = [sum(hand) for hand in state.hands]
    highest = sums.count(max(sums)) == 1 and sums[knocker] == max(sums)
    tricks = tuple((100 if highest else 0) if seat == knocker else count for seat, count in enumerate(state.tricks))
    facts: dict[str, Any] = {"ending": ending, "hands": [list(hand) for hand in state.hands], "tricks": list(tricks)}
    return replace(state, tricks=tricks, winner=-1, ending=ending), (Event("ended", facts),)


def default(view: View, dice: Dice) -> Order:
    """Keep, or lay any card."""
    return Order("keep") if view.kind == "throw" else Order("lay", dice.choice(view.hand))


def sample(view: View, dice: Dice) -> str:
    """Give any legal line."""
    return dice.choice(legal(view))


def careful(view: View, seen: object, dice: Dice) -> str:
    """Choose the highest card."""
    return legal(view)[-1]


BOTS = {"careful": careful}


def turn(state: State) -> int:
    """Number the turns."""
    return state.turn


def result(state: State) -> Result | None:
    """Give the result."""
    best = max(state.tricks)
    winners = tuple(seat for seat, count in enumerate(state.tricks) if count == best)
    return Result(state.ending, winners, state.tricks) if state.ending else None


def view(state: State, seat: int | None) -> View:
    """Show what a seat may know."""
    return View(
        seat=seat,
        names=state.names,
        hand=() if seat is None else state.hands[seat],
        hands=state.hands if state.ending else (),
        sizes=tuple(map(len, state.hands)),
        left=len(state.draw),
        laid=state.laid,
        tricks=state.tricks,
        turn=state.turn,
        kind="" if seat is None else asked(state).get(seat, ""),
        may_knock=seat in interrupts(state),
        ending=state.ending,
    )


def reshuffle(state: State, seats: Collection[int | None], dice: Dice) -> State:
    """Deal anew all that none of these seats can see; for nobody, what lies on the table too."""
    hidden = [seat for seat in range(len(state.names)) if seat not in seats and not (state.ending and seats)]
    laid = state.laid if not seats else ()
    places = [*(state.hands[seat] for seat in hidden), state.draw, laid]
    cards = list(dice.shuffled([card for place in places for card in place]))
    dealt = [tuple(cards.pop() for _ in place) for place in places]
    hands = list(state.hands)
    for seat, hand in zip(hidden, dealt, strict=False):
        hands[seat] = tuple(sorted(hand))
    return replace(state, hands=tuple(hands), draw=dealt[-2], laid=dealt[-1] if laid else state.laid)


def audit(state: State) -> None:
    """Count the cards."""
    assert sorted([*state.draw, *state.laid, *sum(state.hands, ())]) == list(range(1, CARDS + 1))
