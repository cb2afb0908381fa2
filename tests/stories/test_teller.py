"""The teller notices what a story does not say, and what it says wrongly."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stories.teller import Teller
from tests.stories.town import founded

BEGUN = """A title

-- A scene

Registered are Alice and Bob; Mona moderates.
The host types:
  $ pbem admin new-game archer --players Alice,Bob --option first=Alice
"""


@pytest.fixture
def teller(tmp_path: Path, quiet_logs: None) -> Iterator[Teller]:
    """Give a teller in a town of its own."""
    with founded(tmp_path / "house", "teller") as town:
        yield Teller(town)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("", "Alice, Bob got letters that the story says nothing of"),
        ("Alice gets nothing.\n", "line 8: .*\nAlice got: "),
        ("Mona gets a letter.\n", "line 8: nobody knows how to do this: Mona gets a letter."),
        ('Mona gets "".\n', "Mona got no letter"),
        ('Alice and Bob get "".\n', "they got different letters"),
        ('Alice gets "".\nNothing in it says "YOUR HAND".\n', "line 9: .*\nYOUR HAND"),
        ('Alice gets "", which says under YOUR FEET:\n', "there is no heading 'YOUR FEET'"),
        ("Mona types:\n  $ pbem mod log blame-7\n", "there is no game 'blame-7'"),
        ("Mona types, and is refused:\n  $ pbem mod log archer-1\n", "pbem mod log archer-1: 1. deal"),
        ("  * hello\n", "begins with none of"),
    ],
)
def test_a_story_that_is_not_so(teller: Teller, more: str, why: str) -> None:
    with pytest.raises(AssertionError, match=why):
        teller.tell(BEGUN + more)


def test_what_was_told_before_gives_way_to_what_happens(teller: Teller) -> None:
    told = teller.tell(f"{BEGUN}  > blame-7 begins\nAll skim what came.\nAn hour passes. It is Sun 1 May, 08:00.\n")
    assert "> archer-1 begins: Alice, Bob" in told and "blame-7" not in told
    assert told.endswith("An hour passes. It is Mon 2 March, 13:00.\n")


def test_a_letter_tells_when_the_mail_server_of_its_sender_had_it(teller: Teller) -> None:
    teller.tell(
        f"{BEGUN}All skim what came.\nAlice writes, and the letter takes two hours:\n  | help\n"
        "Two hours pass.\nAll skim what came.\n"
    )
    assert teller.town.sent["Alice"].startswith(b"Received: by mail.example.org; Mon, 02 Mar 2026 12:00:00 +0000\r\n")
