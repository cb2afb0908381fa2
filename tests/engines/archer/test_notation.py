"""Test the notation: words and signs, names like cards, talk, refusals, and any text whatever."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines.archer as archer
from engines.archer.offers import examples
from engines.archer.orders import Order, Play
from engines.archer.reading import spelled
from engines.archer.table import Sight
from pbem.engine import AmbiguousOrder, BadOrder, Dice, IllegalOrder, UnreadableOrder

from .tables import attempt, lay, new_game, play, refusal

BIG = lay("8 7", "5", "4")
AIMED = lay("6 5", "3", "4")
LOOK = lay("4 2", "3", "5")
DUEL = lay("3 1", "5", "4")
LONELY = lay("3 1", "5", "4", shielded=(False, True, True))
TWINS = lay("1 1", "5", "4")
ALL = (BIG, AIMED, LOOK, DUEL, LONELY, TWINS)


def read(state: archer.State, line: str) -> Order | None:
    order: Order | None = archer.parse(archer.view(state, 0), line)
    return order


@pytest.mark.parametrize(
    ("state", "words", "signs", "order"),
    [
        (BIG, "play malory", "8", Play(8)),
        (BIG, "play lana", "7", Play(7)),
        (AIMED, "play ray bob", "6 bob", Play(6, "bob")),
        (AIMED, "play pam ann", "5 ann", Play(5, "ann")),
        (LOOK, "play cheryl hide", "4 hide", Play(4, way="hide")),
        (LOOK, "play cheryl look", "4 look", Play(4, way="look")),
        (DUEL, "play cyril cleo", "3 cleo", Play(3, "cleo")),
        (LOOK, "play krueger lana", "2 7", Play(2, named=7)),
        (DUEL, "play sterling bob lana", "1 bob 7", Play(1, "bob", 7)),
        (LONELY, "play cyril", "3", Play(3)),
        (LONELY, "play sterling", "1", Play(1)),
    ],
)
def test_words_and_signs(state: archer.State, words: str, signs: str, order: Order) -> None:
    assert read(state, words) == read(state, signs) == order
    assert archer.format(order) == words


@pytest.mark.parametrize(
    ("state", "line", "canonical"),
    [
        (AIMED, "ray bob", "play ray bob"),
        (AIMED, "pam cleo", "play pam cleo"),
        (DUEL, "cyril bob", "play cyril bob"),
        (LOOK, "cheryl look", "play cheryl look"),
        (LOOK, "2 lana", "play krueger lana"),
        (LOOK, "krueger 7", "play krueger lana"),
        (DUEL, "sterling bob 7", "play sterling bob lana"),
        (DUEL, "  PLAY  Ste, Bob , Kru. ", "play sterling bob krueger"),
        (DUEL, "1, bob, lan", "play sterling bob lana"),
        (DUEL, 'ster "Bob" “Malory”', "play sterling bob malory"),
        (DUEL, "play 1 BOB 8", "play sterling bob malory"),
        (LOOK, "che hide.", "play cheryl hide"),
        (LOOK, "kru ste", "play krueger sterling"),
        (BIG, "play mal", "play malory"),
        (BIG, "play 7.", "play lana"),
        (TWINS, "1 cleo che", "play sterling cleo cheryl"),
    ],
)
def test_other_spellings(state: archer.State, line: str, canonical: str) -> None:
    order = read(state, line)
    assert order is not None and archer.format(order) == canonical
    assert read(state, canonical) == order


def test_a_card_is_its_number_or_its_name_or_the_start_of_it_from_three_letters_on() -> None:
    for character, name in enumerate(["sterling", "krueger", "cyril", "cheryl", "pam", "ray", "lana", "malory"], 1):
        assert spelled(str(character)) == (character,)
        for length in range(len(name) + 1):
            assert spelled(name[:length]) == ((character,) if length >= 3 else ())
        assert spelled(name + "x") == ()
    assert [spelled(word) for word in ("0", "9", "11", "²", "٣", "", "lanakane")] == [()] * 7
    assert spelled("archer") == spelled("arc") == (8, 1) and spelled("ar") == ()


@pytest.mark.parametrize(
    "line",
    [
        "", " ", ".", "lana", "Ray.", "PAM", "mal", "archer", "krueger", "sterling", "ann", "bob", "hide", "look", "9",
        "12", "2 days", "3 cheers", "1 more thing", "6 zed", "ray agrees", "Pam Beesly", "ray bob agrees", "pam zed",
        "lana is out", "I play lana", "play nicely", "play it again", "play lana for me", "play lana now please", "> 8",
        "- 8", "-8", "8!", "7?", "#1", "\u2603 8", "http://example.org/?a=1", "1 bob lana or pam, what fun",
    ],
)  # fmt: skip
def test_talk(line: str) -> None:
    assert read(DUEL, line) is None


@pytest.mark.parametrize(
    ("state", "line", "kind", "why"),
    [
        (DUEL, "play", UnreadableOrder, '"play" needs a card'),
        (DUEL, "play 9", UnreadableOrder, '"9" is none'),
        (DUEL, "play bob", UnreadableOrder, '"bob" is none'),
        (DUEL, "8", IllegalOrder, "8 Malory is not in your hand (3 Cyril and 1 Sterling)"),
        (DUEL, "1", IllegalOrder, "must be played at a player who is open to it: bob or cleo"),
        (DUEL, "3", IllegalOrder, "bob or cleo"),
        (DUEL, "1 bob", UnreadableOrder, "needs a character after the player"),
        (DUEL, "1 lana", UnreadableOrder, '"lana" is no player'),
        (DUEL, "1 lana bob", UnreadableOrder, '"lana" is no player'),
        (DUEL, "1 zed lana", UnreadableOrder, '"zed" is no player'),
        (DUEL, "1 bbo lana", UnreadableOrder, "was bob meant?"),
        (DUEL, "1 bob Lna", UnreadableOrder, '"lna" is no character; was lana meant?'),
        (LOOK, "krueger malorie", UnreadableOrder, '"malorie" is no character; was malory meant?'),
        (LOOK, "2 sterlng", UnreadableOrder, "was sterling meant?"),
        (DUEL, "1 bob bob", UnreadableOrder, '"bob" is no character'),
        (DUEL, "1 bob 9", UnreadableOrder, '"9" is no character'),
        (DUEL, "1 bob sterling", IllegalOrder, "any character but 1 Sterling"),
        (DUEL, "1 ann lana", IllegalOrder, "not at yourself"),
        (DUEL, "3 ann", IllegalOrder, "not at yourself"),
        (DUEL, "3 bob lana", UnreadableOrder, "takes only a player after it"),
        (
            DUEL,
            "1 bob lana pam",
            UnreadableOrder,
            'takes only a player and a character after it, and here stands "pam"',
        ),
        (DUEL, "play cyril zed", UnreadableOrder, '"zed" is no player'),
        (BIG, "7 bob", UnreadableOrder, "7 Lana takes nothing after it"),
        (BIG, "play lana 8", UnreadableOrder, "takes nothing"),
        (LOOK, "4", UnreadableOrder, 'needs "hide" or "look"'),
        (LOOK, "cheryl bob", UnreadableOrder, '"hide" or "look", not "bob"'),
        (LOOK, "play cheryl hid", UnreadableOrder, 'not "hid"'),
        (LOOK, "4 hide look", UnreadableOrder, 'takes only "hide" or "look"'),
        (LOOK, "2", UnreadableOrder, "needs a character after it"),
        (LOOK, "2 bob", UnreadableOrder, '"bob" is no character'),
        (AIMED, "6", UnreadableOrder, "bob, cleo or yourself, ann"),
        (AIMED, "5 hide", UnreadableOrder, '"hide" is no player'),
        (LONELY, "1 bob lana", IllegalOrder, "bob is protected (4 Cheryl) until the start of bob's next turn"),
        (DUEL, "archer bob lana", AmbiguousOrder, '"archer" may be 8 Malory or 1 Sterling'),
        (DUEL, "play archer", AmbiguousOrder, "8 Malory or 1 Sterling"),
        (DUEL, "1 bob arch", AmbiguousOrder, "8 Malory or 1 Sterling"),
        (LOOK, "2 archer", AmbiguousOrder, "8 Malory or 1 Sterling"),
    ],
)
def test_refusals_say_what_and_why_and_offer_lines(
    state: archer.State, line: str, kind: type[BadOrder], why: str
) -> None:
    error = refusal(state, line)
    assert type(error) is kind and why in error.why
    assert set(error.examples) == set(examples(archer.view(state, 0))) and error.examples


def test_the_lines_offered_are_first_those_for_the_card_that_was_meant() -> None:
    assert refusal(DUEL, "1 bob").examples[0] == "play sterling bob malory"
    assert refusal(DUEL, "3 zed lana").examples[0] == "play cyril bob"


def test_the_words_for_a_card_not_in_hand_are_the_same_wherever_it_is() -> None:
    elsewhere = [lay("5 1", "7", "4"), lay("5 1", "3", "4", secret=7), lay("5 1", "3", "4", draw="7")]
    assert len({refusal(state, "play lana").args for state in elsewhere}) == 1


def test_where_a_name_belongs_it_is_a_name_whatever_it_spells() -> None:
    names = ("Play", "Lana", "archer", "look")
    duel = replace(lay("3 1", "5", "4", "2"), names=names)
    assert read(duel, "3 lana") == read(duel, "cyril LANA") == Play(3, "Lana")
    assert read(duel, "1 lana lana") == read(duel, "play sterling lana 7") == Play(1, "Lana", 7)
    assert read(duel, "1 archer malory") == Play(1, "archer", 8)
    assert read(duel, "play cyril archer") == Play(3, "archer")
    assert isinstance(refusal(duel, "1 archer archer"), AmbiguousOrder)
    assert "not at yourself" in refusal(duel, "3 play").why
    assert read(duel, "lana") is None and read(duel, "archer") is None and read(duel, "look") is None
    aimed = replace(lay("6 4", "3", "2", "1"), names=names)
    assert read(aimed, "6 play") == read(aimed, "play 6 play") == read(aimed, "play ray play") == Play(6, "Play")
    assert read(aimed, "6 look") == Play(6, "look") and read(aimed, "4 look") == Play(4, way="look")
    lonely = replace(lay("2 1", "5", "4", "3", shielded=(False, True, True, True)), names=names)
    assert read(lonely, "2 lana") == Play(2, named=7)
    for state in (duel, aimed, lonely):
        view = archer.view(state, 0)
        assert all(archer.format(archer.parse(view, line)) == line for line in examples(view))  # type: ignore[arg-type]


def test_nothing_asked_is_said_without_examples() -> None:
    view = archer.view(DUEL, 1)
    with pytest.raises(IllegalOrder, match="Nothing is asked") as caught:
        archer.parse(view, "5 ann")
    assert caught.value.examples == ()
    assert archer.parse(archer.view(DUEL, None), "hello") is None
    assert isinstance(attempt(archer.view(DUEL, None), "8"), IllegalOrder)


def test_the_notation_table_is_readable() -> None:
    assert len({row.what for row in archer.NOTATION}) == len(archer.NOTATION) == 11
    for row in archer.NOTATION:
        answers = [attempt(archer.view(state, 0), row.example) for state in ALL]
        assert any(isinstance(answer, Play) for answer in answers), row
    words = {word for row in archer.NOTATION for word in row.words.split() if word.islower()}
    assert words == {"play", "hide", "look", "malory", "lana", "ray", "pam", "cheryl", "cyril", "krueger", "sterling"}


def test_the_default_never_plays_malory_and_tells_nothing() -> None:
    assert {archer.default(archer.view(BIG, 0), Dice(b"%d" % number)) for number in range(20)} == {Play(7)}
    state = lay("4 2", "3", "5", laid={1: "7 6"}, secret=8)
    orders = {archer.default(archer.view(state, 0), Dice(b"%d" % number)) for number in range(20)}
    assert orders == {Play(4, way="hide"), Play(2, named=8)}
    duel = lay("3 1", "5", "4", laid={2: "8"}, secret=6, shielded=(False, True, False))
    orders = {archer.default(archer.view(duel, 0), Dice(b"%d" % number)) for number in range(20)}
    assert orders == {Play(3, "cleo"), Play(1, "cleo", 7)}
    assert {archer.default(archer.view(LONELY, 0), Dice(b"%d" % n)) for n in range(20)} == {Play(3), Play(1)}
    alone = lay("6 5", "3", "4", shielded=(False, True, True))
    assert {archer.default(archer.view(alone, 0), Dice(b"%d" % n)) for n in range(20)} == {
        Play(6, "ann"),
        Play(5, "ann"),
    }
    assert archer.default(archer.view(AIMED, 0), Dice(b"")).name == "bob"


def test_the_default_guesses_the_same_whatever_was_seen() -> None:
    state = lay("2 2", "7", "5", secret=8)
    seen = replace(state, seen=((Sight(None, 0, 1),), (), ()))
    for view in (archer.view(state, 0), archer.view(seen, 0)):
        assert archer.default(view, Dice(b"")) == Play(2, named=8)


WORDS = st.sampled_from(
    ["8", "7", "6", "5", "4", "3", "2", "1", "9", "play", "malory", "lana", "ray", "pam", "che", "cyril", "kru", "ster",
     "archer", "hide", "look", "bob", "ann", "cleo", "BOB", "'bob'", "zed", "lna", ",", ".", "?", '"', "arc", "²", "x"]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(ALL), st.text() | st.lists(WORDS, max_size=6).map(" ".join))
def test_any_text_is_an_order_or_talk_or_refused_with_lines_that_work(state: archer.State, text: str) -> None:
    view = archer.view(state, 0)
    order = attempt(view, text)
    if isinstance(order, BadOrder):
        assert order.why and order.examples
        assert all(archer.parse(view, line) is not None for line in order.examples)
    elif order is not None:
        assert archer.parse(view, archer.format(order)) == order


@pytest.mark.parametrize(
    "word", ["1", "bob", "1 bob", "lana", "play", "4 hide", "z" * 50, "1 bob zed", "arch", "!" * 50]
)
def test_a_long_line_is_answered_in_few_words(word: str) -> None:
    for line in (f"{word} " * 20_000, f"1 {word} " * 9_000, f"play 1 bob {word * 9_000}", f"1 {word * 9_000} lana"):
        answer = attempt(archer.view(DUEL, 0), line)
        assert answer is None or (isinstance(answer, BadOrder) and len(answer.why) < 150)


def test_orders_survive_their_canonical_words_in_whole_games() -> None:
    kinds = set()
    for number in range(30):
        for step in play(new_game(number), Dice(b"orders %d" % number)):
            assert archer.parse(archer.view(step.before, step.seat), archer.format(step.order)) == step.order
            kinds.add((step.order.card, bool(step.order.name), step.order.way))
    assert len(kinds) == 11
