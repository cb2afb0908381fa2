"""Compare what leaves for a seat in worlds that differ only in what this seat may not know (promise 1)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from pbem.core import table
from pbem.core.digest import Scene
from pbem.core.table import Answer
from pbem.engine import AnyState, BadOrder, Dice, Event
from pbem.services.sittings import Sitting
from pbem.testing.checks import first_difference
from pbem.testing.checks.knowledge import differences, who
from pbem.testing.kit import Kit
from pbem.testing.plays import NAMES, Match
from pbem.testing.stage import Stage
from pbem.testing.texts import odd_texts
from pbem.testing.worlds import SHOWN, Letter, Position, moves, play_through, stage_for

MOST_CHECKS = 12
REMIND = "(a reminder)"
Letters = dict[int | None, list[Letter]]


@dataclass(frozen=True)
class Leak:
    """Say where which words made letters differ for a seat, and the two that differ."""

    seat: int | None
    words: str
    here: object
    there: object

    def __str__(self) -> str:
        words = self.words.replace("\n", "; ")
        return f"{who(self.seat)} gets other letters ({words}): {self.difference()}"

    def difference(self) -> str:
        """Show the first place in which the letters differ."""
        if not isinstance(self.here, list) or not isinstance(self.there, list):
            return first_difference(repr(self.here), repr(self.there))
        if len(self.here) != len(self.there):
            return f"{len(self.here)} letters against {len(self.there)}"
        pairs = zip(self.here, self.there, strict=True)
        number, one, other = next((at, a, b) for at, (a, b) in enumerate(pairs, 1) if a != b)
        part = next(at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
        return f"letter {number}, {SHOWN[part]}: {first_difference(str(one[part]), str(other[part]))}"


def no_letter_tells_more_than_a_view(kit: Kit) -> None:
    """Every outgoing byte for a seat is equal in worlds that it cannot tell apart.

    That is: digests in text and HTML, errors, `check`, `help`, reminders, subjects, the order and number of letters.
    """
    if kit.hidden == "nothing":
        return
    with stage_for(kit.engine) as stage:
        looked, number = 0, 0
        while looked < kit.positions:
            match = kit.match(number)
            looked += len(list(look(kit, stage, match, max(2, kit.positions // 4))))
            number += 1


def look(kit: Kit, stage: Stage, match: Match, positions: int, worlds: int = 1) -> Iterator[int]:
    """Play one game through the house, look for leaks in so many positions, and give the pairs of worlds compared.

    Raises: AssertionError at the first leak.
    """
    dice = match.dice("letters")
    seed = f"{match.engine.name} {match.number}"
    name = stage.new_game(match.engine.name, NAMES[: match.players], seed=seed, **match.options)
    stride = 1 + match.number % 4
    for at, sitting in enumerate(islice(play_through(stage, name, dice), positions * stride)):
        if at % stride:
            continue
        for leak in leaks(stage, sitting, dice, worlds=worlds):
            raise AssertionError(f"{match}, in the house, step {sitting.table.step + 1}: {leak}")
        yield worlds * (1 + len(sitting.seats))


def leaks(stage: Stage, sitting: Sitting, dice: Dice, *, worlds: int = 1) -> Iterator[Leak]:
    """Look for letters that tell a seat, or an observer, more than its view does, in so many other worlds for each."""
    position, state = Position(stage, sitting), sitting.table.state
    moving = _Moving(position, moves(sitting, dice), dice)
    for seat in (None, *range(len(sitting.seats))):
        words = questions(sitting, seat, dice) if seat is not None else ("the table",)
        here = _answers(position, state, seat, words)
        for _ in range(worlds):
            other = sitting.engine.reshuffle(state, (seat,), dice)
            key = b"%d" % dice.below(1 << 30)
            for difference in differences(sitting.engine, state, other, seat, key):
                yield Leak(seat, *difference)
            yield from _compare(seat, " | ".join(words), here, _answers(position, other, seat, words))
            if seat is not None and dice.below(2):
                yield from moving.leaks(seat, other)


def questions(sitting: Sitting, seat: int, dice: Dice) -> tuple[str, ...]:
    """Write messages that change nothing: office commands with checks of orders and of odd texts, and a refused order.

    What costs time is left out now and then, and asked another time.
    """
    engine, state = sitting.engine, sitting.table.state
    view, lines = (
        engine.view(state, seat),
        [engine.sample(engine.view(state, other), dice) for other in sitting.prompts],
    )
    lines += [row.example for row in engine.notation]
    odd = [" ".join(text.split()) for text in odd_texts(lines, dice, 4)]
    checks = [f"check {text}" for text in dice.shuffled([*lines, *odd])[:MOST_CHECKS]]
    slips = [f"{row.example[0]}{row.example}" for row in engine.notation[:1]]
    pages = ["help", "rules"] if not dice.below(4) else []
    refused = [text for text in (*lines, *odd) if _is_refused(sitting, view, text)] if dice.below(2) else []
    asked = "\n".join(["status", "log", *pages, *checks, "hello there", *slips])
    return (asked, *([dice.choice(refused)] if refused else []), *([REMIND] if dice.below(2) else []))


def _answers(position: Position, world: AnyState, seat: int | None, words: tuple[str, ...]) -> object:
    """Ask what changes nothing, and give the letters that answer; an observer has but the table."""
    if seat is None:
        return _public(position.stage, position.sitting, world)
    acts = [position.sending(seat, text) for text in words if text != REMIND]
    if REMIND in words and seat in position.sitting.prompts:
        acts.append(position.reminding(seat))
    return position.letters(world, *acts).get(seat, [])


class _Moving:
    """Let those who are asked move in two worlds: where a seat sees the same come of it, its letters are the same."""

    def __init__(self, position: Position, sent: Mapping[int, str], dice: Dice) -> None:
        self._position, self._sitting, self._sent, self._dice = position, position.sitting, sent, dice

    def leaks(self, seat: int, other: AnyState) -> Iterator[Leak]:
        """Compare: either all send the same (their own hands must stay then), or each moves by what it holds there."""
        sitting, sent = self._sitting, dict(self._sent)
        if self._dice.below(2):
            other = sitting.engine.reshuffle(sitting.table.state, (seat, *sent), self._dice)
        else:
            sent |= {one: _sample(sitting, other, one, self._dice) for one in sent if one != seat}
        here, there = _outcome(sitting, sitting.table.state, self._sent, seat), _outcome(sitting, other, sent, seat)
        if here == there:
            told = ", ".join(f"{sitting.seats[mover].name}: {text}" for mover, text in self._sent.items())
            yield from _compare(seat, f"({told})", self._here.get(seat, []), self._letters(other, sent).get(seat, []))

    @cached_property
    def _here(self) -> Letters:
        return self._letters(self._sitting.table.state, self._sent)

    def _letters(self, world: AnyState, sent: Mapping[int, str]) -> Letters:
        return self._position.letters(world, *(self._position.sending(*each) for each in sent.items()))


def _sample(sitting: Sitting, world: AnyState, seat: int, dice: Dice) -> str:
    return sitting.engine.sample(sitting.engine.view(world, seat), dice)


def _outcome(sitting: Sitting, world: AnyState, texts: Mapping[int, str], seat: int) -> tuple[object, ...]:
    """Give what a seat sees of a step: its view after it, and the events it may see."""
    start = replace(sitting.table, state=world)
    answers: dict[int, Answer] = {}
    for mover, text in texts.items():
        answers[mover] = Answer(table.read(start, mover, text))
        if mover not in sitting.prompts or table.settled(start, answers):
            break
    after, entry = table.step(start, answers)
    return after.view(seat), [_told(event) for event in entry.events if event.visible(seat)]


def _told(event: Event) -> tuple[str, str]:
    return event.kind, repr(event.facts)


def _public(stage: Stage, sitting: Sitting, world: AnyState) -> object:
    return Scene(stage.house.renderer, replace(sitting.table, state=world), sitting.names).table()


def _compare(seat: int | None, words: str, here: object, there: object) -> Iterator[Leak]:
    if here != there:
        yield Leak(seat, words, here, there)


def _is_refused(sitting: Sitting, view: object, text: str) -> bool:
    try:
        return sitting.engine.parse(view, text) is None
    except BadOrder:
        return True
