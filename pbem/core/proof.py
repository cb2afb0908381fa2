"""Hold the file that proves a game: its seed, its log and its receipts, as JSON lines that anybody can check offline.

docs/proof.md describes the format. During a game it is cut to what one seat knew: without the seed, with the seat's own
orders and receipts, and with the hashes of all the rest.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pbem.engine import Event
from pbem.errors import Disproved

FORMAT = 1
DEFAULT = "default"
"""Who gave an answer where time ran out: the game. That is told to all."""
OBSERVER = -1
"""What stands for a seat where nobody's own part is in the file."""
Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """Hold one entry of the log: `body` is None where it is hidden, `state` and `chain` are its two salted hashes."""

    number: int
    kind: str
    body: Facts | None
    events: tuple[Event, ...]
    state: str
    chain: str

    @property
    def what(self) -> str:
        """Name it."""
        step = f"step {self.body['step']}" if self.kind == "step" and self.body else f"the {self.kind}"
        return f"entry {self.number} ({step})"


@dataclass(frozen=True, slots=True)
class Slip:
    """Hold one receipt: its text as JSON, what its commitment holds, and its hash."""

    seat: int
    number: int
    body: str
    deeds: str
    hash: str


@dataclass(frozen=True, slots=True)
class Proof:
    """Hold what is known of one game: all of it (`seat` is None), or what one seat knew.

    `secret` is the host's part of the seed, where the players added words of theirs.
    """

    game: str
    status: str
    seat: int | None
    seed: bytes | None
    secret: bytes | None
    lines: tuple[Line, ...]
    slips: tuple[Slip, ...]

    @property
    def deal(self) -> Facts:
        """Give the body of the entry that opens the log.

        Raises: Disproved if there is none.
        """
        first = self.lines[0] if self.lines else None
        if first is None or first.kind != "deal" or first.body is None:
            raise Disproved("its log does not begin with the deal")
        return first.body

    @property
    def names(self) -> tuple[str, ...]:
        """Give the names at the table."""
        return tuple(self.deal["names"])


def cut(proof: Proof, seat: int) -> Proof:
    """Cut a proof to what one seat may know.

    Secret: for the seat alone.
    """
    lines = tuple(replace(line, body=_seen(line, seat), events=_visible(line, seat)) for line in proof.lines)
    slips = tuple(slip for slip in proof.slips if slip.seat == seat)
    return replace(proof, seat=seat, seed=None, secret=None, lines=lines, slips=slips)


def public(proof: Proof, opened: Collection[int] = ()) -> Proof:
    """Cut a proof to what an onlooker may know, with all receipts; what they commit to of the seats opened alone.

    Secret: for who may know what these seats know.
    """
    slips = tuple(slip if slip.seat in opened else replace(slip, deeds="[]") for slip in proof.slips)
    return replace(cut(proof, OBSERVER), slips=slips)


def _visible(line: Line, seat: int) -> tuple[Event, ...]:
    return tuple(event for event in line.events if event.visible(seat))


def _seen(line: Line, seat: int) -> Facts | None:
    """Give what a seat may know of an entry's body: its own orders, who was late, and what was announced to all."""
    if line.body is None or line.kind == "deal":
        return line.body
    if line.kind == "step":
        orders = line.body["orders"]
        late = [one for one, _, given_by in orders if given_by == DEFAULT]
        own = [order for order in orders if order[0] == seat]
        return {**line.body, "orders": own, **({"late": late} if late else {})}
    if not line.events or any(event.seen_by is not None for event in line.events):
        return None
    return {"what": line.body["what"], **{name: fact for event in line.events for name, fact in event.facts.items()}}


def write(proof: Proof) -> str:
    """Write a proof as JSON lines."""
    head = {
        "proof": FORMAT, "game": proof.game, "status": proof.status, "seat": proof.seat,
        "seed": proof.seed.hex() if proof.seed else None, "secret": proof.secret.hex() if proof.secret else None,
        "entries": len(proof.lines), "receipts": len(proof.slips),
    }  # fmt: skip
    rows = [head, *map(_line, proof.lines), *map(_slip, proof.slips)]
    return "".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n" for row in rows)


def _line(line: Line) -> dict[str, object]:
    told = {"events": [[one.kind, dict(one.facts), one.seen_by] for one in line.events]} if line.kind == "step" else {}
    return {
        "entry": line.number, "kind": line.kind, "body": line.body, **told, "state": line.state, "chain": line.chain,
    }  # fmt: skip


def _slip(slip: Slip) -> dict[str, object]:
    return {
        "receipt": slip.number, "seat": slip.seat, "body": json.loads(slip.body), "deeds": json.loads(slip.deeds),
        "hash": slip.hash,
    }  # fmt: skip


def read(text: str) -> Proof:
    """Read a proof.

    Raises: Disproved if it is none, or a part of it is missing.
    """
    rows = [_row(number, row) for number, row in enumerate(text.splitlines(), start=1) if row.strip()]
    try:
        head, rest = rows[0], rows[1:]
        if head["proof"] != FORMAT:
            raise Disproved(f"it is of format {head['proof']!r}, and this pbem reads {FORMAT}")
        proof = Proof(
            str(head["game"]), str(head["status"]), head["seat"], _bytes(head["seed"]), _bytes(head["secret"]),
            tuple(_as_line(row) for row in rest if "entry" in row),
            tuple(_as_slip(row) for row in rest if "entry" not in row),
        )  # fmt: skip
        counted = {"entries": len(proof.lines), "receipts": len(proof.slips)}
        wanted = {name: head[name] for name in counted}
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise Disproved("it is no file by which a game is proven, or it was cut") from error
    for name, count in counted.items():
        if wanted[name] != count:
            raise Disproved(f"it says that it has {wanted[name]} {name}, and has {count}: it was cut or added to")
    return proof


def _row(number: int, text: str) -> dict[str, Any]:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Disproved(f"its line {number} cannot be read: it was cut or changed") from error
    if not isinstance(row, dict):
        raise Disproved(f"its line {number} is no part of a proof")
    return row


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)


def _as_line(row: Facts) -> Line:
    body = row["body"]
    if body is not None and not isinstance(body, dict):
        raise TypeError("a body is an object")
    events = tuple(_event(*event) for event in row.get("events", ()))
    return Line(int(row["entry"]), str(row["kind"]), body, events, str(row["state"]), str(row["chain"]))


def _event(kind: str, facts: Facts, seen_by: Sequence[int] | None) -> Event:
    return Event(str(kind), dict(facts), None if seen_by is None else tuple(seen_by))


def _as_slip(row: Facts) -> Slip:
    body, deeds = compact(row["body"]), compact(row["deeds"])
    return Slip(int(row["seat"]), int(row["receipt"]), body, deeds, str(row["hash"]))


def compact(value: object) -> str:
    """Write a value as it is hashed: JSON without blanks, letters as they are."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
