"""Carry what players say to each other: one letter a seat for all that one message says."""

from collections.abc import Sequence

from markupsafe import escape

from pbem.core.digest import Page, Section, compose
from pbem.core.reading import Command
from pbem.core.render import listed, wrap
from pbem.core.token import Token
from pbem.errors import NotAwaited, StaleOrder, UnknownCommand
from pbem.services import addressing, envelopes, sittings
from pbem.services.hearing import Hearing, clean
from pbem.store.tables import Seat

LIMIT = 4000  # characters of one `say`
REPEATED = 60


def say(hearing: Hearing, command: Command) -> None:
    """Tell all other players something."""
    sitting = hearing.sitting
    others = [seat for seat in sitting.seats if seat.number != hearing.token.seat]
    reached = _deliver(hearing, command.rest, others, f"{hearing.seat.name} says", "say Good luck, everybody!")
    _note(hearing, f"say {command.rest}", f"Sent to {listed(reached)}.", command.rest)


def tell(hearing: Hearing, command: Command) -> None:
    """Tell one other player something."""
    name, _, text = command.rest.partition(" ")
    others = [seat for seat in hearing.sitting.seats if seat.number != hearing.token.seat]
    whom = [seat for seat in others if seat.name.casefold() == name.casefold()]
    if not whom:
        why = f'There is nobody "{clean(name)[:40]}" to tell.' if name else "This must say whom to tell."
        raise UnknownCommand(why, *(f"tell {other.name} TEXT" for other in others))
    name = whom[0].name
    _deliver(hearing, text, whom, f"{hearing.seat.name} tells you", f"tell {name} Good luck!")
    _note(hearing, f"tell {name} {text}", f"Sent to {name} alone.", text)


def letters_of(hearing: Hearing) -> list[dict[str, object]]:
    """Give the outbox rows of all that was said: one for each seat that is told anything."""
    if not hearing.talk:
        return []
    seats = [hearing.sitting.seats[number] for number in sorted(hearing.talk)]
    told = addressing.readers(hearing.session, seats)
    rows = [_row(hearing, seat, told[seat.number], hearing.talk[seat.number]) for seat in seats]
    return addressing.spread(rows, told)


def _deliver(hearing: Hearing, words: str, seats: Sequence[Seat], title: str, example: str) -> list[str]:
    """Keep what is said for each of these seats that can be reached, and give their names."""
    if hearing.token.seat in hearing.sitting.engine.silent(hearing.sitting.table.state):
        raise NotAwaited("You may not talk to the table at this point of the game.")
    if hearing.message.mark("twice"):
        raise StaleOrder("The same words came a moment before, and were sent then.")
    said = [clean(line).strip() for line in words[:LIMIT].splitlines()]
    said = [line for line in said if line]
    if not said:
        raise UnknownCommand("There is nothing to tell.", example)
    told = addressing.readers(hearing.session, seats)
    reached = [
        seat for seat in seats if not seat.resigned and seat.number in told and told[seat.number].place is not None
    ]
    if not reached:
        raise NotAwaited(f"Nothing was sent: {listed([seat.name for seat in seats])} cannot be reached any more.")
    text, html = "\n".join(wrap(line, 2) for line in said), "".join(f"<p>{escape(line)}</p>" for line in said)
    for seat in reached:
        hearing.talk.setdefault(seat.number, []).append(Section(title, text, html))
    return [seat.name for seat in reached]


def _note(hearing: Hearing, line: str, told: str, text: str) -> None:
    shown = line if len(line) <= REPEATED else f"{line[:REPEATED]}..."
    cut = f" It was too long: only the first {LIMIT} characters were sent." if len(text) > LIMIT else ""
    hearing.note(shown, told + cut)


def _row(hearing: Hearing, seat: Seat, reader: addressing.Reader, said: Sequence[Section]) -> dict[str, object]:
    sitting, house = hearing.sitting, hearing.house
    page = Page(
        name=sittings.name_of(sitting.game), title=sitting.engine.title, to=seat.name, turn=sitting.table.turn(),
        sections=tuple(said), footers=('To answer, reply with "say TEXT" or "tell NAME TEXT".',),
    )  # fmt: skip
    text, html = compose(house.renderer, page, None)
    prompt = sitting.prompts.get(seat.number)
    token = Token(seat.game_id, seat.number, sitting.game.epoch, prompt.number if prompt else 0)
    about = said[0].title if len({section.title for section in said}) == 1 else f"{hearing.seat.name} writes"
    row = envelopes.row_for(
        house, reader, seat, token, kind="talk",
        key=f"t-{hearing.reply.cause[2:]}-{seat.number}{envelopes.era(hearing.session)}",
        subject=f"[{page.name}] {about}", text=text, html=html, now=hearing.now,
    )  # fmt: skip
    envelopes.guard(house, row, seat, reader, page.to)
    return row
