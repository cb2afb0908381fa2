"""Remember the last events of each room in their order: which letters stand above an event, and what was just said."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pbem.transports.matrix.events import Letter, Seen, letter_of, read

__all__ = ["Memory", "Trace"]

KEPT = 400
"""How many events of a room are remembered."""
TWICE = timedelta(seconds=10)
"""Within so long the same words again are one message: clients send twice where the server is slow."""


@dataclass(slots=True)
class Trace:
    """Remember one event: a letter of ours, or what somebody said and the letters that it answers."""

    event_id: str
    sender: str
    at: datetime
    letter: Letter | None = None
    text: str = ""
    about: str = ""
    answers: tuple[str, ...] = ()
    twice: str = ""


class Memory:
    """Remember the last events of one room."""

    def __init__(self, own: str) -> None:
        self._own = own
        self._traces: list[Trace] = []
        self._by_id: dict[str, Trace] = {}

    def find(self, event_id: str) -> Trace | None:
        """Find an event."""
        return self._by_id.get(event_id)

    def add(self, event: Mapping[str, Any], answered: Trace | None = None) -> Trace | None:
        """Remember an event where it stands, the newest last, once; `answered` is a message it is known to answer."""
        event_id = event.get("event_id")
        seen = read(event)
        if isinstance(event_id, str) and (known := self._by_id.get(event_id)):
            if seen is not None and seen.text and not known.text:  # it could not be decrypted till now
                known.text = seen.text
                if answered is not None and answered.letter is not None:
                    known.answers = (answered.letter.id,)
            return known
        if event.get("sender") == self._own:
            trace = self._own_trace(event)
        else:
            trace = self._traced(seen, answered) if seen else None
        if trace is not None:
            self._traces.append(trace)
            self._by_id[trace.event_id] = trace
            for old in self._traces[:-KEPT]:
                del self._by_id[old.event_id]
            self._traces = self._traces[-KEPT:]
        return trace

    def _own_trace(self, event: Mapping[str, Any]) -> Trace | None:
        letter, own = letter_of(event), read({**event, "content": {"msgtype": "m.text", "body": ""}})
        return Trace(own.event_id, own.sender, own.at, letter) if letter and own else None

    def _traced(self, seen: Seen, answered: Trace | None) -> Trace:
        answered = answered or self._by_id.get(seen.about)
        trace = Trace(seen.event_id, seen.sender, seen.at, text=seen.text or "", about=seen.about)
        if seen.kind == "words" and (first := self._first(seen)):
            trace.twice, trace.answers = first.event_id, first.answers
        elif seen.kind == "edit":
            trace.answers = answered.answers if answered and answered.sender == seen.sender else ()
        elif answered is not None and answered.letter is not None:
            trace.answers = (answered.letter.id,)
        else:
            trace.answers = tuple(self._above(seen.at))
        return trace

    def _first(self, seen: Seen) -> Trace | None:
        """Find the same words of the same person, said a moment before, in answer to the same message if to any."""
        for trace in reversed(self._traces):
            said = (trace.sender, trace.about, trace.text.strip())
            same = trace.text and said == (seen.sender, seen.about, (seen.text or "").strip())
            if same and seen.at - trace.at <= TWICE:
                return trace
        return None

    def _above(self, at: datetime) -> Iterator[str]:
        """Give the newest letter of each game that stands above and is older by the clock too, the newest first."""
        threads: set[str] = set()
        for trace in reversed(self._traces):
            letter = trace.letter
            if letter is not None and letter.thread and trace.at <= at and letter.thread not in threads:
                threads.add(letter.thread)
                yield letter.id
