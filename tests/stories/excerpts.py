"""Cut out of a letter, or of what a command printed, the part that matters in a story."""

import re
from collections.abc import Iterator


def body(letter: str) -> str:
    """Give a letter's text without its head, the greeting included, and without its foot."""
    _, _, below = letter.partition("\nDear ")
    return below.partition("\n")[2].partition("\n-- \n")[0].strip("\n")


def excerpt(text: str, wanted: str) -> list[str]:
    """Give lines of a text: all ("") or those that are wanted, with an empty line between clauses joined by `and`.

    A clause is `under HEADING`, `from "..." to "..."`, `the paragraph with "..."`, or `lines with "..." or "..."`.
    """
    lines = text.strip("\n").splitlines()
    if not wanted:
        return lines
    clauses = re.split(r" and (?=under |from |the paragraph |lines )", wanted)
    return [line for clause in clauses for line in ("", *_clause(lines, clause))][1:]


def _clause(lines: list[str], clause: str) -> list[str]:
    if clause.startswith("under "):
        return list(_under(lines, clause.removeprefix("under ")))
    words = re.findall('"(.+?)"', clause)
    if clause.startswith("the paragraph with "):
        paragraphs = "\n".join(lines).split("\n\n")
        return paragraphs[_find(paragraphs, words[0], 0)].strip("\n").splitlines()
    if clause.startswith("lines with "):
        return [line for line in lines if any(word in line for word in words)]
    bounds = re.fullmatch(r'from "(.+?)" to "(.+?)"', clause)
    assert bounds, f"{clause!r} says of no lines which they are"
    begin = _find(lines, bounds[1], 0)
    return lines[begin : _find(lines, bounds[2], begin) + 1]


def _find(lines: list[str], words: str, begin: int) -> int:
    found = next((at for at in range(begin, len(lines)) if words in lines[at]), None)
    assert found is not None, f"{words!r} does not stand in:\n" + "\n".join(lines)
    return found


def _under(lines: list[str], heading: str) -> Iterator[str]:
    """Give a heading with what stands under it, up to the next line at the left margin."""
    begin = next((at for at, line in enumerate(lines) if line.startswith(heading)), None)
    assert begin is not None, f"there is no heading {heading!r} in:\n" + "\n".join(lines)
    end = next((at for at in range(begin + 1, len(lines)) if lines[at][:1].strip()), len(lines))
    return iter("\n".join(lines[begin:end]).rstrip().splitlines())
