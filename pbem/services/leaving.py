"""Do what players say of their absence, `away` and `back`, or what the host says for somebody who cannot write."""

from datetime import datetime

from sqlmodel import Session

from pbem.core import clock
from pbem.core.reading import Command
from pbem.errors import AdminError, NotAwaited, UnknownCommand
from pbem.services import absences, letters, people, sittings
from pbem.services.hearing import Hearing
from pbem.services.house import House
from pbem.services.sittings import Sitting
from pbem.store import games
from pbem.store.tables import Absence, Player

EXAMPLES = ("away 5 days", "away 2026-12-20 2027-01-02")
BACK = 'To be back earlier, write "away back".'


def away(hearing: Hearing, command: Command) -> None:
    """Note that a player is away, or tell until when.

    Raises: UnknownCommand, NotAwaited.
    """
    _check_playing(hearing)
    zone = _zone(hearing)
    if not command.rest:
        _tell(hearing, zone)
        return
    try:
        absence, moved = absences.begin(
            hearing.session, hearing.house, hearing.now, hearing.sitting, hearing.token.seat, command.rest, zone
        )
    except AdminError as error:
        told = f"{str(error)[:1].upper()}{str(error)[1:]}."
        raise UnknownCommand(told, *EXAMPLES) from error
    hearing.changed, hearing.all_hear = True, hearing.all_hear or moved
    hearing.did("away", command.rest)
    hearing.note(f"away {command.rest}", f"{_span(absence, zone)} no deadline of yours in this game falls due. {BACK}")


def back(hearing: Hearing, command: Command) -> None:
    """Note that a player is back.

    Raises: NotAwaited if that player is not away.
    """
    _check_playing(hearing)
    moved = absences.end(hearing.session, hearing.now, hearing.sitting, hearing.token.seat)
    if moved is None:
        raise NotAwaited("You are not away in this game, so there is nothing to end.")
    hearing.changed, hearing.all_hear = True, hearing.all_hear or moved
    hearing.did("back")
    hearing.note("back", "Welcome back: your deadlines count again.")


def said_for(session: Session, house: House, now: datetime, name: str, text: str | None) -> list[str]:
    """Enter an absence in every game of a player that goes on (None: end those there are), and give their names.

    Raises: AdminError if there is none, or one of them does not take it: nothing is done then.
    """
    player = people.get_player(session, name)
    done = []
    for game, seat in games.games_of(session, player.id or 0):
        if game.status in ("open", "paused") and not seat.resigned:
            sitting = sittings.sit(session, house, game)
            if _enter(session, house, now, sitting, seat.number, text, player.zone):
                done.append(sittings.name_of(game))
    if not done:
        raise AdminError(
            f"there is no game of {player.name} that goes on" + ("" if text else " and waits for that player")
        )
    return done


def _enter(
    session: Session, house: House, now: datetime, sitting: Sitting, seat: int, text: str | None, zone: str
) -> bool:
    """Begin or end an absence in one game, and tell all if a deadline was moved; tell whether anything was done."""
    if text is None:
        moved = absences.end(session, now, sitting, seat)
    else:
        try:
            _, moved = absences.begin(session, house, now, sitting, seat, text, zone)
        except AdminError as error:
            raise AdminError(f"{sittings.name_of(sitting.game)}: {error}") from error
    if moved is None:
        return False
    letters.tell(session, house, sitting, now, everybody=moved)
    sittings.rise(session, sitting, now)
    return True


def _check_playing(hearing: Hearing) -> None:
    if hearing.sitting.game.status not in ("open", "paused") or hearing.seat.resigned:
        raise NotAwaited("You play in this game no more, so nothing waits for you.")


def _zone(hearing: Hearing) -> str:
    player = hearing.session.get(Player, hearing.seat.player_id)
    return player.zone if player else "UTC"


def _span(row: Absence, zone: str) -> str:
    return f"From {clock.show_instant(row.since_at, zone)} until {clock.show_instant(row.until_at, zone)}"


def _tell(hearing: Hearing, zone: str) -> None:
    own = [row for row in hearing.sitting.absences if row.seat == hearing.token.seat and row.until_at > hearing.now]
    if own:
        hearing.note("away", " ".join(f"{_span(row, zone)} you are away." for row in own) + f" {BACK}")
    else:
        raise UnknownCommand("This must say for how long, or from which day to which.", *EXAMPLES)
