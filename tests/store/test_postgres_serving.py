"""Three real processes serve one PostgreSQL database: each order and each letter once, and one of them judges."""

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pbem.services import duties
from pbem.store import games, leases, mail
from pbem.store.session import read
from pbem.testing.stage import Stage, open_stage
from tests.real.servers import until
from tests.store.serving import KEY
from tests.test_crash import ROOT, check_letters, logged_orders

NAMES = ("alice", "bob", "carol")
STEPS = 6


@dataclass
class Fleet:
    """Be a house that several processes serve; `sent` counts what its players wrote."""

    stage: Stage
    diary: Path
    span: str = "20"
    processes: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    def launch(self, count: int = 1) -> None:
        """Let more processes serve."""
        config = self.stage.config
        command = [sys.executable, "-m", "tests.store.serving", str(config.folder), config.store.url, self.span]
        for _ in range(count):
            self.processes.append(subprocess.Popen([*command, str(self.diary)], cwd=ROOT))

    def holder(self, duty: str = duties.JUDGE) -> "subprocess.Popen[bytes] | None":
        """Find the process that has a duty now."""
        found = read(self.stage.db, lambda session: leases.living(session, datetime.now(UTC)))
        name = next((lease.holder for lease in found if lease.name == duty), "")
        return next((process for process in self.processes if f"(process {process.pid})" in name), None)

    def others(self) -> int:
        """Count the processes that say that they serve."""
        found = read(self.stage.db, lambda session: leases.living(session, datetime.now(UTC)))
        return sum(lease.name.startswith(duties.HERE) for lease in found)

    def noted(self, what: str) -> list[dict[str, Any]]:
        """Give what stands in the diary of one thing."""
        lines = self.diary.read_text().splitlines() if self.diary.exists() else []
        return [entry for entry in map(json.loads, lines) if entry["what"] == what]
