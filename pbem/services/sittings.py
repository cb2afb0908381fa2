"""Take a game in hand for one transaction.

`sit` reads it into a `Sitting`, services change that in memory, and `rise` writes what changed, last of all.
"""

from dataclasses import dataclass, field
from datetime import datetime

from sqlmodel import Session

from pbem.core import table as tables
from pbem.core.dice import commitment
from pbem.core.line import follow
from pbem.core.table import Entry, Table
from pbem.engine import Engine, Event, Order
from pbem.errors import AdminError, EngineFault
from pbem.services.ahead import Ahead
from pbem.services.house import House
from pbem.store import absences, games
from pbem.store.tables import Absence, Game, Prompt, Seat


@dataclass
class Sitting:
    """Hold one game in hand: rows as read, and all that is to be written.

    `past`: what happened, if a bot asks, up to the entry `fresh` of those to be written.
    """

    game: Game
    table: Table
    seats: list[Seat]
    prompts: dict[int, Prompt]
    entries: list[tuple[Entry, int]] = field(default_factory=list)
    opened: list[Prompt] = field(default_factory=list)
    touched: dict[int, Prompt] = field(default_factory=dict)
    orders: dict[int, Order] = field(default_factory=dict)
    turn_before: int = 0
    ahead: Ahead = field(default_factory=Ahead)
    past: tuple[Event, ...] = ()
    absences: list[Absence] = field(default_factory=list)
    fresh: int = 0

    @property
    def engine(self) -> Engine:
        """Give the game's engine."""
        return self.table.engine

    @property
    def names(self) -> tuple[str, ...]:
        """Give the names at the table, by seat."""
        return tuple(seat.name for seat in self.seats)

    @property
    def is_open(self) -> bool:
        """Tell whether the game goes on (paused is not open)."""
        return self.game.status == "open"

    @property
    def moved(self) -> bool:
        """Tell whether the log grew."""
        return bool(self.entries)

    def seal(self) -> str:
        """Give the commitment to the seed."""
        return commitment(self.game.seed)


def name_of(game: Game) -> str:
    """Give the name by which people know a game: `blame-7`."""
    return f"{game.engine}-{game.id}"


def engine_of(house: House, game: Game) -> Engine:
    """Find the engine of a game.

    Raises: EngineFault if it is no longer installed.
    """
    try:
        return house.engine(game.engine)
    except AdminError as error:
        raise EngineFault(str(error)) from error


def sit(session: Session, house: House, game: Game) -> Sitting:
    """Take a game in hand.

    Raises: EngineFault if its state cannot be read.
    """
    engine = engine_of(house, game)
    try:
        state = engine.load(game.state)
    except ValueError as error:
        raise EngineFault(f"{engine.name} no longer reads its own state") from error
    assert game.id is not None
    seats = games.seats_of(session, game.id)
    prompts = games.open_prompts(session, game.id)
    table = Table(engine, game.seed, state, game.step, game.entries, game.chain)
    sitting = Sitting(game, table, seats, prompts, turn_before=game.turn)
    sitting.absences = absences.absences_of(session, seats)
    if engine.standing:
        for row in games.standing_of(session, game.id):
            sitting.ahead.rows[row.seat, row.kind] = row
    recall(session, sitting)
    return sitting


def recall(session: Session, sitting: Sitting) -> None:
    """Look up what happened, if a bot at the table asks for it."""
    if any(seat.bot not in ("", tables.RANDOM) for seat in sitting.seats):
        rows = games.log_of(session, sitting.game.id or 0)
        line = follow((row.number, row.kind, row.body) for row in rows)
        back = line.taken_back()
        sitting.past = tuple(event for row in rows if row.number not in back for event in games.events_of(row))


def rise(session: Session, sitting: Sitting, now: datetime) -> None:
    """Write all that changed.

    Raises: Conflict if somebody changed the game meanwhile.
    """
    game, table = sitting.game, sitting.table
    game.step, game.entries, game.chain = table.step, table.entries, table.chain
    game.turn = table.turn()
    if sitting.entries:
        game.state = sitting.entries[-1][0].snapshot
    games.save_game(session, game)
    games.add_entries(session, game, sitting.entries, now)
    games.save_prompts(session, (prompt for prompt in sitting.touched.values() if prompt.id is not None))
    games.add_prompts(session, sitting.opened)
    games.save_seats(session, sitting.seats)
    for seat, kind in sorted(sitting.ahead.changed):
        games.save_standing(session, game.id or 0, seat, kind, sitting.ahead.rows.get((seat, kind)))
