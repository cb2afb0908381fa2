"""Test whole games against golden files that a player could read; PBEM_REGOLD=1 writes them anew."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import engines.archer as archer
import engines.archer.table as table
from engines.archer.cards import named
from engines.archer.table import NO_SECRET, Options
from pbem.engine import Dice, Event

from .tables import NAMES, Step, play

FOLDER = Path(__file__).with_name("playthroughs")
GAMES = {
    "guess": ("ending-97", 2, "", "guess"),
    "alone": ("ending-151", 3, "", "alone"),
    "deck": ("ending-145", 4, "bob", "deck"),
    "shared": ("ending-101", 4, "", "deck"),
}


def playthrough(name: str) -> list[Step]:
    seed, players, first, _ = GAMES[name]
    state = archer.setup(NAMES[:players], Options(first), Dice(seed.encode()))
    return list(play(state, Dice(f"{seed} moves".encode())))


def story(name: str) -> Iterator[str]:
    """Tell a game line by line."""
    seed, players, first, _ = GAMES[name]
    steps = playthrough(name)
    yield f"{archer.TITLE}: {name}"
    yield f"seed {seed}; players {', '.join(NAMES[:players])}; options {f'first={first}' if first else 'as they come'}"
    yield from _table(steps[0].before)
    for step in steps:
        yield ""
        yield f"-- round {step.before.round}, turn {step.before.turn}"
        prompt = archer.awaiting(step.before)[step.seat]
        yield f"{NAMES[step.seat]} is asked ({prompt.kind}): {prompt.asked} E.g. {' | '.join(prompt.examples)}"
        yield f"{NAMES[step.seat]}> {archer.format(step.order)}"
        yield from map(_event, step.events)
        if step.after.round > step.before.round:
            yield from _table(step.after)
    yield ""
    yield from _table(steps[-1].after)
    result = archer.result(steps[-1].after)
    assert result
    yield f"ending {result.ending}; scores {result.scores}; winners {', '.join(NAMES[seat] for seat in result.winners)}"


def _table(state: archer.State) -> Iterator[str]:
    for seat, name in enumerate(state.names):
        hand, laid = (_cards(state, place[seat]) for place in (state.hands, state.laid))
        yield f"{name}: {state.points[seat]} points; hand {hand}; laid {laid}"
    yield f"secret {_cards(state, () if state.secret == NO_SECRET else (state.secret,))}"
    yield f"deck {_cards(state, state.draw[::-1])}"


def _cards(state: archer.State, cards: tuple[int, ...]) -> str:
    return ", ".join(named(state.kit[card]) for card in cards) or "none"


def _event(event: Event) -> str:
    facts = "; ".join(f"{key} {_fact(key, value)}" for key, value in event.facts.items())
    seen_by = "" if event.seen_by is None else f" (only {', '.join(NAMES[seat] for seat in event.seen_by)})"
    return f"  {event.kind}: {facts}{seen_by}"


def _fact(key: str, value: Any) -> str:
    if isinstance(value, list) and key != "points":
        return ", ".join(_fact(key, one) for one in value)
    if value is None:
        return "none"
    if key in ("seat", "other", "lower", "winners", "seats"):
        return NAMES[value]
    if key in ("card", "cards", "named", "hands", "secret"):
        return named(value)
    return str(value)


@pytest.mark.parametrize("name", GAMES)
def test_playthrough(name: str) -> None:
    told = "\n".join(story(name)) + "\n"
    file = FOLDER / f"{name}.txt"
    if "PBEM_REGOLD" in os.environ:
        file.write_text(told, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == told


def test_there_is_a_game_for_every_way_to_end() -> None:
    ends = {name: archer.result(playthrough(name)[-1].after) for name in GAMES}
    assert {name: result.ending for name, result in ends.items() if result} == {
        name: ending for name, (_, _, _, ending) in GAMES.items()
    }
    assert {ending for *_, ending in GAMES.values()} == set(archer.ENDINGS)
    shared = ends["shared"]
    assert shared and len(shared.winners) > 1


def test_the_games_show_every_kind_of_event() -> None:
    kinds = {event.kind for name in GAMES for step in playthrough(name) for event in step.events}
    lines = [line for line in (table.__doc__ or "").splitlines() if line.startswith("| ")]
    assert kinds == {line.split("|")[1].strip() for line in lines} - {"event"}


def test_no_golden_file_is_left_over() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(GAMES)
