"""The figures for Prometheus count moves, letters and errors, and name nobody."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pbem.config import Metrics
from pbem.daemon import Rounds
from pbem.testing.stage import Stage, open_stage

FILE = Path("pbem.prom")
NAMES = ("alice", "bob", "carol")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = open_stage(tmp_path, metrics=Metrics(file=FILE))
    for name in NAMES:
        stage.add_player(name)
    yield stage
    stage.close()


def figures(stage: Stage) -> dict[tuple[str, str], float]:
    """Read the file as Prometheus does: by name and label."""
    text = stage.config.path(FILE).read_text()
    assert not any(name in text for name in (*NAMES, "example.org", "blame")), "it names nobody"
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {(sample.name, next(iter(sample.labels.values()), "")): sample.value for sample in samples}


def test_moves_letters_and_passes_are_counted(stage: Stage) -> None:
    rounds = Rounds(stage.rig)
    stage.new_game("blame", NAMES, first="alice")
    asyncio.run(rounds.make())
    stage.reply("alice", "draw")
    asyncio.run(rounds.make())
    found = figures(stage)
    assert found["pbem_moves", ""] == 1
    assert found["pbem_ticks_total", ""] == 2
    assert found["pbem_letters", "sent"] == 6
    assert found["pbem_messages", "answered"] == 1
    assert found["pbem_queue_length", ""] == 0
    assert found["pbem_errors_total", "unread"] == 0


def test_a_queue_that_waits_and_a_pass_that_fails_are_seen(stage: Stage) -> None:
    rounds = Rounds(stage.rig)
    asyncio.run(rounds.make())
    stage.new_game("blame", NAMES)
    outbox = stage.config.path(stage.config.mail.outbox)
    outbox.parent.mkdir(exist_ok=True)
    outbox.write_text("no folder")
    asyncio.run(rounds.make())
    found = figures(stage)
    assert found["pbem_queue_length", ""] == 3
    assert found["pbem_errors_total", "unsent"] == 3
