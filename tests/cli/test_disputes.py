"""Settle disputes at the command line: list, evidence, rulings, and a file that a third party can check."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.core.token import INSIDE
from pbem.testing.stage import Stage, reply_to, text_of
from tests.cli.bench import MONA, with_moderators
from tests.cli.console import Console

MAX = ("--as-moderator", "max")
OPEN = ("--as", "bob", "--reason", "so that bob's words are read")
SAID, WHISPER = "I saw the 3rd card", "between us: W1"


@pytest.fixture
def house(cli: Console) -> Console:
    """Give a house in which alice moved, bob whispered and opened dispute 1, and carol wrote from elsewhere."""
    with_moderators(cli).game()
    with cli.stage() as stage:
        stage.poll()
        stage.reply("alice", "draw\nI never say what I hold")
        stage.poll()
        stage.deliver(bobs_mail(stage))
        stage.poll()
        stage.reply("carol", "draw", sender="carol <carol@elsewhere.example>")
        stage.poll()
    return cli


def bobs_mail(stage: Stage) -> bytes:
    """Write a mail that has a token in headers, coded and broken by a fold, and secrets in its subjects."""
    letter = stage.newest("bob")
    token = str(letter["Reply-To"]).partition("+")[2].partition("@")[0]
    words = f"tell carol {WHISPER}\ndispute {SAID}"
    raw = reply_to(letter, "bob@example.org", words, stage.now, 77, Subject="I hold VS1", Thread_Topic="W1")
    coded, broken = token.replace("-", "=2D"), token.replace("-", "-\r\n ", 1)
    more = f"X-Hint: =?utf-8?q?{coded}?=\r\nX-Broken: {broken}\r\n"
    return raw.replace(b"MIME-Version:", f"{more}MIME-Version:".encode(), 1)


def entries(cli: Console) -> int:
    return sum(line[:1].isdigit() for line in cli.done("mod", "log", "blame-1").splitlines())


def ruled(cli: Console, *words: str, number: int = 1) -> str:
    return cli.done("mod", "rule", str(number), "--text", "So be it", "--yes", *MONA, *words)


def flat(text: str) -> str:
    return " ".join(text.split())


def test_disputes_are_listed_until_they_are_ruled_on(house: Console) -> None:
    (row,) = house.json("mod", "disputes")
    assert {"number": 1, "game": "blame-1", "by": "bob", "status": "open", "clocks": "stopped"}.items() <= row.items()
    ruled(house, "--dismiss")
    assert house.done("mod", "disputes").strip() == "no dispute waits for a ruling"
    assert house.json("mod", "disputes", "--all")[0]["status"] == "ruled"


def test_the_evidence_lays_out_what_came_and_what_went(house: Console) -> None:
    shown = flat(house.done("mod", "dispute", "show", "1", *MONA))
    assert "Opened by bob" in shown and "the clocks stand still" in shown and SAID in shown
    assert "step 1, turn 1" in shown and "alice drew 3 cards" in shown
    assert "taken to be from alice: known player: the token and the sender belong together" in shown
    assert "from carol@elsewhere.example" in shown and "stranger: its sender is not registered" in shown
    assert "message-id: <0.reply@example.org>" in shown and "subject: Re: [blame-1] Turn 1: your answer" in shown
    assert "Letter 4 to alice, by mail to alice@example.org, answering message 1" in shown and "handed over" in shown


def test_what_was_hidden_stays_hidden(house: Console) -> None:
    before = entries(house)
    shown = house.done("mod", "dispute", "show", "1", *MONA)
    for secret in ("draw", "never say", WHISPER, "W1", "VS1", "YOUR HAND", "tells you"):
        assert secret not in shown.replace("drawn", "").replace("to draw", "")
    assert entries(house) == before


def test_no_token_is_shown_however_it_was_written(house: Console) -> None:
    for words in ((), OPEN):
        shown = house.done("mod", "dispute", "show", "1", *MONA, *words)
        assert not INSIDE.search(shown) and not INSIDE.search("".join(shown.split())) and "=2D" not in shown
        assert flat(shown).count("(hidden: it has a token in it)") == 2 and "games+(token)@example.org" in shown


def test_hidden_parts_open_as_a_look_does(house: Console) -> None:
    before = entries(house)
    shown = house.done("mod", "dispute", "show", "1", *MONA, *OPEN)
    assert entries(house) == before + 1
    for secret in (f"| tell carol {WHISPER}", "subject: I hold VS1", 'read as "dispute 1"', "YOUR HAND"):
        assert secret in shown
    assert "never say" not in shown, "that is alice's"
    assert "is hidden here, but for bob." in flat(shown)
    house.done("mod", "annul", "blame-1", "--yes", "--reason", "enough", *MONA)
    with house.stage() as stage:
        stage.poll()
        told = flat(text_of(stage.newest("carol")))
    assert "The moderator mona looked at the hidden letters of bob. Reason given: so that bob's words are read" in told


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("dispute", "show", "1", *MONA, "--as", "bob"), "this needs a reason"),
        (("dispute", "show", "1", *MONA, "--as", "dora", "--reason", "x"), "nobody called 'dora' sits in blame-1"),
        (("dispute", "show", "7", *MONA), "there is no dispute 7; waiting for a ruling: 1"),
        (("dispute", "show", "1", "--as-moderator", "bob"), "bob is no moderator"),
        (("rule", "7", "--text", "x", *MONA), "there is no dispute 7"),
        (("rule", "1", "--text", "a\nb", *MONA), "a line of plain text"),
        (("rule", "1", "--text", "x", "--dismiss", "--annul", *MONA), "a ruling does one thing: --annul, --dismiss"),
        (("rule", "1", "--text", "x", "--rollback", "9", "--keep", *MONA), "cannot go back to step 9"),
        (("rule", "1", "--text", "x", "--order", "carol", "draw", *MONA), "nothing is asked of carol"),
        (("dispute", "open", "blame-1", "--text", " ", *MONA), "a line of plain text"),
        (("dispute", "open", "blame-9", "--text", "x", *MONA), "there is no game 'blame-9'"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(house: Console, words: tuple[str, ...], why: str) -> None:
    before = entries(house)
    yes = ("--yes",) if words[0] == "rule" or words[1] == "open" else ()
    assert why in house.refused("mod", *words, *yes)
    assert entries(house) == before and house.json("mod", "disputes")


def test_who_plays_sees_no_evidence(cli: Console) -> None:
    with_moderators(cli, "mona", "alice").game()
    cli.done("mod", "dispute", "open", "blame-1", "--text", "x", "--player", "bob", "--yes", *MONA)
    for words in (("dispute", "show", "1"), ("export-dispute", "1"), ("rule", "1", "--text", "x", "--yes")):
        assert "alice plays in blame-1" in cli.refused("mod", *words, "--as-moderator", "alice")


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        (("--dismiss",), "ruled on dispute 1, and dismissed it: So be it."),
        (("--rollback", "0", "--redeal"), "took the game back to how it stood when it was dealt."),
        (("--order", "bob", "draw"), "gave an order for bob. Reason given: the ruling on dispute 1"),
        (("--deadline", "+30h"), "set a new deadline for bob."),
        (("--skip", "bob"), "let the game answer for bob"),
        (("--expel", "bob"), "put bob out"),
        (("--replace", "bob", "bot:careful"), "gave the seat of bob to"),
        (("--annul",), "ended the game without a result."),
        (("--score",), "ended the game and scored it as it stood:"),
    ],
)
def test_a_ruling_may_do_one_deed_of_the_desk(house: Console, deed: tuple[str, ...], told: str) -> None:
    look = flat(house.done("mod", "rule", "1", "--text", "So be it", "--dry-run", *MONA, *deed))
    assert "All would be told: The moderator mona ruled on dispute 1" in look and "this was a dry run" in look
    assert house.json("mod", "disputes")
    out = flat(ruled(house, *deed))
    assert "Done. The players are told" in out
    with house.stage() as stage:
        stage.poll()
        letter = flat(text_of(stage.newest("carol")))
    assert "The moderator mona ruled on dispute 1" in letter and told in letter


def test_a_rollback_may_be_taken_back_by_the_appeal(house: Console) -> None:
    ruled(house, "--rollback", "0", "--keep")
    with house.stage() as stage:
        stage.poll()
        stage.reply("carol", "appeal 1 That was harsh")
        stage.poll()
    assert "another moderator must rule now" in house.refused("mod", "rule", "1", "--text", "No", "--yes", *MONA)
    house.done("mod", "rule", "1", "--text", "Step 1 was right", "--forward", "--yes", *MAX)
    assert "put the game forward again" in house.done("mod", "log", "blame-1")
    shown = flat(house.done("mod", "dispute", "show", "1", *MAX))
    assert "WHAT MONA RULED So be it" in shown and "WHAT CAROL SAYS AGAINST THAT That was harsh WHAT MAX RULED" in shown


def test_a_try_that_fails_rules_nothing_and_stands_in_the_log(house: Console) -> None:
    before = entries(house)
    words = ("mod", "rule", "1", "--text", "So be it", "--order", "bob", "play W9 draw", "--yes", *MONA)
    assert "nothing was ruled" in house.refused(*words)
    assert house.json("mod", "disputes")[0]["status"] == "open" and entries(house) == before + 1


def test_the_file_of_a_dispute_is_read_and_checked_by_anybody(house: Console, tmp_path: Path) -> None:
    during, after = tmp_path / "during.txt", tmp_path / "after.txt"
    house.done("mod", "export-dispute", "1", "--out", str(during), *MONA)
    assert "is there already" in house.refused("mod", "export-dispute", "1", "--out", str(during), *MONA)
    told = house.done("verify", str(during), house=False)
    assert "holds: blame-1" in told and "as far as an onlooker may know" in told and "dispute 1" in told
    for secret in (WHISPER, "W1", '"draw"', "YOUR HAND"):
        assert secret not in during.read_text()
    ruled(house, "--annul")
    house.done("mod", "export-dispute", "1", "--out", str(after), *MONA, *OPEN)
    told = house.done("verify", str(after), house=False)
    assert (
        "the seed and its seal" in told and "the ruling of mona" in told and "its words" in told and "letters" in told
    )
    assert not INSIDE.search(during.read_text() + after.read_text())


def changed(key: str, **more: object) -> Callable[[str], str]:
    """Change the first row of the file that has a key, and write the page anew from what stands below then."""

    def change(text: str) -> str:
        from pbem.core import evidence

        _, below = text.split(evidence.BELOW)
        rows = below.splitlines()
        at = next(number for number, row in enumerate(rows) if row.startswith(f'{{"{key}"'))
        row = json.loads(rows[at])
        rows[at] = json.dumps({**row, **{name: made(row) if callable(made) else made for name, made in more.items()}})
        end = next(number for number, row in enumerate(rows) if row.startswith('{"proof"'))
        found = evidence.from_rows([json.loads(row) for row in rows[:end]])
        return evidence.page(found) + evidence.BELOW + "\n".join(rows) + "\n"

    return change


TAMPERED: dict[str, tuple[Callable[[str], str], str]] = {
    "another page": (lambda text: text.replace("Opened by bob", "Opened by carol", 1), "its page says something else"),
    "other words": (changed("dispute", text="I saw nothing"), "are not those that were said then"),
    "another ruling": (changed("dispute", rulings=[]), "the log has other rulings"),
    "another entry": (changed("dispute", entry=2), "entry 2 does not open dispute 1"),
    "another game": (changed("dispute", game="blame-2"), "it is about blame-2"),
    "another log": (
        changed("dispute", log=lambda row: [{**one, "lines": ["bob cheated."]} for one in row["log"]]),
        "an onlooker saw something else of entry",
    ),
    "another sender": (changed("message", seat="carol"), "of another seat or another time than its receipt"),
    "another time": (changed("message", received="2026-01-01 00:00:00 UTC"), "or another time than its receipt"),
    "another receipt": (changed("message", receipt="0" * 64), "has a receipt that the proof has not"),
    "cut": (lambda text: text[:-400], "cut"),
    "cut above the proof": (lambda text: text.partition('{"proof"')[0], "it is no file of a dispute, or it was cut"),
    "a row that is none": (lambda text: text.replace('{"message"', '{"massage"', 1), "its page says something else"),
    "a row with more": (lambda text: text.replace('{"message":1', '{"message":1,"x":2', 1), "is not whole"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_tampered_file_is_found_out(house: Console, tmp_path: Path, name: str) -> None:
    change, why = TAMPERED[name]
    file = tmp_path / "dispute.txt"
    ruled(house, "--annul")
    house.done("mod", "export-dispute", "1", "--out", str(file), *MONA)
    file.write_text(change(file.read_text()))
    ran = house("verify", str(file), house=False)
    assert ran.code == 1 and "does not hold" in ran.out and why in ran.out


def test_f10_what_players_wrote_is_shown_harmlessly(house: Console, tmp_path: Path) -> None:
    wild = "[/red] [bold \x1b[2J \u202etext"
    with house.stage() as stage:
        stage.reply(
            "carol",
            f"dispute {wild}\n{wild}",
            to=stage.newest("carol", "opened dispute"),
            Comments="[link=https://example.com]x",
        )
        stage.poll()
    words = ("2", *MONA, "--as", "carol", "--reason", "x")
    shown = house.done("mod", "dispute", "show", *words)
    house.done("mod", "export-dispute", *words, "--out", str(tmp_path / "wild.txt"))
    page = (tmp_path / "wild.txt").read_text().partition("====")[0]
    for text in (shown, page):
        assert "| [/red] [bold" in text
        assert not {"\x1b", "\u202e"} & set(text)
    assert "holds" in house.done("verify", str(tmp_path / "wild.txt"), house=False)


def test_after_a_seat_was_handed_over_the_file_still_holds(house: Console, tmp_path: Path) -> None:
    house.company("dave")
    house.done("mod", "replace", "blame-1", "alice", "--with", "dave", "--yes", "--reason", "x", *MONA)
    with house.stage() as stage:
        stage.poll()
        stage.reply("dave", "status")
        stage.poll()
    house.done("mod", "export-dispute", "1", "--out", str(tmp_path / "file.txt"), *MONA)
    assert "taken to be from dave" in (tmp_path / "file.txt").read_text()
    assert "holds" in house.done("verify", str(tmp_path / "file.txt"), house=False)
