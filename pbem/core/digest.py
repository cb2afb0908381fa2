"""Make a letter of a view, visible events and a prompt.

What all seats see alike is rendered once a step (`Scene`); what is one seat's own is added to it (`Page`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from pbem.core.quotes import MARKER
from pbem.core.render import Renderer
from pbem.core.table import Table
from pbem.engine import Event

HOUSE = "house."  # kinds of events that are the house's own, not the game's


@dataclass(frozen=True, slots=True)
class Note:
    """Say what one line of a player's message was read as, and what came of it."""

    line: str
    told: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """Hold a part of a letter that was asked for: rules, help, log."""

    title: str
    text: str
    html: str


@dataclass(frozen=True, slots=True)
class Asked:
    """Say what a seat is asked, until when (in the player's zone), how long that is, and what is sealed already."""

    text: str
    examples: tuple[str, ...]
    optional: bool
    deadline: str
    left: str
    sealed: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Say for whom the table waits, for what, and until when, and whether that is because of an absence: all public."""

    name: str
    kind: str
    deadline: str
    away: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """Hold all that one letter says beside the game's own digest; `answered`: who replies to it is answered.

    Secret: for the seat alone.
    """

    name: str
    title: str
    to: str
    turn: int
    opening: str = ""
    notes: tuple[Note, ...] = ()
    happened: tuple[str, ...] = ()
    asked: Asked | None = None
    waiting: tuple[Waiting, ...] = ()
    sections: tuple[Section, ...] = ()
    footers: tuple[str, ...] = ()
    answered: bool = True


class Scene:
    """Show one table as it stands after a step, to as many seats as should hear."""

    def __init__(self, renderer: Renderer, table: Table, names: Sequence[str]) -> None:
        self._renderer = renderer
        self._table = table
        self._room = table.engine.name
        self._names = names
        self._lines: dict[int, tuple[Event, str]] = {}

    @cached_property
    def _public(self) -> tuple[str, str]:
        view = self._table.view(None)
        name = f"{self._room}/table"
        return self._renderer.text(name, view=view), self._renderer.html(name, view=view)

    def table(self) -> tuple[str, str]:
        """Give the table as an observer sees it: text and HTML."""
        return self._public

    def digest(self, seat: int) -> tuple[str, str]:
        """Give the game's digest for a seat: text and HTML.

        Secret: for the seat alone.
        """
        view = self._table.view(seat)
        text, html = self._public
        name = f"{self._room}/digest"
        return self._renderer.text(name, view=view, table=text), self._renderer.html(name, view=view, table=html)

    def lines(self, events: Iterable[Event], seat: int | None) -> tuple[str, ...]:
        """Write the events that a seat may see, a line each; a public one is written once for all seats."""
        return tuple(self._line(event) for event in events if event.visible(seat))

    def _line(self, event: Event) -> str:
        if id(event) not in self._lines:
            own = event.kind.startswith(HOUSE)
            shown = Event(event.kind.removeprefix(HOUSE), event.facts) if own else event
            line = self._renderer.line("post" if own else self._room, shown, self._names)
            self._lines[id(event)] = event, line  # the event as well, so that no other ever gets its id
        return self._lines[id(event)][1]


def compose(renderer: Renderer, page: Page, digest: tuple[str, str] | None) -> tuple[str, str]:
    """Write a whole letter: its text, at most 76 columns wide, and its HTML.

    Secret: for the one player it is addressed to.
    """
    text, html = digest or ("", "")
    return (
        renderer.text("post/letter", page=page, digest=text, marker=MARKER),
        renderer.html("post/letter", page=page, digest=html, marker=MARKER),
    )
