"""Whatever goes wrong is one line and an exit code; a traceback goes to the operator's file alone."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pbem import __version__
from tests.cli.console import PATIENCE, Console

CARD = "PLAY AW2 OF THE HAND"


def failing(error: BaseException) -> Any:
    """Give a function that raises, whatever it is called with."""

    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_version_and_help(cli: Console) -> None:
    assert cli.done("--version", house=False) == f"pbem {__version__}\n"
    assert "Commands:" in cli.done("--help", house=False)
    for group in ((), ("admin",), ("mod",)):
        assert cli.done(*group) == cli.done(*group, "--help") == cli.done(*group, "-h")


@pytest.mark.parametrize(
    "typed",
    [
        ("what",),
        ("admin", "what"),
        ("--what",),
        ("admin", "show"),
        ("admin", "add-player", "alice"),
        ("admin", "pause", "a", "b"),
    ],
)
def test_what_is_typed_wrongly_is_one_line_and_2(cli: Console, typed: tuple[str, ...]) -> None:
    assert "--help" in cli.refused(*typed, code=2)


def test_f10_what_is_typed_is_shown_harmlessly(cli: Console) -> None:
    said = cli.refused("admin", "\x1b[2J[/red]\u202e", code=2)
    assert "\\x1b[2J[/red]\\u202e" in said


def test_config_stands_in_front_and_the_error_says_so(cli: Console) -> None:
    assert "right behind pbem" in cli.refused("admin", "games", "--config", "x", code=2)


def test_the_environment_may_name_the_config(cli: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_CONFIG", str(cli.folder / "config.toml"))
    cli.done("admin", "games", house=False)
    monkeypatch.setenv("PBEM_CONFIG", str(cli.folder / "other.toml"))
    assert "other.toml" in cli.refused("admin", "games", house=False)


def test_no_config(tmp_path: Path) -> None:
    assert "pbem init" in Console(tmp_path).refused("admin", "games")


def test_an_unforeseen_failure_goes_to_the_file_alone(cli: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.store.players.list_players", failing(RuntimeError(CARD)))
    said = cli.refused("admin", "players")
    log = cli.folder / "pbem.log.jsonl"
    assert str(log) in said
    assert CARD not in said
    assert log.stat().st_mode & 0o777 == 0o600
    entry = json.loads(log.read_text().splitlines()[-1])
    assert (entry["level"], CARD in entry["exception"]) == ("critical", True)


@pytest.mark.usefixtures("quiet_logs")
def test_a_failure_before_any_config_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.config.load", failing(RuntimeError(CARD)))
    said = Console(tmp_path).refused("admin", "players")
    assert CARD not in said
    assert CARD in (tmp_path / "pbem.log.jsonl").read_text()


@pytest.mark.usefixtures("quiet_logs")
def test_a_failure_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.config.load", failing(RuntimeError(CARD)))
    ran = Console(tmp_path / "nowhere")("admin", "players")
    assert ran.code == 1
    assert "no log file could be written" in ran.err
    assert CARD not in ran.err


def test_a_full_disk_is_told_by_its_name(cli: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.store.players.list_players", failing(OSError(28, "No space left on device", "/var/x")))
    assert "/var/x: No space left on device" in cli.refused("admin", "players")


def test_ctrl_c_is_quiet_and_130(cli: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.config.load", failing(KeyboardInterrupt()))
    ran = cli("admin", "games")
    assert (ran.code, ran.out, ran.err) == (130, "", "")


def test_a_reader_that_went_away_is_no_matter(cli: Console) -> None:
    command = [sys.executable, "-m", "pbem.cli", "--help"]
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    os.close(writer)
    assert ran.stderr == b""


def test_a_terminal_without_letters(cli: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.done("admin", "add-player", "Zoë", "--email", "zoe@example.org")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    ran = cli.apart("admin", "players")
    assert (ran.code, ran.err) == (0, "")
    assert "Zo\\xeb" in ran.out


def test_help_needs_none_of_the_heavy_libraries() -> None:
    heavy = ("sqlmodel", "sqlalchemy", "pydantic", "alembic", "structlog", "apscheduler", "jinja2", "nio")
    asked = (
        f"import sys; from pbem.cli.front import run; run(['--help']); print([n for n in {heavy} if n in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"
