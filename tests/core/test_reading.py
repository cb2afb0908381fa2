"""Test how own words are read: commands to the office, orders, talk, and slips."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.core.reading import OFFICE_WORDS, Command, Line, read

NAMES = ("Ann", "Bob", "Lou", "Help")
VOCABULARY = ("play", "draw", "guess", "pass")
ORDER = re.compile(r"play \w+ \w+|draw|pass|guess \w+ \w+", re.IGNORECASE)


def is_order(text: str) -> bool:
    return ORDER.fullmatch(text) is not None


def lines(words: str) -> tuple[Line, ...]:
    return read(words, is_order=is_order, vocabulary=VOCABULARY, names=NAMES)


def line(words: str) -> Line:
    (only,) = lines(words)
    return only


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("help", Command("help")),
        ("RULES.", Command("rules")),
        ("Status", Command("status")),
        ("log", Command("log")),
        ("retract", Command("retract")),
        ("resign", Command("resign")),
        ("Resign yes.", Command("resign", "yes")),
        ("end", Command("end")),
        ("check play SP 3", Command("check", "play SP 3")),
        ("check", Command("check")),
        ("say Hello, all.", Command("say", "Hello, all.")),
        ("say: Hello", Command("say", "Hello")),
        ("say", Command("say")),
        ("tell bob I know.", Command("tell", "bob I know.")),
        ("tell Bob: I know", Command("tell", "Bob I know")),
        ("tell help now", Command("tell", "help now")),
        ("tell me more", Command("tell", "me more")),
        ("tell", Command("tell")),
    ],
)
def test_office(words: str, command: Command) -> None:
    assert line(words) == Line(words, "office", command)


@pytest.mark.parametrize(("words", "order"), [("draw", "draw"), ("Draw.", "Draw"), ("play SP 3", "play SP 3")])
def test_order(words: str, order: str) -> None:
    assert line(words) == Line(order, "order")


@pytest.mark.parametrize(
    "words",
    ["good luck to you all", "help me", "logs of wood are heavy here", "pl ay SP 3", "accept", "resign now", "42"],
)
def test_talk(words: str) -> None:
    assert line(words) == Line(words, "talk")


@pytest.mark.parametrize(
    ("words", "mended"),
    [
        ("plya SP 3", "play SP 3"),
        ("lpay SP 3", "play SP 3"),
        ("pla SP 3", "play SP 3"),
        ("plaay SP 3", "play SP 3"),
        ("ploy SP 3", "play SP 3"),
        ("darw", "draw"),
        ("draw!", "draw"),
        ("hlep", "help"),
        ("Hlep.", "help"),
        ("help!?", "help"),
        ("resign yess", "resign yes"),
        ("chekc draw", "check draw"),
        ("tel Bob hello", "tell Bob hello"),
        ("sya hello", "say hello"),
        ("gues bob lana", "guess bob lana"),
    ],
)
def test_slip(words: str, mended: str) -> None:
    assert line(words) == Line(words, "slip", mended=mended)


@pytest.mark.parametrize(
    "words",
    [
        "paly SQ",  # mended it would be no order
        "chekc nothing",
        "well done, Bob",  # `tell done, Bob` names nobody
        "palyy SP 3",  # two letters
        "plya SPQ 3 4",
        "a b c d e f g h plya",  # nine words
        "sya",  # `say` alone says nothing
    ],
)
def test_no_slip(words: str) -> None:
    assert line(words).kind == "talk"


def test_a_name_alone_is_no_slip() -> None:
    assert line("lou").kind == "talk"


def test_a_short_last_word_is_how_people_sign() -> None:
    assert [one.kind for one in lines("draw\nLog")] == ["order", "office"]
    assert [one.kind for one in lines("draw\nLoq")] == ["order", "talk"]
    assert line("Loq").kind == "slip"
    assert [one.kind for one in lines("Loq\ndraw")] == ["slip", "order"]
    assert [one.kind for one in lines("draw\nhlep")] == ["order", "slip"]


def test_a_message_of_several_lines() -> None:
    assert [one.kind for one in lines("Hi all,\n\ndraw\nsay bye\n\nplya SP 3\nAnn")] == [
        "talk",
        "order",
        "office",
        "slip",
        "talk",
    ]


def test_nothing_below_end_is_read() -> None:
    assert lines("draw\nend.\npass") == (Line("draw", "order"), Line("end.", "office", Command("end")))


def test_say_takes_the_lines_below_it_up_to_end() -> None:
    assert lines("say:\nplay SP 3\n\nor not?\nEnd\ndraw") == (
        Line("say:", "office", Command("say", "play SP 3\n\nor not?")),
        Line("draw", "order"),
    )
    assert lines("draw\nSay:\nend of the world") == (
        Line("draw", "order"),
        Line("Say:", "office", Command("say", "end of the world")),
    )


def test_office_words_are_all_that_the_office_reads() -> None:
    assert {"help", "say", "tell", "yes", "undo", "bot", "table", "nobody"} <= OFFICE_WORDS
    assert all(word == word.casefold() for word in OFFICE_WORDS)


def test_it_is_quick() -> None:
    vocabulary = [f"word{number}" for number in range(300)]
    before = time.perf_counter()
    read(
        "\n".join(["wrd7 owrd8 word wor d word99x abc de"] * 400), is_order=is_order, vocabulary=vocabulary, names=NAMES
    )
    assert time.perf_counter() - before < 2


def distance(one: str, other: str) -> int:
    """Count the letters between two words: the textbook's table, as the oracle."""
    table = {(a, -1): a + 1 for a in range(-1, len(one))} | {(-1, b): b + 1 for b in range(-1, len(other))}
    for a, letter in enumerate(one):
        for b, sign in enumerate(other):
            table[a, b] = min(table[a - 1, b] + 1, table[a, b - 1] + 1, table[a - 1, b - 1] + (letter != sign))
            if a and b and letter == other[b - 1] and one[a - 1] == sign:
                table[a, b] = min(table[a, b], table[a - 2, b - 2] + 1)
    return table[len(one) - 1, len(other) - 1]


@settings(max_examples=500)
@given(st.text("pasy", min_size=1, max_size=6))
def test_a_slip_is_one_letter_away(word: str) -> None:
    only = read(word, is_order=lambda text: text == "pass", vocabulary=("pass",), names=())[0]
    assert (only.kind == "slip") == (1 in (distance(word, "pass"), distance(word, "away")))


@settings(max_examples=300)
@given(st.text())
def test_any_words_are_read(words: str) -> None:
    for one in lines(words):
        assert (one.kind == "slip") == bool(one.mended)
        assert (one.kind == "office") == (one.command is not None)
