"""Test whole games against golden files that a player could read; PBEM_REGOLD=1 writes them anew."""

import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import engines.accuse as accuse
from engines.accuse.deck import FACE
from pbem.engine import Dice, Event

from .games import Step, play
from .tables import NAMES, options

FOLDER = Path(__file__).with_name("playthroughs")
GAMES = {
    "accused": ("ending-40", 3, ""),
    "guessed": ("ending-76", 4, ""),
    "nobody": ("ending-3", 4, "challenge=first"),
    "two-players": ("ending-5", 2, ""),
    "center": ("ending-3", 3, "declare=center max_turns=30"),
    "cornered": ("ending-1", 2, "max_turns=12 first=bob"),
}


def playthrough(name: str) -> list[Step]:
    seed, players, words = GAMES[name]
    state = accuse.setup(NAMES[:players], options(words), Dice(seed.encode()))
    return list(play(state, Dice(f"{seed} moves".encode())))


def story(name: str) -> Iterator[str]:
    """Tell a game line by line."""
    seed, players, words = GAMES[name]
    steps = playthrough(name)
    yield f"{accuse.TITLE}: {name}"
    yield f"seed {seed}; players {', '.join(NAMES[:players])}; options {words or 'as they come'}"
    yield f"all options: {' '.join(f'{key}={value}' for key, value in asdict(options(words)).items())}"
    yield from _table(steps[0].before)
    for step in steps:
        yield ""
        yield f"-- turn {step.before.turn}"
        for seat, prompt in accuse.awaiting(step.before).items():
            yield f"{NAMES[seat]} is asked ({prompt.kind}): {prompt.asked} E.g. {' | '.join(prompt.examples)}"
        for seat, order in step.orders.items():
            yield f"{NAMES[seat]}> {accuse.format(order)}"
        yield from map(_event, step.events)
    yield ""
    yield from _table(steps[-1].after)
    result = accuse.result(steps[-1].after)
    assert result
    winners = ", ".join(NAMES[seat] for seat in result.winners) or "nobody"
    yield f"ending {result.ending}; scores {result.scores}; winners {winners}"


def _table(state: accuse.State) -> Iterator[str]:
    yield f"culprits {' '.join(state.culprits)}"
    for seat, name in enumerate(state.names):
        yield f"{name}: hand {' '.join(FACE[card] for card in state.hands[seat]) or 'none'}"
    yield f"face up {' '.join(FACE[card] for card in state.up)}; Traps out {len(state.gone)}"
    for laid in state.down:
        yield f"#{laid.number} {FACE[laid.card]} by {NAMES[laid.seat]}, {laid.declared or 'in front'}"


def _event(event: Event) -> str:
    facts = "; ".join(f"{key} {_fact(key, value)}" for key, value in event.facts.items())
    seen_by = "" if event.seen_by is None else f" (only {', '.join(NAMES[seat] for seat in event.seen_by)})"
    return f"  {event.kind}: {facts}{seen_by}"


def _fact(key: str, value: Any) -> str:
    if key in ("seat", "other"):
        return NAMES[value]
    if key in ("seats", "winners"):
        return ", ".join(NAMES[seat] for seat in value) or "none"
    if key in ("card", "declared"):
        return _card(value)
    if key == "bids":
        return ", ".join(f"{NAMES[seat]} {bid}" for seat, bid in value)
    if key in ("cards", "culprits"):
        return ", ".join(map(_card, value))
    return str(value)


def _card(fact: Any) -> str:
    return f"#{fact[0]} {_card(fact[1])}" if isinstance(fact[0], int) else " ".join(fact)


@pytest.mark.parametrize("name", GAMES)
def test_playthrough(name: str) -> None:
    told = "\n".join(story(name)) + "\n"
    file = FOLDER / f"{name}.txt"
    if "PBEM_REGOLD" in os.environ:
        file.write_text(told, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == told


def test_there_is_a_game_for_every_way_to_end() -> None:
    last = {name: playthrough(name)[-1].after for name in GAMES}
    assert {state.ending for state in last.values()} == set(accuse.ENDINGS)
    assert [last[name].ending for name in ("accused", "guessed", "nobody")] == list(accuse.ENDINGS)
    assert len(last["nobody"].accusations) == 4
    events = {event.kind for name in GAMES for step in playthrough(name) for event in step.events}
    assert {"bluff", "proved", "trap", "dropped", "bids", "cornered", "laid_down"} <= events


def test_no_golden_file_is_left_over() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(GAMES)
