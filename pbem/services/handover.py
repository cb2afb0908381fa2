"""Hand a seat over: to another player, or to a bot."""

from datetime import datetime

from markupsafe import escape
from sqlmodel import Session

from pbem.core.digest import Scene, Section
from pbem.core.render import wrap
from pbem.engine import Event
from pbem.errors import AdminError
from pbem.services import desk, envelopes, letters, lobby, notices, pages, sittings, tenure, turns
from pbem.services.ahead import alternatives
from pbem.services.house import House
from pbem.services.letters import Reply
from pbem.services.moderators import Ruler
from pbem.services.sittings import Sitting
from pbem.store import mail, players
from pbem.store.tables import Game, Player, Seat, Standing


def replace(
    session: Session, house: House, now: datetime, game: Game, player: str, successor: str, reason: str, by: Ruler,
    *, knowing: bool = False,
) -> list[str]:  # fmt: skip
    """Give a seat to another player or to `bot:KIND`, and give what the newcomer knew of the game before.

    The newcomer gets all that the seat was ever shown in one letter, its answers ahead to confirm, and a fresh clock;
    the leaver gets what all are told, and nothing more. `knowing`: also to somebody who knows another seat.
    Secret: the letter is for the seat's new player alone.
    Raises: AdminError.
    """
    sitting = desk.take(session, house, game, by, "open", "paused")
    seat = desk.seat_of(sitting, player)
    leaver = _holder(session, seat)
    was = leaver.name if leaver else f"bot:{seat.bot}" if seat.bot else "nobody"
    fresh = lobby.seat_for(session, sitting.engine, seat.number, successor)
    known = _check(session, house, sitting, seat, fresh, knowing=knowing)
    before = {"missed": seat.missed, "defaults": seat.defaults}
    mail.drop_letters_of(session, game.id or 0, seat.number)
    ahead = _take_over(sitting, seat, fresh, now)
    name = successor.strip().lower() if fresh.bot else fresh.name
    facts = {"seat": seat.number, "was": was, "now": name, **desk.reasoned(reason)}
    desk.enter(sitting, Event(tenure.REPLACED, facts), by, before=before, known=known)
    if leaver is not None and leaver.id != fresh.player_id:
        _part(session, house, now, sitting, seat, leaver)
    if fresh.bot:
        sittings.recall(session, sitting)
        turns.answer_ahead(sitting, seat.number, now)
    welcome = {} if fresh.bot else {seat.number: _welcome(session, house, sitting, seat, fresh.name, ahead)}
    turns.advance(sitting, now)
    letters.tell(session, house, sitting, now, replies=welcome, everybody=True)
    sittings.rise(session, sitting, now)
    return known


def _holder(session: Session, seat: Seat) -> Player | None:
    """Find the player who holds a seat now."""
    return players.get_players(session, [seat.player_id])[seat.player_id] if seat.player_id is not None else None


def _check(session: Session, house: House, sitting: Sitting, seat: Seat, fresh: Seat, *, knowing: bool) -> list[str]:
    """Make sure that nobody holds two seats, now or over time, unless the moderator says so; give what is known.

    Raises: AdminError.
    """
    if (fresh.player_id, fresh.bot) == (seat.player_id, seat.bot) and not seat.resigned:
        raise AdminError(f"that is who plays the seat of {seat.name} already")
    if fresh.player_id is None:
        return []
    player = players.get_players(session, [fresh.player_id])[fresh.player_id]
    if not players.places_of(session, [fresh.player_id]):
        raise AdminError(f"{player.name} has no address; add one first")
    known = tenure.knowledge(session, house.config, sitting, player, seat.number)
    if known and not knowing:
        raise AdminError(
            f"nobody may take a seat who knows of others: {'; '.join(known)}. --knowing allows it all the same"
        )
    return known


def _take_over(sitting: Sitting, seat: Seat, fresh: Seat, now: datetime) -> list[Standing]:
    """Write the newcomer into the seat with a fresh clock, and give the answers ahead that the leaver had given."""
    seat.player_id, seat.bot = fresh.player_id, fresh.bot
    seat.missed, seat.defaults, seat.resigned, seat.thread = 0, 0, False, ""
    seat.heard = sitting.table.entries
    at = sitting.game.paused_at or now
    prompt = sitting.prompts.get(seat.number)
    if prompt is not None:
        prompt.asked_at = prompt.remind_at = at
        prompt.deadline_at = at + turns.clock(sitting.game, prompt.kind)
        sitting.touched[prompt.number] = prompt
    return [row for old in sitting.ahead.of(seat.number) if (row := sitting.ahead.forget(seat.number, old.kind))]


def _part(session: Session, house: House, now: datetime, sitting: Sitting, seat: Seat, leaver: Player) -> None:
    """Tell the leaver, by a letter that bears no seat's token, what all are told of it."""
    name, (entry, _) = sittings.name_of(sitting.game), sitting.entries[-1]
    told = Scene(house.renderer, sitting.table, sitting.names).lines(entry.events, None)
    reply = Reply(f"l{seat.game_id}-{entry.number}-{seat.number}{envelopes.era(session)}")
    reply.opening = f"You get no more letters of {name}. {' '.join(told)}"
    notices.plain(session, house, leaver, reply, f"[{house.config.office.name}] {name} goes on without you", now)


def _welcome(
    session: Session, house: House, sitting: Sitting, seat: Seat, newcomer: str, ahead: list[Standing]
) -> Reply:
    """Write to the newcomer what the seat was shown.

    Secret: for the seat alone.
    """
    reply = Reply(f"n{seat.game_id}-{sitting.table.entries}-{seat.number}", wants_digest=True)
    came = f"have taken over a seat: at this table you are called {seat.name}"
    reply.opening = (
        f"You, {newcomer}, {'are back in your seat' if newcomer == seat.name else came}. "
        "Below is all that the seat may look back at."
        f"{' Your clock begins now.' if seat.number in sitting.prompts else ''}"
    )
    reply.sections.append(pages.log_section(session, house, sitting, seat.number))
    if ahead:
        lines = [f"on {row.kind} {', '.join(alternatives(row))}" for row in ahead]
        told = "These answers were given ahead before you came, and are not given any more. Reply with those to keep:"
        text = "\n".join([wrap(told, 2), "", *(f"    {line}" for line in lines)])
        html = f"<p>{escape(told)}</p>" + "".join(f"<p><code>{escape(line)}</code></p>" for line in lines)
        reply.sections.append(Section("Answers given ahead", text, html))
    return reply
