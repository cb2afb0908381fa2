"""Do what the lines of a player's message say, each noted with what came of it."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from markupsafe import escape
from sqlmodel import Session

from pbem.core.digest import Note, Page, Scene, Section, compose
from pbem.core.message import Inbound
from pbem.core.quotes import OwnWords
from pbem.core.reading import OFFICE_WORDS, Command, Line
from pbem.core.reading import read as read_lines
from pbem.core.render import wrap
from pbem.core.token import Token
from pbem.engine import Event
from pbem.errors import BadOrder, NotAwaited, PlayerError, StaleOrder, UnknownCommand
from pbem.services import letters, turns
from pbem.services.house import House
from pbem.services.letters import Reply
from pbem.services.turns import Sitting
from pbem.store import games
from pbem.store.tables import Prompt, Seat

TALK_LIMIT = 4000  # characters of one `say`
SHOWN_LINES = 6

OFFICE_HELP = (
    ("help", "this page"),
    ("rules", "how the game is played by letter"),
    ("status", "the digest again"),
    ("log", "what happened so far, as far as you may see it"),
    ("say TEXT", "tell all players something"),
    ("say:", "the same for several lines, up to a line that says end"),
    ("tell NAME TEXT", "tell one player something"),
    ("check ORDER", "is that order legal, for all you know? Changes nothing"),
    ("retract", "take back an answer that is still sealed"),
    ("resign", "leave the game; it asks again before it is done"),
    ("end", "nothing after this line is read"),
)


@dataclass
class Hearing:
    """Hold one player's message while its lines are done, and what is to be written for it.

    `changed`: the game's rows changed. `all_hear`: every seat gets a digest.
    """

    session: Session
    house: House
    now: datetime
    message: Inbound
    token: Token
    sitting: Sitting
    reply: Reply
    talk: list[dict[str, object]] = field(default_factory=list)
    changed: bool = False
    all_hear: bool = False
    answering: int = 0

    @property
    def seat(self) -> Seat:
        """Give the sender's seat."""
        return self.sitting.seats[self.token.seat]

    @property
    def prompt(self) -> Prompt | None:
        """Give what the sender is asked now."""
        return self.sitting.prompts.get(self.token.seat)

    def note(self, line: str, told: str, *examples: str) -> None:
        """Note what came of a line."""
        self.reply.notes.append(Note(clean(line)[:200], told, examples))

    def examples(self) -> tuple[str, ...]:
        """Give lines that would work now."""
        asked = self.sitting.table.awaiting().get(self.token.seat) if self.sitting.is_open else None
        return asked.examples if asked else ()


def clean(text: str) -> str:
    """Take control characters out of a player's text; line breaks become blanks."""
    return "".join(" " if c in "\r\n\t" else c for c in text if c in "\r\n\t" or unicodedata.category(c)[0] != "C")


def obey(hearing: Hearing, words: OwnWords) -> bool:
    """Do each line that is wholly a command, and tell whether there was one."""
    hearing.answering = hearing.token.prompt
    lines = classify(hearing.sitting, hearing.token.seat, words.text)
    refusals = _refusals(hearing, lines)
    for index, line in enumerate(lines):
        if index in refusals:
            hearing.note(line.text, refusals[index].why, *refusals[index].examples)
        elif line.kind == "order":
            _attempt(hearing, line.text, _order)
        elif line.command is not None and line.command.word != "end":
            _attempt(hearing, line.text, OFFICE[line.command.word], line.command)
    _tell_unread(hearing, lines, words)
    return any(line.kind != "talk" for line in lines)


def classify(sitting: Sitting, seat: int, words: str) -> tuple[Line, ...]:
    """Tell for each line whether it is an office command, an order, talk or a slip; not whether it is legal."""

    def is_order(text: str) -> bool:
        try:
            return turns.read(sitting, seat, text) is not None
        except BadOrder:
            return True

    return read_lines(words, is_order=is_order, vocabulary=vocabulary(sitting), names=sitting.names)


def vocabulary(sitting: Sitting) -> frozenset[str]:
    """Give the words that an order or a command is made of."""
    patterns = " ".join(row.words for row in sitting.engine.notation).split()
    own = {word for word in patterns if word.isalpha() and word.islower()}
    return frozenset(own | {name.lower() for name in sitting.names} | OFFICE_WORDS)


def _refusals(hearing: Hearing, lines: tuple[Line, ...]) -> dict[int, PlayerError]:
    """Find what is refused before anything is done, from what the seat's view alone tells.

    A slip, or a line that cannot be read, refuses all orders of its message; two answers to one prompt refuse each other.
    """
    orders = [index for index, line in enumerate(lines) if _is_order(line)]
    refusals: dict[int, PlayerError] = {}
    answers: list[int] = []
    for index, line in enumerate(lines):
        if line.kind == "slip":
            refusals[index] = BadOrder("One letter away from a command; was this meant?", line.mended)
        elif line.kind == "order" and hearing.prompt is not None:
            try:
                turns.read(hearing.sitting, hearing.token.seat, line.text)
                answers.append(index)
            except BadOrder as error:
                if type(error).__name__ != "IllegalOrder":
                    refusals[index] = error
    if refusals:
        told = BadOrder("Not done, since another line of your message is not clear. Please send all of it again.")
        return {**dict.fromkeys(orders, told), **refusals}
    if len(answers) > 1:
        both = " and ".join(f'"{lines[index].text}"' for index in answers)
        told = BadOrder(f"Not done: {both} both answer the same question. Please send one of them.")
        return dict.fromkeys(orders, told)
    return {}


def _is_order(line: Line) -> bool:
    return line.kind == "order" or (line.command is not None and line.command.word in ("retract", "resign"))


def _attempt(hearing: Hearing, text: str, action: Callable[..., None], *more: object) -> None:
    """Do one line; what is wrong with it becomes its note."""
    try:
        action(hearing, *(more or (text,)))
    except PlayerError as error:
        hearing.note(text, error.why, *(error.examples or hearing.examples()))


def _order(hearing: Hearing, text: str) -> None:
    """Take an order: it answers the prompt that its letter asked, or what the same seat is asked next."""
    sitting, seat = hearing.sitting, hearing.token.seat
    turns.check_open(sitting)
    _check_fresh(hearing)
    order = turns.read(sitting, seat, text)
    if order is None:
        raise UnknownCommand("This is not an order that can be given now.")
    canonical = sitting.engine.format(order)
    entries = sitting.table.entries
    if hearing.prompt is None:
        turns.interrupt(sitting, seat, order, hearing.now)
    else:
        turns.answer(sitting, seat, order, hearing.message.received_at)
        turns.advance(sitting, hearing.now)
    hearing.changed = True
    hearing.answering = hearing.prompt.number if hearing.prompt else hearing.answering
    if sitting.table.entries > entries:
        hearing.note(text, f'Read as "{canonical}" and done.')
    else:
        hearing.note(
            text, f'Read as "{canonical}". It is sealed until all answers are in; "retract" takes it back till then.'
        )


def _check_fresh(hearing: Hearing) -> None:
    """Make sure that the order answers what is asked now.

    Raises: StaleOrder, NotAwaited.
    """
    sitting, seat = hearing.sitting, hearing.token.seat
    if hearing.token.epoch != sitting.game.epoch:
        hearing.reply.wants_digest = True
        raise StaleOrder("This turn was taken back meanwhile, so nothing was done. Please answer the digest below.")
    prompt = hearing.prompt
    if prompt is None:
        if seat in sitting.engine.interrupts(sitting.table.state):
            return
        raise _stale(hearing) if hearing.answering else NotAwaited("Nothing is asked of you just now.")
    if prompt.number != hearing.answering:
        hearing.reply.wants_digest = True
        raise _stale(hearing)
    if prompt.order is not None:
        raise StaleOrder(
            f'You have answered this already with "{prompt.order}", which is sealed. '
            'To change it, write "retract" on one line and the new order on the next.'
        )
    if hearing.message.received_at > prompt.deadline_at:
        raise StaleOrder("This came after the deadline had passed, so the game's own answer stands for it.")


def _stale(hearing: Hearing) -> StaleOrder:
    """Say what became of the question that the letter asked."""
    hearing.reply.wants_digest = True
    asked = games.find_prompt(hearing.session, hearing.sitting.game.id or 0, hearing.answering)
    if asked is None or asked.seat != hearing.token.seat:
        return StaleOrder("The letter you answered asked nothing of you; please answer the digest below.")
    if asked.order is None:
        return StaleOrder("What this answers is no longer asked, so nothing was done. How things stand is below.")
    how = "You have already moved" if asked.given_by == "player" else "Time had run out, and the game moved for you"
    return StaleOrder(f'{how}: "{asked.order}" stands, and nothing was done now. How things stand is below.')


def _say(hearing: Hearing, command: Command) -> None:
    others = [seat for seat in hearing.sitting.seats if seat.number != hearing.token.seat]
    _deliver(hearing, command.rest, others, f"{hearing.seat.name} says")
    hearing.note(f"say {command.rest}"[:60], "Sent to all players.")


def _tell(hearing: Hearing, command: Command) -> None:
    name, _, text = command.rest.partition(" ")
    whom = [seat for seat in hearing.sitting.seats if seat.name.casefold() == name.casefold()]
    if not whom or whom[0].number == hearing.token.seat:
        others = [seat.name for seat in hearing.sitting.seats if seat.number != hearing.token.seat]
        raise UnknownCommand(f'There is nobody "{clean(name)[:40]}" to tell.', *(f"tell {other} TEXT" for other in others))
    _deliver(hearing, text, whom, f"{hearing.seat.name} tells you")
    hearing.note(f"tell {whom[0].name} {text}"[:60], f"Sent to {whom[0].name} alone.")


def _deliver(hearing: Hearing, text: str, seats: list[Seat], title: str) -> None:
    """Queue a letter of talk to the players of some seats."""
    sitting = hearing.sitting
    if hearing.token.seat in sitting.engine.silent(sitting.table.state):
        raise NotAwaited("You may not talk to the table at this point of the game.")
    said = [clean(line) for line in text[:TALK_LIMIT].splitlines() if line.strip()]
    if not said:
        raise UnknownCommand("There is nothing to tell.", "say Good luck, everybody!")
    shown = Section(title, "\n".join(wrap(line, 2) for line in said), "".join(f"<p>{escape(line)}</p>" for line in said))
    readers = letters.readers(hearing.session, seats)
    for seat in seats:
        reader = readers.get(seat.number)
        if reader is not None and reader.place is not None and not seat.resigned:
            hearing.talk.append(_talk_row(hearing, seat, reader, shown))


def _talk_row(hearing: Hearing, seat: Seat, reader: letters.Reader, shown: Section) -> dict[str, object]:
    sitting, house = hearing.sitting, hearing.house
    page = Page(
        name=turns.name_of(sitting.game), title=sitting.engine.title, to=seat.name, turn=sitting.table.turn(),
        sections=(shown,), footers=('To answer, reply with "say TEXT" or "tell NAME TEXT".',),
    )  # fmt: skip
    text, html = compose(house.renderer, page, None)
    prompt = sitting.prompts.get(seat.number)
    token = Token(seat.game_id, seat.number, sitting.game.epoch, prompt.number if prompt else 0)
    key = f"t{len(hearing.talk)}-{hearing.reply.cause[2:]}-{seat.number}{letters.era(hearing.session)}"
    row = letters.row_for(
        house, reader, seat, token, kind="talk", key=key, subject=f"[{page.name}] {shown.title}", text=text, html=html,
        now=hearing.now,
    )  # fmt: skip
    letters.guard(house, row, seat, reader, page.to)
    return row


def _check(hearing: Hearing, command: Command) -> None:
    """Tell whether an order would be taken, from the seat's view alone; change nothing."""
    if hearing.prompt is None:
        raise NotAwaited("Nothing is asked of you just now, so no order can be checked.")
    order = turns.read(hearing.sitting, hearing.token.seat, command.rest)
    if order is None:
        raise UnknownCommand("This is no order.")
    hearing.note(f"check {command.rest}", f'Read as "{hearing.sitting.engine.format(order)}": it would be taken. Nothing was done.')


def _retract(hearing: Hearing, command: Command) -> None:
    was = turns.retract(hearing.sitting, hearing.token.seat)
    hearing.changed = True
    if hearing.prompt is not None:
        hearing.answering = hearing.prompt.number
    hearing.note("retract", f'Your answer "{was}" was taken back; the question is open again.', *hearing.examples())


def _resign(hearing: Hearing, command: Command) -> None:
    turns.check_open(hearing.sitting)
    if command.rest.casefold() != "yes":
        raise UnknownCommand(
            "To resign cannot be undone: from then on the game's own answers are played for you. Nothing was done yet.",
            "resign yes",
        )
    hearing.seat.resigned = True
    turns.announce(hearing.sitting, Event("house.resigned", {"seat": hearing.token.seat}))
    turns.advance(hearing.sitting, hearing.now)
    hearing.changed = hearing.all_hear = True
    hearing.note("resign yes", "You have resigned. You will get one more letter, when the game is over.")


def _status(hearing: Hearing, command: Command) -> None:
    hearing.reply.wants_digest = True


def _help(hearing: Hearing, command: Command) -> None:
    _section(hearing, "What you can write", "post/help", office=OFFICE_HELP, engine=hearing.sitting.engine)


def _rules(hearing: Hearing, command: Command) -> None:
    _section(hearing, "How to play", f"{hearing.sitting.engine.name}/rules", engine=hearing.sitting.engine)


def _log(hearing: Hearing, command: Command) -> None:
    """Show what happened, as far as the seat may see it and the game lets look back."""
    sitting = hearing.sitting
    _section(hearing, "The log", "post/log", turns=log_lines(hearing.session, hearing.house, sitting, hearing.token.seat))


def log_lines(session: Session, house: House, sitting: Sitting, seat: int | None) -> list[tuple[int, tuple[str, ...]]]:
    """Give the lines of each turn that a seat may see; where MEMORY is closed, of the last turn only."""
    scene = Scene(house.renderer, sitting.table, sitting.names)
    if sitting.engine.memory == "closed":
        entries = letters.last_turn(session, sitting)
    else:
        rows = games.log_of(session, sitting.game.id or 0)
        entries = [(row.number, row.turn, letters.told_events(row.body, games.events_of(row))) for row in rows]
    by_turn: dict[int, list[str]] = {}
    for _, turn, events in entries:
        by_turn.setdefault(turn, []).extend(scene.lines(events, seat))
    return [(turn, tuple(lines)) for turn, lines in by_turn.items() if lines]


def _section(hearing: Hearing, title: str, template: str, **context: object) -> None:
    renderer = hearing.house.renderer
    hearing.reply.sections.append(Section(title, renderer.text(template, **context), renderer.html(template, **context)))


OFFICE: dict[str, Callable[[Hearing, Command], None]] = {
    "help": _help,
    "rules": _rules,
    "status": _status,
    "log": _log,
    "say": _say,
    "tell": _tell,
    "check": _check,
    "retract": _retract,
    "resign": _resign,
}


def _tell_unread(hearing: Hearing, lines: tuple[Line, ...], words: OwnWords) -> None:
    """List what was not read, so that nobody believes that it was."""
    talk = [line.text for line in lines if line.kind == "talk"]
    for text in talk[:SHOWN_LINES]:
        hearing.note(text, "Not read as an order, and shown to nobody.")
    if len(talk) > SHOWN_LINES:
        hearing.note("...", f"{len(talk) - SHOWN_LINES} more lines were not read as orders.")
    for text in words.unread[:SHOWN_LINES]:
        hearing.note(text, "This stands between or below quoted lines, so it was not taken. Write it at the top.")
    if lines or words.unread:
        return
    attached = f" There was only {clean(', '.join(hearing.message.attached))[:80]}." if hearing.message.attached else ""
    hearing.note(
        "(no text)", f"No words of yours could be read in this message.{attached} Please send plain text.", *hearing.examples()
    )
