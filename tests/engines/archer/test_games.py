"""Test whole random games: they end, keep every card, are repeatable, and keep their secrets."""

import json
import os
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import permutations

import pytest
from pydantic import TypeAdapter

import engines.archer as archer
import engines.archer.table as table
from engines.archer.board import everybody, eye
from pbem.engine import BadOrder, Dice, Event

from .tables import Step, attempt, new_game, play

GAMES = 48
STATES = TypeAdapter(archer.State)
TWINS = {
    "dealt": ("seat",),
    "drew": ("seat",),
    "got": ("seat",),
    "saw_secret": ("seat",),
    "saw_hand": ("seat",),
    "duel_cards": ("seat", "other"),
}
TEXTS = (
    "8", "play lana", "6 bob", "5 ann", "4 look", "4 hide", "3 bob", "2 lana", "1 bob lana", "1 cleo pam", "1", "3",
    "1 bob sterling", "archer", "1 bob Lna", "play archer", "hello", "7 bob",
)  # fmt: skip


def game(number: int, salt: bytes = b"") -> list[Step]:
    return list(play(new_game(number), Dice(b"moves %d" % number + salt)))


def check_step(step: Step) -> None:
    """Check what must hold after each step: cards, JSON, turns, points, and who sees which card."""
    archer.audit(step.after)
    assert STATES.validate_json(STATES.dump_json(step.after)) == step.after
    over = archer.result(step.after) is not None
    assert over != bool(archer.awaiting(step.after))
    assert archer.turn(step.after) - archer.turn(step.before) == (0 if over else 1)
    gained = sum(step.after.points) - sum(step.before.points)
    assert gained >= 1 if step.after.round > step.before.round or over else gained == 0
    for event in step.events:
        check_event(event)
    check_shown(step.after)


def check_event(event: Event) -> None:
    """Check that facts are plain, and that who may see them is who should."""
    facts = dict(event.facts)
    assert json.loads(json.dumps(facts)) == facts
    assert event.seen_by == (tuple(facts[key] for key in TWINS[event.kind]) if event.kind in TWINS else None)


def check_shown(state: archer.State) -> None:
    """Check that the state knows at least what each seat sees now."""
    for seat, hand in enumerate(state.hands):
        assert all(state.shown[card] & eye(seat) for card in hand)
        assert all(state.shown[sight.card] & eye(seat) for sight in state.seen[seat])
    assert all(state.shown[card] == everybody(len(state.names)) for cards in state.laid for card in cards)
    assert all(state.fits[card] >> state.kit[card] & 1 for card in range(len(state.kit)))


def told(state: archer.State, seat: int, dice: bytes) -> tuple[object, ...]:
    """Give all that a seat can get out of a state without a step."""
    view = archer.view(state, seat)
    answers = [_plain(attempt(view, text)) for text in TEXTS]
    offers: list[object] = []
    if view.ask:
        offers = [archer.sample(view, Dice(dice)), archer.default(view, Dice(dice))]
    return view, answers, offers, archer.awaiting(state).get(seat), archer.result(state)


def _plain(answer: object) -> object:
    return (type(answer), answer.why, answer.examples) if isinstance(answer, BadOrder) else answer


def check_secrecy(state: archer.State, dice: Dice) -> int:
    """Check that a seat cannot tell a state from one with other hidden cards; count those that do differ."""
    moved = 0
    for seat in (None, *range(len(state.names))):
        other = archer.reshuffle(state, [seat], dice)
        archer.audit(other)
        moved += other != state
        if seat is None:
            assert archer.view(other, None) == archer.view(state, None)
        else:
            key = b"%d" % dice.below(1000)
            assert told(other, seat, key) == told(state, seat, key)
    return moved


@pytest.mark.parametrize("number", range(GAMES))
def test_a_game_ends_and_keeps_cards_and_secrets(number: int) -> None:
    dice = Dice(b"secrets %d" % number)
    moved = check_secrecy(new_game(number), dice)
    steps = game(number)
    for step in steps:
        check_step(step)
        moved += check_secrecy(step.after, dice)
    assert steps[-1].after.ending in archer.ENDINGS
    assert moved > 0.8 * len(steps) * (len(steps[0].before.names) + 1)


def faces(state: archer.State) -> tuple[object, ...]:
    """Give where each character lies, whichever copy of it."""
    kit = state.kit
    hands = tuple(tuple(kit[card] for card in hand) for hand in state.hands)
    seen = tuple(tuple(replace(sight, card=kit[sight.card]) for sight in sights) for sights in state.seen)
    laid = tuple(tuple(kit[card] for card in cards) for cards in state.laid)
    return hands, kit[state.secret], tuple(kit[card] for card in state.draw), laid, seen


def renamings(here: archer.State, there: archer.State) -> Iterator[dict[int, int]]:
    """Give the ways in which the cards of one state became those of another, place by place."""
    fixed = dict(zip((here.secret, *here.draw), (there.secret, *there.draw), strict=True))
    fixed |= {card: card for cards in here.laid for card in cards}
    pairs = list(zip(here.hands, there.hands, strict=True))
    fixed |= {old[0]: new[0] for old, new in pairs if len(old) == 1}
    two = [pair for pair in pairs if len(pair[0]) == 2]
    for order in permutations(two[0][1]) if two else [()]:
        yield fixed | (dict(zip(two[0][0], order, strict=True)) if two else {})


def renamed(state: archer.State, names: dict[int, int]) -> archer.State:
    """Give a state with other cards in the same places."""
    return replace(
        state,
        hands=tuple(tuple(sorted(names[card] for card in hand)) for hand in state.hands),
        secret=names[state.secret],
        draw=tuple(names[card] for card in state.draw),
        shown=tuple(state.shown[card] for card in sorted(names, key=names.__getitem__)),
    )


def same_history(steps: list[Step], there: archer.State, seats: Collection[int | None], number: int) -> bool:
    """Tell whether a round, played again with other cards, shows these seats the same, and comes out at that state."""
    return any(
        _replayed(steps, renamed(steps[0].before, names), seats, number) == faces(there)
        for names in renamings(steps[-1].after, there)
    )


def _replayed(
    steps: list[Step], state: archer.State, seats: Collection[int | None], number: int
) -> tuple[object, ...] | None:
    """Play a round again, and give how it comes out; None where these seats see or hear anything else."""
    dice = Dice(b"again %d" % number)
    for step in steps:
        if step.order.card not in archer.view(state, step.seat).hand:
            return None
        state, events = archer.resolve(state, {step.seat: step.order}, dice)
        if any(heard(events, seat) != heard(step.events, seat) for seat in seats):
            return None
    return faces(state)


def heard(events: tuple[Event, ...], seat: int | None) -> list[Event]:
    return [event for event in events if event.visible(seat)]


def check_sound(number: int) -> int:
    """Check that what reshuffling gives could have happened, and count the positions that were checked.

    The first round of a game is played again from the deal that would have led there: these seats see and hear the same
    at every step of it, so nothing that they ever learnt, or could conclude, tells the two apart.
    """
    start = new_game(number)
    steps: list[Step] = []
    checked = 0
    for step in first_round(start, number):
        steps.append(step)
        seats: list[Collection[int | None]] = [[seat] for seat in (None, *range(len(start.names)))]
        for group in [*seats, [0, 1]]:
            other = archer.reshuffle(step.after, group, Dice(b"%d %d" % (number, len(steps))))
            assert same_history(steps, other, group, number), (number, len(steps), group)
            checked += other != step.after
    return checked


def first_round(state: archer.State, number: int) -> Iterator[Step]:
    """Play the first round at random, without the step that ends it; its own dice make the shuffles repeatable."""
    dice, chance = Dice(b"again %d" % number), Dice(b"chance %d" % number)
    while True:
        view = archer.view(state, state.player)
        line = archer.sample(view, chance)
        if line == "play malory":
            line = archer.format(archer.default(view, chance))
        order = archer.parse(view, line)
        assert order is not None
        after, events = archer.resolve(state, {view.player: order}, dice)
        if after.round > 1 or after.ending:
            return
        yield Step(state, view.player, line, order, after, events)
        state = after


def test_what_reshuffling_gives_could_have_happened() -> None:
    assert sum(check_sound(number) for number in range(60)) > 800


def test_the_same_seed_gives_the_same_game() -> None:
    for number in range(12):
        assert game(number) == game(number)
    assert game(1) != game(1, b"other")


def test_random_games_reach_everything() -> None:
    kinds: Counter[str] = Counter()
    endings: Counter[str] = Counter()
    pasts: Counter[str] = Counter()
    for number in range(GAMES):
        steps = game(number)
        endings[steps[-1].after.ending] += 1
        for step in steps:
            kinds.update(event.kind for event in step.events)
            pasts.update(sight.past for sights in step.after.seen for sight in sights)
    documented = {line.split("|")[1].strip() for line in (table.__doc__ or "").splitlines() if line.startswith("| ")}
    assert set(kinds) == documented - {"event"}
    assert set(endings) == set(archer.ENDINGS)
    assert set(pasts) == {"", "laid", "discarded", "out", "lana", "ray"}


def test_a_game_has_no_more_rounds_than_its_points_allow() -> None:
    for number in range(GAMES):
        last = game(number)[-1].after
        assert last.round <= len(last.names) * (last.needed - 1) + 1
        assert max(last.points) == last.needed


def test_reshuffling_for_nobody_deals_all_anew() -> None:
    state = game(2)[9].before
    others = [archer.reshuffle(state, [], Dice(b"%d" % number)) for number in range(8)]
    for other in others:
        archer.audit(other)
        assert [len(hand) for hand in other.hands] == [len(hand) for hand in state.hands]
    assert len({other.hands for other in others}) == 8 and len({other.laid for other in others}) > 1


def test_reshuffling_moves_what_a_seat_cannot_see() -> None:
    state = new_game(2)
    others = [archer.reshuffle(state, [0], Dice(b"%d" % number)) for number in range(8)]
    assert len({other.hands[1] for other in others}) > 1 and len({other.secret for other in others}) > 1
    assert {other.hands[0] for other in others} == {state.hands[0]}


def test_the_audit_finds_a_lost_card_a_double_one_and_a_lost_secret() -> None:
    state = new_game(0)
    for broken in (
        replace(state, draw=state.draw[1:]),
        replace(state, draw=(*state.draw, state.secret)),
        replace(state, secret=-1, draw=(*state.draw, state.secret)),
        replace(state, hands=((), *state.hands[1:]), draw=(*state.draw, *state.hands[0])),
    ):
        with pytest.raises(AssertionError):
            archer.audit(broken)


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
        assert steps[-1].after.ending in archer.ENDINGS


@pytest.mark.prove
@pytest.mark.skipif("PBEM_PROVE" not in os.environ, reason="run by `make prove`")
@pytest.mark.parametrize("part", range(20))
def test_prove_that_what_reshuffling_gives_could_have_happened(part: int) -> None:
    for number in range(part * 250, part * 250 + 250):
        check_sound(number)
