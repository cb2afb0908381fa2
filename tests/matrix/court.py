"""Be the office of the recorded cases, on a homeserver of this process."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlmodel import Session, select

from pbem.daemon import Passed
from pbem.services import lobby, people
from pbem.store import players
from pbem.store.session import transact
from pbem.store.tables import Place
from pbem.testing.stage import Stage, open_stage
from pbem.transports.matrix.post import Matrix
from tests.matrix.recorded import Homeserver, Room, case
from tests.services.company import said

BOT = "@judge:play.example.org"
PEOPLE = {"ann": "@ann:example.org", "bob": "@bob:example.org", "cleo": "@cleo:example.net"}
ANNS, PUBLIC = "!dm-ann:play.example.org", "!g17:play.example.org"
DEALT = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)
WRITTEN = datetime(2026, 3, 3, 17, 6, tzinfo=UTC)


@dataclass
class Court:
    """Be the office of the cases: ann is on Matrix (and may have mail), the others have mail."""

    stage: Stage
    server: Homeserver
    told: int = 0

    def deal(self, name: str, *, email: bool = False) -> dict[str, Any]:
        """Set the rooms of a case up as they were while the game was dealt, and deal."""
        found = case(name)
        for room, as_told in found["rooms"].items():
            members = {user: how for user, how in as_told["members"].items() if user not in _comers(found)}
            history = "joined" if room == ANNS else as_told["history_visibility"]
            self.server.rooms[room] = Room(members, history, creator=BOT)
        self.server.rooms.setdefault(ANNS, Room({BOT: "join", PEOPLE["ann"]: "join"}, "joined", creator=BOT))
        self.register(email)
        public = PUBLIC if PUBLIC in found["rooms"] else ""
        transact(self.stage.db, lambda session: self._deal(session, public))
        self.server.stream.append(self.event("$ready", "m.room.topic", {"topic": "ready"}))
        self.poll()
        self.server.now = self.stage.now = WRITTEN - timedelta(minutes=1)
        return found

    def register(self, email: bool) -> None:
        """Register the three; ann's Matrix id is known to be hers."""
        post = self.stage.rig.transports[1]
        assert isinstance(post, Matrix)
        post._rooms.note(PEOPLE["ann"], ANNS)
        for name, user in PEOPLE.items():
            users = [user] if name == "ann" else []
            emails = [] if name == "ann" and not email else [f"{name}@example.org"]
            transact(self.stage.db, lambda s, n=name, e=emails, u=users: people.add_player(  # type: ignore[misc]
                s, self.stage.house, DEALT, n, e, users=u))  # fmt: skip
        transact(self.stage.db, self._know)

    def _know(self, session: Session) -> None:
        for place in session.exec(select(Place)):
            place.confirmed_at = DEALT
            session.add(place)
        ann = players.find_player(session, "ann")
        assert ann is not None
        ann.prefer = "matrix"
        session.add(ann)

    def _deal(self, session: Session, room: str) -> None:
        lobby.new_game(
            session, self.stage.house, DEALT, "blame", list(PEOPLE), options={"first": "ann"}, seed_word="queen",
            room=room,
        )  # fmt: skip

    def event(self, name: str, kind: str, content: dict[str, Any], at: datetime = DEALT, **more: Any) -> dict[str, Any]:
        """Write an event of ann's room."""
        ts = int(at.timestamp() * 1000)
        event = {"type": kind, "event_id": name, "room_id": ANNS, "sender": PEOPLE["ann"], "origin_server_ts": ts}
        return {**event, "content": content, **more}

    def say(self, name: str, words: str, at: datetime, **more: Any) -> None:
        """Let ann type something."""
        self.server.deliver(self.event(name, "m.room.message", {"msgtype": "m.text", "body": words}, at, **more))

    def poll(self) -> Passed:
        """Make a pass."""
        return self.stage.poll()

    def bring(self, found: dict[str, Any]) -> list[str]:
        """Let the steps of a case happen, a pass after each, and give all that ann is told for it."""
        heard = len(self.heard())
        answered = found["rooms"].get(ANNS) and self._digest()
        for step in found["steps"]:
            if "deliver" in step:
                text = json.dumps(step["deliver"]).replace('"$0"', json.dumps(answered)) if answered else None
                self.server.deliver(json.loads(text) if text else step["deliver"])
                self.stage.now = WRITTEN
                self.poll()
        return self.heard()[heard:]

    def _digest(self) -> str:
        return [str(e["event_id"]) for e in self.server.stream if e["sender"] == BOT and e["room_id"] == ANNS][-1]

    def heard(self) -> list[str]:
        """Give what ann was told in all private rooms, the oldest first, each as one line."""
        return [said(body) for room in self.server.rooms if room != PUBLIC for body in self.server.told(room)]

    @property
    def step(self) -> int:
        """Count the steps of the game."""
        return self.stage.sitting("blame-1").table.step


def _comers(found: dict[str, Any]) -> set[str]:
    events = [step["deliver"] for step in found["steps"] if "deliver" in step]
    return {event["state_key"] for event in events if event["type"] == "m.room.member"} - set(PEOPLE.values())


@contextmanager
def opened(folder: Path, url: str) -> Iterator[Court]:
    """Open the office, on a database that holds nothing."""
    stage = open_stage(
        folder, DEALT, url=url, matrix={"homeserver": "https://play.example.org", "user": BOT, "password": "pw"},
        moderators={"mod": "mod@example.org"}, office={"address": "games@play.example.org"},
    )  # fmt: skip
    server = Homeserver(folder / "matrix", BOT, DEALT)
    stage.rig.transports = [stage.rig.transports[0], Matrix(server.session)]
    yield Court(stage, server)
    stage.close()
