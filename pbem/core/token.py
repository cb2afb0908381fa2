"""Turn game, seat, epoch and prompt into the signed word that every letter carries, and back.

The word stands in the plus part of the reply address and at the head of the Message-ID: `7-1-0-12-k7q2m3x8a5b6c7d2`. It
holds no dot, survives any letter case, and is at most 41 characters long.
"""

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass

MAC_BYTES = 10  # 80 bits: 16 letters
FORM = re.compile(r"(\d{1,9})-(\d{1,2})-(\d{1,4})-(\d{1,6})-([a-z2-7]{16})", re.ASCII)
INSIDE = re.compile(FORM.pattern, re.ASCII | re.IGNORECASE)
HIDDEN = "(token)"


@dataclass(frozen=True, slots=True)
class Token:
    """Name one seat of one game, in one epoch, and the prompt that its letter asked (0: none)."""

    game_id: int
    seat: int
    epoch: int
    prompt: int


def sign(token: Token, key: bytes) -> str:
    """Write the token as its signed word.

    Secret: for the seat's player; whoever has it and that player's address may move.
    """
    return f"{_fields(token)}-{_mac(token, key)}"


def verify(word: str, key: bytes) -> Token | None:
    """Read a signed word in any letter case; None if it is no token of ours."""
    found = FORM.fullmatch(word.strip().lower())
    if not found:
        return None
    token = Token(*(int(part) for part in found.groups()[:4]))
    return token if hmac.compare_digest(found.group(), sign(token, key)) else None


def tokenless(text: str) -> str:
    """Blot out every signed word: whoever reads it could move for a player."""
    return INSIDE.sub(HIDDEN, text)


def _fields(token: Token) -> str:
    return f"{token.game_id}-{token.seat}-{token.epoch}-{token.prompt}"


def _mac(token: Token, key: bytes) -> str:
    digest = hmac.digest(key, _fields(token).encode(), hashlib.sha256)[:MAC_BYTES]
    return base64.b32encode(digest).decode().lower()
