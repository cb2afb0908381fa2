"""Players are registered, changed and listed, and nonsense is refused in one line."""

import pytest

from tests.cli.console import Console


def test_players_are_registered_and_listed(cli: Console) -> None:
    cli.done(
        "admin",
        "add-player",
        "alice",
        "--email",
        "alice@example.org",
        "--email",
        "a@home.example",
        "--zone",
        "Europe/Berlin",
    )
    cli.done("admin", "add-player", "Zoë", "--email", "zoe@example.org")
    assert cli.json("admin", "players") == [
        {
            "name": "alice",
            "emails": ["alice@example.org", "a@home.example"],
            "matrix": [],
            "zone": "Europe/Berlin",
            "games": [],
        },
        {"name": "Zoë", "emails": ["zoe@example.org"], "matrix": [], "zone": "UTC", "games": []},
    ]
    lines = cli.done("admin", "players").splitlines()
    assert [line.index("alice@" if "alice" in line else "zoe@") for line in lines[1:]] == [
        lines[0].index("ADDRESSES")
    ] * 2


def test_nobody_yet(cli: Console) -> None:
    assert "no players yet" in cli.done("admin", "players")
    assert cli.json("admin", "players") == []


@pytest.mark.parametrize(
    "name", ["two words", "", "1st", "help", "say", "[/red]", "Bob[bold", "a\x1b[2Jb", "x" * 21, "bob\n"]
)
def test_a_bad_name_is_refused(cli: Console, name: str) -> None:
    assert "\x1b" not in cli.refused("admin", "add-player", name, "--email", "x@example.org")
    assert cli.json("admin", "players") == []


@pytest.mark.parametrize(
    "email", ["alice", "@", "alice@", "a b@c", "a@b\nBcc: eve@example.com", "games@example.org", "a,b@c"]
)
def test_a_bad_address_is_refused(cli: Console, email: str) -> None:
    cli.refused("admin", "add-player", "alice", "--email", email)
    assert cli.json("admin", "players") == []


def test_f06_an_address_belongs_to_one_player_in_any_letter_case(cli: Console) -> None:
    cli.company("alice")
    assert "alice" in cli.refused("admin", "add-player", "bob", "--email", "ALICE@example.org")
    assert "already" in cli.refused("admin", "add-player", "ALICE", "--email", "other@example.org")


def test_a_zone_that_there_is_not(cli: Console) -> None:
    assert "Europe/Berlin" in cli.refused(
        "admin", "add-player", "alice", "--email", "a@example.org", "--zone", "Mars/Base"
    )


def test_a_player_is_changed(cli: Console) -> None:
    cli.company("alice")
    change = ("--add-email", "new@example.org", "--remove-email", "alice@example.org", "--zone", "Asia/Tokyo")
    assert "new@example.org" in cli.done("admin", "edit-player", "ALICE", *change)
    assert cli.json("admin", "players") == [
        {"name": "alice", "emails": ["new@example.org"], "matrix": [], "zone": "Asia/Tokyo", "games": []}
    ]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ((), "nothing to change"),
        (("--remove-email", "alice@example.org"), "no address left"),
        (("--remove-email", "who@example.org"), "not registered"),
        (("--add-email", "bob@example.org"), "registered for bob"),
        (("--add-email", "nonsense"), "no mail address"),
    ],
)
def test_a_bad_change_changes_nothing(cli: Console, change: tuple[str, ...], why: str) -> None:
    cli.company("alice", "bob")
    before = cli.json("admin", "players")
    assert why in cli.refused("admin", "edit-player", "alice", *change)
    assert cli.json("admin", "players") == before


def test_nobody_of_that_name(cli: Console) -> None:
    cli.company("alice")
    assert "there are: alice" in cli.refused("admin", "edit-player", "eve", "--zone", "UTC")


def test_an_absence_is_entered_for_somebody_who_cannot_write(cli: Console) -> None:
    game = cli.game()
    assert f"alice is away (5 days) in {game}" in cli.done("admin", "edit-player", "alice", "--away", "5 days")
    assert "5 days, or 2026-12-20" in cli.refused("admin", "edit-player", "bob", "--away", "soon")
    assert f"alice is back in {game}" in cli.done("admin", "edit-player", "alice", "--back")
    assert "either --away or --back" in cli.refused("admin", "edit-player", "bob", "--away", "5 days", "--back")
