"""`pbem doctor` finds what is wrong, says how to mend it, and changes nothing."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from pbem.services import desk
from pbem.services.house import furnish
from pbem.store import facts, games, migrate
from pbem.store.session import connect
from tests.cli.console import Console

Findings = dict[str, dict[str, object]]


def wrong(cli: Console) -> Findings:
    """Give what the doctor finds wrong, by the check."""
    ran = cli("doctor", "--json")
    found = {one["what"]: one for one in ran.json if not one["ok"]}
    assert ran.code == (1 if found else 0)
    assert all(one["mend"] for one in found.values())
    return found


def test_a_new_house_is_well(cli: Console) -> None:
    ran = cli("doctor")
    assert (ran.code, ran.err) == (0, "")
    assert all(line.startswith("ok ") for line in ran.out.splitlines())
    assert migrate.head() in ran.out
    assert str(cli.folder / "mail/in") in ran.out


def test_it_changes_nothing(cli: Console) -> None:
    before = {path: path.stat().st_mtime_ns for path in cli.folder.rglob("*")}
    assert not wrong(cli)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_no_config(tmp_path: Path) -> None:
    assert "pbem init" in str(wrong(Console(tmp_path))["config"])


@pytest.mark.parametrize(
    "text", ["[office\n", "[offices]\n", "[office]\nadress = 'a@b.org'", "[time]\ntick = '30'", "\xff\xfe"]
)
def test_a_config_that_cannot_be_read(cli: Console, text: str) -> None:
    (cli.folder / "config.toml").write_bytes(text.encode("latin-1"))
    assert "config.toml" in str(wrong(cli)["config"]["told"])
    assert "config.toml" in cli.refused("poll")


@pytest.mark.parametrize("text", ["[office]\nzone = 'Mars/Base'", "[time]\nreminders = ['soon']"])
def test_a_setting_that_cannot_be(cli: Console, text: str) -> None:
    (cli.folder / "config.toml").write_text(text)
    assert "config" in wrong(cli)


def test_a_misspelt_variable_of_the_environment(cli: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_TIME__TICK", "20s")
    assert not wrong(cli)
    monkeypatch.setenv("PBEM_TMIE__TICK", "20s")
    assert "PBEM_TMIE__TICK" in str(wrong(cli)["environment"]["told"])


def test_a_key_that_others_may_read_is_missing_or_is_none(cli: Console) -> None:
    key = cli.folder / "token.key"
    key.chmod(0o640)
    assert wrong(cli)["key"]["mend"] == f"chmod 600 {key}"
    key.write_text("no key")
    assert "holds no key" in str(wrong(cli)["key"])
    key.unlink()
    assert "there is no" in str(wrong(cli)["key"])


@pytest.mark.parametrize(
    "text",
    [
        '[mail.imap]\npassword = "secret"',
        '[mail.smtp]\npassword = "secret"',
        '[store]\nurl = "postgresql+psycopg://pbem:secret@localhost:1/pbem"',
        '[store]\nurl = "postgresql+psycopg//pbem:secret@host/pbem"',
    ],
)
def test_a_config_with_a_password_that_others_may_read(cli: Console, text: str) -> None:
    config = cli.folder / "config.toml"
    config.write_text(text)
    config.chmod(0o644)
    found = wrong(cli)["config"]
    assert (found["told"], found["mend"]) == (f"others on this machine may use {config}", f"chmod 600 {config}")
    config.chmod(0o600)
    assert "config" not in wrong(cli)


def test_a_config_without_a_password_may_be_read(cli: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_MAIL__IMAP__PASSWORD", "secret")
    (cli.folder / "config.toml").chmod(0o644)
    assert not wrong(cli)


def test_a_database_that_others_may_read(cli: Console) -> None:
    (cli.folder / "pbem.sqlite").chmod(0o644)
    assert "chmod 600" in str(wrong(cli)["database"]["mend"])


def test_no_database_and_none_is_made(cli: Console) -> None:
    (cli.folder / "pbem.sqlite").unlink()
    assert "there is no" in str(wrong(cli)["database"])
    assert not (cli.folder / "pbem.sqlite").exists()


@pytest.mark.parametrize("content", [b"this is no database, only some text" * 99, b""])
def test_a_file_that_is_no_database(cli: Console, content: bytes) -> None:
    (cli.folder / "pbem.sqlite").write_bytes(content)
    assert wrong(cli).keys() & {"database", "migration"}
    assert "database" in cli.refused("poll")


def test_a_damaged_database(cli: Console) -> None:
    path = cli.folder / "pbem.sqlite"
    db = connect(cli.config.database_url)
    with db.connect() as connection:
        root = connection.exec_driver_sql(
            "SELECT rootpage FROM sqlite_master WHERE name = 'ix_place_player_id'"
        ).scalar()
    db.dispose()
    content = bytearray(path.read_bytes())
    content[(int(root or 0) - 1) * 4096] = 99
    path.write_bytes(content)
    assert wrong(cli).keys() & {"integrity", "database"}


def test_a_row_that_points_nowhere(cli: Console) -> None:
    db = connect(cli.config.database_url)
    with db.connect() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        raw.execute("PRAGMA foreign_keys=OFF")
        raw.execute("INSERT INTO place VALUES (1, 77, 'mail', 'a@b', 'a@b', 0, NULL)")
    db.dispose()
    assert "place" in str(wrong(cli)["integrity"])


def test_a_maildir_that_is_none(cli: Console) -> None:
    (cli.folder / "mail/in/cur").rmdir()
    assert f"mkdir -p {cli.folder}/mail/in/cur" in str(wrong(cli)["inbox"]["mend"])
    shutil.rmtree(cli.folder / "mail/out")
    assert "outbox" in wrong(cli)


def test_d09_a_clock_that_went_back_or_far_ahead(cli: Console) -> None:
    now = datetime.now(UTC)
    for away, why in ((timedelta(hours=3), "before the last pass"), (-timedelta(days=3), "is the clock right")):
        moment = now + away
        cli.store(lambda session: facts.set_moment(session, "tick_at", moment))  # noqa: B023
        assert why in str(wrong(cli)["clock"])


def test_nobody_looks_at_the_post_while_a_game_goes_on(cli: Console) -> None:
    earlier = datetime.now(UTC) - timedelta(hours=5)
    cli.store(lambda session: facts.set_moment(session, "tick_at", earlier))
    (cli.folder / "instance").write_text((cli.folder / "instance").read_text().replace("20", "19", 1))
    assert "clock" not in wrong(cli)
    cli.game()
    assert "cron" in str(wrong(cli)["clock"]["mend"])


def test_e05_a_database_from_elsewhere(cli: Console) -> None:
    (cli.folder / "instance").unlink()
    assert "pbem admin confirm" in str(wrong(cli)["halt"]["mend"])
    assert cli.store(lambda session: facts.find_fact(session, "halt")) == ""


def test_a_game_paused_by_a_fault_but_not_one_paused_by_hand(cli: Console) -> None:
    game = cli.game()
    cli.done("admin", "pause", game)
    assert not wrong(cli)
    cli.done("admin", "resume", game)

    def fault(session: Session) -> None:
        desk.fault(session, furnish(cli.config), datetime.now(UTC), 1)

    cli.store(fault)
    assert "blame-1" in str(wrong(cli)["games"]["told"])


def test_a_message_that_was_set_aside(cli: Console) -> None:
    from tests.cli.test_post import STRANGE, aside

    aside(cli, STRANGE)
    assert "set aside" in str(wrong(cli)["messages"])


def test_a_log_that_cannot_be_written(cli: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_LOG__FILE", "nowhere/log.jsonl")
    assert "log" in wrong(cli)
    assert "cannot be written" in cli.refused("serve")


def test_e03_an_old_database(cli: Console) -> None:
    cli.store(lambda session: session.connection().execute(sa.text("DELETE FROM alembic_version")).rowcount)
    assert "pbem admin upgrade" in str(wrong(cli)["migration"]["mend"])
    assert cli.store(games.list_games) == []


def test_a_moderator_whom_no_alarm_reaches(cli: Console) -> None:
    config = cli.folder / "config.toml"
    before = config.read_text()
    config.write_text(before + '\n[moderators]\nmona = "@mona:example.org"\nmax = "max@example.org"\n')
    assert "none reaches mona" in str(wrong(cli)["alarms"]["told"])
    config.write_text(before + '\n[moderators]\nmona = ["@mona:example.org", "mona@example.org"]\n')
    assert not wrong(cli) and "go to mona@example.org" in cli.done("doctor")
