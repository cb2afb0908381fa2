"""Tell what is wrong with the house, and how to mend it: `pbem doctor`."""

from dataclasses import asdict
from typing import Annotated

import typer

from pbem.cli import show
from pbem.cli.options import AsJson
from pbem.cli.room import config_file

Letter = Annotated[bool, typer.Option("--letter", help="Send the office a letter too, and take it away again.")]


def doctor(context: typer.Context, letter: Letter = False, json: AsJson = False) -> None:
    """Tell what is wrong, and how to mend it.

    It looks at config, environment, key, Maildirs or mail servers, database, clock, queue and games, and changes
    nothing. Each line says ok or wrong, and what is wrong comes with how to mend it. With a mailbox over IMAP, --letter
    finds out whether letters arrive, and plus addresses too. Exits with 1 if anything is wrong.
    """
    from pbem.cli.checks import examine

    findings = list(examine(config_file(context), letter=letter))
    if json:
        show.as_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            show.line(f"{'ok   ' if finding.ok else 'wrong'}  {finding.what:12}  {finding.told}")
            if finding.mend:
                show.line(f"       {'':12}  -> {finding.mend}")
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)
