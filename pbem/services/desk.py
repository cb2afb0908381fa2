"""Rule on games: what the host or a moderator does to one stands in its log and is announced to all."""

import re
from datetime import datetime

from sqlmodel import Session

from pbem.core.clock import show_span
from pbem.core.digest import Page, compose
from pbem.core.token import Token
from pbem.engine import Event
from pbem.errors import AdminError
from pbem.services import (
    absences,
    addressing,
    clocks,
    envelopes,
    gathering,
    letters,
    moderators,
    notices,
    sittings,
    turns,
)
from pbem.services.house import House
from pbem.services.moderators import HOST, Ruler
from pbem.services.sittings import Sitting
from pbem.store import games, mail
from pbem.store.tables import Game, Seat


def get_game(session: Session, name: str) -> Game:
    """Find a game by the name people know it by, `blame-7`, or by its number.

    Raises: AdminError, naming the games that go on.
    """
    found = re.fullmatch(r"(?:([a-z][a-z0-9_]*)-)?(\d{1,9})", name.strip().lower())
    game = games.find_game(session, int(found.group(2))) if found else None
    if game is None or (found and found.group(1) not in (None, game.engine)):
        known = [sittings.name_of(one) for one in games.list_games(session) if one.status in ("open", "paused")]
        raise AdminError(f"there is no game {name!r}; going on: {', '.join(known) or 'none'}")
    return game


def pause(session: Session, house: House, now: datetime, game: Game, reason: str = "", by: Ruler = HOST) -> None:
    """Stop a game's clocks; no orders are taken meanwhile.

    Raises: AdminError if it does not go on.
    """
    sitting = take(session, house, game, by, "open")
    game.status, game.paused_at = "paused", now
    rule(session, house, now, sitting, Event("house.paused", because(reason)), by)


def resume(session: Session, house: House, now: datetime, game: Game, reason: str = "", by: Ruler = HOST) -> None:
    """Let a paused game go on: every open deadline moves by the length of the pause.

    Raises: AdminError if it is not paused.
    """
    sitting = take(session, house, game, by, "paused")
    since = start_clocks(sitting, now)
    rule(session, house, now, sitting, Event("house.resumed", because(reason)), by, before=since.isoformat())


def start_clocks(sitting: Sitting, now: datetime) -> datetime:
    """Let the clocks of a paused game run again, and give since when they stood."""
    game = sitting.game
    since = game.paused_at or now
    for prompt in sitting.prompts.values():
        clocks.shift(prompt, now - since)
        clocks.spare(prompt, sitting.absences)
        sitting.touched[prompt.number] = prompt
    game.status, game.paused_at = "open", None
    return since


def deadline(
    session: Session, house: House, now: datetime, game: Game, at: datetime, player: str | None = None,
    reason: str = "", by: Ruler = HOST,
) -> list[str]:  # fmt: skip
    """Set when the answers that are wanted now are due (of all seats, or of one), and give whose.

    Raises: AdminError if that is in the past, or nothing is asked there.
    """
    sitting = take(session, house, game, by, "open")
    if at <= now:
        raise AdminError(f"that is {show_span(now - at)} ago; a deadline must lie ahead")
    asked = [
        prompt
        for prompt in sitting.prompts.values()
        if player is None or sitting.seats[prompt.seat].name.casefold() == player.casefold()
    ]
    if not asked:
        raise AdminError(f"nothing is asked of {player or 'anybody'} in {sittings.name_of(game)} now")
    absences.check_present(sitting, asked, at)
    for prompt in asked:
        before = prompt.deadline_at.isoformat()
        clocks.extend(prompt, at, now)
        sitting.touched[prompt.number] = prompt
        event = Event("house.extended", {"seat": prompt.seat, **because(reason)})
        enter(sitting, event, by, before=before, after=at.isoformat())
    tell(session, house, now, sitting)
    return [sitting.seats[prompt.seat].name for prompt in asked]


def end(session: Session, house: House, now: datetime, game: Game, reason: str = "", by: Ruler = HOST) -> None:
    """End a game without a result.

    Raises: AdminError if it is over already.
    """
    if game.status == gathering.STATUS:
        gathering.call_off(session, house, now, game, because(reason).get("reason", ""))
        return
    sitting = take(session, house, game, by, "open", "paused")
    before = game.status
    turns.close(sitting, "ended", now)
    rule(session, house, now, sitting, Event("house.ended", because(reason)), by, before=before)


def fault(session: Session, house: House, now: datetime, game_id: int) -> None:
    """Pause a game that broke its contract, tell its players once, and alarm the moderators.

    Nothing is read from the game's state, since that may be what is broken.
    """
    game = games.find_game(session, game_id)
    if game is None or game.status != "open":
        return
    game.status, game.paused_at = "paused", now
    seats = games.seats_of(session, game_id)
    mail.add_letters(session, _fault_letters(session, house, now, game, seats))
    notices.alarm(
        session,
        house,
        f"fault-{game_id}-{game.revision}",
        f"{sittings.name_of(game)} broke its contract and is paused.",
        now,
    )
    games.save_game(session, game)
    games.save_seats(session, seats)


def _fault_letters(
    session: Session, house: House, now: datetime, game: Game, seats: list[Seat]
) -> list[dict[str, object]]:
    name, era = sittings.name_of(game), envelopes.era(session)
    told = (
        f"{name} is paused: the program met a fault in it. Nothing is lost, and your clock stands still. "
        "The moderators know."
    )
    rows = []
    for number, reader in addressing.readers(session, seats).items():
        if reader.place is not None:
            seat, key = seats[number], f"f{game.id}-{game.revision}-{number}{era}"
            page = Page(name=name, title=house.config.office.name, to=seat.name, turn=0, opening=told)
            text, html = compose(house.renderer, page, None)
            token, subject = Token(game.id or 0, number, game.epoch, 0), f"[{name}] The game is paused"
            rows.append(
                envelopes.row_for(
                    house, reader, seat, token, kind="notice", key=key, subject=subject, text=text, html=html, now=now
                )
            )
    return rows


def take(session: Session, house: House, game: Game, by: Ruler, *statuses: str) -> Sitting:
    """Take a game in hand to rule on it, if it is as it must be for that (no status: however it is).

    Raises: AdminError, also if who rules holds a seat in it.
    """
    name = sittings.name_of(game)
    moderators.check_apart(session, house.config, name, games.seats_of(session, game.id or 0), by)
    if statuses and game.status not in statuses:
        raise AdminError(f"{name} is {game.status}, so that cannot be done")
    return sittings.sit(session, house, game)


def seat_of(sitting: Sitting, player: str) -> Seat:
    """Find a seat by the name that it has at the table, in any letter case.

    Raises: AdminError, naming those that there are.
    """
    for seat in sitting.seats:
        if seat.name.casefold() == player.strip().casefold():
            return seat
    there = ", ".join(sitting.names)
    raise AdminError(f"nobody called {player!r} sits in {sittings.name_of(sitting.game)}; there are: {there}")


def because(reason: str) -> dict[str, str]:
    """Give a reason as an announcement tells it.

    Raises: AdminError if it is more than a line.
    """
    if any(not c.isprintable() for c in reason):
        raise AdminError("a reason is one line of plain text")
    return {"reason": reason} if reason else {}


def reasoned(reason: str) -> dict[str, str]:
    """Give a reason that must be there.

    Raises: AdminError.
    """
    if not reason.strip():
        raise AdminError('this needs a reason that the players may read: --reason "..."')
    return because(reason)


def enter(sitting: Sitting, event: Event, by: Ruler, **more: object) -> None:
    """Enter a ruling in the log: who, why, and what was before and after it."""
    told = Event(event.kind, {**event.facts, **by.facts()}, event.seen_by)
    turns.announce(sitting, told, by=by.signature, told="all", **more)


def tell(session: Session, house: House, now: datetime, sitting: Sitting) -> None:
    """Let the game go on, tell every seat, and write it all."""
    turns.advance(sitting, now)
    letters.tell(session, house, sitting, now, everybody=True)
    sittings.rise(session, sitting, now)


def rule(
    session: Session, house: House, now: datetime, sitting: Sitting, event: Event, by: Ruler, **more: object
) -> None:
    """Enter a ruling, tell every seat, and write it all."""
    enter(sitting, event, by, **more)
    tell(session, house, now, sitting)
