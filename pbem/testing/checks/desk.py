"""Check the hooks that the moderators' desk and `undo` go by."""

from pbem.engine import AnyState, Dice
from pbem.testing.checks import each_step
from pbem.testing.checks.knowledge import told_by, who
from pbem.testing.kit import Kit
from pbem.testing.plays import Step


@each_step
def what_is_not_learned_tells_nothing(kit: Kit, step: Step) -> None:
    """Where `learned` says nothing of a step for a seat, neither hidden cards nor luck make a difference to it.

    The other world is alike for those who moved: what they show of their hands by moving is for the author to say.
    """
    for seat in step.seats:
        if any(step.engine.learned(event, seat) is not None for event in step.events if event.visible(seat)):
            continue
        world = step.engine.reshuffle(step.before, (seat, *step.orders), step.dice(f"desk {seat}"))
        here, there = _seen(step, step.before, seat, step.dice()), _seen(step, world, seat, step.dice(f"luck {seat}"))
        assert here == there, f"{who(seat)} learned something by this step, but `learned` says nothing of it"


def _seen(step: Step, world: AnyState, seat: int, dice: Dice) -> object:
    """Give what a seat sees of the step's orders in a world."""
    after, events = step.engine.resolve(world, dict(step.orders), dice)
    return told_by([event for event in events if event.visible(seat)]), step.engine.view(after, seat)


@each_step
def a_game_can_be_scored_at_any_time(kit: Kit, step: Step) -> None:
    """`scored` gives a score for each seat and names winners, or has none for the game."""
    result = step.engine.scored(step.before)
    if result is not None:
        assert len(result.scores) == len(step.seats), "a score for each seat"
        assert set(result.winners) <= set(step.seats) and result.winners, "somebody wins"
