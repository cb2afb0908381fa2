"""Show a whole game by letter: `pbem demo`."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli import founding, show

if TYPE_CHECKING:
    from email.message import EmailMessage

    from pbem.config import Config
    from pbem.testing.rehearsal import Exchange
    from pbem.testing.stage import Stage

NAMES = ("alice", "bob", "carol")
WATCHED = NAMES[0]
SEED = "demo"
SLIPS = {"bob": "drwa"}


def demo(
    folder: Annotated[Path, typer.Argument(help="Where the demo's house is to lie; made if it is not there.")] = Path(
        "pbem-demo"
    ),
) -> None:
    """Play a whole game of three by letter, and leave a second one for you to answer.

    Everything is real but the players: they are small programs that answer their letters by replying to them.
    """
    folder = _free(folder)
    config = founding.found(folder, datetime.now(UTC))
    show.line(f"A house was set up in {folder}: its letters are files in {folder / config.mail.outbox}.")
    stage = _stage(config)
    try:
        for name in NAMES:
            stage.add_player(name)
        _play(stage)
        second = stage.new_game("blame", NAMES, seed=None, first=WATCHED)
        stage.poll()
    finally:
        stage.close()
    _write_mail_programs(folder.resolve(), config)
    _say_next(folder, second)


def _free(folder: Path) -> Path:
    """Give the folder, or the next one of its kind that is not there yet."""
    tries = (folder if not number else folder.with_name(f"{folder.name}-{number + 1}") for number in range(1000))
    return next(one for one in tries if not one.exists() or not any(one.iterdir()))


def _stage(config: "Config") -> "Stage":
    from pbem.services.house import furnish
    from pbem.store.session import connect
    from pbem.testing.stage import Stage, rig_of

    stage = Stage(rig_of(connect(config.database_url), furnish(config)), datetime.now(UTC))
    stage.rig.clock = lambda: datetime.now(UTC)
    return stage


def _play(stage: "Stage") -> None:
    from pbem.testing.rehearsal import Company

    game = stage.new_game("blame", NAMES, seed=SEED)
    stage.poll()
    show.line(f"Three players were registered, and a game was dealt: {game}. This is what {WATCHED} gets first:")
    company = Company(stage, game, SEED, SLIPS, _move_clock)
    for exchange in company.play(WATCHED):
        _tell(exchange, stage)
    show.line()
    show.line(f"That was the whole game. The last letter to {WATCHED}:")
    _show_letter(stage.newest(WATCHED))


def _move_clock(stage: "Stage") -> None:
    stage.now = datetime.now(UTC)


def _tell(exchange: "Exchange", stage: "Stage") -> None:
    """Print a line for each letter that was answered, and what the watched player's letters say of it."""
    from pbem.testing.rehearsal import part_of

    if not exchange.wrote:
        _show_letter(exchange.letters[0])
        show.line("Now they play; each line is an answer that came by letter, below it what alice is told.")
    for name, words in exchange.wrote:
        show.line(f"turn {exchange.turn:2}  {name} writes: {words}")
        if words in SLIPS.values():
            _indented(part_of(stage.newest(name), "YOUR MESSAGE"))
    for letter in exchange.letters if exchange.wrote else ():
        _indented(part_of(letter, "WHAT HAPPENED"))


def _indented(text: str) -> None:
    for told in text.splitlines():
        show.line(" " * 12 + told)


def _show_letter(letter: "EmailMessage") -> None:
    from pbem.testing.stage import text_of

    show.line()
    for name in ("From", "To", "Subject"):
        show.line(f"  | {name}: {letter[name]}")
    show.line("  |")
    for told in text_of(letter).splitlines():
        show.line(f"  | {told}")
    show.line()


def _write_mail_programs(folder: Path, config: "Config") -> None:
    """Write settings with which mutt and s-nail open the letters and answer them."""
    outbox, send = folder / config.mail.outbox, folder / "send"
    config_file, address = folder / "config.toml", f"{WATCHED}@example.org"
    send.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pbem.cli --config "{config_file}" deliver\n')
    send.chmod(0o700)
    (folder / "muttrc").write_text(
        f'set mbox_type=Maildir folder="{outbox.parent}" spoolfile="{outbox}" sendmail="{send}"\n'
        f'set from="{address}" use_from=yes reverse_name=yes copy=no move=no reply_to=yes\n'
        "set fast_reply=yes include=yes sort=reverse-date-received\nignore *\nunignore from to subject date\n"
        "alternates '@example\\.org$'\n"
    )
    (folder / "mailrc").write_text(f'set v15-compat folder="{outbox}" mta="{send}" from={address} nosave quote\n')


def _say_next(folder: Path, second: str) -> None:
    pbem = f"{sys.argv[0]} --config {folder / 'config.toml'}"
    show.line(f"A second game, {second}, has just been dealt, and its three first letters lie there. What you can try:")
    for told, command in (
        ("see a game as an observer does", f"{pbem} admin show {second}"),
        ("read the letters, and reply to one with mutt (with `draw`, say)", f"mutt -F {folder / 'muttrc'}"),
        ("or with s-nail", f"MAILRC={folder / 'mailrc'} s-nail -f {folder / 'mail' / 'out'}"),
        ("let the office read your reply and answer it", f"{pbem} poll"),
    ):
        show.line(f"  {told}:")
        show.line(f"    {command}")
    show.line(
        f"You hold all three hands there: whose letter you reply to is who you are. `rm -r {folder}` removes it all."
    )
