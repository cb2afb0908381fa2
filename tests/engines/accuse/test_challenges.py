"""Test challenges, line by line of rules.md: C10 to C15."""

from typing import Any

import pytest

import engines.accuse as accuse
from engines.accuse.orders import Challenge

from .tables import NAMES, Table, card, lay, refusal

HANDS = ("C3 L3 X", "W5 C1", "W4 C2", "W3 L5")


def window(play: str, *hands: str, **changes: Any) -> Table:
    """Let ann play a card; bob, cleo and dan are asked."""
    return Table(lay(*(hands or HANDS), **changes)).send(ann=play)


def test_c10_every_other_player_with_a_card_is_asked() -> None:
    table = window("C3", "C3 X", "W5", "", "X")
    assert table.asked == {"bob": "challenge", "dan": "challenge"}
    prompt = accuse.awaiting(table.state)[1]
    assert prompt.optional and "ann played #1 as C3" in prompt.asked
    assert prompt.examples == ("pass", "challenge", "challenge give W5", "challenge if held")


def test_c10_with_nobody_to_ask_the_play_is_unchallenged() -> None:
    table = window("C3", "C3 X", "", down="L1=L1@1")
    assert table.seen(None) == ["laid", "unchallenged", "turn"]
    assert table.facts("unchallenged") == {"number": 2, "seats": []}
    assert table.asked == {"bob": "flip"}


@pytest.mark.parametrize(
    ("came", "settled"),
    [
        ({"bob": "challenge"}, True),
        ({"cleo": "challenge"}, False),
        ({"dan": "challenge", "cleo": "challenge"}, False),
        ({"dan": "challenge", "bob": "pass"}, False),
        ({"bob": "pass", "cleo": "challenge"}, True),
        ({"cleo": "challenge", "bob": "pass"}, True),
        ({"cleo": "pass", "bob": "pass"}, False),
        ({"cleo": "pass", "bob": "pass", "dan": "pass"}, True),
        ({"dan": "challenge", "cleo": "pass", "bob": "pass"}, True),
        ({"bob": "challenge if held"}, False),
        ({}, False),
    ],
)
def test_c10_the_window_closes_as_soon_as_the_outcome_is_settled(came: dict[str, str], settled: bool) -> None:
    assert window("C3").settled(**came) is settled


@pytest.mark.parametrize(
    ("came", "who"),
    [
        ({"dan": "challenge", "cleo": "challenge", "bob": "challenge"}, 1),
        ({"dan": "challenge", "cleo": "challenge", "bob": "pass"}, 2),
        ({"dan": "challenge", "cleo": "pass", "bob": "pass"}, 3),
    ],
)
def test_c10_if_several_challenge_the_next_in_seat_order_does(came: dict[str, str], who: int) -> None:
    table = window("C3").send(**came)
    assert table.facts("challenged") == {"seat": who, "other": 0, "number": 1}
    heard = str([event.facts for event in table.events])
    assert not any(f"'seat': {seat}" in heard for seat in {1, 2, 3} - {who}), "answers not needed are never shown"


def test_c10_seat_order_goes_on_from_the_declarer() -> None:
    table = Table(lay("W5", "W4", "C3 L3 X", "W3", player=2)).send(cleo="play C3")
    assert not table.settled(ann="challenge"), "dan comes first"
    assert table.settled(dan="challenge")
    assert table.send(ann="challenge", dan="pass").facts("challenged")["seat"] == 0


def test_c10_until_the_window_closes_no_view_tells_who_has_answered() -> None:
    table = window("C3")
    views = [accuse.view(table.state, seat) for seat in (None, 0, 1, 2, 3)]
    table.settled(cleo="challenge", dan="pass")
    assert [accuse.view(table.state, seat) for seat in (None, 0, 1, 2, 3)] == views, "answers lie beside the state"


@pytest.mark.parametrize("came", [{"dan": "challenge"}, {"cleo": "pass", "dan": "challenge"}])
def test_c10_with_challenge_first_the_first_one_in_settles_it(came: dict[str, str]) -> None:
    table = window("C3", options="challenge=first")
    assert not table.settled(cleo="pass")
    assert table.settled(**came)
    assert table.send(**came).facts("challenged")["seat"] == 3


def test_c10_with_challenge_first_several_at_once_go_in_seat_order() -> None:
    table = window("C3", options="challenge=first").send(dan="challenge", cleo="challenge")
    assert table.facts("challenged")["seat"] == 2


@pytest.mark.parametrize(
    ("hands", "down", "held"),
    [
        (("C3 L3 X", "W4 C1"), "", True),
        (("C3 L3 X W4", "W5 C1"), "", False),
        (("C3 L3 X W5", "W2 C1"), "W4=L1@1", True),
        (("C3 L3 X", "W5 C1"), "W4=L1@0", False),
        (("C3 L3 X", "W5 C1"), "", True),
    ],
    ids=["in hand", "nowhere", "laid by the own hand", "laid by another", "face up"],
)
def test_c10_challenge_if_held_looks_at_the_own_cards_and_what_lies_open(
    hands: tuple[str, ...], down: str, held: bool
) -> None:
    table = window("C3=W4", *hands, down=down)
    order = table.read(bob="challenge if held")[1]
    assert order == Challenge(if_held=True), "what was typed is kept until it is used"
    table.send(bob="challenge if held")
    assert ("challenged" in table.seen(None)) is held
    assert ("unchallenged" in table.seen(None)) is not held


def test_c10_challenge_if_held_with_declare_center_needs_all_three() -> None:
    all_three = window("C3=4", "C3 L3 X", "C4 W5", down="L4=1@1", options="declare=center")
    assert all_three.view("bob").up.count("W4") == 1
    assert "challenged" in all_three.send(bob="challenge if held").seen(None)
    two = window("C3=4", "C3 L3 X W4", "C4 W5", down="L4=1@1", options="declare=center")
    assert "unchallenged" in two.send(bob="challenge if held").seen(None)


def test_c10_a_challenge_if_held_that_passes_looks_like_a_pass() -> None:
    typed = window("C3=W4", "C3 L3 X W4", "W5 C1").send(bob="challenge if held")
    assert typed.events == window("C3=W4", "C3 L3 X W4", "W5 C1").send(bob="pass").events


def test_c11_a_bluff_is_shown_to_all_and_goes_to_the_challenger() -> None:
    table = window("C3=W4").send(bob="challenge")
    assert table.seen(None) == ["challenged", "bluff", "turn"]
    assert table.facts("bluff") == {
        "seat": 1, "other": 0, "number": 1, "card": card("C3"), "declared": card("W4"),
    }  # fmt: skip
    assert table.hand(1) == "C1 C3 W5" and table.state.down == () and "C3" not in table.up
    assert table.asked == {"bob": "play"}


def test_c12_a_true_card_stays_face_up_and_the_challenger_gives_one() -> None:
    table = window("C3").send(bob="challenge")
    assert table.seen(None) == ["challenged", "proved"]
    assert "C3" in table.up and table.asked == {"bob": "give"}
    assert "true" in accuse.awaiting(table.state)[1].asked
    assert "not in your hand" in refusal(table.state, 1, "give W4").why
    table.send(bob="give C1")
    assert table.hand(0) == "C1 L3 X" and table.hand(1) == "W5"
    assert table.seen(0) == table.seen(1) == ["gave", "gave_card", "turn"]
    assert table.seen(2) == table.seen(None) == ["gave", "turn"]
    assert table.facts("gave") == {"seat": 1, "other": 0}
    assert table.facts("gave_card")["card"] == card("C1")
    assert table.asked == {"bob": "play"}


def test_c12_either_word_will_do() -> None:
    table = window("C3").send(bob="challenge")
    assert table.read(bob="show C1") == table.read(bob="c1>") == table.read(bob="give C1")


def test_c13_a_trap_costs_the_challenger_a_card_and_leaves_the_game() -> None:
    table = window("X=W2").send(bob="challenge")
    assert table.seen(None) == ["challenged", "trap"]
    assert table.facts("trap") == {"seat": 1, "other": 0, "number": 1, "card": card("X")}
    assert "X" not in table.up and table.view("ann").traps_gone == 4
    assert table.asked == {"bob": "show"}
    assert table.read(bob="give C1") == table.read(bob="show C1")
    table.send(bob="show C1")
    assert "C1" in table.up and table.hand(1) == "W5"
    assert table.facts("showed") == {"seat": 1, "card": card("C1")}
    assert table.seen(None) == ["showed", "turn"]


def test_c13_an_own_trap_may_be_shown_and_stays_there() -> None:
    table = window("X=W2", "C3 X", "W5 X").send(bob="challenge").send(bob="show X")
    assert table.state.up.count("X2") == 1 and table.view("ann").up[-1] == "X"
    assert table.view("ann").traps_gone == 3


@pytest.mark.parametrize(("play", "event"), [("C3", "gave"), ("X=W2", "showed")])
def test_c14_the_card_to_lose_may_be_named_ahead(play: str, event: str) -> None:
    table = window(play).send(bob="challenge give C1")
    assert event in table.seen(None) and table.seen(None)[-1] == "turn"
    assert table.hand(1) == "W5"
    assert "not in your hand" in refusal(window(play).state, 1, "challenge give W4").why


@pytest.mark.parametrize("came", [{"bob": "challenge give C1"}, {"bob": "challenge", "cleo": "challenge give C2"}])
def test_c14_what_was_named_and_not_lost_is_shown_to_nobody(came: dict[str, str]) -> None:
    table = window("C3=W4").send(**came)
    assert "C1" not in str(table.events) and "C2" not in str(table.events)
    plain = window("C3=W4").send(bob="challenge")
    assert table.events == plain.events and table.state == plain.state


def test_c14_the_challenger_is_asked_with_one_card_in_hand_too() -> None:
    table = window("C3", "C3 X", "W5").send(bob="challenge")
    assert table.asked == {"bob": "give"}


def test_c15_an_unchallenged_card_stays_and_is_never_challenged_again() -> None:
    table = window("C3=W4").send(bob="pass", cleo="pass", dan="pass")
    assert table.facts("unchallenged") == {"number": 1, "seats": [1, 2, 3]}
    assert [(laid.number, laid.card, laid.declared) for laid in table.state.down] == [(1, "C3", "W4")]
    assert table.asked == {"bob": "play"} and table.state.turn == 2
    for seat in range(len(NAMES)):
        assert refusal(table.state, seat, "challenge").why
