"""Test accusations, bids and guesses, line by line of rules.md: C16 to C21."""

from itertools import permutations, product

import pytest

import engines.accuse as accuse
from engines.accuse.deck import of_kind
from pbem.engine import Dice, IllegalOrder, Result

from .tables import NAMES, Table, card, lay, refusal

RIGHT, WRONG = "accuse C6 L6 W6", "accuse C1 L6 W6"
HANDS = ("C3 L3 X", "W5 C1 X", "W4 C2 X", "W3 L5 X")


def at(asked: str) -> Table:
    """Lay a table at which ann is asked this, or bob is asked for a challenge or a card."""
    table = Table(lay(*HANDS))
    if asked == "flip":
        return Table(lay("", *HANDS[1:], down="C3=C3@0 L3=C5@0", asked="flip"))
    if asked in ("challenge", "give", "show"):
        table.send(ann="play X as W2" if asked == "show" else "play C3")
    if asked in ("give", "show"):
        table.send(bob="challenge")
    return table


@pytest.mark.parametrize("asked", ["play", "flip", "challenge", "give", "show"])
@pytest.mark.parametrize("name", NAMES)
def test_c16_anyone_may_accuse_at_any_time(asked: str, name: str) -> None:
    table = at(asked)
    assert asked in table.asked.values()
    seat = NAMES.index(name)
    assert seat in accuse.interrupts(table.state)
    assert accuse.unasked(table.read(**{name: RIGHT})[seat])
    table.send(**{name: RIGHT})
    assert accuse.result(table.state) == Result("accused", (seat,), tuple(int(one == seat) for one in range(4)))


def test_c16_other_orders_answer_what_is_asked() -> None:
    assert not any(accuse.unasked(order) for order in at("play").read(ann="play C3").values())


def test_c16_what_is_accused_is_public_and_the_culprits_are_shown_to_the_accuser_alone() -> None:
    table = at("play").send(cleo=WRONG)
    assert table.facts("accused") == {"seat": 2, "cards": [card("C1"), card("L6"), card("W6")]}
    assert table.facts("culprits") == {"seat": 2, "cards": [card("C6"), card("L6"), card("W6")]}
    assert "culprits" in table.seen(2)
    assert all("culprits" not in table.seen(seat) for seat in (None, 0, 1, 3))
    assert table.view("cleo").culprits == ("C6", "L6", "W6")
    assert all(accuse.view(table.state, seat).culprits == () for seat in (None, 0, 1, 3))


def test_c16_one_of_each_kind_in_any_order_any_of_the_18() -> None:
    table = at("play")
    for cards in permutations(("C6", "L6", "W6")):
        assert table.read(bob=f"accuse {' '.join(cards)}") == table.read(bob=RIGHT)
    for cards in product(*map(of_kind, "CLW")):
        assert table.read(bob=f"accuse {' '.join(cards)}")[1] is not None
    for line in ("accuse C1 C2 W6", "accuse C1 L6", "accuse C1 L6 W6 W5", "accuse C1 L6 X"):
        assert "one Character, one Location and one Weapon" in refusal(table.state, 1, line).why


def test_c16_the_first_accusation_that_came_in_is_the_first() -> None:
    state = at("challenge").state
    table = Table(state)
    orders = table.read(dan=WRONG, bob=RIGHT)
    after, _ = accuse.resolve(state, orders, Dice(b""))
    assert after.accusations[0][0] == 3 and not after.ending


def test_c16_after_a_wrong_one_nobody_accuses_unasked() -> None:
    state = at("play").send(ann=WRONG).state
    assert accuse.interrupts(state) == ()
    assert all(isinstance(refusal(state, seat, RIGHT), IllegalOrder) for seat in range(4))


def test_c16_where_it_is_due_it_is_an_answer() -> None:
    table = Table(lay("C1", "", "")).send(ann="play C1")
    assert table.asked == {"bob": "accuse"}
    assert accuse.interrupts(table.state) == (0, 2)


def test_c17_right_wins_and_shows_the_culprits_to_all() -> None:
    table = at("play").send(dan=RIGHT)
    assert table.seen(None) == ["accused", "ended"]
    assert table.facts("ended") == {
        "ending": "accused", "winners": [3], "culprits": [card("C6"), card("L6"), card("W6")],
    }  # fmt: skip
    assert all(accuse.view(table.state, seat).culprits == ("C6", "L6", "W6") for seat in (None, 0, 1, 2, 3))
    assert not accuse.awaiting(table.state) and accuse.silent(table.state) == ()


def test_c17_wrong_is_out_and_the_others_learn_only_that() -> None:
    table = at("play").send(ann=WRONG)
    assert table.seen(1)[:2] == table.seen(None)[:2] == ["accused", "wrong"]
    assert table.view("bob").out == (0,)
    assert table.asked == {"bob": "bid", "cleo": "bid", "dan": "bid"}
    assert "out" in refusal(table.state, 0, RIGHT).why


def test_c17_an_open_play_stays_and_the_sealed_answers_are_dropped() -> None:
    table = at("challenge")
    orders = table.read(bob="challenge give C1", dan=WRONG)
    after, events = accuse.resolve(table.state, orders, Dice(b"x"))
    alone, told = accuse.resolve(table.state, {3: orders[3]}, Dice(b"x"))
    assert (after, events) == (alone, told), "what was sealed leaves no trace"
    assert after.down[0].card == "C3" and after.down[0].declared == "C3"
    dropped = next(event for event in events if event.kind == "dropped")
    assert dropped.facts == {"what": "challenge", "seat": 0, "number": 1} and dropped.seen_by is None


@pytest.mark.parametrize("owed", ["give", "show"])
def test_c17_an_owed_card_stays_where_it_is(owed: str) -> None:
    table = at(owed).send(cleo=WRONG)
    assert table.facts("dropped") == {"what": owed, "seat": 1, "number": 1}
    assert [laid.card for laid in table.view("bob").down if laid.seat == 1 and laid.in_front] != []
    assert {laid.card for laid in table.view("bob").down if laid.seat == 1} == {"W5", "C1", "X"}


def test_c17_who_knows_the_culprits_is_silent() -> None:
    table = at("play")
    assert accuse.silent(table.state) == ()
    table.send(bob=WRONG)
    assert accuse.silent(table.state) == (1,)
    table.send(ann="bid 0", cleo="bid 1", dan="bid 2").send(ann=WRONG)
    assert accuse.silent(table.state) == (1, 0)


def test_c17a_an_accusation_that_is_due_may_be_given_up() -> None:
    table = Table(lay("C1", "C2", "C3", asked="accuse")).send(ann="accuse nobody")
    assert table.seen(0)[0] == "gave_up" and "culprits" not in table.seen(0)
    assert table.view("ann").culprits == () and table.view("ann").out == (0,)
    assert accuse.silent(table.state) == (), "who was shown nothing may talk"
    assert table.asked == {"bob": "bid", "cleo": "bid"}


def test_c17a_only_where_it_is_due() -> None:
    state = at("play").state
    assert all("none is due" in refusal(state, seat, "accuse nobody").why for seat in range(4))
    guessing = bidden("bid 1", "bid 1", "bid 1").state
    assert "none is due" in refusal(guessing, 1, "accuse nobody").why, "first a card is turned up"


def test_c18_every_hand_is_laid_face_down_and_numbered_on() -> None:
    table = at("challenge").send(dan=WRONG)
    numbers = {
        seat: [laid.number for laid in table.state.down if laid.in_front and laid.seat == seat] for seat in range(4)
    }
    assert numbers == {0: [2, 3], 1: [4, 5, 6], 2: [7, 8, 9], 3: [10, 11, 12]}
    assert table.state.hands == ((), (), (), ())
    assert {laid.card for laid in table.view("dan").down if laid.card} == {"W3", "L5", "X"}, "players see their own"
    assert {laid.number for laid in table.view("cleo").down if laid.card} == {7, 8, 9}
    assert table.seen(1).count("laid_down_cards") == 1 and "laid_down_cards" not in table.seen(None)


def test_c18_in_an_order_that_tells_nothing() -> None:
    orders = set()
    for number in range(200):
        state, _ = accuse.resolve(at("play").state, at("play").read(dan=WRONG), Dice(b"%d" % number))
        orders.add(tuple(laid.card for laid in state.down if laid.seat == 1))
    assert len(orders) == 6, "every order of three cards comes up"


def bidden(*bids: str, down: str = "") -> Table:
    """Let ann accuse wrongly, and bob, cleo and dan bid."""
    table = Table(lay(*HANDS, down=down)).send(ann=WRONG)
    return table.send(**dict(zip(NAMES[1:], bids, strict=True)))


def test_c19_all_who_are_left_bid_and_the_lowest_guesses_first() -> None:
    table = Table(lay(*HANDS)).send(ann=WRONG)
    assert table.facts("bidding") == {"turn": 2, "seats": [1, 2, 3], "most": 12}
    assert not table.settled(bob="bid 3", dan="bid 0")
    assert "12 face-down cards" in refusal(table.state, 1, "bid 13").why
    table.send(bob="bid 12", cleo="bid 3", dan="bid 0")
    assert table.facts("bids") == {"bids": [[3, 0], [2, 3], [1, 12]]}
    assert table.view("ann").bids == (-1, 12, 3, 0)
    assert table.state.player == 3 and table.state.queue == (2, 1)


@pytest.mark.parametrize(("accuser", "first"), [("ann", 1), ("bob", 2), ("cleo", 3), ("dan", 0)])
def test_c19_ties_go_in_seat_order_from_the_first_accuser(accuser: str, first: int) -> None:
    table = Table(lay(*HANDS)).send(**{accuser: WRONG})
    table.send(**{name: "bid 2" for name in reversed(NAMES) if name != accuser})
    assert [seat for seat, _ in table.facts("bids")["bids"]] == [(first + step) % 4 for step in range(3)]


def test_c19_one_player_left_needs_no_bid() -> None:
    table = Table(lay("C3 L3 X", "W5 C1 X")).send(ann=WRONG)
    assert "bidding" not in table.seen(None)
    assert table.asked == {"bob": "flip"} and table.state.due == 3


def test_c20_the_first_turns_up_the_own_bid_the_next_the_rest_and_the_last_half() -> None:
    table = bidden("bid 1", "bid 3", "bid 9")
    assert table.facts("guess") == {"turn": 3, "seat": 1, "due": 1}
    assert "1 more" in refusal(table.state, 1, RIGHT).why
    table.send(bob="flip #1").send(bob=WRONG)
    assert table.facts("guess") == {"turn": 4, "seat": 2, "due": 2}
    table.send(cleo="flip #2").send(cleo="flip 3").send(cleo=WRONG)
    assert table.facts("guess") == {"turn": 5, "seat": 3, "due": 4}, "half of the 9 that are left, rounded down"
    table.send(dan="flip 4, 5, 6 7")
    assert table.asked == {"dan": "accuse"} and len(table.state.down) == 5


def test_c20_one_order_or_several_exactly_as_many_and_never_those_in_front_of_the_guesser() -> None:
    table = bidden("bid 2", "bid 3", "bid 9", down="W1=W1@1")
    front = [laid.number for laid in table.state.down if laid.in_front and laid.seat == 1]
    assert table.view("bob").flippable == tuple(number for number in range(1, 14) if number not in front)
    assert "in front of yourself" in refusal(table.state, 1, f"flip {front[0]}").why
    assert "2 must be turned up" in refusal(table.state, 1, "flip 1 2 3").why
    assert "named twice" in refusal(table.state, 1, "flip 2 2").why
    table.send(bob="flip #1")
    assert table.asked == {"bob": "flip"} and table.state.due == 1, "an own card in the middle may be turned up"
    table.send(bob="flip #2")
    assert table.asked == {"bob": "accuse"}
    assert [event.seen_by for event in table.events if event.kind == "flipped"] == [None]


def test_c20_fewer_if_not_so_many_are_left_and_none_if_none() -> None:
    table = bidden("bid 12", "bid 12", "bid 12")
    assert table.facts("guess")["due"] == 9, "the three in front of bob stay"
    table.send(bob="flip 1 2 3 7 8 9 10 11 12").send(bob=WRONG)
    assert table.facts("guess")["due"] == 0 and table.asked == {"cleo": "accuse"}
    table.send(cleo=WRONG)
    assert table.facts("guess")["due"] == 1, "half of bob's three"


def test_c20_a_trap_turned_up_counts_and_does_nothing() -> None:
    table = Table(lay("C3 L3", "W5 C1 X", "W4 C2 X", down="X=C5@0")).send(ann=WRONG).send(bob="bid 1", cleo="bid 2")
    table.send(bob="flip #1")
    assert table.facts("flipped")["gone"] is False and "X" in table.up
    assert table.asked == {"bob": "accuse"}


def test_c21_right_wins() -> None:
    table = bidden("bid 0", "bid 3", "bid 9").send(bob=RIGHT)
    assert accuse.result(table.state) == Result("guessed", (1,), (0, 1, 0, 0))
    assert table.seen(None) == ["accused", "ended"]


def test_c21_wrong_is_out_and_the_next_guesses_and_if_nobody_is_right_all_lose() -> None:
    table = bidden("bid 0", "bid 0", "bid 0").send(bob=WRONG)
    assert table.view("bob").culprits == ("C6", "L6", "W6") and table.view("cleo").culprits == ()
    table.send(cleo="accuse nobody")
    assert table.view("cleo").culprits == () and table.asked == {"dan": "flip"}
    table.send(dan=f"flip {' '.join(map(str, table.view('dan').flippable[:6]))}").send(dan=WRONG)
    assert accuse.result(table.state) == Result("nobody", (), (0, 0, 0, 0))
    assert table.facts("ended")["culprits"] == [card("C6"), card("L6"), card("W6")]
    assert table.view("cleo").culprits == ("C6", "L6", "W6")
