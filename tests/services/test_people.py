"""Test who may be registered, and at which addresses."""

import pytest
from sqlmodel import Session

from pbem.errors import AdminError
from pbem.services import people
from pbem.store import players
from pbem.store.session import read, transact
from pbem.testing.stage import Stage


def places(stage: Stage, name: str) -> list[str]:
    """Give a player's addresses, the one that letters go to first."""

    def look(session: Session) -> list[str]:
        player = people.get_player(session, name)
        return [place.place for place in players.places_of(session, [player.id or 0])[player.id or 0]]

    return read(stage.db, look)


def edit(stage: Stage, name: str, **change: list[str]) -> None:
    transact(stage.db, lambda session: people.edit_player(session, stage.house, stage.now, name, **change))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["alice", "Zoë", "bob_2", "李明", "x" * 20])
def test_a_name_is_one_word(name: str) -> None:
    assert people.check_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "two words",
        "2bob",
        "_bob",
        "bob!",
        "a-b",
        "x" * 21,
        "bob\n",
        "bob\u202e",
        "<b>",
        "{{x}}",
        "bob@home",
        "bob.b",
    ],
)
def test_what_is_not_one_word_is_no_name(name: str) -> None:
    with pytest.raises(AdminError, match="cannot be a player's name"):
        people.check_name(name)


@pytest.mark.parametrize("name", ["help", "Say", "ALL", "retract", "undo", "nobody", "ｈｅｌｐ"])
def test_no_player_is_called_as_the_office_speaks(name: str) -> None:
    with pytest.raises(AdminError, match="the office uses that word"):
        people.check_name(name)


@pytest.mark.parametrize("address", ["alice@example.org", "a.b+c@example.co.uk", "ALICE@Example.ORG"])
def test_an_address_is_registered_as_it_was_written(stage: Stage, address: str) -> None:
    stage.add_player("alice", address)
    assert places(stage, "alice") == [address]


@pytest.mark.parametrize(
    "address",
    ["", "alice", "@example.org", "alice@", "a b@example.org", "a@b@example.org", "a\n@example.org", "<a@example.org>",
     "a,b@example.org", "a@example.org;b@example.org", "a\u202e@example.org"],
)  # fmt: skip
def test_what_cannot_be_written_to_is_no_address(stage: Stage, address: str) -> None:
    with pytest.raises(AdminError, match="is no mail address"):
        stage.add_player("alice", address)


@pytest.mark.parametrize("address", ["games@example.org", "GAMES@Example.org", "games+1-0-0-1-abc@example.org"])
def test_the_offices_own_address_is_nobodys(stage: Stage, address: str) -> None:
    with pytest.raises(AdminError, match="office's own address"):
        stage.add_player("alice", address)


def test_an_address_is_one_players_only_in_any_letter_case(stage: Stage) -> None:
    stage.add_player("alice", "home@example.org", "work@example.org")
    with pytest.raises(AdminError, match="registered for alice already"):
        stage.add_player("bob", "WORK@example.org")
    with pytest.raises(AdminError, match="the same address is given twice"):
        stage.add_player("carol", "c@example.org", "C@example.org")


def test_a_name_is_one_players_only_in_any_letter_case(stage: Stage) -> None:
    stage.add_player("alice")
    with pytest.raises(AdminError, match="there is a player Alice already"):
        stage.add_player("Alice", "other@example.org")


def test_addresses_come_and_go_but_one_is_left(stage: Stage) -> None:
    stage.add_player("alice", "old@example.org")
    with pytest.raises(AdminError, match="would have no address left"):
        edit(stage, "alice", remove=["old@example.org"])
    edit(stage, "alice", add=["new@example.org"], remove=["OLD@example.org"])
    assert places(stage, "alice") == ["new@example.org"]
    with pytest.raises(AdminError, match="is not registered for alice"):
        edit(stage, "alice", remove=["old@example.org"])
