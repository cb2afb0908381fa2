"""Test whole games against golden files that a player could read; PBEM_REGOLD=1 writes them anew."""

import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import engines.blame as blame
from pbem.engine import Dice, Event

from .tables import NAMES, Step, options, play

FOLDER = Path(__file__).with_name("playthroughs")
GAMES = {
    "deck-drawn": ("ending-1", 3, ""),
    "deck-turned-up": ("ending-4", 2, "mistakes=blame hand=5"),
    "deck-nobility": ("ending-7", 4, ""),
    "turns": ("ending-3", 4, "roles=choose bury=own restart=empty after_blame=blamed max_turns=14"),
    "plain": ("ending-4", 2, "abilities=off first=bob"),
}


def playthrough(name: str) -> list[Step]:
    seed, players, words = GAMES[name]
    state = blame.setup(NAMES[:players], options(words), Dice(seed.encode()))
    return list(play(state, Dice(f"{seed} moves".encode())))


def story(name: str) -> Iterator[str]:
    """Tell a game line by line."""
    seed, players, words = GAMES[name]
    steps = playthrough(name)
    yield f"{blame.TITLE}: {name}"
    yield f"seed {seed}; players {', '.join(NAMES[:players])}; options {words or 'as they come'}"
    yield f"all options: {' '.join(f'{key}={value}' for key, value in asdict(options(words)).items())}"
    yield from _table(steps[0].before)
    for step in steps:
        yield ""
        yield f"-- turn {step.before.turn}, top {step.before.pile[-1] if step.before.pile else 'none'}"
        for seat, order in step.orders.items():
            prompt = blame.awaiting(step.before)[seat]
            yield f"{NAMES[seat]} is asked ({prompt.kind}): {prompt.asked} E.g. {' | '.join(prompt.examples)}"
            yield f"{NAMES[seat]}> {blame.format(order)}"
        yield from map(_event, step.events)
    yield ""
    yield from _table(steps[-1].after)
    result = blame.result(steps[-1].after)
    assert result
    yield f"ending {result.ending}; scores {result.scores}; winners {', '.join(NAMES[seat] for seat in result.winners)}"


def _table(state: blame.State) -> Iterator[str]:
    for seat, name in enumerate(state.names):
        hand, secrets = (" ".join(place[seat]) or "none" for place in (state.hands, state.secrets))
        yield f"{name}: Role {state.roles[seat] or 'not chosen'}; hand {hand}; Secrets {secrets}"
    yield f"untaken {' '.join(state.untaken)}; pile {' '.join(state.pile) or 'none'}"
    yield f"draw {' '.join(reversed(state.draw)) or 'none'}"


def _event(event: Event) -> str:
    facts = "; ".join(f"{key} {_fact(key, value)}" for key, value in event.facts.items())
    seen_by = "" if event.seen_by is None else f" (only {', '.join(NAMES[seat] for seat in event.seen_by)})"
    return f"  {event.kind}: {facts}{seen_by}"


def _fact(key: str, value: Any) -> str:
    if key in ("seat", "other", "blamed"):
        return NAMES[value]
    if key in ("card", "under"):
        return f"{value[0]} {value[1]}"
    if key in ("cards", "gave", "got") and isinstance(value, list):
        return ", ".join(_fact("card", card) for card in value) or "none"
    if key == "hands":
        return " / ".join(" ".join(card for card, _ in hand) or "none" for hand in value)
    return str(value)


@pytest.mark.parametrize("name", GAMES)
def test_playthrough(name: str) -> None:
    told = "\n".join(story(name)) + "\n"
    file = FOLDER / f"{name}.txt"
    if "PBEM_REGOLD" in os.environ:
        file.write_text(told, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == told


def test_there_is_a_game_for_every_way_to_end() -> None:
    ends = {}
    for name in GAMES:
        last = playthrough(name)[-1]
        ends[name] = (last.after.ending, last.events[-2].kind, last.before.asked)
    assert {ending for ending, _, _ in ends.values()} == set(blame.ENDINGS)
    assert ends["deck-drawn"][:2] == ("deck", "drew_cards")
    assert ends["deck-turned-up"][:2] == ("deck", "turned")
    assert ends["deck-nobility"][0] == "deck" and "nobility" in ends["deck-nobility"][2]
    assert ends["turns"][0] == "turns"


def test_no_golden_file_is_left_over() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(GAMES)
