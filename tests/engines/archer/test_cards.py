"""Test what each card does, line by line of rules.md: A16 to A23."""

from collections import Counter

import pytest

import engines.archer as archer
from engines.archer.cards import CHARACTERS
from pbem.engine import Dice, IllegalOrder, UnreadableOrder

from .tables import Stacked, Table, lay, refusal


def test_a16_whoever_plays_malory_is_out() -> None:
    table = Table(lay("8 7", "1", "4", secret=5)).send("play malory")
    assert table.facts("out") == {"seat": 0, "card": 7} and table.laid(0) == "8 7"
    assert table.seen(1)[:2] == ["played", "out"]
    assert table.view(1).inside == (False, True, True) and "shuffled" not in table.seen(None)


@pytest.mark.parametrize("line", ["6 bob", "5 bob"])
def test_a16_discarded_malory_has_no_effect(line: str) -> None:
    table = Table(lay("6 5", "8", "4", secret=7, draw="3 2")).send(line)
    assert table.facts("discarded") == {"seat": 1, "card": 8} and "out" not in table.seen(None)
    assert table.view(0).inside == (True, True, True) and table.laid(1) == "8"


def test_a17_lana_deals_hands_and_secret_anew() -> None:
    state = lay("7 5", "3", "1", secret=8, draw="2")
    ways = set()
    for number in range(24):
        table = Table(state).send("play lana", dice=Stacked(number))
        hands = [table.hand(0), table.hand(1).replace("2", "").strip(), table.hand(2)]
        assert Counter([*hands, str(table.secret)]) == Counter("8531")
        ways.add((*hands, table.secret))
        assert [len(hand) for hand in table.state.hands] == [1, 2, 1] and table.laid(0) == "7"
    assert len(ways) == 24, "each of the four cards may go anywhere"
    assert table.facts("shuffled") == {"seat": 0, "seats": [0, 1, 2]}


def test_a17_each_learns_the_own_card_alone() -> None:
    table = Table(lay("7 5", "3", "1", secret=8, draw="2")).send("7", dice=Dice(b"any"))
    for seat in range(3):
        got = [event for event in table.events if event.kind == "got" and event.visible(seat)]
        assert [event.facts["seat"] for event in got] == [seat]
        assert got[0].facts["card"] in table.view(seat).hand
    assert "got" not in table.seen(None)


def test_a17_who_is_out_gets_no_card() -> None:
    table = Table(lay("7 5", "", "1", secret=8, laid={1: "3"})).send("7")
    assert table.facts("shuffled")["seats"] == [0, 2] and table.state.hands[1] == ()


def test_a18_ray_brings_the_secret_into_a_hand_and_the_top_card_into_its_place() -> None:
    table = Table(lay("6 5", "3", "1", secret=8, draw="7 2")).send("ray bob")
    assert table.laid(1) == "3" and table.hand(1) == "8 2" and table.secret == 7
    assert table.facts("took_secret") == {"seat": 1, "replaced": True, "left": 10}
    assert table.facts("got") == {"seat": 1, "card": 8} and "got" not in table.seen(0) and "got" not in table.seen(2)


def test_a18_with_an_empty_deck_there_is_no_secret_any_more() -> None:
    table = Table(lay("6 5", "3", secret=8, short=True, points=(5, 5))).send("ray bob")
    assert table.facts("took_secret") == {"seat": 1, "replaced": False, "left": 0}
    assert table.facts("round_over")["secret"] is None and table.facts("round_over")["hands"] == [5, 8]
    assert archer.view(table.state, None).secret == 0 and archer.view(table.state, 0).winners == (1,)


def test_a19_pam_makes_a_player_discard_and_draw() -> None:
    table = Table(lay("5 4", "3", "1", secret=8, draw="7 2")).send("pam bob")
    assert table.laid(1) == "3" and table.hand(1) == "7 2" and table.secret == 8
    assert table.facts("redrew") == {"seat": 1, "left": 10} and table.facts("got") == {"seat": 1, "card": 7}


def test_a19_from_an_empty_deck_the_secret_is_drawn() -> None:
    table = Table(lay("5 4", "3", secret=8, short=True)).send("pam bob")
    assert table.facts("took_secret") == {"seat": 1, "replaced": False, "left": 0}
    over = table.facts("round_over")
    assert (over["how"], over["hands"], over["secret"], over["winners"]) == ("deck", [4, 8], None, [1])


def test_a20_cheryl_hides_or_looks() -> None:
    state = lay("4 5", "3", "1", secret=8, draw="2")
    hidden, looked = Table(state).send("4 hide"), Table(state).send("cheryl look")
    assert hidden.view(1).shielded == (True, False, False) and "saw_secret" not in hidden.seen(0)
    assert looked.view(1).shielded == (False, False, False)
    assert looked.facts("saw_secret") == {"seat": 0, "card": 8}
    assert looked.seen(0)[:3] == ["played", "looked", "saw_secret"] and looked.seen(1)[:2] == ["played", "looked"]
    assert "saw_secret" not in looked.seen(1) + looked.seen(None)
    assert isinstance(refusal(state, "4"), UnreadableOrder)


@pytest.mark.parametrize(("hands", "lower"), [(("5", "4"), 1), (("2", "4"), 0), (("1", "8"), 0)])
def test_a21_in_a_duel_the_lower_is_out(hands: tuple[str, str], lower: int) -> None:
    table = Table(lay(f"3 {hands[0]}", hands[1], "7", secret=6)).send("cyril bob")
    assert table.facts("dueled") == {"seat": 0, "other": 1, "lower": lower}
    assert table.facts("out") == {"seat": lower, "card": int(hands[lower])}
    assert table.facts("duel_cards") == {"seat": 0, "other": 1, "cards": [int(hands[0]), int(hands[1])]}
    assert all("duel_cards" in table.seen(seat) for seat in (0, 1))
    assert "duel_cards" not in table.seen(2) + table.seen(None)


def test_a21_equal_cards_do_nothing_and_the_others_learn_only_that() -> None:
    table = Table(lay("3 4", "4", "7")).send("cyril bob")
    assert table.facts("dueled")["lower"] is None and "out" not in table.seen(None)
    assert table.seen(2)[:2] == ["played", "dueled"]
    told = [event.facts for event in table.events if event.visible(None)]
    assert not any(value == 4 for facts in told for key, value in facts.items() if key in ("card", "cards"))
    assert [sight.card for sight in table.view(0).seen] == [sight.card for sight in table.view(1).seen] == [4]
    assert table.view(2).seen == ()


@pytest.mark.parametrize("named", [one for one in CHARACTERS if one != 6])
def test_a22_krueger_names_any_character_and_sees_the_secret(named: int) -> None:
    table = Table(lay("2 5", "3", "1", secret=6)).send(f"2 {named}")
    assert table.facts("guessed_secret") == {"seat": 0, "named": named, "right": False}
    assert table.facts("saw_secret") == {"seat": 0, "card": 6}
    assert table.view(0).seen[0].card == 6 and table.view(1).seen == ()
    assert table.seen(1)[:2] == table.seen(None)[:2] == ["played", "guessed_secret"]
    assert "saw_secret" not in table.seen(1) + table.seen(None) and table.state.round == 1


def test_a22_a_right_guess_wins() -> None:
    assert Table(lay("2 5", "3", "1", secret=6)).send("2 ray").state.points == (1, 0, 0)


def test_a23_sterling_names_a_character_and_sees_the_card() -> None:
    table = Table(lay("1 5", "3", "4")).send("1 bob lana")
    assert table.facts("guessed") == {"seat": 0, "other": 1, "named": 7, "right": False}
    assert table.facts("saw_hand") == {"seat": 0, "other": 1, "card": 3}
    assert table.view(0).seen[0].of == 1 and table.view(0).seen[0].card == 3
    assert table.seen(1)[:2] == table.seen(2)[:2] == ["played", "guessed"]
    assert not {"saw_hand", "out"} & {*table.seen(1), *table.seen(2), *table.seen(None)}
    assert table.view(1).seen == table.view(2).seen == ()


def test_a23_a_right_guess_puts_that_player_out() -> None:
    table = Table(lay("1 5", "3", "4")).send("sterling bob cyril")
    assert table.facts("guessed")["right"] and table.facts("out") == {"seat": 1, "card": 3}
    assert "saw_hand" not in table.seen(0)


def test_a23_sterling_may_not_be_named() -> None:
    state = lay("1 5", "1", "4")
    for line in ("1 bob sterling", "1 bob 1", "sterling cleo ste"):
        error = refusal(state, line)
        assert isinstance(error, IllegalOrder) and "any character but 1 Sterling" in error.why
