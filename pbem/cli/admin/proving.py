"""Write the file by which a game can be checked: `pbem admin export`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli import show
from pbem.cli.options import AsModerator, GameName
from pbem.cli.room import opened
from pbem.cli.ruling import acting

if TYPE_CHECKING:
    from sqlmodel import Session

Target = Annotated[
    Path | None, typer.Option("--out", help="The file to write [GAME.jsonl]; - prints it.", metavar="FILE")
]
As = Annotated[str | None, typer.Option("--as", help="What this player knew, while the game goes on.", metavar="NAME")]
Why = Annotated[str, typer.Option("--reason", help="Why; it stands in the game's log.", metavar="TEXT")]


def export(
    context: typer.Context, game: GameName, out: Target = None, as_: As = None, reason: Why = "",
    as_moderator: AsModerator = None,
) -> None:  # fmt: skip
    """Write the file by which anybody can check a game.

    The whole file exists only after the game's end. It has names, orders and events in it, no addresses and no private
    talk. --as opens to a moderator what one player knew before the end, if you say why: that stands in the game's log
    at once, as a look does.
    """
    from pbem.core import proof
    from pbem.services import desk, proofs

    def work(session: "Session") -> tuple[str, str]:
        row = desk.get_game(session, game)
        _check_free(out or Path(proofs.file_name(row)))
        if as_ is None:
            return proofs.file_name(row), proof.write(proofs.whole(session, row))
        found = proofs.opened(session, room.house, room.now, row, as_, reason, acting(room, as_moderator))
        return proofs.file_name(row), proof.write(found)

    with opened(context) as room:
        name, text = room.write(work)
    if str(out) == "-":
        sys.stdout.write(text)
        return
    file = out or Path(name)
    file.write_text(text, encoding="utf-8")
    show.line(f"{file} holds {text.count(chr(10))} lines; `pbem verify {file}` checks it")


def _check_free(file: Path) -> None:
    from pbem.errors import AdminError

    if str(file) != "-" and file.exists():
        raise AdminError(f"{file} is there already; --out names another file")
