"""Secrecy: every byte that leaves for a seat is a function of its view (promise 1)."""

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engines import ENGINES
from pbem.core.dice import rehearsal_seed
from pbem.engine import Dice, Engine
from pbem.errors import IllegalOrder
from pbem.services import letters
from pbem.services.house import House
from pbem.services.turns import Sitting
from pbem.testing.secrecy import Leak, leaks, play_through
from pbem.testing.stage import Stage, open_stage

NAMES = ("alice", "bob", "carol", "dora")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = open_stage(tmp_path)
    for name in NAMES:
        stage.add_player(name)
    yield stage
    stage.close()


def look(
    stage: Stage, seed: str, players: int, positions: int, game: str = "blame", **options: str
) -> tuple[int, list[Leak]]:
    """Play one game and look for leaks in its first positions."""
    dice = Dice(rehearsal_seed(seed))
    name = stage.new_game(game, NAMES[:players], seed=seed, **options)
    found: list[Leak] = []
    count = 0
    for sitting in play_through(stage, name, dice):
        found += leaks(stage, sitting, dice)
        count += 1
        if count >= positions:
            break
    return count, found


@pytest.mark.parametrize("game", ENGINES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_no_letter_tells_more_than_the_view(stage: Stage, players: int, game: str) -> None:
    count, found = look(stage, f"secret {players}", players, 5, game)
    assert count == 5
    assert found == []


@pytest.mark.parametrize("game", ENGINES)
def test_no_letter_tells_more_whatever_is_asked(stage: Stage, game: str) -> None:
    """Look at the first position in which each kind of question is asked, in two games."""
    asked: set[str] = set()
    for number in range(2):
        dice = Dice(rehearsal_seed(f"kinds {number}"))
        for sitting in play_through(stage, stage.new_game(game, NAMES[: 3 + number], seed=f"kinds {number}"), dice):
            kinds = {prompt.kind for prompt in sitting.prompts.values()}
            if not kinds <= asked:
                assert list(leaks(stage, sitting, dice)) == []
            asked |= kinds
    assert len(asked) > 2


@pytest.mark.prove
@pytest.mark.parametrize("game", ENGINES)
@pytest.mark.parametrize("part", range(10))
def test_no_letter_tells_more_than_the_view_in_a_thousand_positions(stage: Stage, part: int, game: str) -> None:
    count, number = 0, 0
    while count < 100:
        played, found = look(stage, f"prove {part} {number}", 2 + number % 3, 100 - count, game)
        assert found == []
        count, number = count + played, number + 1


def leaky(stage: Stage, monkeypatch: pytest.MonkeyPatch, game: str = "blame", **hooks: Callable[..., Any]) -> None:
    """Replace hooks of a game by ones that leak; each gets the right hook as its first argument."""
    engine = stage.house.engine(game)
    planted: dict[str, Any] = {name: _bound(hook, getattr(engine, name)) for name, hook in hooks.items()}
    leaking: Engine = dataclasses.replace(engine, **planted)
    monkeypatch.setattr(House, "engine", lambda house, name: leaking)


def _bound(hook: Callable[..., Any], right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: hook(right, *given)


def hidden(state: Any) -> str:
    """Give something that no seat may know: the next card of the Draw pile."""
    return str(state.draw[-1] if state.draw else "")


def test_a_hand_in_a_view_is_caught(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def view(right: Callable[..., Any], state: Any, seat: int | None) -> Any:
        shown = right(state, seat)
        return shown if seat is None else dataclasses.replace(shown, secrets=(*shown.secrets, *state.hands[seat - 1]))

    leaky(stage, monkeypatch, view=view)
    assert look(stage, "planted", 3, 2)[1]


def test_a_card_in_an_error_text_is_caught(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    states: list[Any] = []

    def view(right: Callable[..., Any], state: Any, seat: int | None) -> Any:
        states[:] = [state]
        return right(state, seat)

    def parse(right: Callable[..., Any], view: Any, text: str) -> Any:
        try:
            return right(view, text)
        except IllegalOrder as error:
            raise IllegalOrder(f"{error.why} (next: {hidden(states[0])})") from error

    leaky(stage, monkeypatch, view=view, parse=parse)
    assert look(stage, "planted", 3, 4)[1]


def test_a_card_in_a_subject_is_caught(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    right = letters.subject

    def subject(sitting: Sitting, seat: int | None) -> str:
        return f"{right(sitting, seat)} {hidden(sitting.table.state)}"

    monkeypatch.setattr(letters, "subject", subject)
    assert look(stage, "planted", 3, 2)[1]


def test_the_order_of_a_list_by_hidden_cards_is_caught(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def view(right: Callable[..., Any], state: Any, seat: int | None) -> Any:
        shown = right(state, seat)
        turned = state.draw and state.draw[-1] < state.draw[0]
        return dataclasses.replace(shown, untaken=tuple(reversed(shown.untaken)) if turned else shown.untaken, deck=(
            tuple(reversed(shown.deck)) if turned else shown.deck), hand=tuple(
            reversed(shown.hand)) if turned else shown.hand)  # fmt: skip

    leaky(stage, monkeypatch, view=view)
    assert look(stage, "planted", 3, 4)[1]


def test_a_letter_only_where_there_is_a_choice_is_caught(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    right = letters.remind

    def remind(session: Any, house: Any, sitting: Sitting, *more: Any) -> None:
        if hidden(sitting.table.state) > "T":
            right(session, house, sitting, *more)

    monkeypatch.setattr(letters, "remind", remind)
    assert look(stage, "planted", 3, 6)[1]


def test_a_question_that_depends_on_a_face_down_card_is_caught(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def awaiting(right: Callable[..., Any], state: Any) -> Any:
        true = "challenge" in state.asked and state.down[-1].card == state.down[-1].declared
        return {seat: dataclasses.replace(prompt, optional=true) for seat, prompt in right(state).items()}

    leaky(stage, monkeypatch, "accuse", awaiting=awaiting)
    assert look(stage, "planted", 3, 6, "accuse")[1]


def test_a_face_down_card_in_a_view_is_caught(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def view(right: Callable[..., Any], state: Any, seat: int | None) -> Any:
        shown = right(state, seat)
        return dataclasses.replace(shown, seen=tuple(card for card in shown.seen if card != state.culprits[0]), up=(
            *shown.up, *(laid.card for laid in state.down if laid.card[0] != "X")))  # fmt: skip

    leaky(stage, monkeypatch, "accuse", view=view)
    assert look(stage, "planted", 3, 4, "accuse")[1]
