"""Follow docs/hosting.md to the letter in an empty folder, against real servers: nothing in it is passed over."""

import os
import re
import smtplib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from functools import partial
from pathlib import Path

import pytest

from pbem.testing.stage import reply_to, text_of
from tests.conftest import need
from tests.guide import agrees, blocks, edited
from tests.hosting import PAGE, Host
from tests.real.postgres import PostgresServer
from tests.real.servers import MailServer, User, until
from tests.real.synapse import MatrixServer

BEGIN = ("Install it", "A new house")
STORIES = {
    "a mailbox": (
        *BEGIN, "The mailbox", "The first letter", "As a service", "From cron", "Backup", "Restore", "A new version",
        "Figures", "What is kept, and for how long",
    ),
    "Matrix": (*BEGIN, "Matrix"),
    "PostgreSQL": (BEGIN[0], "PostgreSQL"),
    "two Maildirs": (*BEGIN, "Two Maildirs on this machine"),
}  # fmt: skip
POLL = "*/5 * * * *  cd /srv/games && /srv/pbem/bin/pbem poll >/dev/null"
GREP = "grep ^pbem_ /var/lib/prometheus/node-exporter/pbem.prom"
UPGRADE = "sudo /srv/pbem/bin/pip install --upgrade ."
PORTS = {"imap": "IMAPS", "smtp": "SUBMISSION"}
PATIENCE = 60


@pytest.fixture(autouse=True)
def _pbem_is_installed() -> None:
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    for program in ("bash", "useradd", f"{sys.prefix}/bin/pbem"):
        need(program)


def drawing(letter: str) -> str:
    """Give the order that ends a turn by drawing: who is the Treasurer then buries a card, here the first in hand."""
    treasurer = "Baksheesh" in letter.partition("YOUR ROLE")[2].partition("YOUR HAND")[0]
    (card,) = re.findall(r"^YOUR HAND.*\n {2}(\w+)", letter, re.M)
    return f"draw bury {card}" if treasurer else "draw"


@dataclass
class Players:
    """Be three people with mailboxes who play a game by letter; `heard` is how many letters each has."""

    office: User
    users: dict[str, User]
    heard: int = 0
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(1, 100)))

    def hear(self) -> list[EmailMessage]:
        """Wait until everybody has got one more letter, and give the newest ones."""
        self.heard += 1
        return [until(partial(self._letters, user), f"letter {self.heard}", PATIENCE)[-1] for user in self]

    def answer(self) -> User:
        """Let whoever is asked reply, and give who that is."""
        (user,) = [user for user in self if "your answer is wanted" in str(user.mails()[-1]["Subject"])]
        self.write(user, drawing(text_of(user.mails()[-1])))
        return user

    def write(self, user: User, words: str) -> None:
        """Reply to the newest letter, by real SMTP."""
        letter = user.mails()[-1]
        raw = reply_to(letter, user.address, words, datetime.now(UTC), next(self.numbers))
        with smtplib.SMTP("127.0.0.1", user.server.port("SMTP"), timeout=PATIENCE) as line:
            line.sendmail(user.address, [str(letter["Reply-To"])], raw)

    def move(self) -> None:
        """Let whoever is asked reply, and everybody hear of it."""
        user = self.answer()
        self.hear()
        assert 'Read as "draw' in text_of(user.mails()[-1])
        assert all("$PbemDone" in flags for flags in self.office.flags())

    def begin(self) -> None:
        """Hear of the new game, and play."""
        assert all("A new game begins" in text_of(letter) for letter in self.hear())
        self.move()

    def reply_to_nobody(self) -> None:
        """Reply, and see the reply in the office's mailbox, where nobody reads it yet."""
        before = len(self.office.mails())
        self.answer()
        until(lambda: len(self.office.mails()) > before, "the reply", PATIENCE)

    def hear_of_restore(self) -> None:
        """Hear that the database was restored, and play on from there."""
        assert all("restored from a copy" in text_of(letter) for letter in self.hear())
        self.move()

    def hear_the_end(self, host: Host) -> None:
        """Let somebody ask something, so that the next pass is soon, and hear that the game is over."""
        self.write(next(iter(self)), "status")
        assert all("The game is over" in str(letter["Subject"]) for letter in self.hear())
        until(lambda: sent(host) == len(self.users) + 1, "every letter, and the answer")

    def __iter__(self) -> Iterator[User]:
        return iter(self.users.values())

    def _letters(self, user: User) -> list[EmailMessage]:
        found = user.mails()
        return found if len(found) >= self.heard else []


def test_from_a_mailbox_to_the_first_letter_and_beyond(tmp_path: Path, mail_server: MailServer, office: User) -> None:
    players = Players(office, {name: mail_server.user() for name in ("alice", "bob", "carol")})
    people = {**players.users, "games": office, "mona": mail_server.user()}
    collected = tmp_path / "collected"
    host = Host(
        tmp_path,
        {f"{name}@example.org": user.address for name, user in people.items()}
        | {"/backup": f"{tmp_path}/backup", "/var/lib/prometheus/node-exporter": str(collected)},
        {f'host = "{kind}.example.org"': reached(mail_server, port) for kind, port in PORTS.items()},
        given={"(umask 077; cat > mail.password)": f"{office.password}\n"},
        before={POLL: players.reply_to_nobody, GREP: lambda: until((collected / "pbem.prom").exists, "figures")},
    )
    started = iter((players.hear_of_restore, players.move))
    host.after |= {
        "pbem serve": players.begin,
        "sudo systemctl enable --now pbem": players.move,
        POLL: players.hear,
        "pbem admin backup /backup/games.sqlite": players.move,
        "sudo systemctl start pbem": lambda: next(started)(),
        UPGRADE: lambda: refuses(host, "pbem poll", "run `pbem admin upgrade`"),
        "pbem admin end blame-1 --yes": lambda: players.hear_the_end(host),
    }
    host.follow(*STORIES["a mailbox"])


def test_a_house_on_postgresql(tmp_path: Path, postgres: PostgresServer) -> None:
    need("pg_dump")
    server = {"PGHOST": postgres.settings["SOCKET"], "PGPORT": postgres.settings["PORT"], "PGUSER": "house"}
    host = Host(tmp_path, {"/backup": f"{tmp_path}/backup"}, variables={**server, "PATH": os.environ["PATH"]})
    host.after["cp -p config.toml token.key /backup"] = lambda: host.type("pbem poll")
    try:
        host.follow(*STORIES["PostgreSQL"])
    finally:
        postgres.do("DROP DATABASE IF EXISTS house WITH (FORCE)")
        postgres.do("DROP ROLE IF EXISTS house")


def test_a_player_on_matrix(tmp_path: Path, matrix_server: MatrixServer) -> None:
    bot, alice = matrix_server.person("games"), matrix_server.person("alice")
    host = Host(
        tmp_path,
        {"@games:example.org": bot.id, "@alice:example.org": alice.id},
        {'homeserver = "https://matrix.example.org"': f'homeserver = "{matrix_server.url}"\nencryption = false'},
        given={"(umask 077; cat > matrix.password)": f"{bot.password}\n"},
    )
    polls = iter((alice.accept, lambda: None))
    host.after["pbem poll"] = lambda: next(polls)()
    host.follow(*STORIES["Matrix"])
    assert any("YOUR HAND" in text for text in alice.texts(alice.joined()[0], bot.id))


def test_two_maildirs(tmp_path: Path) -> None:
    Host(tmp_path).follow(*STORIES["two Maildirs"])
    (mail,) = (tmp_path / "srv/games/mail/in/new").iterdir()
    assert b"hello" in mail.read_bytes()


def test_nothing_in_the_guide_is_passed_over() -> None:
    told = {section for sections in STORIES.values() for section in sections}
    assert {block.section for block in blocks(PAGE.read_text())} == told


@pytest.mark.parametrize(
    ("block", "why"),
    [
        ("```yaml\na: b\n```", "nobody knows what to do with 'yaml'"),
        ("```sh\nsudo reboot\n```", "nobody knows what to do for 'sudo reboot'"),
        ("```sh\ncrontab -e\n```", "nobody knows what to do for 'crontab -e'"),
        ("```sh\ncd nowhere\n```", "No such file or directory"),
        ("```sh\ncd .\n```\n```text\nhello\n```", "printed was"),
        ("```sh\ncd .\n```\n```text\npbem: no\n```", "cd ."),
        ("```sh\ncd .\n```", "the guide does not say that any more"),
        ("    cd .", "fence this block"),
        ("```sh\ncd .", "never ends"),
    ],
)
def test_what_a_guide_may_not_do(tmp_path: Path, block: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"## Here\n\n{block}\n")
    monkeypatch.setattr("tests.hosting.PAGE", page)
    with pytest.raises(AssertionError) as raised:
        Host(tmp_path / "machine").follow("Here")
    assert why in str(raised.value)


def test_what_a_page_shows_is_what_was_printed() -> None:
    printed = "one\ntwo 2\nthree\nfour\n"
    for shown in (printed, "one\n...\nfour\n", "...\ntwo ...\n...\n", "one\n...\ntwo 2\nthree\nfour\n"):
        assert agrees(shown, printed), shown
    for shown in ("one\n", "one\nfour\n", "two ...\n...\n", "...\nfive\n"):
        assert not agrees(shown, printed), shown


def test_a_setting_is_set_where_it_stands() -> None:
    config = "[a]\nx = 1  # one\n# y = 2\n\n# [a.b]\n# x = 3\n"
    assert edited(config, "[a]\ny = 5\n\n[a.b]\nx = 7\n") == "[a]\nx = 1  # one\ny = 5\n\n[a.b]\nx = 7\n"
    for block in ("[b]\nx = 1\n", "[a]\nz = 1\n"):
        with pytest.raises(AssertionError):
            edited(config, block)


def reached(server: MailServer, port: str) -> str:
    """Give what names a real server, which listens elsewhere and has a certificate of its own."""
    return f'host = "localhost"\nport = {server.port(port)}\nca_file = "{server.ca_file}"'


def sent(host: Host) -> int:
    """Count the letters that the service says it has sent since it was started."""
    assert host.service is not None
    return sum(map(int, re.findall(r"\bsent=(\d+)", host.service.said.read_text())))


def refuses(host: Host, line: str, why: str) -> None:
    """Look whether a command says why it does not work."""
    code, said = host.shell.type(line)
    assert code == 1 and why in said, said
