"""Measure the engine alone: text parsed, validated, applied to a new state, and the views of all seats made."""

from typing import Any

from bench.measure import emit, rate
from pbem import games
from pbem.core.dice import rehearsal_seed, stream
from pbem.engine import Dice, Engine

PLAYERS = ("alice", "bob", "carol")
Position = tuple[Any, dict[int, str], bytes]


def run(name: str) -> float:
    """Print and give the moves a second of one game."""
    engine = games.get(name)
    played = positions(engine, 40)

    def one_round() -> int:
        for state, texts, seed in played:
            orders = {seat: engine.parse(engine.view(state, seat), text) for seat, text in texts.items()}
            after, _ = engine.resolve(state, orders, Dice(seed))
            for seat in range(len(PLAYERS)):
                engine.view(after, seat)
        return len(played)

    moves, spread = rate(one_round)
    emit(f"engine.{name}: moves, views of all made", moves, "moves/s", spread)
    return moves


def positions(engine: Engine, count: int) -> list[Position]:
    """Play whole games at random, and keep every position with the orders given in it."""
    played: list[Position] = []
    for number in range(count):
        seed = rehearsal_seed(f"bench {number}")
        dice = Dice(seed)
        state = engine.setup(PLAYERS, engine.options({}), stream(seed, "step", 0))
        while engine.result(state) is None:
            texts = {seat: engine.sample(engine.view(state, seat), dice) for seat in engine.awaiting(state)}
            played.append((state, texts, seed))
            orders = {seat: engine.parse(engine.view(state, seat), text) for seat, text in texts.items()}
            state, _ = engine.resolve(state, orders, Dice(seed))
    return played
