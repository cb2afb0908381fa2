"""Test the notation: words and signs, names like cards, talk, refusals, and any text whatever."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines.blame as blame
from engines.blame.offers import examples
from engines.blame.orders import Back, Bury, Give, Order, Pass, Play, Take
from pbem.engine import BadOrder, Dice, IllegalOrder, UnreadableOrder

from .tables import attempt, lay, new_game, play, refusal

HAND = "V1 VT2 TG1 V2 X A2 T1"
TURN = lay(HAND, "S1", "W1", roles="GVA", pile="X")
WIZARD = lay(HAND, "S1", "W1", roles="WVA", pile="X")
SPY = lay(HAND, "S1", "W1", roles="SVA", pile="X")
ARCHBISHOP = lay(HAND, "S1", "W1", roles="AVG", pile="X")
TREASURER = lay(HAND, "S1", "W1", roles="TVA", pile="X")
LONELY = lay(HAND, "", "W1", roles="VAG", pile="X")
GIFT = lay(HAND, "S1", "W1", roles="AVG", asked="gift", pile="W2")
BURY = lay(HAND, "S1", "W1", roles="AVG", asked="bury", pile="W2")
NOBILITY = lay(HAND, "S1", "W1", roles="AVG", asked="nobility", pile="W2")
ROLE = lay(HAND, "S1", "W1", roles="AVT", asked="role", pile="W2")


def read(state: blame.State, line: str) -> Order | None:
    order: Order | None = blame.parse(blame.view(state, 0), line)
    return order


@pytest.mark.parametrize(
    ("state", "words", "signs", "order"),
    [
        (TURN, "draw", "0", Play()),
        (TURN, "play V1", "V1", Play(("V1",))),
        (TURN, "play V1 VT2", "v1, vt2", Play(("V1", "VT2"), "VT")),
        (TURN, "play VT2 V1 swap A", "VT2 V1 ~A", Play(("VT2", "V1"), "VA")),
        (TURN, "play V1 X swap A G", "V1 X ~ag", Play(("V1", "X"), "AG")),
        (WIZARD, "play V1 VT2 exchange bob", "V1 VT2 =bob", Play(("V1", "VT2"), verb="exchange", name="bob")),
        (TURN, "play V1 VT2 TG1 accuse bob", "V1 VT2 TG1 !bob", Play(("V1", "VT2", "TG1"), verb="accuse", name="bob")),
        (SPY, "play V1 VT2 TG1 spy bob", "V1 VT2 TG1 ?bob", Play(("V1", "VT2", "TG1"), verb="spy", name="bob")),
        (GIFT, "give A2 bob", "A2>bob", Give("A2", "bob")),
        (BURY, "bury T1", "_T1", Bury("T1")),
        (NOBILITY, "back", "back", Back()),
        (NOBILITY, "pass", "pass", Pass()),
        (ROLE, "take G", "take general", Take("G")),
    ],
)
def test_words_and_signs(state: blame.State, words: str, signs: str, order: Order) -> None:
    assert read(state, words) == read(state, signs) == order
    assert blame.format(order) == words


@pytest.mark.parametrize(
    ("state", "line", "canonical"),
    [
        (TURN, "DRAW.", "draw"),
        (TURN, "  Play  tv2 , V1  SWAP general ", "play VT2 V1 swap G"),
        (TURN, "play vt2 v1 ~V A", "play VT2 V1 swap A"),
        (TURN, "play V1 VT2 swap t v", "play V1 VT2"),
        (TURN, 'play v1 vt2 tg1 accuse "Bob"', "play V1 VT2 TG1 accuse bob"),
        (TURN, "v1 vt2 tg1 !'bob'.", "play V1 VT2 TG1 accuse bob"),
        (TURN, "accuse BOB play v1 vt2 tg1", "play V1 VT2 TG1 accuse bob"),
        (TURN, "play x", "play X"),
        (SPY, "v1 vt2 tg1 ?bob a2>", "play V1 VT2 TG1 spy bob give A2 bob"),
        (SPY, "v1 vt2 tg1 give a2 spy bob", "play V1 VT2 TG1 spy bob give A2 bob"),
        (ARCHBISHOP, "v1 a2>cleo", "play V1 give A2 cleo"),
        (TREASURER, "0 _a2, t1", "draw bury A2"),
        (TREASURER, "draw bury s1, t1", "draw bury T1"),
        (GIFT, "x>cleo", "give X cleo"),
        (BURY, "bury s1, x, v1.", "bury X"),
    ],
)
def test_other_spellings(state: blame.State, line: str, canonical: str) -> None:
    order = read(state, line)
    assert order is not None and blame.format(order) == canonical
    assert read(state, canonical) == order


@pytest.mark.parametrize(
    "line",
    [
        "", " ", ".", "X", "x.", "X X", "X, bob", "bob", "Ann", "V", "general", "av", "5", "12", "bob, ann",
        "pass it to any other person.", "back soon", "draw near to me", "play V1 and VT2", "I draw", "take care",
        "> draw", "-draw", "- draw", ">draw", "----", "____", "====", "~~~", "!!!", "?", "!", "=", ">", "_bob_",
        "A2 ok", "Thanks, bob!", "accuse zed of treason", "http://example.org/?a=b", "on bury T1, V2", "V2 V1 ~",
        "\u2603 draw",
    ],
)  # fmt: skip
def test_talk(line: str) -> None:
    assert read(TURN, line) is None


@pytest.mark.parametrize(
    ("line", "kind", "why"),
    [
        ("play V9", UnreadableOrder, "no card V9"),
        ("play GS1", IllegalOrder, "GS1 is not in your hand"),
        ("play S1", IllegalOrder, "S1 is not in your hand"),
        ("play V1 V2 VT2 T1", IllegalOrder, "at most 3"),
        ("play V1 V1", IllegalOrder, "more often"),
        ("play", UnreadableOrder, "needs a card"),
        ("play bob", UnreadableOrder, '"bob" is none'),
        ("play 3", UnreadableOrder, '"3" is none'),
        ("accuse zed", UnreadableOrder, '"zed" is none'),
        ("accuse bob", IllegalOrder, "starts with the cards"),
        ("V1 VT2 TG1 !zed", UnreadableOrder, '"zed" is none'),
        ("V1 VT2 TG1", IllegalOrder, "must accuse"),
        ("V1 V2 VT2 accuse", UnreadableOrder, "needs a player's name"),
        ("draw V1", UnreadableOrder, "no card is played"),
        ("draw draw", UnreadableOrder, "stands twice"),
        ("draw pass", IllegalOrder, '"pass" does not answer'),
        ("back", IllegalOrder, '"back" does not answer'),
        ("take G", IllegalOrder, '"take" does not answer'),
        ("V1 A2>zed", UnreadableOrder, '"zed" is no player'),
        ("V2 V1 swap", UnreadableOrder, "needs an Emblem"),
        ("V2 V1 ~V", IllegalOrder, "different Roles"),
        ("V2 X swap A G V", UnreadableOrder, "two Emblems at most"),
        ("V1 A2>bob", IllegalOrder, "does not belong to 1 card played as General"),
    ],
)
def test_refusals_say_what_and_why_and_offer_lines(line: str, kind: type[BadOrder], why: str) -> None:
    error = refusal(TURN, 0, line)
    assert type(error) is kind and why in error.why
    assert error.examples == examples(blame.view(TURN, 0))


def test_the_words_for_a_card_not_in_hand_are_the_same_wherever_it_is() -> None:
    elsewhere = [
        lay("V1", "S1", roles="GV", pile="X"),
        lay("V1", "T1", roles="GV", pile="X", draw="S1"),
        lay("V1", "T1", roles="GV", pile="S1 X"),
    ]
    sizes = [replace(state, pile=("X",), draw=state.draw[:30]) for state in elsewhere]
    assert len({refusal(state, 0, "play S1").args for state in sizes}) == 1


def test_where_a_name_belongs_it_is_a_name_whatever_it_spells() -> None:
    names = ("V1", "give", "Draw")
    spy = replace(SPY, names=names)
    assert read(spy, "V1 VT2 TG1 ?draw A2>") == Play(("V1", "VT2", "TG1"), "", "spy", "Draw", "A2", "Draw")
    assert read(spy, "V1 VT2 TG1 spy give give A2 give") == Play(("V1", "VT2", "TG1"), "", "spy", "give", "A2", "give")
    gift = replace(GIFT, names=("ann", "V1", "X"))
    assert read(gift, "give A2 V1") == read(gift, "a2>v1") == Give("A2", "V1")
    assert read(gift, "give X x") == Give("X", "X")
    assert read(replace(TURN, names=("ann", "V1", "draw")), "draw") == Play()
    assert read(replace(TURN, names=("ann", "V1", "draw")), "V1") == Play(("V1",))
    odd = replace(GIFT, names=("ann", "o'brien", "jean_luc"))
    assert read(odd, "A2>jean_luc") == Give("A2", "jean_luc") and read(odd, "give A2 O'Brien") == Give("A2", "o'brien")


def test_nothing_asked_is_said_without_examples() -> None:
    view = blame.view(TURN, 1)
    with pytest.raises(IllegalOrder, match="Nothing is asked") as caught:
        blame.parse(view, "draw")
    assert caught.value.examples == ()
    assert blame.parse(blame.view(TURN, None), "hello") is None


def test_the_notation_table_is_readable() -> None:
    assert len({row.what for row in blame.NOTATION}) == len(blame.NOTATION) == 14
    tables = [TURN, WIZARD, SPY, GIFT, BURY, NOBILITY, ROLE, LONELY]
    for row in blame.NOTATION:
        answers = [attempt(blame.view(state, 0), row.example) for state in tables]
        assert any(not isinstance(answer, BadOrder | None) for answer in answers), row


def test_nobody_may_be_accused() -> None:
    assert read(LONELY, "V1 VT2 TG1") == Play(("V1", "VT2", "TG1"))
    assert examples(blame.view(LONELY, 0))[-1] == "play V1 V2 VT2"


WORDS = st.sampled_from(
    ["draw", "0", "play", "v1", "VT2", "x", "tg1", "swap", "a", "ag", "~A", "accuse", "!bob", "bob", "ann", "spy", "?",
     "give", "a2>", "A2>bob", ">", "bury", "_t1", "_", "back", "pass", "take", "g", "3", "zed", '"', "'bob'", ".",
     "=cleo", "v9"]
)  # fmt: skip
TABLES = st.sampled_from([TURN, WIZARD, SPY, ARCHBISHOP, TREASURER, GIFT, BURY, NOBILITY, ROLE])


@settings(max_examples=400, deadline=None)
@given(TABLES, st.text() | st.lists(WORDS, max_size=7).map(" ".join))
def test_any_text_is_an_order_or_talk_or_refused_with_lines_that_work(state: blame.State, text: str) -> None:
    view = blame.view(state, 0)
    order = attempt(view, text)
    if isinstance(order, BadOrder):
        assert order.why and order.examples
        assert all(blame.parse(view, line) is not None for line in order.examples)
    elif order is not None:
        assert blame.parse(view, blame.format(order)) == order


@pytest.mark.parametrize("word", ["accuse zed", "swap a", "a", "v1", "give a2", "bob", "_v1", "z" * 50, "!" * 50])
def test_a_long_line_is_answered_in_few_words(word: str) -> None:
    for line in (f"{word} " * 20_000, word.replace(" ", "") * 2_000):
        answer = attempt(blame.view(TURN, 0), line)
        assert answer is None or (isinstance(answer, BadOrder) and len(answer.why) < 150)


def test_orders_survive_their_canonical_words_in_whole_games() -> None:
    kinds = set()
    for number in range(24):
        for step in play(new_game(number), blame_dice(number)):
            for seat, order in step.orders.items():
                view = blame.view(step.before, seat)
                assert blame.parse(view, blame.format(order)) == order
                kinds.add((type(order).__name__, len(getattr(order, "cards", ()))))
    assert len(kinds) == 9


def blame_dice(number: int) -> Dice:
    return Dice(b"orders %d" % number)
