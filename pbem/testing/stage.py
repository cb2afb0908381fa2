"""Set up a whole house in a folder, with a clock that is moved by hand and players who answer their letters.

Everything is real: the database, the office, the Maildirs, the mails. Only time and chance are handed in.
"""

import asyncio
import email
import email.policy
import functools
import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from functools import cached_property
from pathlib import Path

import jinja2
import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from pbem import paths
from pbem.config import Config
from pbem.core.dice import rehearsal_seed
from pbem.core.receipts import masked
from pbem.core.render import Renderer
from pbem.daemon import Passed, Rig, one_pass
from pbem.engine import Dice, Engine
from pbem.services import desk, instance, lobby, people, sittings
from pbem.services.house import House
from pbem.services.sittings import Sitting
from pbem.store.session import connect, read, transact
from pbem.store.tables import Game
from pbem.transports.posts import posts

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@dataclass
class Stage:
    """Hold a house with its rig, the time on its clock, and the mails that its players got."""

    rig: Rig
    now: datetime = NOON
    _names: "itertools.count[int]" = field(default_factory=itertools.count)
    _read: dict[str, EmailMessage] = field(default_factory=dict)

    @property
    def db(self) -> sa.Engine:
        """Give the database."""
        return self.rig.db

    @property
    def house(self) -> House:
        """Give the house."""
        return self.rig.house

    @property
    def config(self) -> Config:
        """Give the settings."""
        return self.house.config

    def pass_time(self, span: timedelta) -> None:
        """Move the clock, in steps of an hour with a pass after each, so that the service was never down."""
        end = self.now + span
        while self.now < end:
            self.now = min(end, self.now + timedelta(hours=1))
            self.poll()

    def poll(self) -> Passed:
        """Make one pass."""
        return asyncio.run(one_pass(self.rig))

    def add_player(self, name: str, *emails: str, zone: str = "UTC") -> None:
        """Register a player, at NAME@example.org unless an address is given."""
        addresses = emails or (f"{name}@example.org",)
        transact(self.db, lambda session: people.add_player(session, self.house, self.now, name, addresses, zone))

    def new_game(
        self, engine: str, names: Sequence[str], *, seed: str | None = "rehearsal", clocks: Sequence[str] = (),
        pace: str | None = None, room: str = "", peeks: str = "end", disputes: str = "stop",
        **options: str,
    ) -> str:  # fmt: skip
        """Deal a game, and give its name."""

        def deal(session: Session) -> str:
            sitting = lobby.new_game(
                session, self.house, self.now, engine, names, options=options, clocks=clocks, pace=pace, seed_word=seed,
                room=room, peeks=peeks, disputes=disputes,
            )  # fmt: skip
            return sittings.name_of(sitting.game)

        return transact(self.db, deal)

    def game(self, name: str) -> Game:
        """Read a game's row."""
        return read(self.db, lambda session: desk.get_game(session, name))

    def sitting(self, name: str) -> Sitting:
        """Take a game in hand, to look at it."""
        return read(self.db, lambda session: sittings.sit(session, self.house, desk.get_game(session, name)))

    def mails(self, to: str | None = None) -> list[EmailMessage]:
        """Give the letters that went out, oldest first; those to one address or player only."""
        wanted = f"{to}@example.org" if to and "@" not in to else to
        folder = self.config.path(self.config.mail.outbox)
        paths = sorted((path for box in ("new", "cur") for path in (folder / box).glob("*")), key=_written)
        found = [self._parse(path) for path in paths]
        return [mail for mail in found if wanted in (None, mail["To"].addresses[0].addr_spec)]

    def newest(self, to: str, containing: str = "") -> EmailMessage:
        """Give the newest letter to a player."""
        return [mail for mail in self.mails(to) if containing in text_of(mail)][-1]

    def reply(
        self, name: str, words: str, *, to: EmailMessage | None = None, quote: bool = True, **headers: str
    ) -> None:
        """Answer a letter (the newest) as a mail program does: words above, the letter quoted below."""
        letter = to or self.newest(name)
        sender = headers.pop("sender", f"{name} <{name}@example.org>")
        self.deliver(reply_to(letter, sender, words, self.now, next(self._names), quote=quote, **headers))

    def deliver(self, raw: bytes, at: datetime | None = None) -> Path:
        """Put a mail into the office's inbox, as received at a time (now)."""
        folder = self.config.path(self.config.mail.inbox)
        for box in ("tmp", "new", "cur"):
            (folder / box).mkdir(parents=True, exist_ok=True)
        path = folder / "new" / f"{next(self._names):06}.stage"
        path.write_bytes(raw)
        moment = (at or self.now).timestamp()
        os.utime(path, (moment, moment))
        return path

    def close(self) -> None:
        """Let go of the database and the writer."""
        self.rig.writer.shutdown()
        self.db.dispose()

    def _parse(self, path: Path) -> EmailMessage:
        key = f"{path.name.partition(':')[0]} {_written(path)}"
        if key not in self._read:
            message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
            assert isinstance(message, EmailMessage)
            self._read[key] = message
        return self._read[key]


def _written(path: Path) -> int:
    return path.stat().st_mtime_ns


@dataclass(frozen=True)
class GuestHouse(House):
    """Be a house that plays one game more, installed or not."""

    guest: Engine | None = None

    @cached_property
    def renderer(self) -> Renderer:
        """Give the renderer of the house's templates and the guest's."""
        folders = [str(paths.bundled("templates")), *([self.guest.templates] if self.guest else [])]
        return Renderer(jinja2.FileSystemLoader(folders))

    def engine(self, name: str) -> Engine:
        """Find a game by name, the guest first."""
        return self.guest if self.guest and name == self.guest.name else super().engine(name)


def open_stage(
    folder: Path, now: datetime = NOON, *, url: str = "", guest: Engine | None = None, **settings: object
) -> Stage:
    """Set a house up in an empty folder, its chance drawn from a fixed seed.

    `url` names another empty database, `guest` a game that need not be installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if url:
        settings["store"] = {"url": url}
    config = Config(**{"folder": folder, **settings})  # type: ignore[arg-type]
    dice = Dice(rehearsal_seed("stage"))
    kind = functools.partial(GuestHouse, guest=guest) if guest else House
    house = kind(config, b"k" * 32, lambda count: bytes(dice.below(256) for _ in range(count)))
    db = connect(config.database_url)
    SQLModel.metadata.create_all(db)
    transact(db, lambda session: instance.found(session, house, now))
    stage = Stage(rig_of(db, house), now)
    stage.rig.clock = lambda: stage.now
    instance.keep(house, read(db, instance.known))
    return stage


def rig_of(db: sa.Engine, house: House) -> Rig:
    """Put a rig together over the posts of the config."""
    return Rig(db, house, posts(house.config))


def text_of(mail: EmailMessage) -> str:
    """Give the text part of a mail."""
    part = mail.get_body(("plain",))
    return str(part.get_content()) if part is not None else ""


def html_of(mail: EmailMessage) -> str:
    """Give the HTML part of a mail."""
    part = mail.get_body(("html",))
    return str(part.get_content()) if part is not None else ""


def unhashed(mail: EmailMessage) -> str:
    """Give every byte of a mail, its hashes blotted out: they commit to what is hidden, so they tell nothing of it."""
    return masked(mail.as_bytes().decode().replace("=\n", ""))


def reply_to(
    letter: EmailMessage, sender: str, words: str, now: datetime, number: int, *, quote: bool = True, **headers: str
) -> bytes:
    """Write a reply as a mail program does; `headers` (with _ for -) are set last."""
    mail = EmailMessage(policy=email.policy.SMTP)
    mail["From"] = sender
    mail["To"] = str(letter["Reply-To"] or letter["From"])
    mail["Subject"] = "Re: " + str(letter["Subject"])
    mail["Message-ID"] = f"<{number}.reply@example.org>"
    mail["In-Reply-To"] = mail["References"] = str(letter["Message-ID"])
    mail["Date"] = format_datetime(now)
    for name, value in headers.items():
        del mail[name.replace("_", "-")]
        mail[name.replace("_", "-")] = value
    quoted = "".join(f"> {line}\n" for line in text_of(letter).splitlines())
    attribution = f"On {now:%a, %d %b %Y at %H:%M}, {letter['From']} wrote:"
    mail.set_content(f"{words}\n\n{attribution}\n{quoted}" if quote else words)
    return mail.as_bytes()
