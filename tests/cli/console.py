"""Type commands: in this process for most tests, in one of its own where the process itself is what is tested."""

import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlmodel import Session

from pbem.cli.front import run
from pbem.cli.room import OUTSIDE, Outside
from pbem.config import Config, load
from pbem.services.house import furnish
from pbem.store.session import connect, transact
from pbem.testing.stage import Stage, rig_of

PATIENCE = 60
Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Ran:
    """Hold what a command gave back."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Read what it printed as JSON."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Console:
    """Be the command line of one house; `outside` gives the time and chance that it goes by."""

    folder: Path
    outside: Outside = OUTSIDE

    @property
    def config(self) -> Config:
        """Read the house's settings."""
        return load(self.folder / "config.toml")

    def __call__(self, *args: str, house: bool = True) -> Ran:
        """Run a command, whatever comes of it; it never shows a traceback."""
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = run([*(self._house() if house else []), *args], self.outside)
        assert "Traceback" not in out.getvalue() + err.getvalue()
        return Ran(code, out.getvalue(), err.getvalue())

    def done(self, *args: str, house: bool = True) -> str:
        """Run a command that must work, and give what it printed."""
        ran = self(*args, house=house)
        assert (ran.code, ran.err) == (0, ""), ran
        return ran.out

    def refused(self, *args: str, code: int = 1, house: bool = True) -> str:
        """Run a command that must not work, and give the one line that says why."""
        ran = self(*args, house=house)
        assert ran.code == code, ran
        assert ran.err.startswith("pbem: ")
        assert ran.err.count("\n") == 1, ran.err
        return ran.err.strip()

    def json(self, *args: str) -> Any:
        """Run a command that must work with --json, and read what it printed."""
        return json.loads(self.done(*args, "--json"))

    def apart(self, *args: str, given: bytes = b"", house: bool = True, cwd: Path | None = None) -> Ran:
        """Run a command in a process of its own."""
        command = [sys.executable, "-m", "pbem.cli", *(self._house() if house else []), *args]
        ran = subprocess.run(command, input=given, capture_output=True, timeout=PATIENCE, cwd=cwd, check=False)
        return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    @contextmanager
    def serving(self) -> Iterator["subprocess.Popen[str]"]:
        """Let `pbem serve` run beside the test, once it says that it serves; it is ended in any case."""
        command = [sys.executable, "-m", "pbem.cli", *self._house(), "serve"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            try:
                wait_for(process, "serving")
                yield process
            finally:
                process.kill()

    def store(self, work: Callable[[Session], Outcome]) -> Outcome:
        """Change or read the database behind the command line's back."""
        db = connect(self.config.database_url)
        try:
            return transact(db, work)
        finally:
            db.dispose()

    @contextmanager
    def stage(self) -> Iterator[Stage]:
        """Let the players of this house answer their letters, in this process."""
        config = self.config
        stage = Stage(rig_of(connect(config.database_url), furnish(config, self.outside.entropy)), self.outside.clock())
        stage.rig.clock = lambda: stage.now
        try:
            yield stage
        finally:
            stage.close()

    def company(self, *names: str) -> None:
        """Register players by name."""
        for name in names:
            self.done("admin", "add-player", name, "--email", f"{name}@example.org")

    def game(self, *names: str) -> str:
        """Start a rehearsal of Blame between new players."""
        players = names or ("alice", "bob", "carol")
        self.company(*players)
        out = self.done("admin", "new-game", "blame", "--players", ",".join(players), "--seed", "rosebud")
        return out.split()[0]

    def _house(self) -> list[str]:
        return ["--config", str(self.folder / "config.toml")]


def wait_for(process: "subprocess.Popen[str]", word: str) -> str:
    """Read what a process says until it says the word."""
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if word in line:
            return line
    raise AssertionError(f"it never said {word!r}: {said}")
