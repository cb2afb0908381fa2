"""Every game keeps the contract: the kit for authors of games looks at each of ours."""

import functools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines import ENGINES
from pbem.testing import conformance, fuzz
from pbem.testing.conformance import Kit
from pbem.testing.secrecy import look
from pbem.testing.worlds import stage_for

CLEAN_GAMES = 10_000
PAIRS = 100_000
PARTS = 20
WORLDS = 10
KITS = {
    "blame": Kit(
        "blame",
        options=(
            {},
            {"roles": "choose", "bury": "own", "after_blame": "blamed", "max_turns": "14"},
            {"mistakes": "blame", "restart": "empty", "hand": "7"},
            {"abilities": "off", "hand": "1"},
        ),
        # What is played and announced is open, and leaves no trace in a view: the pile shows its top alone.
        shown=("played", "mistake", "swapped", "exchanged", "spied", "accused", "nobody", "counted", "blamed"),
    ),
    "accuse": Kit(
        "accuse",
        options=({}, {"declare": "center"}, {"max_turns": "16"}, {"declare": "center", "max_turns": "30"}),
        racing=({"challenge": "first"},),
        shown=("flipped",),  # the place of a card that was turned up is told, and that of a Trap is seen no more
        games=60,
    ),
    "archer": Kit(
        "archer",
        # A round that ends is cleared away in the same step, and with it what its last turn showed.
        shown=(
            *("round_over", "out", "played", "without_effect", "discarded", "drew", "redrew", "got", "took_secret"),
            *("shuffled", "looked", "hid", "dueled", "duel_cards", "guessed", "guessed_secret", "saw_secret"),
            *("saw_hand", "dealt"),
        ),
    ),
}
"""What a game needs said beside its name; the others are looked at as they come."""


@functools.cache
def kit(name: str) -> Kit:
    """Give the kit of one game, which keeps what it has played."""
    return KITS.get(name, Kit(name))


@pytest.mark.parametrize("check", conformance.CHECKS)
@pytest.mark.parametrize("name", ENGINES)
def test_conformance(name: str, check: conformance.Check) -> None:
    check(kit(name))


def test_no_kit_is_left_over() -> None:
    assert set(KITS) <= set(ENGINES)


@pytest.mark.parametrize("name", ENGINES)
@given(data=st.binary(max_size=80))
def test_any_bytes_are_an_order_talk_or_refused(name: str, data: bytes) -> None:
    fuzz.target(kit(name))(data)


@pytest.mark.parametrize("name", ENGINES)
@given(text=st.text(max_size=60), number=st.integers(0, 10_000))
def test_any_text_is_an_order_talk_or_refused(name: str, text: str, number: int) -> None:
    fuzz.attempt(kit(name), number, text)


@pytest.mark.prove
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", ENGINES)
def test_prove_ten_thousand_games_run_clean(name: str, part: int) -> None:
    share = CLEAN_GAMES // PARTS
    assert conformance.play_clean(kit(name), range(part * share, (part + 1) * share)) > share


@pytest.mark.prove
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", ENGINES)
def test_prove_a_hundred_thousand_pairs_of_worlds_give_equal_letters(name: str, part: int) -> None:
    wanted = -(-PAIRS // (PARTS * len(ENGINES)))
    with stage_for(kit(name).engine) as stage:
        compared, number = 0, part
        while compared < wanted:
            compared += sum(look(kit(name), stage, kit(name).match(number), positions=8, worlds=WORLDS))
            number += PARTS
