"""Games are started, looked at and ruled on; what is secret stays so."""

import pytest

from engines import ENGINES
from pbem.testing.stage import text_of
from tests.cli.console import Console

NEW = ("admin", "new-game", "blame", "--players", "alice,bob,carol")


def test_a_game_begins_and_the_next_poll_sends_its_letters(cli: Console) -> None:
    cli.company("alice", "bob", "carol")
    said = cli.done(*NEW, "--option", "first=bob", "--clock", "48h", "--clock", "bury=12h")
    assert said.splitlines()[:2] == ["blame-1 begins: alice, bob, carol", "Clocks: 2 days; bury 12 hours"]
    assert "the next `pbem poll` sends them" in said
    assert "rehearsal" not in said
    assert "sent 3 letters" in cli.done("poll")
    (game,) = cli.json("admin", "games")
    assert [one["name"] for one in game["awaited"]] == ["bob"]


def test_a_running_serve_sends_them(cli: Console) -> None:
    cli.company("alice", "bob", "carol")
    with cli.serving():
        assert "the running `pbem serve` sends them" in cli.done(*NEW)


def test_a_seed_is_a_rehearsal_and_every_letter_says_so(cli: Console) -> None:
    cli.company("alice", "bob", "carol")
    assert "A rehearsal" in cli.done(*NEW, "--seed", "rosebud")
    cli.done("poll")
    with cli.stage() as stage:
        letters = stage.mails()
    assert len(letters) == 3
    assert all("rehearsal" in text_of(letter) for letter in letters)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--option", "colour=red"), "it has: "),
        (("--option", "first"), "has no value"),
        (("--option", "=bob"), "has no value"),
        (("--option", "first=bob", "--option", "first=carol"), "given twice"),
        (("--option", "first=eve"), "first"),
        (("--clock", "72"), "72h"),
        (("--clock", "-3h"), "72h"),
        (("--clock", "burry=24h"), "bury, nobility"),
        (("--players", "alice"), "2 to 4 players"),
        (("--players", "alice,eve"), "no player 'eve'"),
        (("--players", "alice,ALICE"), "two seats"),
        (("--players", ","), "2 to 4 players"),
    ],
)
def test_what_cannot_be_played_is_refused_and_nothing_begins(cli: Console, more: tuple[str, ...], why: str) -> None:
    cli.company("alice", "bob", "carol")
    assert why in cli.refused(*NEW, *more)
    assert cli.json("admin", "games") == []
    assert cli.json("admin", "outbox") == []


def test_an_unknown_game_names_those_that_there_are(cli: Console) -> None:
    cli.company("alice", "bob")
    told = cli.refused("admin", "new-game", "chess", "--players", "alice,bob")
    assert f"there are: {', '.join(sorted(ENGINES))}" in told


def test_games_are_listed(cli: Console) -> None:
    assert "no games yet" in cli.done("admin", "games")
    cli.game()
    head, row = cli.done("admin", "games").splitlines()
    assert head.split() == ["GAME", "STATUS", "TURN", "PLAYERS", "AWAITED"]
    assert row.startswith("blame-1  open")
    assert cli.json("admin", "games")[0]["players"] == ["alice", "bob", "carol"]


def test_a_game_is_shown_as_an_onlooker_sees_it(cli: Console) -> None:
    game = cli.game()
    shown = cli.done("admin", "show", game)
    assert "alice" in shown
    assert "Awaited: alice" in shown
    assert cli.json("admin", "show", "1")["table"] in cli.json("admin", "show", game)["table"]


def test_no_hand_is_shown_in_any_list(cli: Console) -> None:
    game = cli.game()
    with cli.stage() as stage:
        sitting = stage.sitting(game)
        hands = [sitting.table.view(seat) for seat in range(3)]
    private = {card for hand in hands for card in hand.hand}
    assert private
    shown = "".join(
        cli.done("admin", *words) for words in (["games"], ["show", game], ["outbox"], ["inbox"], ["players"])
    )
    shown += "".join(
        cli.done("admin", *words, "--json") for words in (["games"], ["show", game], ["outbox"], ["players"])
    )
    for card in private:
        assert str(card) not in shown.split()


@pytest.mark.parametrize("command", [("show",), ("pause",), ("resume",), ("end", "--yes"), ("deadline", "+3h")])
@pytest.mark.parametrize("game", ["blame-9", "9", "chess-1", "", "[/red]", "blame-1\x1b[2J"])
def test_no_such_game(cli: Console, command: tuple[str, ...], game: str) -> None:
    cli.game()
    word, *rest = command
    assert "going on: blame-1" in cli.refused("admin", word, game, *rest)


def test_a_game_is_paused_resumed_and_ended(cli: Console) -> None:
    game = cli.game()
    assert "blame-1 is paused" in cli.done("admin", "pause", game, "--reason", "Holidays")
    assert "is paused" in cli.refused("admin", "pause", game)
    assert "clocks stand still" in cli.done("admin", "show", game)
    assert "goes on" in cli.done("admin", "resume", game)
    assert "add --yes" in cli.refused("admin", "end", game)
    assert "without a result" in cli.done("admin", "end", game, "--yes")
    assert "is ended" in cli.refused("admin", "resume", game)
    assert cli.json("admin", "games")[0]["status"] == "ended"


@pytest.mark.parametrize("reason", ["Hello\nBcc: eve@example.com", "\x1b[2J", "\u202eab"])
def test_f11_a_reason_is_one_line_of_plain_text(cli: Console, reason: str) -> None:
    game = cli.game()
    assert "one line of plain text" in cli.refused("admin", "pause", game, "--reason", reason)
    assert cli.json("admin", "games")[0]["status"] == "open"


def test_f11_a_long_reason_reaches_the_players_whole(cli: Console) -> None:
    game = cli.game()
    reason = "A long word of reason " * 9
    cli.done("admin", "pause", game, "--reason", reason.strip())
    cli.done("poll")
    with cli.stage() as stage:
        told = " ".join(text_of(stage.newest("alice", "paused")).split())
    assert reason.strip() in told


def test_a_deadline_is_set(cli: Console) -> None:
    game = cli.game()
    assert "alice: due Wed 24 December 2098, 18:00 UTC" in cli.done("admin", "deadline", game, "2098-12-24 18:00")
    assert cli.json("admin", "games")[0]["awaited"][0]["until"] == "2098-12-24T18:00:00+00:00"
    cli.done("admin", "deadline", game, "+24h", "--player", "ALICE", "--reason", "Alice is ill")
    assert cli.json("admin", "games")[0]["awaited"][0]["until"] < "2098"


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ("tomorrow", "write +24h"),
        ("2001-01-01 12:00", "must lie ahead"),
        ("2099-02-30 12:00", "calendar"),
        ("+0h", "span"),
        ("2026-12-24 18:00 Mars/Base", "time zone"),
    ],
)
def test_a_deadline_that_cannot_be(cli: Console, when: str, why: str) -> None:
    game = cli.game()
    assert why in cli.refused("admin", "deadline", game, when)


def test_d04_a_wall_time_that_is_skipped_or_comes_twice(cli: Console) -> None:
    game = cli.game()
    assert "03:30" in cli.refused("admin", "deadline", game, "2099-03-29 02:30 Europe/Berlin")
    assert "01:30 UTC" in cli.done("admin", "deadline", game, "2099-10-25 02:30 Europe/Berlin")


def test_a_deadline_for_somebody_who_is_asked_nothing(cli: Console) -> None:
    game = cli.game()
    assert "nothing is asked of bob" in cli.refused("admin", "deadline", game, "+3h", "--player", "bob")


def test_a_game_waits_for_its_players_words(cli: Console) -> None:
    cli.company("alice", "bob", "carol")
    assert "blame-1 waits for words of alice, bob, carol: until all are ready, or " in cli.done(*NEW, "--gather", "24h")
    assert "sent 3 letters" in cli.done("poll")
    assert cli.json("admin", "games")[0]["status"] == "gathering"
    assert "Not dealt yet" in cli.done("admin", "show", "blame-1")
    assert "nothing to --gather" in cli.refused(*NEW, "--gather", "24h", "--seed", "x")
    assert "72h" in cli.refused(*NEW, "--gather", "soon")
    with cli.stage() as stage:
        for name in ("alice", "bob", "carol"):
            stage.reply(name, "ready")
    cli.done("poll")
    assert cli.json("admin", "games")[0]["status"] == "open"
