"""Hold what a dispute is settled by: what came, what went, what was said and ruled; as values, as JSON, as a page.

A page is made of the values alone, so that nobody can write another page above the same values.
Secret: for moderators who hold no seat in the game. What was hidden stands in it only where it was opened.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pbem.core import proof as proofs
from pbem.core.harmless import visible
from pbem.core.proof import Proof
from pbem.core.receipts import CODE
from pbem.core.render import listed, wrap
from pbem.errors import Disproved

Facts = Mapping[str, Any]
BELOW = "\n==== What stands below is for `pbem verify`; the page above is made of it. ====\n"


@dataclass(frozen=True, slots=True)
class Message:
    """Hold a message that came: who it was taken to be from and why, what became of it, and its headers.

    `seat` is the name at the table, which stays when somebody takes over. `receipt` is the hash of its receipt.
    `words` and `reading` are what the sender wrote, and what its lines were read as: None as long as they are hidden.
    """

    number: int
    post: str
    sender: str
    player: str
    seat: str
    why: tuple[str, ...]
    received: str
    handled: str
    verdict: str
    headers: tuple[tuple[str, str], ...]
    receipt: str = ""
    words: str | None = None
    reading: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Letter:
    """Hold a letter that went: to whom, when it was written and handed over, and what came back.

    `answers` is the number of the message that it answers (0: none); `text` is None as long as it is hidden.
    """

    number: int
    to: str
    post: str
    place: str
    kind: str
    subject: str
    answers: int
    written: str
    sent: str
    back: str
    status: str
    error: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Ruling:
    """Hold what a moderator ruled, as the log has it: `entry` is its number there."""

    entry: int
    by: str
    at: str
    text: str
    dismissed: bool


@dataclass(frozen=True, slots=True)
class Told:
    """Hold an entry of the log as an onlooker saw it: its number, what and when it was, and what was told."""

    entry: int
    what: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Hold a dispute with all that concerns it; times are UTC.

    `log` is how an onlooker saw the game around it, `opened` are the players whose hidden part was opened.
    """

    dispute: int
    game: str
    title: str
    names: tuple[str, ...]
    by: str
    opened_at: str
    entry: int
    text: str
    status: str
    clocks: str
    appealed_by: str
    appeal: str
    rulings: tuple[Ruling, ...]
    log: tuple[Told, ...]
    messages: tuple[Message, ...]
    letters: tuple[Letter, ...]
    opened: tuple[str, ...] = ()


def rows(evidence: Evidence) -> list[Facts]:
    """Give evidence as objects of JSON: the dispute, then each message, then each letter."""
    head = asdict(evidence)
    messages, letters = head.pop("messages"), head.pop("letters")
    return [head, *({"message": one.pop("number"), **one} for one in messages),
            *({"letter": one.pop("number"), **one} for one in letters)]  # fmt: skip


def from_rows(found: Sequence[Facts]) -> Evidence:
    """Read evidence back from its objects.

    Raises: Disproved if they are none.
    """
    try:
        head = dict(found[0])
        rulings = tuple(Ruling(**one) for one in head.pop("rulings"))
        log = tuple(Told(one["entry"], one["what"], tuple(one["lines"])) for one in head.pop("log"))
        messages = tuple(_message(one) for one in found[1:] if "message" in one)
        letters = tuple(_letter(one) for one in found[1:] if "letter" in one)
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in head.items()
        }
        return Evidence(**plain, rulings=rulings, log=log, messages=messages, letters=letters)
    except (LookupError, TypeError, ValueError) as error:
        raise Disproved("what stands in it of the dispute is not whole") from error


def _message(row: Facts) -> Message:
    given = {name: value for name, value in row.items() if name != "message"}
    headers = tuple((str(name), str(value)) for name, value in given.pop("headers"))
    why, reading = tuple(given.pop("why")), given.pop("reading")
    return Message(
        row["message"], **given, why=why, headers=headers, reading=None if reading is None else tuple(reading)
    )


def _letter(row: Facts) -> Letter:
    return Letter(row["letter"], **{name: value for name, value in row.items() if name != "letter"})


def write(evidence: Evidence, proof: Proof) -> str:
    """Write the file of a dispute: a page for people, and below it what `pbem verify` checks."""
    parts = [json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n" for row in rows(evidence)]
    return "".join([page(evidence), BELOW, *parts, proofs.write(proof)])


def read(text: str) -> tuple[str, Evidence, Proof]:
    """Read the file of a dispute: its page, and what stands below it.

    Raises: Disproved if it is none, or a part of it is missing.
    """
    shown, mark, below = text.partition(BELOW)
    head, begun, proof = below.partition('{"proof":')
    if not (mark and begun):
        raise Disproved("it is no file of a dispute, or it was cut")
    try:
        found = [json.loads(line) for line in head.splitlines()]
    except ValueError as error:
        raise Disproved("what stands in it of the dispute was changed or cut") from error
    return shown, from_rows(found), proofs.read(begun + proof)


def page(evidence: Evidence) -> str:
    """Write evidence so that a person can read it, harmless whatever a player wrote into it."""
    return "".join(f"{visible(line)}\n" for text in _lines(evidence) for line in text.split("\n"))


def _lines(evidence: Evidence) -> Iterator[str]:
    one = evidence
    yield wrap(f"Dispute {one.dispute} in {one.game} ({one.title}: {listed(one.names)})")
    yield wrap(f"Opened by {one.by} at {one.opened_at}, entry {one.entry} of the log. {one.clocks}")
    yield from _said(f"What {one.by} says", one.text)
    for ruling in one.rulings[:1]:
        yield from _ruled(ruling)
    if one.appealed_by:
        yield from _said(f"What {one.appealed_by} says against that", one.appeal)
    for ruling in one.rulings[1:]:
        yield from _ruled(ruling)
    yield from ("", "THE LOG, AS AN ONLOOKER SAW IT")
    for told in one.log:
        yield from (wrap(f"{told.entry}. {told.what}", 2, 5), *(wrap(line, 5, 7) for line in told.lines))
    yield from ("", "WHAT CAME")
    for message in one.messages:
        yield from _came(message)
    yield from ("", "WHAT WENT")
    for letter in one.letters:
        yield from _went(letter)
    but = f", but for {listed(one.opened)}" if one.opened else ""
    yield from ("", wrap(f"What players wrote and were told in private is hidden here{but}."))


def _said(title: str, text: str) -> Iterator[str]:
    yield from ("", title.upper())
    yield from (wrap(line, 2) for line in (text or "(no longer kept)").splitlines())


def _ruled(ruling: Ruling) -> Iterator[str]:
    dismissed = ", dismissing it" if ruling.dismissed else ""
    yield from ("", f"WHAT {ruling.by.upper()} RULED")
    yield wrap(f"{ruling.text} ({ruling.at}, entry {ruling.entry}{dismissed})", 2)


def _came(message: Message) -> Iterator[str]:
    yield wrap(f"Message {message.number}, by {message.post} from {message.sender or 'nobody'}", 2, 4)
    yield wrap(f"received {message.received}, dealt with {message.handled}", 4, 6)
    taken = f"taken to be from {message.player}" if message.player else "taken to be from no player"
    yield wrap(f"{taken}: {'; '.join(message.why)}", 4, 6)
    receipt = f", receipt {message.receipt[:CODE]}" if message.receipt else ""
    yield wrap(f"{message.verdict}{receipt}", 4, 6)
    yield from (wrap(f"{name}: {value}", 6, 8) for name, value in message.headers)
    if message.words is not None:
        yield from ("    it says:", *(f"      | {line}" for line in message.words.splitlines()))
    for read in message.reading or ():
        yield wrap(f"read as {read}", 4, 6)


def _went(letter: Letter) -> Iterator[str]:
    answers = f", answering message {letter.answers}" if letter.answers else ""
    yield wrap(f"Letter {letter.number} to {letter.to}, by {letter.post} to {letter.place}{answers}", 2, 4)
    yield wrap(f'{letter.kind}: "{letter.subject}"' if letter.subject else letter.kind, 4, 6)
    handed = f"handed over {letter.sent}" if letter.sent else f"not handed over ({letter.status})"
    back = f", came back {letter.back}" if letter.back else ""
    error = f": {letter.error}" if letter.error else ""
    yield wrap(f"written {letter.written}, {handed}{back}{error}", 4, 6)
    if letter.text is not None:
        yield from (f"      | {line}" for line in letter.text.strip("\n").splitlines())
