"""Test set-up, rounds, scoring and targets, line by line: A1 to A15 but A4, and that every line has a test."""

import re
from collections import Counter
from pathlib import Path

import pytest
from pydantic import TypeAdapter

import engines.archer as archer
from engines.archer.cards import CHARACTERS, KIT
from engines.archer.table import Options
from pbem.engine import BadOption, Dice, Result

from .tables import NAMES, Stacked, Table, lay, refusal

RULES = Path(archer.__file__).with_name("rules.md")


def deal(players: int = 3, seed: bytes = b"deal", first: str = "") -> archer.State:
    return archer.setup(NAMES[:players], Options(first), Dice(seed))


def test_every_line_of_the_rules_is_named_by_a_test() -> None:
    lines = set(re.findall(r"^- (A\d+) ", RULES.read_text(encoding="utf-8"), re.MULTILINE))
    source = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    named = {name.upper() for name in re.findall(r"def test_(a\d+)_", source)}
    assert lines == {f"A{number}" for number in range(1, 24)}
    assert named == lines


def test_every_line_of_the_rules_is_cited_by_the_engine() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in RULES.parent.glob("*.py"))
    cited = {line for lines in re.findall(r"Rule: (.*)", source) for line in re.findall(r"A\d+", lines)}
    assert cited == {f"A{number}" for number in range(1, 24)}


def test_a1_cards_and_players() -> None:
    assert range(2, 5) == archer.SEATS
    assert Counter(KIT) == {8: 1, 7: 1, 6: 1, 5: 2, 4: 2, 3: 2, 2: 2, 1: 5} and len(KIT) == 16
    assert [(one.number, one.name) for one in CHARACTERS.values()] == [
        (8, "Malory"), (7, "Lana"), (6, "Ray"), (5, "Pam"), (4, "Cheryl"), (3, "Cyril"), (2, "Krueger"),
        (1, "Sterling"),
    ]  # fmt: skip
    assert CHARACTERS[8].full == "Malory Archer" and CHARACTERS[1].full == "Sterling Archer"
    assert CHARACTERS[3].text == "Duel: the player with the lower value is eliminated."


@pytest.mark.parametrize(("players", "needed"), [(2, 6), (3, 4), (4, 3)])
def test_a1_points_to_win(players: int, needed: int) -> None:
    assert deal(players).needed == archer.view(deal(players), 0).needed == needed


def test_a2_the_first_starter_is_drawn_or_named() -> None:
    assert {deal(seed=b"%d" % number).player for number in range(40)} == {0, 1, 2}
    assert {deal(seed=b"%d" % number, first="Bob").player for number in range(10)} == {1}
    with pytest.raises(BadOption, match="ann, bob, cleo"):
        deal(first="zed")
    assert TypeAdapter(Options).validate_python({"first": "bob"}) == Options("bob")


@pytest.mark.parametrize(("players", "left"), [(2, 12), (3, 11), (4, 10)])
def test_a3_a_round_is_dealt(players: int, left: int) -> None:
    state = deal(players, first="bob")
    archer.audit(state)
    assert [len(hand) for hand in state.hands] == [2 if seat == 1 else 1 for seat in range(players)]
    assert len(state.draw) == left and state.secret >= 0
    assert (state.round, state.turn, archer.turn(state), state.first, state.player) == (1, 1, 1, 1, 1)
    assert set(archer.awaiting(state)) == {1}
    assert len({deal(players, b"%d" % number).secret for number in range(60)}) > 8


def test_a3_on_a_turn_one_of_two_cards_is_played_and_lies_open() -> None:
    table = Table(lay("5 1", "3", "2", draw="4 6")).send("1 bob lana")
    assert (table.hand(0), table.laid(0)) == ("5", "1")
    assert table.hand(1) == "4 3" and table.state.player == 1
    assert table.facts("turn") == {"turn": 2, "seat": 1, "left": 10}
    assert table.facts("drew") == {"seat": 1, "card": 4} and "drew" not in table.seen(0)
    table.send("4 hide")
    assert table.view(None).laid == ((1,), (4,), ()) and table.hand(2) == "6 2"


def test_a3_cards_lie_in_the_order_in_which_they_were_laid() -> None:
    table = Table(lay("5 1", "3", draw="2 4 1", laid={0: "4"})).send("pam ann", "4 hide", "1")
    assert table.view(1).laid == ((4, 5, 1, 1), (4,))


def test_a3_a_played_card_has_left_the_hand_before_its_effect() -> None:
    table = Table(lay("5 3", "4", "1")).send("cyril bob")
    assert table.facts("duel_cards")["cards"] == [5, 4] and table.state.hands[1] == ()
    assert Table(lay("5 1", "3", "2", draw="4")).send("pam ann").laid(0) == "5 1"


def test_a5_whoever_is_out_lays_the_hand_open_without_effect() -> None:
    table = Table(lay("1 3", "7", "2", draw="5 6")).send("1 bob lana")
    assert table.facts("out") == {"seat": 1, "card": 7} and table.laid(1) == "7"
    assert "shuffled" not in table.seen(None) and table.hand(0) == "3"
    assert table.view(1).inside == (True, False, True) and table.view(1).hand == ()
    assert table.state.player == 2, "the turn passes over who is out"
    assert "out of this round" in refusal(table.state, "5 bob", 2).why


def test_a6_the_turn_in_which_the_last_card_is_drawn_is_played_to_its_end() -> None:
    table = Table(lay("4 1", "3", "2", draw="5", secret=8, short=True)).send("cheryl hide")
    assert table.state.draw == () and table.state.player == 1 and not table.state.ending and table.state.round == 1
    table.send("5 cleo")
    assert table.facts("round_over")["how"] == "deck" and table.facts("discarded") == {"seat": 2, "card": 2}


@pytest.mark.parametrize(("line", "kind"), [("6 bob", "took_secret"), ("5 bob", "redrew")])
def test_a6_ray_and_pam_may_move_the_last_card(line: str, kind: str) -> None:
    table = Table(lay("6 5", "3", "2", secret=8, draw="4", short=True)).send(line)
    assert table.facts(kind)["left"] == 0
    assert table.facts("round_over")["how"] == "deck" and table.seen(None).index(kind) < 3


def test_a6_one_player_left_and_a_right_guess_come_before_the_empty_deck() -> None:
    table = Table(lay("1 2", "8", secret=5, short=True)).send("1 bob malory")
    assert table.facts("round_over")["how"] == "alone" and table.state.points == (1, 0)
    table = Table(lay("1 2", "8", secret=5, short=True)).send("2 pam")
    assert table.facts("round_over")["how"] == "guess" and table.state.points == (1, 0)


def test_a7_the_highest_hand_scores() -> None:
    table = Table(lay("4 1", "3", "6", secret=8, short=True)).send("4 look")
    over = table.facts("round_over")
    assert (over["how"], over["winners"], over["points"], over["hands"]) == ("deck", [2], [0, 0, 1], [1, 3, 6])


def test_a7_equal_highest_hands_score_each() -> None:
    table = Table(lay("3 2", "2", "2", "", secret=8, laid={3: "7"}, short=True)).send("cyril bob")
    assert table.facts("round_over")["winners"] == [0, 1, 2] and table.state.points == (1, 1, 1, 0)


def test_a7_who_is_out_does_not_score() -> None:
    table = Table(lay("4 1", "3", "", secret=8, laid={2: "7"}, short=True)).send("4 hide")
    assert table.facts("round_over")["winners"] == [1] and table.facts("round_over")["hands"] == [1, 3, None]


def test_a8_one_player_left_scores_at_once() -> None:
    table = Table(lay("3 5", "4", secret=8)).send("cyril bob")
    over = table.facts("round_over")
    assert (over["how"], over["winners"], over["points"]) == ("alone", [0], [1, 0])
    assert table.state.round == 2, "though the deck is not empty"


def test_a8_nobody_left_cannot_happen() -> None:
    table = Table(lay("8 7", "1", secret=5)).send("8")
    assert table.facts("round_over")["winners"] == [1] and table.facts("out") == {"seat": 0, "card": 7}


def test_a9_a_right_guess_of_the_secret_ends_the_round_at_once() -> None:
    table = Table(lay("2 1", "3", "7", secret=5)).send("krueger pam")
    over = table.facts("round_over")
    assert (over["how"], over["winners"], over["points"], over["secret"]) == ("guess", [0], [1, 0, 0], 5)
    assert table.facts("guessed_secret") == {"seat": 0, "named": 5, "right": True}
    assert table.state.round == 2 and "saw_secret" not in table.seen(0)


def test_a10_the_game_ends_when_somebody_has_the_points() -> None:
    table = Table(lay("2 1", "3", "7", secret=5, points=(2, 3, 0))).send("krueger pam")
    assert table.state.points == (3, 3, 0) and archer.result(table.state) is None
    table = Table(lay("2 1", "3", "7", secret=5, points=(3, 3, 0))).send("krueger pam")
    assert archer.result(table.state) == Result("guess", (0,), (4, 3, 0)) and archer.awaiting(table.state) == {}
    assert table.facts("ended") == {"how": "guess", "winners": [0], "points": [4, 3, 0]}


def test_a10_all_who_have_the_points_share_the_win() -> None:
    table = Table(lay("4 5", "3", "5", secret=8, short=True, points=(3, 1, 3))).send("4 hide")
    assert archer.result(table.state) == Result("deck", (0, 2), (4, 1, 4))


def test_a11_the_last_winner_starts_the_next_round() -> None:
    table = Table(lay("4 1", "3", "6", secret=8, short=True)).send("4 look")
    assert table.state.first == table.state.player == 2
    assert table.facts("round") == {"round": 2, "seat": 2}
    assert table.facts("turn")["seat"] == 2


@pytest.mark.parametrize(("first", "starter"), [(0, 0), (1, 2), (2, 2), (3, 0)])
def test_a11_of_several_the_first_in_seat_order_from_the_last_starter_on(first: int, starter: int) -> None:
    table = Table(lay("4 5", "3", "5", "1", secret=8, short=True, first=first)).send("4 hide")
    assert table.facts("round_over")["winners"] == [0, 2]
    assert table.state.first == table.state.player == starter


def test_a12_when_a_round_ends_all_see_every_hand_and_the_secret() -> None:
    table = Table(lay("2 1", "3", "7", secret=5)).send("krueger pam", dice=Stacked())
    for seat in (0, 1, 2, None):
        assert "round_over" in table.seen(seat)
    assert table.facts("round_over")["hands"] == [1, 3, 7] and table.facts("round_over")["secret"] == 5
    assert [table.facts("dealt", seat)["seat"] for seat in range(3)] == [0, 1, 2], "the next round is a new deal"
    assert sum(len(hand) for hand in table.state.hands) == 4 and table.state.laid == ((), (), ())
    assert table.state.shielded == (False,) * 3 and len(table.state.draw) == 11


def test_a12_at_the_end_of_the_game_every_view_shows_them() -> None:
    table = Table(lay("2 1", "3", "", secret=5, laid={2: "7"}, points=(3, 0, 0))).send("krueger pam")
    for seat in (0, 1, 2, None):
        view = table.view(seat)
        assert (view.hands, view.secret, view.ending, view.winners) == ((1, 3, 0), 5, "guess", (0,))
        assert view.seen == () and view.ask == ""


def test_a13_another_player_must_be_in_the_round_and_open() -> None:
    state = lay("1 3", "5", "", "4", laid={2: "2"}, shielded=(False, True, False, False))
    for card, more in (("3", ""), ("1", " lana")):
        assert "not at yourself" in refusal(state, f"{card} ann{more}").why
        assert "bob is protected" in refusal(state, f"{card} bob{more}").why
        assert "cleo is out" in refusal(state, f"{card} cleo{more}").why
        assert "must be played at a player who is open to it: dan" in refusal(state, card).why
    assert Table(state).send("3 dan").facts("dueled") == {"seat": 0, "other": 3, "lower": 0}


@pytest.mark.parametrize("line", ["1", "play sterling", "3", "play cyril"])
def test_a13_with_nobody_open_the_card_has_no_effect_and_names_nobody(line: str) -> None:
    state = lay("1 3", "5", "4", shielded=(False, True, True))
    table = Table(state).send(line)
    assert table.facts("without_effect") == {"seat": 0} and table.facts("played")["other"] is None
    assert table.state.player == 1 and table.hand(0) in ("1", "3")
    assert "bob is protected" in refusal(state, "1 bob lana").why
    assert "bob is protected" in refusal(state, "3 bob").why


def test_a13_a_character_alone_is_refused_with_nobody_open() -> None:
    state = lay("1 3", "5", "4", shielded=(False, True, True))
    assert '"lana" is no player' in refusal(state, "1 lana").why


def test_a14_ray_and_pam_may_be_aimed_at_the_own_player() -> None:
    shielded = (False, True, True)
    state = lay("6 5", "1", "4", secret=7, draw="3 2", shielded=shielded)
    assert Table(state).send("6 ann").hand(0) == "7"
    assert Table(state).send("5 ann").hand(0) == "3"
    for line in ("6 bob", "5 cleo"):
        assert "is protected" in refusal(state, line).why
    assert "needs a player's name after it: yourself, ann" in refusal(state, "6").why


def test_a14_the_own_protection_never_shields_from_the_own_card() -> None:
    state = lay("6 5", "1", "4", secret=7, draw="3 2", shielded=(True, False, False))
    assert Table(state).send("pam ann").hand(0) == "3"


def test_a15_protection_lasts_until_the_start_of_the_own_next_turn() -> None:
    table = Table(lay("4 5", "1", "2", draw="1 1 3")).send("4 hide")
    assert table.facts("hid") == {"seat": 0} and table.view(1).shielded == (True, False, False)
    assert "ann is protected" in refusal(table.state, "1 ann lana", 1).why
    table.send("1 cleo lana")
    assert "ann is protected" in refusal(table.state, "1 ann lana", 2).why
    table.send("1 bob lana")
    assert table.view(1).shielded == (False, False, False) and table.state.player == 0


def test_a15_protection_ends_with_the_round() -> None:
    table = Table(lay("4 5", "2", "8", secret=1, draw="7")).send("4 hide", "2 sterling")
    assert table.state.round == 2 and table.state.shielded == (False, False, False)


def test_a15_protection_shields_from_lana_too() -> None:
    for number in range(24):
        table = Table(lay("4 5", "7", "3", secret=8, draw="1 1")).send("4 hide", "7", dice=Stacked(number % 6))
        assert table.hand(0) == "5" and table.facts("shuffled")["seats"] == [1, 2]
        assert "got" not in table.seen(0)
