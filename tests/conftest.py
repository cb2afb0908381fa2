"""Set up what every test goes by: no setting from outside, large counts only on request, nothing skipped in silence.

PBEM_PROVE=1 and `-m prove` run the large counts (`make prove`); PBEM_REGOLD=1 writes golden files anew; PBEM_CI=1 says
that every program a test needs is there, so that one which is missing is a failure.
"""

import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import settings

from tests.cli.console import Console
from tests.databases import bare_postgres as bare_postgres
from tests.databases import bare_url as bare_url
from tests.databases import postgres as postgres
from tests.databases import postgres_url as postgres_url
from tests.databases import shared_database as shared_database
from tests.databases import store_url as store_url
from tests.quick import compile_once, log_plainly
from tests.real.fixtures import alice as alice
from tests.real.fixtures import mail_server as mail_server
from tests.real.fixtures import matrix_server as matrix_server
from tests.real.fixtures import office as office

compile_once()
log_plainly()
settings.register_profile("house", deadline=None)  # a busy machine is no fault
settings.load_profile("house")

KEPT = ("PBEM_PROVE", "PBEM_REGOLD")
CI = bool(os.environ.get("PBEM_CI"))  # read before any test: for `pbem doctor` it is a setting that nobody knows


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the large counts out, unless they were asked for."""
    if "prove" in str(config.getoption("markexpr")):
        return
    large = [item for item in items if item.get_closest_marker("prove")]
    if large:
        config.hook.pytest_deselected(items=large)
        items[:] = [item for item in items if item not in large]


def need(program: str) -> str:
    """Give the path of a program; without it the test is skipped by name, and fails where PBEM_CI is set."""
    path = shutil.which(program)
    if path is None:
        lack(f"{program} is not installed")
    assert path is not None
    return path


def lack(what: str) -> None:
    """Skip a test for want of something, by name; where PBEM_CI is set that is a failure."""
    if CI:
        pytest.fail(f"{what}, and here nothing is skipped")
    pytest.skip(what)


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("PBEM_") and name not in KEPT]:
        monkeypatch.delenv(name)


@pytest.fixture
def quiet_logs() -> Iterator[None]:
    """Put the logs back as they were: a command sets them up for itself."""
    level = logging.getLogger().level
    yield
    logging.getLogger().setLevel(level)
    structlog.reset_defaults()


@pytest.fixture
def house_folder(tmp_path: Path, quiet_logs: None) -> Path:
    """Give the folder of a new house."""
    folder = tmp_path / "house"
    Console(folder).done("init", str(folder), house=False)
    return folder


@pytest.fixture
def cli(house_folder: Path) -> Console:
    """Give the command line of a new house."""
    return Console(house_folder)
