"""What a player says by Matrix in all its ways: answers, edits, taking away, reactions, and what is no order."""

import pytest

from tests.matrix.table import Table
from tests.services.company import said

BURY = "play G1 GS2 S1 accuse carol"


def digest(table: Table, name: str = "alice") -> str:
    """Give the id of the newest message that asks."""
    events = table.people[name].seen(table.rooms[name], table.bot.id)
    return str([one["event_id"] for one in events if one["content"]["msgtype"] == "m.text"][-1])


async def test_an_answer_to_the_digest(table: Table) -> None:
    game = await table.deal("alice")
    alice, room = table.people["alice"], table.rooms["alice"]
    told = await table.told("alice", lambda: alice.reply(room, digest(table), "draw"))
    assert 'Read as "draw" and done.' in said(told) and table.sitting(game).table.step == 1


async def test_full_width_letters_and_typographic_quotes(table: Table) -> None:
    game = await table.deal("alice")
    assert 'Read as "play G1" and done.' in said(await table.answered("alice", "ｐｌａｙ　Ｇ１"))
    assert table.sitting(game).table.step == 1


async def test_a_reaction_is_the_line_of_its_number_once(table: Table) -> None:
    game = await table.deal("alice")
    alice, room, asked = table.people["alice"], table.rooms["alice"], digest(table)
    content = next(one for one in alice.seen(room) if one["event_id"] == asked)["content"]
    line = content["pbem.letter"]["examples"][1]
    told = await table.told("alice", lambda: alice.react(room, asked, "2\ufe0f\u20e3"))
    assert f'Read as "{line}" and done.' in said(told)
    told = await table.told("alice", lambda: alice.react(room, asked, "1"))
    assert "You have already moved" in said(told)
    assert table.sitting(game).table.step == 1


async def test_an_edit_before_the_order_is_used_replaces_it(table: Table) -> None:
    await table.deal("bob")
    table.stage.reply("alice", BURY)
    await table.passed(lambda: [text for text in table.heard("bob") if "bury W1" in text])
    bob, room = table.people["bob"], table.rooms["bob"]
    first = await table.answered("bob", "bury W1")
    assert 'Read as "bury W1". It is sealed' in said(first)
    event = bob.seen(room, bob.id)[-1]["event_id"]
    told = await table.told("bob", lambda: bob.edit(room, event, "pass"))
    assert 'Read as "pass". It is sealed' in said(told)


async def test_an_edit_that_is_there_before_it_is_read_counts_at_once(table: Table) -> None:
    game = await table.deal("alice")
    alice, room = table.people["alice"], table.rooms["alice"]
    alice.edit(room, alice.say(room, "draw"), "play G1")
    await table.passed(lambda: len(table.inbox()) >= 3)
    assert table.sitting(game).table.step == 1
    assert any('Read as "play G1" and done.' in said(text) for text in table.heard("alice"))


async def test_a_later_edit_is_told_what_stands(table: Table) -> None:
    game = await table.deal("alice")
    alice, room = table.people["alice"], table.rooms["alice"]
    await table.answered("alice", "draw")
    event = alice.seen(room, alice.id)[-1]["event_id"]
    told = await table.told("alice", lambda: alice.edit(room, event, "play G1"))
    assert 'You have already moved: "draw" stands' in said(told) and table.sitting(game).table.step == 1


async def test_b02_taking_away_what_is_sealed_takes_it_back(table: Table) -> None:
    await table.deal("bob")
    table.stage.reply("alice", BURY)
    await table.passed(lambda: [text for text in table.heard("bob") if "bury W1" in text])
    bob, room = table.people["bob"], table.rooms["bob"]
    await table.answered("bob", "bury W1")
    told = await table.told("bob", lambda: bob.redact(room, bob.seen(room, bob.id)[-1]["event_id"]))
    assert 'Your answer "bury W1" was taken back' in said(told)


async def test_taking_away_mere_talk_is_nothing(table: Table) -> None:
    await table.deal("alice")
    alice, room = table.people["alice"], table.rooms["alice"]
    await table.answered("alice", "what a nice day")
    count, heard = len(table.inbox()), len(table.heard("alice"))
    alice.redact(room, alice.seen(room, alice.id)[-1]["event_id"])
    await table.passed(lambda: len(table.inbox()) > count)
    await table.pass_once()
    assert len(table.heard("alice")) == heard


@pytest.mark.parametrize(
    ("content", "kind", "told"),
    [
        ({"msgtype": "m.emote", "body": "draw"}, "m.room.message", "an emote"),
        ({"msgtype": "m.image", "body": "draw", "url": "mxc://pbem.test/x"}, "m.room.message", "a picture"),
        ({"body": "draw", "url": "mxc://pbem.test/x", "info": {}}, "m.sticker", "a sticker"),
        ({"m.poll": {}, "m.text": [{"body": "draw"}]}, "m.poll.start", "a poll"),
        ({"msgtype": "org.example.odd", "body": "draw"}, "m.room.message", "something that is no text"),
    ],
)  # fmt: skip
async def test_what_is_no_order_is_told(table: Table, content: dict[str, object], kind: str, told: str) -> None:
    game = await table.deal("alice")
    alice, room = table.people["alice"], table.rooms["alice"]
    answer = await table.told("alice", lambda: alice.send(room, content, kind))
    assert f"There was only {told}" in said(answer) and table.sitting(game).table.step == 0


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ({"msgtype": "m.notice", "body": "draw"}, "m.room.message"),
        ({"m.relates_to": "nonsense", "draw": True}, "m.reaction"),
        ({"msgtype": "m.text", "body": "* draw", "m.relates_to": {"rel_type": "m.replace", "event_id": 7}},
         "m.room.message"),
        ({"draw": "draw"}, "org.example.odd"),
    ],
)  # fmt: skip
async def test_b15_what_says_nothing_gets_no_answer(table: Table, content: dict[str, object], kind: str) -> None:
    game = await table.deal("alice")
    alice, room = table.people["alice"], table.rooms["alice"]
    heard = len(table.heard("alice"))
    alice.send(room, content, kind)
    told = await table.answered("alice", "help")
    assert "WHAT YOU CAN WRITE" in told and len(table.heard("alice")) == heard + 1
    assert table.sitting(game).table.step == 0


async def test_a_thread_is_no_place_for_orders(table: Table) -> None:
    game = await table.deal("alice")
    alice, room = table.people["alice"], table.rooms["alice"]
    relation = {"rel_type": "m.thread", "event_id": digest(table), "is_falling_back": True}
    told = await table.told("alice", lambda: alice.say(room, "draw", **{"m.relates_to": relation}))
    assert "a message in a thread; write in the room itself" in said(told) and table.sitting(game).table.step == 0


async def test_two_games_are_asked_back_and_a_name_in_front_tells(table: Table) -> None:
    first = await table.deal("alice")
    second = table.stage.new_game("blame", ("alice", "bob", "carol"), seed="king", first="alice")
    await table.pass_once()
    told = said(await table.answered("alice", "draw"))
    assert "it is not clear which game you mean" in told and f"{first} and {second}" in told
    told = said(await table.answered("alice", f"{first} draw"))
    assert 'Read as "draw" and done.' in told
    assert [table.sitting(game).table.step for game in (first, second)] == [1, 0]
