"""Check files of games, without a house and without a database: `pbem verify`."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli import show
from pbem.cli.options import AsJson

if TYPE_CHECKING:
    from pbem.core.proof import Proof
    from pbem.core.table import Table

Files = Annotated[list[Path], typer.Argument(help="Files of games, as `export` gives them.", metavar="FILE...")]
Letters = Annotated[
    list[Path], typer.Option("--letter", help="A letter as a player got it, to compare.", metavar="FILE.eml")
]


@dataclass(frozen=True)
class Found:
    """Say of one file whether it holds, and what was seen or what is wrong."""

    file: str
    holds: bool
    told: str


def verify(files: Files, letter: Letters = [], json: AsJson = False) -> None:  # noqa: B006
    """Check that games, and disputes in them, went as their files say.

    No house and no database is needed. Each game is played again; compared are the seal of the deal, every hash, every
    event and every receipt. --letter compares a file with a letter of the time: whoever runs a house could forge a
    whole file, but not what lies in a player's mailbox. All that the file of a dispute says is compared with the proof
    in it. Exits with 1 if anything does not fit.
    """
    from pbem.errors import AdminError

    if letter and len(files) > 1:
        raise AdminError("--letter compares with one file; give that file alone")
    with _counted(files) as shown:
        found = [_check(file, letter) for file in shown]
    if json:
        show.as_json([asdict(one) for one in found])
    else:
        for one in found:
            show.line(f"{one.file}: {'holds' if one.holds else 'does not hold'}: {one.told}")
    if not all(one.holds for one in found):
        raise typer.Exit(1)


@contextmanager
def _counted(files: list[Path]) -> Iterator[Iterable[Path]]:
    """Show how far it has come, where there are many and somebody looks."""
    if len(files) < 2 or not sys.stderr.isatty():
        yield files
        return
    with typer.progressbar(files, label="games", file=sys.stderr) as bar:
        yield bar


def _check(file: Path, letters: list[Path]) -> Found:
    from pbem import games
    from pbem.core import evidence, proof, proving
    from pbem.errors import Disproved
    from pbem.services.house import renderer
    from pbem.services.review import review

    try:
        text = _read(file).decode(errors="replace")
        if evidence.BELOW in text:
            found, tables, more = review(text, games.get, renderer())
        else:
            found, more = proof.read(text), []
            tables = proving.prove(found, games.get)
        fitting = [_compare(found, tables, letter) for letter in letters]
    except Disproved as flaw:
        return Found(str(file), False, str(flaw))
    return Found(str(file), True, "; ".join([_told(found), *filter(None, [", ".join(more)]), *fitting]))


def _told(found: "Proof") -> str:
    from pbem.core import proof

    counted = f"{found.game}, {len(found.lines)} entries, {len(found.slips)} receipts"
    if found.seat is None:
        return f"{counted}, the seed and its seal"
    if found.seat == proof.OBSERVER:
        return f"{counted}, as far as an onlooker may know; the deal can be checked when the game is over"
    return f"{counted}, as far as {found.names[found.seat]} knew; without the seed no deal can be checked"


def _compare(found: "Proof", tables: "list[Table]", letter: Path) -> str:
    from datetime import UTC, datetime

    from pbem.errors import Disproved
    from pbem.services.house import POST, renderer
    from pbem.services.witness import compare
    from pbem.transports import mime

    text = mime.read(_read(letter), POST, datetime.now(UTC)).text or ""
    try:
        fits = compare(found, tables, text, renderer())
    except Disproved as flaw:
        raise Disproved(f"{letter.name}: {flaw}") from flaw
    return f"{letter.name} fits: {', '.join(fits) or 'nothing in it could be compared'}"


def _read(file: Path) -> bytes:
    from pbem.errors import AdminError

    try:
        return file.read_bytes()
    except OSError as error:
        raise AdminError(f"{file} cannot be read: {error.strerror}") from error
