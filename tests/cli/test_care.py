"""The database is copied, brought up to date, and taken up again after a restore."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlmodel import select

from pbem.store import migrate
from pbem.store.tables import LogEntry
from pbem.testing.stage import text_of
from tests.cli.console import Console
from tests.store.steps import NEXT, add_step


def restore(cli: Console, copy: Path) -> None:
    """Put a copy in the database's place, as docs/hosting.md says."""
    for path in cli.folder.glob("pbem.sqlite*"):
        path.unlink()
    shutil.copy(copy, cli.folder / "pbem.sqlite")


def moved(cli: Console, words: str = "draw") -> None:
    """Let whoever is awaited answer, and make a pass."""
    cli.done("poll")
    with cli.stage() as stage:
        stage.reply(cli.json("admin", "games")[0]["awaited"][0]["name"], words)
    cli.done("poll")


def test_a_copy_is_whole_and_for_its_owner_alone(cli: Console, tmp_path: Path) -> None:
    cli.game()
    target = tmp_path / "copy.sqlite"
    said = cli.done("admin", "backup", str(target))
    assert "token.key" in said
    assert target.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(target)) as copy:
        assert copy.execute("SELECT count(*) FROM outbox").fetchone() == (3,)
    assert [path.name for path in tmp_path.iterdir() if "copy" in path.name] == ["copy.sqlite"]


def test_a_copy_overwrites_nothing_and_leaves_nothing_behind(cli: Console, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    assert "exists already" in cli.refused("admin", "backup", str(tmp_path / "mine"))
    assert (tmp_path / "mine").read_text() == "mine"
    assert "no backup was made" in cli.refused("admin", "backup", str(tmp_path / "nowhere" / "copy"))
    assert {path.name for path in tmp_path.iterdir()} == {"mine", "house"}


def test_another_database_has_its_own_tool(cli: Console, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("pbem.store.backup.database_file", lambda db: None)
    assert "pg_dump" in cli.refused("admin", "backup", str(tmp_path / "copy"))


def test_e04_a_backup_beside_a_running_serve(cli: Console, tmp_path: Path) -> None:
    cli.game()
    with cli.serving():
        cli.done("admin", "backup", str(tmp_path / "copy.sqlite"))
    restore(cli, tmp_path / "copy.sqlite")
    assert len(cli.json("admin", "outbox")) == 3


def test_e05_a_restored_copy_does_nothing_until_it_is_confirmed(cli: Console, tmp_path: Path) -> None:
    game = cli.game()
    moved(cli)
    cli.done("admin", "backup", str(tmp_path / "copy.sqlite"))
    moved(cli)
    with cli.stage() as stage:
        old = stage.newest("carol")
        before = len(stage.mails())
    restore(cli, tmp_path / "copy.sqlite")
    assert "older than the one that served" in cli.refused("poll")
    with cli.stage() as stage:
        assert len(stage.mails()) == before
    assert f"{game}: old letters are void" in cli.done("admin", "confirm")
    cli.done("poll")
    with cli.stage() as stage:
        assert "restored from a copy" in text_of(stage.newest("bob"))
        stage.reply("carol", "draw", to=old)
        entries = cli.store(lambda session: len(list(session.exec(select(LogEntry)))))
        cli.done("poll")
        assert "taken back" in text_of(stage.newest("carol"))
    assert cli.store(lambda session: len(list(session.exec(select(LogEntry))))) == entries
    moved(cli)
    assert cli("doctor").code == 0


def test_e05_confirm_alone_finds_out_that_the_database_is_a_copy(cli: Console, tmp_path: Path) -> None:
    cli.game()
    cli.done("admin", "backup", str(tmp_path / "copy.sqlite"))
    moved(cli)
    restore(cli, tmp_path / "copy.sqlite")
    said = cli.done("admin", "confirm", "--drop-queued")
    assert "older than the one that served" in said
    assert "3 waiting letters dropped" in said
    assert "old letters are void" in said


def test_confirm_where_nothing_is_wrong(cli: Console) -> None:
    cli.game()
    assert "was not halted" in cli.done("admin", "confirm")
    assert cli.done("poll") == "read 0 messages, sent 3 letters\n"


@pytest.fixture
def step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be one more step than the house has taken."""
    add_step(tmp_path, monkeypatch)


@pytest.fixture
def old(cli: Console, request: pytest.FixtureRequest) -> Console:
    """Give a house with a game, whose database is a step behind."""
    cli.game()
    request.getfixturevalue("step")
    return cli


@pytest.mark.parametrize("command", [("serve",), ("poll",), ("admin", "games"), ("admin", "confirm")])
def test_e03_an_old_database_is_not_touched(old: Console, command: tuple[str, ...]) -> None:
    said = old.refused(*command)
    assert f"this pbem needs {NEXT}" in said
    assert "pbem admin upgrade" in said


def test_e03_upgrade_keeps_a_copy_and_every_row(old: Console) -> None:
    said = old.done("admin", "upgrade")
    kept = old.folder / f"pbem.sqlite.before-{NEXT}"
    assert str(kept) in said
    assert len(old.json("admin", "outbox")) == 3
    with closing(sqlite3.connect(kept)) as copy:
        ((version, letters),) = copy.execute("SELECT version_num, (SELECT count(*) FROM outbox) FROM alembic_version")
        assert (version < NEXT, letters) == (True, 3)
    assert "nothing to do" in old.done("admin", "upgrade")
    old.done("poll")


def test_e03_upgrade_refuses_beside_a_daemon(cli: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.game()
    with cli.serving():
        add_step(tmp_path, monkeypatch)
        ran = cli("admin", "upgrade")
    assert ran.code == 1
    assert "pbem serve" in ran.err
    assert not list(cli.folder.glob("*.before-*"))
    assert NEXT in cli.refused("poll")


def test_a_database_of_a_newer_pbem_is_refused(cli: Console) -> None:
    from sqlalchemy import text

    cli.store(
        lambda session: session.connection().execute(text("UPDATE alembic_version SET version_num = '9999'")).rowcount
    )
    for command in (("poll",), ("admin", "upgrade")):
        assert "newer pbem" in cli.refused(*command)
    assert migrate.head() != "9999"
