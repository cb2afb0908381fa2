"""Check a game's module as it stands: that it is whole, imports nothing it must not, and does not depend on luck."""

import ast
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

from pbem.core.reading import COMMANDS
from pbem.engine import BadOrder, Engine
from pbem.testing.checks import first_difference
from pbem.testing.checks.values import said
from pbem.testing.kit import Kit
from pbem.testing.plays import NAMES, blamed

FORBIDDEN = frozenset(
    {"random", "secrets", "time", "datetime", "os", "sys", "io", "subprocess", "socket", "uuid", "threading", "asyncio"}
)
CALLED = frozenset({"hash", "id", "open", "input", "print", "eval", "exec"})
PATIENCE = 120
GAMES = 6
MOST_STEPS = 200


def the_module_is_whole(kit: Kit) -> None:
    """Every plain value of the contract is there and makes sense."""
    with blamed(f"{kit.engine.name}, the module"):
        _check_values(kit.engine)
        for options in (*kit.options, *kit.racing):
            chosen = kit.engine.options(options)
            again = kit.engine.load_options(kit.engine.dump_options(chosen))
            assert again == chosen, f"the options {options} do not round-trip"


def _check_values(engine: Engine) -> None:
    assert re.fullmatch("[a-z][a-z0-9]{0,19}", engine.name), "a game's name is one lower-case word"
    assert engine.name != "post", "the house's own letters are called so"
    assert engine.title.strip(), "TITLE is empty"
    assert len(engine.seats) and engine.seats[0] >= 1 and engine.seats.step == 1, f"SEATS is {engine.seats}"
    assert engine.seats[-1] <= len(NAMES), f"the kit has names for {len(NAMES)} players at most"
    assert engine.memory in ("open", "closed"), f"MEMORY is 'open' or 'closed', not {engine.memory!r}"
    assert engine.endings and len(set(engine.endings)) == len(engine.endings), f"ENDINGS is {engine.endings}"
    assert not engine.kinds or set(engine.standing) <= set(engine.kinds), "STANDING names what KINDS does not"


def the_notation_is_that_of_the_game(kit: Kit) -> None:
    """Every example of NOTATION is, in some position, an order or a refused one, and uses no word of the office's."""
    assert kit.engine.notation, f"{kit.engine.name}: NOTATION is empty"
    for row in kit.engine.notation:
        first = row.example.split()[0].casefold() if row.example.split() else ""
        assert first and first not in COMMANDS, f"{row.example!r} begins with a word of the office's"
        known = any(
            _is_known(kit, seat, step.before, row.example)
            for step in kit.steps
            for seat in (*kit.engine.awaiting(step.before), *kit.engine.interrupts(step.before))
        )
        assert known, f"{kit.engine.name}: NOTATION shows {row.example!r}, which parse takes for talk in every position"


def _is_known(kit: Kit, seat: int, state: object, text: str) -> bool:
    try:
        return kit.engine.parse(kit.engine.view(state, seat), text) is not None
    except BadOrder:
        return True


def the_module_is_pure(kit: Kit) -> None:
    """Of pbem a game imports `pbem.engine` alone; it knows no clock, no chance but the dice, and no files."""
    name = kit.engine.name
    for path in sources(kit.engine.setup.__module__, name):
        odd = impurities(ast.parse(path.read_text(encoding="utf-8")))
        assert not odd, f"{name}: {path} {', '.join(sorted(odd))}"


def sources(module: str, name: str) -> Iterator[Path]:
    """Give the files of a game: of the package that holds its templates, or of the one that its module lies in."""
    file = Path(inspect.getfile(import_module(module)))
    parts = module.split(".")
    folders = [file.parent, *file.parent.parents][: len(parts) - (file.name != "__init__.py")]
    home = next(
        (folder for folder in folders if (folder / "templates" / name).is_dir()), file.parent if folders else None
    )
    yield from [file] if home is None else sorted(home.rglob("*.py"))


def impurities(tree: ast.AST) -> set[str]:
    """Give what a source imports or calls that no game may."""
    return {f"imports {name}" for name in imported(tree) if _barred(name)} | {
        f"calls {name}" for name in called(tree) & CALLED
    }


def _barred(name: str) -> bool:
    top = name.partition(".")[0]
    return top in FORBIDDEN or (top == "pbem" and name != "pbem.engine")


def imported(tree: ast.AST) -> Iterator[str]:
    """Give the full name of everything that a source imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            alone = node.module == "pbem"  # from pbem import engine
            yield from (f"{node.module}.{alias.name}" if alone else node.module or "" for alias in node.names)


def called(tree: ast.AST) -> set[str]:
    """Give the plain names that a source calls."""
    return {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}


def another_process_plays_the_same_games(kit: Kit) -> None:
    """In another process, where sets and dicts of texts come in another order, the same is said at every step."""
    game = f"{kit.game.__name__}:" if isinstance(kit.game, ModuleType) else kit.game
    if not isinstance(game, str):
        return  # what was put together in memory cannot be found from there
    here = list(transcript(Kit(game, options=kit.options[:1], games=GAMES)))
    for seed in ("1", "2"):
        command = [sys.executable, "-m", "pbem.testing.transcript", game, str(GAMES)]
        command += [f"{name}={value}" for name, value in kit.options[0].items()]
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        ran = subprocess.run(command, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)  # noqa: S603
        assert ran.returncode == 0, f"{kit.engine.name}: the other process failed: {ran.stderr[-500:]}"
        there = ran.stdout.splitlines()
        for one, other in zip(here, there, strict=True):
            assert one == other, f"{one[:60]}...: with PYTHONHASHSEED={seed} it is: {first_difference(one, other)}"


def transcript(kit: Kit) -> Iterator[str]:
    """Write down some games, a line for each thing that is said in a step."""
    for step in kit.steps[:MOST_STEPS]:
        for what, text in said(step):
            yield f"{step}: {what}: {text!a}"
