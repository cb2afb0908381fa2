"""Check how Game of Blame looks in letters: the table, the digest, the events and the rules."""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import ModuleType

import jinja2
import lxml.html
import pytest

from engines.blame import table as blame_table
from engines.blame.deck import DECK, EMBLEMS, ROLES, TREASON
from engines.blame.ending import score
from engines.blame.table import Options
from pbem import games, paths
from pbem.core import table as tables
from pbem.core.digest import Asked, Page, Scene, Waiting, compose
from pbem.core.render import WIDTH
from pbem.core.table import Answer, Table
from pbem.engine import Dice, Engine, Event
from tests.templates.pages import check_html, renderer, shown, text_of

NAMES = ("alice", "bob", "carol", "Maximiliane")
UNTIL = "Wed 30 September 2026, 21:00 America/Argentina/Buenos_Aires (UTC-3)"
CODE = re.compile(r"\b(?:[VATGWS]{1,2}[12]|X)\b")
KINDS = tuple(re.findall(r"^\| (\w+) \| .* \| (?:all|seat|seat, other) \|$", blame_table.__doc__ or "", re.M))
VARIED: tuple[Mapping[str, str], ...] = (
    {},
    {"roles": "choose"},
    {"mistakes": "blame", "bury": "own"},
    {"restart": "empty", "after_blame": "blamed"},
    {"abilities": "off", "max_turns": "6"},
    {"hand": "7"},
)
Moment = tuple[Table, tuple[Event, ...]]


def engine() -> Engine:
    return games.get("blame")


def words(name: str = "words") -> ModuleType:
    """Give what text and HTML share."""
    loader = jinja2.FileSystemLoader(str(paths.bundled("templates")))
    environment = jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.filters["listed"] = " and ".join
    return environment.get_template(f"blame/{name}.j2").module  # type: ignore[return-value]


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
        name="blame-7",
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
            facts = [f"{code} {view.titles[code]}" for code in (*view.hand, *view.secrets)]
            facts += [example for prompt in [table.awaiting().get(seat)] if prompt for example in prompt.examples]
            facts += [*names, *lines, *([view.card(view.role).text] if view.role else [])]
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
    named = {f"{letter}\N{NO-BREAK SPACE}{role.name}" for letter, role in ROLES.items()}
    seen = set()
    for table, events in moments()[::5]:
        for chip in lxml.html.fromstring(letter(table, events, 0)[1]).iter("span"):
            found = re.search(r"background-color:(#\w{6});color:#ffffff", chip.get("style", ""))
            if found:
                assert text_of(chip) in named
                assert contrast(found[1]) >= 4.5
                seen.add((text_of(chip), found[1]))
    assert len(seen) == len({colour for _, colour in seen}) == len(named)


def test_the_table_shows_no_hand() -> None:
    for number, (table, _) in enumerate(moments()):
        other = replace(table, state=engine().reshuffle(table.state, [None], Dice(bytes([number % 256]))))
        assert other.state != table.state or table.view(None).ending
        assert Scene(renderer(), table, ()).table() == Scene(renderer(), other, ()).table()


def test_a_letter_shows_what_its_seat_may_know_and_no_more() -> None:
    for number, (table, _) in enumerate(moments()[::2]):
        for seat in range(len(table.view(None).names)):
            other = replace(table, state=engine().reshuffle(table.state, [seat], Dice(bytes([number % 256]))))
            assert letter(table, (), seat) == letter(other, (), seat)


def test_the_end_shows_every_hand_and_score() -> None:
    for table, _ in moments():
        view = table.view(None)
        if view.ending:
            text, html = Scene(renderer(), table, view.names).table()
            told = (" ".join(text.split()), shown(html))
            assert all(code in page for page in told for hand in view.hands for code in hand)
            assert all(f"{name}: " in told[0] for name in view.names)
            for seat in view.winners:
                assert all(re.search(rf"{view.names[seat]}.* (wins|share the win) with", page) for page in told)


def test_every_kind_has_a_line_and_random_games_have_no_other() -> None:
    assert len(KINDS) == 24
    emitted = set()
    for seed in range(30):
        for table, events in played(seed, NAMES[: 2 + seed % 3], VARIED[seed % len(VARIED)]):
            names = table.view(None).names
            for event in events:
                line = renderer().line("blame", event, names)
                assert line.endswith((".", "!")) and "None" not in line and "  " not in line
                assert set(CODE.findall(line)) <= codes(event.facts)
                emitted.add(event.kind)
    assert emitted <= set(KINDS)
    assert set(KINDS) - emitted <= {"mistake", "nobody"}


def codes(facts: object) -> set[str]:
    """Gather the card codes that facts hold."""
    if isinstance(facts, Mapping):
        return set().union(*map(codes, facts.values()))
    if isinstance(facts, list | tuple):
        return set().union(*map(codes, facts))
    return {facts} if isinstance(facts, str) and CODE.fullmatch(facts) else set()


VT2 = ["VT2", "The Coronation is Still Unpaid"]
V2 = ["V2", "Three Pretenders, One Throne"]
X = [TREASON, "Treason"]
LINES: tuple[tuple[str, dict[str, object], str], ...] = (
    ("chose", {"seat": 0, "role": "G"}, "alice took the Role of General."),
    ("turn", {"turn": 4, "seat": 1}, "Turn 4: bob is to play."),
    ("played", {"seat": 0, "role": "V", "cards": []}, "alice, the Viceroy, played no card."),
    ("played", {"seat": 1, "role": "W", "cards": [V2, VT2]},
     "bob, the Wizard, played V2 (Three Pretenders, One Throne) and VT2 (The Coronation is Still Unpaid)."),
    ("mistake", {"seat": 0, "card": X, "under": V2, "why": "treason"},
     "A mistake! That was a second Treason in one turn."),
    ("mistake", {"seat": 0, "card": VT2, "under": ["W2", "The Apprentice is a Newt"], "why": "emblem"},
     "A mistake! VT2 (The Coronation is Still Unpaid) shares no Emblem with W2 (The Apprentice is a Newt) under it."),
    ("drew", {"seat": 0, "count": 1, "left": 1}, "alice drew 1 card; 1 is left to draw."),
    ("drew", {"seat": 0, "count": 3, "left": 20}, "alice drew 3 cards; 20 are left to draw."),
    ("drew", {"seat": 0, "count": 2, "left": 0}, "alice drew 2 cards; the Draw pile is empty."),
    ("drew_cards", {"seat": 0, "cards": [X]}, "You drew X (Treason)."),
    ("swapped", {"seat": 0, "roles": [["V", 1, None], ["G", None, 1]]},
     "alice swapped Viceroy and General: the Viceroy lies untaken, and bob is now the General."),
    ("swapped", {"seat": 0, "roles": [["V", None, None], ["G", None, None]]},
     "alice swapped Viceroy and General: both lie untaken, so nothing changes."),
    ("swapped_back", {"seat": 1, "roles": [["V", 0, 1], ["G", 1, 0]]},
     "Nobility! bob undid the swap: bob is now the Viceroy, and alice is now the General."),
    ("exchanged", {"seat": 0, "other": 1, "gave": 1, "got": 0},
     "Sorcery! alice exchanged hands with bob: gave 1 card and got no cards."),
    ("exchanged_cards", {"seat": 0, "other": 1, "gave": [X], "got": []},
     "To bob went X (Treason); to alice went nothing."),
    ("accused", {"seat": 0, "other": 1}, "alice accused bob!"),
    ("counted", {"seat": 0, "other": 1, "emblems": ["V", "T"], "cards": [VT2, V2, X, X], "counts": [2, 1], "blamed": 0},
     "The pile was counted: 2 against alice (Viceroy), 1 against bob (Treasurer). "
     "From the top down it held VT2, V2, X and X."),
    ("nobody", {"seat": 0}, "alice could accuse nobody."),
    ("blamed", {"seat": 0, "count": 1}, "alice took the Blame: 1 card."),
    ("blamed_cards", {"seat": 0, "cards": [X]}, "You took up X (Treason)."),
    ("spied", {"seat": 0, "other": 1, "count": 0}, "Espionage! alice looked for Secrets of bob, and there were none."),
    ("spied", {"seat": 0, "other": 1, "count": 1}, "Espionage! alice took the one Secret of bob."),
    ("spied", {"seat": 0, "other": 1, "count": 2}, "Espionage! alice took all 2 Secrets of bob."),
    ("spied_cards", {"seat": 0, "other": 1, "cards": []}, "From the Secrets of bob, alice took nothing."),
    ("gave", {"seat": 0, "other": 1}, "alice gave bob a card."),
    ("gave_card", {"seat": 0, "other": 1, "card": X}, "The card that alice gave bob is X (Treason)."),
    ("buried", {"seat": 0}, "alice buried a card."),
    ("buried_card", {"seat": 0, "card": X}, "You buried X (Treason)."),
    ("declined", {"seat": 0, "what": "bury"}, "alice buried nothing."),
    ("declined", {"seat": 0, "what": "nobility"}, "alice let the swap stand."),
    ("turned", {"card": X, "left": 1}, "A new Blame pile starts with X (Treason); 1 is left to draw."),
    ("ended", {"ending": "deck", "roles": ["V", "A"], "hands": [[], []], "scores": [0, 2], "winners": [0]},
     "The game is over: the Draw pile is empty. alice wins. Points: alice 0, bob 2."),
    ("ended", {"ending": "turns", "roles": ["V", "A"], "hands": [[], []], "scores": [2, 2], "winners": [0, 1]},
     "The game is over after its last turn. alice and bob share the win. Points: alice 2, bob 2."),
)  # fmt: skip


@pytest.mark.parametrize(("kind", "facts", "line"), LINES)
def test_a_line_tells_its_facts(kind: str, facts: dict[str, object], line: str) -> None:
    assert renderer().line("blame", Event(kind, facts), ("alice", "bob")) == line


def test_every_kind_is_read_above() -> None:
    assert {kind for kind, _, _ in LINES} == set(KINDS)


def test_the_words_agree_with_the_cards_and_the_score() -> None:
    named = {letter: role.name for letter, role in ROLES.items()}
    assert named == words().ROLES
    cards = [code for code, _ in DECK]
    for role in EMBLEMS:
        for hand in ([], cards[:1], cards[:9], cards):
            points = score(role, hand)
            said = "1 point" if points == 1 else f"{points or 'no'} points"
            assert str(words().points(hand, role)) == said


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"mistakes": "blame"}, "who plays a wrong card takes the Blame"),
        ({"bury": "own"}, "after a Blame only cards with the own Emblem may be buried"),
        ({"restart": "empty"}, "after a Blame no card is turned up"),
        ({"after_blame": "blamed"}, "who takes the Blame has the next turn"),
        ({"abilities": "off"}, "the Roles' abilities are not used"),
        ({"max_turns": "30"}, "the game is scored after turn 30"),
        ({"hand": "5", "first": "bob"}, None),
        ({}, None),
    ],
)
def test_the_table_says_what_was_agreed(option: dict[str, str], said: str | None) -> None:
    assert Options() == engine().options({})
    table, _ = tables.deal(engine(), NAMES[:2], engine().options(option), bytes(32))
    text, html = Scene(renderer(), table, NAMES).table()
    for page in (" ".join(text.split()), shown(html)):
        assert (f"In this game: {said}." in page) if said else ("In this game" not in page)


def test_what_cards_do_follows_the_role() -> None:
    table, _ = tables.deal(engine(), NAMES[:2], engine().options({}), bytes(32))
    seat = table.state.player
    done = {
        "T": "no cards: draw 3 cards, then bury one",
        "A": "1 card: draw 1 card, then give one away",
        "W": "2 cards: exchange hands",
        "S": "3 cards: take another player's Secrets",
        "V": "2 cards: swap two Roles",
        "G": "3 cards: accuse another player",
    }
    for role, deed in done.items():
        rest = [letter for letter in EMBLEMS if letter != role]
        roles = (role, rest[0]) if seat == 0 else (rest[0], role)
        here = replace(table, state=replace(table.state, roles=roles, untaken=tuple(rest[1:])))
        text, html = letter(here, (), seat)
        assert deed in " ".join(text.split())
        assert deed in shown(html)


def test_the_rules_fit_and_hold_the_whole_notation() -> None:
    text = renderer().text("blame/rules", engine=engine())
    html = renderer().html("blame/rules", engine=engine())
    check_html(html)
    assert "\n\n\n" not in text
    assert max(map(len, text.splitlines())) <= WIDTH
    told, seen = " ".join(text.split()), shown(html)
    for row in engine().notation:
        assert all(part in told and part in seen for part in (row.what, row.words, row.signs, row.example))
    for role in ROLES.values():
        assert all(part in told and part in seen for part in (role.name, role.ability))
    names = {letter: (role.name, role.ability) for letter, role in ROLES.items()}
    assert {letter: (name, ability) for letter, name, ability, _ in words("rulebook").ROLES} == names


def test_the_example_of_the_rules_is_true() -> None:
    dealt, _ = tables.deal(engine(), NAMES[:2], engine().options({"first": "alice"}), bytes(32))
    hands = (("T2", "GW1", "VW1"), ("A1", "A2", "S1"))
    held = {"G1", *hands[0], *hands[1]}
    draw = tuple(code for code, _ in DECK if code not in held)
    state = replace(dealt.state, roles=("T", "V"), untaken=("A", "G", "W", "S"), hands=hands, pile=("G1",), draw=draw)
    table = replace(dealt, state=state)
    order = tables.read(table, 0, "GW1 VW1")
    assert engine().format(order) == "play GW1 VW1"
    table, _ = tables.step(table, {0: Answer(order)})
    assert table.awaiting()[1].kind == "nobility"
    assert "bob" in Scene(renderer(), table, NAMES).table()[0]
    table, entry = tables.step(table, {1: Answer(tables.read(table, 1, "back"))})
    assert [event.kind for event in entry.events] == ["drew", "drew_cards", "swapped_back", "turn"]
    assert table.state.roles == ("T", "V")
