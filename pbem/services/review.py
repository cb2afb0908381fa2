"""Check the file of a dispute, without a house: the proof in it, and that all it says fits that proof."""

from collections.abc import Callable, Iterator, Sequence

from pbem.core import evidence, proving, receipts
from pbem.core.evidence import Evidence, Message, Ruling
from pbem.core.proof import OBSERVER, Proof, Slip
from pbem.core.render import Renderer
from pbem.core.table import Table
from pbem.engine import Engine
from pbem.errors import Disproved
from pbem.services import disputes
from pbem.services.witness import Scenes, compare

COMPARED = ("digest", "answer", "reminder")
"""Kinds of letters that show how a game stood."""


def review(text: str, find: Callable[[str], Engine], renderer: Renderer) -> tuple[Proof, list[Table], list[str]]:
    """Check a dispute's file: give the proof in it, its tables, and what else could be checked and fits.

    Raises: Disproved, naming the first thing that does not fit; AdminError if the game is not installed.
    """
    page, told, proof = evidence.read(text)
    if evidence.page(told) != page:
        raise Disproved("its page says something else than what stands below")
    tables = proving.prove(proof, find)
    if (proof.game, proof.names) != (told.game, tuple(told.names)):
        raise Disproved(f"it is about {told.game}, and the proof in it of {proof.game}")
    _ruled(told, proof)
    _looked_on(told, Scenes(proof, tables, renderer))
    for message in told.messages:
        _received(message, proof)
    return proof, tables, [*_opened(told, proof), *_letters(told, proof, tables, renderer)]


def _ruled(told: Evidence, proof: Proof) -> None:
    """Compare the dispute and its rulings with the entries that announced them."""
    about = [line for line in proof.lines if line.body and line.body.get("dispute") == told.dispute]
    if not about or (about[0].number, about[0].body and about[0].body["what"]) != (told.entry, disputes.DISPUTED):
        raise Disproved(f"entry {told.entry} does not open dispute {told.dispute}")
    entered = [
        (line.number, line.body["by"], line.body["ruling"], line.body["dismissed"])
        for line in about
        if line.body and line.body["what"] == disputes.RULED
    ]
    if entered != [_entered(ruling) for ruling in told.rulings]:
        raise Disproved("the log has other rulings on it")


def _entered(ruling: Ruling) -> tuple[int, str, str, bool]:
    return ruling.entry, ruling.by, ruling.text, ruling.dismissed


def _looked_on(told: Evidence, scenes: Scenes) -> None:
    """Compare what an onlooker saw with the proof; looks at hands are told there once the game is over."""
    lines = {line.number: line for line in scenes.proof.lines}
    for one in told.log:
        line = lines.get(one.entry)
        if line is None:
            raise Disproved(f"entry {one.entry} is not in the proof")
        if tuple(scenes.told(line, OBSERVER)) != one.lines:
            raise Disproved(f"an onlooker saw something else of entry {one.entry}")


def _received(message: Message, proof: Proof) -> None:
    """Compare a message with its receipt: whose it is, when it was received, and how it was read."""
    if not message.receipt:
        return
    what = f"message {message.number}"
    slip = next((slip for slip in proof.slips if slip.hash == message.receipt), None)
    if slip is None:
        raise Disproved(f"{what} has a receipt that the proof has not")
    if (proof.names[slip.seat], _at(slip)) != (message.seat, message.received):
        raise Disproved(f"{what} is of another seat or another time than its receipt")
    if message.reading is not None and message.reading != tuple(deed.shown for deed in receipts.load(slip.deeds)):
        raise Disproved(f"{what} was read otherwise than its receipt says")


def _at(slip: Slip) -> str:
    received = str(proving.body_of(slip)["received"])
    return received.replace("T", " ").removesuffix("Z") + " UTC"


def _opened(told: Evidence, proof: Proof) -> Iterator[str]:
    """Compare what a dispute is about with what the log committed to, once the seed is known."""
    yield f"dispute {told.dispute}"
    yield from (f"the ruling of {ruling.by}" for ruling in told.rulings)
    yield f"what an onlooker saw of {_counted(len(told.log), 'entry', 'entries')}"
    yield _counted(
        sum(bool(message.receipt) for message in told.messages),
        "message with its receipt",
        "messages with their receipts",
    )
    if proof.seed is None:
        return
    for line in proof.lines:
        body = line.body or {}
        if body.get("dispute") != told.dispute or "said" not in body:
            continue
        text = told.appeal if body["what"] == disputes.APPEALED else told.text
        if text and disputes.sealed(proof.seed, told.dispute, text) != body["said"]:
            raise Disproved(f"the words of {line.what} are not those that were said then")
    yield "its words"


def _letters(told: Evidence, proof: Proof, tables: Sequence[Table], renderer: Renderer) -> Iterator[str]:
    """Compare the letters that were opened with the whole proof, as `pbem verify --letter` does."""
    opened = [letter for letter in told.letters if letter.text and letter.kind in COMPARED]
    if proof.seed is None or not opened:
        return
    for letter in opened:
        try:
            compare(proof, tables, letter.text or "", renderer)
        except Disproved as flaw:
            raise Disproved(f"letter {letter.number}: {flaw}") from flaw
    yield _counted(len(opened), "letter", "letters")


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
