"""Rulings are previewed from what all may see, asked for, done, and told to the players."""

import io

import pytest

from pbem.testing.stage import text_of
from tests.cli.bench import MONA, WHY, with_moderators
from tests.cli.console import Console

DO = (*MONA, *WHY, "--yes")
RULINGS: dict[str, tuple[str, ...]] = {
    "order": ("alice", "draw"),
    "skip": (),
    "deadline": ("+24h",),
    "pause": (),
    "annul": (),
    "score": (),
    "expel": ("bob",),
    "replace": ("bob", "--with", "dave"),
}


@pytest.fixture
def game(cli: Console) -> str:
    """Start a game in a house with moderators, dave waiting outside."""
    with_moderators(cli).company("dave")
    return cli.game()


def log(cli: Console, game: str) -> list[str]:
    return cli.done("mod", "log", game).splitlines()


@pytest.mark.parametrize("word", RULINGS)
def test_a_dry_run_shows_what_all_would_be_told_and_does_nothing(cli: Console, game: str, word: str) -> None:
    before = (log(cli, game), cli.json("admin", "outbox"))
    said = cli.done("mod", word, game, *RULINGS[word], *MONA, *WHY, "--dry-run")
    assert said.startswith("Now: blame-1, turn 1, step 0, open, waits for alice until ")
    assert "All would be told: The moderator mona " in said and "Reason given: a quarrel" in said
    assert said.endswith("Nothing was done: this was a dry run.\n")
    assert (log(cli, game), cli.json("admin", "outbox")) == before


@pytest.mark.parametrize("word", RULINGS)
def test_a_ruling_asks_first_and_a_script_says_yes(cli: Console, game: str, word: str) -> None:
    before = log(cli, game)
    ran = cli("mod", word, game, *RULINGS[word], *MONA, *WHY)
    assert ran.code == 1 and "add --yes to do it, or --dry-run to look only" in ran.err
    assert log(cli, game) == before
    assert "Done. The players are told: the next `pbem poll`" in cli.done("mod", word, game, *RULINGS[word], *DO)
    assert any("The moderator mona" in line for line in log(cli, game)[1:])


@pytest.mark.parametrize("word", RULINGS)
def test_a_ruling_needs_a_reason_and_a_moderator(cli: Console, game: str, word: str) -> None:
    given = (word, game, *RULINGS[word], "--yes")
    assert "--reason" in cli.refused("mod", *given, *MONA, code=2)
    assert "no moderator" in cli.refused("mod", *given, *WHY, "--as-moderator", "alice")
    assert len(log(cli, game)) == 1


def test_somebody_at_a_terminal_is_asked(cli: Console, game: str, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr("pbem.cli.ruling.is_terminal", lambda: True)
    for answer, entries in (("n", 1), ("y", 2)):
        monkeypatch.setattr("sys.stdin", io.StringIO(answer))
        cli("mod", "pause", game, *MONA, *WHY)
        assert sum(line[:1].isdigit() for line in log(cli, game)) == entries


def test_pause_and_resume(cli: Console, game: str) -> None:
    cli.done("mod", "pause", game, *DO)
    assert "is paused" in cli.refused("mod", "pause", game, *DO)
    cli.done("mod", "resume", game, *DO)
    assert cli.json("admin", "games")[0]["status"] == "open"


def test_a_preview_and_a_try_tell_nothing_of_the_hand(cli: Console, game: str) -> None:
    """Whether an order is legal is told by no dry run; a real try that fails stands in the chain."""
    with cli.stage() as stage:
        mine = stage.sitting(game).table.view(0).hand[0]
        theirs = stage.sitting(game).table.view(1).hand[0]
    dry = [cli.done("mod", "order", game, "alice", f"play {card}", *MONA, *WHY, "--dry-run") for card in (mine, theirs)]
    assert dry[0] == dry[1]
    ran = cli("mod", "order", game, "alice", f"play {theirs}", *DO)
    assert ran.code == 1 and "alice cannot give that order now" in ran.err
    assert sum(line[:1].isdigit() for line in log(cli, game)) == 2


def test_f06_an_override_prints_what_that_person_knows_before_it_is_done(cli: Console, game: str) -> None:
    given = ("mod", "replace", game, "bob", "--with", "ALICE", *MONA, *WHY)
    assert "--knowing allows it all the same" in cli.refused(*given, "--yes")
    said = cli.done(*given, "--knowing", "--dry-run")
    assert "Known beyond that seat: alice has held the seat of alice from entry 1 until now: its hand" in said
    cli.done(*given, "--knowing", "--yes")


def test_f06_letters_to_who_left_are_not_sent_again(cli: Console, game: str) -> None:
    cli.done("mod", "replace", game, "bob", "--with", "dave", *DO)
    (dropped,) = [one for one in cli.json("admin", "outbox") if one["status"] == "failed"]
    assert dropped["to"] == "bob@example.org"
    assert "has left that seat" in cli.refused("admin", "outbox", "retry", str(dropped["id"]))
    cli.done("poll")
    with cli.stage() as stage:
        (last,) = stage.mails("bob")
        assert "You get no more letters of blame-1." in " ".join(text_of(last).split())
        assert "taken over a seat" in " ".join(text_of(stage.newest("dave")).split())
