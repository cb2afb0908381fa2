"""Say in a word what tests of time and rulings do and look at."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session, col, select

from pbem.services import desk
from pbem.store import games, mail
from pbem.store.session import read, transact
from pbem.store.tables import LogEntry, Outbox
from pbem.testing.stage import Stage, reply_to, text_of
from tests.services.company import NAMES, Company

SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def seat_them(stage: Stage, *clocks: str) -> Company:
    """Register the three and deal their game with clocks of its own; the first letters are not sent yet."""
    for name in NAMES:
        stage.add_player(name)
    return Company(stage, stage.new_game("blame", NAMES, seed="queen", first="alice", clocks=clocks))


def due(company: Company, seat: int = 0) -> datetime:
    """Give when a seat's answer is due."""
    return company.sitting.prompts[seat].deadline_at


def told(company: Company, name: str) -> str:
    """Give the newest letter to a player, its lines joined."""
    return " ".join(text_of(company.newest(name)).split())


def letters_about(stage: Stage, name: str, words: str) -> list[str]:
    """Give the letters to somebody in which some words stand, their lines joined."""
    texts = [" ".join(text_of(letter).split()) for letter in stage.mails(name)]
    return [text for text in texts if words in text]


def mail_at(company: Company, name: str, words: str, at: datetime, date: str = "") -> None:
    """Let the mail server receive a player's answer at a moment; the office has not read it yet."""
    sender, number = f"{name}@example.org", int(at.timestamp())
    written = {"Date": date} if date else {}
    company.stage.deliver(reply_to(company.newest(name), sender, words, at, number, quote=True, **written), at=at)


def rule(company: Company, ruling: Callable[..., Any], *given: object) -> Any:
    """Let the host rule on the game, as the admin's commands do."""
    stage = company.stage
    return transact(
        stage.db,
        lambda session: ruling(session, stage.house, stage.now, desk.get_game(session, company.game), *given),
    )


def log_of(company: Company) -> list[LogEntry]:
    """Give the rows of the game's log."""
    return read(company.stage.db, lambda session: games.log_of(session, company.sitting.game.id or 0))


def orders(company: Company) -> list[str]:
    """Give the orders of each step in the log."""
    return [row.body.partition('"orders":')[2].rstrip("}") for row in log_of(company) if row.kind == "step"]


def outbox(stage: Stage, name: str | None = None) -> list[Outbox]:
    """Give the outbox's letters, oldest first; those to one person only."""
    query = select(Outbox).order_by(col(Outbox.id))
    query = query.where(Outbox.place == f"{name}@example.org") if name else query
    return read(stage.db, lambda session: list(session.exec(query)))


def retry(stage: Stage) -> None:
    """Send what was given up again, as `pbem admin outbox retry` does."""

    def work(session: Session) -> None:
        for row in outbox(stage):
            if row.status == "failed":
                mail.mark_letter(session, row.id or 0, status="queued", attempts=0, next_try_at=stage.now)

    transact(stage.db, work)
