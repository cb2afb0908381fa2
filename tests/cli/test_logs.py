"""The logs tell what happened, and neither of them tells a secret."""

import json
from pathlib import Path

import pytest
import structlog
from sqlmodel import select

from pbem.cli import logs
from pbem.config import Config
from pbem.services.house import furnish
from pbem.store.tables import Outbox
from tests.cli.console import PATIENCE, Console, wait_for

TOKEN = "7-1-0-12-k7q2m3x7a5b6c7d2"


def entries(cli: Console) -> list[dict[str, object]]:
    """Read the JSON log."""
    return [json.loads(line) for line in (cli.folder / "pbem.log.jsonl").read_text().splitlines()]


def test_what_came_and_went_is_told_without_what_it_says(cli: Console) -> None:
    cli.game()
    cli.done("poll")
    with cli.stage() as stage:
        stage.reply("alice", "say a secret plan\nplay AW2")
    with cli.serving() as process:
        said = wait_for(process, "received=1")
        process.terminate()
        said += process.communicate(timeout=PATIENCE)[1]
    told = said + (cli.folder / "pbem.log.jsonl").read_text()
    rows = cli.store(lambda session: [(row.token, row.subject) for row in session.exec(select(Outbox))])
    for secret in (
        "secret plan",
        "AW2",
        furnish(cli.config).key.hex(),
        *(word for row in rows for word in row if word),
    ):
        assert secret not in told
    assert {"serving", "message", "pass", "stopped"} <= {str(entry["event"]) for entry in entries(cli)}


@pytest.mark.usefixtures("quiet_logs")
def test_a_traceback_stands_in_the_file_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs.start(Config(folder=tmp_path), aloud=True)
    try:
        raise ValueError("THE HAND")
    except ValueError as error:
        structlog.get_logger().error("it failed", exc_info=error, why=f"no such box {TOKEN}", name="\x1b[2J")
    logs.close()
    aloud, kept = capsys.readouterr().err, (tmp_path / "pbem.log.jsonl").read_text()
    assert "it failed" in aloud
    assert "failure=ValueError" in aloud
    assert not any(secret in aloud for secret in ("THE HAND", "Traceback", TOKEN, "\x1b"))
    assert "THE HAND" in json.loads(kept)["exception"]
    assert TOKEN not in kept


@pytest.mark.usefixtures("quiet_logs")
def test_what_a_library_says_is_an_entry_too(tmp_path: Path) -> None:
    import logging

    logs.start(Config(folder=tmp_path))
    logging.getLogger("somebody").warning("look at %s", TOKEN)
    logs.close()
    assert json.loads((tmp_path / "pbem.log.jsonl").read_text())["event"] == "look at (token)"


@pytest.mark.usefixtures("quiet_logs")
def test_a_log_that_cannot_be_written_stops_no_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pbem.log.jsonl").mkdir()
    logs.start(Config(folder=tmp_path))
    structlog.get_logger().warning("lost")
    logs.close()
    assert capsys.readouterr().err == f"pbem: the log {tmp_path / 'pbem.log.jsonl'} cannot be written\n"
