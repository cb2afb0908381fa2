"""Check how a game goes on and ends, and that no card is lost on the way."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from pbem.engine import Engine, Result
from pbem.testing.checks import each_step
from pbem.testing.kit import Kit
from pbem.testing.plays import Step, blamed, play


@each_step
def somebody_is_asked_until_there_is_a_result(kit: Kit, step: Step) -> None:
    """`awaiting` is empty exactly when there is a result, and what it asks can be asked."""
    engine, state = step.engine, step.after
    asked, result = engine.awaiting(state), engine.result(state)
    assert asked or result is not None, "nobody is asked, and there is no result: the game would stand still for ever"
    assert not asked or result is None, f"there is a result, and seats {sorted(asked)} are still asked"
    for seat, prompt in asked.items():
        said = f"seat {seat} is asked ({prompt.kind})"
        assert seat in step.seats, f"{said}, and there is no such seat"
        assert not engine.kinds or prompt.kind in engine.kinds, f"{said}, and KINDS has no {prompt.kind!r}"
        assert prompt.kind.isidentifier() and prompt.kind == prompt.kind.lower(), f"{said}: that is not one word"
        assert prompt.asked.strip() and "\n" not in prompt.asked, (
            f"{said} in {prompt.asked!r}: that is not one sentence"
        )
        assert prompt.examples, f"{said}, and no example is given"
    if result is not None:
        check_result(engine, result, step.match.players)


def check_result(engine: Engine, result: Result, players: int) -> None:
    """Check that a result can be told."""
    assert result.ending in engine.endings, f"it ends by {result.ending!r}, which ENDINGS does not name"
    assert set(result.winners) <= set(range(players)), f"the winners {result.winners} are no seats"
    assert len(result.scores) == players, f"the scores {result.scores} are not one for each seat"


@each_step
def turns_only_go_on(kit: Kit, step: Step) -> None:
    """`turn` counts from 1 (0: before the first) and never goes back."""
    before, after = step.engine.turn(step.before), step.engine.turn(step.after)
    assert 0 <= before <= after, f"after turn {before} comes turn {after}"


@each_step
def no_card_is_lost_or_doubled(kit: Kit, step: Step) -> None:
    """`audit` holds after every step, and for every state that `reshuffle` makes."""
    engine = step.engine
    with blamed(f"{step}, audit"):
        engine.audit(step.after)
    for seats in ((), (None,), *((seat,) for seat in step.seats)):
        with blamed(f"{step}, audit of reshuffle for {seats}"):
            engine.audit(engine.reshuffle(step.after, seats, step.dice("audit")))


def audit_notices_a_lost_card(kit: Kit) -> None:
    """`audit` fails when a card is taken out of a state: one that looks at nothing always holds."""
    for step in kit.steps[: kit.positions]:
        for broken in lacking(step.after):
            try:
                kit.engine.audit(broken)
            except Exception:
                return
    raise AssertionError(f"{kit.engine.name}: whatever is taken out of a state, audit does not notice")


def lacking(value: Any) -> Iterator[Any]:
    """Give a value with one item of one of its tuples left out, in every way."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            for less in lacking(getattr(value, field.name)):
                yield dataclasses.replace(value, **{field.name: less})
    elif isinstance(value, tuple):
        for at, item in enumerate(value):
            yield value[:at] + value[at + 1 :]
            yield from ((*value[:at], less, *value[at + 1 :]) for less in lacking(item))


def random_games_end(kit: Kit) -> None:
    """Every game of random players ends, at every table size and with every option set."""
    for match in kit.matches():
        for _ in play(match):
            pass


def games_of_silent_players_end(kit: Kit) -> None:
    """Where nobody ever answers the game ends all the same, by its defaults alone."""
    for match in kit.matches():
        for _ in play(match, silent=True):
            pass


def every_ending_is_reached(kit: Kit) -> None:
    """Each of ENDINGS is how some random game ends, or one of silent players."""
    seen = {how(kit, step) for step in kit.steps}
    for match in kit.matches():
        if set(kit.engine.endings) <= seen:
            return
        seen |= {how(kit, step) for step in play(match, silent=True)}
    missing = sorted(set(kit.engine.endings) - seen)
    assert not missing, f"{kit.engine.name}: no game ended by {', '.join(missing)}; play more, or with other options"


def how(kit: Kit, step: Step) -> str:
    """Tell how a game ended at a step, "" if it goes on."""
    result = kit.engine.result(step.after)
    return result.ending if result else ""
