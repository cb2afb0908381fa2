"""Name the commands of `pbem admin`."""

from collections.abc import Callable

import typer

from pbem.cli.admin import care, matches, people, post, proving

COMMANDS: dict[str, Callable[..., object] | typer.Typer] = {
    "add-player": people.add_player,
    "edit-player": people.edit_player,
    "players": people.players,
    "forget": people.forget,
    "new-game": matches.new_game,
    "games": matches.games,
    "show": matches.show_game,
    "deadline": matches.deadline,
    "pause": matches.pause,
    "resume": matches.resume,
    "end": matches.end,
    "export": proving.export,
    "outbox": post.outbox,
    "inbox": post.inbox,
    "backup": care.backup,
    "confirm": care.confirm,
    "upgrade": care.upgrade,
}
