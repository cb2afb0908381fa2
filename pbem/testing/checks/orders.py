"""Check how orders are read, written, offered and sealed."""

from collections.abc import Callable, Iterator, Mapping

from pbem.core.reading import read as read_lines
from pbem.core.rows import tidy
from pbem.engine import AnyState, BadOrder, Engine, Order
from pbem.testing.checks import each_step, first_difference, shorten
from pbem.testing.kit import Kit
from pbem.testing.plays import Step, until_settled
from pbem.testing.texts import odd_texts

LONGEST = 200
"""No order may be longer: it has to fit into one line of a letter."""


@each_step
def samples_and_defaults_are_legal(kit: Kit, step: Step) -> None:
    """`sample`, `default`, the examples of a prompt and what bots choose are always read as orders."""
    for seat, what, text in offers(step):
        try:
            order = step.engine.parse(step.engine.view(step.before, seat), text)
        except BadOrder as error:
            raise AssertionError(f"{what} of seat {seat} is {text!r}, which parse refuses: {error}") from error
        assert order is not None, f"{what} of seat {seat} is {text!r}, which parse takes for talk"


def offers(step: Step) -> Iterator[tuple[int, str, str]]:
    """Give every line that the game itself offers to a seat: the seat, what it is, the text."""
    engine, state = step.engine, step.before
    for seat, prompt in engine.awaiting(state).items():
        view, dice = engine.view(state, seat), step.dice(f"offers {seat}")
        yield seat, "the sample", engine.sample(view, dice)
        yield seat, "the default", engine.format(engine.default(view, dice))
        yield from ((seat, "an example", example) for example in prompt.examples)
        yield from ((seat, f"the choice of bot {name}", choose(view, (), dice)) for name, choose in engine.bots.items())
    for seat in set(engine.interrupts(state)) - engine.awaiting(state).keys():
        view = engine.view(state, seat)
        yield seat, "the sample, unasked,", engine.sample(view, step.dice(f"offers {seat}"))


@each_step
def orders_read_back(kit: Kit, step: Step) -> None:
    """parse(format(x)) == x, in the one line that the log keeps."""
    for seat, order in {**step.sealed, **_defaults(step)}.items():
        text = step.engine.format(order)
        again = step.engine.parse(step.engine.view(step.before, seat), text)
        assert again == order, f"{order!r} is written {text!r}, which is read as {again!r}"
        assert step.engine.format(again) == text, f"{text!r} is written differently when it is written again"


def _defaults(step: Step) -> dict[int, Order]:
    engine, state = step.engine, step.before
    return {
        seat: engine.default(engine.view(state, seat), step.dice(f"default {seat}"))
        for seat in engine.awaiting(state)
        if seat not in step.sealed
    }


@each_step
def orders_can_be_sent_in_a_letter(kit: Kit, step: Step) -> None:
    """Every order is one line that mail leaves as it is, and that the office does not take for a word of its own."""
    for seat, what, text in offers(step):
        fit = text == tidy(text) and len(text) <= LONGEST and text[:1] not in ("", ">", "-", ".")
        assert fit, f"{what} of seat {seat} is {text!r}: that is no line that mail carries unchanged"
        view = step.engine.view(step.before, seat)
        is_order = _reader(step.engine, view)
        (line,) = read_lines(text, is_order=is_order, vocabulary=(), names=()) or (None,)
        assert line and line.kind == "order", f"{what} of seat {seat} is {text!r}: the office takes it for its own"


def _reader(engine: Engine, view: object) -> Callable[[str], bool]:
    return lambda text: _reads(engine, view, text)


@each_step
def any_text_is_an_order_talk_or_refused(kit: Kit, step: Step) -> None:
    """Whatever is written, `parse` gives an order or None, or raises a BadOrder whose examples would work."""
    engine, dice = step.engine, step.dice("odd texts")
    lines = (*step.texts.values(), *(row.example for row in engine.notation))
    seats = tuple(engine.awaiting(step.before)) or tuple(step.seats)
    for text in odd_texts(lines, dice, kit.texts):
        check_text(engine, step.before, dice.choice(seats), text)


def check_text(engine: Engine, state: AnyState, seat: int, text: str) -> None:
    """Check what becomes of one text of one seat."""
    view, said = engine.view(state, seat), f"seat {seat} writes {shorten(text, 80)!r}"
    try:
        order = engine.parse(view, text)
    except BadOrder as error:
        if not error.why.strip():
            raise AssertionError(f"{said}: it is refused without a reason") from error
        wrong = [example for example in error.examples if not _reads(engine, view, example)]
        if wrong and seat in engine.awaiting(state):
            raise AssertionError(f"{said}: {wrong[0]!r} is said to work, and does not") from error
        return
    except Exception as error:
        raise AssertionError(f"{said}: parse raised {type(error).__name__}: {error}") from error
    if order is not None:
        canonical = engine.format(order)
        again = engine.parse(view, canonical)
        assert again == order, f"{said}: read as {order!r}, written {canonical!r}, read back as {again!r}"


def _reads(engine: Engine, view: object, text: str) -> bool:
    try:
        return engine.parse(view, text) is not None
    except BadOrder:
        return False


@each_step
def sealed_answers_commute(kit: Kit, step: Step) -> None:
    """In whatever order sealed answers come in, the same comes of them: no post is faster than another."""
    if step.match.racing or len(step.sealed) < 2:
        return
    backwards = dict(reversed(list(step.sealed.items())))
    turned = {seat: step.sealed[seat] for seat in step.dice("arrival").shuffled(tuple(step.sealed))}
    for sealed in (backwards, turned):
        one, other = (_outcome(step, answers) for answers in (step.sealed, sealed))
        came = " then ".join(map(str, sealed))
        assert one == other, f"with answers coming in from {came}, it ends otherwise: {first_difference(one, other)}"


def _outcome(step: Step, sealed: Mapping[int, Order]) -> str:
    engine = step.engine
    state = engine.load(step.snapshot)
    after, events = engine.resolve(state, until_settled(engine, state, sealed), step.dice())
    return engine.dump(after) + repr([(event.kind, dict(event.facts), event.seen_by) for event in events])
