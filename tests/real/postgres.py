"""Start a real PostgreSQL for a test session, and make databases on it."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

SCRIPT = Path(__file__).parent / "postgres.sh"


@dataclass(frozen=True)
class PostgresServer:
    """Be the server of one session."""

    folder: Path
    settings: dict[str, str]

    def url(self, database: str) -> str:
        """Give the URL of a database by the socket, which asks for no password."""
        return f"postgresql+psycopg://pbem@/{database}?host={self.settings['SOCKET']}&port={self.settings['PORT']}"

    def guarded_url(self, database: str, password: str = "", user: str = "pbem", port: str = "") -> str:
        """Give the URL of a database by the network, with the right password or another."""
        secret = password or self.settings["PASSWORD"]
        return f"postgresql+psycopg://{user}:{secret}@127.0.0.1:{port or self.settings['PORT']}/{database}"

    def make(self, database: str) -> str:
        """Make an empty database, and give its URL."""
        self.do(f"CREATE DATABASE {database}")
        return self.url(database)

    def drop(self, database: str) -> None:
        """Remove a database, whoever uses it."""
        self.do(f"DROP DATABASE {database} WITH (FORCE)")

    def cut(self) -> None:
        """End every connection that a client has, as when the server is restarted."""
        self.do(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid != pg_backend_pid() AND backend_type = 'client backend'"
        )

    def do(self, statement: str) -> None:
        """Do something outside any database of the tests."""
        engine = sa.create_engine(self.url("postgres"), isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        with engine.connect() as connection:
            connection.exec_driver_sql(statement)

    @contextmanager
    def stopped(self, mode: str = "fast") -> Iterator[None]:
        """Stop the server, and start it again at the end."""
        run("stop", self.folder, mode)
        try:
            yield
        finally:
            run("start", self.folder)


def run(verb: str, folder: Path, *more: str) -> str:
    """Let the script do something; what it complains of is shown."""
    done = subprocess.run([SCRIPT, verb, folder, *more], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@contextmanager
def serving(folder: Path) -> Iterator[PostgresServer]:
    """Let a server run in a folder; nothing of it is left behind, even if this process is killed."""
    out = run("start", folder)
    watch = [str(SCRIPT), "watch", str(folder), str(os.getpid())]
    null = subprocess.DEVNULL
    with subprocess.Popen(watch, stdin=null, stdout=null, stderr=null, start_new_session=True) as watcher:
        try:
            yield PostgresServer(folder, dict(line.split("=", 1) for line in out.splitlines()))
        finally:
            os.killpg(watcher.pid, signal.SIGTERM)
            run("purge", folder)
