"""Play with care: keep track of who may have been it, bluff about them, and accuse once it is likely enough."""

from collections.abc import Callable, Sequence

from engines.accuse.deck import TRAP, own_place
from engines.accuse.orders import Accuse, Bid, Challenge, Flip, Give, Order, Pass, Play, Show, format
from engines.accuse.suspicion import Memory, Suspicion, chance_of_trap, chance_of_truth, remember, suspect
from engines.accuse.table import View
from pbem.engine import Dice, Event

SURE = 0.75  # accuse unasked when the likeliest culprits are at least so likely
CANDOUR = (0.3, 1.2)  # how likely a play is true: to begin with, and the more, the more plays are challenged
ENOUGH = 0.6  # bid for so many cards that the guess is right so often
CHEAP, DEAR = 0.1, 1.0  # what it costs to lose a card that is known anyway, or that is not
WORTH = 0.65  # challenge when that much more is to be learned than lost


class Mind:
    """Hold what the bot goes by when it answers once."""

    __slots__ = ("dice", "memory", "suspicion", "view")

    def __init__(self, view: View, seen: Sequence[Event], dice: Dice) -> None:
        self.view = view
        self.dice = dice
        self.memory: Memory = remember(view, seen)
        self.suspicion: Suspicion = suspect(view)


def choose(view: View, seen: Sequence[Event], dice: Dice) -> str:
    """Choose an order for a seat that is asked something, and give its text."""
    mind = Mind(view, seen, dice)
    if view.ask == "accuse" or (view.hunting and mind.suspicion.chance >= SURE):
        return format(Accuse(mind.suspicion.best))
    return format(ANSWERS[view.ask](mind))


def _play(mind: Mind) -> Order:
    """Lay a Trap where it is likely to be challenged, else a card that tells little, truly now and then."""
    view, dice = mind.view, mind.dice
    if TRAP in view.hand and dice.below(2):
        return Play(TRAP, _bait(mind))
    cards = [card for card in view.hand if card != TRAP]
    if not cards:
        return Play(TRAP, _bait(mind))
    known = [card for card in cards if card in mind.memory.mine]
    card = dice.choice(known or cards)
    if dice.below(100) < 100 * (CANDOUR[0] + CANDOUR[1] * mind.memory.boldness):
        return Play(card, own_place(card, view.center))
    return Play(card, _lie(mind))


def _bait(mind: Mind) -> str:
    """Name a card that another is likely to hold: one seen in a hand, or the least suspected."""
    held = sorted(mind.memory.theirs)
    if held:
        return _declared(mind, mind.dice.choice(held))
    least = min(mind.suspicion.cards.values())
    return _declared(mind, mind.dice.choice([card for card, w in mind.suspicion.cards.items() if w == least]))


def _lie(mind: Mind) -> str:
    """Name a card that nobody holds, if it can be guessed: one of the likeliest culprits."""
    return _declared(mind, mind.dice.choice(mind.suspicion.best))


def _declared(mind: Mind, card: str) -> str:
    return card[1:] if mind.view.center else card


def _flip(mind: Mind) -> Order:
    """Turn up what this seat was never shown: cards from hands first, own ones last."""
    view = mind.view
    laid = {one.number: one for one in view.down}
    able = sorted(
        mind.dice.shuffled(view.flippable),
        key=lambda number: (bool(laid[number].card), laid[number].card not in ("", TRAP), not laid[number].in_front),
    )
    return Flip(tuple(able[: view.due]))


def _challenge(mind: Mind) -> Order:
    """Challenge where what may be learned outweighs the card that may be lost."""
    view = mind.view
    laid = view.open
    assert laid is not None
    true = chance_of_truth(view, laid, mind.memory, mind.suspicion)
    trap = (1 - true) * chance_of_trap(view) * 2
    card, cost = _cheapest(mind)
    gain = 1.0 if len(view.names) == 2 else 0.7
    worth = (1 - true - trap) * gain + true * (gain - cost) - trap * cost
    return Challenge(card) if worth > WORTH else Pass()


def _cheapest(mind: Mind) -> tuple[str, float]:
    """Give the card that tells the others least if it is lost, and what that costs."""
    known = [card for card in mind.view.hand if card in mind.memory.mine or card == TRAP]
    return (mind.dice.choice(known), CHEAP) if known else (mind.dice.choice(mind.view.hand), DEAR)


def _give(mind: Mind) -> Order:
    return Give(_cheapest(mind)[0])


def _show(mind: Mind) -> Order:
    return Show(_cheapest(mind)[0])


def _bid(mind: Mind) -> Order:
    """Bid the fewest cards after which the guess is likely to be right."""
    view = mind.view
    mine = sum(bool(laid.card) for laid in view.down)
    unknown = len(view.down) - mine
    open_cards = sum(len(kind) - 1 for kind in view.possible)
    for count in range(unknown + 1):
        if _chance_after(mind, count / max(1, open_cards)) >= ENOUGH:
            return Bid(count)
    return Bid(unknown)


def _chance_after(mind: Mind, part: float) -> float:
    """Give about how likely the guess is right once this part of the innocent cards was turned up."""
    left = max(0.0, 1 - part)
    chance = 1.0
    for kind in mind.view.possible:
        best = max(mind.suspicion.cards[card] for card in kind)
        total = sum(mind.suspicion.cards[card] for card in kind)
        chance *= best / (best + (total - best) * left)
    return chance


ANSWERS: dict[str, Callable[[Mind], Order]] = {
    "play": _play,
    "flip": _flip,
    "challenge": _challenge,
    "give": _give,
    "show": _show,
    "bid": _bid,
}
BOTS = {"careful": choose}
