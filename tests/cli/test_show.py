"""F10: whatever stands in a name, a terminal gets only letters."""

import json

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from pbem.cli import show
from pbem.core.harmless import visible
from pbem.store.tables import Player, Seat
from tests.cli.console import Console

WILD = [
    "[/red]",
    "[link=https://example.com]x",
    "Bob[bold",
    "\x1b[2J\x1b[H",
    "a\u202eb",
    "\u2066x",
    "C1\x9b2J",
    "z\nz",
    "zer\u200bo",
]


@pytest.mark.parametrize("name", WILD)
def test_f10_a_name_is_printed_as_it_stands(cli: Console, name: str) -> None:
    game = cli.game()

    def rename(session: Session) -> None:
        for column in (Player, Seat):
            session.connection().execute(sa.update(column).where(sa.column("name") == "alice").values(name=name))

    cli.store(rename)
    for command in (("players",), ("games",), ("show", game)):
        out = cli.done("admin", *command)
        assert visible(name) in out
        assert not set(out) & set("\x1b\x9b\u202e\u2066\u200b")
    assert cli.json("admin", "players")[0]["name"] == name


def test_f10_columns_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    show.table(("NAME", "N"), [["[/red]", 1], ["漢字", 2], ["e\u0301a", 3], ["\x1b", 4]], "none")
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["NAME    N", "[/red]  1", "漢字    2", "e\u0301a      3", "\\x1b    4"]


def test_f10_json_is_harmless_and_loses_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    show.as_json({"names": [*WILD, 'a "quoted" \\ word', "é"]})
    out = capsys.readouterr().out
    assert json.loads(out) == {"names": [*WILD, 'a "quoted" \\ word', "é"]}
    assert out.isprintable() or not set(out) & set("\x1b\x9b\u202e\u2066\u200b")
    assert "é" in out
