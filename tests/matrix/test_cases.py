"""Test the events that other people's bots failed on, as whole moves through the office: each is named by its case.

ann, bob and cleo play here under these names. The events are played by a homeserver of this process.
"""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pbem.errors import TemporaryFailure
from pbem.services import people
from pbem.store import players
from pbem.store.session import transact
from pbem.testing.stage import reply_to, text_of
from pbem.transports.matrix.post import Matrix
from pbem.transports.matrix.session import Revoked
from tests.matrix.court import ANNS, BOT, PEOPLE, WRITTEN, Court, opened
from tests.matrix.recorded import EXPECTATIONS, case
from tests.services.company import fates, inbox, outbox, said


@pytest.fixture
def court(tmp_path: Path, store_url: str) -> Iterator[Court]:
    """Open the office of the cases."""
    with opened(tmp_path, store_url) as found:
        yield found


def alarms(court: Court) -> list[str]:
    return [said(row.text) for row in outbox(court.stage) if row.kind == "alarm"]


def test_b02_a_redaction_after_the_move_changes_nothing_and_is_answered(court: Court) -> None:
    told = court.bring(court.deal("b02-redaction-after-move.json"))
    assert 'Read as "play G1 GS2 S1 accuse bob" and done.' in told[0]
    assert "Only a moderator can take back a move" in told[1] and len(told) == 2
    assert court.step == 1 and fates(court.stage) == ["answered", "answered"]


def test_b03_a_quoted_order_is_not_done(court: Court) -> None:
    told = court.bring(court.deal("b03-reply-fallback.json"))
    assert court.step == 0 and len(told) == 1
    assert "YOUR HAND: 3 cards" in told[0]


def test_b05_who_is_picked_is_the_player_of_that_id(court: Court) -> None:
    court.deal("b05-pill-target.json")
    address = people.check_matrix(court.stage.house, PEOPLE["bob"])
    transact(court.stage.db, lambda s: players.add_place(s, 2, address, 1))
    told = court.bring(case("b05-pill-target.json"))
    assert 'Read as "play G1 GS2 S1 accuse bob" and done.' in told[0]


def test_b05_a_display_name_alone_picks_nobody(court: Court) -> None:
    court.deal("b05-pill-target.json")
    court.say("$1", "play G1 GS2 S1 accuse Bobby", WRITTEN)
    court.poll()
    assert court.step == 0


def test_b08_what_was_sent_while_the_bot_was_down_is_done_however_old(court: Court) -> None:
    found = court.deal("b08-sent-while-down.json")
    court.server.deliver(found["steps"][1]["deliver"])
    court.stage.rig.transports = [court.stage.rig.transports[0], Matrix(court.server.session)]
    court.stage.now = WRITTEN + timedelta(hours=1)
    court.poll()
    assert court.step == 1
    court.stage.rig.transports = [court.stage.rig.transports[0], Matrix(court.server.session)]
    (court.server.folder / "sync.json").unlink()
    court.poll()
    assert court.step == 1 and len(inbox(court.stage)) == 1


def test_b10_no_secret_goes_where_a_third_person_is(court: Court) -> None:
    found = court.deal("b10-third-person-joined.json")
    before = len(court.server.told(ANNS))
    court.bring(found)
    court.poll()
    told = court.server.told(ANNS)[before:]
    assert court.step == 0 and told and not any("HAND" in words or "asked" in words for words in told)
    assert "This room is not private any more: @eve:example.com is, was or may come in." in told[0]
    (new,) = [room for room in court.server.rooms if room.startswith("!made")]
    assert court.server.rooms[new].members == {BOT: "join", PEOPLE["ann"]: "invite"}
    (alarm,) = alarms(court)
    assert "@ann:example.org" in alarm and "private no more" in alarm and "HAND" not in alarm
    court.server.deliver(
        court.event("$in", "m.room.member", {"membership": "join"}, WRITTEN, state_key=PEOPLE["ann"], room_id=new)
    )
    court.poll()
    shown = [said(words) for words in court.server.told(new)]
    assert any("was not acted on" in words for words in shown) and any("Welcome" in words for words in shown)
    assert len(alarms(court)) == 1


def test_b10_mail_is_used_meanwhile_if_the_seat_has_it(court: Court) -> None:
    court.bring(court.deal("b10-third-person-joined.json", email=True))
    court.poll()
    (letter,) = court.stage.mails("ann@example.org")
    assert "not private" in said(letter)


@pytest.mark.parametrize("visibility", ["shared", "world_readable", ""])
def test_b10_no_secret_goes_where_who_comes_later_may_read(court: Court, visibility: str) -> None:
    court.deal("b10-third-person-joined.json")
    court.server.rooms[ANNS].history = visibility
    before = len(court.server.told(ANNS))
    court.say("$1", "status", WRITTEN)
    court.poll()
    assert not any("HAND" in words for words in court.server.told(ANNS)[before:])


def test_b13_without_the_keys_it_is_said_plainly(court: Court) -> None:
    found = court.deal("b13-undecryptable-then-key.json")
    court.server.rooms[ANNS].encrypted = True
    court.bring(found)
    assert court.step == 0
    assert any("encrypted, which the office cannot read" in said(words) for words in court.server.told(ANNS))


def test_b14_the_same_words_again_within_ten_seconds_are_one(court: Court) -> None:
    told = court.bring(court.deal("b14-double-send.json"))
    assert court.step == 1
    assert 'Read as "draw" and done.' in told[0] and 'You have already moved: "draw" stands' in told[1]


def test_b14_talk_is_carried_once(court: Court) -> None:
    court.deal("b14-double-send.json")
    before = len(court.stage.mails("bob@example.org"))
    for number in range(2):
        court.say(f"$s{number}", "say hello", WRITTEN + timedelta(seconds=3 * number))
    court.poll()
    assert len(court.stage.mails("bob@example.org")) == before + 1


def test_b15_a_notice_is_no_order_and_gets_no_answer(court: Court) -> None:
    told = court.bring(court.deal("b15-notice-loop.json"))
    assert court.step == 0 and told == [] and inbox(court.stage) == []


def test_b16_the_user_id_decides_and_not_the_name(court: Court) -> None:
    told = court.bring(court.deal("b16-display-name-spoof.json"))
    assert court.step == 1 and fates(court.stage) == ["ignored", "answered"]
    assert 'Read as "draw" and done.' in told[0]


def test_b22_a_revoked_login_is_an_alarm_and_letters_go_by_mail(court: Court) -> None:
    court.deal("b10-third-person-joined.json", email=True)
    court.server.refuses["enter"] = Revoked("the homeserver takes our login no more")
    due = min(prompt.deadline_at for prompt in court.stage.sitting("blame-1").prompts.values())
    while court.stage.now < due + timedelta(hours=2):
        court.stage.now += timedelta(hours=1)
        court.poll()
    assert court.step == 0, "no deadline runs out while a post cannot be read"
    assert "cannot be read" in alarms(court)[0] and "login" in alarms(court)[0]
    bobs = court.stage.mails("bob@example.org")[0]
    court.stage.deliver(reply_to(bobs, "bob@example.org", "say hello", court.stage.now, 1))
    court.poll()
    (letter,) = court.stage.mails("ann@example.org")
    assert "hello" in text_of(letter)


def test_b23_a_room_that_is_unknown_after_a_restart_is_looked_at_first(court: Court) -> None:
    court.deal("b10-third-person-joined.json")
    court.stage.rig.transports = [court.stage.rig.transports[0], Matrix(court.server.session)]
    heard = len(court.heard())
    due = min(prompt.deadline_at for prompt in court.stage.sitting("blame-1").prompts.values())
    while court.stage.now < due - timedelta(hours=1):
        court.stage.now += timedelta(hours=1)
        court.poll()
    assert "reminder" in court.heard()[heard]


def test_b23_where_members_are_unknown_nothing_is_sent(court: Court) -> None:
    court.deal("b10-third-person-joined.json", email=True)
    state = court.server.listed

    async def fails(method: str, *path: str, **more: Any) -> Any:
        if path[-1] == "state":
            raise TemporaryFailure("the server is busy")
        return await state(method, *path, **more)

    court.server.listed = fails  # type: ignore[method-assign]
    heard = len(court.heard())
    bobs = court.stage.mails("bob@example.org")[0]
    court.stage.deliver(reply_to(bobs, "bob@example.org", "say hello", court.stage.now, 1))
    court.poll()
    assert court.stage.mails("ann@example.org") == []
    court.stage.now += timedelta(minutes=2)
    court.poll()
    (letter,) = court.stage.mails("ann@example.org")
    assert "hello" in text_of(letter) and court.heard()[heard:] == []


def test_every_case_is_here() -> None:
    assert len(EXPECTATIONS) == 9
    names = {name.split("_")[1].upper() for name in globals() if name.startswith("test_b")}
    assert {told["case"] for told in EXPECTATIONS.values()} | {"B22", "B23"} == names
