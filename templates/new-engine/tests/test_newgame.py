"""Newgame keeps the contract, and is played as its rules say."""

import pytest
from pbem.engine import Dice
from pbem.testing import conformance

import newgame as game

kit = conformance.Kit("newgame")


@pytest.mark.parametrize("check", conformance.CHECKS)
def test_conformance(check: conformance.Check) -> None:
    check(kit)


def test_the_highest_card_takes_the_round() -> None:
    state = game.setup(("ann", "bob"), game.Options(), Dice(b"a deal"))
    highest = {seat: hand[-1] for seat, hand in enumerate(state.hands)}
    state, _ = game.resolve(state, highest, Dice(b"a step"))
    assert game.points(state)[highest[1] > highest[0]] == 1
