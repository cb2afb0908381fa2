"""Answer six turns with real mail programs opened on the Maildirs, each quoting in its own way."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.testing.stage import Stage, open_stage, text_of
from tests.conftest import need

PLAYERS = ("alice", "bob", "carol")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = open_stage(tmp_path / "house", datetime.now(UTC))  # mail programs know no other time
    for name in PLAYERS:
        stage.add_player(name)
    (tmp_path / "house" / "config.toml").touch()
    (tmp_path / "send").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m pbem.cli --config "{tmp_path}/house/config.toml" deliver\n'
    )
    (tmp_path / "send").chmod(0o700)
    yield stage
    stage.close()


def mailbox(stage: Stage, name: str, folder: Path) -> Path:
    """Make the player's own Maildir with the newest letter in it: programs differ in what they take for the last."""
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("new", "cur", "tmp"):
        (folder / part).mkdir(parents=True)
    (folder / "new" / f"1700000000.{name}.host").write_bytes(stage.newest(name).as_bytes())
    return folder


def run(command: list[str], home: Path, **more: str) -> None:
    """Run a mail program with a home of its own; it must end by itself."""
    environment = {**os.environ, "HOME": str(home), "TERM": "xterm", **more}
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, env=environment, cwd=home, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace")[-2000:]


def answer_with_mutt(home: Path, box: Path, name: str, words: str, *, below: bool) -> None:
    """Reply to the newest letter; the editor puts the words above the quote, or below it."""
    (home / "words").write_text(words + "\n")
    parts = '"$1" "$HOME/words"' if below else '"$HOME/words" "$1"'
    (home / "editor").write_text(f'#!/bin/sh\ncat {parts} >"$1.new" && mv "$1.new" "$1"\n')
    (home / "editor").chmod(0o700)
    (home / "muttrc").write_text(
        f'set mbox_type=Maildir folder="{box.parent}" spoolfile="{box}" sendmail="{home}/send"\n'
        f'set from="{name}@example.org" use_from=yes copy=no move=no reply_to=yes editor="{home}/editor"\n'
        "set include=yes fast_reply=yes autoedit=no abort_unmodified=no\n"
        "set quit=yes wait_key=no sleep_time=0 recall=no\n"
    )
    keys = "<last-entry><reply>y<quit>"
    run(["script", "-qefc", f"mutt -n -F {home}/muttrc -e 'push \"{keys}\"'", "/dev/null"], home)


def answer_with_s_nail(home: Path, box: Path, name: str, words: str) -> None:
    """Reply to the newest letter, the quote above and the words below, as s-nail does."""
    (home / "mailrc").write_text(
        f"set v15-compat hostname=localhost quote indentprefix='> ' sendwait nosave nohold\n"
        f'set mta="{home}/send" from={name}@example.org\n'
    )
    typed = f"reply $\n{words}\n~.\nxit\n"
    run(
        ["sh", "-c", f"printf '%s' \"$TYPED\" | s-nail -# -~ -:u -f '{box}'"],
        home, MAILRC=str(home / "mailrc"), TYPED=typed,
    )  # fmt: skip


def test_six_turns_with_mutt_and_s_nail(stage: Stage, tmp_path: Path) -> None:
    for program in ("mutt", "s-nail", "script"):
        need(program)
    game = stage.new_game("blame", PLAYERS, seed="real programs", abilities="off", first="alice")
    stage.poll()
    for turn in range(1, 7):
        name = PLAYERS[(turn - 1) % 3]
        box = mailbox(stage, name, tmp_path / f"box-{name}")
        words = "draw" if turn < 4 else "draw\n\nGood luck, all of you!"
        if name == "bob":
            answer_with_s_nail(tmp_path, box, name, words)
        else:
            answer_with_mutt(tmp_path, box, name, words, below=name == "carol")
        assert stage.poll().received == 1
        told = text_of(stage.newest(name))
        assert 'Read as "draw" and done.' in told
        assert "play up to" not in told.partition("WHAT HAPPENED")[0], "nothing of the quote was read"
        assert stage.sitting(game).table.turn() == turn + 1
