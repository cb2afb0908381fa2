"""A moderator looks on freely, and at a hand only with a reason that stands in the log."""

import getpass

import pytest

from pbem.core.receipts import PRINTED
from pbem.testing.stage import text_of
from tests.cli.bench import MONA, WHY, with_moderators
from tests.cli.console import Console


@pytest.fixture
def game(cli: Console) -> str:
    """Start a game in a house with two moderators."""
    return with_moderators(cli).game()


def hand(cli: Console, game: str, seat: int = 0) -> tuple[str, ...]:
    with cli.stage() as stage:
        cards: tuple[str, ...] = stage.sitting(game).table.view(seat).hand
    return cards


def test_the_open_table_and_the_log_need_no_reason(cli: Console, game: str) -> None:
    assert "Awaited: alice" in cli.done("mod", "show", game)
    assert "1. deal, turn 0" in cli.done("mod", "log", game)


def test_f13_a_look_names_its_entry_and_shows_the_hand(cli: Console, game: str) -> None:
    shown = cli.done("mod", "peek", game, "--as", "alice", *MONA, *WHY)
    assert shown.startswith("This look stands in the log as entry 2.")
    assert all(card in shown for card in hand(cli, game))
    assert "2. ruling" in cli.done("mod", "log", game)
    assert "mona" not in cli.done("mod", "log", game), "told at the end of the game"


def test_the_login_name_is_who_acts(cli: Console, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "Max")
    cli.done("mod", "peek", game, "--as", "alice", *WHY)
    monkeypatch.setattr(getpass, "getuser", lambda: "root")
    assert "root is no moderator" in cli.refused("mod", "peek", game, "--as", "alice", *WHY)


@pytest.mark.parametrize(
    ("given", "code", "why"),
    [
        (("--as", "alice", *WHY, "--as-moderator", "eve"), 1, "there are: max, mona; say --as-moderator NAME"),
        (("--as", "eve", *WHY, *MONA), 1, "there are: alice, bob, carol"),
        (("--as", "alice", *MONA, "--reason", ""), 1, "needs a reason"),
        (("--as", "alice", *MONA), 2, "--reason"),
        ((*MONA, *WHY), 2, "--as"),
    ],
)
def test_a_look_that_cannot_be(cli: Console, game: str, given: tuple[str, ...], code: int, why: str) -> None:
    assert why in cli.refused("mod", "peek", game, *given, code=code)
    assert "2. ruling" not in cli.done("mod", "log", game)


def test_without_moderators_nobody_looks(cli: Console) -> None:
    assert "name some there" in cli.refused("mod", "peek", cli.game(), "--as", "alice", *WHY, *MONA)


def test_who_plays_there_is_refused_also_as_the_host(cli: Console, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.done("admin", "edit-player", "bob", "--add-email", "MONA@example.org")
    assert "mona plays in blame-1" in cli.refused("mod", "peek", game, "--as", "alice", *WHY, *MONA)
    monkeypatch.setattr(getpass, "getuser", lambda: "carol")
    for command in (("pause",), ("end", "--yes"), ("deadline", "+3h")):
        word, *rest = command
        assert "carol plays in blame-1" in cli.refused("admin", word, game, *rest)
    cli.done("poll")
    with cli.stage() as stage:
        stage.reply("alice", "draw")
        (letter,) = (cli.folder / "mail/in/new").iterdir()
    assert "carol plays in blame-1" in cli.refused("mod", "read", str(letter))
    assert "mona plays in blame-1" in cli.refused("mod", "read", str(letter), *MONA)
    assert "alice in blame-1" in cli.done("mod", "read", str(letter), "--as-moderator", "max")


def test_a_game_is_made_so_that_looks_are_told_at_once(cli: Console) -> None:
    with_moderators(cli).company("alice", "bob")
    new = ("admin", "new-game", "blame", "--players", "alice,bob")
    assert "write open (at once) or end" in cli.refused(*new, "--peeks", "never")
    cli.done(*new, "--peeks", "open")
    assert "write stop (the clocks stand still) or go" in cli.refused(*new, "--disputes", "never")
    cli.done(*new, "--disputes", "go")
    cli.done("mod", "peek", "blame-1", "--as", "bob", *MONA, *WHY)
    assert "The moderator mona looked at the hidden view of bob." in cli.done("mod", "log", "blame-1")


def code_of(cli: Console, name: str, words: str, game: str) -> str:
    """Let a player write, and give the code of the receipt in the answer."""
    cli.done("poll")
    with cli.stage() as stage:
        stage.reply(name, words)
        stage.poll()
        found = PRINTED.search(text_of(stage.newest(name)))
    assert found, f"no receipt in the answer of {game}"
    return found[1][:8]


def test_a_receipt_is_followed_freely_and_opened_with_a_reason(cli: Console, game: str) -> None:
    code = code_of(cli, "alice", "draw", game)
    free = cli.done("mod", "receipt", game, code, *MONA)
    assert "receipt:  message number 1 of alice in blame-1" in free and "sent " in free and '"draw"' not in free
    assert "3. ruling" not in cli.done("mod", "log", game)
    opened = cli.done("mod", "receipt", game, code, *MONA, *WHY)
    assert opened.startswith("This look stands in the log as entry 3.") and '"draw" for question 1 (turn)' in opened
    assert "3. ruling" in cli.done("mod", "log", game)
    assert "no receipt of blame-1 begins with 00000000" in cli.refused("mod", "receipt", game, "00000000", *MONA)
    assert "needs a reason" in cli.refused("mod", "receipt", game, code, *MONA, "--reason", " ")


def test_before_the_deal_a_receipt_is_followed_and_not_opened(cli: Console) -> None:
    with_moderators(cli).company("alice", "bob")
    cli.done("admin", "new-game", "blame", "--players", "alice,bob", "--gather", "24h")
    code = code_of(cli, "alice", "seed a quick fox", "blame-1")
    told = cli.done("mod", "receipt", "blame-1", code, *MONA)
    assert "message number 1 of alice" in told and "fox" not in told
    assert "blame-1 is not dealt yet" in cli.refused("mod", "receipt", "blame-1", code, *MONA, *WHY)
