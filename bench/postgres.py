"""Measure a move on PostgreSQL, beside the one on SQLite, where this machine has it."""

import os
import shutil
import tempfile
from pathlib import Path

from bench import office
from bench.measure import emit
from tests.real.postgres import serving


def run(seconds: float) -> None:
    """Print a move's time there, and the ratio to the `seconds` on SQLite."""
    os.environ["PATH"] += "".join(f":{folder}" for folder in Path("/usr/lib/postgresql").glob("*/bin"))
    if not shutil.which("initdb"):
        print("office on PostgreSQL: no PostgreSQL here: not measured")
        return
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "postgres") as server:
        emit(
            "office on PostgreSQL: against SQLite",
            office.run(url=server.make("bench"), name="office on PostgreSQL") / seconds,
            "times",
        )
