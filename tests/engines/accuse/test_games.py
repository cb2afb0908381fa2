"""Test whole random games: they end, keep every card, are repeatable, and keep their secrets."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any

import pytest
from pydantic import TypeAdapter

import engines.accuse as accuse
import engines.accuse.table as table
from engines.accuse.deck import CARDS, FACE
from engines.accuse.orders import Bid, Challenge, Give, Order, Pass
from pbem.engine import BadOrder, Dice, Event

from .games import VARIANTS, Step, new_game, play
from .tables import attempt, lay

GAMES = 3 * len(VARIANTS) * 6
STATES = TypeAdapter(accuse.State)
TWINS = {
    "laid_card": ("seat",),
    "gave_card": ("seat", "other"),
    "culprits": ("seat",),
    "laid_down_cards": ("seat",),
}
OPEN = {"bluff", "proved", "trap", "showed", "flipped", "ended"}
TEXTS = (
    "play C3", "C3=W5", "X=L2", "play X", "C4=5", "flip #1", "flip 2 3", "!", "!C2>", "challenge if held", "pass",
    "give C2", "show X", "accuse C1 L4 W6", "accuse C1 L4", "accuse nobody", "bid 3", "bid 40", "hello", "play C9",
)  # fmt: skip


def game(number: int, salt: bytes = b"") -> list[Step]:
    return list(play(new_game(number), Dice(b"moves %d" % number + salt)))


def check_step(step: Step) -> None:
    """Check what must hold after each step: cards, JSON, canonical words, and who sees which card."""
    accuse.audit(step.after)
    assert STATES.validate_json(STATES.dump_json(step.after)) == step.after
    assert accuse.turn(step.after) >= accuse.turn(step.before)
    assert (accuse.result(step.after) is None) == bool(accuse.awaiting(step.after))
    assert set(accuse.silent(step.after)) <= set(accuse.view(step.after, None).out)
    for event in step.events:
        check_event(step, event)


def check_event(step: Step, event: Event) -> None:
    """Check that facts are plain, that only open happenings show cards to all, and that views know what was shown."""
    facts = dict(event.facts)
    assert json.loads(json.dumps(facts)) == facts
    cards = [code for code, _ in pairs({key: fact for key, fact in facts.items() if key != "declared"})]
    if event.kind in TWINS:
        assert event.seen_by == tuple(facts[key] for key in TWINS[event.kind])
    else:
        assert event.seen_by is None
        assert event.kind in OPEN or event.kind == "accused" or not cards
    if event.kind != "accused":
        for seat in range(len(step.after.names)) if event.seen_by is None else event.seen_by:
            view = accuse.view(step.after, seat)
            assert {card for card in cards if card != "X"} <= {*view.seen, *view.culprits}


def pairs(facts: Any) -> Iterator[tuple[str, str]]:
    """Give every CARD that facts hold."""
    if isinstance(facts, dict):
        facts = list(facts.values())
    if isinstance(facts, list):
        if len(facts) == 2 and all(isinstance(item, str) for item in facts):
            yield facts[0], facts[1]
        else:
            for item in facts:
                yield from pairs(item)


def told(state: accuse.State, seat: int, dice: bytes) -> tuple[object, ...]:
    """Give all that a seat can get out of a state without a step."""
    view = accuse.view(state, seat)
    answers = [_plain(attempt(view, text)) for text in TEXTS]
    offers: list[object] = []
    if view.ask:
        offers = [accuse.sample(view, Dice(dice)), accuse.default(view, Dice(dice))]
        offers.append(accuse.BOTS["careful"](view, (), Dice(dice)))
    may = (seat in accuse.interrupts(state), seat in accuse.silent(state))
    return view, answers, offers, accuse.awaiting(state).get(seat), accuse.result(state), may


def _plain(answer: object) -> object:
    return (type(answer), answer.why, answer.examples) if isinstance(answer, BadOrder) else answer


def check_secrecy(state: accuse.State, dice: Dice) -> None:
    """Check that a seat cannot tell a state from one dealt anew behind its back."""
    for seat in range(len(state.names)):
        other = accuse.reshuffle(state, [seat], dice)
        accuse.audit(other)
        key = b"%d" % dice.below(1000)
        assert told(other, seat, key) == told(state, seat, key)
    other = accuse.reshuffle(state, [None], dice)
    accuse.audit(other)
    assert accuse.view(other, None) == accuse.view(state, None)


def check_hidden_choice(step: Step, dice: Dice) -> None:
    """Check that who is no party to a gift, a bid or a pass is told the same in another world."""
    gift = any(isinstance(order, Give) for order in step.orders.values())
    for seat in range(len(step.before.names)):
        if seat in step.orders or (gift and seat == step.before.player):
            continue
        other = accuse.reshuffle(step.before, [seat], dice)
        orders = {one: _in(other, one, order, dice) for one, order in step.orders.items()}
        assert _heard(other, orders, seat) == _heard(step.before, step.orders, seat)


def _heard(state: accuse.State, orders: Mapping[int, Order], seat: int) -> tuple[accuse.View, list[Event]]:
    after, events = accuse.resolve(state, orders, Dice(b"same"))
    return accuse.view(after, seat), [event for event in events if event.visible(seat)]


def _in(state: accuse.State, seat: int, order: Order, dice: Dice) -> Order:
    return Give(FACE[dice.choice(state.hands[seat])]) if isinstance(order, Give) else order


@pytest.mark.parametrize("number", range(GAMES))
def test_a_game_ends_and_keeps_cards_and_secrets(number: int) -> None:
    dice = Dice(b"secrets %d" % number)
    check_secrecy(new_game(number), dice)
    steps = game(number)
    for step in steps:
        check_step(step)
        check_secrecy(step.after, dice)
        if all(isinstance(order, Give | Pass | Bid) for order in step.orders.values()):
            check_hidden_choice(step, dice)
    assert steps[-1].after.ending in accuse.ENDINGS


def test_the_same_seed_gives_the_same_game() -> None:
    for number in range(12):
        assert game(number) == game(number)
    assert game(1) != game(1, b"other")


def test_random_games_reach_everything() -> None:
    kinds: Counter[str] = Counter()
    prompts: Counter[str] = Counter()
    endings: Counter[str] = Counter()
    for number in range(260):
        steps = game(number)
        endings[steps[-1].after.ending] += 1
        for step in steps:
            kinds.update(event.kind for event in step.events)
            prompts.update(step.before.asked)
    documented = {line.split("|")[1].strip() for line in (table.__doc__ or "").splitlines() if line.startswith("| ")}
    assert set(kinds) == documented - {"event"}
    assert set(prompts) == {"", *accuse.KINDS}
    assert set(endings) == set(accuse.ENDINGS)


def test_reshuffling_for_nobody_deals_all_anew() -> None:
    state = game(2)[6].before
    others = [accuse.reshuffle(state, [], Dice(b"%d" % number)) for number in range(8)]
    for other in others:
        accuse.audit(other)
        assert [len(hand) for hand in other.hands] == [len(hand) for hand in state.hands]
    assert len({other.hands for other in others}) == 8 and len({other.up for other in others}) > 1


def test_reshuffling_moves_what_a_seat_cannot_know_and_nothing_that_it_was_shown() -> None:
    moved: Counter[str] = Counter()
    for number in range(12):
        for step in game(number)[::3]:
            state = step.before
            for seat in range(len(state.names)):
                other = accuse.reshuffle(state, [seat], Dice(b"%d" % number))
                moved["culprits"] += other.culprits != state.culprits
                moved["hands"] += other.hands != state.hands
                moved["down"] += other.down != state.down
                moved["traps"] += [one[0] == "X" for one in _places(other)] != [one[0] == "X" for one in _places(state)]
                for here, there, shown in zip(_places(state), _places(other), _shown(state), strict=True):
                    assert here == there or not shown & 1 << seat
    assert min(moved.values()) > 50, moved


def _places(state: accuse.State) -> list[str]:
    """Give the cards place by place; those of a hand, whose places tell nothing, in the order of the deal."""
    return [*state.culprits, *(laid.card for laid in state.down), *state.up]


def _shown(state: accuse.State) -> list[int]:
    return [state.shown[CARDS.index(card)] for card in _places(state)]


def test_reshuffling_keeps_what_was_shown_in_a_hand() -> None:
    state = lay("C3 L2 X", "W5 C1 X", "C2 L1", down="L3=L3@2")
    state = replace(state, shown=tuple(s | (card == "W5") for card, s in zip(CARDS, state.shown, strict=True)))
    for number in range(30):
        other = accuse.reshuffle(state, [0], Dice(b"%d" % number))
        assert "W5" in other.hands[1], "ann was shown W5 in bob's hand"
    assert len({accuse.reshuffle(state, [0], Dice(b"%d" % number)).hands[1] for number in range(30)}) == 3


@pytest.mark.parametrize("players", [2, 3, 4])
def test_reshuffling_reaches_every_culprit_that_is_possible(players: int) -> None:
    state = new_game(players - 2)
    possible = accuse.view(state, 0).possible
    found = Counter(accuse.reshuffle(state, [0], Dice(b"%d" % number)).culprits for number in range(1200))
    assert set(found) == set(product(*possible)), "each of them, and no other"
    expected = 1200 / prod(map(len, possible))
    spread = sum((found[triple] - expected) ** 2 / expected for triple in product(*possible))
    assert spread < 2 * len(found), "about as often as the others"


def test_reshuffling_knows_that_a_wrong_accusation_was_wrong() -> None:
    state = lay("C3 L2 X", "W5 C1 X", accusations=((1, ("C6", "L6", "W5")),))
    triples = {accuse.reshuffle(state, [0], Dice(b"%d" % number)).culprits for number in range(200)}
    assert triples == {("C6", "L6", "W6"), ("C1", "L6", "W6"), ("C1", "L6", "W5")}


def test_the_audit_finds_a_lost_card_a_double_one_and_a_trap_among_the_culprits() -> None:
    state = new_game(0)
    for broken in (
        replace(state, up=state.up[1:]),
        replace(state, hands=((*state.hands[0], state.up[0]), *state.hands[1:])),
        replace(state, culprits=(state.culprits[1], state.culprits[0], state.culprits[2])),
        replace(state, shown=(0,) * 22),
    ):
        with pytest.raises(AssertionError):
            accuse.audit(broken)


def test_an_answer_that_is_not_needed_changes_nothing_at_all() -> None:
    tried = 0
    for number in range(24):
        state = new_game(1 + number % 2)
        for step in play(state, Dice(b"windows %d" % number), rash=0):
            asked = accuse.awaiting(step.before)
            rest: dict[int, Order] = {seat: Challenge() for seat in asked if seat not in step.orders}
            if rest and "challenge" in step.before.asked:
                tried += 1
                after = accuse.resolve(step.before, step.orders, Dice(b""))
                assert accuse.resolve(step.before, {**rest, **step.orders}, Dice(b"")) == after
    assert tried > 10


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
        assert steps[-1].after.ending in accuse.ENDINGS
