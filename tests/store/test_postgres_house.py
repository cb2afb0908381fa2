"""The command line over PostgreSQL: it says the same as over SQLite, and never a password."""

import dataclasses
import signal
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from pbem.services import instance
from pbem.store import facts
from pbem.store.session import connect, read, transact
from pbem.testing.stage import NOON, Stage, open_stage, rig_of
from tests.cli.console import PATIENCE, Console, wait_for
from tests.real.postgres import PostgresServer
from tests.real.servers import until
from tests.services.company import Company

SECRET = "correct-horse"


@pytest.fixture
def cli(
    tmp_path: Path, bare_postgres: str, postgres: PostgresServer, quiet_logs: None, monkeypatch: pytest.MonkeyPatch
) -> Console:
    """Give the command line of a new house on PostgreSQL, over the network and with a password."""
    database = sa.make_url(bare_postgres).database or ""
    monkeypatch.setenv("PBEM_STORE__URL", postgres.guarded_url(database))
    folder = tmp_path / "house"
    Console(folder).done("init", str(folder), house=False)
    assert not (folder / "pbem.sqlite").exists()
    return Console(folder)


def password(cli: Console) -> str:
    """Give the password of the database."""
    return sa.make_url(cli.config.database_url).password or ""


def test_a_house_plays_by_letter(cli: Console) -> None:
    game = cli.game()
    assert cli.done("poll") == "read 0 messages, sent 3 letters\n"
    with cli.stage() as stage:
        stage.reply("alice", "status")
    assert cli.done("poll") == "read 1 message, sent 1 letter\n", "the pass before gave its duties back"
    assert game in cli.done("admin", "games")
    assert cli("doctor").code == 0
    assert "pg_dump" in cli.refused("admin", "backup", str(cli.folder / "copy"))


def test_a_database_that_holds_a_house_is_not_overwritten(cli: Console, tmp_path: Path) -> None:
    other = Console(tmp_path / "other")
    before = cli.store(lambda session: facts.find_fact(session, "instance"))
    assert "holds a house already" in other.refused("init", str(other.folder), house=False)
    assert not (other.folder / "token.key").exists()
    assert cli.store(lambda session: facts.find_fact(session, "instance")) == before


def test_no_password_is_shown_whatever_is_wrong(
    cli: Console, monkeypatch: pytest.MonkeyPatch, postgres: PostgresServer
) -> None:
    right = cli.config.database_url
    wrongs = [
        right.replace(password(cli), SECRET),
        right.replace("127.0.0.1", "nowhere.invalid").replace(password(cli), SECRET),
        right.replace(f":{postgres.settings['PORT']}/", ":1/").replace(password(cli), SECRET),
        f"postgresql+psycopg//pbem:{SECRET}@host/pbem",
    ]
    for url in wrongs:
        monkeypatch.setenv("PBEM_STORE__URL", url)
        for args in (["doctor"], ["poll"], ["serve"], ["admin", "players"], ["admin", "upgrade"]):
            ran = cli(*args)
            assert ran.code == 1, (url, args)
            assert SECRET not in ran.out + ran.err + repr(cli.config)
            assert ran.err.count("\n") <= 1, ran.err
    monkeypatch.setenv("PBEM_STORE__URL", right)
    cli.done("poll")
    assert cli("doctor").code == 0
    for path in cli.folder.glob("*"):
        if path.is_file():
            assert SECRET not in path.read_text() and password(cli) not in path.read_text(), path


def test_who_may_only_use_its_own_database_can_host(
    tmp_path: Path, postgres: PostgresServer, quiet_logs: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres.do(f"CREATE ROLE host LOGIN PASSWORD '{SECRET}'")
    postgres.do("CREATE DATABASE hosted OWNER host")
    monkeypatch.setenv("PBEM_STORE__URL", postgres.guarded_url("hosted", SECRET, "host"))
    cli = Console(tmp_path)
    cli.done("init", str(tmp_path), house=False)
    cli.game()
    assert cli.done("poll") == "read 0 messages, sent 3 letters\n"
    postgres.drop("hosted")
    postgres.do("DROP ROLE host")


def test_several_serve_doctor_names_them_and_each_stops_when_told(cli: Console) -> None:
    cli.game()
    with cli.serving() as one, cli.serving() as two:
        told = until(lambda: _serving(cli, one.pid, two.pid), "both serve, and one of them has each duty")
        assert told.count("judges") == told.count("reads mail") == 1
        assert cli.done("poll").endswith("the rest is done by another process (see `pbem doctor`)\n")
        for process in (one, two):
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=PATIENCE)
            assert (process.returncode, "Traceback" in said, "stopped" in said) == (0, False, True), said
    assert "nobody serves" in cli.done("doctor")
    assert {letter["status"] for letter in cli.json("admin", "outbox")} == {"sent"}


def _serving(cli: Console, *pids: int) -> str:
    out = cli.done("doctor")
    whole = all(f"(process {pid})" in out for pid in pids) and "judges" in out and "reads mail" in out
    return out if whole else ""


def test_who_stops_lets_another_go_on_at_once(cli: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_TIME__TICK", "1s")
    with cli.serving() as one:
        until(lambda: f"(process {one.pid}): judges" in cli.done("doctor"), "the first one judges")
        with cli.serving() as two:
            until(lambda: f"(process {two.pid})" in cli.done("doctor"), "the second one is there")
            one.send_signal(signal.SIGTERM)
            one.communicate(timeout=PATIENCE)
            # sooner than a lease of a process that says nothing would lapse
            until(lambda: f"(process {two.pid}): judges" in cli.done("doctor"), "the second one judges", 15)


def test_a_server_that_is_gone_for_a_while_does_not_end_serving(
    cli: Console, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_TIME__TICK", "1s")
    with cli.serving() as process:
        with postgres.stopped("immediate"):
            said = wait_for(process, "a pass failed")
            assert password(cli) not in said
        cli.game()
        assert "sent=3" in wait_for(process, "pass ")
        assert process.poll() is None


@pytest.fixture
def stage(tmp_path: Path, bare_postgres: str) -> Stage:
    """Open a house."""
    return open_stage(tmp_path / "house", url=bare_postgres)


def elsewhere(stage: Stage, folder: Path, url: str = "") -> Stage:
    """Open the same house in another folder: over the same database, or over another one."""
    folder.mkdir()
    settings = {"folder": folder, "store": {"url": url or stage.config.store.url}}
    config = type(stage.config)(**settings)  # type: ignore[arg-type]
    house = dataclasses.replace(stage.house, config=config)
    other = dataclasses.replace(stage, rig=rig_of(connect(config.database_url), house))
    other.rig.clock = lambda: stage.now
    return other


def halt(stage: Stage) -> str:
    """Give why the database says that nothing may be judged."""
    return read(stage.db, lambda session: facts.find_fact(session, "halt")) or ""


def test_another_folder_over_the_same_database_serves_once_it_has_the_file(stage: Stage, tmp_path: Path) -> None:
    stage.poll()
    other = elsewhere(stage, tmp_path / "other")
    assert "there is no instance" in other.poll().halted
    assert not halt(stage), "a newcomer without the file stops nobody else"
    assert not stage.poll().halted
    name = stage.config.store.instance_file
    other.config.path(name).write_bytes(stage.config.path(name).read_bytes())
    passed = other.poll()
    assert (passed.halted, passed.left) == ("", ("judge", "post:mail"))
    for one in (stage, other):
        one.close()


def test_e05_an_older_copy_on_the_same_server_reads_sends_and_judges_nothing(
    stage: Stage, postgres: PostgresServer, tmp_path: Path
) -> None:
    Company.deal(stage)
    database = stage.db.url.database
    stage.db.dispose()
    postgres.do(f"CREATE DATABASE kept TEMPLATE {database}")
    stage.now += timedelta(hours=12)
    stage.poll()
    stage.db.dispose()
    postgres.drop(str(database))
    postgres.do(f"CREATE DATABASE {database} TEMPLATE kept")
    stage.new_game("blame", ["alice", "bob", "carol"])
    before = len(stage.mails())
    assert "older than the one that served" in stage.poll().halted
    assert "older than the one that served" in halt(stage)
    assert len(stage.mails()) == before
    postgres.drop("kept")
    stage.close()


def test_e05_a_copy_under_another_name_does_nothing_even_with_the_file(
    stage: Stage, postgres: PostgresServer, tmp_path: Path
) -> None:
    stage.poll()
    stage.db.dispose()
    postgres.do(f"CREATE DATABASE copied TEMPLATE {stage.db.url.database}")
    other = elsewhere(stage, tmp_path / "laptop", postgres.url("copied"))
    name = stage.config.store.instance_file
    other.config.path(name).write_bytes(stage.config.path(name).read_bytes())
    assert "in another place" in other.poll().halted
    assert not stage.poll().halted
    for one in (stage, other):
        one.close()
    postgres.drop("copied")


def test_who_looks_while_another_goes_on_is_not_fooled(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file may be newer than what a transaction sees: it is read first."""
    real = facts.find_fact

    def slow(session: Session, name: str) -> str | None:
        found = real(session, name)
        if name == "instance" and not stage.now > NOON:
            stage.now += timedelta(hours=1)
            transact(stage.db, lambda other: facts.set_moment(other, "tick_at", stage.now))
            instance.keep(stage.house, read(stage.db, instance.known))
        return found

    monkeypatch.setattr(facts, "find_fact", slow)
    assert transact(stage.db, lambda session: instance.check(session, stage.house)) == ""
    assert stage.now > NOON
    stage.close()
