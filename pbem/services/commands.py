"""Do what the lines of a player's message say, each noted with what came of it."""

from collections.abc import Callable

from pbem.core.quotes import OwnWords
from pbem.core.reading import OFFICE_WORDS, Command, Line
from pbem.core.reading import read as read_lines
from pbem.core.receipts import ORDER, RETRACT
from pbem.engine import Event, IllegalOrder
from pbem.errors import BadOrder, NotAwaited, PlayerError, StaleOrder, UnknownCommand
from pbem.services import complaining, leaving, pages, proofs, receipts, standing, talk, turns, undo
from pbem.services.commons import PRIVATE
from pbem.services.hearing import Hearing, answered, check_epoch, check_open, clean
from pbem.services.preference import prefer
from pbem.services.turns import Sitting
from pbem.store import facts, games
from pbem.store.tables import Prompt

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
            stopped = not _attempt(hearing, line.text, _order)
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


def _order(hearing: Hearing, text: str) -> None:
    """Take an order: it answers the prompt that its letter asked, or what the same seat is asked next.

    One that may come at any time answers none: it is bound to the game and its epoch alone.
    """
    sitting, seat = hearing.sitting, hearing.token.seat
    check_open(hearing)
    unasked = turns.is_unasked(sitting, seat, text)
    (check_epoch if unasked else _check_fresh)(hearing)
    if unasked and hearing.message.mark("twice"):
        raise StaleOrder("The same words came a moment before, and were dealt with then.")
    if hearing.public and len(sitting.prompts) > 1 and not unasked:
        hearing.misplaced = True
        raise NotAwaited(PRIVATE)
    order = turns.read(sitting, seat, text)
    if order is None:
        raise UnknownCommand("This is not an order that can be given now.")
    canonical = sitting.engine.format(order)
    entries, asked = sitting.table.entries, None if unasked else hearing.prompt
    if asked is None:
        turns.interrupt(sitting, seat, order, hearing.now)
    else:
        turns.answer(sitting, seat, order, hearing.message.received_at)
        turns.advance(sitting, hearing.now)
    hearing.changed = True
    hearing.did(ORDER, canonical, asked, after=entries)
    hearing.answering = hearing.prompt.number if hearing.prompt else 0
    if sitting.table.entries > entries:
        hearing.note(text, f'Read as "{canonical}" and done.')
    else:
        when = f"until {hearing.beat()} at least" if sitting.game.pace else "until all answers are in"
        hearing.note(text, f'Read as "{canonical}". It is sealed {when}; "retract" takes it back till then.')


def _check_fresh(hearing: Hearing) -> None:
    """Make sure that the order answers what is asked now.

    Raises: StaleOrder, NotAwaited.
    """
    sitting, seat = hearing.sitting, hearing.token.seat
    check_epoch(hearing)
    prompt = hearing.prompt
    if prompt is None:
        if not hearing.answering and seat in sitting.engine.interrupts(sitting.table.state):
            if hearing.message.mark("twice"):
                raise StaleOrder("The same words came a moment before, and were dealt with then.")
            return
        raise _stale(hearing) if hearing.answering else NotAwaited("Nothing is asked of you just now.")
    if prompt.number != hearing.answering:
        raise _stale(hearing)
    if prompt.order is not None and prompt.given_by not in turns.OWN:
        raise StaleOrder(f'{answered(prompt)} for you: "{prompt.order}" stands.')
    if prompt.order is not None and not hearing.message.mark("edit"):
        raise StaleOrder(
            f'You have answered this already with "{prompt.order}", which is sealed. '
            'To change it, write "retract" on one line and the new order on the next.'
        )
    if _came_late(hearing, prompt):
        raise StaleOrder("This came after the deadline had passed, so the game's own answer stands for it.")


def _came_late(hearing: Hearing, prompt: Prompt) -> bool:
    """Tell whether a message came after the deadline; nothing does while the clock is in doubt."""
    late = hearing.message.received_at > prompt.deadline_at
    return late and not facts.find_fact(hearing.session, "halt")


def _stale(hearing: Hearing) -> StaleOrder:
    """Say what became of the question that the letter asked."""
    hearing.reply.wants_digest = True
    asked = games.find_prompt(hearing.session, hearing.sitting.game.id or 0, hearing.answering)
    if asked is None or asked.seat != hearing.token.seat:
        return StaleOrder("The letter you answered asked nothing of you; please answer the digest below.")
    if asked.order is None:
        return StaleOrder("What this answers is no longer asked, so nothing was done. How things stand is below.")
    own = asked.given_by in turns.OWN
    how = "You have already moved" if own else f"{answered(asked)} for you"
    return StaleOrder(f'{how}: "{asked.order}" stands, and nothing was done now. How things stand is below.')


def _check(hearing: Hearing, command: Command) -> None:
    """Tell whether an order would be taken, from the seat's view alone; change nothing."""
    check_open(hearing)
    sitting, seat = hearing.sitting, hearing.token.seat
    if hearing.prompt is None and seat not in sitting.engine.interrupts(sitting.table.state):
        raise NotAwaited("Nothing is asked of you just now, so no order can be checked.")
    order = turns.read(sitting, seat, command.rest)
    if order is None:
        raise UnknownCommand("This is no order.", *(f"check {example}" for example in hearing.examples()[:1]))
    hearing.note(
        f"check {command.rest}",
        f'Read as "{sitting.engine.format(order)}": it would be taken. Nothing was done.',
    )


def _retract(hearing: Hearing, command: Command) -> None:
    """Take a sealed answer back, as long as another could be given.

    Raises: StaleOrder, NotAwaited.
    """
    check_open(hearing)
    check_epoch(hearing)
    prompt = hearing.prompt
    if prompt is not None and prompt.order is not None:
        if prompt.number != hearing.answering:
            raise _stale(hearing)
        if prompt.given_by not in turns.OWN or _came_late(hearing, prompt):
            how = "The deadline has passed" if prompt.given_by != turns.MODERATOR else "A moderator answered for you"
            raise StaleOrder(f'{how}, so "{prompt.order}" stands.')
    was = turns.retract(hearing.sitting, hearing.token.seat)
    hearing.did(RETRACT, "", prompt)
    hearing.changed = True
    hearing.note("retract", f'Your answer "{was}" was taken back; the question is open again.', *hearing.examples())


def _undo(hearing: Hearing, command: Command) -> None:
    """Take back what is sealed, or what was used last.

    Raises: StaleOrder, NotAwaited.
    """
    if hearing.prompt is not None and hearing.prompt.order is not None:
        return _retract(hearing, command)
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
    "check": _check,
    "retract": _retract,
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
