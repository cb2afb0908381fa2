"""Make docs/cli.md from `--help`: `make docs`."""

import io
from collections.abc import Iterator
from contextlib import redirect_stdout
from unittest import mock

from typer.core import TyperGroup
from typer.main import get_command

from pbem.cli.app import app
from pbem.cli.front import run

HEAD = """# The command line

This page is made from `pbem --help` and its kin by `make docs`; a test compares it. A command that goes well exits with
0, one that goes wrong prints one line on stderr and exits with 1, one that was typed wrongly exits with 2, one that was
interrupted with 130. `--config` stands right behind `pbem`: `pbem --config /srv/games/config.toml admin games`.
"""


def reference() -> str:
    """Write the page: a heading and the help of every command."""
    with mock.patch.dict("os.environ", {"COLUMNS": "80", "TERMINAL_WIDTH": "80"}):
        parts = [f"## {' '.join(('pbem', *names))}\n\n```\n{_help(names)}```\n" for names in _commands()]
    return "\n".join([HEAD, *parts])


def _commands(names: tuple[str, ...] = (), command: object = None) -> Iterator[tuple[str, ...]]:
    command = command or get_command(app)
    yield names
    if isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            yield from _commands((*names, name), inner)


def _help(names: tuple[str, ...]) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        assert run([*names, "--help"]) == 0
    return out.getvalue()


if __name__ == "__main__":
    print(reference(), end="")
