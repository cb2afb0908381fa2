"""Be three people at a table who write to the office, and keep what each gets."""

import email.policy
import itertools
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage

from pbem.services.sittings import Sitting
from pbem.store import mail
from pbem.store.session import read
from pbem.store.tables import Inbox, Outbox
from pbem.testing.stage import Stage, html_of, reply_to, text_of

NAMES = ("alice", "bob", "carol")
OFFICE = "games@example.org"
numbers = itertools.count(1)


@dataclass(frozen=True)
class Post:
    """Hold the letters that went out in one pass."""

    letters: tuple[EmailMessage, ...]

    def to(self, name: str) -> list[EmailMessage]:
        """Give those to one player."""
        return [letter for letter in self.letters if recipient(letter) == f"{name}@example.org"]

    def only(self, name: str) -> str:
        """Give the text of the one letter to a player, who must have got just one."""
        (letter,) = self.to(name)
        return text_of(letter)

    @property
    def readers(self) -> list[str]:
        """Name everybody who got a letter, once a letter."""
        return sorted(recipient(letter).partition("@")[0] for letter in self.letters)


@dataclass
class Company:
    """Be alice (Archbishop: G1 S1 GS2), bob (Spymaster: W1 VS1 GW1) and carol (Wizard: A1 VW1 AG1); AG2 lies on top.

    With another `seed` they hold other cards.
    """

    stage: Stage
    game: str

    @classmethod
    def deal(cls, stage: Stage, seed: str = "queen", **options: str) -> "Company":
        """Register the three, deal, and send the first letters."""
        if not stage.mails():
            for name in NAMES:
                stage.add_player(name)
        company = cls(stage, stage.new_game("blame", NAMES, seed=seed, first="alice", **options))
        stage.poll()
        return company

    @property
    def sitting(self) -> Sitting:
        """Give the game as it stands."""
        return self.stage.sitting(self.game)

    @property
    def orders(self) -> list[str]:
        """Give every sealed answer that waits."""
        return [prompt.order for prompt in self.sitting.prompts.values() if prompt.order]

    def hand(self, name: str) -> tuple[str, ...]:
        """Give a player's hand."""
        sitting = self.sitting
        cards: tuple[str, ...] = sitting.table.view(sitting.names.index(name)).hand
        return cards

    def newest(self, name: str) -> EmailMessage:
        """Give the newest letter of this game to a player."""
        tag = f"[{self.game}]"
        return [letter for letter in self.stage.mails(name) if tag in str(letter["Subject"])][-1]

    def write(
        self, name: str, words: str, *, to: EmailMessage | None = None, quote: bool = True, **headers: str
    ) -> Post:
        """Answer a letter (the newest), and give what the office sends for it."""
        sender = headers.pop("sender", f"{name}@example.org")
        letter = to or self.newest(name)
        return self.deliver(reply_to(letter, sender, words, self.stage.now, next(numbers), quote=quote, **headers))

    def deliver(self, *raws: bytes | EmailMessage) -> Post:
        """Bring mails to the office, and give what it sends for them."""
        for raw in raws:
            self.stage.deliver(raw if isinstance(raw, bytes) else raw.as_bytes())
        return self.poll()

    def poll(self) -> Post:
        """Let the office make a pass, and give what it sends."""
        before = len(self.stage.mails())
        self.stage.poll()
        return Post(tuple(self.stage.mails()[before:]))

    def wait_until_nearly_due(self) -> datetime:
        """Let time pass, an hour at a time, until less than an hour is left; give the deadline."""
        due = min(prompt.deadline_at for prompt in self.sitting.prompts.values())
        while self.stage.now < due - timedelta(hours=1):
            self.stage.now += timedelta(minutes=59)
            self.poll()
        return due

    def blame_alice(self) -> Post:
        """Let alice accuse carol, and take the Blame herself: bob and carol may bury a card each, in secret."""
        return self.write("alice", "play G1 GS2 S1 accuse carol")


def a_mail(sender: str, words: str, *, to: str = OFFICE, **headers: str) -> EmailMessage:
    """Write a mail that answers nothing, unless a header says so."""
    message = EmailMessage(policy=email.policy.SMTP)
    message["From"], message["To"] = sender, to
    message["Message-ID"] = f"<{next(numbers)}.mail@example.org>"
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(words)
    return message


def recipient(letter: EmailMessage) -> str:
    """Give the one address a letter goes to."""
    (address,) = letter["To"].addresses
    return str(address.addr_spec)


def whole(letter: EmailMessage) -> str:
    """Give all that a letter shows: subject, text and HTML."""
    return f"{letter['Subject']}\n{text_of(letter)}\n{html_of(letter)}"


def said(letter: EmailMessage | str) -> str:
    """Give a letter's text as one line, however it was wrapped."""
    return " ".join((letter if isinstance(letter, str) else text_of(letter)).split())


def inbox(stage: Stage) -> list[Inbox]:
    """List what came, the oldest first."""
    return read(stage.db, mail.list_messages)[::-1]


def outbox(stage: Stage) -> list[Outbox]:
    """List what was written, the oldest first."""
    return read(stage.db, lambda session: mail.list_letters(session, 1000))[::-1]


def fates(stage: Stage) -> list[str]:
    """Give what became of each message, the oldest first."""
    return [row.verdict for row in inbox(stage)]
