"""Test the streams of chance that a game's seed gives."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.core.dice import SEED_BYTES, commitment, rehearsal_seed, salt, stream
from pbem.engine import Dice

SEED = rehearsal_seed("dice")


def test_the_same_stream_gives_the_same_choices_on_any_machine() -> None:
    """The numbers are written down, so that no change of Python or of ours can deal another game."""
    dice = stream(SEED, "step", 1)
    assert [dice.below(1000) for _ in range(8)] == [577, 474, 946, 902, 719, 636, 938, 328]


@given(st.binary(min_size=1, max_size=40), st.integers(1, 2**32))
def test_a_draw_is_within_its_bound(key: bytes, bound: int) -> None:
    dice = Dice(key)
    assert all(0 <= dice.below(bound) < bound for _ in range(20))


@pytest.mark.parametrize("bound", [0, -1, 2**32 + 1])
def test_a_bound_that_cannot_be_is_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="a draw needs a bound"):
        Dice(b"key").below(bound)


@pytest.mark.parametrize("bound", [2, 3, 6, 48, 1000])
def test_draws_are_uniform_enough(bound: int) -> None:
    """Chi-squared, far beyond what chance would do in a million runs; the stream is fixed, so it never flickers."""
    dice, draws = stream(SEED, "uniform", bound), 20_000
    counts = Counter(dice.below(bound) for _ in range(draws))
    expected = draws / bound
    squared = sum((counts[face] - expected) ** 2 / expected for face in range(bound))
    assert squared < (bound - 1) + 6 * (2 * (bound - 1)) ** 0.5
    assert set(counts) == set(range(bound))


def test_a_large_bound_is_not_biased_towards_its_low_half() -> None:
    """A remainder alone would give numbers below 2**30 twice as often."""
    dice, bound = stream(SEED, "large", 0), 3 * 2**30
    low = sum(dice.below(bound) < 2**30 for _ in range(3000))
    assert 900 < low < 1100


def test_every_order_of_a_shuffle_comes_as_often_as_another() -> None:
    dice = stream(SEED, "shuffle", 0)
    counts = Counter(dice.shuffled("abcd") for _ in range(4800))
    assert set(counts) == set(permutations("abcd"))
    assert all(130 < count < 280 for count in counts.values())


@given(st.lists(st.integers(), max_size=60))
def test_a_shuffle_keeps_every_card_and_its_input(cards: list[int]) -> None:
    before = list(cards)
    assert sorted(Dice(b"key").shuffled(cards)) == sorted(cards) and cards == before


def test_a_choice_is_one_of_the_items() -> None:
    dice = Dice(b"key")
    assert {dice.choice("xyz") for _ in range(100)} == set("xyz")


def test_each_step_purpose_and_game_has_a_stream_of_its_own() -> None:
    keys = [
        (SEED, "step", 1),
        (SEED, "step", 2),
        (SEED, "default", 1),
        (SEED, "step", 11),
        (rehearsal_seed("x"), "step", 1),
    ]
    firsts = {tuple(stream(*key).below(2**32) for _ in range(4)) for key in keys}
    assert len(firsts) == len(keys)


def test_salts_and_commitment_tell_nothing_of_each_other() -> None:
    shown = {commitment(SEED), SEED.hex(), *(salt(SEED, number).hex() for number in range(50))}
    assert len(shown) == 52
    assert commitment(SEED) == commitment(bytes(SEED)) != commitment(SEED[:-1] + b"\0")


def test_a_rehearsal_is_dealt_from_its_word_alone() -> None:
    assert rehearsal_seed("word") == rehearsal_seed("word") != rehearsal_seed("Word")
    assert len(rehearsal_seed("")) == SEED_BYTES
