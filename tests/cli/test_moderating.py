"""Each command of the moderators' guide is one that works."""

import re
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.bench import MONA, with_moderators
from tests.cli.console import Console

DAY = timedelta(days=1)
GUIDE = Path(__file__).parent.parent.parent / "docs/moderating.md"
COMMANDS = re.findall(r"^ {4}pbem (.*?)(?: {4,}.*)?$", GUIDE.read_text(), re.M)
MILD = ("log", "show", "disputes", "read", "receipt", "peek", "export-dispute")
"""What rules on nothing, so that it asks nothing."""


@pytest.fixture
def house(cli: Console, monkeypatch: pytest.MonkeyPatch) -> Console:
    """Give a house with a game two steps on, a dispute, a held message and the files that the guide speaks of."""
    monkeypatch.chdir(cli.folder)
    with_moderators(cli).game()
    cli.company("dave")
    with cli.stage() as stage:
        stage.poll()
        Path("letter.eml").write_bytes(stage.newest("alice").as_bytes())
        stage.reply("alice", "draw")
        stage.poll()
        stage.reply("carol", "help", sender="carol@work.example")
        stage.poll()
    return cli


def prepare(cli: Console, line: str) -> None:
    """Do what must have happened before a command of the guide makes sense."""
    if re.match(r"mod (dispute show|disputes|rule|export-dispute)|verify dispute", line):
        cli.done("mod", "dispute", "open", "blame-1", "--text", "x", "--yes", *MONA)
    if line.startswith("verify dispute"):
        cli.done("mod", "export-dispute", "1", *MONA)
    if line.startswith(("verify blame", "admin export blame-7")) and "--as" not in line:
        cli.done("mod", "annul", "blame-1", "--yes", "--reason", "x", *MONA)
    if line.startswith("verify blame"):
        cli.done("admin", "export", "blame-1")
    if line.startswith("mod forward"):
        cli.done("mod", "rollback", "blame-1", "0", "--keep", "--yes", "--reason", "x", *MONA)
    if "--back" in line:
        cli.done("admin", "edit-player", "carol", "--away", "5 days")
    if "inbox retry" in line:
        cli.done("admin", "edit-player", "carol", "--add-email", "carol@work.example")


def words(cli: Console, line: str) -> list[str]:
    """Give a command of the guide as it is typed here: with this house's names and numbers, and no question asked."""
    typed = line.replace("blame-7", "blame-1").replace(" 41", " 0").replace("retry 12", "retry 2")
    typed = typed.replace("1a2b3c4d", code(cli)).replace('blame-1 alice "play G1 draw"', "blame-1 bob draw")
    typed = typed.replace('--order alice "draw"', "--order bob draw")
    typed = re.sub(r"(deadline|skip) (.*)alice", r"\1 \2bob", typed)
    typed = typed.replace("2026-12-20 2027-01-02", f"{soon():%Y-%m-%d} {soon() + 13 * DAY:%Y-%m-%d}")
    given = shlex.split(typed)
    if given[0] == "mod" and given[1:2] != ["read"] and given[1] not in ("log", "show", "disputes"):
        given += MONA
        given += [] if given[1] in MILD or given[1:3] == ["dispute", "show"] or "--dry-run" in given else ["--yes"]
    return given + ([*MONA] if given[0] == "admin" and "--as" in given else [])


def soon() -> datetime:
    """Give a day a little ahead of the clock that commands go by."""
    return datetime.now(UTC) + 9 * DAY


def code(cli: Console) -> str:
    """Give the code of alice's receipt."""
    from pbem.store import receipts

    return cli.store(lambda session: receipts.receipts_of(session, 1, 0)[0].hash[:8])


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_guide_works(house: Console, line: str) -> None:
    prepare(house, line)
    house.done(*words(house, line), house=not line.startswith("verify"))


def test_the_guide_has_commands() -> None:
    assert len(COMMANDS) > 40
