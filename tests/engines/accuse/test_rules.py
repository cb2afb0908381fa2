"""Test set-up and turns, line by line of rules.md: C1 to C9, and that every line has a test."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import engines.accuse as accuse
from engines.accuse.deck import CARDS, CENTERS, CLUES, NAMED, TRAPS, of_kind
from engines.accuse.orders import Play
from pbem.engine import BadOption, Dice, IllegalOrder

from .tables import NAMES, Table, card, lay, options, refusal

RULES = Path(accuse.__file__).with_name("rules.md")


def deal(text: str = "", players: int = 3, seed: bytes = b"deal") -> accuse.State:
    return accuse.setup(NAMES[:players], options(text), Dice(seed))


def test_every_line_of_the_rules_is_named_by_a_test() -> None:
    lines = set(re.findall(r"^- (C\d+a?) ", RULES.read_text(encoding="utf-8"), re.MULTILINE))
    source = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    named = {name.upper().replace("A", "a") for name in re.findall(r"def test_(c\d+a?)_", source)}
    assert len(lines) == 22
    assert lines - named == set()
    assert named - lines == set()


def test_c1_there_are_22_cards_each_with_a_name_of_its_own() -> None:
    assert range(2, 5) == accuse.SEATS
    assert len(CARDS) == 22 and len(TRAPS) == 4
    assert [len(of_kind(kind)) for kind in "CLW"] == [6, 6, 6]
    assert set(CLUES) == {kind + number for kind in "CLW" for number in "123456"}
    names = [name for _, name in NAMED]
    assert len(set(names)) == len(names) == 18 + 1 + 6


def test_c1_a_game_pins_its_names() -> None:
    state = deal()
    renamed = tuple((code, f"New {name}") for code, name in state.deck)
    hand = accuse.view(state, state.player).hand
    table = Table(replace(state, deck=renamed)).send(**{NAMES[state.player]: f"play {hand[0]}"})
    assert table.state.deck == renamed
    assert table.facts("laid_card")["card"][1].startswith("New ")


def test_c2_a_place_declares_one_card() -> None:
    table = Table(lay("C3 X", "W5 X")).send(ann="play C3 as W5")
    assert table.facts("laid") == {"seat": 0, "number": 1, "declared": card("W5")}
    table.send(bob="challenge")
    assert table.facts("bluff")["declared"] == card("W5")


@pytest.mark.parametrize(("order", "kind"), [("C3", "proved"), ("C3 as 3", "proved"), ("C3 as 5", "bluff")])
def test_c2_with_declare_center_any_of_the_three_is_true(order: str, kind: str) -> None:
    table = Table(lay("C3 L3 X", "W5 X", options="declare=center")).send(ann=f"play {order}")
    assert table.facts("laid")["declared"][0] == order[-1]
    assert kind in Table(table.state).send(bob="challenge").seen(None)


def test_c2_with_declare_center_only_a_number_is_declared() -> None:
    state = lay("C3 X", "W5 X", options="declare=center")
    assert "number alone: 5" in refusal(state, 0, "play C3 as W5").why
    assert "number of a Center card" in refusal(state, 0, "play X").why
    Table(state).send(ann="play X as 2")
    assert "".join(CENTERS) == "123456"


@pytest.mark.parametrize(("players", "size"), [(2, 7), (3, 5), (4, 4)])
def test_c3_the_deal_adds_up(players: int, size: int) -> None:
    for number in range(60):
        state = deal(players=players, seed=b"%d" % number)
        accuse.audit(state)
        assert [len(hand) for hand in state.hands] == [size] * players
        assert tuple(one[0] for one in state.culprits) == ("C", "L", "W")
        assert len(state.up) == 3 and not set(state.up) & set(TRAPS)
        assert len(state.gone) == 4 - players and set(state.gone) <= set(TRAPS)
        for hand in state.hands:
            kinds = Counter(one[0] for one in hand)
            assert kinds["X"] == 1 and min(kinds["C"], kinds["L"], kinds["W"]) >= 1
        assert players * size + 3 + 3 + (4 - players) == 22


def test_c3_every_card_is_the_culprit_as_often_as_the_others() -> None:
    rounds = 1800
    found = Counter(one for number in range(rounds) for one in deal(seed=b"odds %d" % number).culprits)
    assert set(found) == set(CLUES)
    expected = rounds / 6
    assert sum((count - expected) ** 2 / expected for count in found.values()) < 37.7, "chi square, 15 degrees, 0.1 %"


def test_c4_the_first_player_is_drawn_or_named() -> None:
    assert {deal(seed=b"%d" % number).player for number in range(40)} == {0, 1, 2}
    assert {deal("first=Bob", seed=b"%d" % number).player for number in range(10)} == {1}
    with pytest.raises(BadOption, match="ann, bob, cleo"):
        deal("first=zed")
    assert deal("first=bob").asked == ("", "play", "")


def test_c5_numbers_are_given_when_a_card_is_laid_and_never_again() -> None:
    table = Table(lay("C3 L2 X", "W5 X", "C1 X"))
    table.send(ann="play C3").send(bob="pass", cleo="pass")
    assert table.facts("unchallenged")["number"] == 1
    table.send(bob="play W5 as L1").send(cleo="challenge")
    assert [laid.number for laid in table.state.down] == [1], "#2 is in cleo's hand now"
    table.send(cleo="play W5").send(ann="pass", bob="pass")
    assert [laid.number for laid in table.state.down] == [1, 3]


def test_c5_a_view_shows_what_lies_open_and_the_own_hand() -> None:
    table = Table(lay("C3 L2 X", "W5 X", "C1 X", down="C5=L1@1 X=C2@0", culprits="C6 L6 W6"))
    view = table.view("bob")
    assert view.hand == ("W5", "X") and view.hand_sizes == (3, 2, 2)
    assert [(laid.number, laid.card, laid.declared, laid.seat) for laid in view.down] == [
        (1, "C5", "L1", 1), (2, "", "C2", 0),
    ]  # fmt: skip
    assert set(view.up) == {"C2", "C4", "L1", "L3", "L4", "L5", "W1", "W2", "W3", "W4"}
    assert accuse.view(table.state, None).hand == ()


def test_c5_a_view_lists_the_cards_that_its_seat_was_ever_shown() -> None:
    table = Table(lay("C3 L2 X", "W5 X", "C1 X"))
    assert table.view("bob").possible == (("C1", "C3", "C6"), ("L2", "L6"), ("W6",))
    table.send(ann="play C3 as L2").send(bob="challenge")
    assert [table.view(name).possible[0] for name in NAMES[:3]] == [("C1", "C6"), ("C1", "C6"), ("C6",)]
    table.send(bob="play W5").send(ann="pass", cleo="challenge give C1")
    assert [table.view(name).possible[0] for name in NAMES[:3]] == [("C1", "C6"), ("C6",), ("C6",)]
    assert accuse.view(table.state, None).possible[0] == ("C1", "C6")


def test_c6_whoever_laid_a_card_still_knows_it() -> None:
    table = Table(lay("C3 L2 X", "W5 X", "C1 X")).send(ann="play X as W2")
    assert [table.view(name).down[0].card for name in NAMES[:3]] == ["X", "", ""]
    assert accuse.view(table.state, None).down[0].card == ""
    assert table.seen(0) == ["laid", "laid_card"] and table.seen(1) == table.seen(None) == ["laid"]
    table.send(bob="pass", cleo="pass").send(bob="play W5").send(ann="pass", cleo="pass")
    assert table.view("ann").down[0].card == "X"


@pytest.mark.parametrize("declared", CLUES)
def test_c7_any_card_may_be_declared_as_any(declared: str) -> None:
    table = Table(lay("C3 X", "W5 X"))
    assert table.read(ann=f"play C3 as {declared}") == {0: Play("C3", declared)}
    assert table.read(ann=f"play X as {declared}") == {0: Play("X", declared)}


def test_c7_a_trap_is_declared_as_anything_but_a_trap() -> None:
    state = lay("C3 X", "W5 X")
    assert "cannot be declared" in refusal(state, 0, "play X as X").why
    assert "cannot be declared" in refusal(state, 0, "play C3 as X").why
    assert "no place of its own" in refusal(state, 0, "play X").why
    assert Table(state).read(ann="play C3") == {0: Play("C3", "C3")}


def test_c7_only_a_card_of_the_hand_is_played() -> None:
    state = lay("C3 X", "W5 X")
    assert "not in your hand (C3 X)" in refusal(state, 0, "play W5").why
    assert isinstance(refusal(state, 0, "flip #1"), IllegalOrder), "who has a card plays one"


def test_c8_without_a_card_one_face_down_is_turned_up_for_all() -> None:
    table = Table(lay("", "C1 L1 W1 X", "C2 X", down="C3=W5@0 L2=L2@1 W2=C4@2", asked="flip"))
    assert "last card played" in refusal(table.state, 0, "flip #3").why
    assert "number 4" in refusal(table.state, 0, "flip #4").why
    assert "1 must be turned up" in refusal(table.state, 0, "flip 1 2").why
    assert accuse.awaiting(table.state)[0].examples == ("flip #1", "flip #2"), "an own card is one of them"
    table.send(ann="flip 2")
    assert table.facts("flipped") == {"seat": 0, "number": 2, "card": card("L2"), "gone": False}
    assert "L2" in table.up and [laid.number for laid in table.state.down] == [1, 3]
    assert table.asked == {"bob": "play"}
    assert table.seen(None) == ["flipped", "turn"]


def test_c8_the_last_card_played_may_be_turned_up_once_another_was_laid_after_it() -> None:
    state = lay("", "C1 L1 W1 X", "C2 X", down="C3=W5@0 L2=L2@1", asked="flip", given=3)
    Table(state).send(ann="flip 2")


def test_c8_a_trap_turned_up_leaves_the_game_and_costs_nobody_anything() -> None:
    table = Table(lay("", "C1 L1 W1 X", "C2 X", down="X=W5@0 L2=L2@1", asked="flip")).send(ann="flip 1")
    assert table.facts("flipped")["gone"] is True
    assert "X" not in table.up and len(table.state.gone) == 2
    assert table.view("bob").traps_gone == 2 and table.asked == {"bob": "play"}


def empty_handed(*hands: str, down: str) -> Table:
    """Let ann play her last card, so that bob, who has none, is next."""
    return Table(lay("C1", *hands, down=down)).send(ann="play C1")


def test_c9_without_a_card_and_nothing_to_flip_the_turn_passes_while_another_holds_one() -> None:
    table = Table(lay("C1 C2", "", "C3")).send(ann="play C1").send(cleo="pass")
    assert table.seen(None) == ["unchallenged", "turn", "passed_over", "turn"]
    assert table.facts("passed_over") == {"seat": 1}
    assert table.state.turn == 3 and table.asked == {"cleo": "play"}, "a turn that passes is counted"


def test_c9_without_a_card_and_nothing_to_flip_the_player_must_accuse_if_nobody_holds_one() -> None:
    table = empty_handed("", "", down="")
    assert table.seen(None) == ["laid", "unchallenged", "turn", "cornered"]
    assert table.facts("cornered") == {"seat": 1, "why": "empty"}
    assert table.asked == {"bob": "accuse"}
    assert "must accuse" in accuse.awaiting(table.state)[1].asked
    assert isinstance(refusal(table.state, 1, "flip #1"), IllegalOrder)


def test_c9_something_to_flip_is_flipped() -> None:
    assert empty_handed("", "", down="C2=C2@1").asked == {"bob": "flip"}


def test_c9_from_turn_100_on_whoever_has_the_turn_must_accuse() -> None:
    table = Table(lay("C1 C2", "C3", turn=98)).send(ann="play C1").send(bob="pass")
    assert table.state.turn == 99 and table.asked == {"bob": "play"}
    table.send(bob="play C3").send(ann="pass")
    assert table.facts("cornered") == {"seat": 0, "why": "turns"}
    assert table.asked == {"ann": "accuse"}
    assert isinstance(refusal(table.state, 0, "play C2"), IllegalOrder)


def test_c9_max_turns_is_an_option() -> None:
    table = Table(lay("C1 C2", "C3", options="max_turns=2")).send(ann="play C1").send(bob="pass")
    assert table.asked == {"bob": "accuse"}
    assert deal("max_turns=1 first=ann").asked == ("accuse", "", "")
