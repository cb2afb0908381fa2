"""Turn the HTML of a mail into text, with one `>` line in the place of each quote."""

from inscriptis import Inscriptis
from lxml import etree, html

SIZE = 128 * 1024
QUOTED = "> (quoted)"
BANNER = "----- original message -----"

# What mail programs wrap around the message that is being answered.
_WRAPPED = (
    "self::blockquote",
    "contains(@class, 'gmail_attr')",
    "contains(@class, 'gmail_quote') and not(.//blockquote)",
    "contains(@class, 'yahoo_quoted')",
    "contains(@class, 'protonmail_quote')",
    "contains(@class, 'tutanota_quote')",
    "contains(@class, 'zmail_extra')",
    "contains(@class, 'moz-cite-prefix')",
    "contains(@class, 'moz-forward-container')",
    "@name='quote' or @id='isReplyContent' or @id='mail-editor-reference-message-container'",
)
# What they put above it, where nothing wraps it: all that follows is history.
_ABOVE = (
    "contains(@id, 'divRplyFwdMsg')",
    "contains(@id, 'OutlookMessageHeader') or contains(@class, 'OutlookMessageHeader')",
    "contains(@id, 'appendonsend')",
    "self::hr[@id='stopSpelling' or @tabindex='-1']",
)
UNSEEN = ("script", "style", "head", "title", "noscript", "template")


def as_text(markup: str) -> str:
    """Give the text of an HTML mail, or "" where it cannot be read."""
    try:
        parser = html.HTMLParser(encoding="utf-8")
        page = html.document_fromstring(markup[:SIZE].encode("utf-8", "replace"), parser=parser)
        for container in _elements(page, _WRAPPED):
            _mark(container, QUOTED)
        for edge in _elements(page, _ABOVE):
            _mark(edge, BANNER, keep=True)
        etree.strip_elements(page, etree.Comment, *UNSEEN, with_tail=False)
        return str(Inscriptis(page).get_text())
    except (etree.LxmlError, ValueError, RecursionError, AssertionError):
        return ""


def _elements(page: html.HtmlElement, tests: tuple[str, ...]) -> list[html.HtmlElement]:
    found = page.xpath(f"//*[{' or '.join(f'({test})' for test in tests)}]")
    return [one for one in found if isinstance(one, html.HtmlElement)] if isinstance(found, list) else []


def _mark(element: html.HtmlElement, line: str, *, keep: bool = False) -> None:
    """Put a line of its own where an element stands, in its stead or above it."""
    mark = html.Element("p")
    mark.text = line
    parent = element.getparent()
    if parent is None:
        return
    parent.insert(parent.index(element), mark)
    if not keep:
        element.drop_tree()
