"""A game is put back from the command line: first it is shown who has learned how much."""

import io

import pytest

from tests.cli.bench import MONA, WHY, with_moderators
from tests.cli.console import Console

GO = ("mod", "rollback", "blame-1")
LEARNED = "has learned since: 3 cards shown to some, 0 shown to all"


@pytest.fixture
def played(cli: Console) -> Console:
    """Give a house with a game in which alice and bob have drawn three cards each: steps 1 and 2."""
    with_moderators(cli).game()
    with cli.stage() as stage:
        stage.poll()
        for name in ("alice", "bob"):
            stage.reply(name, "draw")
            stage.poll()
    return cli


def log(cli: Console) -> str:
    return cli.done("mod", "log", "blame-1")


def test_f03_it_is_shown_who_has_learned_how_much_and_no_card(played: Console) -> None:
    said = played.done(*GO, "0", *MONA, *WHY, "--dry-run")
    assert f"alice {LEARNED}" in said and f"bob {LEARNED}" in said and "carol has learned nothing since" in said
    with played.stage() as stage:
        hands = [stage.sitting("blame-1").table.view(seat).hand for seat in range(3)]
    assert not any(card in said.split() for hand in hands for card in hand)


def test_f03_a_script_must_say_whether_to_deal_anew(played: Console) -> None:
    before = log(played)
    assert "To do it, say --redeal or --keep." in played.done(*GO, "1", *MONA, *WHY, "--dry-run")
    assert "To do it" not in played.done(*GO, "1", *MONA, *WHY, "--dry-run", "--keep")
    assert "say --redeal or --keep" in played(*GO, "1", *MONA, *WHY, "--yes").err
    assert log(played) == before
    assert "Done." in played.done(*GO, "1", *MONA, *WHY, "--redeal", "--yes")
    shown = log(played)
    assert "What nobody could know then was dealt anew. Reason given: a quarrel" in shown
    assert "3. step 2 (taken back), turn 2" in shown and "bob drew 3 cards" in shown


@pytest.mark.parametrize(("answers", "told"), [("y\ny\n", "was dealt anew"), ("n\ny\n", "Nothing was dealt anew")])
def test_f03_somebody_at_a_terminal_is_asked(
    played: Console, monkeypatch: pytest.MonkeyPatch, answers: str, told: str
) -> None:
    for place in ("pbem.cli.ruling", "pbem.cli.taking_back"):
        monkeypatch.setattr(f"{place}.is_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO(answers))
    ran = played(*GO, "1", *MONA, *WHY)
    assert ran.code == 0 and "Deal anew what nobody could know then?" in ran.out
    assert told in log(played)


def test_forward(played: Console) -> None:
    assert "is no rollback" in played.refused("mod", "forward", "blame-1", *MONA, *WHY, "--yes")
    played.done(*GO, "1", *MONA, *WHY, "--keep", "--yes")
    assert "(taken back)" in log(played)
    played.done("mod", "forward", "blame-1", *MONA, *WHY, "--yes")
    assert "(taken back)" not in log(played)


@pytest.mark.parametrize(
    ("step", "code", "why"),
    [("2", 1, "to go back to: 0, 1"), ("7", 1, "to go back to: 0, 1"), ("-1", 2, "STEP"), ("two", 2, "STEP")],
)
def test_a_step_that_is_not_there(played: Console, step: str, code: int, why: str) -> None:
    assert why in played.refused(*GO, *MONA, *WHY, "--keep", "--yes", "--", step, code=code)
