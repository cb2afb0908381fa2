"""Name what several commands take alike, and read it."""

from collections.abc import Sequence
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]
GameName = Annotated[str, typer.Argument(help="The game, as letters name it: blame-7.", metavar="GAME")]
Reason = Annotated[str, typer.Option(help="One line that the players are told.", metavar="TEXT")]
Why = Annotated[str, typer.Option("--reason", help="One line that the players may read.", metavar="TEXT")]
AsModerator = Annotated[
    str | None,
    typer.Option("--as-moderator", help="Who rules.", metavar="NAME", show_default="your login name"),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be done, and do nothing.")]
Zone = Annotated[str | None, typer.Option(help="Time zone, such as Europe/Berlin.", metavar="ZONE")]
Emails = Annotated[
    list[str], typer.Option("--email", help="A mail address; may be given several times.", metavar="ADDRESS")
]
Users = Annotated[
    list[str],
    typer.Option("--matrix", help="A Matrix id, such as @alice:example.org; may be given several times.", metavar="ID"),
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
Options = Annotated[list[str], typer.Option("--option", help="One of the game's options.", metavar="KEY=VALUE")]


def parse_names(text: str) -> list[str]:
    """Read names with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


def parse_options(texts: Sequence[str]) -> dict[str, str]:
    """Read a game's options.

    Raises: AdminError for one without a value, or given twice.
    """
    from pbem.errors import AdminError

    options: dict[str, str] = {}
    for text in texts:
        key, given, value = text.partition("=")
        if not (key.strip() and given):
            raise AdminError(f"--option {text!r} has no value; write for example --option first=bob")
        if key.strip() in options:
            raise AdminError(f"--option {key.strip()} is given twice")
        options[key.strip()] = value.strip()
    return options
