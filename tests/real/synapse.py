"""Start a real Synapse for a test session, and be people on it: plain requests, with no client library."""

import hashlib
import hmac
import itertools
import json
import os
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.real.servers import until

SCRIPT = Path(__file__).parent / "synapse.sh"
INSTALLED = Path(__file__).parents[2] / ".synapse/bin"
PLAIN = urllib.request.build_opener(urllib.request.ProxyHandler({}))
numbers = itertools.count(1)


class Refused(Exception):
    """Say that the server refused a request."""


def request(url: str, method: str = "GET", body: object = None, token: str = "") -> Any:
    """Make one request, and give the JSON of its answer.

    Raises: Refused, with the server's error code.
    """
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    data = None if body is None else json.dumps(body).encode()
    try:
        with PLAIN.open(urllib.request.Request(url, data, headers, method=method), timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise Refused(json.load(error).get("errcode", "")) from error


@dataclass(frozen=True)
class Person:
    """Be somebody with an account."""

    server: "MatrixServer"
    name: str
    password: str = field(repr=False)
    token: str = field(repr=False)
    device: str = ""

    @property
    def id(self) -> str:
        """Give the user id."""
        return f"@{self.name}:{self.server.settings['NAME']}"

    def ask(self, method: str, *path: str, body: object = None, **query: str) -> Any:
        """Make a request of the client-server API."""
        line = "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())
        place = "/".join(quote(part, safe="") for part in path)
        url = f"{self.server.url}/_matrix/client/v3/{place}{'?' if line else ''}{line}"
        return request(url, method, {} if body is None and method != "GET" else body, self.token)

    def invited(self) -> list[str]:
        """Give the rooms that the person is invited to."""
        # The server keeps its answer to the very same question for a while.
        answer = self.ask(
            "GET",
            "sync",
            timeout=str(next(numbers) % 10),
            filter=f'{{"room":{{"timeline":{{"limit":{next(numbers)}}}}}}}',
        )
        return list(answer.get("rooms", {}).get("invite", {}))

    def joined(self) -> list[str]:
        """Give the rooms that the person is in."""
        return list(self.ask("GET", "joined_rooms")["joined_rooms"])

    def join(self, room: str) -> None:
        """Join a room."""
        self.ask("POST", "join", room)

    def accept(self) -> str:
        """Wait for one invitation, join, and give the room."""
        (room, *_) = until(self.invited, f"an invitation of {self.id}")
        self.join(room)
        return room

    def leave(self, room: str) -> None:
        """Leave a room."""
        self.ask("POST", "rooms", room, "leave")

    def invite(self, room: str, other: str) -> None:
        """Invite somebody."""
        self.ask("POST", "rooms", room, "invite", body={"user_id": other})

    def create(self, **body: object) -> str:
        """Make a room."""
        return str(self.ask("POST", "createRoom", body=body)["room_id"])

    def send(self, room: str, content: dict[str, Any], kind: str = "m.room.message", txn: str = "") -> str:
        """Send an event, and give its id."""
        return str(self.ask("PUT", "rooms", room, "send", kind, txn or f"t{next(numbers)}", body=content)["event_id"])

    def say(self, room: str, text: str, **more: Any) -> str:
        """Send a text."""
        return self.send(room, {"msgtype": "m.text", "body": text, **more})

    def reply(self, room: str, event: str, text: str) -> str:
        """Answer a message."""
        return self.say(room, text, **{"m.relates_to": {"m.in_reply_to": {"event_id": event}}})

    def edit(self, room: str, event: str, text: str) -> str:
        """Write a message anew."""
        new = {"msgtype": "m.text", "body": text}
        relation = {"rel_type": "m.replace", "event_id": event}
        return self.say(room, f"* {text}", **{"m.new_content": new, "m.relates_to": relation})

    def redact(self, room: str, event: str) -> str:
        """Take a message away."""
        return str(self.ask("PUT", "rooms", room, "redact", event, f"t{next(numbers)}")["event_id"])

    def react(self, room: str, event: str, key: str) -> str:
        """Put a sign to a message."""
        relation = {"rel_type": "m.annotation", "event_id": event, "key": key}
        return self.send(room, {"m.relates_to": relation}, "m.reaction")

    def state(self, room: str, kind: str, content: dict[str, Any], key: str = "") -> None:
        """Change the state of a room."""
        self.ask("PUT", "rooms", room, "state", kind, key, body=content)

    def events(self, room: str) -> list[dict[str, Any]]:
        """Give what the person may see of a room, the oldest first."""
        found = self.ask("GET", "rooms", room, "messages", dir="b", limit="200")["chunk"]
        return [event for event in found[::-1] if isinstance(event, dict)]

    def seen(self, room: str, sender: str = "") -> list[dict[str, Any]]:
        """Give the messages that the person may see: of one sender, or of all."""
        messages = [event for event in self.events(room) if event["type"] == "m.room.message" and event["content"]]
        return [event for event in messages if sender in ("", event["sender"])]

    def texts(self, room: str, sender: str = "") -> list[str]:
        """Give the bodies of those messages."""
        return [str(event["content"].get("body", "")) for event in self.seen(room, sender)]


@dataclass(frozen=True)
class MatrixServer:
    """Be the homeserver of one session."""

    folder: Path
    settings: dict[str, str]

    @property
    def url(self) -> str:
        """Give its address."""
        return self.settings["HOMESERVER"]

    def person(self, name: str = "", *, admin: bool = False) -> Person:
        """Make an account that no other test has; `name` is how its name begins."""
        name = f"{name or 'user'}{next(numbers)}"
        password = f"{name}-pw"
        url = f"{self.url}/_synapse/admin/v1/register"
        nonce = request(url)["nonce"]
        words = "\0".join([nonce, name, password, "admin" if admin else "notadmin"])
        mac = hmac.new(self.settings["SECRET"].encode(), words.encode(), hashlib.sha1).hexdigest()
        body = {"nonce": nonce, "username": name, "password": password, "admin": admin, "mac": mac}
        made = request(url, "POST", body)
        return Person(self, name, password, made["access_token"], made["device_id"])

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the server, and start it again at the end."""
        run("stop", self.folder)
        try:
            yield
        finally:
            run("start", self.folder)

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Let the server count messages."""
        with self.stopped():
            run("limit", self.folder, "on")
        try:
            yield
        finally:
            with self.stopped():
                run("limit", self.folder, "off")


def run(verb: str, folder: Path, *more: str) -> str:
    """Let the script do something; what it complains of is shown."""
    done = subprocess.run([SCRIPT, verb, folder, *more], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@contextmanager
def serving(folder: Path) -> Iterator[MatrixServer]:
    """Let a server run in a folder; nothing of it is left behind, even if this process is killed."""
    out = run("start", folder)
    watch = [str(SCRIPT), "watch", str(folder), str(os.getpid())]
    null = subprocess.DEVNULL
    with subprocess.Popen(watch, stdin=null, stdout=null, stderr=null, start_new_session=True) as watcher:
        try:
            yield MatrixServer(folder, dict(line.split("=", 1) for line in out.splitlines()))
        finally:
            os.killpg(watcher.pid, signal.SIGTERM)
            run("purge", folder)
