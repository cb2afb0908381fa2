"""Check how the house's own letters look: their parts, help, the log and the house's events."""

import pytest

from pbem import games
from pbem.core.digest import Asked, Note, Page, Section, Waiting, compose
from pbem.core.quotes import MARKER
from pbem.core.render import WIDTH
from pbem.engine import Event
from tests.templates.pages import check_html, renderer, shown

NAMES = ("alice", "bob")
UNTIL = "Wed 4 March 2026, 21:00 Europe/Berlin (UTC+1)"
ASKED = Asked("It is your turn: play no to three cards on VT2.", ("draw", "play V1"), False, UNTIL, "2 days 4 hours")


def full(asked: Asked | None = ASKED) -> Page:
    return Page(
        name="blame-7", title="Game of Blame", to="alice", turn=5, opening="THE OPENING.",
        notes=(Note("plya V1", "THE ANSWER.", ("play V1",)),), happened=("THE EVENT.",), asked=asked,
        waiting=(Waiting("bob", "bury", UNTIL),), sections=(Section("Rules", "THE SECTION.", "<p>THE SECTION.</p>"),),
        footers=("THE FOOTER.",),
    )  # fmt: skip


def test_the_parts_stand_in_order() -> None:
    text, html = compose(renderer(), full(), ("THE DIGEST.", "<p>THE DIGEST.</p>"))
    parts = (
        "Dear alice", "wanted until", "THE OPENING", "THE ANSWER", "THE EVENT", "THE DIGEST", "play no to three",
        "bob (bury)", "THE SECTION", "THE FOOTER", "by letter",
    )  # fmt: skip
    assert text.startswith(f"{MARKER}\n")
    check_html(html)
    for page in (text, shown(html)):
        places = [page.index(part) for part in parts]
        assert places == sorted(places)


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        (ASKED, f"Your answer is wanted until {UNTIL}."),
        (Asked("Bury?", ("pass",), True, UNTIL, "1 day"), f"You may answer until {UNTIL}."),
        (Asked("Bury?", ("pass",), True, UNTIL, "1 day", "bury V1"), "Your answer is in:"),
        (None, "You are not to move now: the table waits for bob."),
    ],
)
def test_the_first_line_says_whether_something_is_asked(asked: Asked | None, first: str) -> None:
    text, html = compose(renderer(), full(asked), ("", ""))
    assert first in " ".join(text.split("THE OPENING")[0].split())
    assert first in shown(html).split("THE OPENING")[0]


def test_a_sealed_answer_is_shown_and_can_be_taken_back() -> None:
    asked = Asked("Bury?", ("pass", "bury V1"), True, UNTIL, "1 day", "bury V2")
    text, html = compose(renderer(), full(asked), ("", ""))
    assert "    retract\n" in text
    assert text.count("bury V2") == shown(html).count("bury V2") == 2


def test_what_is_not_there_leaves_no_trace() -> None:
    text, html = compose(renderer(), Page(name="", title="The office", to="dora", turn=0, opening="Hello."), None)
    for page in (text, html):
        assert not any(word in page.lower() for word in ("none", "asked", "waiting", "turn 0", "happened", "message"))
    assert "\n\n\n" not in text


def test_a_players_line_is_only_text_and_never_too_wide() -> None:
    lines = ("<script>alert(1)</script>", "{{ page }} {% raw %}", "w" * 200, "un mot " * 28, '"><b>')
    page = Page("blame-7", "Game of Blame", "alice", 1, notes=tuple(Note(line, "Not read.") for line in lines))
    text, html = compose(renderer(), page, None)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "<script>" not in html
    assert "<b>" not in html
    assert "{{ page }} {% raw %}" in text
    assert "<script>alert(1)</script>" in text


HOUSE: tuple[tuple[str, dict[str, object], str], ...] = (
    ("resigned", {"seat": 1}, "bob has resigned: from now on the game plays this seat as if its time had run out."),
    ("defaulted", {"seat": 0}, "Time ran out for alice, and the game answered instead."),
    ("paused", {}, "The host paused the game: all clocks stand still."),
    ("paused", {"reason": "holidays"}, "The host paused the game: all clocks stand still. Reason given: holidays"),
    ("resumed", {}, "The host resumed the game: all deadlines moved by the length of the pause."),
    ("extended", {"seat": 1}, "The host set a new deadline for bob."),
    ("ended", {"reason": ""}, "The host ended the game without a result."),
    ("paused", {"by": "mona"}, "The moderator mona paused the game: all clocks stand still."),
    ("peeked", {"thing": "view", "seat": 1, "by": "mona", "reason": "a doubt"},
     "The moderator mona looked at the hidden view of bob. Reason given: a doubt"),
    ("tried", {"thing": "hand", "seat": 1, "by": "mona"},
     "The moderator mona gave an order for bob that could not be carried out, and so learned something of the hidden "
     "hand."),
    ("ordered", {"seat": 1}, "The host gave an order for bob."),
    ("skipped", {"seat": 1}, "The host let the game answer for bob, where no answer was in."),
    ("skipped", {"seat": None}, "The host let the game answer for everybody, where no answer was in."),
    ("expelled", {"seat": 0},
     "The host put alice out: from now on the game plays this seat as if its time had run out."),
    ("scored", {"scores": [3, 1], "winners": [0]},
     "The host ended the game and scored it as it stood: alice 3, bob 1. Won by alice."),
    ("to_score", {}, "The host ended the game and scored it as it stood: (the scores)."),
    ("replaced", {"seat": 0, "was": "alice", "now": "bot:careful"},
     "The host gave the seat of alice to bot:careful; alice has left it."),
    ("rolled_back", {"step": 0, "redealt": False},
     "The host took the game back to how it stood when it was dealt. Nothing was dealt anew."),
    ("rolled_back", {"step": 5, "redealt": True, "by": "mona", "reason": "x"},
     "The moderator mona took the game back to how it stood after step 5. What nobody could know then was dealt anew. "
     "Reason given: x"),
    ("forwarded", {}, "The host put the game forward again: what was taken back last stands."),
    ("undo_asked", {"seat": 0, "learned": [0, 1]},
     "alice asks to take the last order back. Something was learned from it, by alice, bob; so all others must "
     'consent. Reply with "agree" or "refuse"; to play on is to refuse.'),
    ("undo_agreed", {"seat": 1}, "bob agrees that the order is taken back."),
    ("undo_refused", {"seat": 1}, "bob refuses, so the order stands."),
    ("undone", {"seat": 0, "redealt": False}, "alice took the last order back. Nobody had learned anything from it."),
    ("undone", {"seat": 0, "redealt": True},
     "alice took the last order back. All others agreed, and what nobody could know before it was dealt anew."),
)  # fmt: skip


@pytest.mark.parametrize(("kind", "facts", "line"), HOUSE)
def test_the_houses_events(kind: str, facts: dict[str, object], line: str) -> None:
    assert renderer().line("post", Event(kind, facts), NAMES) == line


@pytest.mark.parametrize("game", [None, "blame"])
def test_help_lists_commands_and_orders(game: str | None) -> None:
    engine = games.get(game) if game else None
    office = (("help", "this page"), ("say TEXT", "tell all players something, " + "and more " * 12 + "."))
    text = renderer().text("post/help", office=office, engine=engine)
    seen = shown(renderer().html("post/help", office=office, engine=engine))
    told = " ".join(text.split())
    assert "\n\n\n" not in text
    assert max(map(len, text.splitlines())) <= WIDTH
    parts = [part for command in office for part in command]
    parts += [
        part for row in (engine.notation if engine else ()) for part in (row.what, row.words, row.signs, row.example)
    ]
    assert all(" ".join(part.split()) in page for part in parts for page in (told, seen))
    assert ("Orders of" in told) == ("Orders of" in seen) == bool(engine)


def test_the_log_goes_by_turns() -> None:
    turns = [(0, ["alice took the Role of General."]), (3, ["<b>bob</b> drew 1 card."])]
    text, html = renderer().text("post/log", turns=turns), renderer().html("post/log", turns=turns)
    assert text == (
        "Before the first turn\n  - alice took the Role of General.\n\nTurn 3\n  - <b>bob</b> drew 1 card.\n"
    )
    assert "<b>" not in html
    assert "Turn 3" in shown(html)
    assert renderer().text("post/log", turns=[]) == "Nothing has happened yet.\n"
