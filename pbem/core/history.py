"""Find in a message's rows what is not its sender's: attributions and header blocks.

Nothing here knows a language. An attribution is a row (or up to three, wrapped) that ends with a colon and holds a date
or an address; a header block is a run of `Label: value` rows with an address or a date among the values.
"""

import re
from collections.abc import Sequence

from pbem.core.rows import Row

WRAPPED = 3
BLOCK = 10

YEAR = re.compile(r"(?<!\d)(?:19|20|25)\d\d(?!\d)")
CLOCK = re.compile(r"(?<![\d.])\d{1,2}[:.h]\d\d(?!\d)")
DAY = re.compile(r"(?<!\d)\d{1,4}[./-]\d{1,2}(?:[./-]\d{1,4})?(?!\d)")
RULE = re.compile(r"[-_=*~\u2013\u2014]{3,}")
BANNER = re.compile(r"-{3,}[^-\n].{2,60}-{3,}")


def is_rule(text: str) -> bool:
    """Tell whether a row is nothing but a line drawn across the page."""
    return RULE.fullmatch(text) is not None


def is_banner(text: str) -> bool:
    """Tell whether a row is like `---------- Forwarded message ---------`."""
    return BANNER.fullmatch(text) is not None


def attribution(page: Sequence[Row], end: int, *, certain: bool) -> int:
    """Count the rows just above `end` that say who wrote what follows, when: 0 if none does.

    `certain`: what follows is known to be a quote, so that less proof will do.
    """
    text, last = "", page[end - 1].text if end else ""
    for count, row in enumerate(reversed(page[max(0, end - WRAPPED) : end]), start=1):
        if not row.text:
            break
        text = f"{row.text} {text}".strip()
        if _attributes(text, certain=certain, wrapped=count > 1):
            return count
    return int(certain and last.endswith(":") and (len(last.split()) > 2 or "@" in last))


def _attributes(text: str, *, certain: bool, wrapped: bool) -> bool:
    address = "@" in text
    year = YEAR.search(text) is not None
    dated = CLOCK.search(text) is not None or DAY.search(text) is not None
    if text.count("<") != text.count(">") or text.startswith("<"):
        return False
    if not text.endswith(":"):
        return certain and address and (year or dated)
    if certain:
        return address or year or dated
    return (address and (year or dated)) or (year and dated and not wrapped)


def header_block(page: Sequence[Row], start: int) -> int:
    """Count the rows of a header block that begins at `start`, with the rule or banner above it: 0 if there is none."""
    at = start
    while at < len(page) and at - start < 3 and (_is_edge(page[at].text) or (at > start and not page[at].text)):
        at += 1
    labels, end, proof = 0, at, ""
    for here, row in enumerate(page[at : at + BLOCK], start=at):
        if _labelled(row.text):
            labels, end = labels + 1, here + 1
        elif not labels or not row.text or here > end:
            break
        proof += f" {row.text}"
    known = "@" in proof or (YEAR.search(proof) is not None and CLOCK.search(proof) is not None)
    return end - start if known and labels >= (2 if at > start else 3) else 0


def _is_edge(text: str) -> bool:
    return is_rule(text) or is_banner(text)


def _labelled(text: str) -> bool:
    label, colon, _ = text.partition(":")
    label = label.strip("*_ ")
    return bool(colon and 0 < len(label) <= 30 and len(label.split()) <= 4) and not any(
        sign.isdigit() or sign in "<>@/\"'?!," for sign in label
    )
