"""Measure the floor of a move: the same work as the office does, by hand, with nothing that it does not need.

A reply is parsed, its token checked, a state loaded, a move of the same game made, three letters rendered by Jinja2
from templates of a letter's size, their mails put together from bytes, and all of it committed by the driver alone,
synchronous=FULL. No reading of quotes, no checks, no history: that is no house, but it shows what the house costs.
"""

import email
import email.policy
import hashlib
import hmac
import json
import quopri
import sqlite3
import statistics
import tempfile
import time
from email.parser import BytesParser
from pathlib import Path

import jinja2

from bench.engine import PLAYERS, Position, positions
from bench.measure import emit
from pbem import games
from pbem.engine import Dice

KEY = b"k" * 32
GAMES = 50
TABLES = """
create table game (id integer primary key, n integer not null, state text not null);
create table inbox (id integer primary key, message text not null unique, raw blob not null);
create table log (game integer not null, n integer not null, orders text, events text, primary key (game, n));
create table outbox (id integer primary key, key text not null unique, mail blob, status text);
create index outbox_queued on outbox (status) where status = 'queued';
"""
TEXT = (
    "{{ name }}, turn {{ turn }}\n\nDear {{ you }},\n\n"
    "{% for line in lines %}  - {{ line }}\n{% endfor %}\n"
    "{% for seat in seats %}  {{ seat.name }}: {{ seat.role }}, {{ seat.cards }} cards, {{ seat.secrets }} Secrets\n"
    "{% endfor %}\n{% for card in hand %}  {{ card[0] }} {{ card[1] }}\n{% endfor %}\n"
    "{% for line in asked %}    {{ line }}\n{% endfor %}" + "A line of every letter, the same for all.\n" * 20
)
STYLE = "display:inline-block;padding:0 7px;border-radius:10px;border:1px solid rgba(255,255,255,.35);color:#fff;" * 2
CELL = "padding:6px 6px 6px 0;border-bottom:1px solid rgba(128,128,128,.35);vertical-align:top;text-align:right"
HTML = (
    """<!DOCTYPE html><html><body><h1>{{ name }}, turn {{ turn }}</h1><p>Dear {{ you }},</p>
<ul>
{% for line in lines %}<li>{{ line }}</li>
{% endfor %}</ul>
<table>
{% for seat in seats %}<tr>
<td style="CELL">{{ seat.name }}</td>
<td style="CELL">{{ seat.role }}</td>
<td style="CELL">{{ seat.cards }}</td>
<td style="CELL">{{ seat.secrets }}</td>
</tr>
{% endfor %}</table>
{% for card in hand %}
<p style="CELL"><b>{{ card[0] }}</b> {{ card[1] }}
<i style="STYLE">{{ card[0][0] }}</i> <i style="STYLE">{{ card[0] }}</i></p>
{% endfor %}
{% for line in asked %}<code style="CELL">{{ line }}</code>
{% endfor %}
"""
    + '<p style="CELL">A line of every letter, the same for all.</p>\n' * 40
)
HTML = HTML.replace("STYLE", STYLE).replace("CELL", CELL)
"""Letters as long as those of the office: some 58 lines of text, and 14 KB of HTML in 90 lines."""


class Floor:
    """Hold a database, the compiled templates, and positions to play from."""

    def __init__(self, path: Path, reply: bytes) -> None:
        self.engine = games.get("blame")
        self.positions: list[Position] = positions(self.engine, 10)
        self.reply = reply
        self.text = jinja2.Environment(autoescape=False).from_string(TEXT)
        self.html = jinja2.Environment(autoescape=True).from_string(HTML)
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("pragma journal_mode=wal")
        self.db.execute("pragma synchronous=full")
        self.db.executescript(TABLES)
        state = self.engine.dump(self.positions[0][0])
        self.db.executemany("insert into game values (?, 0, ?)", [(number, state) for number in range(GAMES)])

    def move(self, number: int) -> None:
        """Do the work of one move."""
        parsed = BytesParser(policy=email.policy.compat32).parsebytes(self.reply)
        body = parsed.get_payload(decode=True)
        assert isinstance(body, bytes)
        hmac.compare_digest(hmac.digest(KEY, str(parsed["In-Reply-To"]).encode(), hashlib.sha256), KEY)
        game = number % GAMES
        n, kept = self.db.execute("select n, state from game where id = ?", (game,)).fetchone()
        json.loads(kept)
        state, texts, seed = self.positions[number % len(self.positions)]
        orders = {seat: self.engine.parse(self.engine.view(state, seat), text) for seat, text in texts.items()}
        after, events = self.engine.resolve(state, orders, Dice(seed))
        told = [f"{event.kind} {dict(event.facts)}"[:70] for event in events]
        rows = [self._letter(after, seat, told, number) for seat in range(len(PLAYERS))]
        run = self.db.execute
        run("begin immediate")
        run("update game set n = ?, state = ? where id = ? and n = ?", (n + 1, self.engine.dump(after), game, n))
        run("insert into inbox (message, raw) values (?, ?)", (f"<{number}@example.org>", self.reply))
        run("insert into log values (?, ?, ?, ?)", (game, n + 1, json.dumps(texts), json.dumps(told)))
        self.db.executemany("insert into outbox (key, mail, status) values (?, ?, 'queued')", rows)
        run("commit")

    def _letter(self, state: object, seat: int, told: list[str], number: int) -> tuple[str, bytes]:
        view = self.engine.view(state, seat)
        seats = [
            {"name": name, "role": view.roles[at], "cards": view.hand_sizes[at], "secrets": view.secret_counts[at]}
            for at, name in enumerate(view.names)
        ]
        hand = [(card, view.titles[card]) for card in view.hand]
        shown = {
            "name": "blame-1", "turn": view.turn, "you": view.names[seat], "lines": told, "seats": seats, "hand": hand,
            "asked": ("draw", "play V1", "play V1 VT2"),
        }  # fmt: skip
        return f"{number}-{seat}", _mail(f"{number}-{seat}", self.text.render(shown), self.html.render(shown))


def _mail(key: str, text: str, html: str) -> bytes:
    """Put a mail of two parts together, as bytes."""
    head = (
        "From: pbem <pbem@example.org>\r\nTo: a@example.org\r\nSubject: [blame-1] Turn 1\r\n"
        f"Message-ID: <{key}@pbem>\r\nDate: Mon, 02 Mar 2026 12:00:00 +0000\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/alternative; boundary="=_b"\r\n'
    )
    part = "\r\n--=_b\r\nContent-Type: text/%s; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    parts = [
        (part % kind).encode() + quopri.encodestring(body.encode()) for kind, body in (("plain", text), ("html", html))
    ]
    return head.encode() + b"".join(parts) + b"\r\n--=_b--\r\n"


def run(reply: bytes, moves: int = 600) -> float:
    """Print and give the seconds of one move at the floor."""
    times = []
    with tempfile.TemporaryDirectory() as folder:
        floor = Floor(Path(folder) / "floor.sqlite", reply)
        for number in range(moves):
            start = time.perf_counter()
            floor.move(number)
            times.append(time.perf_counter() - start)
        floor.db.close()
    middle = statistics.median(times)
    emit("floor: the same work by hand", middle * 1000, "ms (median)")
    return middle
