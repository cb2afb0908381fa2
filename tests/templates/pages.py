"""Help to read pages: fill the templates, and see an HTML page as its reader does."""

import functools
from html.parser import HTMLParser

import jinja2
import lxml.html
from lxml.etree import _Element

from pbem import paths
from pbem.core.render import Renderer


@functools.cache
def renderer() -> Renderer:
    """Give the renderer of the house's templates."""
    return Renderer(jinja2.FileSystemLoader(str(paths.bundled("templates"))))


def text_of(element: _Element) -> str:
    """Give all the text in an element."""
    return "".join(str(part) for part in element.itertext())


def shown(html: str) -> str:
    """Give the words of an HTML page, as a reader sees them."""
    return " ".join(text_of(lxml.html.fromstring(html)).split())


class Balance(HTMLParser):
    """Check that every tag that was opened is closed, in order."""

    VOID = ("meta", "br")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Note a tag that must be closed."""
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Check that it is the last one opened."""
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"


def check_html(html: str) -> None:
    """Check that a page is well-formed and fetches nothing."""
    balance = Balance()
    balance.feed(html)
    balance.close()
    assert not balance.open
    for fetched in ("http:", "https:", "url(", "<img", "<script", "<link", "src=", "@import"):
        assert fetched not in html.lower()
