"""`pbem verify` needs no house, says what holds and what does not, and compares with a letter of the time."""

import io
import json
import sys
from pathlib import Path

import pytest

from pbem.cli.front import run
from pbem.core import proof
from tests.cli.bench import MONA, WHY, with_moderators
from tests.cli.console import Console
from tests.core.honest import honest


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Give the file of an honest game."""
    path = tmp_path / "game.jsonl"
    path.write_text(proof.write(honest("archer", 7)))
    return path


@pytest.fixture
def bad(file: Path) -> Path:
    """Give the file of the same game with one order changed."""
    path = file.with_name("bad.jsonl")
    path.write_text(file.read_text().replace(',"player"]', ',"default"]', 1))
    return path


def test_it_needs_no_house(file: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    ran = Console(empty).apart("verify", str(file), house=False, cwd=empty)
    assert (ran.code, ran.err) == (0, "")
    assert "game.jsonl: holds: archer-7, " in ran.out and "the seed and its seal" in ran.out
    assert list(empty.iterdir()) == []


def test_what_does_not_fit_is_named_and_the_exit_is_1(file: Path, bad: Path) -> None:
    ran = Console(file.parent)("verify", str(file), str(bad), house=False)
    assert ran.code == 1
    one, other = ran.out.splitlines()
    assert "game.jsonl: holds" in one
    assert "bad.jsonl: does not hold: entry 2 (step 1) was changed" in other


def test_json_says_the_same(file: Path, bad: Path) -> None:
    ran = Console(file.parent)("verify", "--json", str(file), str(bad), house=False)
    assert [one["holds"] for one in json.loads(ran.out)] == [True, False]


def test_what_cannot_be_read_or_is_no_such_file(tmp_path: Path) -> None:
    console = Console(tmp_path)
    assert "cannot be read" in console.refused("verify", str(tmp_path / "none"), house=False)
    (tmp_path / "x").write_bytes(b"\xff\x00hello")
    ran = console("verify", str(tmp_path / "x"), house=False)
    assert ran.code == 1 and "does not hold: its line 1 cannot be read" in ran.out


def test_a_letter_is_compared_with_one_file(file: Path) -> None:
    told = Console(file.parent).refused("verify", str(file), str(file), "--letter", str(file), house=False)
    assert "give that file alone" in told


def exported(cli: Console, game: str, *more: str) -> Path:
    out = cli.folder / "out.jsonl"
    cli.done("admin", "export", game, "--out", str(out), *more)
    return out


def test_a_game_is_exported_after_its_end_and_its_letters_fit(cli: Console) -> None:
    game = cli.game()
    cli.done("poll")
    assert "only after its end" in cli.refused("admin", "export", game)
    with cli.stage() as stage:
        stage.reply("alice", "draw")
    cli.done("poll")
    cli.done("admin", "end", game, "--yes")
    cli.done("poll")
    out = exported(cli, game)
    assert "is there already" in cli.refused("admin", "export", game, "--out", str(out))
    assert cli.done("admin", "export", game, "--out", "-") == out.read_text()
    with cli.stage() as stage:
        letters = stage.mails("alice")
    fits = []
    for number, letter in enumerate(letters):
        path = cli.folder / f"{number}.eml"
        path.write_bytes(letter.as_bytes())
        fits.append(cli.done("verify", str(out), "--letter", str(path), house=False))
    assert "0.eml fits: its seal, its terms, the table and the hand" in fits[0]
    assert "1.eml fits: its receipt, what happened, the table and the hand" in fits[1]
    assert "2.eml fits: its seed, what happened" in fits[2]


def test_a_game_that_was_ruled_on_holds_and_so_does_every_letter_of_it(cli: Console) -> None:
    with_moderators(cli).company("alice", "bob", "carol")
    cli.done("admin", "new-game", "archer", "--players", "alice,bob,carol", "--option", "first=alice")
    game, rule = "archer-1", (*MONA, *WHY, "--yes")
    for words in (["skip", game], ["skip", game], ["rollback", game, "1", "--redeal"], ["skip", game]):
        cli.done("mod", *words, *rule)
        cli.done("poll")
    cli.done("mod", "peek", game, "--as", "bob", *MONA, *WHY)
    cli.done("mod", "score", game, *rule)
    cli.done("poll")
    out = exported(cli, game)
    assert "holds" in cli.done("verify", str(out), house=False)
    with cli.stage() as stage:
        letters = stage.mails("bob")
    for number, letter in enumerate(letters):
        path = cli.folder / f"{number}.eml"
        path.write_bytes(letter.as_bytes())
        assert "fits" in cli.done("verify", str(out), "--letter", str(path), house=False)
    out.write_text(out.read_text().replace('"scores":[', '"scores":[7,', 1))
    ran = cli("verify", str(out), house=False)
    assert ran.code == 1 and "does not hold" in ran.out


def test_what_one_player_knew_is_opened_with_a_reason(cli: Console) -> None:
    game = with_moderators(cli).game()
    assert "reason" in cli.refused("admin", "export", game, "--as", "alice", *MONA)
    assert "no moderator" in cli.refused("admin", "export", game, "--as", "alice", *WHY, "--as-moderator", "eve")
    out = exported(cli, game, "--as", "alice", *MONA, *WHY)
    assert "as far as alice knew" in cli.done("verify", str(out), house=False)


class Terminal(io.StringIO):
    """Be a terminal that somebody looks at."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def test_for_many_files_a_terminal_shows_how_far_it_has_come(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for files, shown in (([file], False), ([file] * 3, True)):
        monkeypatch.setattr(sys, "stderr", terminal := Terminal())
        assert run(["verify", *map(str, files)]) == 0
        assert ("games" in terminal.getvalue() and "100%" in terminal.getvalue()) == shown
