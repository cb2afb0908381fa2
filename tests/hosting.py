"""Host as docs/hosting.md says: type what it shows, put its files where it says, and compare what is printed.

What a test cannot do to the machine that it runs on stands in `ORDERS`, with what is done instead.
"""

import configparser
import grp
import os
import pwd
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pbem.store import migrate
from tests.guide import Block, Shell, agrees, blocks, edited, is_failure
from tests.real.servers import until
from tests.store.steps import HEAD, NEXT, REBUILD

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/hosting.md"
NARROW = "/usr/bin:/bin"  # what systemd and cron look in
PATIENCE = 60
PLAIN = {"pbem", "cd", "export", "unset", "(umask", "mkdir", "mv", "cp", "chmod", "grep", "pg_dump", "pg_restore"}
"""What may be typed as it stands."""
Hooks = dict[str, Callable[[], object]]


def swap(text: str, table: Mapping[str, str]) -> tuple[str, set[str]]:
    """Replace each key by its value, the longest first, and give the keys that occurred."""
    found: set[str] = set()

    def one(match: re.Match[str]) -> str:
        found.add(match[0])
        return table[match[0]]

    return re.sub("|".join(re.escape(key) for key in sorted(table, key=len, reverse=True)), one, text), found


@dataclass
class Process:
    """Be a `pbem serve` that says what it does into a file."""

    said: Path
    running: "subprocess.Popen[bytes]"

    @classmethod
    def begin(cls, command: Sequence[str], folder: Path, variables: Mapping[str, str], said: Path) -> "Process":
        """Start one, and wait until it serves."""
        with said.open("wb") as out:
            process = cls(said, subprocess.Popen(command, cwd=folder, env=variables, stdout=out, stderr=out))
        until(lambda: "serving" in said.read_text() or process.running.poll() is not None, "serving", PATIENCE)
        assert process.running.poll() is None, said.read_text()
        return process

    def end(self, number: signal.Signals = signal.SIGTERM) -> str:
        """Let it stop by a signal, and give all that it said."""
        self.running.send_signal(number)
        code, said = self.running.wait(PATIENCE), self.said.read_text()
        assert code == 0 and "Traceback" not in said, said
        return said

    def kill(self) -> None:
        """End it in any case."""
        self.running.kill()
        self.running.wait(PATIENCE)


@dataclass
class Host:
    """Be the operator of one house, in an empty folder that stands for the whole machine.

    `names` and `settings` are what the guide writes, and what is there instead (names are printed too); `given` is what
    is typed into a command; `before` and `after` happen around a line. All of them must occur.
    """

    machine: Path
    names: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    before: Hooks = field(default_factory=dict)
    after: Hooks = field(default_factory=dict)

    def __post_init__(self) -> None:
        me, ours = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(os.getegid()).gr_name
        self.names |= {"/srv/pbem": sys.prefix, "/srv/": f"{self.machine}/srv/"}
        self.settings |= {"-o house": f"-o {me}", "-g house": f"-g {ours}"}
        for name in ("srv", "notes", "etc"):
            (self.machine / name).mkdir(parents=True)
        self.own = {"HOME": str(self.machine), "PATH": NARROW, "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}
        self.shell = Shell(self.machine / "notes", ROOT, self.own | self.variables)
        self.used: set[str] = set()
        self.printed = self.user = ""
        self.unit = configparser.ConfigParser(interpolation=None)
        self.service: Process | None = None

    def follow(self, *sections: str) -> None:
        """Do everything that some sections of the guide say."""
        found = [block for block in blocks(PAGE.read_text()) if block.section in sections]
        assert {block.section for block in found} == set(sections)
        try:
            for block, following in zip(found, [*found[1:], None], strict=True):
                self._do(block, following.text if following and following.kind == "text" else "")
        finally:
            if self.service:
                self.service.kill()
        given = self.names.keys() | self.settings.keys() | self.given.keys() | self.before.keys() | self.after.keys()
        assert not given - self.used, "the guide does not say that any more"

    def _do(self, block: Block, shown: str) -> None:
        where = f"docs/hosting.md, line {block.line}"
        assert block.kind in BLOCKS, f"{where}: nobody knows what to do with {block.kind!r}"
        try:
            BLOCKS[block.kind](self, block.text, shown)
        except Exception as error:
            error.add_note(where)
            raise

    def real(self, text: str) -> str:
        """Put what is there in the place of what the guide writes."""
        made, found = swap(text, self.names | self.settings)
        self.used |= found
        return made

    def commands(self, text: str, shown: str) -> None:
        """Type each line; only the last may fail, if the guide shows that it does."""
        self.printed = ""
        lines = text.splitlines()
        for line in lines:
            self.used.add(line)
            self.before.get(line, lambda: None)()
            code = self._order(line)
            assert bool(code) == (line == lines[-1] and is_failure(shown)), (line, self.printed)
            if line != "pbem serve":
                self.after.get(line, lambda: None)()

    def _order(self, line: str) -> int:
        for pattern, order in ORDERS.items():
            if match := re.fullmatch(pattern, line):
                return order(self, line, *match.groups()) or 0
        assert line.split()[0] in PLAIN, f"nobody knows what to do for {line!r}"
        return self.type(self.real(line), self.given.get(line, ""))

    def type(self, line: str, given: str = "", **also: str) -> int:
        """Type a line into the shell as it is."""
        code, printed = self.shell.type(line, given, **also)
        self.printed += printed
        return code

    def compare(self, text: str, _next: str) -> None:
        """Look whether that was printed which the guide shows."""
        printed, _ = swap(self.printed, {value: key for key, value in self.names.items()})
        assert agrees(text, printed), f"the guide shows:\n{text}\nprinted was:\n{printed}"

    def settle(self, text: str, _: str) -> None:
        """Set what a block says in the config of the house that the shell is in."""
        file = self.shell.folder / "config.toml"
        file.write_text(edited(file.read_text(), self.real(text)))

    def install_unit(self, text: str, _: str) -> None:
        """Keep a unit of systemd, and let systemd read it."""
        file = self.machine / "etc/pbem.service"
        file.write_text(self.real(text))
        self.unit.optionxform = str  # type: ignore[assignment]
        self.unit.read(file)
        assert self.unit["Service"]["User"] == self.user
        if verify := shutil.which("systemd-analyze"):
            ran = subprocess.run(
                [verify, "verify", file], capture_output=True, text=True, timeout=PATIENCE, check=False
            )
            assert (ran.returncode, ran.stdout + ran.stderr) == (0, "")

    def let_cron(self, text: str, _: str) -> None:
        """Run what a crontab says once, as cron does: it is silent, or somebody gets a mail."""
        for line in text.splitlines():
            self.used.add(line)
            when, command = re.fullmatch(r"((?:[\d*/,-]+ ){5}) *(.*)", self.real(line)).groups()  # type: ignore[union-attr]
            assert when and not re.search(r"(?<!\\)%", command), "cron takes that for a line's end"
            self.before.get(line, lambda: None)()
            assert self._by_pipe(command.replace(r"\%", "%"), "") == ""
            self.after.get(line, lambda: None)()

    def forward(self, text: str, _: str) -> None:
        """Hand a mail over as a mail server does."""
        (command,) = shlex.split(self.real(text))
        assert command.startswith("|")
        assert self._by_pipe(command[1:], "From: eve@example.com\nSubject: hello\n\nhello\n") == ""

    def _by_pipe(self, command: str, given: str) -> str:
        ran = subprocess.run(
            ["/bin/sh", "-c", command], cwd=self.machine, env=self.own, input=given, text=True, timeout=PATIENCE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stdout
        return ran.stdout

    def make_environment(self, _: str, folder: str) -> None:
        """Look whether the tests run in what this makes."""
        assert (Path(self.real(folder)) / "pyvenv.cfg").is_file()

    def install(self, _: str, folder: str, newer: str | None, extra: str | None) -> None:
        """Look whether pbem is installed (test_wheel.py installs it), or put a version with one more step there."""
        assert (Path(self.real(folder)) / "bin/pbem").is_file()
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        assert extra is None or extra in project["optional-dependencies"]
        if newer:
            for name in ("pbem", "engines", "templates", "migrations"):
                shutil.copytree(ROOT / name, self.machine / "new" / name, ignore=shutil.ignore_patterns("__pycache__"))
            step = self.machine / f"new/migrations/versions/{NEXT}_rebuild.py"
            step.write_text(HEAD.format(revision=NEXT, before=migrate.head()) + REBUILD)
            self.own["PYTHONPATH"] = self.shell.variables["PYTHONPATH"] = str(self.machine / "new")

    def add_user(self, _: str, options: str, name: str) -> int:
        """Make a user in a folder of its own; who may not do even that looks whether there are such options."""
        self.user = name
        if os.geteuid() != 0:
            known = subprocess.run(["/usr/sbin/useradd", "--help"], capture_output=True, text=True, check=True).stdout
            assert not [one for one in options.split() if one.startswith("-") and f"{one} " not in known]
            return 0
        return self.type(f"/usr/sbin/useradd --prefix {self.machine} {self.real(options)} {name}")

    def become(self, _: str, name: str) -> None:
        """Be that user; in the test the same as before."""
        assert name == self.user

    def make_folder(self, _: str, options: str) -> int:
        """Make a folder for the user."""
        return self.type(f"install {self.real(options)}")

    def as_postgres(self, _: str, command: str) -> int:
        """Do something as who may do anything with PostgreSQL."""
        return self.type(command, PGUSER="pbem")

    def serve(self, line: str) -> None:
        """Serve at the terminal, until Ctrl-C."""
        command = [shutil.which("pbem", path=self.shell.variables["PATH"]) or "", "serve"]
        process = Process.begin(command, self.shell.folder, self.shell.variables, self.machine / "notes/terminal")
        try:
            self.after[line]()
            self.printed += process.end(signal.SIGINT)
        finally:
            process.kill()

    def control(self, _: str, verb: str) -> None:
        """Be systemd."""
        if verb in ("stop", "disable --now", "restart"):
            assert self.service is not None
            self.service.end()
            self.service = None
        if verb in ("start", "enable --now", "restart"):
            assert self.service is None
            unit = self.unit["Service"]
            said = self.machine / "notes/service"
            self.service = Process.begin(shlex.split(unit["ExecStart"]), Path(unit["WorkingDirectory"]), self.own, said)


BLOCKS: dict[str, Callable[[Host, str, str], None]] = {
    "sh": Host.commands, "text": Host.compare, "toml": Host.settle, "ini": Host.install_unit, "cron": Host.let_cron,
    "forward": Host.forward,
}  # fmt: skip
ORDERS: dict[str, Callable[..., int | None]] = {
    r"sudo python3 -m venv (\S+)": Host.make_environment,
    r"sudo (\S+)/bin/pip install (--upgrade )?'?\.(?:\[(\w+)\])?'?": Host.install,
    r"sudo useradd (.*) (\w+)": Host.add_user,
    r"sudo -iu (\w+)": Host.become,
    r"sudo install (.*)": Host.make_folder,
    r"sudo -u postgres (.*)": Host.as_postgres,
    r"sudo systemctl (daemon-reload|(?:start|stop|restart|(?:en|dis)able --now)(?= pbem))(?: pbem)?": Host.control,
    r"pbem serve": Host.serve,
}
