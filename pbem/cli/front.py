"""Run one command, and turn whatever goes wrong into one line and an exit code: 1, or 2 for a command typed wrongly."""

import os
import sys
from collections.abc import Sequence
from typing import TextIO

import typer
from typer.main import get_command

from pbem.cli import logs, show
from pbem.cli.room import OUTSIDE, Outside
from pbem.errors import Conflict, PbemError

INTERRUPTED = 130


def run(args: Sequence[str], outside: Outside = OUTSIDE) -> int:
    """Run `pbem` with these arguments, and give its exit code; a test hands in a clock and chance of its own."""
    from pbem.cli.app import app

    _steady(sys.stdout)
    _steady(sys.stderr)
    try:
        outcome = get_command(app)(args=list(args), prog_name="pbem", standalone_mode=False, obj=outside)
        sys.stdout.flush()
        return outcome if isinstance(outcome, int) else 0
    except (KeyboardInterrupt, typer.Abort) as stop:
        return INTERRUPTED if isinstance(stop, KeyboardInterrupt) else 1
    except BrokenPipeError:
        _close_pipe()
        return 1
    except typer.TyperException as error:
        return _misused(error)
    except Exception as error:
        return _failed(error)
    finally:
        logs.close()


def _misused(error: typer.TyperException) -> int:
    context = getattr(error, "ctx", None)
    where = context.command_path if context else "pbem"
    hint = " (--config stands right behind pbem)" if "--config" in str(error) else ""
    show.complain(f"{error.format_message().rstrip('.')}{hint}; see {where} --help")
    return 2


def _failed(error: Exception) -> int:
    if isinstance(error, Conflict):
        show.complain("somebody else is changing the same thing; nothing was done, try again")
    elif isinstance(error, PbemError):
        show.complain(str(error))
    else:
        kept = logs.crash(error)
        where = f"the details are in {kept}" if kept else "no log file could be written"
        show.complain(f"{_in_short(error)}; {where}")
    return 1


def _in_short(error: Exception) -> str:
    """Say what kind of failure it was; its text may hold cards, unless the system wrote it."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'the system'}: {error.strerror}"
    return f"pbem met something it did not foresee ({type(error).__name__})"


def _steady(stream: TextIO) -> None:
    """Never fail on a letter that the terminal does not have."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _close_pipe() -> None:
    """Keep Python from complaining, at its end, about a reader that went away."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, sys.stdout.fileno())
    os.close(sink)
