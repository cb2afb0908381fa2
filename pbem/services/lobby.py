"""Register players, and set games up."""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from sqlmodel import Session

from pbem import __version__
from pbem.core import clock, dice, table
from pbem.core.digest import Page, compose
from pbem.core.message import Address
from pbem.core.reading import OFFICE_WORDS
from pbem.core.render import listed
from pbem.engine import Engine
from pbem.errors import AdminError
from pbem.services import letters, turns
from pbem.services.addressing import BOTH
from pbem.services.house import MATRIX, POST, House
from pbem.services.turns import Sitting
from pbem.store import games, mail, players
from pbem.store.tables import Game, Place, Player, Seat

NAME_LENGTH = 20
PREFERENCES = (POST, MATRIX, BOTH)
USER = re.compile(r"@[^\s:@]+:[A-Za-z0-9.\-\[\]]+(?::\d+)?")


def check_name(name: str) -> str:
    """Check a player's name: one word, no office word.

    Raises: AdminError, saying what would do.
    """
    name = unicodedata.normalize("NFKC", name)
    if not name[:1].isalpha() or not all(c.isalnum() or c == "_" for c in name) or len(name) > NAME_LENGTH:
        raise AdminError(
            f"{name!r} cannot be a player's name: one word of up to {NAME_LENGTH} letters and digits, a letter first"
        )
    if name.casefold() in OFFICE_WORDS:
        raise AdminError(f"{name!r} cannot be a player's name: the office uses that word")
    return name


def check_email(house: House, text: str) -> Address:
    """Check a mail address.

    Raises: AdminError.
    """
    place = text.strip()
    local, at, domain = place.rpartition("@")
    barred = any(c.isspace() or not c.isprintable() or c in ',;<>()[]"\\' for c in place)
    if not (local and at and domain) or "@" in local or barred:
        raise AdminError(f"{text!r} is no mail address; write for example alice@example.org")
    own, _, ours = house.config.office.address.casefold().partition("@")
    if local.casefold().partition("+")[0] == own and domain.casefold() == ours:
        raise AdminError(f"{place} is the office's own address")
    return Address(POST, place)


def check_matrix(house: House, text: str) -> Address:
    """Check a Matrix user id.

    Raises: AdminError.
    """
    place = text.strip()
    if not USER.fullmatch(place) or not place.isprintable() or len(place) > 255:
        raise AdminError(f"{text!r} is no Matrix id; write for example @alice:example.org")
    if not house.config.matrix.homeserver:
        raise AdminError("the office has no Matrix account: fill in [matrix] in the config first")
    if place.casefold() == house.config.matrix.user.casefold():
        raise AdminError(f"{place} is the office itself")
    return Address(MATRIX, place)


def add_player(
    session: Session, house: House, now: datetime, name: str, emails: Sequence[str], zone: str | None = None, *,
    users: Sequence[str] = (),
) -> Player:  # fmt: skip
    """Register a player with one or more addresses; letters go to the first.

    A Matrix id of `users` is invited to a room, and gets letters once its owner has joined that.

    Raises: AdminError if the name or an address is taken or cannot be.
    """
    if not emails and not users:
        raise AdminError(f"{name} needs an address: --email {name}@example.org")
    addresses = [check_email(house, email) for email in emails] + [check_matrix(house, user) for user in users]
    return register(session, house, now, name, addresses, zone)


def register(
    session: Session, house: House, now: datetime, name: str, addresses: Sequence[Address], zone: str | None = None
) -> Player:
    """Register a player at addresses of any post; letters go to the first.

    Raises: AdminError if the name or an address is taken or cannot be.
    """
    name = check_name(name)
    if players.find_player(session, name):
        raise AdminError(f"there is a player {name} already")
    for address in addresses:
        _check_free(session, address)
    if len({address.key for address in addresses}) < len(addresses):
        raise AdminError("the same address is given twice")
    place = clock.parse_zone(zone or house.config.office.zone)
    player = Player(name=name, key=name.casefold(), zone=place, created_at=now)
    players.add_player(session, player, list(addresses), {address.transport for address in addresses} - {MATRIX})
    for address in addresses:
        _invite(session, house, now, player, address)
    return player


def edit_player(
    session: Session, house: House, now: datetime, name: str, *, add: Sequence[str] = (), remove: Sequence[str] = (),
    zone: str | None = None, prefer: str = "",
) -> Player:  # fmt: skip
    """Change a player's addresses, time zone and preferred post; the first address that is left gets the letters.

    Raises: AdminError.
    """
    player = get_player(session, name)
    assert player.id is not None
    if zone:
        player.zone = clock.parse_zone(zone)
    places = players.places_of(session, [player.id]).get(player.id, [])
    if prefer:
        player.prefer = check_preference(prefer)
    for address in (check_address(house, text) for text in add):
        _check_free(session, address)
        rank = 1 + max([place.rank for place in places], default=-1)
        players.add_place(session, player.id, address, rank, now if address.transport == POST else None)
        _invite(session, house, now, player, address)
    for text in remove:
        _remove(session, player, Address(MATRIX if text.strip().startswith("@") else POST, text))
    if not players.places_of(session, [player.id]).get(player.id):
        raise AdminError(f"{player.name} would have no address left; add another one first")
    return player


def get_player(session: Session, name: str) -> Player:
    """Find a player by name.

    Raises: AdminError, naming who there is.
    """
    player = players.find_player(session, name.strip())
    if player is None:
        known = [one.name for one in players.list_players(session)]
        raise AdminError(f"there is no player {name!r}; there are: {', '.join(known) or 'none yet'}")
    return player


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
    turns.rise(session, sitting, now)
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
        player = get_player(session, name)
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


def check_address(house: House, text: str) -> Address:
    """Check a mail address, or a Matrix id, which begins with @.

    Raises: AdminError.
    """
    return check_matrix(house, text) if text.strip().startswith("@") else check_email(house, text)


def check_room(house: House, text: str) -> str:
    """Check the id of a game's public room, "" for none.

    Raises: AdminError.
    """
    if text and not re.fullmatch(r"!\S{1,250}", text):
        raise AdminError(f"{text!r} is no room's id; write for example '!abc:example.org', as room settings show it")
    if text and not house.config.matrix.homeserver:
        raise AdminError("the office has no Matrix account: fill in [matrix] in the config first")
    return text


def check_preference(text: str) -> str:
    """Check by which post a player wants letters.

    Raises: AdminError.
    """
    if text not in PREFERENCES:
        raise AdminError(f"{text!r} is no post; there are: {', '.join(PREFERENCES)}")
    return text


def _invite(session: Session, house: House, now: datetime, player: Player, address: Address) -> None:
    """Queue what makes a Matrix room for a player: it waits there until the player comes in, and tells no secret."""
    if address.transport != MATRIX:
        return
    opening = (
        f"{player.name}, letters of your games can come here too. Write prefer matrix, prefer mail or prefer both."
    )
    page = Page(name="", title=house.config.office.name, to=player.name, turn=0, opening=opening)
    text, html = compose(house.renderer, page, None)
    key = f"i-{player.id}-{now:%Y%m%d%H%M%S}{letters.era(session)}"
    subject = f"[{house.config.office.name}] Your room"
    row = letters.letter_row(MATRIX, address.place, "invitation", key, subject, text, html, now)
    mail.add_letters(session, [row | {"player_id": player.id}])


def _check_free(session: Session, address: Address) -> None:
    owner = players.find_owner(session, address)
    if owner is not None:
        raise AdminError(f"{address.place} is registered for {owner.name} already")


def _remove(session: Session, player: Player, address: Address) -> None:
    for place in players.places_of(session, [player.id or 0]).get(player.id or 0, []):
        if (place.transport, place.key) == (address.transport, address.key):
            session.delete(session.merge(Place(**place.model_dump())))
            session.flush()
            return
    raise AdminError(f"{address.place} is not registered for {player.name}")
