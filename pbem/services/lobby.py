"""Set games up: their seats, options, clocks and rooms."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from sqlmodel import Session

from pbem import __version__
from pbem.core import clock, dice, table
from pbem.core.render import listed
from pbem.engine import Engine
from pbem.errors import AdminError
from pbem.services import letters, people, sittings, turns
from pbem.services.house import House
from pbem.services.sittings import Sitting
from pbem.store import games
from pbem.store.tables import Game, Seat


def new_game(
    session: Session, house: House, now: datetime, engine_name: str, names: Sequence[str], *,
    options: Mapping[str, str], clocks: Sequence[str] = (), pace: str | None = None, seed_word: str | None = None,
    room: str = "", peeks: str = "end", disputes: str = "stop",
) -> Sitting:  # fmt: skip
    """Deal a game, ask its first question, and queue a private first digest for each player.

    A name is a player's, or `bot:KIND` for a seat that is played by the machine. `pace`: answers take effect so often.
    `peeks`: the players are told what moderators looked at when the game is over ("end") or at once ("open");
    `disputes`: one stops the clocks ("stop") or not ("go").
    Raises: AdminError for players or options that cannot be.
    """
    engine = house.engine(engine_name)
    seed = house.entropy(dice.SEED_BYTES) if seed_word is None else dice.rehearsal_seed(seed_word)
    game, seats = prepare(
        session, house, now, engine, names, options=options, clocks=clocks, pace=pace, seed=seed, room=room,
        peeks=peeks, disputes=disputes,
    )  # fmt: skip
    chosen = engine.load_options(game.options)
    dealt, entry = table.deal(engine, tuple(seat.name for seat in seats), chosen, seed, pbem=__version__)
    game.state, game.rehearsal = entry.snapshot, seed_word is not None
    games.add_game(session, game, seats)
    sitting = turns.begin(game, seats, entry, dealt, now)
    opening = f"A new game begins: {engine.title}, with {listed(sitting.names)} at the table."
    letters.tell(session, house, sitting, now, everybody=True, opening=opening)
    sittings.rise(session, sitting, now)
    return sitting


def prepare(
    session: Session, house: House, now: datetime, engine: Engine, names: Sequence[str], *,
    options: Mapping[str, str], clocks: Sequence[str], pace: str | None, seed: bytes, room: str = "",
    peeks: str = "end", disputes: str = "stop",
) -> tuple[Game, list[Seat]]:  # fmt: skip
    """Make the rows of a game that is not dealt yet.

    Raises: AdminError for players or options that cannot be.
    """
    _check_terms(peeks, disputes)
    seats = [seat_for(session, engine, number, name) for number, name in enumerate(names)]
    _check_table(engine, seats)
    spans = parse_clocks(clocks, house.config.time.clock, engine.kinds)
    game = Game(
        engine=engine.name, version=engine.version, options=engine.dump_options(engine.options(options)), seed=seed,
        clocks=json.dumps(spans), state="", created_at=now,
        pace=int(clock.parse_span(pace).total_seconds()) if pace else 0, room=check_room(house, room),
        peeks=peeks, disputes=disputes,
    )  # fmt: skip
    return game, seats


def _check_terms(peeks: str, disputes: str) -> None:
    """Make sure that a game's terms are among those that there are.

    Raises: AdminError.
    """
    if peeks not in ("end", "open"):
        raise AdminError(f"looks of moderators cannot be told {peeks!r}; write open (at once) or end (of the game)")
    if disputes not in ("stop", "go"):
        raise AdminError(f"disputes cannot {disputes!r}; write stop (the clocks stand still) or go (the game goes on)")


def parse_clocks(texts: Sequence[str], usual: timedelta, kinds: Sequence[str]) -> dict[str, int]:
    """Read clocks: `72h` for all prompts, `bury=24h` for one of the kinds; in seconds, "" for all others.

    Raises: AdminError.
    """
    clocks = {"": int(usual.total_seconds())}
    for text in texts:
        kind, given, span = (part.strip() for part in text.rpartition("="))
        if given and kinds and kind not in kinds:
            raise AdminError(f"nothing of the kind {kind!r} is asked in this game; there are: {', '.join(kinds)}")
        clocks[kind] = int(clock.parse_span(span).total_seconds())
    return clocks


def seat_for(session: Session, engine: Engine, number: int, name: str) -> Seat:
    """Give a seat to a player, or to a bot under a name that can be typed in an order: `careful2`."""
    word, colon, bot = name.strip().lower().partition(":")
    if not (colon and word == "bot"):
        player = people.get_player(session, name)
        return Seat(game_id=0, number=number, player_id=player.id, name=player.name)
    known = [table.RANDOM, *engine.bots]
    if bot not in known:
        there = ", ".join(f"bot:{one}" for one in known)
        raise AdminError(f"{engine.title} has no bot {bot!r}; there are: {there}")
    return Seat(game_id=0, number=number, name=f"{bot}{number + 1}", bot=bot)


def _check_table(engine: Engine, seats: Sequence[Seat]) -> None:
    """Make sure that these can play together.

    Raises: AdminError.
    """
    if len(seats) not in engine.seats:
        least, most = engine.seats.start, engine.seats.stop - 1
        raise AdminError(f"{engine.title} is for {least} to {most} players, not {len(seats)}")
    people = [seat.player_id for seat in seats if not seat.bot]
    if not people:
        raise AdminError("bots alone play no game: one seat at least is a player's")
    if len(set(people)) < len(people):
        raise AdminError("nobody may hold two seats in a game")
    names = [seat.name.casefold() for seat in seats]
    if twice := [seat.name for seat in seats if seat.bot and names.count(seat.name.casefold()) > 1]:
        raise AdminError(f"a player is called {twice[0]} as the bot in that seat would be; seat the bot elsewhere")


def check_room(house: House, text: str) -> str:
    """Check the id of a game's public room, "" for none.

    Raises: AdminError.
    """
    if text and not re.fullmatch(r"!\S{1,250}", text):
        raise AdminError(f"{text!r} is no room's id; write for example '!abc:example.org', as room settings show it")
    if text and not house.config.matrix.homeserver:
        raise AdminError("the office has no Matrix account: fill in [matrix] in the config first")
    return text
