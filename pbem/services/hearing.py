"""Hold one player's message while its lines are done, and gather what is to be written for it."""

import unicodedata
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlmodel import Session

from pbem.core import clock
from pbem.core.digest import Note, Section
from pbem.core.message import Inbound
from pbem.core.receipts import Deed
from pbem.core.token import Token
from pbem.errors import NotAwaited, StaleOrder
from pbem.services import turns
from pbem.services.house import House
from pbem.services.letters import Reply
from pbem.services.sittings import Sitting
from pbem.store.tables import Player, Prompt, Seat

SHOWN = 200  # characters of a line that are repeated
LINE = 66  # an example is shown on one line, so that it can be copied


@dataclass
class Hearing:
    """Hold one player's message while its lines are done, and what is to be written for it.

    `talk`: what other seats are to be told, by seat. `changed`: the game's rows changed. `all_hear`: every seat gets a
    digest. `answering`: the prompt that the next order answers (0: none). `public`: all in a room can read the message;
    `misplaced`: it should not stand there. `deeds`: what its receipt will say.
    """

    session: Session
    house: House
    now: datetime
    message: Inbound
    token: Token
    sitting: Sitting
    reply: Reply
    talk: dict[int, list[Section]] = field(default_factory=dict)
    changed: bool = False
    all_hear: bool = False
    answering: int = 0
    public: bool = False
    misplaced: bool = False
    deeds: list[Deed] = field(default_factory=list)

    @property
    def seat(self) -> Seat:
        """Give the sender's seat."""
        return self.sitting.seats[self.token.seat]

    @property
    def prompt(self) -> Prompt | None:
        """Give what the sender is asked now."""
        return self.sitting.prompts.get(self.token.seat)

    def beat(self) -> str:
        """Give when the answers of a paced game take effect next, as the sender reads times."""
        pace = timedelta(seconds=self.sitting.game.pace)
        player = self.session.get(Player, self.seat.player_id)
        at = clock.last_beat(self.sitting.game.created_at, pace, self.now) + pace
        return clock.show_instant(at, player.zone if player else "UTC")

    def note(self, line: str, told: str, *examples: str) -> None:
        """Note what came of a line."""
        shown = clean(line)
        shown = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}..."
        self.reply.notes.append(Note(shown, told, tuple(_one_line(example) for example in examples)))

    def did(self, what: str, text: str = "", prompt: Prompt | None = None, *, after: int | None = None) -> None:
        """Note for the receipt what a line did, and to which prompt; `after`: the log's length before that (now)."""
        entries = self.sitting.table.entries if after is None else after
        number, kind = (prompt.number, prompt.kind) if prompt else (0, "")
        self.deeds.append(Deed(what, text, number, kind, entries))

    def show(self, section: Section) -> None:
        """Add a part to the answer, once."""
        if section.title not in [other.title for other in self.reply.sections]:
            self.reply.sections.append(section)

    def examples(self) -> tuple[str, ...]:
        """Give lines that would work now."""
        asked = self.sitting.table.awaiting().get(self.token.seat) if self.sitting.is_open else None
        return asked.examples if asked else ()


def check_open(hearing: Hearing) -> None:
    """Make sure that the game goes on, and the sender in it.

    Raises: GameOver, NotAwaited.
    """
    turns.check_open(hearing.sitting)
    if hearing.seat.resigned:
        raise NotAwaited("You have resigned from this game, and it plays your seat now.")


def check_epoch(hearing: Hearing) -> None:
    """Make sure that the letter was not overtaken by a rollback.

    Raises: StaleOrder.
    """
    if hearing.token.epoch != hearing.sitting.game.epoch:
        hearing.reply.wants_digest = True
        raise StaleOrder(
            "This turn was taken back meanwhile, so nothing was done. Please move again, if you are asked below."
        )


def answered(prompt: Prompt) -> str:
    """Say who answered in the place of the seat that was asked."""
    return "A moderator answered" if prompt.given_by == turns.MODERATOR else "Time had run out, and the game answered"


def _one_line(example: str) -> str:
    return example if len(example) <= LINE else f"{example[: LINE - 4]} ..."


def clean(text: str) -> str:
    """Take control characters out of a player's text; line breaks become blanks."""
    return "".join(_seen(sign) for sign in text)


def _seen(sign: str) -> str:
    kind = unicodedata.category(sign)
    return " " if sign in "\r\n\t" or kind in ("Zl", "Zp") else "" if kind[0] == "C" else sign
