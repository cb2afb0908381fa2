"""Let players add words of theirs to the seed of a game before it is dealt, so that nobody alone can choose the deal.

The host's secret is sealed first. Then each player may send `seed WORDS`; once all have sent `ready`, or the time is
over, the seed is made of the secret and of all words, in the order of the seats (`dice.gathered`).
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from markupsafe import escape
from sqlmodel import Session

from pbem import __version__
from pbem.core import clock, dice, table
from pbem.core.digest import Note, Page, Section, compose
from pbem.core.message import Inbound
from pbem.core.quotes import own_words
from pbem.core.receipts import Deed
from pbem.core.render import listed, wrap
from pbem.core.token import Token
from pbem.services import addressing, envelopes, letters, lobby, receipts, sittings, turns
from pbem.services.addressing import Reader
from pbem.services.hearing import clean
from pbem.services.house import House
from pbem.services.letters import Reply
from pbem.services.sittings import Sitting
from pbem.store import games, mail
from pbem.store import gathering as store
from pbem.store.tables import Game, Gathering, Seat

STATUS = "gathering"
LONGEST = 120  # characters of a player's words
EXAMPLE = "seed The quick brown fox"


def announce(
    session: Session, house: House, now: datetime, engine_name: str, names: Sequence[str], span: timedelta, *,
    options: Mapping[str, str], clocks: Sequence[str] = (), pace: str | None = None, room: str = "",
    peeks: str = "end", disputes: str = "stop",
) -> tuple[Game, list[Seat]]:  # fmt: skip
    """Set a game up that waits for its players' words, seal the host's secret, and invite each player.

    Raises: AdminError for players or options that cannot be.
    """
    engine, secret = house.engine(engine_name), house.entropy(dice.SEED_BYTES)
    game, seats = lobby.prepare(
        session, house, now, engine, names, options=options, clocks=clocks, pace=pace, seed=secret, room=room,
        peeks=peeks, disputes=disputes,
    )  # fmt: skip
    at_table = tuple(seat.name for seat in seats)
    table.deal(engine, at_table, engine.load_options(game.options), secret)  # refuses options that cannot be
    game.status = STATUS
    game_id = games.add_game(session, game, seats)
    row = Gathering(
        game_id=game_id, secret=secret, words=json.dumps([""] * len(seats)), ready="[]", until_at=now + span
    )
    store.add_gathering(session, row)
    opening = f"A new game is about to begin: {engine.title}, with {listed(at_table)} at the table."
    invited = {seat.number: Reply(_key(seat), opening=opening) for seat in seats}
    _write(session, house, now, game, row, invited)
    return game, seats


def hear(session: Session, house: House, now: datetime, message: Inbound, game: Game, number: int, cause: str) -> bool:
    """Take a player's words, or that a player is ready; deal if all are. Tell whether a line could be read."""
    row = store.find_gathering(session, game.id or 0)
    assert row is not None
    sent = mail.find_letter(session, [answer.partition("@")[0].casefold() for answer in message.answers])
    said = own_words(message.text, message.html, sent.text if sent else None).text
    reply = Reply(cause)
    deeds = [deed for line in said.splitlines() if line.strip() and (deed := _line(row, number, line.strip(), reply))]
    if not reply.notes:
        reply.notes.append(Note("(no command)", "Before the deal there are two commands.", (EXAMPLE, "ready")))
    receipts.enter(session, now, game, number, message, reply, deeds)
    if deeds:
        store.save_gathering(session, row)
    if _all_ready(session, game, row):
        deal(session, house, now, game, {number: reply})
    else:
        _write(session, house, now, game, row, {number: reply})
    return bool(deeds)


def time_over(session: Session, house: House, now: datetime, game_id: int) -> None:
    """Deal a game that has waited for words long enough."""
    game = games.find_game(session, game_id)
    if game is not None and game.status == STATUS:
        deal(session, house, now, game, {})


def deal(session: Session, house: House, now: datetime, game: Game, replies: dict[int, Reply]) -> Sitting:
    """Make the seed of secret and words, deal, and tell all."""
    row = store.find_gathering(session, game.id or 0)
    assert row is not None
    engine, seats, words = sittings.engine_of(house, game), games.seats_of(session, row.game_id), json.loads(row.words)
    names = tuple(seat.name for seat in seats)
    seed = dice.gathered(row.secret, names, words)
    dealt, entry = table.deal(
        engine, names, engine.load_options(game.options), seed,
        pbem=__version__, gathered={"commitment": dice.commitment(row.secret), "words": words},
    )  # fmt: skip
    game.seed, game.created_at, game.status, game.version = seed, now, "open", engine.version
    store.save_seed(session, game)
    sitting = turns.begin(game, seats, entry, dealt, now)
    opening = f"The game begins: {engine.title}, with {listed(names)} at the table."
    letters.tell(session, house, sitting, now, replies=replies, everybody=True, opening=opening)
    sittings.rise(session, sitting, now)
    return sitting


def call_off(session: Session, house: House, now: datetime, game: Game, reason: str) -> None:
    """Give a game up that is not dealt yet, and tell its players."""
    row = store.find_gathering(session, game.id or 0)
    assert row is not None
    game.status, game.ended_at = "ended", now
    seats = games.seats_of(session, row.game_id)
    opening = "The host called the game off before it was dealt." + (f" Reason given: {reason}" if reason else "")
    replies = {seat.number: Reply(f"{_key(seat)}-off", opening=opening) for seat in seats}
    _write(session, house, now, game, row, replies)
    games.save_game(session, game)


def _key(seat: Seat) -> str:
    return f"g{seat.game_id}-{seat.number}"


def _line(row: Gathering, number: int, line: str, reply: Reply) -> Deed | None:
    """Do one line of a message before the deal."""
    word, _, rest = line.partition(" ")
    words, ready = json.loads(row.words), set(json.loads(row.ready))
    said = " ".join(clean(rest).split())[:LONGEST]
    if word.casefold().rstrip(":") == "seed" and said:
        words[number] = said
        row.words = json.dumps(words, ensure_ascii=False)
        told = "These words go into the seed, in place of any before. All players are shown them when the game begins."
        reply.notes.append(Note(f"seed {said}", told))
        return Deed("seed", said)
    if line.casefold().rstrip(" .!") == "ready":
        row.ready = json.dumps(sorted(ready | {number}))
        reply.notes.append(
            Note("ready", "You are ready. The game begins as soon as all are, or when the time is over.")
        )
        return Deed("ready")
    reply.notes.append(Note(clean(line)[:LONGEST], "Not read: the game is not dealt yet.", (EXAMPLE, "ready")))
    return None


def _all_ready(session: Session, game: Game, row: Gathering) -> bool:
    players = {seat.number for seat in games.seats_of(session, game.id or 0) if seat.player_id is not None}
    return players <= set(json.loads(row.ready))


def _write(
    session: Session, house: House, now: datetime, game: Game, row: Gathering, replies: dict[int, Reply]
) -> None:
    """Queue a letter to each of these seats that a player holds."""
    seats = {seat.number: seat for seat in games.seats_of(session, game.id or 0)}
    told, era = addressing.readers(session, seats.values()), envelopes.era(session)
    rows = [
        _letter(house, now, game, row, seats[number], told[number], reply, era)
        for number, reply in replies.items()
        if number in told and told[number].place is not None
    ]
    mail.add_letters(session, rows)
    games.save_seats(session, seats.values())


def _letter(
    house: House, now: datetime, game: Game, row: Gathering, seat: Seat, reader: Reader, reply: Reply, era: str
) -> dict[str, object]:
    name, title = sittings.name_of(game), sittings.engine_of(house, game).title
    waits = game.status == STATUS
    page = Page(
        name=name, title=title, to=seat.name, turn=0, opening=reply.opening, notes=tuple(reply.notes),
        sections=(_section(row, seat, reader),) if waits else (), footers=(*reply.footers, _seal(row)),
    )  # fmt: skip
    text, html = compose(house.renderer, page, None)
    subject = f"[{name}] {'Before the deal' if waits else 'The game is called off'}"
    made = envelopes.row_for(
        house, reader, seat, Token(game.id or 0, seat.number, game.epoch, 0), kind="notice", key=reply.cause + era,
        subject=subject, text=text, html=html, now=now,
    )  # fmt: skip
    envelopes.guard(house, made, seat, reader, page.to)
    return made


def _section(row: Gathering, seat: Seat, reader: Reader) -> Section:
    """Say what a player may do before the deal."""
    until, own = clock.show_instant(row.until_at, reader.player.zone), json.loads(row.words)[seat.number]
    told = [
        'You may have a say in how the cards lie, so that nobody alone can choose it: reply with "seed" and some words '
        'of yours. Write "ready" once you are.',
        f"The game begins when all are ready, or on {until}.",
        f'Your words so far: "{own}".' if own else "You have sent no words so far.",
    ]
    lines = (EXAMPLE, "ready")
    text = "\n".join([*(wrap(line, 2) for line in told), "", *(f"    {line}" for line in lines)])
    html = "".join(f"<p>{escape(line)}</p>" for line in told) + "".join(f"<pre>{escape(line)}</pre>" for line in lines)
    return Section("Before the deal", text, html)


def _seal(row: Gathering) -> str:
    digits = dice.commitment(row.secret)
    grouped = " ".join(digits[at : at + 8] for at in range(0, len(digits), 8))
    return f"The host's secret is drawn already and cannot be changed: it has the SHA-256 commitment {grouped}."
