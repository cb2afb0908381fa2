"""Test the notation: words and signs, names like cards, talk, refusals, and any text whatever."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines.accuse as accuse
from engines.accuse.offers import examples
from engines.accuse.orders import Accuse, Bid, Challenge, Flip, Give, Order, Pass, Play, Show
from pbem.engine import AmbiguousOrder, BadOrder, Dice, IllegalOrder, UnreadableOrder

from .games import new_game, play
from .tables import NAMES, Table, attempt, lay, refusal

PLAY = lay("C3 L2 X", "W5 C1 X", "C2 L1")
CENTER = lay("C3 L2 X", "W5 C1 X", "C2 L1", options="declare=center")
FLIP = lay("", "W5 C1 X", "C2 L1", down="C3=C3@0 L2=W1@1 X=L3@0", asked="flip")
WINDOW = replace(lay("W5 C1 X", "C2 L1", "C5", down="C3=W5@1", player=1), asked=("challenge", "", "challenge"))
OWED = replace(lay("W5 C1 X", "C2 L1", player=1), asked=("give", ""))
SHOWN = replace(lay("W5 C1 X", "C2 L1", player=1), asked=("show", ""))
DUE = lay("W5 C1 X", "C2 L1", asked="accuse")
BIDS = Table(lay("C3 L2 X", "W5 C1 X", "C2 L1")).send(bob="accuse C1 L1 W1").state
GUESS = Table(BIDS).send(ann="bid 2", cleo="bid 8").state


def read(state: accuse.State, line: str, seat: int = 0) -> Order | None:
    order: Order | None = accuse.parse(accuse.view(state, seat), line)
    return order


@pytest.mark.parametrize(
    ("state", "words", "signs", "order"),
    [
        (PLAY, "play C3", "C3", Play("C3", "C3")),
        (PLAY, "play C3 as W5", "C3=W5", Play("C3", "W5")),
        (PLAY, "play X as L2", "X=L2", Play("X", "L2")),
        (CENTER, "play C3", "C3=3", Play("C3", "3")),
        (CENTER, "play C3 as 5", "C3=5", Play("C3", "5")),
        (CENTER, "play X as 2", "X=2", Play("X", "2")),
        (FLIP, "flip #2", "flip 2", Flip((2,))),
        (GUESS, "flip #4 #6", "flip 4, 6", Flip((4, 6))),
        (WINDOW, "challenge", "!", Challenge()),
        (WINDOW, "challenge give C1", "!C1>", Challenge("C1")),
        (WINDOW, "challenge if held", "! if held", Challenge(if_held=True)),
        (WINDOW, "challenge if held give X", "! if held X>", Challenge("X", if_held=True)),
        (WINDOW, "pass", "PASS", Pass()),
        (OWED, "give C1", "C1>", Give("C1")),
        (SHOWN, "show C1", "C1>", Show("C1")),
        (PLAY, "accuse C1 L4 W6", "accuse w6, c1, l4", Accuse(("C1", "L4", "W6"))),
        (DUE, "accuse nobody", "Accuse Nobody.", Accuse()),
        (BIDS, "bid 3", "bid #3", Bid(3)),
    ],
)
def test_words_and_signs(state: accuse.State, words: str, signs: str, order: Order) -> None:
    assert read(state, words) == read(state, signs) == order
    assert accuse.format(order) == words


@pytest.mark.parametrize(
    ("state", "line", "canonical"),
    [
        (PLAY, "c3", "play C3"),
        (PLAY, "  Play  c3   AS  w5 . ", "play C3 as W5"),
        (PLAY, "c3 = w5", "play C3 as W5"),
        (PLAY, "C3= w5", "play C3 as W5"),
        (PLAY, "C3 =w5", "play C3 as W5"),
        (PLAY, "play c3=w5.", "play C3 as W5"),
        (PLAY, "play \"C3\" as “W5”", "play C3 as W5"),
        (PLAY, "C3=C3", "play C3"),
        (PLAY, "x=l2", "play X as L2"),
        (FLIP, "FLIP #1", "flip #1"),
        (FLIP, "flip 01", "flip #1"),
        (WINDOW, "! give c1", "challenge give C1"),
        (WINDOW, "! c1>", "challenge give C1"),
        (WINDOW, "challenge show x", "challenge give X"),
        (WINDOW, "!x>", "challenge give X"),
        (PLAY, "accuse C1, L4 and W6", "accuse C1 L4 W6"),
        (GUESS, "flip #4 and #6", "flip #4 #6"),
        (OWED, "show x", "give X"),
        (SHOWN, "give x", "show X"),
        (OWED, "x>", "give X"),
        (BIDS, "Bid 0.", "bid 0"),
    ],
)  # fmt: skip
def test_other_spellings(state: accuse.State, line: str, canonical: str) -> None:
    order = read(state, line)
    assert order is not None and accuse.format(order) == canonical
    assert read(state, canonical) == order


@pytest.mark.parametrize("state", [PLAY, FLIP, WINDOW, OWED, BIDS])
@pytest.mark.parametrize(
    "line",
    [
        "", " ", ".", "X", "x.", "X X", "X, bob", "bob", "Ann", "5", "#5", "3 4", "bob, ann", "nobody", "if", "as",
        "pass it on to cleo", "I pass", "challenge me if you dare", "flip out", "I accuse C1 L4 W6", "play fair",
        "accuse bob of cheating", "show me", "give it up", "> pass", "-pass", "- pass", ">pass", "----", "====", "!!!",
        "?", "=", ">", "Thanks, bob!", "http://example.org/?a=b", "on challenge pass", "\u2603 pass", "C3 or L2", "B7",
    ],
)  # fmt: skip
def test_talk(state: accuse.State, line: str) -> None:
    assert read(state, line) is None


@pytest.mark.parametrize(
    ("state", "line", "kind", "why"),
    [
        (PLAY, "play C7", UnreadableOrder, "no card C7"),
        (PLAY, "play B3", UnreadableOrder, "no card B3"),
        (PLAY, "play C3 as W9", UnreadableOrder, "no card W9"),
        (PLAY, "play", UnreadableOrder, '"play" needs more'),
        (PLAY, "play bob", UnreadableOrder, '"bob" is no card'),
        (PLAY, "C3 as", UnreadableOrder, "needs more"),
        (PLAY, "C3 W5", UnreadableOrder, '"W5" does not belong here'),
        (PLAY, "play C3 as W5 L1", UnreadableOrder, "does not belong here"),
        (PLAY, "play W5", IllegalOrder, "not in your hand (C3 L2 X)"),
        (PLAY, "play X", IllegalOrder, "no place of its own"),
        (PLAY, "C3=X", IllegalOrder, "Trap cannot be declared"),
        (PLAY, "C3=5", AmbiguousOrder, "C5, L5 or W5"),
        (PLAY, "pass", IllegalOrder, '"pass" does not answer'),
        (PLAY, "flip #1", IllegalOrder, '"flip" does not answer'),
        (PLAY, "bid 3", IllegalOrder, '"bid" does not answer'),
        (PLAY, "accuse", UnreadableOrder, "needs more"),
        (PLAY, "accuse bob", UnreadableOrder, '"bob" is no card'),
        (PLAY, "accuse C1 L4", UnreadableOrder, "accuses no Weapon"),
        (PLAY, "accuse C1 C2 W6", UnreadableOrder, "C1 and C2 are all of one kind"),
        (PLAY, "accuse C1 L4 W6 X", UnreadableOrder, "Trap is no culprit"),
        (PLAY, "accuse C1 L4 W7", UnreadableOrder, "no card W7"),
        (PLAY, "accuse C1 L4 W6 W6", UnreadableOrder, "W6 and W6"),
        (PLAY, "accuse nobody", IllegalOrder, "none is due"),
        (PLAY, "accuse C1 and", UnreadableOrder, "needs more"),
        (PLAY, "accuse nobody C1", UnreadableOrder, "does not belong here"),
        (CENTER, "C3=W5", IllegalOrder, "number alone: 5"),
        (CENTER, "play X", IllegalOrder, "number of a Center card"),
        (CENTER, "C3=7", UnreadableOrder, '"7" is no card'),
        (FLIP, "flip", UnreadableOrder, "needs more"),
        (FLIP, "flip C3", UnreadableOrder, '"C3" is no number'),
        (FLIP, "flip #9", IllegalOrder, "No face-down card has the number 9"),
        (FLIP, "flip #3", IllegalOrder, "#3 is the last card played"),
        (FLIP, "flip #1 #2", IllegalOrder, "1 must be turned up"),
        (FLIP, "C3", IllegalOrder, '"play" does not answer'),
        (WINDOW, "challenge C1", UnreadableOrder, "does not belong here"),
        (WINDOW, "challenge if", UnreadableOrder, "does not belong here"),
        (WINDOW, "challenge give C2", IllegalOrder, "not in your hand"),
        (WINDOW, "pass C1", UnreadableOrder, "stands alone"),
        (OWED, "give", UnreadableOrder, "needs more"),
        (OWED, "give C1 bob", UnreadableOrder, '"bob" does not belong'),
        (OWED, "give C2", IllegalOrder, "not in your hand"),
        (DUE, "C1", IllegalOrder, '"play" does not answer'),
        (BIDS, "bid", UnreadableOrder, "needs more"),
        (BIDS, "bid C1", UnreadableOrder, "is no number"),
        (BIDS, "bid 99", IllegalOrder, "8 face-down cards"),
        (BIDS, "accuse C6 L6 W6", IllegalOrder, "bid before they guess"),
        (GUESS, "accuse C6 L6 W6", IllegalOrder, "2 more"),
        (GUESS, "flip 1", IllegalOrder, "in front of yourself"),
        (GUESS, "flip 4 4", IllegalOrder, "named twice"),
    ],
)
def test_refusals_say_what_and_why_and_offer_lines(
    state: accuse.State, line: str, kind: type[BadOrder], why: str
) -> None:
    error = refusal(state, 0, line)
    assert type(error) is kind and why in error.why
    if kind is AmbiguousOrder:
        assert error.examples == ("play C3 as C5", "play C3 as L5", "play C3 as W5")
    elif not line.startswith("accuse") or "nobody" in line:
        assert error.examples == examples(accuse.view(state, 0))


def test_a_wrong_accusation_is_answered_with_one_that_could_be() -> None:
    error = refusal(PLAY, 1, "accuse C1 L4")
    assert error.examples == ("accuse C2 L1 W6",), "of the cards that bob was never shown"


def test_who_is_asked_nothing_is_told_that_he_may_accuse() -> None:
    error = refusal(PLAY, 1, "pass")
    assert error.why == "Nothing is asked of you now; all that you may do is to accuse." and error.examples == ()
    out = refusal(BIDS, 1, "pass")
    assert out.why == "Nothing is asked of you now." and out.examples == ()
    assert accuse.parse(accuse.view(PLAY, None), "hello") is None
    assert "Nothing is asked" in attempt(accuse.view(PLAY, None), "pass").why  # type: ignore[union-attr]


def test_the_words_for_a_card_not_in_hand_are_the_same_wherever_it_is() -> None:
    worlds = [
        lay("C3 L2 X", "W5 C1 X", "C2 L1"),
        lay("C3 L2 X", "C1 X", "W5 C2 L1"),
        lay("C3 L2 X", "C1 X", "C2 L1", culprits="C6 L6 W5"),
        lay("C3 L2 X", "C1 X", "C2 L1", down="W5=W1@1"),
    ]
    answers = [refusal(state, 0, "play W5") for state in worlds]
    assert len({(answer.why, answer.examples) for answer in answers}) == 1


@pytest.mark.parametrize("names", [("C3", "pass", "accuse"), ("X", "nobody2", "W5"), ("challenge", "bid", "as")])
def test_a_name_is_no_part_of_an_order_whatever_it_spells(names: tuple[str, ...]) -> None:
    state = replace(PLAY, names=names)
    assert read(state, "C3") == Play("C3", "C3")
    assert read(state, "C3=W5") == Play("C3", "W5")
    assert read(state, "accuse C1 L4 W6", 1) == Accuse(("C1", "L4", "W6"))
    assert read(replace(WINDOW, names=names), "pass") == Pass()
    assert read(state, "X") is None


def test_the_notation_table_is_readable() -> None:
    assert len({row.what for row in accuse.NOTATION}) == len(accuse.NOTATION) == 13
    tables = [PLAY, FLIP, WINDOW, OWED, SHOWN, DUE, BIDS, GUESS, replace(OWED, asked=("", "give"), player=0)]
    tables += [replace(OWED, asked=("", "show"), player=0), replace(WINDOW, asked=("", "challenge", ""), player=0)]
    for row in accuse.NOTATION:
        answers = [attempt(accuse.view(state, seat), row.example) for state in tables for seat in (0, 1)]
        assert any(not isinstance(answer, BadOrder | None) for answer in answers), row


WORDS = st.sampled_from(
    ["play", "c3", "L2", "x", "as", "=", "C3=W5", "x=l2", "5", "#4", "flip", "challenge", "!", "!c1>", "if", "held",
     "give", "show", "c1>", ">", "pass", "accuse", "nobody", "C1", "l4", "W6", "bid", "0", "bob", "ann", '"', "'c3'",
     ".", "c9", "b1", ",", "99"]
)  # fmt: skip
TABLES = st.sampled_from([PLAY, CENTER, FLIP, WINDOW, OWED, SHOWN, DUE, BIDS, GUESS])


@settings(max_examples=500, deadline=None)
@given(TABLES, st.text() | st.lists(WORDS, max_size=6).map(" ".join))
def test_any_text_is_an_order_or_talk_or_refused_with_lines_that_work(state: accuse.State, text: str) -> None:
    for seat in range(len(state.names)):
        view = accuse.view(state, seat)
        order = attempt(view, text)
        if isinstance(order, BadOrder):
            assert order.why and (order.examples or not view.ask)
            assert all(accuse.parse(view, line) is not None for line in order.examples)
        elif order is not None:
            assert accuse.parse(view, accuse.format(order)) == order


@pytest.mark.parametrize("word", ["accuse c1", "flip 1", "c3", "as", "!", "c1>", "z" * 50, "!" * 50, "=", "c3=w5"])
def test_a_long_line_is_answered_in_few_words(word: str) -> None:
    for state in (PLAY, FLIP, WINDOW):
        for line in (f"{word} " * 20_000, word.replace(" ", "") * 2_000):
            answer = attempt(accuse.view(state, 0), line)
            assert answer is None or (isinstance(answer, BadOrder) and len(answer.why) < 150)


def test_orders_survive_their_canonical_words_in_whole_games() -> None:
    kinds = set()
    for number in range(60):
        for step in play(new_game(number), Dice(b"orders %d" % number)):
            for seat, order in step.orders.items():
                view = accuse.view(step.before, seat)
                assert accuse.parse(view, accuse.format(order)) == order
                kinds.add(type(order).__name__)
    assert kinds == {"Play", "Flip", "Challenge", "Pass", "Give", "Show", "Accuse", "Bid"}


def test_examples_and_samples_and_defaults_are_accepted_in_whole_games() -> None:
    for number in range(30):
        for step in play(new_game(number), Dice(b"offers %d" % number)):
            for seat, prompt in accuse.awaiting(step.before).items():
                view = accuse.view(step.before, seat)
                dice = Dice(b"%d" % number)
                lines = [*prompt.examples, accuse.sample(view, dice), accuse.format(accuse.default(view, dice))]
                assert prompt.examples and len(set(prompt.examples)) == len(prompt.examples) <= 4
                assert all(accuse.parse(view, line) is not None for line in lines), NAMES[seat]
