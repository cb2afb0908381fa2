"""Sit at the moderators' desk: look into what players sent, look on, rule."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from pbem.cli import disputes, glass, judging, rulings, show, taking_back
from pbem.cli.options import AsJson, AsModerator
from pbem.cli.ruling import login

File = Annotated[Path, typer.Argument(help="A mail as a file; - reads it from standard input.", metavar="FILE.eml")]


def read(context: typer.Context, file: File, json: AsJson = False, as_moderator: AsModerator = None) -> None:
    """Show how a mail would be understood.

    Nothing is changed, and nobody is answered. Whether an order is legal is not told, since that would tell the hand.
    Refused to whoever plays in the game that the mail is about.
    """
    from pbem.cli.understanding import understand

    found = understand(context, _bytes(file), login() if as_moderator is None else as_moderator)
    if json:
        show.as_json(found)
        return
    seat = found["seat"]
    show.line(f"verdict: {found['verdict'] or 'not known'}")
    show.line(f"sender:  {found['sender'] or 'no player'}")
    show.line(f"seat:    {seat['name']} in {seat['game']}" if seat else "seat:    none")
    for reason in found["reasons"]:
        show.line(f"because: {reason}")
    for line in found["lines"]:
        mended = f"  (was this meant: {line['mended']}?)" if "mended" in line else ""
        show.line(f"  {line['kind']:6}  {line['text']}{mended}")
    if not found["lines"]:
        show.line("own words:" if found["own_words"] else "own words: none")
        for text in found["own_words"].splitlines():
            show.line(f"  {text}")


def _bytes(file: Path) -> bytes:
    from pbem.errors import AdminError

    try:
        return sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise AdminError(f"{file} cannot be read: {error.strerror}") from error


COMMANDS: dict[str, Callable[..., object] | typer.Typer] = {
    "read": read,
    **glass.COMMANDS,
    **rulings.COMMANDS,
    **taking_back.COMMANDS,
    **disputes.COMMANDS,
    "rule": judging.rule_dispute,
}
