"""Weigh who may have been it, by what one seat was shown and by what the others claim."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from engines.accuse.deck import KINDS, TRAP
from engines.accuse.table import Laid, View
from pbem.engine import Event

CLAIMED = 0.35  # how much likelier an innocent card is claimed to lie on the table than a culprit
CLAIMED_BY_NUMBER = 0.75  # with `declare=center` a claim is spread over three cards
ACCUSED = 1.2  # who accuses a card was not shown it
TRUSTED = (4.0, 1.0)  # before anything is known of a player: so many true plays, so many false ones
FEARED = (1.0, 1.0)  # and so many own plays that were challenged, so many that were not
Triple = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Hold what a seat thinks: the weight of each possible culprit, and of each possible three, the likeliest first."""

    cards: dict[str, float]
    triples: tuple[tuple[float, Triple], ...]

    @property
    def best(self) -> Triple:
        """Give the likeliest culprits."""
        return self.triples[0][1]

    @property
    def chance(self) -> float:
        """Give how likely they are."""
        return self.triples[0][0]


def suspect(view: View) -> Suspicion:
    """Weigh every possible culprit; what was accused wrongly is none."""
    cards = {card: _weight(view, card) for kind in view.possible for card in kind}
    wrong = {accused for _, accused in view.accusations}
    found = [(_product(cards, triple), triple) for triple in product(*view.possible) if triple not in wrong]
    total = sum(weight for weight, _ in found)
    ranked = sorted(((weight / total, triple) for weight, triple in found), key=lambda one: (-one[0], one[1]))
    return Suspicion(cards, tuple(ranked))


def _product(cards: dict[str, float], triple: Sequence[str]) -> float:
    weight = 1.0
    for card in triple:
        weight *= cards[card]
    return weight


def _weight(view: View, card: str) -> float:
    """Weigh one card: a claim of others that still lies face down speaks for it, an accusation against it."""
    weight = 1.0
    for laid in view.down:
        if laid.seat != view.seat and laid.declared == card:
            weight *= CLAIMED
        elif laid.seat != view.seat and laid.declared == card[1:]:
            weight *= CLAIMED_BY_NUMBER
    for seat, accused in view.accusations:
        if seat != view.seat and card in accused:
            weight *= ACCUSED
    return weight


@dataclass(frozen=True, slots=True)
class Memory:
    """Hold what the events told: cards known to lie in hands, who told the truth, and how bold the others are.

    `mine` are the own cards that another knows of, `theirs` who was seen to take which card; `honesty` is by seat how
    likely a play of it is true, `boldness` how likely an own play is challenged.
    """

    mine: frozenset[str]
    theirs: dict[str, int]
    honesty: tuple[float, ...]
    boldness: float


def remember(view: View, seen: Sequence[Event]) -> Memory:
    """Go through what happened."""
    holder: dict[str, int] = {}
    true = [TRUSTED[0]] * len(view.names)
    tested = [sum(TRUSTED)] * len(view.names)
    doubted, played = FEARED[0], sum(FEARED)
    for event in seen:
        facts = event.facts
        match event.kind:
            case "laid":
                played += facts["seat"] == view.seat
            case "challenged":
                doubted += facts["other"] == view.seat
            case "bluff":
                holder[facts["card"][0]] = facts["seat"]
                tested[facts["other"]] += 1
            case "gave_card":
                holder[facts["card"][0]] = facts["other"]
            case "proved" | "showed" | "flipped" | "trap":
                holder.pop(facts["card"][0], None)
        if event.kind == "proved":
            true[facts["other"]] += 1
            tested[facts["other"]] += 1
    holder.pop(TRAP, None)
    mine = frozenset(card for card, seat in holder.items() if seat == view.seat and card in view.hand)
    theirs = {card: seat for card, seat in holder.items() if seat != view.seat}
    honesty = tuple(good / all_of_it for good, all_of_it in zip(true, tested, strict=True))
    return Memory(mine, theirs, honesty, doubted / played)


def hidden_from_me(view: View) -> int:
    """Count the cards in the hands of others and those of theirs face down."""
    hands = sum(size for seat, size in enumerate(view.hand_sizes) if seat != view.seat)
    return hands + sum(not laid.card for laid in view.down)


def chance_of_trap(view: View) -> float:
    """Give how likely a card that this seat was never shown is a Trap."""
    own = view.hand.count(TRAP) + sum(laid.card == TRAP for laid in view.down)
    traps = 4 - view.traps_gone - view.up.count(TRAP) - own
    return traps / max(1, hidden_from_me(view))


def chance_of_truth(view: View, laid: Laid, memory: Memory, suspicion: Suspicion) -> float:
    """Give how likely an open play of another is what was declared."""
    places = [laid.declared] if laid.declared[0] in KINDS else [kind + laid.declared for kind in KINDS]
    wrong = 1.0
    for place in places:
        wrong *= 1 - _truth(view, laid, place, memory, suspicion)
    return 1 - wrong


def _truth(view: View, laid: Laid, place: str, memory: Memory, suspicion: Suspicion) -> float:
    if place in memory.theirs:
        return memory.honesty[laid.seat] if memory.theirs[place] == laid.seat else 0.0
    if place not in suspicion.cards:
        return 0.0
    guilty = sum(weight for weight, triple in suspicion.triples if place in triple)
    return (1 - guilty) * memory.honesty[laid.seat]
