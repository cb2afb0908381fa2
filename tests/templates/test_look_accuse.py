"""Check how Accuse! looks in letters: the table, the digest, the events and the rules."""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import ModuleType

import jinja2
import lxml.html
import pytest

from engines.accuse import table as accuse_table
from engines.accuse.deck import KIND_NAMES, NAMED
from pbem import games, paths
from pbem.core import table as tables
from pbem.core.digest import Asked, Page, Scene, Waiting, compose
from pbem.core.render import WIDTH
from pbem.core.table import Answer, Table
from pbem.engine import Dice, Engine, Event
from tests.engines.accuse.tables import lay
from tests.templates.pages import check_html, renderer, shown, text_of

NAMES = ("alice", "bob", "carol", "Maximiliane")
UNTIL = "Wed 30 September 2026, 21:00 America/Argentina/Buenos_Aires (UTC-3)"
CODE = re.compile(r"\b(?:[CLW][1-6]|X)\b")
KINDS = tuple(re.findall(r"^\| (\w+) \| .* \| (?:all|seat|seat, other) \|$", accuse_table.__doc__ or "", re.M))
VARIED: tuple[Mapping[str, str], ...] = (
    {},
    {"declare": "center"},
    {"challenge": "first"},
    {"max_turns": "6"},
    {"declare": "center", "challenge": "first", "max_turns": "9"},
    {},
)
Moment = tuple[Table, tuple[Event, ...]]


def engine() -> Engine:
    return games.get("accuse")


def words(name: str = "words") -> ModuleType:
    """Give what text and HTML share."""
    loader = jinja2.FileSystemLoader(str(paths.bundled("templates")))
    environment = jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.filters["listed"] = " and ".join
    return environment.get_template(f"accuse/{name}.j2").module  # type: ignore[return-value]


def played(seed: int, names: Sequence[str], options: Mapping[str, str]) -> Iterator[Moment]:
    """Play a random game to its end, and give each table with the events that led to it."""
    key = bytes([seed]) * 32
    table, _ = tables.deal(engine(), tuple(names), engine().options(options), key)
    dice = Dice(key)
    yield table, ()
    while asked := table.awaiting():
        answers = {seat: Answer(tables.read(table, seat, engine().sample(table.view(seat), dice))) for seat in asked}
        table, entry = tables.step(table, answers)
        yield table, entry.events


@functools.cache
def moments() -> tuple[Moment, ...]:
    """Give the tables of some games that differ in players and options, a third of each and all ends."""
    found: list[Moment] = []
    for seed, options in enumerate(VARIED):
        game = list(played(seed, NAMES[: 2 + seed % 3], options))
        found += [*game[::3], game[-1]]
    return tuple(found)


def letter(table: Table, events: Sequence[Event], seat: int) -> tuple[str, str]:
    """Write a seat's letter as the house does."""
    names = table.view(None).names
    scene = Scene(renderer(), table, names)
    prompts = table.awaiting()
    prompt = prompts.get(seat)
    page = Page(
        name="accuse-7",
        title=engine().title,
        to=names[seat],
        turn=table.turn(),
        happened=scene.lines(events, seat),
        asked=Asked(prompt.asked, prompt.examples, prompt.optional, UNTIL, "2 days 4 hours") if prompt else None,
        waiting=tuple(Waiting(names[other], asked.kind, UNTIL) for other, asked in prompts.items() if other != seat),
    )
    return compose(renderer(), page, scene.digest(seat))


def contrast(colour: str) -> float:
    """Give the contrast of white letters on a colour (WCAG 2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def test_the_moments_show_every_question_and_both_halves_of_a_game() -> None:
    asked = {prompt.kind for table, _ in moments() for prompt in table.awaiting().values()}
    assert asked >= {"play", "challenge", "flip", "bid", "accuse"}
    assert {bool(table.view(None).accusations) for table, _ in moments()} == {True, False}


def test_every_text_line_fits() -> None:
    for table, events in moments():
        for seat in range(len(table.view(None).names)):
            text, _ = letter(table, events, seat)
            assert max(map(len, text.splitlines())) <= WIDTH
            assert "\n\n\n" not in text


def test_html_is_well_formed_and_fetches_nothing() -> None:
    for table, events in moments()[::3]:
        check_html(letter(table, events, 0)[1])


def test_text_and_html_say_the_same() -> None:
    for table, events in moments():
        names = table.view(None).names
        for seat in range(len(names)):
            text, html = letter(table, events, seat)
            told, seen = " ".join(text.split()), shown(html)
            view = table.view(seat)
            lines = Scene(renderer(), table, names).lines(events, seat)
            facts = [f"{code} {name}" for code, name in view.deck if code != "X"]
            facts += [f"#{laid.number}" for laid in view.down]
            facts += [f"#{laid.number} is {laid.card} {view.titles[laid.card]}" for laid in view.down if laid.card]
            facts += [f"{code} {view.titles[code]}" for code in view.hand]
            facts += [example for prompt in [table.awaiting().get(seat)] if prompt for example in prompt.examples]
            facts += [*names, *lines]
            for fact in facts:
                assert fact in told
                assert fact in seen


def test_every_example_stands_alone_on_its_line() -> None:
    for table, events in moments():
        for seat, prompt in table.awaiting().items():
            text, html = letter(table, events, seat)
            lines = [line.strip() for line in text.splitlines()]
            copied = [text_of(code) for code in lxml.html.fromstring(html).iter("code")]
            assert all(example in lines and example in copied for example in prompt.examples)


def test_a_name_is_only_text() -> None:
    for table, events in played(1, ("<b>x", "a&b", "{{x}}"), {}):
        text, html = letter(table, events, 1)
        assert "<b>x" in text
        assert "<b>" not in html
        assert "&lt;b&gt;x" in html
        assert "{{x}}" in html


def test_no_colour_stands_alone() -> None:
    seen = set()
    for table, events in moments()[::4]:
        for chip in lxml.html.fromstring(letter(table, events, 0)[1]).iter("span"):
            found = re.search(r"background-color:(#\w{6});color:#ffffff", chip.get("style", ""))
            if found:
                assert CODE.fullmatch(text_of(chip))
                assert contrast(found[1]) >= 4.5
                seen.add((text_of(chip)[0], found[1]))
    assert {kind for kind, _ in seen} == set("CLWX") and len(seen) == len({colour for _, colour in seen}) == 4


def test_the_table_shows_nothing_hidden() -> None:
    moved = 0
    for number, (table, _) in enumerate(moments()):
        other = replace(table, state=engine().reshuffle(table.state, [None], Dice(bytes([number % 256]))))
        moved += other.state != table.state
        assert Scene(renderer(), table, ()).table() == Scene(renderer(), other, ()).table()
    assert moved > len(moments()) // 2


def test_a_letter_shows_what_its_seat_may_know_and_no_more() -> None:
    for number, (table, _) in enumerate(moments()[::2]):
        for seat in range(len(table.view(None).names)):
            other = replace(table, state=engine().reshuffle(table.state, [seat], Dice(bytes([number % 256]))))
            assert letter(table, (), seat) == letter(other, (), seat)


def test_who_is_out_reads_the_culprits_and_nobody_else_does() -> None:
    """Look at every letter of both halves of some games, as C17 asks."""
    knew = 0
    for table, _ in moments():
        view = table.view(None)
        named = [f"{code} {view.titles[code]}" for code in table.state.culprits]
        told = f"{named[0]}, {named[1]} and {named[2]}."
        knowing = {seat for seat, cards in view.accusations if cards}
        for seat in range(len(view.names)):
            text, html = letter(table, (), seat)
            assert ("THE CULPRITS" in text) is ("The culprits</h2>" in html) is (seat in knowing or bool(view.ending))
            assert (told in " ".join(text.split())) is (seat in knowing or bool(view.ending))
            knew += seat in knowing and not view.ending
    assert knew > 5


def test_the_board_shows_each_card_at_its_place() -> None:
    state = lay("C3 L3", "W5 C1 X", down="C2=C2@0 L2=W1@1 X=W1@0")
    text, html = Scene(renderer(), _table(state), ()).table()
    board = re.sub(r"\n +", "\n", text)
    assert (
        "1 Breakfast\nC1 Aunt Calamity\nL1 Dumbwaiter: face up\nW1 Bagpipes: face up, #2 by bob, #3 by ann\n" in board
    )
    assert "C2 Baron Overdraft: #1 by ann\n" in board
    assert "W1 Bagpipesface up, #2 by bob, #3 by ann" in shown(html)
    assert "Traps: 2 were dealt; 2 still hidden." in text


def test_by_numbers_a_card_lies_at_its_center_card() -> None:
    state = lay("C3 L3", "W5 C1 X", down="C2=2@0 L2=1@1 X=1@0", options="declare=center")
    text, _ = Scene(renderer(), _table(state), ()).table()
    assert "\n  1 Breakfast: #2 by bob, #3 by ann\n" in text and "\n  2 Elevenses: #1 by ann\n" in text
    assert "declares only the number" in text


def _table(state: object) -> Table:
    dealt, _ = tables.deal(engine(), NAMES[:2], engine().options({}), bytes(32))
    return replace(dealt, state=state)


def test_the_end_shows_the_culprits_and_who_won() -> None:
    for table, _ in moments():
        view = table.view(None)
        if view.ending:
            for page in (
                " ".join(Scene(renderer(), table, ()).table()[0].split()),
                shown(Scene(renderer(), table, ()).table()[1]),
            ):
                assert "The game is over: " in page and all(code in page for code in view.culprits)
                assert ("nobody found the culprits" in page) is (not view.winners)
                assert all(f"{view.names[seat]} accused the culprits, and wins" in page for seat in view.winners)


def test_every_kind_has_a_line_and_random_games_have_no_other() -> None:
    assert len(KINDS) == 25
    emitted = set()
    for seed in range(40):
        for table, events in played(seed, NAMES[: 2 + seed % 3], VARIED[seed % len(VARIED)]):
            names = table.view(None).names
            for event in events:
                line = renderer().line("accuse", event, names)
                assert line.endswith((".", "!")) and "None" not in line and "  " not in line
                assert set(CODE.findall(line)) <= codes(event.facts)
                emitted.add(event.kind)
    assert emitted <= set(KINDS)


def codes(facts: object) -> set[str]:
    """Gather the card codes that facts hold."""
    if isinstance(facts, Mapping):
        return set().union(*map(codes, facts.values()))
    if isinstance(facts, list | tuple):
        return set().union(*map(codes, facts))
    return {facts} if isinstance(facts, str) and CODE.fullmatch(facts) else set()


C3, W5, X = ["C3", "Count Backwards"], ["W5", "Stuffed Pike"], ["X", "Decoy Duck"]
THREE = [["C1", "Aunt Calamity"], ["L2", "Ha-Ha"], W5]
LINES: tuple[tuple[str, dict[str, object], str], ...] = (
    ("turn", {"turn": 4, "seat": 1}, "Turn 4: bob has the turn."),
    ("passed_over", {"seat": 1}, "bob has no card, and there is nothing to turn up: the turn passes."),
    ("cornered", {"seat": 0, "why": "empty"},
     "Nobody holds a card, and there is nothing to turn up: alice must accuse."),
    ("cornered", {"seat": 0, "why": "turns"}, "The game has gone on for long enough: alice must accuse."),
    ("laid", {"seat": 0, "number": 7, "declared": W5}, "alice laid #7 as W5 (Stuffed Pike)."),
    ("laid", {"seat": 0, "number": 7, "declared": ["5", "Supper"]}, "alice laid #7 as number 5 (Supper)."),
    ("laid_card", {"seat": 0, "number": 7, "card": C3}, "Your #7 is C3 (Count Backwards)."),
    ("unchallenged", {"number": 7, "seats": [1]}, "bob passed: #7 stays face down."),
    ("unchallenged", {"number": 7, "seats": [1, 0]}, "bob and alice passed: #7 stays face down."),
    ("unchallenged", {"number": 7, "seats": []}, "Nobody could challenge: #7 stays face down."),
    ("challenged", {"seat": 1, "other": 0, "number": 7}, "bob challenged alice's #7!"),
    ("bluff", {"seat": 1, "other": 0, "number": 7, "card": C3, "declared": W5},
     "It was a bluff: #7 was C3 (Count Backwards), not W5 (Stuffed Pike). bob takes it into hand."),
    ("proved", {"seat": 1, "other": 0, "number": 7, "card": C3},
     "It was true: #7 is C3 (Count Backwards) and stays face up. bob owes alice a card."),
    ("trap", {"seat": 1, "other": 0, "number": 7, "card": X},
     "It was a Trap: #7, X (Decoy Duck), leaves the game. bob must put a card face up."),
    ("gave", {"seat": 1, "other": 0}, "bob gave alice a card."),
    ("gave_card", {"seat": 1, "other": 0, "card": C3}, "The card that bob gave alice is C3 (Count Backwards)."),
    ("showed", {"seat": 1, "card": C3}, "bob put C3 (Count Backwards) face up on the table."),
    ("flipped", {"seat": 1, "number": 3, "card": C3, "gone": False}, "bob turned up #3: C3 (Count Backwards)."),
    ("flipped", {"seat": 1, "number": 3, "card": X, "gone": True},
     "bob turned up #3: X (Decoy Duck), which leaves the game."),
    ("accused", {"seat": 1, "cards": THREE},
     "bob accused C1 (Aunt Calamity), L2 (Ha-Ha) and W5 (Stuffed Pike)!"),
    ("wrong", {"seat": 1}, "That was wrong: bob is out."),
    ("culprits", {"seat": 1, "cards": THREE},
     "You were shown the culprits: C1 (Aunt Calamity), L2 (Ha-Ha) and W5 (Stuffed Pike)."),
    ("gave_up", {"seat": 1}, "bob accused nobody, and is out."),
    ("dropped", {"what": "challenge", "seat": 0, "number": 7},
     "The play of #7 is over: it stays face down, and is not challenged any more."),
    ("dropped", {"what": "give", "seat": 0, "number": 7}, "The card that alice owed is owed no more."),
    ("laid_down", {"seat": 0, "numbers": [8]}, "alice laid down 1 card of the hand, face down: #8."),
    ("laid_down", {"seat": 0, "numbers": [8, 9]}, "alice laid down 2 cards of the hand, face down: #8, #9."),
    ("laid_down_cards", {"seat": 0, "cards": [[8, C3], [9, X]]},
     "Of yours #8 is C3 (Count Backwards) and #9 is X (Decoy Duck)."),
    ("bidding", {"turn": 9, "seats": [0, 1], "most": 6}, "Turn 9: alice and bob bid for the next guess, 0 to 6."),
    ("bids", {"bids": [[1, 0], [0, 4]]}, "All have bid, and guess in this order: bob 0, alice 4."),
    ("guess", {"turn": 9, "seat": 1, "due": 0}, "Turn 9: bob is to guess at once."),
    ("guess", {"turn": 9, "seat": 1, "due": 1}, "Turn 9: bob is to guess, and first turns up 1 card."),
    ("ended", {"ending": "guessed", "winners": [1], "culprits": THREE},
     "That was right: bob wins, and the game is over. "
     "The culprits were C1 (Aunt Calamity), L2 (Ha-Ha) and W5 (Stuffed Pike)."),
    ("ended", {"ending": "nobody", "winners": [], "culprits": THREE},
     "Nobody found the culprits: all lose, and the game is over. "
     "The culprits were C1 (Aunt Calamity), L2 (Ha-Ha) and W5 (Stuffed Pike)."),
)  # fmt: skip


@pytest.mark.parametrize(("kind", "facts", "line"), LINES)
def test_a_line_tells_its_facts(kind: str, facts: dict[str, object], line: str) -> None:
    assert renderer().line("accuse", Event(kind, facts), ("alice", "bob")) == line


def test_every_kind_is_read_above() -> None:
    assert {kind for kind, _, _ in LINES} == set(KINDS)


def test_the_rules_page_names_every_order_and_fits() -> None:
    text, html = renderer().text("accuse/rules", engine=engine()), renderer().html("accuse/rules", engine=engine())
    check_html(html)
    assert "\n\n\n" not in text
    assert max(map(len, text.splitlines())) <= WIDTH
    told, seen = " ".join(text.split()), shown(html)
    for row in engine().notation:
        assert all(part in told and part in seen for part in (row.what, row.words, row.signs, row.example))
    assert KIND_NAMES == words().KINDS
    assert dict(NAMED)["X"] not in told


def test_the_example_of_the_rules_is_true() -> None:
    state = lay("C3 L2 W6 X", "W5 L1 C1", culprits="C6 L6 W4")
    table = replace(_table(state), state=state)
    order = tables.read(table, 0, "X=W5")
    assert engine().format(order) == "play X as W5"
    table, _ = tables.step(table, {0: Answer(order)})
    table, entry = tables.step(table, {1: Answer(tables.read(table, 1, "challenge give L1"))})
    assert [event.kind for event in entry.events] == ["challenged", "trap", "showed", "turn"]
    assert "L1" in table.view(None).up
