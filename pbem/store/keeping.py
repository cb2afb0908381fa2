"""Throw away what is no longer needed: raw mails and sent bodies of old games, and all that names a person."""

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from pbem.store.tables import Absence, Dispute, Game, Inbox, Outbox, Place, Player, Seat


def drop_bodies(session: Session, before: datetime) -> int:
    """Empty the mails of games that ended before a moment, and those of no game that are as old; count them."""
    ended = select(Game.id).where(col(Game.ended_at) < before).scalar_subquery()
    old_in = sa.or_(
        col(Inbox.game_id).in_(ended), sa.and_(col(Inbox.game_id).is_(None), col(Inbox.handled_at) < before)
    )
    old_out = sa.or_(
        col(Outbox.game_id).in_(ended), sa.and_(col(Outbox.game_id).is_(None), col(Outbox.created_at) < before)
    )
    run = session.connection().execute
    read = run(sa.update(Inbox).where(old_in, col(Inbox.raw) != b"").values(raw=b""))
    sent = run(
        sa.update(Outbox)
        .where(old_out, col(Outbox.text) != "", col(Outbox.status) != "queued")
        .values(text="", html="", file="")
    )
    settled = sa.and_(col(Dispute.game_id).in_(ended), col(Dispute.status) == "ruled")
    run(sa.update(Dispute).where(settled).values(text="", appeal=""))
    return read.rowcount + sent.rowcount


def games_ever(session: Session, player_id: int) -> list[Game]:
    """List the games in which a player holds or held a seat."""
    query = select(Game).join(Seat, col(Seat.game_id) == Game.id).where(Seat.player_id == player_id)
    return list(session.exec(query.order_by(col(Game.id))))


def waiting_for_others(session: Session, player: Player, game_ids: Collection[int]) -> int:
    """Count the letters to others that may name a player and are not sent yet."""
    others = sa.or_(col(Outbox.player_id).is_(None), col(Outbox.player_id) != player.id)
    waiting = select(sa.func.count()).select_from(Outbox).where(Outbox.status == "queued", others)
    return session.exec(waiting.where(_naming(player, game_ids))).one()


def _naming(player: Player, game_ids: Collection[int]) -> sa.ColumnElement[bool]:
    return sa.or_(
        col(Outbox.player_id) == player.id, col(Outbox.game_id).in_(game_ids),
        col(Outbox.text).icontains(player.name, autoescape=True),
    )  # fmt: skip


def erase(session: Session, player: Player, game_ids: Collection[int]) -> None:
    """Take a player out: addresses, mails, and every letter that may name the player; the games' logs stay.

    What waits to be sent to the player is not sent any more.
    """
    assert player.id is not None
    run = session.connection().execute
    own = col(Outbox.player_id) == player.id
    run(sa.update(Outbox).where(_naming(player, game_ids)).values(subject="", text="", html="", file=""))
    run(sa.update(Outbox).where(own, col(Outbox.status) == "queued").values(status="failed", error="forgotten"))
    run(sa.update(Outbox).where(own).values(place="", player_id=None))
    sender = sa.or_(
        col(Inbox.player_id) == player.id,
        col(Inbox.sender_key).in_(select(Place.key).where(Place.player_id == player.id).scalar_subquery()),
    )
    run(sa.update(Inbox).where(sa.or_(sender, col(Inbox.game_id).in_(game_ids))).values(subject="", raw=b""))
    run(sa.update(Inbox).where(sender).values(sender="", sender_key="", player_id=None))
    run(sa.update(Dispute).where(col(Dispute.game_id).in_(game_ids)).values(text="", appeal=""))
    run(sa.update(Seat).where(col(Seat.player_id) == player.id).values(player_id=None))
    run(sa.delete(Absence).where(col(Absence.player_id) == player.id))
    run(sa.delete(Place).where(col(Place.player_id) == player.id))
    run(sa.delete(Player).where(col(Player.id) == player.id))
