"""Secrecy: every byte that leaves for a seat is a function of its view (promise 1).

What holds of every game stands in tests/test_conformance.py; here leaks are planted in Blame and in the house.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from engines import ENGINES
from pbem import games
from pbem.engine import AnyState, Engine, Event, IllegalOrder
from pbem.services import letters
from pbem.services.sittings import Sitting
from pbem.testing.conformance import CHECKS, Kit
from pbem.testing.secrecy import look, no_letter_tells_more_than_a_view
from pbem.testing.worlds import stage_for
from tests.test_conformance import KITS


@pytest.mark.parametrize("name", ENGINES)
def test_no_letter_tells_more_than_the_view(name: str) -> None:
    kit = Kit(name)
    with stage_for(kit.engine) as stage:
        for number in range(len(kit.engine.seats)):
            players = kit.match(number).players
            assert list(look(kit, stage, kit.match(number), positions=2, worlds=2)) == [2 * (players + 1)] * 2


def leaky(game: str = "blame", **hooks: Callable[..., Any]) -> Kit:
    """Replace hooks of a game by ones that leak; each gets the right hook as its first argument."""
    engine = games.get(game)
    planted: dict[str, Any] = {name: _bound(hook, getattr(engine, name)) for name, hook in hooks.items()}
    leaking: Engine = dataclasses.replace(engine, **planted)
    return Kit(leaking)


def _bound(hook: Callable[..., Any], right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: hook(right, *given)


def hidden(state: AnyState) -> str:
    """Give something that no seat may know: the next card of the Draw pile."""
    return str(state.draw[-1] if state.draw else "")


def check_caught(kit: Kit, how: str) -> None:
    """Check that letters are found to differ, and that it is said how."""
    with pytest.raises(AssertionError, match=f"(?s)(blame|archer|accuse), game .*{how}"):
        no_letter_tells_more_than_a_view(kit)


def test_a_hand_in_a_view_is_caught() -> None:
    def view(right: Callable[..., Any], state: Any, seat: int | None) -> Any:
        shown = right(state, seat)
        return shown if seat is None else dataclasses.replace(shown, secrets=(*shown.secrets, *state.hands[seat - 1]))

    check_caught(leaky(view=view), "its view")


def test_a_card_in_an_error_text_is_caught() -> None:
    states: list[Any] = []

    def view(right: Callable[..., Any], state: Any, seat: int | None) -> Any:
        states[:] = [state]
        return right(state, seat)

    def parse(right: Callable[..., Any], view: Any, text: str) -> Any:
        try:
            return right(view, text)
        except IllegalOrder as error:
            raise IllegalOrder(f"{error.why} (next: {hidden(states[0])})") from error

    check_caught(leaky(view=view, parse=parse), "letter 1, text")


def test_the_order_of_a_list_by_hidden_cards_is_caught() -> None:
    def view(right: Callable[..., Any], state: Any, seat: int | None) -> Any:
        shown = right(state, seat)
        way = -1 if state.draw and state.draw[-1] < state.draw[0] else 1
        return dataclasses.replace(shown, untaken=shown.untaken[::way], deck=shown.deck[::way], hand=shown.hand[::way])

    check_caught(leaky(view=view), "its view")


def test_a_card_in_a_subject_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = letters.subject

    def subject(sitting: Sitting, seat: int | None) -> str:
        return f"{right(sitting, seat)} {hidden(sitting.table.state)}"

    monkeypatch.setattr(letters, "subject", subject)
    check_caught(Kit("blame"), "letter 1, subject")


def test_a_letter_only_where_there_is_a_choice_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = letters.remind

    def remind(session: Any, house: Any, sitting: Sitting, *more: Any) -> None:
        if hidden(sitting.table.state) > "T":
            right(session, house, sitting, *more)

    monkeypatch.setattr(letters, "remind", remind)
    check_caught(dataclasses.replace(Kit("blame"), positions=24), "letters against")


def test_what_another_seat_has_seen_in_a_view_is_caught() -> None:
    def view(right: Callable[..., Any], state: Any, seat: int | None) -> Any:
        shown = right(state, seat)
        others = [sight for other in range(len(state.names)) for sight in right(state, other).seen]
        return shown if seat is None else dataclasses.replace(shown, seen=tuple(others))

    check_caught(dataclasses.replace(leaky("archer", view=view), positions=60), "its view")


def test_a_question_that_depends_on_a_face_down_card_is_caught() -> None:
    def awaiting(right: Callable[..., Any], state: Any) -> Any:
        true = "challenge" in state.asked and state.down[-1].card == state.down[-1].declared
        return {seat: dataclasses.replace(prompt, optional=true) for seat, prompt in right(state).items()}

    check_caught(dataclasses.replace(leaky("accuse", awaiting=awaiting), positions=60), "")


def test_a_face_down_card_in_a_view_is_caught() -> None:
    def view(right: Callable[..., Any], state: Any, seat: int | None) -> Any:
        shown = right(state, seat)
        laid = tuple(laid.card for laid in state.down if laid.card[0] != "X")
        known = tuple(card for card in shown.seen if card != state.culprits[0])
        return dataclasses.replace(shown, seen=known, up=(*shown.up, *laid))

    check_caught(dataclasses.replace(leaky("accuse", view=view), positions=30), "its view")


def resolving(change: Callable[[AnyState, tuple[Event, ...]], tuple[AnyState, tuple[Event, ...]]]) -> Kit:
    """Change what comes of each step of Blame."""

    def resolve(right: Callable[..., Any], *given: Any) -> tuple[AnyState, tuple[Event, ...]]:
        return change(*right(*given))

    return dataclasses.replace(KITS["blame"], game=leaky(resolve=resolve).game)


def check_told(kit: Kit, *names: str) -> None:
    """Check that the checks with these names find what is told."""
    for check in CHECKS:
        if check.__name__ in names:
            with pytest.raises(AssertionError, match=r"blame, game .* (an event tells|can tell by who is asked)"):
                check(kit)


@pytest.mark.parametrize(
    ("kind", "found_by"),
    [
        ("drew_cards", "events_tell_all_that_shows_and_no_more"),
        ("spied_cards", "events_tell_all_that_shows_and_no_more"),
        ("exchanged_cards", "events_tell_all_that_shows_and_no_more"),
        ("blamed_cards", "events_tell_all_that_shows_and_no_more"),
        ("gave_card", "what_is_done_in_secret_stays_secret"),
        ("buried_card", "what_is_done_in_secret_stays_secret"),
    ],
)
def test_a_private_event_told_to_all_is_caught(kind: str, found_by: str) -> None:
    def tell_all(state: AnyState, events: tuple[Event, ...]) -> tuple[AnyState, tuple[Event, ...]]:
        told = (dataclasses.replace(event, seen_by=None) if event.kind == kind else event for event in events)
        return state, tuple(told)

    check_told(resolving(tell_all), found_by)


def test_a_question_only_to_who_holds_a_treason_is_caught() -> None:
    def ask_few(state: AnyState, events: tuple[Event, ...]) -> tuple[AnyState, tuple[Event, ...]]:
        holders = ["X" in hand for hand in state.hands]
        asked = tuple(kind if kind != "bury" or holds else "" for kind, holds in zip(state.asked, holders, strict=True))
        return (dataclasses.replace(state, asked=asked) if any(asked) else state), events

    check_told(resolving(ask_few), "events_tell_all_that_shows_and_no_more", "what_is_done_in_secret_stays_secret")
