"""`pbem serve` goes on until it is told to stop, alone; `pbem poll` makes one pass and says what it did."""

import signal

import pytest

from pbem.services import instance
from pbem.store import facts
from pbem.store.lock import owned
from pbem.store.session import connect
from tests.cli.console import PATIENCE, Console, wait_for


def test_a_pass_says_what_it_did(cli: Console) -> None:
    assert cli.done("poll") == "read 0 messages, sent 0 letters\n"
    cli.game()
    assert cli.done("poll") == "read 0 messages, sent 3 letters\n"
    with cli.stage() as stage:
        stage.reply("alice", "status")
    assert cli.done("poll") == "read 1 message, sent 1 letter\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_stops_when_it_is_told_to(cli: Console, number: signal.Signals) -> None:
    with cli.serving() as process:
        process.send_signal(number)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert "stopped" in said
    assert "Traceback" not in said


def test_serve_sends_what_waits_and_reads_what_came(cli: Console) -> None:
    cli.game()
    with cli.serving() as process:
        assert "sent=3" in wait_for(process, "pass")
    assert {letter["status"] for letter in cli.json("admin", "outbox")} == {"sent"}


def test_a_second_serve_on_one_database_is_refused(cli: Console) -> None:
    with cli.serving() as process:
        for command in ("serve", "poll"):
            ran = cli.apart(command)
            assert (ran.code, ran.out) == (1, "")
            assert f"pbem serve (process {process.pid}) is at work" in ran.err.splitlines()[-1]
        assert f"pbem serve (process {process.pid})" in cli.done("doctor")
    assert cli.done("poll")  # the lock went with the process, though it was killed


@pytest.mark.parametrize("command", ["serve", "poll"])
def test_a_house_with_anything_missing_does_not_run(cli: Console, command: str) -> None:
    for name, why in (
        ("token.key", "there is no"),
        ("pbem.sqlite", "there is no database"),
        ("config.toml", "there is no"),
    ):
        kept = (cli.folder / name).rename(cli.folder / "kept")
        assert why in cli.refused(command)
        assert not (cli.folder / name).exists()
        kept.rename(cli.folder / name)


def test_a_halted_house_says_so_and_fails(cli: Console) -> None:
    cli.game()
    cli.store(lambda session: facts.set_fact(session, "halt", instance.RESTORED + "for the test"))
    assert "pbem admin confirm" in cli.refused("poll")
    assert {letter["status"] for letter in cli.json("admin", "outbox")} == {"queued"}


def test_a_post_that_cannot_be_read_is_told_and_letters_go_out_all_the_same(cli: Console) -> None:
    cli.game()
    for part in (cli.folder / "mail/in").iterdir():
        part.rmdir()
    (cli.folder / "mail/in").rmdir()
    (cli.folder / "mail/in").write_text("a file, not a Maildir")
    ran = cli("poll")
    assert ran.code == 1
    assert "the post could not be read" in ran.err
    assert "sent 3 letters" in ran.out


def test_e01_a_database_that_is_locked_is_busy_and_nothing_is_half_done(
    cli: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbem.store.session.BUSY_MS", 10)
    db = connect(cli.config.database_url)
    with db.execution_options(lock=True).connect() as connection, connection.begin():
        said = cli.refused("admin", "add-player", "alice", "--email", "alice@example.org")
    db.dispose()
    assert "try again" in said
    assert cli.json("admin", "players") == []


def test_a_lock_that_cannot_be_made(cli: Console) -> None:
    (cli.folder / "serve.lock").unlink()
    (cli.folder / "serve.lock").mkdir()
    assert "cannot be opened" in cli.refused("poll")


def test_a_poll_beside_a_poll_waits_for_the_next(cli: Console) -> None:
    db = connect(cli.config.database_url)
    with owned(db, "pbem poll"):
        assert "pbem poll (process" in cli.refused("poll")
    db.dispose()
    cli.done("poll")
