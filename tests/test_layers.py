"""Keep the rules that import-linter cannot: games use no clock, no chance but the dice handed in, and no I/O."""

import ast
from pathlib import Path

import pytest

from engines import ENGINES
from pbem.testing.checks.module import called, imported

ROOT = Path(__file__).parent.parent
FORBIDDEN = {
    "random",
    "secrets",
    "time",
    "datetime",
    "os",
    "sys",
    "io",
    "pathlib",
    "subprocess",
    "socket",
    "uuid",
    "threading",
}
DRAWN = {"hash", "id", "open", "input", "print", "eval", "exec"}
GAMES = sorted((ROOT / "engines").rglob("*.py"))


def tops(tree: ast.AST) -> set[str]:
    """Give the top names of all that a module imports."""
    return {name.partition(".")[0] for name in imported(tree)}


@pytest.mark.parametrize("path", GAMES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_game_is_pure(path: Path) -> None:
    tree = ast.parse(path.read_text())
    read_at_import = {"pathlib"} if path.name in ("cards.py", "deck.py") else set()  # the card list is a data file
    assert not tops(tree) & (FORBIDDEN - read_at_import)
    assert not called(tree) & DRAWN


def test_there_are_games_to_look_at() -> None:
    assert len(GAMES) > len(ENGINES) >= 1


@pytest.mark.parametrize("line", ["import random", "from time import sleep", "import os.path", "x = hash('a')"])
def test_a_line_that_a_game_must_not_have_is_seen(line: str) -> None:
    tree = ast.parse(line)
    assert tops(tree) & FORBIDDEN or called(tree) & DRAWN


def test_the_core_and_the_services_read_no_clock() -> None:
    for path in [*(ROOT / "pbem/core").rglob("*.py"), *(ROOT / "pbem/services").rglob("*.py")]:
        text = path.read_text()
        assert "datetime.now" not in text, path
        assert "utcnow" not in text, path
        assert "time" not in tops(ast.parse(text)), path
