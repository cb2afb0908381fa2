"""Walk every command: none shows what a seat alone may see, unless an entry in the log's chain says so first."""

import pytest

from pbem.store.receipts import receipts_of
from tests.cli.bench import MONA, WHY, with_moderators
from tests.cli.console import Console
from tests.cli.reference import _commands

DO = (*MONA, *WHY, "--yes")
WALK: dict[str, tuple[str, ...]] = {
    "poll": (),
    "doctor": (),
    "admin add-player": ("erin", "--email", "erin@example.org"),
    "admin edit-player": ("dave", "--zone", "Europe/Berlin"),
    "admin players": (),
    "admin forget": ("dave", "--yes"),
    "admin new-game": ("blame", "--players", "alice,dave"),
    "admin games": (),
    "admin show": ("blame-1",),
    "admin deadline": ("blame-1", "+3h"),
    "admin pause": ("blame-1",),
    "admin resume": ("blame-1",),
    "admin end": ("blame-1", "--yes"),
    "admin export": ("blame-1", "--as", "bob", *MONA, *WHY),
    "admin outbox": (),
    "admin outbox retry": ("1",),
    "admin inbox": (),
    "admin inbox retry": ("1",),
    "admin backup": ("copy.sqlite",),
    "admin confirm": (),
    "admin upgrade": (),
    "mod read": ("letter.eml",),
    "mod show": ("blame-1",),
    "mod log": ("blame-1",),
    "mod peek": ("blame-1", "--as", "bob", *MONA, *WHY),
    "mod receipt": ("blame-1", "CODE", *MONA, *WHY),
    "mod order": ("blame-1", "carol", "draw", *DO),
    "mod skip": ("blame-1", *DO),
    "mod deadline": ("blame-1", "+3h", *DO),
    "mod pause": ("blame-1", *DO),
    "mod resume": ("blame-1", *DO),
    "mod annul": ("blame-1", *DO),
    "mod score": ("blame-1", *DO),
    "mod expel": ("blame-1", "bob", *DO),
    "mod replace": ("blame-1", "bob", "--with", "dave", *DO),
    "mod rollback": ("blame-1", "1", "--redeal", *DO),
    "mod forward": ("blame-1", *DO),
    "mod disputes": ("--all",),
    "mod dispute": (),
    "mod dispute open": ("blame-1", "--text", "a quarrel", *MONA, "--yes"),
    "mod dispute show": ("1", *MONA, "--as", "bob", *WHY),
    "mod rule": ("1", "--text", "so be it", *MONA, "--yes"),
    "mod export-dispute": ("1", "--out", "-", *MONA, "--as", "bob", *WHY),
}
"""How each command is run; one that is new must be added. CODE is that of alice's receipt."""
OPENING = {"mod peek", "mod dispute show", "mod export-dispute"}
"""What opens what is hidden, if it is given a reason."""
ELSEWHERE = {"", "admin", "mod", "demo", "play", "init", "serve", "deliver", "rules", "new-engine", "verify"}
"""Groups, and what opens no house of others, or goes on for ever: `serve` and `deliver` print no more than `poll`."""
NAMES = ("alice", "bob", "carol")


@pytest.fixture
def played(cli: Console) -> Console:
    """Give a house with a game two steps on, a dispute, a letter that waits, and dave outside."""
    with_moderators(cli).game()
    cli.company("dave")
    with cli.stage() as stage:
        stage.poll()
        for name in NAMES[:2]:
            stage.reply(name, "draw")
            stage.poll()
        stage.reply("carol", "help")
        (path,) = (cli.folder / "mail/in/new").iterdir()
        (cli.folder / "letter.eml").write_bytes(path.read_bytes())
    cli.done("mod", "dispute", "open", "blame-1", "--text", "a quarrel", "--yes", *MONA)
    cli.done("mod", "resume", "blame-1", *DO)
    return cli


def secrets(cli: Console) -> set[str]:
    """Give every card that one seat alone holds."""
    with cli.stage() as stage:
        table = stage.sitting("blame-1").table
        return {card for seat in range(3) for card in table.view(seat).hand}


def code(cli: Console) -> str:
    (row, *_) = cli.store(lambda session: receipts_of(session, 1, 0))
    return row.hash[:8]


def entries(cli: Console) -> int:
    return sum(line[:1].isdigit() for line in cli.done("mod", "log", "blame-1").splitlines())


def test_every_command_is_walked() -> None:
    assert {" ".join(names) for names in _commands()} - ELSEWHERE == set(WALK)


@pytest.mark.parametrize("words", WALK)
def test_no_command_shows_a_hand_without_an_entry_in_the_chain(
    played: Console, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(played.folder)
    hidden, before = secrets(played), entries(played)
    ran = played(*words.split(), *(code(played) if word == "CODE" else word for word in WALK[words]))
    shown = {card for card in hidden if card in (ran.out + ran.err).replace(",", " ").replace("[", " ").split()}
    assert bool(shown) == (words in OPENING)
    assert not shown or entries(played) > before
