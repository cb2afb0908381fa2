"""Name every command of `pbem`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from pbem.cli import admin, demo, doctor, founding, logs, mod, new_engine, play, rulebook, running, show, verify
from pbem.cli.room import OUTSIDE

Commands = dict[str, Callable[..., object] | typer.Typer]
SETTINGS = {"deliver": {"allow_extra_args": True, "ignore_unknown_options": True}}
"""What is special to a command: mail programs add options and addresses of their own to the one they send by."""


def group(commands: Commands, callback: Callable[..., None]) -> typer.Typer:
    """Make a group of commands; the callback's docstring is its help."""
    made = typer.Typer(
        add_completion=False,
        invoke_without_command=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(callback)
    for name, command in commands.items():
        if isinstance(command, typer.Typer):
            made.add_typer(command, name=name)
        else:
            made.command(name, context_settings=SETTINGS.get(name))(command)
    return made


def _help_if_bare(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


def _show_version(wanted: bool) -> None:
    if wanted:
        from pbem import __version__

        show.line(f"pbem {__version__}")
        raise typer.Exit


def root(
    context: typer.Context,
    config: Annotated[
        Path, typer.Option(help="The house's config file.", envvar="PBEM_CONFIG", metavar="PATH", show_default=True)
    ] = OUTSIDE.config,
    version: Annotated[
        bool, typer.Option("--version", help="Say which version this is.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Play slow, turn-based card games by letter."""
    context.obj = replace(context.obj, config=config)
    logs.beside(config)
    _help_if_bare(context)


def admin_root(context: typer.Context) -> None:
    """Look after players, games, letters and the database."""
    _help_if_bare(context)


def mod_root(context: typer.Context) -> None:
    """Settle quarrels: look into what players sent, look on, rule."""
    _help_if_bare(context)


COMMANDS: Commands = {
    "demo": demo.demo,
    "play": play.play,
    "init": founding.init,
    "serve": running.serve,
    "poll": running.poll,
    "deliver": running.deliver,
    "doctor": doctor.doctor,
    "rules": rulebook.rules,
    "verify": verify.verify,
    "new-engine": new_engine.new_engine,
    "admin": group(admin.COMMANDS, admin_root),
    "mod": group(mod.COMMANDS, mod_root),
}
app = group(COMMANDS, root)
