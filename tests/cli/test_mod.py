"""`pbem mod read` tells how a mail would be understood, and leaves no trace."""

from pathlib import Path

import pytest

from tests.cli.console import Console

WORDS = "hlep\nSee you on Sunday!\nhelp\ndraw\ndrwa"
KEYS = {"own_words", "lines", "sender", "seat", "verdict", "reasons"}


@pytest.fixture
def letter(cli: Console) -> Path:
    """Give a reply of alice's as a file."""
    cli.game()
    cli.done("poll")
    with cli.stage() as stage:
        stage.reply("alice", WORDS)
        (path,) = (cli.folder / "mail/in/new").iterdir()
    return path


def state(cli: Console) -> list[object]:
    return [cli.json("admin", *words) for words in (["inbox"], ["outbox"], ["show", "blame-1"])]


def test_a_reply_is_read_line_by_line(cli: Console, letter: Path) -> None:
    found = cli.json("mod", "read", str(letter))
    assert found.keys() == KEYS
    assert found["own_words"] == WORDS
    assert [(line["text"], line["kind"]) for line in found["lines"]] == [
        ("hlep", "slip"),
        ("See you on Sunday!", "talk"),
        ("help", "office"),
        ("draw", "order"),
        ("drwa", "slip"),
    ]
    assert found["lines"][0]["mended"] == "help"
    assert found["sender"] == "alice"
    assert found["seat"] == {"game": "blame-1", "seat": 0, "name": "alice"}
    assert found["verdict"] == "read"


def test_nothing_is_changed(cli: Console, letter: Path) -> None:
    before, kept = state(cli), letter.read_bytes()
    said = cli.done("mod", "read", str(letter))
    assert "alice in blame-1" in said
    assert "was this meant: help?" in said
    assert (state(cli), letter.read_bytes()) == (before, kept)


def test_a_mail_from_somebody_else_with_this_token_is_held(cli: Console, letter: Path) -> None:
    letter.write_bytes(letter.read_bytes().replace(b"From: alice <alice@", b"From: bob <bob@"))
    found = cli.json("mod", "read", str(letter))
    assert (found["sender"], found["seat"]["name"], found["verdict"]) == ("bob", "alice", "held")
    assert found["reasons"]


def test_a_stranger_has_no_seat(cli: Console, tmp_path: Path) -> None:
    mail = tmp_path / "mail.eml"
    mail.write_bytes(b"From: eve@example.com\nSubject: x\n\ndraw\n")
    found = cli.json("mod", "read", str(mail))
    assert (found["own_words"], found["sender"], found["seat"], found["lines"]) == ("draw", None, None, [])
    assert found["verdict"] == "held"


def test_a_message_that_was_dealt_with_is_named(cli: Console, letter: Path) -> None:
    raw = letter.read_bytes()
    cli.done("poll")
    letter.write_bytes(raw)
    assert "message 1 of the inbox" in cli.json("mod", "read", str(letter))["reasons"][-1]


def test_without_a_house_it_tells_the_words(letter: Path, tmp_path: Path) -> None:
    ran = Console(tmp_path).apart("mod", "read", "--json", str(letter), house=False, cwd=tmp_path)
    assert ran.code == 0
    found = ran.json
    assert found["own_words"] == WORDS
    assert (found["lines"], found["sender"], found["seat"], found["verdict"]) == ([], None, None, None)
    assert "no config.toml" in found["reasons"][0]


def test_without_a_database_it_tells_the_words_and_makes_none(cli: Console, letter: Path) -> None:
    (cli.folder / "pbem.sqlite").unlink()
    found = cli.json("mod", "read", str(letter))
    assert found["own_words"] == WORDS
    assert "there is no database" in found["reasons"][0]
    assert not (cli.folder / "pbem.sqlite").exists()


def test_a_mail_from_standard_input(cli: Console, letter: Path) -> None:
    ran = cli.apart("mod", "read", "-", "--json", given=letter.read_bytes())
    assert ran.json["seat"]["name"] == "alice"


@pytest.mark.parametrize(
    "raw", [b"", b"\x00\xff" * 999, b"From: \xff\xfe\n\n\xff", b"Content-Type: multipart/mixed; boundary=x\n\n--x\n"]
)
def test_whatever_the_bytes_are(cli: Console, tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "odd.eml").write_bytes(raw)
    assert cli.json("mod", "read", str(tmp_path / "odd.eml")).keys() == KEYS


def test_a_file_that_is_not_there(cli: Console, tmp_path: Path) -> None:
    assert "cannot be read" in cli.refused("mod", "read", str(tmp_path / "none.eml"))
    assert "cannot be read" in cli.refused("mod", "read", str(tmp_path))


def test_f10_its_words_are_harmless(cli: Console, tmp_path: Path) -> None:
    (tmp_path / "wild.eml").write_bytes(
        "From: eve@example.com\nContent-Type: text/plain; charset=utf-8\n\n\x1b[2J[/red] \u202eok\n".encode()
    )
    out = cli.done("mod", "read", str(tmp_path / "wild.eml"))
    assert "[/red]" in out
    assert not set(out) & set("\x1b\u202e")
