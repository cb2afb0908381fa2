"""Give the mails that other people's programs failed on, with what is right, and the answers that real programs wrote.

The mails keep their stand-in notation (`draw`, `play SP 3`) and their addresses; DIGEST is the letter they answer.
`recorded/` holds answers to LETTER by mutt 2.2.12 and s-nail 14.9.24.
"""

import json
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pbem.core.message import Address, Inbound, Outbound
from pbem.core.rows import MARKER
from pbem.transports.mime import Letterhead, read

HERE = Path(__file__).parent
NOW = datetime(2026, 3, 3, 17, 5, tzinfo=UTC)
HEAD = Letterhead("PBEM judge", "games@play.example.org", plus=True)

DIGEST = """\
Game g17, turn 5. Ann, it is your move.
Deadline: Wed 4 March 2026 21:00 Europe/Berlin
Legal now: play SP 3 | guess cleo ray | pass
Answer with one line, for example:
play SP 3
Judge of play.example.org
"""

TEXT = f"""\
{MARKER}

Blame, game blame-7, turn 5.

Ann, it is your move. You hold: green 3, red 5, blue 1.
Deadline: Wednesday 4 March 2026, 21:00 Europe/Berlin.

What happened since the last letter:
  Bob played a card face down and said: green.
  Cleo believed him.

Answer this letter with one line, for example:
  play SP 3
  guess cleo ray
  draw

Write `help` for all lines that work, `resign` to leave the game.
The post of play.example.org, for the table of Ann, Bob and Cleo.
"""
HTML = "<html><body>" + "".join(f"<p>{block}</p>" for block in TEXT.split("\n\n")) + "</body></html>"
LETTER = Outbound(
    key="3f2a",
    to=Address("mail", "ann@example.org"),
    token="g7a4k7q2",
    thread="1c0d",
    subject="[blame-7] Turn 5: your move",
    text=TEXT,
    html=HTML,
    created_at=datetime(2026, 3, 3, 11, 32, tzinfo=UTC),
)


@dataclass(frozen=True)
class Case:
    """Hold one mail, and what its file of expectations says."""

    name: str
    raw: bytes
    expected: dict[str, Any]

    @property
    def id(self) -> str:
        """Give the name that its test bears."""
        return self.name.removesuffix(".eml")

    def message(self) -> Inbound:
        """Read the mail as the post would."""
        return read(self.raw, "mail", NOW)


def mails() -> list[Case]:
    """Give every case that has a mail."""
    expectations = json.loads((HERE / "mail" / "expectations.json").read_text())
    return [Case(name, (HERE / "mail" / name).read_bytes(), expected) for name, expected in expectations.items()]


def recorded(name: str) -> Inbound:
    """Read an answer that a real program wrote."""
    return read((HERE / "recorded" / f"{name}.eml").read_bytes(), "mail", NOW)


def same(text: str | None) -> str:
    """Give a text in the form in which expectations are compared."""
    plain = unicodedata.normalize("NFKC", text or "").translate(str.maketrans("\u2018\u2019\u201c\u201d", "''\"\""))
    return " ".join(plain.split()).casefold()


def lines(text: str | None) -> list[str]:
    """Give the lines that are not empty, in that form."""
    return [line for line in map(same, (text or "").split("\n")) if line]
