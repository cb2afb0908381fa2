"""One seat on two posts: an order by either is the same order, and nothing secret goes where nobody came in yet."""

import asyncio
import json
from pathlib import Path

import pytest
from sqlmodel import col, select

from pbem.core.dice import rehearsal_seed
from pbem.engine import Dice
from pbem.store.session import read
from pbem.store.tables import LogEntry
from pbem.testing.stage import Stage, open_stage, text_of
from pbem.transports.posts import posts
from tests.matrix.table import NAMES, Table, seated
from tests.real.synapse import MatrixServer
from tests.services.company import said


async def both(table: Table) -> str:
    """Let alice be on both posts, and the others on mail."""
    table.register("alice", email=True)
    await table.enter("alice")
    for name in ("bob", "carol"):
        table.stage.add_player(name)
    game = table.stage.new_game("blame", NAMES, seed="queen", first="alice")
    await table.pass_once()
    return game


async def test_an_order_by_mail_and_the_same_by_matrix_are_one(table: Table) -> None:
    game = await both(table)
    table.stage.reply("alice", "prefer both")
    await table.passed(lambda: [text for text in table.heard("alice") if "by mail and by Matrix" in said(text)])
    assert any("by mail and by Matrix" in said(mail) for mail in table.stage.mails("alice"))
    table.stage.reply("alice", "status")
    await table.passed(lambda: [text for text in table.heard("alice") if "YOUR HAND" in text])
    assert "YOUR HAND" in text_of(table.stage.mails("alice")[-1])
    table.stage.reply("alice", "draw", to=table.stage.mails("alice")[0])
    await table.passed(lambda: table.sitting(game).table.step == 1)
    event = next(
        one for one in table.people["alice"].seen(table.rooms["alice"], table.bot.id)
        if one["content"].get("pbem.letter", {}).get("examples")
    )  # fmt: skip
    told = await table.told(
        "alice", lambda: table.people["alice"].reply(table.rooms["alice"], event["event_id"], "draw")
    )
    assert 'You have already moved: "draw" stands' in said(told) and table.sitting(game).table.step == 1


async def test_letters_go_where_the_player_wants_them(table: Table) -> None:
    await both(table)
    assert "YOUR HAND" in text_of(table.stage.newest("alice")), "the first address that is known"
    told = await table.answered("alice", "prefer matrix")
    assert "Your letters come by Matrix from now on." in said(told)
    mails = len(table.stage.mails("alice"))
    table.stage.reply("bob", "say hello")
    await table.passed(lambda: [text for text in table.heard("alice") if "hello" in text])
    assert len(table.stage.mails("alice")) == mails
    told = await table.told("alice", lambda: table.stage.reply("alice", "prefer nowhere"))
    assert "Not read as an order" in said(told)


async def test_nothing_secret_goes_to_an_id_whose_owner_did_not_come_in(table: Table) -> None:
    table.register("alice", email=True)
    for name in ("bob", "carol"):
        table.stage.add_player(name)
    table.stage.new_game("blame", NAMES, seed="queen", first="alice")
    await table.passed(table.people["alice"].invited)
    assert "YOUR HAND" in text_of(table.stage.newest("alice"))
    assert not [row for row in table.outbox() if row.transport == "matrix" and "HAND" in row.text]
    table.rooms["alice"] = table.people["alice"].accept()
    await table.passed(lambda: [text for text in table.heard("alice") if "Welcome" in text])
    assert not [text for text in table.heard("alice") if "HAND" in text]


async def test_a_player_on_matrix_alone_gets_the_digest_once_in(table: Table) -> None:
    table.register("alice")
    for name in ("bob", "carol"):
        table.stage.add_player(name)
    table.stage.new_game("blame", NAMES, seed="queen", first="alice")
    await table.passed(table.people["alice"].invited)
    table.rooms["alice"] = table.people["alice"].accept()
    await table.passed(lambda: [text for text in table.heard("alice") if "YOUR HAND" in text])


async def test_a_public_room_is_told_what_all_may_see_in_one_message_a_step(table: Table) -> None:
    bob = table.people["bob"]
    room = bob.create(invite=[table.bot.id], preset="private_chat")
    for name in NAMES:
        table.stage.add_player(name)
    game = table.stage.new_game("blame", NAMES, seed="queen", first="alice", room=room)
    told = await table.passed(lambda: bob.texts(room, table.bot.id))
    assert len(told) == 1 and "alice" in told[0] and "HAND" not in told[0] and "Orcs" not in told[0]
    table.stage.reply("alice", "draw")
    told = await table.passed(lambda: bob.texts(room, table.bot.id)[1:])
    assert len(told) == 1 and table.sitting(game).table.step == 1
    assert {event["content"]["msgtype"] for event in bob.seen(room, table.bot.id)} == {"m.notice"}


async def test_an_order_that_belongs_in_private_is_taken_out_of_the_public_room(table: Table) -> None:
    dave = table.server.person("dave")
    room = dave.create(invite=[table.bot.id], preset="private_chat", power_level_content_override={"redact": 0})
    table.register("bob")
    await table.enter("bob")
    for name in ("alice", "carol"):
        table.stage.add_player(name)
    table.stage.new_game("blame", NAMES, seed="queen", first="alice", room=room)
    await table.pass_once()
    table.stage.reply("alice", "play G1 GS2 S1 accuse carol")
    await table.passed(lambda: [text for text in table.heard("bob") if "bury W1" in text])
    bob = table.people["bob"]
    dave.invite(room, bob.id)
    bob.join(room)
    bob.say(room, "what a day")
    told = await table.told("bob", lambda: bob.say(room, "bury W1"))
    assert "this belongs in private. Nothing was done" in said(told)
    await table.passed(lambda: dave.texts(room, bob.id) == ["what a day"])
    assert len([text for text in table.heard("bob") if "what a day" in text]) == 0


def log_of(stage: Stage) -> list[tuple[str, str, str]]:
    """Give all that the log of a game says, with what chains it."""
    query = select(LogEntry).order_by(col(LogEntry.number))
    return read(stage.db, lambda session: [(row.body, row.events, row.chain) for row in session.exec(query)])


async def test_a_whole_game_has_the_same_log_as_by_mail_alone(
    table: Table, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for name in ("alice", "bob"):
        table.register(name)
        await table.enter(name)
    table.stage.add_player("carol")
    game = table.stage.new_game("blame", NAMES, seed="the same", first="alice", max_turns="6")
    await table.pass_once()
    local = open_stage(tmp_path_factory.mktemp("local"))
    for name in NAMES:
        local.add_player(name)
    local.new_game("blame", NAMES, seed="the same", first="alice", max_turns="6")
    local.rig.transports = local.rig.transports[:1]
    dice = Dice(rehearsal_seed("words"))
    while (sitting := table.sitting(game)).is_open:
        seat = next(seat for seat, prompt in sorted(sitting.prompts.items()) if prompt.order is None)
        words = sitting.engine.sample(sitting.table.view(seat), dice)
        await play(table, game, NAMES[seat], words)
        await asyncio.to_thread(local.poll)
        local.reply(NAMES[seat], words)
        await asyncio.to_thread(local.poll)
    assert log_of(table.stage) == log_of(local) and len(log_of(local)) > 6
    local.close()


async def play(table: Table, game: str, name: str, words: str) -> None:
    """Let a player write an order by the post that is theirs, and wait until it is dealt with."""
    count = len(table.inbox())
    if name in table.rooms:
        events = table.people[name].seen(table.rooms[name], table.bot.id)
        asking = [one["event_id"] for one in events if one["content"]["msgtype"] == "m.text"][-1]
        table.people[name].reply(table.rooms[name], asking, words)
    else:
        table.stage.reply(name, words)
    await table.passed(lambda: len(table.inbox()) > count)


async def test_a_bot_that_is_stopped_and_started_loses_and_doubles_nothing(
    table: Table, matrix_server: MatrixServer
) -> None:
    """Orders come while it is down, the homeserver is restarted too, and what was brought comes once more."""
    game = await table.deal("alice", "bob", max_turns="4")
    dice, wrote = Dice(rehearsal_seed("restarts")), 0
    while (sitting := table.sitting(game)).is_open:
        seat = next(seat for seat, prompt in sorted(sitting.prompts.items()) if prompt.order is None)
        words = sitting.engine.sample(sitting.table.view(seat), dice)
        if wrote % 2:
            await table.matrix.close()
            token = (table.matrix.session.folder / "sync.json").read_bytes()
            if wrote == 1:
                with matrix_server.stopped():
                    pass
            table.stage.rig.transports = posts(table.stage.config)
            await play(table, game, NAMES[seat], words)
            (table.matrix.session.folder / "sync.json").write_bytes(token)  # as if it had died before it kept this
            await table.pass_once()
        else:
            await play(table, game, NAMES[seat], words)
        wrote += 1
    entered = await asyncio.to_thread(log_of, table.stage)
    assert sum(len(json.loads(body).get("orders", ())) for body, _, _ in entered) == wrote
    said_by_bot = [
        event for name in ("alice", "bob") for event in table.people[name].seen(table.rooms[name], table.bot.id)
    ]
    letters = [event["content"]["pbem.letter"]["id"] for event in said_by_bot]
    assert len(letters) == len(set(letters))


async def test_moderators_hear_of_alarms_in_their_room(matrix_server: MatrixServer, tmp_path: Path) -> None:
    mona = matrix_server.person("mona")
    room = mona.create(preset="private_chat")
    async with seated(matrix_server, tmp_path, moderators_room=room) as table:
        mona.invite(room, table.bot.id)
        await table.deal("alice")
        table.bot.invite(table.rooms["alice"], matrix_server.person("eve").id)
        table.stage.reply("bob", "say hello")
        told = await table.passed(lambda: mona.texts(room, table.bot.id))
        assert len(told) == 1 and "is private no more" in said(told[0]) and "hello" not in told[0]
