"""After an upgrade of a game: a replay that fits goes on, one that differs pauses the game and says so."""

import dataclasses
from typing import Any

import pytest

from pbem.engine import Engine
from pbem.errors import AdminError
from pbem.services import upgrades
from pbem.services.house import House
from pbem.testing.stage import Stage, text_of

NAMES = ("alice", "bob", "carol")


def started(stage: Stage) -> str:
    for name in NAMES:
        stage.add_player(name)
    game = stage.new_game("blame", NAMES, first="alice")
    stage.poll()
    stage.reply("alice", "draw")
    stage.poll()
    return game


def upgrade(stage: Stage, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    newer: Engine = dataclasses.replace(stage.house.engine("blame"), version=2, **changes)
    monkeypatch.setattr(House, "engine", lambda house, name: newer)


def test_a_game_that_replays_is_adopted_by_the_new_version(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    game = started(stage)
    upgrade(stage, monkeypatch)
    upgrades.check(stage.db, stage.house, stage.now)
    assert (stage.game(game).version, stage.game(game).status) == (2, "open")


def test_a_game_that_replays_differently_is_paused_and_its_players_are_told_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = started(stage)
    right = stage.house.engine("blame").resolve

    def resolve(state: Any, orders: Any, dice: Any) -> Any:
        after, events = right(state, orders, dice)
        return dataclasses.replace(after, draw=tuple(reversed(after.draw))), events

    upgrade(stage, monkeypatch, resolve=resolve)
    upgrades.check(stage.db, stage.house, stage.now)
    upgrades.check(stage.db, stage.house, stage.now)
    stage.poll()
    assert (stage.game(game).version, stage.game(game).status) == (1, "paused")
    for name in NAMES:
        assert sum("met a fault" in text_of(mail) for mail in stage.mails(name)) == 1


def uninstall(monkeypatch: pytest.MonkeyPatch) -> None:
    def engine(house: House, name: str) -> Engine:
        raise AdminError(f"there is no game {name!r}")

    monkeypatch.setattr(House, "engine", engine)


def test_a_game_that_is_no_longer_installed_is_paused_at_the_start(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = started(stage)
    uninstall(monkeypatch)
    upgrades.check(stage.db, stage.house, stage.now)
    assert stage.game(game).status == "paused"


def test_a_message_to_a_game_that_is_no_longer_installed_is_set_aside(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = started(stage)
    uninstall(monkeypatch)
    stage.reply("bob", "draw")
    stage.poll()
    assert stage.game(game).status == "paused"
    assert "met a fault" in text_of(stage.newest("carol"))
