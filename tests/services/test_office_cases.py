"""Test the mails that other people's programs failed on, as whole moves through the office: a test a case.

ann, bob and cleo play here under these names; the moves of the cases become moves of Blame, in quotes too, so that one
that leaks out of a quote would be done.
"""

import email
import email.policy
import quopri
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.testing.stage import Stage, open_stage, text_of
from tests.cases import Case, mails, same
from tests.services.company import fates, said, whole

PLAYERS = {"ann": "ann@example.org", "bob": "bob@example.org", "cleo": "cleo@example.net"}
MOVES = {
    "play VA G2": "play G1",
    "guess bob lana": "play G1 GS2 S1 accuse bob",
    "hand": "status",
    "draw": "draw",
    "play SP 3": "play G1 GS2",
    "guess cleo ray": "play G1 GS2 S1 accuse cleo",
}
DONE = {"play VA G2": "play G1", "guess bob lana": "play G1 GS2 S1 accuse bob", "draw": "draw"}
CASES = mails()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Open a house as the cases have it; ann is the Archbishop and begins."""
    stage = open_stage(
        tmp_path, moderators={"mod": "mod@example.org"},
        office={"address": "games@play.example.org", "authserv_id": "mx.play.example.org"},
    )  # fmt: skip
    for name, address in PLAYERS.items():
        stage.add_player(name, address)
    stage.new_game("blame", list(PLAYERS), seed="queen", first="ann")
    stage.poll()
    yield stage
    stage.close()


def mapped(text: str) -> str:
    """Write the moves of Blame in the place of the stand-ins, whatever stands between their words."""
    for old, new in MOVES.items():
        words = old.split(" ")
        pattern = r"(?<![\w@.])" + r"((?:&nbsp;|\s|<[^>]*>|[\u3000\"“”])+)".join(map(re.escape, words)) + r"(?![\w@.])"
        text = re.sub(pattern, lambda found, new=new: _like(found, new), text, flags=re.I)  # type: ignore[misc]
    return text


def _like(found: re.Match[str], new: str) -> str:
    """Keep the gaps of what is replaced: they are what the case is about."""
    first, *middle, last = new.split(" ") if " " in new else (new, "")
    gaps = [*found.groups(), " "]
    inner = "".join(f"{gaps[0] if at == 0 else ' '}{word}" for at, word in enumerate(middle))
    return f"{first}{inner}{gaps[-2] if middle else gaps[0]}{last}" if last else first


def rewritten(stage: Stage, case: Case) -> bytes:
    """Give a case's mail with the tokens of real letters, and with moves of Blame."""
    raw = case.raw.replace(b"\r\n", b"\n")
    for name in ("ann", "bob"):
        letter = stage.mails(PLAYERS[name])[0]
        for old, new in (
            (rb"games\+g17\.%s\.\w{4}@play\.example\.org" % name.encode(), str(letter["Reply-To"])),
            (rb"<g17\.t5\.%s\.\w{4}@play\.example\.org>" % name.encode(), str(letter["Message-ID"])),
        ):
            raw = re.sub(old, lambda found, new=new: _in_case(found, new), raw, flags=re.I)  # type: ignore[misc]
    return _with_moves(raw)


def _in_case(found: re.Match[bytes], new: str) -> bytes:
    return (new.upper() if found.group().isupper() else new).encode()


def _with_moves(raw: bytes) -> bytes:
    """Change the words inside whatever wraps them: charset, base64, quoted-printable."""
    head, _, body = raw.partition(b"\n\n")
    headers = email.message_from_bytes(head, policy=email.policy.compat32)
    coding = str(headers.get("Content-Transfer-Encoding", "")).strip().lower()
    kind = str(headers.get("Content-Type", "text/plain"))
    if not kind.startswith("text/"):
        boundary = re.search(r'boundary="([^"]+)"', kind)
        mark = b"--" + (boundary.group(1).encode() if boundary else b"none")
        pieces = body.split(mark)
        return head + b"\n\n" + mark.join(_with_moves(piece) if b"\n\n" in piece else piece for piece in pieces)
    label = re.search(r'charset="?([\w-]+)', kind)
    charset = label.group(1) if label and label.group(1) not in ("bogus",) else "utf-8"
    words = b64decode(body) if coding == "base64" else quopri.decodestring(body) if "quoted" in coding else body
    text = mapped(words.decode(charset, "surrogateescape"))
    text = _wide(text) if charset == "iso-2022-jp" or "ｐｌａｙ" in text else text
    done = text.encode(charset, "surrogateescape")
    done = b64encode(done) if coding == "base64" else quopri.encodestring(done) if "quoted" in coding else done
    return head + b"\n\n" + done


def _wide(text: str) -> str:
    return text.replace("ｐｌａｙ　ＶＡ　Ｇ２", "ｐｌａｙ　Ｇ１")


def answers(stage: Stage) -> list[Any]:
    """Give the letters that went out since the deal."""
    return stage.mails()[3:]


def bring(stage: Stage, case: Case) -> None:
    """Let the office deal with a case's mail."""
    stage.deliver(rewritten(stage, case))
    stage.poll()


def order_done(stage: Stage) -> str:
    """Give ann's first order as the office read it, "" for none."""
    told = "\n".join(said(letter) for letter in answers(stage))
    found = re.search(r'Read as "([^"]+)"', told)
    return found.group(1) if found else ""


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.expected["handling"] == "move"], ids=lambda case: case.id
)
def test_a_move_is_taken_and_nothing_else(stage: Stage, case: Case) -> None:
    bring(stage, case)
    expected = same(case.expected["expect"]).replace('"', "")
    assert fates(stage) == ["answered"]
    assert order_done(stage) == DONE.get({same(move): move for move in MOVES}[expected], "")
    letters = [letter for letter in answers(stage) if letter["To"].addresses[0].addr_spec == PLAYERS["ann"]]
    assert len(letters) == 1
    if expected == "hand":
        assert "YOUR HAND: 3 cards" in text_of(letters[0]) and stage.sitting("blame-1").table.step == 0
    else:
        assert stage.sitting("blame-1").table.step == 1
    for place in case.expected.get("never_to", ()):
        sent_to = [letter["To"].addresses[0].addr_spec for letter in answers(stage)]
        assert place not in sent_to or expected != "hand"
        assert place not in text_of(letters[0])
    for place in case.expected.get("answer_to", ()):
        assert {letter["To"].addresses[0].addr_spec for letter in answers(stage)} == {place}


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.expected["handling"] == "hold"], ids=lambda case: case.id
)
def test_a_mail_is_held(stage: Stage, case: Case) -> None:
    bring(stage, case)
    assert fates(stage) == ["held"]
    assert stage.sitting("blame-1").table.step == 0
    told = {letter["To"].addresses[0].addr_spec: letter for letter in answers(stage)}
    assert not set(case.expected.get("never_to", ())) & set(told)
    assert set(told) <= {PLAYERS["ann"], "mod@example.org"}
    assert ("mod@example.org" in told) == (case.expected["case"] != "A42"), "a bare guess at a name is no alarm"
    for letter in told.values():
        assert len(said(letter).split("Dear")[1]) < 450, "one line, with no card"
        assert "YOUR HAND" not in text_of(letter)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.expected["handling"] in ("explain", "ignore")], ids=lambda case: case.id
)
def test_a_mail_is_explained_or_ignored(stage: Stage, case: Case) -> None:
    bring(stage, case)
    assert stage.sitting("blame-1").table.step == 0
    explained = case.expected["handling"] == "explain"
    assert fates(stage) == ["answered" if explained else "ignored"]
    assert len(answers(stage)) == explained


def test_a27_is_told_what_could_not_be_read_and_asked_for_plain_text(stage: Stage) -> None:
    bring(stage, next(case for case in CASES if case.expected["case"] == "A27"))
    (answer,) = answers(stage)
    assert "winmail.dat" in said(answer) and "Please send plain text." in said(answer)


def test_a37_the_same_mail_under_a_new_message_id_is_answered_once_and_moves_nothing(stage: Stage) -> None:
    first, second = (case for case in CASES if case.expected["case"] == "A37")
    hand_written = [rewritten(stage, case) for case in (first, second)]
    stage.deliver(hand_written[0])
    stage.poll()
    hand, before = stage.sitting("blame-1").table.view(0).hand, len(answers(stage))
    stage.deliver(hand_written[1])
    stage.poll()
    assert stage.sitting("blame-1").table.view(0).hand == hand
    (answer,) = answers(stage)[before:]
    assert 'You have already moved: "draw" stands' in said(answer)


def test_a49_no_header_is_made_of_a_hidden_line_end(stage: Stage) -> None:
    bring(stage, next(case for case in CASES if case.expected["case"] == "A49"))
    (answer,) = answers(stage)
    assert "Bcc" not in answer and "Bcc" not in answer.as_string()
    assert [address.addr_spec for address in answer["To"].addresses] == [PLAYERS["ann"]]


def test_a54_a_forward_is_nobodys_move(stage: Stage) -> None:
    bring(stage, next(case for case in CASES if case.expected["case"] == "A54"))
    (answer,) = answers(stage)
    assert answer["To"].addresses[0].addr_spec == PLAYERS["bob"]
    assert "see below" in said(answer) and "was not taken" in said(answer)


def test_a50_thirty_megabytes_are_dealt_with(stage: Stage) -> None:
    letter = stage.mails(PLAYERS["ann"])[0]
    head = f"From: ann@example.org\nTo: {letter['Reply-To']}\nMessage-ID: <big@example.org>\n\nplay G1\n\n"
    stage.deliver(head.encode() + b"x" * 30_000_000)
    stage.poll()
    assert len(fates(stage)) == 1 and len(answers(stage)) <= 3
    assert sum(len(whole(answer)) for answer in answers(stage)) < 60_000


def test_every_mail_of_the_cases_is_here() -> None:
    assert len(CASES) == 37
    assert {case.expected["handling"] for case in CASES} == {"move", "duplicate", "hold", "explain", "ignore"}
