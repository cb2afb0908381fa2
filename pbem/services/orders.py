"""Take a player's orders, check one that is only asked about, and take back one that is still sealed."""

from pbem.core.reading import Command
from pbem.core.receipts import ORDER, RETRACT
from pbem.errors import NotAwaited, StaleOrder, UnknownCommand
from pbem.services import turns
from pbem.services.commons import PRIVATE
from pbem.services.hearing import Hearing, answered, check_epoch, check_open
from pbem.store import facts, games
from pbem.store.tables import Prompt


def take(hearing: Hearing, text: str) -> None:
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


def check(hearing: Hearing, command: Command) -> None:
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


def retract(hearing: Hearing, command: Command) -> None:
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
