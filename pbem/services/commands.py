"""Do what the lines of a player's message say, each noted with what came of it."""

from collections.abc import Callable

from pbem.core.quotes import OwnWords
from pbem.core.reading import OFFICE_WORDS, Command, Line
from pbem.core.reading import read as read_lines
from pbem.engine import Event, IllegalOrder
from pbem.errors import BadOrder, PlayerError, UnknownCommand
from pbem.services import complaining, leaving, orders, pages, proofs, receipts, standing, talk, turns, undo
from pbem.services.hearing import Hearing, check_epoch, check_open, clean
from pbem.services.preference import prefer
from pbem.services.sittings import Sitting

LIMIT = 20  # commands of one message
SHOWN_LINES = 6
DEEDS = ("retract", "resign", "undo", "agree", "refuse")


def obey(hearing: Hearing, words: OwnWords) -> bool:
    """Do each line that is wholly a command, and tell whether there was one.

    An order answers what its seat is asked once the one above it was taken, so it is not tried below one that was not.
    """
    hearing.answering = hearing.token.prompt
    lines, beyond = _limited(classify(hearing.sitting, hearing.token.seat, words.text))
    refusals = _refusals(hearing, lines)
    stopped = False
    for index, line in enumerate(lines):
        if index in refusals:
            hearing.note(line.text, refusals[index].why, *refusals[index].examples)
        elif line.kind == "order" and stopped:
            hearing.note(line.text, "Not done, since the order above it was not taken.")
        elif line.kind == "order":
            stopped = not _attempt(hearing, line.text, orders.take)
        elif line.command is not None and line.command.word != "end":
            _attempt(hearing, line.text, OFFICE[line.command.word], line.command)
    if beyond:
        hearing.note(beyond[0].text, f"Not read, nor what stands below: one message may have {LIMIT} commands.")
    _tell_unread(hearing, lines, words)
    return any(_is_command(line) for line in lines)


def classify(sitting: Sitting, seat: int, words: str) -> tuple[Line, ...]:
    """Tell for each line whether it is an office command, an order, talk or a slip; not whether it is legal."""

    def is_order(text: str) -> bool:
        try:
            return turns.read(sitting, seat, text) is not None
        except BadOrder:
            return True

    return read_lines(
        words, is_order=is_order, vocabulary=vocabulary(sitting), names=sitting.names, kinds=sitting.engine.standing
    )


def vocabulary(sitting: Sitting) -> frozenset[str]:
    """Give the words that an order or a command is made of."""
    patterns = " ".join(row.words for row in sitting.engine.notation).split()
    own = {word for word in patterns if word.isalpha() and word.islower()}
    return frozenset(own | {name.lower() for name in sitting.names} | OFFICE_WORDS)


def _refusals(hearing: Hearing, lines: tuple[Line, ...]) -> dict[int, PlayerError]:
    """Find what is refused before anything is done, from what the seat's view alone tells.

    A slip, or an order that cannot be read, refuses all orders of its message; two answers to one prompt refuse each
    other. An order that is not legal now may answer what is asked next: that is seen when its turn comes.
    """
    refusals: dict[int, PlayerError] = {}
    answers: list[int] = []
    for index, line in enumerate(lines):
        if line.kind == "slip":
            refusals[index] = BadOrder("One letter away from a command; was this meant?", line.mended)
        elif line.kind == "order":
            try:
                turns.read(hearing.sitting, hearing.token.seat, line.text)
                if not turns.is_unasked(hearing.sitting, hearing.token.seat, line.text):
                    answers.append(index)
            except IllegalOrder:
                pass
            except BadOrder as error:
                refusals[index] = error
    if not refusals and len(answers) > 1 and hearing.prompt is not None:
        given = " and ".join(f'"{lines[index].text}"' for index in answers)
        told = BadOrder(f"Not done: {given} answer the same question. Please send one of them.")
        refusals = dict.fromkeys(answers, told)
    if refusals:
        told = BadOrder("Not done, since another line of your message is not clear. Please send all of it again.")
        return dict.fromkeys((index for index, line in enumerate(lines) if _is_deed(line)), told) | refusals
    return {}


def _limited(lines: tuple[Line, ...]) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Give the lines up to the number of commands that one message may have, and the rest."""
    counted = [index for index, line in enumerate(lines) if line.kind != "talk"]
    end = counted[LIMIT] if len(counted) > LIMIT else len(lines)
    return lines[:end], lines[end:]


def _is_command(line: Line) -> bool:
    """Tell whether a line asks for something; `end` does not."""
    return line.kind == "order" or (line.command is not None and line.command.word != "end")


def _is_deed(line: Line) -> bool:
    """Tell whether a line would change the game."""
    return line.kind == "order" or (line.command is not None and line.command.word in DEEDS)


def _attempt(hearing: Hearing, text: str, action: Callable[..., None], *more: object) -> bool:
    """Do one line, and tell whether it was done; what is wrong with it becomes its note."""
    try:
        action(hearing, *(more or (text,)))
    except PlayerError as error:
        hearing.note(text, error.why, *(error.examples or hearing.examples()))
        return False
    return True


def _undo(hearing: Hearing, command: Command) -> None:
    """Take back what is sealed, or what was used last.

    Raises: StaleOrder, NotAwaited.
    """
    if hearing.prompt is not None and hearing.prompt.order is not None:
        return orders.retract(hearing, command)
    return undo.ask(hearing, command)


def _resign(hearing: Hearing, command: Command) -> None:
    check_open(hearing)
    check_epoch(hearing)
    if command.rest.casefold() != "yes":
        raise UnknownCommand(
            "To resign cannot be undone: from then on the game's own answers are played for you. Nothing was done yet.",
            "resign yes",
        )
    hearing.seat.resigned = True
    hearing.did("resign")
    turns.announce(hearing.sitting, Event("house.resigned", {"seat": hearing.token.seat}))
    turns.advance(hearing.sitting, hearing.now)
    hearing.changed = hearing.all_hear = True
    hearing.note("resign yes", "You have resigned. You will get one more letter, when the game is over.")


OFFICE: dict[str, Callable[[Hearing, Command], None]] = {
    "help": pages.help,
    "rules": pages.rules,
    "status": pages.status,
    "log": pages.log,
    "receipt": receipts.receipt,
    "export": proofs.export,
    "say": talk.say,
    "tell": talk.tell,
    "check": orders.check,
    "retract": orders.retract,
    "undo": _undo,
    "agree": undo.agree,
    "refuse": undo.refuse,
    "dispute": complaining.dispute,
    "appeal": complaining.appeal,
    "on": standing.on,
    "off": standing.off,
    "away": leaving.away,
    "back": leaving.back,
    "resign": _resign,
    "prefer": prefer,
}


def _tell_unread(hearing: Hearing, lines: tuple[Line, ...], words: OwnWords) -> None:
    """List what was not read, so that nobody believes that it was."""
    prose = [line.text for line in lines if line.kind == "talk"]
    _list_unread(hearing, prose, "Not read as an order, and shown to nobody.")
    below = "This stands between or below quoted lines, so it was not taken. Write it at the top."
    _list_unread(hearing, words.unread, below)
    if any(_is_command(line) or line.kind == "slip" for line in lines):
        return
    works = hearing.examples() or ("help",)
    if lines or words.unread:
        told = "No line of your message is a command. Each stands on a line of its own, with nothing else on it."
        hearing.note("(no command)", told, *works)
    else:
        attached = hearing.message.attached
        only = f" There was only {clean(', '.join(attached))[:80]}." if attached else ""
        told = f"No words of yours could be read in this message.{only} Please send plain text."
        hearing.note("(no text)", told, *works)


def _list_unread(hearing: Hearing, texts: list[str] | tuple[str, ...], told: str) -> None:
    for text in texts[:SHOWN_LINES]:
        hearing.note(text, told)
    if len(texts) > SHOWN_LINES:
        hearing.note("...", f"So it was with {len(texts) - SHOWN_LINES} more.")
