"""Be the town of a story: a real house with its command line, people who write and read, a post that may fail."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from unittest import mock

from pbem.cli.room import Outside
from pbem.core.dice import rehearsal_seed
from pbem.engine import Dice
from pbem.testing.stage import NOON, Stage, reply_to, text_of
from tests.cli.console import Console, Ran
from tests.services.company import a_mail

PASS = timedelta(hours=2)  # a house that makes no pass for longer was down


@dataclass
class Town:
    """Hold the house, the letters on their way, and what each person got, has read and wrote last.

    `lost` are the ids of letters that never arrive, `full` the mailboxes that send every letter back.
    """

    stage: Stage
    console: Console
    is_open: bool = True
    on_the_way: list[tuple[datetime, bytes]] = field(default_factory=list)
    sorted: dict[str, list[EmailMessage]] = field(default_factory=dict)
    read: dict[str, list[EmailMessage]] = field(default_factory=dict)
    sent: dict[str, bytes] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    full: set[str] = field(default_factory=set)
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(1, 1000)))

    def settle(self, players: Sequence[str], moderators: Sequence[str]) -> None:
        """Register players, each at an address of the own name, and name moderators in the config."""
        for who in players:
            self.console.done("admin", "add-player", who, "--email", f"{who.casefold()}@example.org")
        config = self.console.folder / "config.toml"
        lines = "".join(f'{who} = "{who.casefold()}@example.org"\n' for who in moderators)
        config.write_text(f"{config.read_text()}\n[moderators]\n{lines}")
        self.stage.rig.house = replace(self.stage.house, config=self.console.config)

    def type(self, who: str, *words: str) -> Ran:
        """Let somebody type a command in the house's folder, and what it queued go out."""
        there = contextlib.chdir(self.console.folder)
        with there, mock.patch.dict(os.environ, {"LOGNAME": who.casefold(), "TERMINAL_WIDTH": "80"}):
            ran = self.console(*words)
        self.pass_over()
        return ran

    def pass_over(self) -> None:
        """Let the office make a pass, unless it is shut, and what it wrote to a full mailbox come back."""
        if not self.is_open:
            return
        if self.stage.poll().sent:
            new = self._sort()
            for mail in (back := [mail for mail in new if mail["To"] in self.full]):
                self.send_back(mail)
            if back:
                self.pass_over()

    def send_back(self, mail: EmailMessage) -> None:
        """Let a letter of the office come back."""
        self.lost.add(str(mail["Message-ID"]))
        self.stage.deliver(returned(mail))

    def wait(self, span: timedelta) -> None:
        """Let time pass, with a pass every two hours at least; letters on their way arrive when they are due."""
        end = self.stage.now + span
        while self.stage.now < end:
            self.stage.now = min(end, self.stage.now + PASS, *(due for due, _ in self.on_the_way))
            arrived = [raw for due, raw in self.on_the_way if due <= self.stage.now]
            self.on_the_way = [one for one in self.on_the_way if one[0] > self.stage.now]
            self.arrive(*arrived)

    def arrive(self, *raws: bytes) -> None:
        """Let mails reach the house's mailbox now, and the office read them if it is open."""
        for raw in raws:
            self.stage.deliver(raw)
        self.pass_over()

    def write(self, who: str, words: str, to: EmailMessage | None, address: str = "", date: str = "") -> bytes:
        """Write an answer to a letter, or a mail that answers nothing; the sender's mail server stamps it at once."""
        sender, number = address or f"{who.casefold()}@example.org", next(self.numbers)
        headers = {"Date": date} if date else {}
        raw = a_mail(sender, words, **headers).as_bytes()
        if to is not None:
            raw = reply_to(to, sender, words, self.stage.now, number, quote=True, **headers)
        stamp = f"Received: by mail.{sender.partition('@')[2]}; {format_datetime(self.stage.now)}\r\n"
        self.sent[who] = stamp.encode() + raw
        return self.sent[who]

    def unread(self, who: str) -> list[EmailMessage]:
        """Give the letters that somebody got and has not read, the oldest first."""
        got = self.sorted.get(who.casefold(), [])
        return [mail for mail in got if mail not in self.read.get(who, []) and mail["Message-ID"] not in self.lost]

    def take(self, who: str) -> EmailMessage:
        """Let somebody read the oldest letter not read yet."""
        letters = self.unread(who)
        assert letters, f"{who} got no letter"
        self.read.setdefault(who, []).append(letters[0])
        return letters[0]

    def newest(self, who: str, words: str = "") -> EmailMessage:
        """Give the newest letter that somebody has read; one in whose subject or text some words stand."""
        found = [mail for mail in self.read.get(who, []) if words in f"{mail['Subject']}\n{text_of(mail)}"]
        assert found, f"{who} has read no letter with {words!r}"
        return found[-1]

    def last_sent(self, who: str) -> EmailMessage:
        """Give the newest letter that the office sent to somebody, arrived or not."""
        return self.sorted[who.casefold()][-1]

    def _sort(self) -> list[EmailMessage]:
        """Put new letters of the office to those whom they are for, at whatever address, and give them."""
        new = self.stage.mails()[sum(map(len, self.sorted.values())) :]
        for mail in new:
            self.sorted.setdefault(mail["To"].addresses[0].username, []).append(mail)
        return new


@contextlib.contextmanager
def founded(folder: Path, chance: str) -> Iterator[Town]:
    """Found a house whose clock stands at noon of a Monday, and whose chance comes from a word."""
    dice = Dice(rehearsal_seed(chance))

    def entropy(count: int) -> bytes:
        return bytes(dice.below(256) for _ in range(count))

    Console(folder, Outside(clock=lambda: NOON)).done("init", str(folder), house=False)
    (folder / "token.key").write_text("6b" * 32)
    with Console(folder, Outside(clock=lambda: NOON, entropy=entropy)).stage() as stage:
        yield Town(stage, Console(folder, Outside(clock=lambda: stage.now, entropy=entropy)))


def returned(letter: EmailMessage) -> bytes:
    """Write what a mail server says of a letter that it could not deliver."""
    return (
        "From: mailer-daemon@example.net\nTo: games@example.org\nReturn-Path: <>\n"
        f"Message-ID: <returned.{str(letter['Message-ID'])[1:9]}@example.net>\nMIME-Version: 1.0\n"
        "Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
        "--b\nContent-Type: text/plain\n\nIt could not be delivered.\n"
        f"--b\nContent-Type: message/delivery-status\n\nFinal-Recipient: rfc822; {letter['To']}\nAction: failed\n"
        f"Status: 5.1.1\n\n--b\nContent-Type: text/rfc822-headers\n\nMessage-ID: {letter['Message-ID']}\n\n--b--\n"
    ).encode()
