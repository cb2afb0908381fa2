"""Check how Archer looks in letters: the table, the digest, the events and the rules."""

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import ModuleType

import jinja2
import lxml.html
import pytest

from engines.archer import table as archer_table
from engines.archer.cards import CHARACTERS
from engines.archer.table import View
from pbem import games, paths
from pbem.core import table as tables
from pbem.core.digest import Asked, Page, Scene, Waiting, compose
from pbem.core.render import WIDTH
from pbem.core.table import Answer, Table
from pbem.engine import Dice, Engine, Event
from tests.engines.archer.tables import lay
from tests.templates.pages import check_html, renderer, shown, text_of

NAMES = ("alice", "bob", "chris", "Maximiliane")
UNTIL = "Wed 30 September 2026, 21:00 America/Argentina/Buenos_Aires (UTC-3)"
CARD = re.compile(rf"\b[1-8] (?:{'|'.join(one.name for one in CHARACTERS.values())})\b")
KINDS = tuple(re.findall(r"^\| (\w+) \| .* \| (?:all|seat|seat, other) \|$", archer_table.__doc__ or "", re.M))
Moment = tuple[Table, tuple[Event, ...]]


def engine() -> Engine:
    return games.get("archer")


@functools.cache
def words(name: str = "words") -> ModuleType:
    """Give what text and HTML share."""
    loader = jinja2.FileSystemLoader(str(paths.bundled("templates")))
    environment = jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.filters["listed"] = " and ".join
    return environment.get_template(f"archer/{name}.j2").module  # type: ignore[return-value]


def played(seed: int, names: Sequence[str]) -> Iterator[Moment]:
    """Play a random game to its end, and give each table with the events that led to it."""
    key = bytes([seed]) * 32
    table, _ = tables.deal(engine(), tuple(names), engine().options({}), key)
    dice = Dice(key)
    yield table, ()
    while asked := table.awaiting():
        answers = {seat: Answer(tables.read(table, seat, engine().sample(table.view(seat), dice))) for seat in asked}
        table, entry = tables.step(table, answers)
        yield table, entry.events


@functools.cache
def moments() -> tuple[Moment, ...]:
    """Give the tables of some games of each size, a quarter of each and all ends."""
    found: list[Moment] = []
    for seed in range(6):
        game = list(played(seed, NAMES[: 2 + seed % 3]))
        found += [*game[::4], game[-1]]
    return tuple(found)


def letter(table: Table, events: Sequence[Event], seat: int) -> tuple[str, str]:
    """Write a seat's letter as the house does."""
    names = table.view(None).names
    scene = Scene(renderer(), table, names)
    prompts = table.awaiting()
    prompt = prompts.get(seat)
    page = Page(
        name="archer-7",
        title=engine().title,
        to=names[seat],
        turn=table.turn(),
        happened=scene.lines(events, seat),
        asked=Asked(prompt.asked, prompt.examples, prompt.optional, UNTIL, "2 days 4 hours") if prompt else None,
        waiting=tuple(Waiting(names[other], asked.kind, UNTIL) for other, asked in prompts.items() if other != seat),
    )
    return compose(renderer(), page, scene.digest(seat))


def as_table(*hands: str, **given: object) -> Table:
    """Lay out a table as the engine's tests do."""
    dealt, _ = tables.deal(engine(), NAMES[: len(hands)], engine().options({}), bytes(32))
    return replace(dealt, state=replace(lay(*hands, **given), names=NAMES[: len(hands)]))  # type: ignore[arg-type]


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
        view = table.view(None)
        for seat in range(len(view.names)):
            told, seen = (" ".join(page.split()) for page in letter(table, events, seat))
            seen = shown(seen).replace("\N{NO-BREAK SPACE}", " ")
            own: View = table.view(seat)
            facts = [f"{own.card(card).full}: {own.card(card).text}" for card in own.hand]
            facts += [str(words().sight(own, sight)) for sight in own.seen]
            facts += [example for prompt in [table.awaiting().get(seat)] if prompt for example in prompt.examples]
            facts += [*view.names, *Scene(renderer(), table, view.names).lines(events, seat)]
            for fact in facts:
                assert fact in told
                assert fact in seen
            for character in {card for cards in own.laid for card in cards}:
                assert f"{character} {CHARACTERS[character].name}" in told
                assert f"{character} {CHARACTERS[character].name}" in seen


def test_every_example_stands_alone_on_its_line() -> None:
    for table, events in moments():
        for seat, prompt in table.awaiting().items():
            text, html = letter(table, events, seat)
            lines = [line.strip() for line in text.splitlines()]
            copied = [text_of(code) for code in lxml.html.fromstring(html).iter("code")]
            assert all(example in lines and example in copied for example in prompt.examples)


def test_a_name_is_only_text() -> None:
    for table, events in played(1, ("<b>x", "a&b", "{{x}}")):
        text, html = letter(table, events, 1)
        assert "<b>x" in text
        assert "<b>" not in html
        assert "&lt;b&gt;x" in html
        assert "{{x}}" in html


def test_no_colour_stands_alone() -> None:
    named = {f"{one.number}\N{NO-BREAK SPACE}{one.name}" for one in CHARACTERS.values()}
    seen = set()
    for table, events in moments()[::3]:
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
        assert Scene(renderer(), table, ()).table() == Scene(renderer(), other, ()).table()


def test_a_letter_shows_what_its_seat_may_know_and_no_more() -> None:
    moved = 0
    for number, (table, _) in enumerate(moments()[::2]):
        for seat in range(len(table.view(None).names)):
            other = replace(table, state=engine().reshuffle(table.state, [seat], Dice(bytes([number % 256]))))
            moved += other.state != table.state
            assert letter(table, (), seat) == letter(other, (), seat)
    assert moved > 60


def test_the_table_is_laid_out_as_it_lies() -> None:
    table = as_table(
        "5 1", "3", "", "2", laid={0: "1 4", 2: "6 8"}, shielded=(False, True, False, False), points=(2, 0, 1, 0),
        round=3, turn=17, first=1,
    )  # fmt: skip
    text, html = Scene(renderer(), table, NAMES).table()
    assert text == (
        "THE TABLE\n"
        "  Round 3, started by bob. Turn 17: alice is to play. 3 points win the game.\n"
        "\n"
        "  alice: 2 points, to play\n"
        "    laid: 1 Sterling and 4 Cheryl\n"
        "  bob: no points, protected\n"
        "    no card laid\n"
        "  chris: 1 point, out of this round\n"
        "    laid: 6 Ray and 8 Malory\n"
        "  Maximiliane: no points\n"
        "    no card laid\n"
        "\n"
        "  Deck: 7 cards. Beside it lies the secret, face down.\n"
    )
    seen = shown(html).replace("\N{NO-BREAK SPACE}", " ")
    for line in ("alice, to play 2 1 Sterling 4 Cheryl", "bob, protected 0 no card laid", "chris, out of this round 1"):
        assert line in seen


def test_the_last_turn_of_a_round_is_announced() -> None:
    table = as_table("5 1", "3", secret=8, short=True)
    for page in Scene(renderer(), table, NAMES).table():
        assert "Deck: empty, so this turn is the last of the round." in " ".join(page.split())


def test_who_is_out_is_told_so_instead_of_a_hand() -> None:
    text, html = letter(as_table("5 1", "3", ""), (), 2)
    assert "YOUR HAND: none, you are out of this round" in text
    assert "Your hand: none, you are out of this round" in shown(html)


def test_what_is_still_face_down_is_counted() -> None:
    table = as_table("5 1", "3", "2", laid={1: "1 1 8"})
    text, _ = letter(table, (), 0)
    assert "STILL FACE DOWN: 11 cards beside your hand\n" in text
    told = " ".join(text.split())
    assert "7 Lana, 6 Ray, 5 Pam, 4 Cheryl (2), 3 Cyril (2), 2 Krueger (2), 1 Sterling (2)" in told


def test_the_end_shows_every_hand_and_the_secret() -> None:
    ends = [table for table, _ in moments() if table.view(None).ending]
    assert len(ends) >= 6
    for table in ends:
        view: View = table.view(None)
        text, html = Scene(renderer(), table, view.names).table()
        for page in (" ".join(text.split()), shown(html)):
            for seat, card in enumerate(view.hands):
                mood = f"held {card} {CHARACTERS[card].name}" if card else "was out"
                assert re.search(rf"{view.names[seat]}(: \d+ points?|: no points)?, {mood}", page)
            secret = f"The secret was {view.secret} " if view.secret else "There was no secret any more."
            assert secret in page
            for seat in view.winners:
                assert re.search(rf"{view.names[seat]}.* (wins|share the win) with {view.needed} points", page)


def test_every_kind_has_a_line_and_random_games_have_no_other() -> None:
    assert len(KINDS) == 22
    emitted = set()
    for seed in range(20):
        for table, events in played(seed, NAMES[: 2 + seed % 3]):
            names = table.view(None).names
            for event in events:
                line = renderer().line("archer", event, names)
                assert line.endswith(".") and "None" not in line and "  " not in line and ".." not in line
                cards = {int(found[0]) for found in CARD.findall(line)}
                assert cards <= numbers(event.facts)
                emitted.add(event.kind)
    assert emitted == set(KINDS)


def numbers(facts: object) -> set[int]:
    """Gather the numbers that facts hold."""
    if isinstance(facts, dict):
        return set().union(*map(numbers, facts.values()))
    if isinstance(facts, list):
        return set().union(*map(numbers, facts))
    return {facts} if isinstance(facts, int) else set()


OVER = {"round": 3, "hands": [7, None], "secret": 5, "points": [3, 1]}
LINES: tuple[tuple[str, dict[str, object], str], ...] = (
    ("round", {"round": 2, "seat": 1}, "Round 2 begins, and chris starts."),
    ("dealt", {"seat": 0, "card": 8}, "You were dealt 8 Malory."),
    ("turn", {"turn": 4, "seat": 1, "left": 7}, "Turn 4: chris drew a card and is to play; 7 cards are left."),
    ("turn", {"turn": 4, "seat": 1, "left": 1}, "Turn 4: chris drew a card and is to play; 1 card is left."),
    ("turn", {"turn": 4, "seat": 1, "left": 0},
     "Turn 4: chris drew a card and is to play; the deck is empty, so this turn is the last of the round."),
    ("drew", {"seat": 0, "card": 1}, "You drew 1 Sterling."),
    ("played", {"seat": 0, "card": 7, "other": None}, "alice played 7 Lana."),
    ("played", {"seat": 0, "card": 6, "other": 1}, "alice played 6 Ray on chris."),
    ("played", {"seat": 1, "card": 5, "other": 1}, "chris played 5 Pam on their own hand."),
    ("without_effect", {"seat": 0}, "Nobody was open to the card, so it had no effect."),
    ("shuffled", {"seat": 0, "seats": [0, 1]},
     "The secret and the cards of alice and chris were shuffled and dealt anew."),
    ("shuffled", {"seat": 0, "seats": [0]}, "The secret and the card of alice were shuffled and dealt anew."),
    ("discarded", {"seat": 1, "card": 8}, "chris discarded 8 Malory, without effect."),
    ("took_secret", {"seat": 1, "replaced": True, "left": 2},
     "chris took the secret; the top card of the deck is the new secret, and 2 cards are left."),
    ("took_secret", {"seat": 1, "replaced": True, "left": 0},
     "chris took the secret; the top card of the deck is the new secret, and the deck is empty."),
    ("took_secret", {"seat": 1, "replaced": False, "left": 0},
     "chris took the secret; the deck is empty, so there is no secret any more."),
    ("redrew", {"seat": 1, "left": 1}, "chris drew a new card; 1 card is left."),
    ("got", {"seat": 1, "card": 2}, "You hold 2 Krueger now."),
    ("hid", {"seat": 1}, "chris is protected until chris' next turn."),
    ("looked", {"seat": 0}, "alice looked at the secret card."),
    ("dueled", {"seat": 0, "other": 1, "lower": 0}, "In the duel alice had the lower card."),
    ("dueled", {"seat": 0, "other": 1, "lower": None}, "alice and chris hold equal cards, so nothing happened."),
    ("duel_cards", {"seat": 0, "other": 1, "cards": [5, 3]}, "You both saw: alice held 5 Pam, chris 3 Cyril."),
    ("guessed_secret", {"seat": 0, "named": 7, "right": False}, "alice guessed that the secret is 7 Lana: wrong."),
    ("saw_secret", {"seat": 0, "card": 4}, "You saw the secret: 4 Cheryl."),
    ("guessed", {"seat": 0, "other": 1, "named": 7, "right": True}, "alice guessed that chris holds 7 Lana: right."),
    ("guessed", {"seat": 0, "other": 1, "named": 7, "right": False}, "alice guessed that chris holds 7 Lana: wrong."),
    ("saw_hand", {"seat": 0, "other": 1, "card": 4}, "You saw chris' card: 4 Cheryl."),
    ("out", {"seat": 0, "card": 4}, "alice is out of this round and laid 4 Cheryl open."),
    ("round_over", OVER | {"how": "guess", "winners": [0]},
     "Round 3 is over: alice guessed the secret and scores 1 point. In hand: alice 7 Lana. The secret was 5 Pam. "
     "Points: alice 3, chris 1."),
    ("round_over", OVER | {"how": "alone", "winners": [0]},
     "Round 3 is over: only alice is left, and scores 1 point. In hand: alice 7 Lana. The secret was 5 Pam. "
     "Points: alice 3, chris 1."),
    ("round_over", OVER | {"how": "deck", "winners": [0], "hands": [7, 3]},
     "Round 3 is over, since the deck is empty: alice has the highest card and scores 1 point. "
     "In hand: alice 7 Lana, chris 3 Cyril. The secret was 5 Pam. Points: alice 3, chris 1."),
    ("round_over", OVER | {"how": "deck", "winners": [0, 1], "hands": [3, 3], "secret": None},
     "Round 3 is over, since the deck is empty: alice and chris share the highest card and score 1 point each. "
     "In hand: alice 3 Cyril, chris 3 Cyril. There was no secret any more. Points: alice 3, chris 1."),
    ("ended", {"how": "deck", "winners": [0], "points": [6, 5]},
     "The game is over. alice wins. Points: alice 6, chris 5."),
    ("ended", {"how": "deck", "winners": [0, 1], "points": [6, 6]},
     "The game is over. alice and chris share the win. Points: alice 6, chris 6."),
)  # fmt: skip


@pytest.mark.parametrize(("kind", "facts", "line"), LINES)
def test_a_line_tells_its_facts(kind: str, facts: dict[str, object], line: str) -> None:
    assert renderer().line("archer", Event(kind, facts), ("alice", "chris")) == line


def test_every_kind_is_read_above() -> None:
    assert {kind for kind, _, _ in LINES} == set(KINDS)


def test_the_words_agree_with_the_cards() -> None:
    assert {number: one.name for number, one in CHARACTERS.items()} == words().NAMES
    assert set(words().HOW) == set(engine().endings)
    book = {number: (name, copies) for number, name, copies, _ in words("rulebook").CARDS}
    assert book == {number: (one.name, one.copies) for number, one in CHARACTERS.items()}


def test_the_rules_fit_and_hold_the_whole_notation() -> None:
    text = renderer().text("archer/rules", engine=engine())
    html = renderer().html("archer/rules", engine=engine())
    check_html(html)
    assert "\n\n\n" not in text
    assert max(map(len, text.splitlines())) <= WIDTH
    told, seen = " ".join(text.split()), shown(html).replace("\N{NO-BREAK SPACE}", " ")
    for row in engine().notation:
        assert all(part in told and part in seen for part in (row.what, row.words, row.signs, row.example))
    for number, one in CHARACTERS.items():
        assert f"{number} {one.name}" in told and f"{number} {one.name}" in seen
    assert "With two players 6 points win the game, with three 4, with four 3." in told


def test_the_example_of_the_rules_is_true() -> None:
    table = as_table("3 1", "2", secret=8, draw="1 5")
    order = tables.read(table, 0, "1 bob lana")
    assert engine().format(order) == "play sterling bob lana"
    table, entry = tables.step(table, {0: Answer(order)})
    assert [event.kind for event in entry.events if event.visible(1)] == ["played", "guessed", "turn", "drew"]
    assert table.view(0).seen[0].card == 2
    table, _ = tables.step(table, {1: Answer(tables.read(table, 1, "1 alice lana"))})
    assert table.view(0).hand == (5, 3) and table.view(0).seen[0].past == ""
    table, entry = tables.step(table, {0: Answer(tables.read(table, 0, "cyril bob"))})
    assert next(event for event in entry.events if event.kind == "out").facts == {"seat": 1, "card": 2}
    assert table.state.points == (1, 0)
