"""Test the kit: the sound game passes all checks, each broken one is caught by the check meant for it."""

from dataclasses import replace
from pathlib import Path

import pytest

from pbem import games
from pbem.errors import AdminError
from pbem.testing import conformance, fuzz, kit
from pbem.testing.kit import Kit
from tests.kit import broken, tussle
from tests.kit import leaking as leaking  # which enters its faults with the others
from tests.kit import straying as straying
from tests.kit.broken import FAULTS

OPTIONS: tuple[dict[str, str], ...] = ({}, {"hand": "1"})
CHECKS = {check.__name__: check for check in conformance.CHECKS}
SOUND = Kit("tests.kit.tussle", options=OPTIONS)


@pytest.mark.parametrize("check", conformance.CHECKS)
def test_the_sound_game_passes(check: conformance.Check) -> None:
    check(SOUND)


@pytest.mark.parametrize("name", FAULTS)
def test_a_broken_game_is_caught(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # where templates with a fault are put
    make, check = FAULTS[name]
    game = "tests.kit.broken:hashed" if name == "an_order_by_hash" else make()
    with pytest.raises(AssertionError, match="tussle"):
        CHECKS[check](Kit(game, options=OPTIONS))


def test_every_check_catches_something() -> None:
    assert {check for _, check in FAULTS.values()} == set(CHECKS)
    assert len(FAULTS) >= 20


def test_the_guide_names_every_check() -> None:
    guide = (Path(__file__).parents[2] / "docs/adding-a-game.md").read_text(encoding="utf-8")
    assert [name for name in CHECKS if f"`{name}`" not in guide] == []


def test_a_game_is_found_by_module_by_reference_and_by_name() -> None:
    found = [Kit(game).engine for game in (tussle, "tests.kit.tussle", "tests.kit.broken:hashed", broken.hashed)]
    assert {engine.name for engine in found} == {"tussle"}
    assert len({engine.templates for engine in found}) == 1
    assert Kit("blame").engine is games.get("blame")
    with pytest.raises(AdminError, match="there is no game 'tussle'"):
        kit.find("tussle")


def test_a_failure_can_be_played_again() -> None:
    small = Kit("tests.kit.tussle", options=OPTIONS)
    steps = list(small.play(3))
    assert str(steps[-1]) == f"tussle, game 3 (2 players, hand=1), step {len(steps)}"
    assert steps == list(small.play(3))
    assert {(match.players, *match.options.values()) for match in small.matches(1)} == {
        (players, *hand) for players in (2, 3, 4) for hand in ((), ("1",))
    }


def test_a_game_with_nothing_to_hide_says_so() -> None:
    still = broken.broken(reshuffle=lambda state, seats, dice: state)
    CHECKS["reshuffle_moves_what_is_hidden"](Kit(still, hidden="nothing"))
    piles = broken.broken(reshuffle=lambda state, seats, dice: replace(state, draw=dice.shuffled(state.draw)))
    CHECKS["reshuffle_moves_what_is_hidden"](Kit(piles, hidden="piles"))


def test_where_the_first_answer_wins_answers_need_not_commute() -> None:
    make, check = FAULTS["a_tie_for_the_fastest"]
    CHECKS[check](Kit(make(), options=(), racing=({},)))


def test_what_the_rules_show_may_be_told() -> None:
    make, check = FAULTS["a_drawn_card_told_to_all"]
    CHECKS[check](Kit(make(), shown=("threw",)))


def test_the_fuzz_target_finds_what_a_careless_parse_does() -> None:
    def parse(view: tussle.View, text: str) -> tussle.Order | None:
        return tussle.parse(view, f"{int(text)}" if text.isdigit() else text)

    one_input = fuzz.target(Kit(broken.broken(parse=parse, BOTS={}), games=3))
    one_input(b"\x00\x01lay 7")
    one_input(b"")
    with pytest.raises(AssertionError, match=r"step .*ValueError"):
        one_input("..³".encode())
