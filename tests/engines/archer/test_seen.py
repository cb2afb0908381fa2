"""Test what a player has seen (A4): it stays until the round ends, and is past once the card may have moved."""

import pytest

from .tables import Stacked, Table, lay


def test_a4_the_secret_is_known_to_nobody_until_somebody_looks() -> None:
    table = Table(lay("4 1", "3", "2", secret=7))
    for seat in (0, 1, 2, None):
        assert (table.view(seat).seen, table.view(seat).secret, table.view(seat).hands) == ((), 0, ())
    table.send("cheryl look")
    assert [(sight.of, sight.card, sight.turn, sight.past) for sight in table.view(0).seen] == [(None, 7, 1, "")]
    assert all(table.view(seat).seen == () for seat in (1, 2, None))


def test_a4_what_was_seen_stays_until_the_round_ends() -> None:
    table = Table(lay("4 1", "3", "8", secret=7, draw="4 1 2 1 1 5")).send("cheryl look")
    table.send("cheryl hide", "1 ann pam", "1 cleo lana", "1 ann krueger")
    assert table.facts("out") == {"seat": 0, "card": 2} and table.state.round == 1
    assert table.view(0).seen[0].card == 7, "whoever is out keeps what was seen"
    table.send("play malory", dice=Stacked())
    assert table.state.round == 2 and all(table.view(seat).seen == () for seat in range(3))


def pasts(table: Table, seat: int = 0) -> list[tuple[int | None, int, str]]:
    return [(sight.of, sight.card, sight.past) for sight in table.view(seat).seen]


def seen_bob() -> Table:
    """Let ann see that bob holds 5 Pam."""
    return Table(lay("1 1", "5", "4", secret=7, draw="5 1 2 6 4")).send("1 bob lana")


def test_a4_a_seen_hand_is_past_when_its_player_lays_that_character() -> None:
    table = seen_bob().send("pam cleo")
    assert pasts(table) == [(1, 5, "laid")]
    table = Table(lay("1 1", "5", "4", secret=7, draw="3 1")).send("1 bob lana", "cyril cleo")
    assert pasts(table) == [(1, 5, "")], "bob laid the card that he drew"
    assert pasts(table, 1) == [(2, 4, "out")]


def test_a4_whether_a_copy_is_left_in_that_hand_makes_no_difference() -> None:
    kept = seen_bob().send("pam cleo")
    other = Table(lay("1 1", "5", "4", secret=7, draw="3 1 2 6 4")).send("1 bob lana", "pam cleo")
    assert kept.hand(1) == "5" and other.hand(1) == "3" and pasts(kept) == pasts(other)


@pytest.mark.parametrize("card", ["6 ray", "5 pam"])
def test_a4_a_seen_hand_is_past_when_it_is_discarded(card: str) -> None:
    number, word = card.split()
    table = Table(lay(f"1 {number}", "3", "4", secret=7, draw="1 1 2")).send("1 bob lana", "1 cleo lana", "1 ann lana")
    assert pasts(table) == [(1, 3, "")]
    table.send(f"{word} bob")
    assert pasts(table) == [(1, 3, "discarded")]


def test_a4_a_seen_hand_and_secret_are_past_when_dealt_anew() -> None:
    table = Table(lay("4 7", "1", "3", secret=5, draw="4 1 1")).send("cheryl look", "4 hide", "1 ann pam")
    assert pasts(table) == [(None, 5, "")] and pasts(table, 2) == [(0, 7, "")]
    table.send("play lana")
    assert pasts(table) == [(None, 5, "lana")] and pasts(table, 2) == [(0, 7, "laid")]


def test_a4_lana_makes_a_hand_past_but_not_that_of_a_protected_player() -> None:
    state = lay("1 2", "5", "3", "4", secret=8, draw="4 7 2 3")
    table = Table(state).send("1 bob ray", "4 hide", "3 dan")
    assert pasts(table) == [(1, 5, "")] and "out" in table.seen(None)
    state = lay("1 2", "5", "7", "4", secret=8, draw="1 3 2 3")
    table = Table(state).send("1 bob ray", "1 ann ray", "7")
    assert pasts(table) == [(1, 5, "lana")] and pasts(table, 1) == [(0, 2, "lana")]
    shielded = lay("1 2", "5", "7", "4", secret=8, draw="4 3 2 3")
    table = Table(shielded).send("1 bob ray", "4 hide", "7")
    assert pasts(table) == [(1, 5, "")]


def test_a4_the_seen_secret_is_past_when_ray_is_played() -> None:
    table = Table(lay("4 1", "6", "3", secret=5, draw="2 4 1")).send("cheryl look", "ray cleo")
    assert pasts(table) == [(None, 5, "ray")] and table.hand(2) == "5 1"


def test_a4_a_look_at_hidden_cards_never_decides() -> None:
    """Ray brings the same character as the new secret: all the same the sight is past."""
    table = Table(lay("4 1", "6", "3", secret=5, draw="1 5 2")).send("cheryl look", "ray cleo")
    assert table.secret == 5 and pasts(table) == [(None, 5, "ray")]
