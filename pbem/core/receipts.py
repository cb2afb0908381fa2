"""Make the receipt of one message: what was read in it, by a hash that chains it to the game's log.

The hash is made of a text (`body`) in which all that others may not see is a commitment, salted from the game's seed:
nobody finds an order by trying, and at the end anybody opens it. The hash's first digits are the receipt's code.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from pbem.core import dice

CODE, SHOWN = 8, 32  # digits of the hash: those that name the receipt, and those that a letter shows
PRINTED = re.compile(r"Receipt\s+((?:[0-9a-f]{8}\s+){3}[0-9a-f]{8}):")
"""How a letter shows the hash of its receipt, however it was wrapped."""
HASH = re.compile(r"\b(?:[0-9a-f]{8}|[0-9a-f]{64})\b")
ORDER, RETRACT = "order", "retract"
REPEATED = 60  # characters of one order that a letter repeats


@dataclass(frozen=True, slots=True)
class Deed:
    """Say what one line of a message did: an order, or what the office was asked: `retract`, `on`, `dispute`, ...

    `text` is the order as it was read, `prompt` the number of what it answered (0: nothing) with its `kind`; `after` is
    how many entries the log had when it was done.
    Secret: for the seat alone.
    """

    did: str
    text: str = ""
    prompt: int = 0
    kind: str = ""
    after: int = 0

    @property
    def shown(self) -> str:
        """Write it in a few words."""
        words = self.text if self.did == ORDER else f"{self.did} {self.text}".strip()
        words = words if len(words) <= REPEATED else f"{words[:REPEATED]}..."
        return f'"{words}"' + (f" for question {self.prompt} ({self.kind})" if self.prompt else "")


@dataclass(frozen=True, slots=True)
class Receipt:
    """Hold a receipt: its text with the commitment (public), its hash, and what the commitment holds (the seat's)."""

    body: str
    hash: str
    deeds: tuple[Deed, ...]

    @property
    def code(self) -> str:
        """Give the code by which a player asks for it again."""
        return self.hash[:CODE]

    @property
    def shown(self) -> str:
        """Write it as the foot of a letter shows it."""
        said = json.loads(self.body)
        digits = " ".join(self.hash[at : at + CODE] for at in range(0, SHOWN, CODE))
        return f"Receipt {digits}: {told(self.deeds)}; entry {said['entries']} of the log."


def told(deeds: Sequence[Deed]) -> str:
    """Say what a message did.

    Secret: for the seat alone.
    """
    return "; ".join(deed.shown for deed in deeds) or "no order was taken"


def make(
    seed: bytes, game: str, seat: int, number: int, deeds: Sequence[Deed], *, received_at: datetime, entries: int,
    chain: str, before: str,
) -> Receipt:  # fmt: skip
    """Make the receipt of a seat's message, its `number`th; `before` is the hash of the one before it.

    `entries` and `chain` are the log's when the message was dealt with.
    """
    body = {
        "game": game, "seat": seat, "number": number, "received": f"{received_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "entries": entries, "chain": chain, "deeds": sealed(seed, seat, number, deeds), "before": before,
    }  # fmt: skip
    text = json.dumps(body, separators=(",", ":"))
    return Receipt(text, hashed(text), tuple(deeds))


def hashed(body: str) -> str:
    """Give the hash of a receipt's text."""
    return hashlib.sha256(b"pbem receipt\0" + body.encode()).hexdigest()


def sealed(seed: bytes, seat: int, number: int, deeds: Sequence[Deed]) -> str:
    """Commit to what a message did, so that it is not found by trying."""
    salted = dice.salt(seed, number, f"receipt {seat}")
    return hashlib.sha256(b"pbem deeds\0" + salted + dump(deeds).encode()).hexdigest()


def dump(deeds: Sequence[Deed]) -> str:
    """Write deeds as JSON.

    Secret: for the seat alone.
    """
    return json.dumps([asdict(deed) for deed in deeds], separators=(",", ":"), ensure_ascii=False)


def load(text: str) -> tuple[Deed, ...]:
    """Read deeds back.

    Raises: ValueError, TypeError for what was not written by `dump`.
    """
    found: list[dict[str, Any]] = json.loads(text)
    return tuple(Deed(**deed) for deed in found)


def masked(text: str) -> str:
    """Blot out all hashes: they commit to what is hidden, so they differ where nothing else does."""
    return HASH.sub(lambda found: "0" * len(found[0]), text)
