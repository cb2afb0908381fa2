"""Name what several commands take alike."""

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]
GameName = Annotated[str, typer.Argument(help="The game, as letters name it: blame-7.", metavar="GAME")]
Reason = Annotated[str, typer.Option(help="One line that the players are told.", metavar="TEXT")]
Zone = Annotated[str | None, typer.Option(help="Time zone, such as Europe/Berlin.", metavar="ZONE")]
Emails = Annotated[
    list[str], typer.Option("--email", help="A mail address; may be given several times.", metavar="ADDRESS")
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
