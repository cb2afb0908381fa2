"""Reading one event: own words only, and no surprise whatever a client sends."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.transports.matrix.events import letter_of, read
from pbem.transports.matrix.inbound import again, message
from pbem.transports.matrix.memory import Memory

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
KINDS = ("m.room.message", "m.reaction", "m.room.redaction", "m.sticker", "m.room.encrypted", "m.room.member")
NAMES = st.sampled_from(["body", "msgtype", "m.relates_to", "m.new_content", "formatted_body", "format", "redacts"])


def event(content: Any, kind: str = "m.room.message", **more: Any) -> dict[str, Any]:
    return {"type": kind, "event_id": "$1", "sender": "@a:b.example", "origin_server_ts": 1, "content": content, **more}


def words(body: str, rich: str = "", *, answers: bool = False) -> str:
    content: dict[str, Any] = {"msgtype": "m.text", "body": body}
    if rich:
        content |= {"format": "org.matrix.custom.html", "formatted_body": rich}
    if answers:
        content["m.relates_to"] = {"m.in_reply_to": {"event_id": "$0"}}
    seen = read(event(content))
    assert seen is not None and seen.text is not None
    return seen.text


@pytest.mark.parametrize(
    "content",
    [
        {}, None, [], {"msgtype": "m.notice", "body": "draw"}, {"body": ["draw"], "msgtype": 3},
        {"msgtype": "m.text", "body": "* d", "m.relates_to": {"rel_type": "m.replace", "event_id": "$0"}},
        {"msgtype": "m.text", "body": "* d", "m.relates_to": {"rel_type": "m.replace"}, "m.new_content": {}},
    ],
)  # fmt: skip
def test_what_says_nothing(content: Any) -> None:
    assert read(event(content)) is None


def test_b03_a_reply_is_read_without_what_it_quotes() -> None:
    assert words("> <@judge:x> play G1\n> draw\n\npass", answers=True) == "pass"
    assert words("> * <@judge:x> waves\n>\n> draw\n\npass\nlast", answers=True) == "pass\nlast"
    assert words("pass", "<mx-reply><blockquote>draw</blockquote></mx-reply>pass", answers=True) == "pass"
    assert words("> draw") == "> draw", "that is a quote of the player's own, and left to the reading"


@pytest.mark.parametrize(
    "link",
    [
        "https://matrix.to/#/@bob:x.example", "https://matrix.to/#/%40bob%3Ax.example",
        "https://matrix.to/#/@bob:x.example?via=x.example", "matrix:u/bob:x.example",
    ],
)  # fmt: skip
def test_b05_a_pill_is_the_user_id(link: str) -> None:
    rich = f'spy <a href="{link}"><b>Bobby</b> T.</a>: now'
    assert words("spy Bobby T.", rich).strip() == "spy @bob:x.example: now"


@pytest.mark.parametrize("link", ["https://matrix.to/#/!room:x.example", "https://evil.example/@bob:x.example"])
def test_b05_another_link_is_only_text(link: str) -> None:
    assert "@" not in words("see this", f'see <a href="{link}">this</a>')


@given(st.dictionaries(NAMES | st.text(max_size=10), ANY, max_size=6) | ANY, st.sampled_from(KINDS))
def test_nothing_is_a_surprise(content: Any, kind: str) -> None:
    memory, one = Memory("@bot:x"), event(content, kind)
    seen, trace = read(one), memory.add(one)
    letter_of(one)
    Memory("@a:b.example").add(one)
    if seen is not None and trace is not None:
        made = message(seen, trace, "!r")
        assert again(made.raw, made.received_at) == made


@pytest.mark.parametrize("stamp", [None, True, -5, 1 << 60, "now", 9_000_000_000_000])
def test_a_strange_time_is_now_at_the_latest(stamp: Any) -> None:
    seen = read(event({"msgtype": "m.text", "body": "x"}, origin_server_ts=stamp))
    later = read(event({"msgtype": "m.text", "body": "x"}, origin_server_ts=None))
    assert seen is not None and later is not None and seen.at <= later.at


def test_typed_words_answer_what_stands_above_and_is_older() -> None:
    memory = Memory("@bot:x")
    for number, (thread, at) in enumerate([("t", 10), ("u", 20), ("t", 40)]):
        mark = {"id": f"l{number}", "thread": thread}
        own = event({"msgtype": "m.text", "body": "", "pbem.letter": mark}, event_id=f"$l{number}", sender="@bot:x")
        memory.add({**own, "origin_server_ts": at})
    early = memory.add(event({"msgtype": "m.text", "body": "draw"}, event_id="$e", origin_server_ts=30))
    later = memory.add(event({"msgtype": "m.text", "body": "pass"}, event_id="$f", origin_server_ts=50))
    assert early is not None and early.answers == ("l1", "l0")
    assert later is not None and later.answers == ("l2", "l1")
