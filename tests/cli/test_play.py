"""Play at one keyboard: a game begins, is left, goes on, and ends, all in the real office."""

import io
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.cli.front import run
from pbem.store.session import connect, read

Play = Callable[..., str]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Play:
    """Give what types lines into `pbem play` and returns all that it printed."""

    def typed(lines: str, *more: str, engine: str = "blame", name: str = "alice", code: int = 0) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        assert run(["play", engine, "--as", name, "--folder", str(tmp_path / "kept"), *more]) == code
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return out + err

    return typed


def test_a_game_begins_against_two_bots(play: Play) -> None:
    told = play("", "--option", "first=alice")
    assert "Dear alice" in told and "with alice, careful2 and careful3 at the table" in " ".join(told.split())
    assert "please write above" not in told and "YOUR HAND" in told


def test_an_order_is_taken_and_the_bots_answer_it(play: Play) -> None:
    told = play("draw\n", "--option", "first=alice", "--players", "alice,bot:random")
    assert 'Read as "draw" and done.' in told and "random2" in told.rpartition("WHAT HAPPENED")[2]


def test_what_is_wrong_is_answered_with_what_would_work(play: Play) -> None:
    told = play("drwa\n", "--option", "first=alice")
    assert "One letter away from a command" in told


def test_leaving_and_coming_back_goes_on_with_the_same_game(play: Play) -> None:
    first = play("draw\nquit\n", "--option", "first=alice")
    again = play("", name="Alice")
    assert "You are back in blame-1" in again and "blame-1" in first
    hand = first.rpartition("YOUR HAND")[2].partition("YOUR SECRETS")[0]
    assert hand in again
    assert "blame-2" in play("", "--new")


def test_another_game_is_no_going_on(play: Play) -> None:
    play("")
    assert "archer-2" in play("", engine="archer")


def test_a_whole_game_ends_and_says_so(play: Play, tmp_path: Path) -> None:
    told = play("resign\nresign yes\n", "--option", "max_turns=9", "--players", "alice,bot:random,bot:random")
    assert "The game is over; the same command begins another." in told
    assert "Points:" in " ".join(told.split())
    db = connect(f"sqlite:///{tmp_path}/kept/pbem.sqlite")
    from pbem.store import games

    assert [game.status for game in read(db, games.list_games)] == ["over"]
    db.dispose()


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"engine": "chess"}, "there is no game 'chess'"),
        ({"name": "say"}, "the office uses that word"),
        ({"name": "two words"}, "cannot be a player's name"),
    ],
)
def test_what_cannot_be_is_one_line(play: Play, more: dict[str, str], told: str) -> None:
    assert told in play("", code=1, **more)


def test_a_table_without_the_player_is_refused(play: Play) -> None:
    assert "there is no player 'bob'" in play("", "--players", "bob,bot:random", code=1)


def test_headings_are_set_off_on_a_terminal_alone(play: Play, tmp_path: Path) -> None:
    assert "\x1b[" not in play("")
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "pbem.cli", "play", "blame", "--as", "alice", "--folder", str(tmp_path / "tty")]
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=environment) as program:
        os.close(slave)
        shown = b""
        while True:
            try:
                got = os.read(master, 4096)
            except OSError:  # the other end is closed
                break
            if not got:
                break
            shown += got
    os.close(master)
    assert program.returncode == 0 and b"\x1b[1;36mTHE TABLE\x1b[0m" in shown


def test_bots_play_differently_from_game_to_game(play: Play) -> None:
    told = {play("", "--new", "--option", "first=alice").partition("YOUR HAND")[2][:200] for _ in range(3)}
    assert len(told) > 1
