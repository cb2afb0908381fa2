"""Take answers that players give ahead, list them, and take them back."""

import json
from collections.abc import Sequence

from pbem.core.reading import Command
from pbem.errors import NotAwaited, UnknownCommand
from pbem.services.ahead import alternatives
from pbem.services.hearing import Hearing
from pbem.store.tables import Standing

LIMIT = 500  # characters of one answer given ahead


def on(hearing: Hearing, command: Command) -> None:
    """Keep an answer for a kind of prompt, or list what is kept.

    Raises: UnknownCommand, NotAwaited.
    """
    kinds = _kinds(hearing)
    if not command.rest:
        _list(hearing)
        return
    kind, _, words = command.rest.partition(" ")
    answers = [part.strip() for part in words[:LIMIT].split(",") if part.strip()]
    if kind.lower() not in kinds:
        raise UnknownCommand(f'No answer can be kept for "{kind}"; there are: {", ".join(kinds)}.', *_examples(kinds))
    if not answers:
        raise UnknownCommand("This must say which answer to keep.", *_examples((kind.lower(),)))
    row = Standing(
        game_id=hearing.sitting.game.id or 0, seat=hearing.token.seat, kind=kind.lower(), words=json.dumps(answers),
        given_at=hearing.now,
    )  # fmt: skip
    hearing.sitting.ahead.keep(row)
    hearing.changed = True
    hearing.did("on", f"{row.kind} {', '.join(answers)}")
    hearing.note(f"on {command.rest}", _promise(hearing, row))


def off(hearing: Hearing, command: Command) -> None:
    """Take an answer given ahead back.

    Raises: UnknownCommand, NotAwaited.
    """
    kinds = _kinds(hearing)
    kind = command.rest.lower()
    if kind not in kinds:
        kept = [row.kind for row in hearing.sitting.ahead.of(hearing.token.seat)] or list(kinds)
        raise UnknownCommand("This must say which answer to take back.", *(f"off {one}" for one in kept))
    was = hearing.sitting.ahead.forget(hearing.token.seat, kind)
    hearing.changed = True
    hearing.did("off", kind)
    told = f'"{", ".join(alternatives(was))}" is no longer given for you.' if was else "Nothing was kept for it."
    hearing.note(f"off {kind}", f"{told} You are asked again whenever it comes up.")


def _kinds(hearing: Hearing) -> tuple[str, ...]:
    """Give the kinds of prompt that take an answer ahead.

    Raises: NotAwaited if the game has none, or the seat has resigned.
    """
    kinds = hearing.sitting.engine.standing
    if not kinds:
        raise NotAwaited(f"{hearing.sitting.engine.title} takes no answers ahead.")
    if hearing.seat.resigned:
        raise NotAwaited("You have resigned from this game, and it plays your seat now.")
    return kinds


def _examples(kinds: Sequence[str]) -> list[str]:
    return [f"on {kind} ORDER" for kind in kinds]


def _list(hearing: Hearing) -> None:
    kept = hearing.sitting.ahead.of(hearing.token.seat)
    for row in kept:
        hearing.note(f"on {row.kind} {', '.join(alternatives(row))}", _promise(hearing, row), f"off {row.kind}")
    if not kept:
        kinds = hearing.sitting.engine.standing
        hearing.note("on", "You have given no answer ahead. It can be done for:", *_examples(kinds))


def _promise(hearing: Hearing, row: Standing) -> str:
    """Say what will be done with an answer, and that what is asked already still waits for one."""
    first, *others = (f'"{words}"' for words in alternatives(row))
    then = "".join(f", or if that is not legal {words}" for words in others)
    told = f'Kept: from now on, whenever "{row.kind}" is asked of you, {first}{then} is given for you.'
    prompt = hearing.prompt
    if prompt is not None and prompt.kind == row.kind and prompt.order is None:
        told += " What you are asked now is still open: it was asked before."
    return told
