"""Write a letter as messages of a room: pure, and the same messages for the same letter, however often it goes out.

Source: the Matrix client-server API, m.room.message: which HTML clients show.
"""

import json
from collections.abc import Sequence
from html import escape
from typing import Any

from lxml import etree, html

from pbem.core.message import Outbound
from pbem.core.rows import MARKER
from pbem.transports.letterhead import letter_id
from pbem.transports.matrix.events import LETTER

__all__ = ["contents"]

ROOM = 40_000
"""How many bytes one message may have: the server takes 65536, and encryption makes a third more of it."""
BODY = 16_000
SHOWN = {
    *("del", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "p", "a", "ul", "ol", "sup", "sub", "li", "b", "i", "u"),
    *("strong", "em", "s", "code", "hr", "br", "div", "table", "thead", "tbody", "tr", "th", "td", "caption", "pre"),
    *("span", "details", "summary"),
}
DROPPED = ("head", "title", "style", "script", "svg", "template", "noscript")
SAFE_LINKS = ("https://", "http://", "mailto:")


def contents(letter: Outbound) -> list[dict[str, Any]]:
    """Give the content of each message that a letter becomes: one, unless it is very long.

    What asks is `m.text`, since clients ring for no notice.
    Secret: for the one player it is addressed to.
    """
    named = letter_id(letter)
    mark = {"id": named, "thread": letter.thread or (named if letter.token else ""), "examples": list(letter.examples)}
    body, rich = _body(letter), _rich(letter)
    whole = _message(letter, body, rich) | {LETTER: mark}
    if len(json.dumps(whole).encode()) <= ROOM:
        return [whole]
    return [_message(letter, part, "") | {LETTER: mark} for part in _parts(body)]


def _message(letter: Outbound, body: str, rich: str) -> dict[str, Any]:
    content: dict[str, Any] = {"msgtype": "m.text" if letter.rings else "m.notice", "body": body}
    if rich:
        content |= {"format": "org.matrix.custom.html", "formatted_body": rich}
    if letter.rings:
        content["m.mentions"] = {"user_ids": [letter.to.place]}
    return content


def _body(letter: Outbound) -> str:
    lines = [line for line in letter.text.split("\n") if line.strip() != MARKER]
    return "\n".join(lines).strip("\n") + _numbered(letter.examples, "\n")


def _numbered(examples: Sequence[str], start: str) -> str:
    """Say which number stands for which line."""
    if not examples:
        return ""
    lines = [f"  {number}  {example}" for number, example in enumerate(examples[:9], 1)]
    return start.join(["", "", "Or react to this message with a number:", *lines])


def _parts(body: str) -> list[str]:
    """Cut a text between lines."""
    parts = [""]
    for line in body.split("\n"):
        for piece in [line[at : at + BODY // 4] for at in range(0, max(len(line), 1), BODY // 4)]:
            if len((parts[-1] + piece).encode()) > BODY:
                parts.append("")
            parts[-1] += f"{piece}\n"
    return [part.rstrip("\n") for part in parts if part.strip()]


def _rich(letter: Outbound) -> str:
    """Give a letter's HTML with what clients show of it."""
    if not letter.html:
        return ""
    page = html.document_fromstring(letter.html)
    etree.strip_elements(page, etree.Comment, *DROPPED, with_tail=False)
    body = page.find("body")
    body = page if body is None else body
    for element in list(body.iter()):
        if element is body or not isinstance(element, html.HtmlElement) or not isinstance(element.tag, str):
            continue
        if (element.text or "").strip() == MARKER:
            element.drop_tree()
        elif element.tag not in SHOWN:
            element.drop_tag()
        else:
            _bare(element)
    inner = escape(body.text or "") + "".join(
        etree.tostring(child, encoding="unicode", method="html") for child in body
    )
    return inner.strip() + _numbered_rich(letter.examples)


def _bare(element: html.HtmlElement) -> None:
    """Take every attribute off but those that clients know; an example stays on a line of its own."""
    block = "display:block" in element.get("style", "").replace(" ", "")
    link, start = element.get("href", ""), element.get("start", "")
    element.attrib.clear()
    if element.tag == "a" and link.startswith(SAFE_LINKS):
        element.set("href", link)
    if element.tag == "ol" and start.isdigit():
        element.set("start", start)
    if block and element.tag == "code":
        line = html.Element("br")
        line.tail, element.tail = element.tail, None
        element.addnext(line)


def _numbered_rich(examples: Sequence[str]) -> str:
    if not examples:
        return ""
    lines = "".join(f"<li><code>{escape(example)}</code></li>" for example in examples[:9])
    return f"<p>Or react to this message with a number:</p><ol>{lines}</ol>"
