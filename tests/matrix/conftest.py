"""Give tests a table on a real homeserver."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.databases import on_both
from tests.matrix.table import Table, seated
from tests.real.synapse import MatrixServer

pytest.importorskip("nio")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each recorded case on both databases."""
    on_both(metafunc)


@pytest.fixture
async def table(matrix_server: MatrixServer, tmp_path: Path) -> AsyncIterator[Table]:
    """Give a table at which nobody sits yet."""
    async with seated(matrix_server, tmp_path) as found:
        yield found
