"""A stranger's game: docs/adding-a-game.md, followed from the start in an empty folder, gives a game that is played."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from engines import ENGINES
from pbem import games
from pbem.testing.rehearsal import play_out
from pbem.testing.stage import open_stage, text_of
from tests.cli.console import Console

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "docs/adding-a-game.md").read_text(encoding="utf-8")
NAME = "tens"
MOST_LINES = 150
PATIENCE = 120
BLOCK = r"((?:    .*\n|\n)+)"
CHANGE = re.compile(rf"[Ii]n `(\S+)`, put\n\n{BLOCK}in the place of\n\n{BLOCK}")


class Follower:
    """Follow the guide as its reader does: a folder, and an environment in which packages are installed."""

    def __init__(self, folder: Path) -> None:
        self.site, self.here = folder / "site", folder / "here"
        self.here.mkdir(parents=True)
        self.home = self.here

    def type(self, line: str) -> str:
        """Type a line into a shell, and give what is said."""
        command, *words = shlex.split(line)
        if command == "cd":
            self.here /= words[0]
            return ""
        programs = {"pbem": ["-m", "pbem.cli"], "python": [], "pip": ["-m", "pip"]}
        if command == "pip":  # nothing is fetched, and the environment of these tests stays as it is
            assert words == ["install", "--editable", "."]
            words = [
                "install",
                "--quiet",
                "--no-index",
                "--no-deps",
                "--no-build-isolation",
                "--target",
                str(self.site),
            ]
            words += ["--disable-pip-version-check", "."]
        return self.run(*programs[command], *words)

    def run(self, *words: str) -> str:
        """Run Python, with this pbem and with what is installed; a game's own folder comes first, as it is editable."""
        places = [str(self.home / NAME), str(self.site), str(ROOT)]
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8"}
        ran = subprocess.run(
            [sys.executable, *words], cwd=self.here, env={**env, "PYTHONPATH": os.pathsep.join(places)},
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, f"{words}: {ran.stdout[-2000:]}{ran.stderr[-2000:]}"
        return ran.stdout

    def change(self, file: str, new: str, old: str) -> None:
        """Put a text in the place of another one, which stands there once."""
        path = self.home / NAME / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{file} has {text.count(old)} times: {old}"
        path.write_text(text.replace(old, new), encoding="utf-8")


def commands() -> list[list[str]]:
    """Give the blocks of commands of the guide."""
    blocks = re.findall(r"(?:^    \S.*\n)+", GUIDE, re.M)
    typed = [[line.strip() for line in block.splitlines()] for block in blocks]
    return [lines for lines in typed if all(re.match("(pbem|pip|python|cd) ", line) for line in lines)]


@pytest.fixture(scope="module")
def follower(tmp_path_factory: pytest.TempPathFactory) -> Follower:
    """Follow the guide's beginning."""
    reader = Follower(tmp_path_factory.mktemp("stranger"))
    begin, _, _ = commands()
    said = [reader.type(line) for line in begin]
    assert f"{NAME}/__init__.py" in said[0] and "failed" not in said[3] and "lay CARD" in said[4]
    return reader


@pytest.fixture
def installed(follower: Follower, monkeypatch: pytest.MonkeyPatch) -> Iterator[Follower]:
    """Have the game installed in this process too."""
    monkeypatch.syspath_prepend(str(follower.site))
    yield follower
    games.get.cache_clear()
    sys.modules.pop(NAME, None)


def test_it_is_a_game_in_less_than_150_lines_and_passes_the_kit(follower: Follower) -> None:
    files = [path for path in (follower.home / NAME / NAME).rglob("*") if path.suffix in (".py", ".j2")]
    assert len(files) == 8
    assert sum(path.read_text(encoding="utf-8").count("\n") for path in files) < MOST_LINES


def test_it_is_clean(follower: Follower) -> None:
    follower.here = follower.home / NAME
    follower.run("-m", "ruff", "check", ".")
    follower.run("-m", "ruff", "format", "--check", ".")
    follower.run("-m", "mypy", "--follow-imports", "silent", "--cache-dir", "cache", NAME, "tests")


def test_it_is_installed_as_a_package_and_found_by_its_entry_point(installed: Follower, tmp_path: Path) -> None:
    assert NAME not in ENGINES
    assert [point.value for point in metadata.entry_points(group=games.GROUP, name=NAME)] == [NAME]
    assert NAME in games.names()
    engine = games.get(NAME)
    assert engine.templates == str(installed.site / NAME / "templates")
    assert "lay CARD" in Console(tmp_path).done("rules", NAME, house=False)


def test_it_is_played_by_letter(installed: Follower, tmp_path: Path) -> None:
    stage = open_stage(tmp_path)
    names = ("alice", "bob", "carol")
    for name in names:
        stage.add_player(name)
    game = stage.new_game(NAME, names)
    blame = stage.new_game("blame", names)
    stage.poll()
    play_out(stage, game)
    last = text_of(stage.newest("alice", containing=game))
    stage.close()
    assert stage.game(game).status == "over" and stage.game(blame).status == "open"
    assert "The game is over; most rounds went to" in last and "YOUR HAND\n  no card" in last


def test_the_house_of_the_guide_deals_it(follower: Follower) -> None:
    _, house, _ = commands()
    follower.here = follower.home
    assert "sent 2 letters" in [follower.type(line) for line in house][-1]
    (letter, _) = sorted((follower.home / "house/mail/out/new").iterdir())
    assert "lay " in letter.read_text()


def test_the_change_of_the_guide_works(follower: Follower) -> None:
    changes = CHANGE.findall(GUIDE)
    assert len(changes) == GUIDE.count("in the place of\n") == 6
    for file, new, old in changes:
        follower.change(file, *(re.sub("^    ", "", text, flags=re.M).strip("\n") + "\n" for text in (new, old)))
    follower.here = follower.home / NAME
    (again,) = commands()[2]
    assert "failed" not in follower.type(again)
    test_it_is_clean(follower)
    test_it_is_a_game_in_less_than_150_lines_and_passes_the_kit(follower)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("blame", "there is a game"),
        ("help", "the office uses that word"),
        ("post", "the office uses that word"),
        ("class", "Python knows something else"),
        ("random", "Python knows something else"),
        ("engines", "Python knows something else"),
        ("Tens", "lower-case letters"),
        ("ten-s", "lower-case letters"),
        ("../tens", "lower-case letters"),
        ("a" * 21, "2 to 20"),
        ("", "2 to 20"),
    ],
)
def test_names_that_cannot_be_are_refused(tmp_path: Path, name: str, why: str) -> None:
    assert why in Console(tmp_path).refused("new-engine", "--folder", str(tmp_path), "--", name, house=False)
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    said = Console(tmp_path).refused("new-engine", NAME, "--folder", str(tmp_path), house=False)
    assert "is there already" in said and not list((tmp_path / NAME).iterdir())


def test_a_game_that_cannot_be_loaded_keeps_nobody_from_playing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    (site / "wreck-1.dist-info").mkdir(parents=True)
    (site / "wreck-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: wreck\nVersion: 1\n")
    (site / "wreck-1.dist-info" / "entry_points.txt").write_text("[pbem.games]\nwreck = wreck\n")
    (site / "wreck.py").write_text("import nothing_of_that_name\n")
    monkeypatch.syspath_prepend(str(site))
    assert "wreck" in games.names()
    assert "cannot be loaded" in Console(tmp_path).refused("rules", "wreck", house=False)
    stage = open_stage(tmp_path / "house")
    for name in ("alice", "bob"):
        stage.add_player(name)
    stage.new_game("blame", ("alice", "bob"))
    assert stage.poll()
    assert len(stage.mails()) == 2
    stage.close()
