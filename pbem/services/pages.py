"""Show on request what a player may look up: help, rules, and what happened so far."""

import json
from collections.abc import Iterable

from sqlmodel import Session

from pbem.core.digest import Scene, Section
from pbem.core.evidence import Told
from pbem.core.reading import Command
from pbem.core.render import Renderer
from pbem.engine import Engine
from pbem.services import chronicle, receipts, undo
from pbem.services.hearing import Hearing
from pbem.services.house import House
from pbem.services.sittings import Sitting
from pbem.store import games
from pbem.store.tables import LogEntry

OFFICE_HELP = (
    ("help", "this page"),
    ("rules", "how the game is played by letter"),
    ("status", "the digest again"),
    ("log", "what happened so far, as far as you may see it"),
    ("receipt CODE", "what one of your messages was read as; without a code, a list of them"),
    ("export", "a file by which anybody can check the game; until its end, what you know of it"),
    ("say TEXT", "tell all players something"),
    ("say:", "the same for several lines, up to a line that says end"),
    ("tell NAME TEXT", "tell one player something"),
    ("check ORDER", "is that order legal, for all you know? Changes nothing"),
    ("retract", "take back an answer that is still sealed"),
    ("away 2026-12-20 2027-01-02", "no deadline of yours falls into these days; or: away 5 days"),
    ("away back", "you are back earlier; also: back, unless the game has an order of that word"),
    ("undo", "take back your last order: at once if nobody has learned anything from it, else if all others agree"),
    ("agree", "let somebody who asks for it take an order back"),
    ("refuse", "let it stand"),
    (
        "dispute TEXT",
        "ask a moderator to settle a quarrel; the moderators alone read what you say. Several lines: as with say:",
    ),
    ("appeal 3 TEXT", "ask that another moderator rule on dispute 3, once"),
    ("resign", "leave the game; it asks again before it is done"),
    ("end", "nothing after this line is read"),
)
POST_HELP = (("prefer matrix", "get your letters by Matrix; prefer mail, or prefer both, works too"),)


AHEAD_HELP = (
    ("on {kinds} ORDER", "answer that question whenever it is asked from now on; several orders, with commas between "
     "them, are tried one after the other"),
    ("on", "the answers that you gave ahead"),
    ("off {kinds}", "be asked again"),
)  # fmt: skip


def status(hearing: Hearing, command: Command) -> None:
    """Give the digest again, and say whose undo waits for the sender's word."""
    hearing.reply.wants_digest = True
    if name := undo.asking(hearing):
        told = f"{name} asks to take the last order back, and waits for your word."
        hearing.note("status", told, "agree", "refuse")


def help(hearing: Hearing, command: Command) -> None:
    """Tell what can be written."""
    posts = bool(hearing.house.config.matrix.homeserver)
    hearing.show(help_page(hearing.house.renderer, hearing.sitting.engine, posts=posts))


def rules(hearing: Hearing, command: Command) -> None:
    """Tell how the game is played by letter."""
    engine = hearing.sitting.engine
    hearing.show(_section(hearing.house.renderer, "How to play", f"{engine.name}/rules", engine=engine))


def log(hearing: Hearing, command: Command) -> None:
    """Show what happened, as far as the seat may see it and the game lets look back, and the seat's receipts."""
    hearing.show(log_section(hearing.session, hearing.house, hearing.sitting, hearing.token.seat))
    hearing.show(receipts.listing(hearing))


def log_section(session: Session, house: House, sitting: Sitting, seat: int) -> Section:
    """Make the page of what happened.

    Secret: for the seat alone.
    """
    told = log_lines(session, house, sitting, seat)
    return _section(house.renderer, "The log", "post/log", turns=told)


def help_page(renderer: Renderer, engine: Engine | None, *, posts: bool = False) -> Section:
    """Make the page of what can be written, with a game's orders if one is meant; `posts`: there is more than mail."""
    kinds = "|".join(engine.standing) if engine else ""
    ahead = [(command.format(kinds=kinds), told) for command, told in AHEAD_HELP] if kinds else []
    office = [*OFFICE_HELP[:-1], *(POST_HELP if posts else ()), *OFFICE_HELP[-1:], *ahead]
    return _section(renderer, "What you can write", "post/help", office=office, engine=engine)


def log_lines(session: Session, house: House, sitting: Sitting, seat: int | None) -> list[tuple[int, tuple[str, ...]]]:
    """Give the lines of each turn that a seat may see; where MEMORY is closed, of the last turn only.

    Secret: for the seat alone.
    """
    scene = Scene(house.renderer, sitting.table, sitting.names)
    if sitting.engine.memory == "closed":
        entries = chronicle.last_turn(session, sitting)
    else:
        rows = games.log_of(session, sitting.game.id or 0)
        entries = [(row.number, row.turn, chronicle.told_events(row.body, games.events_of(row))) for row in rows]
    by_turn: dict[int, list[str]] = {}
    back = chronicle.taken_back(session, sitting)
    for number, turn, events in entries:
        lines = scene.lines(chronicle.opened(sitting, events), seat)
        by_turn.setdefault(turn, []).extend(chronicle.struck(lines) if number in back else lines)
    return [(turn, tuple(lines)) for turn, lines in by_turn.items() if lines]


def observed(session: Session, house: House, sitting: Sitting, rows: Iterable[LogEntry]) -> list[Told]:
    """Give entries of a game's log as an onlooker saw them."""
    scene, back = Scene(house.renderer, sitting.table, sitting.names), chronicle.taken_back(session, sitting)
    found = []
    for row in rows:
        step = f"step {json.loads(row.body)['step']}" if row.kind == "step" else row.kind
        step += f" {chronicle.TAKEN_BACK}" if row.number in back else ""
        told = chronicle.opened(sitting, chronicle.told_events(row.body, games.events_of(row)))
        lines = tuple(scene.lines(told, None))
        late = ", told at the end" if row.kind == "ruling" and not lines else ""
        what = f"{step}, turn {row.turn}, {row.entered_at:%Y-%m-%d %H:%M} UTC{late}"
        found.append(Told(row.number, what, lines))
    return found


def _section(renderer: Renderer, title: str, template: str, **context: object) -> Section:
    return Section(title, renderer.text(template, **context), renderer.html(template, **context))
