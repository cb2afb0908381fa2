"""Measure OpenSpiel's games in Python, as a yardstick: a legal action drawn, applied, all views made."""

import random
from typing import Any

from bench.measure import emit, rate

GAMES = ("python_kuhn_poker", "python_tic_tac_toe", "python_liars_poker", "python_team_dominoes")
BUDGET = 300  # moves of one round


def run() -> None:
    """Print the moves a second of each, where OpenSpiel is installed: `pip install --group bench`."""
    try:
        import pyspiel
        from open_spiel.python import games as _games  # noqa: F401 (it registers them)
    except ImportError:
        print("OpenSpiel: not installed (`pip install --group bench`): not measured")
        return
    for name in GAMES:
        game = pyspiel.load_game(name)
        moves, spread = rate(_round(game, random.Random(1)))
        emit(f"OpenSpiel.{name}: moves, views of all made", moves, "moves/s", spread)


def _round(game: Any, chance: random.Random) -> Any:
    def one_round() -> int:
        done = 0
        while done < BUDGET:
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    actions, odds = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(chance.choices(actions, odds)[0])
                    continue
                state.apply_action(chance.choice(state.legal_actions()))
                for player in range(game.num_players()):
                    _view(state, player)
                done += 1
        return done

    return one_round


def _view(state: Any, player: int) -> None:
    """Make what a player may know, in the form in which the game gives it."""
    if state.get_game().get_type().provides_observation_string:
        state.observation_string(player)
    elif state.get_game().get_type().provides_information_state_string:
        state.information_state_string(player)
    else:
        str(state)
