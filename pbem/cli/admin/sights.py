"""Look at games as somebody does who is at no table: names, turns, deadlines, the open table; never a hand.

Secret: nothing here is; whoever runs the house may sit at one of its tables.
"""

import json
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session

from pbem.core.clock import show_instant, show_span
from pbem.core.digest import Scene
from pbem.services import desk, gathering, pages, sittings
from pbem.services.house import House
from pbem.services.sittings import Sitting, name_of
from pbem.store import games as store
from pbem.store.tables import Game

Sight = dict[str, Any]


def name(sitting: Sitting) -> str:
    """Give a game's name."""
    return name_of(sitting.game)


def clocks(game: Game) -> str:
    """Write a game's clocks: `3 days; bury 1 day`."""
    spans = {kind: show_span(timedelta(seconds=seconds)) for kind, seconds in json.loads(game.clocks).items()}
    return "; ".join(f"{kind} {span}".strip() for kind, span in sorted(spans.items()))


def games(session: Session) -> list[Sight]:
    """Give every game, oldest first."""
    return [_sight(session, game) for game in store.list_games(session)]


def one_game(session: Session, house: House, named: str) -> Sight:
    """Give one game with its table as an observer sees it.

    Raises: AdminError if there is no such game.
    """
    game = desk.get_game(session, named)
    if game.status == gathering.STATUS:
        title, table = sittings.engine_of(house, game).title, "Not dealt yet: the game waits for its players' words."
        return _sight(session, game) | {"title": title, "clocks": clocks(game), "table": table}
    sitting = sittings.sit(session, house, game)
    text, _ = Scene(house.renderer, sitting.table, sitting.names).table()
    return _sight(session, game) | {"title": sitting.engine.title, "clocks": clocks(game), "table": text}


def standing(session: Session, game: Game, zone: str) -> str:
    """Write in one line how a game stands."""
    sight = _sight(session, game)
    awaited = awaited_in_short(sight, zone)
    waits = f", waits for {awaited}" if awaited else ""
    return f"{sight['game']}, turn {sight['turn']}, step {game.step}, {sight['status']}{waits}"


def announced(session: Session, house: House, game: Game, after: int) -> list[str]:
    """Write what the rulings after an entry tell everybody, a line each; nothing of the steps that they brought."""
    sitting = sittings.sit(session, house, game)
    scene = Scene(house.renderer, sitting.table, sitting.names)
    rows = [row for row in store.log_of(session, game.id or 0, after) if row.kind != "step"]
    return [line for row in rows for line in scene.lines(store.events_of(row), None)]


def log(session: Session, house: House, named: str) -> list[str]:
    """Write a game's log as an observer saw it: each entry with its number, and with the step's if it is one.

    Raises: AdminError if there is no such game.
    """
    game = desk.get_game(session, named)
    found = pages.observed(session, house, sittings.sit(session, house, game), store.log_of(session, game.id or 0))
    return [line for one in found for line in (f"{one.entry}. {one.what}", *(f"   {told}" for told in one.lines))]


def awaited_in_short(sight: Sight, zone: str) -> str:
    """Write in one cell who is awaited, and until when the first of them."""
    awaited = sight["awaited"]
    if not awaited or sight["status"] != "open":
        return ""
    first = min(datetime.fromisoformat(one["until"]) for one in awaited)
    return f"{', '.join(one['name'] for one in awaited)} until {show_instant(first, zone)}"


def awaited_lines(sight: Sight, zone: str, now: datetime) -> list[str]:
    """Write a line for each seat that is awaited."""
    if sight["status"] == "paused":
        return ["The game is paused; the clocks stand still."]
    lines = []
    for one in sight["awaited"]:
        until = datetime.fromisoformat(one["until"])
        left = f"{show_span(until - now)} left" if until > now else f"overdue by {show_span(now - until)}"
        lines.append(f"Awaited: {one['name']} ({one['kind']}) until {show_instant(until, zone)}, {left}")
    return lines


def _sight(session: Session, game: Game) -> Sight:
    seats = store.seats_of(session, game.id or 0)
    prompts = store.open_prompts(session, game.id or 0)
    return {
        "game": name_of(game),
        "engine": game.engine,
        "status": game.status,
        "turn": game.turn,
        "rehearsal": game.rehearsal,
        "players": [seat.name for seat in seats],
        "awaited": [
            {"name": seats[number].name, "kind": prompt.kind, "until": prompt.deadline_at.isoformat()}
            for number, prompt in sorted(prompts.items())  # who has answered already is told to nobody
        ],
    }
