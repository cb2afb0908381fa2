"""Derive from a game's seed its commitment, its salts, and one repeatable stream of dice a step."""

import hashlib
import hmac
from collections.abc import Sequence

from pbem.engine import Dice

SEED_BYTES = 32


def commitment(seed: bytes) -> str:
    """Give what is published at the start, so that the seed shown at the end can be checked.

    Source: SHA-256, whose preimage nobody finds for a seed of 256 bits.
    """
    return hashlib.sha256(b"pbem commitment\0" + seed).hexdigest()


def rehearsal_seed(word: str) -> bytes:
    """Make a seed of a word, for rehearsals and tests: whoever knows the word knows the deal."""
    return hashlib.sha256(b"pbem rehearsal\0" + word.encode()).digest()


def stream(seed: bytes, purpose: str, number: int) -> Dice:
    """Open the stream of one step ("step"), one choice of a time-out ("default"), and so on.

    Secret: the key is derived one-way, so a stream that leaks tells nothing of the others.
    """
    return Dice(hmac.digest(seed, f"{purpose} {number}".encode(), hashlib.sha256))


def salt(seed: bytes, number: int, purpose: str = "salt") -> bytes:
    """Give the salt of one log entry, or of one receipt of a seat, so that nobody finds a hidden order by trying."""
    return hmac.digest(seed, f"{purpose} {number}".encode(), hashlib.sha256)


def gathered(secret: bytes, names: Sequence[str], words: Sequence[str]) -> bytes:
    """Make the seed of a game of the host's secret and of each player's words, in the order of the seats.

    Source: SHA-256 of lines of text, so that `sha256sum` does the same.
    """
    lines = ["pbem gather", secret.hex(), *(f"{name}: {said}" for name, said in zip(names, words, strict=True))]
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).digest()
