"""Count for Prometheus what the house does; names nobody.

The figures are written to a text file after each pass, for the node exporter's textfile collector.
"""

from datetime import datetime
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, write_to_textfile
from sqlmodel import Session

from pbem.store import mail

ERRORS = ("halted", "unread", "unsent")


class Metrics:
    """Hold the figures of one process, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._ticks = Counter("pbem_ticks", "Passes made.", registry=self.registry)
        self._errors = Counter("pbem_errors", "Passes that were not whole, by why.", ["kind"], registry=self.registry)
        self._moves = Gauge("pbem_moves", "Steps in all logs.", registry=self.registry)
        self._messages = Gauge("pbem_messages", "Messages that came, by fate.", ["fate"], registry=self.registry)
        self._letters = Gauge("pbem_letters", "Letters written, by fate.", ["fate"], registry=self.registry)
        self._queue = Gauge("pbem_queue_length", "Letters that wait to be sent.", registry=self.registry)
        self._age = Gauge("pbem_queue_age_seconds", "How long the oldest of them waits.", registry=self.registry)
        for kind in ERRORS:
            self._errors.labels(kind)

    def passed(self, *, halted: bool, unread: bool, unsent: int) -> None:
        """Count a pass, and what was wrong with it."""
        self._ticks.inc()
        for kind, times in zip(ERRORS, (int(halted), int(unread), unsent), strict=True):
            self._errors.labels(kind).inc(times)

    def look(self, session: Session, now: datetime) -> None:
        """Read what the database tells."""
        counts = mail.counts(session)
        self._moves.set(counts.moves)
        for fate, number in counts.messages.items():
            self._messages.labels(fate).set(number)
        for fate, number in counts.letters.items():
            self._letters.labels(fate).set(number)
        self._queue.set(counts.letters.get("queued", 0))
        waiting_since = counts.oldest
        self._age.set((now - waiting_since).total_seconds() if waiting_since else 0)

    def write(self, path: Path) -> None:
        """Write the figures, whole or not at all."""
        write_to_textfile(str(path), self.registry)
