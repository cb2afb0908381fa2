"""Test whole random games: they end, keep every card, are repeatable, and keep their secrets."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from pydantic import TypeAdapter

import engines.blame as blame
import engines.blame.table as table
from engines.blame.orders import Bury, Give, Order, Pass
from pbem.engine import BadOrder, Dice, Event

from .tables import VARIANTS, Step, attempt, new_game, play

GAMES = 3 * len(VARIANTS) * 3
STATES = TypeAdapter(blame.State)
OPEN = {"played", "mistake", "counted", "turned", "ended"}
TWINS = {
    "drew_cards": ("seat",),
    "buried_card": ("seat",),
    "blamed_cards": ("seat",),
    "gave_card": ("seat", "other"),
    "exchanged_cards": ("seat", "other"),
    "spied_cards": ("seat", "other"),
}
TEXTS = (
    "play S1", "play V1 X", "V1 VT1 TG1 !bob", "V1 VT1 TG1", "draw _X", "give X bob", "bury S1, GS2", "V9", "pass",
    "back", "take V", "V1 A1>ann", "hello", "play X X",
)  # fmt: skip


def game(number: int, salt: bytes = b"") -> list[Step]:
    return list(play(new_game(number), Dice(b"moves %d" % number + salt)))


def check_step(step: Step) -> None:
    """Check what must hold after each step: cards, JSON, canonical words, and who sees which card."""
    blame.audit(step.after)
    assert STATES.validate_json(STATES.dump_json(step.after)) == step.after
    assert blame.turn(step.after) - blame.turn(step.before) in (0, 1)
    assert (blame.result(step.after) is None) == bool(blame.awaiting(step.after))
    for event in step.events:
        check_event(step, event)
    for seat in range(len(step.after.names)):
        check_seen(step, seat)


def check_event(step: Step, event: Event) -> None:
    """Check that facts are plain and complete, and that only open happenings show cards to all."""
    facts = dict(event.facts)
    assert json.loads(json.dumps(facts)) == facts
    assert all(step.after.deck.count((card, title)) for card, title in pairs(facts))
    if event.kind in TWINS:
        assert event.seen_by == tuple(facts[key] for key in TWINS[event.kind])
    else:
        assert event.seen_by is None
        assert event.kind in OPEN or not [*pairs(facts)]


def pairs(facts: Any) -> Iterator[tuple[str, str]]:
    """Give every CARD that facts hold, the Emblems of a count left out."""
    if isinstance(facts, dict):
        for key, item in facts.items():
            if key not in ("emblems", "roles"):
                yield from pairs(item)
    elif isinstance(facts, list):
        if len(facts) == 2 and all(isinstance(item, str) for item in facts):
            yield facts[0], facts[1]
        else:
            for item in facts:
                yield from pairs(item)


def check_seen(step: Step, seat: int) -> None:
    """Check that each card shown to a seat alone was in its own view before or is after."""
    views = [blame.view(step.before, seat), blame.view(step.after, seat)]
    own = {card for view in views for card in (*view.hand, *view.secrets)}
    for event in step.events:
        if event.kind in TWINS and event.visible(seat):
            assert {card for card, _ in pairs(dict(event.facts))} <= own


def told(state: blame.State, seat: int, dice: bytes) -> tuple[object, ...]:
    """Give all that a seat can get out of a state without a step."""
    view = blame.view(state, seat)
    answers = [_plain(attempt(view, text)) for text in TEXTS]
    offers: list[object] = []
    if view.ask:
        offers = [blame.sample(view, Dice(dice)), blame.default(view, Dice(dice))]
    return view, answers, offers, blame.awaiting(state).get(seat), blame.result(state)


def _plain(answer: object) -> object:
    return (type(answer), answer.why, answer.examples) if isinstance(answer, BadOrder) else answer


def check_secrecy(state: blame.State, dice: Dice) -> None:
    """Check that a seat cannot tell a state from one dealt anew behind its back."""
    for seat in range(len(state.names)):
        other = blame.reshuffle(state, [seat], dice)
        blame.audit(other)
        key = b"%d" % dice.below(1000)
        assert told(other, seat, key) == told(state, seat, key)
    other = blame.reshuffle(state, [None], dice)
    assert blame.view(other, None) == blame.view(state, None)


def check_hidden_choice(step: Step, dice: Dice) -> None:
    """Check that whoever is no party to a burial or gift is told the same whichever card it was."""
    for seat in range(len(step.before.names)):
        other = blame.reshuffle(step.before, [seat], dice)
        orders = {
            one: _with_other_card(order, other.hands[one], one == seat, dice) for one, order in step.orders.items()
        }
        if any(isinstance(order, Give) and order.to == step.before.names[seat] for order in orders.values()):
            continue
        _, events = blame.resolve(other, orders, Dice(b""))
        assert _heard(events, seat) == _heard(step.events, seat)


def _with_other_card(order: Order, hand: Sequence[str], own: bool, dice: Dice) -> Order:
    return replace(order, card=dice.choice(hand)) if isinstance(order, Give | Bury) and not own else order


def _heard(events: Sequence[Event], seat: int) -> list[Event]:
    return [
        event for event in events if event.visible(seat) and event.kind in ("gave", "buried", "buried_card", "declined")
    ]


@pytest.mark.parametrize("number", range(GAMES))
def test_a_game_ends_and_keeps_cards_and_secrets(number: int) -> None:
    dice = Dice(b"secrets %d" % number)
    check_secrecy(new_game(number), dice)
    steps = game(number)
    for step in steps:
        check_step(step)
        check_secrecy(step.after, dice)
        if all(isinstance(order, Give | Bury | Pass) for order in step.orders.values()):
            check_hidden_choice(step, dice)
    assert steps[-1].after.ending in blame.ENDINGS


def test_the_same_seed_gives_the_same_game() -> None:
    for number in range(12):
        assert game(number) == game(number)
    assert game(1) != game(1, b"other")


def test_random_games_reach_everything() -> None:
    kinds: Counter[str] = Counter()
    prompts: Counter[str] = Counter()
    endings: Counter[str] = Counter()
    for number in range(GAMES):
        steps = game(number)
        endings[steps[-1].after.ending] += 1
        for step in steps:
            kinds.update(event.kind for event in step.events)
            prompts.update(step.before.asked)
    documented = {line.split("|")[1].strip() for line in (table.__doc__ or "").splitlines() if line.startswith("| ")}
    assert set(kinds) == documented - {"event"}
    assert set(prompts) == {"", "role", "turn", "gift", "baksheesh", "bury", "nobility"}
    assert set(endings) == set(blame.ENDINGS)


def test_reshuffling_for_nobody_deals_all_anew() -> None:
    state = game(2)[12].before
    others = [blame.reshuffle(state, [], Dice(b"%d" % number)) for number in range(8)]
    for other in others:
        blame.audit(other)
        assert [len(hand) for hand in other.hands] == [len(hand) for hand in state.hands]
    assert len({other.hands for other in others}) == 8 and len({other.pile[-1] for other in others}) > 1


def test_reshuffling_moves_what_a_seat_cannot_see() -> None:
    state = game(2)[12].before
    others = [blame.reshuffle(state, [0], Dice(b"%d" % number)) for number in range(8)]
    assert len({other.hands[1] for other in others}) > 1 and len({other.draw for other in others}) > 1
    assert {other.hands[0] for other in others} == {state.hands[0]}


def test_the_audit_finds_a_lost_card_a_double_one_and_a_lost_role() -> None:
    state = new_game(0)
    for broken in (
        replace(state, draw=state.draw[1:]),
        replace(state, pile=(*state.pile, state.draw[0])),
        replace(state, untaken=state.untaken[1:]),
    ):
        with pytest.raises(AssertionError):
            blame.audit(broken)


@pytest.mark.prove
@pytest.mark.skipif("PBEM_PROVE" not in os.environ, reason="run by `make prove`")
@pytest.mark.parametrize("part", range(20))
def test_prove_ten_thousand_games(part: int) -> None:
    for number in range(part * 500, part * 500 + 500):
        dice = Dice(b"secrets %d" % number)
        steps = game(number)
        for at, step in enumerate(steps):
            check_step(step)
            if at % 5 == number % 5:
                check_secrecy(step.after, dice)
        assert steps[-1].after.ending in blame.ENDINGS
