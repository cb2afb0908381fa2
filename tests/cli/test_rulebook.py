"""`pbem rules` shows how a game is played, with no house about."""

from pathlib import Path

import pytest

from engines import ENGINES
from pbem import games
from tests.cli.console import Console


@pytest.mark.parametrize("name", ENGINES)
def test_the_rules_of_a_game_are_shown(tmp_path: Path, name: str) -> None:
    shown = Console(tmp_path).done("rules", name, house=False)
    engine = games.get(name)
    assert shown.startswith(f"{engine.title}\n")
    assert all(row.words in shown for row in engine.notation)
    assert not list(tmp_path.iterdir())


def test_what_is_no_game_is_refused_in_one_line(tmp_path: Path) -> None:
    assert "there is no game 'chess'; there are: " in Console(tmp_path).refused("rules", "chess", house=False)
