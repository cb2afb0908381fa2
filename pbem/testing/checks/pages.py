"""Check that a game's templates can show whatever happens, and that what they write is a letter."""

import re
from html.parser import HTMLParser

import jinja2

from pbem import paths
from pbem.core.digest import Scene
from pbem.core.render import WIDTH, Renderer
from pbem.core.table import Table
from pbem.engine import Engine
from pbem.testing.checks import shorten
from pbem.testing.kit import Kit
from pbem.testing.plays import NAMES, Step, blamed

FETCHED = re.compile(r"https?:|url\(|<img|<script|<link|src=|@import|<iframe|<form", re.I)
VOID = ("br", "hr", "meta", "wbr", "col")


def renderer_of(engine: Engine) -> Renderer:
    """Give a renderer of the house's templates and one game's."""
    return Renderer(jinja2.FileSystemLoader([str(paths.bundled("templates")), engine.templates]))


def every_event_has_its_line(kit: Kit) -> None:
    """`events.j2` has a macro for each kind of event, which makes a line of whatever the event tells."""
    renderer = renderer_of(kit.engine)
    for step in kit.steps:
        for event in step.events:
            with blamed(f"{step}, event {event.kind}"):
                assert event.kind.isidentifier() and not event.kind.startswith("_"), "that is not one word"
                beyond = [seat for seat in event.seen_by or () if seat not in step.seats]
                assert not beyond, f"it is to be seen by {beyond}, who are no seats"
                line = renderer.line(kit.engine.name, event, NAMES[: step.match.players])
                assert line.strip(), "its line is empty"


def every_page_can_be_written(kit: Kit) -> None:
    """The digest, the table and the rules are written, in text and HTML, for each seat in each position."""
    renderer = renderer_of(kit.engine)
    with blamed(f"{kit.engine.name}, rules"):
        check_text(renderer.text(f"{kit.engine.name}/rules", engine=kit.engine))
        check_html(renderer.html(f"{kit.engine.name}/rules", engine=kit.engine))
    for step in kit.steps:
        if step.number % 5 == 1 or kit.engine.result(step.after) is not None:
            _check_digests(renderer, step)


def _check_digests(renderer: Renderer, step: Step) -> None:
    names = NAMES[: step.match.players]
    scene = Scene(renderer, Table(step.engine, b"", step.after, step.number, step.number, ""), names)
    for seat in (None, *step.seats):
        with blamed(f"{step}, {'table' if seat is None else f'digest of seat {seat}'}"):
            text, html = scene.table() if seat is None else scene.digest(seat)
            check_text(text)
            check_html(html)


def check_text(text: str) -> None:
    """Check that a text is one, and narrow enough for any mail program."""
    assert text.strip(), "the text is empty"
    wide = [line for line in text.splitlines() if len(line) > WIDTH]
    assert not wide, f"a line has more than {WIDTH} columns: {shorten(wide[0])!r}"


def check_html(html: str) -> None:
    """Check that HTML is well-formed and fetches nothing: who reads it when is nobody's affair."""
    assert html.strip(), "the HTML is empty"
    fetched = FETCHED.search(html)
    assert not fetched, f"the HTML has {fetched and fetched[0]!r}"
    balance = _Balance()
    balance.feed(html)
    balance.close()
    assert not balance.open, f"<{balance.open[-1]}> is never closed"


class _Balance(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"
