"""Compare the file of a game with a letter that a player was sent at the time: nobody can forge that afterwards."""

import re
from collections.abc import Iterator, Sequence

from pbem.core.digest import Scene
from pbem.core.proof import Line, Proof, compact
from pbem.core.receipts import CODE, PRINTED, SHOWN
from pbem.core.render import Renderer
from pbem.core.table import Table
from pbem.engine import Event
from pbem.errors import Disproved
from pbem.services.chronicle import TAKEN_BACK, told_events
from pbem.services.moderators import HOST

SEAL = re.compile(r"SHA-256 seal ((?:[0-9a-f]{8} ){7}[0-9a-f]{8})")
SECRET = re.compile(r"SHA-256 commitment ((?:[0-9a-f]{8} ){7}[0-9a-f]{8})")
SEED = re.compile(r"seed of the deal was ((?:[0-9a-f]{8} ){7}[0-9a-f]{8})")
TERMS = re.compile(r"Played by pbem (\S+), .+? version (\d+)\. Options: ")
TITLE = re.compile(r", ([a-z][a-z0-9_]*-\d+)(?:, turn (\d+))?$", re.M)
HAPPENED = re.compile(r"^WHAT HAPPENED\n((?:  .*\n)+)", re.M)
DIGEST = re.compile(r"^(?:WHAT HAPPENED|WHAT IS ASKED OF YOU|WAITING FOR)$", re.M)


def compare(proof: Proof, tables: Sequence[Table], letter: str, renderer: Renderer) -> list[str]:
    """Give what of a letter's text could be compared with a file, and fits.

    `tables` are those after each entry; a cut file has none, so the table and the hand are not compared.
    Raises: Disproved, naming the first thing that does not fit.
    """
    text = letter.replace("\r\n", "\n")
    title = TITLE.search(text)
    if title is None or title[1] != proof.game:
        raise Disproved(f"the letter is of {title[1] if title else 'no game'}, and the file of {proof.game}")
    seat = _seat(proof, text)
    flat = " ".join(text.split())
    done = [*_printed(proof, flat), *_receipt(proof, seat, flat)]
    scene = Scenes(proof, tables, renderer)
    if (happened := HAPPENED.search(text)) is not None:
        _happened(scene, seat, happened[1])
        done.append("what happened")
    if tables and DIGEST.search(text) is not None:
        _stood(scene, seat, int(title[2] or 0), flat)
        done.append("the table and the hand")
    return done


def _seat(proof: Proof, text: str) -> int:
    """Find out whose letter it is; what others were sent is not in a cut file."""
    named = re.search(r"^Dear (\w+),$", text, re.M)
    if named is None or named[1] not in proof.names:
        raise Disproved(f"the letter is to nobody of {', '.join(proof.names)}")
    seat = proof.names.index(named[1])
    if proof.seat not in (None, seat):
        raise Disproved(f"the letter is to {named[1]}, and the file is what {proof.names[proof.seat or 0]} knew")
    return seat


def _printed(proof: Proof, flat: str) -> Iterator[str]:
    if (seal := SEAL.search(flat)) is not None:
        if seal[1].replace(" ", "") != proof.deal["commitment"]:
            raise Disproved("the letter has another seal: the deal of the file is not the one that was sealed")
        yield "its seal"
    if (secret := SECRET.search(flat)) is not None:
        if secret[1].replace(" ", "") != proof.deal.get("gathered", {}).get("commitment"):
            raise Disproved("the letter has the seal of another secret than the one that the deal was made from")
        yield "the seal of the host's secret"
    if (terms := TERMS.search(flat)) is not None:
        if (terms[1], int(terms[2])) != (proof.deal.get("pbem"), proof.deal["version"]):
            raise Disproved("the letter says that another version of the program or of the game was played")
        yield "its terms"
    if (seed := SEED.search(flat)) is not None and proof.seed is not None:
        if seed[1].replace(" ", "") != proof.seed.hex():
            raise Disproved("the letter has another seed")
        yield "its seed"


def _receipt(proof: Proof, seat: int, flat: str) -> Iterator[str]:
    if (found := PRINTED.search(flat)) is not None:
        digits = "".join(found[1].split())
        if not any(slip.seat == seat and slip.hash[:SHOWN] == digits for slip in proof.slips):
            raise Disproved(f"the letter has receipt {digits[:CODE]}, and the file does not")
        yield "its receipt"


class Scenes:
    """Write what the letters of a game would say, as the file has it."""

    def __init__(self, proof: Proof, tables: Sequence[Table], renderer: Renderer) -> None:
        self.proof, self._tables, self._renderer = proof, tables, renderer

    def lines(self, seat: int) -> Iterator[str]:
        """Write all that a seat was told, in its order."""
        return (told for line in self.proof.lines for told in self.told(line, seat))

    def told(self, line: Line, seat: int) -> Iterator[str]:
        """Write what a seat was told of one entry."""
        engine = str(self.proof.deal["engine"])
        for event in told_events(compact(line.body or {}), events(line)):
            if event.visible(seat):
                own = event.kind.startswith("house.")
                shown = Event(event.kind.removeprefix("house."), event.facts) if own else event
                yield self._renderer.line("post" if own else engine, shown, self.proof.names)

    def digests(self, seat: int, turn: int) -> Iterator[str]:
        """Write the digest of a seat at each entry of a turn."""
        for table in self._tables:
            if table.turn() == turn:
                yield " ".join(Scene(self._renderer, table, self.proof.names).digest(seat)[0].split())


def events(line: Line) -> tuple[Event, ...]:
    """Give what an entry tells: a step's events, and what a ruling announces."""
    if line.kind == "step" or not line.body or "what" not in line.body:
        return line.events
    facts = {name: fact for name, fact in line.body.items() if name != "what"}
    if facts.get("by") == HOST.signature:
        del facts["by"]  # players are told of the host by no name
    return (Event(str(line.body["what"]), facts),)


def _happened(scenes: Scenes, seat: int, told: str) -> None:
    """Find each line of a letter among those that the file gives, in the same order; a later rollback marks some."""
    lines = scenes.lines(seat)
    for text in (" ".join(part.split()) for part in re.split(r"^  - ", told, flags=re.M) if part.strip()):
        if text.removeprefix(f"{TAKEN_BACK} ") not in lines:
            raise Disproved(f"the letter tells what the file does not, or not there: {text!r}")


def _stood(scenes: Scenes, seat: int, turn: int, flat: str) -> None:
    if not any(digest in flat for digest in scenes.digests(seat, turn)):
        raise Disproved(f"the letter shows other cards in turn {turn} than the file")
