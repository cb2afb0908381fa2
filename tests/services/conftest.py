"""Set the stage for tests of the services: a whole house in a folder, with a clock moved by hand."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.testing.stage import Stage, open_stage
from tests.databases import on_both
from tests.services.company import Company

ALONE = ("test_full_disk", "test_hostile", "test_instance", "test_intake", "test_office_secrecy")
"""Left on SQLite: what copies its file, and what hardly touches the database."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test of the services on both databases."""
    on_both(metafunc, ALONE)


@pytest.fixture
def stage(tmp_path: Path, store_url: str) -> Iterator[Stage]:
    """Open a house without players, with one moderator, on each kind of database."""
    stage = open_stage(tmp_path, url=store_url, moderators={"mona": "mona@example.org"})
    yield stage
    stage.close()


@pytest.fixture
def company(stage: Stage) -> Company:
    """Deal alice, bob and carol a game in which alice, the Archbishop, begins."""
    return Company.deal(stage)
