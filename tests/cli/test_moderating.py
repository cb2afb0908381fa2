"""Each command of the moderators' guide is one that works."""

import re
import shlex
from pathlib import Path

import pytest

from pbem.store.receipts import receipts_of
from tests.cli.bench import MONA, with_moderators
from tests.cli.console import Console

GUIDE = Path(__file__).parent.parent.parent / "docs/moderating.md"
COMMANDS = re.findall(
    r"^ {4}pbem (mod (?!read|peek|log|show).*|mod (?:peek|log|show) .*?)(?: {4,}.*)?$", GUIDE.read_text(), re.M
)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_guide_works(cli: Console, line: str) -> None:
    with_moderators(cli).game()
    cli.company("dave")
    if "blame-7 41" in line or "forward" in line or "receipt" in line:
        with cli.stage() as stage:
            stage.poll()
            stage.reply("alice", "draw")
            stage.poll()
    if "receipt" in line:
        line = line.replace("1a2b3c4d", cli.store(lambda session: receipts_of(session, 1))[0].hash[:8])
    words = shlex.split(line.replace("blame-7", "blame-1").replace(" 41 ", " 0 "))
    if words[1] == "forward":
        cli.done("mod", "rollback", "blame-1", "0", "--keep", "--yes", "--reason", "x", *MONA)
    if words[1] not in ("log", "show"):
        words += [*MONA, *([] if words[1] in ("peek", "receipt") or "--dry-run" in words else ["--yes"])]
    if words[1] == "order":
        words.insert(-1, "--dry-run")
    cli.done(*words)
