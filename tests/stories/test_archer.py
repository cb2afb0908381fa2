"""Play Archer by letter: a whole game through the office, and what its letters say to whom."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlmodel import Session

from engines.archer.table import State
from pbem.core.dice import rehearsal_seed
from pbem.core.receipts import masked
from pbem.engine import Dice
from pbem.services import desk
from pbem.store import games
from pbem.store.session import transact
from pbem.testing.rehearsal import Company, part_of
from pbem.testing.stage import Stage, html_of, open_stage, text_of, unhashed
from tests.engines.archer.tables import lay

NAMES = ("alice", "bob", "carol")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = open_stage(tmp_path)
    for name in NAMES:
        stage.add_player(name)
    yield stage
    stage.close()


def begin(stage: Stage, state: State) -> str:
    """Deal a game, and lay its cards out as wanted; alice has the turn."""
    game = stage.new_game("archer", NAMES, first="alice")
    put(stage, game, replace(state, names=NAMES))
    stage.poll()
    return game


def put(stage: Stage, game: str, state: State) -> None:
    """Make a state the one that a game is in."""

    def work(session: Session) -> None:
        row = desk.get_game(session, game)
        row.state = stage.house.engine("archer").dump(state)
        games.save_game(session, row)

    transact(stage.db, work)


def write(stage: Stage, name: str, words: str) -> dict[str, EmailMessage]:
    """Let a player reply to the newest letter, and give the newest letter that each got for it."""
    before = len(stage.mails())
    stage.reply(name, words, Message_ID=f"<{before}-{name}@example.org>")
    stage.poll()
    return {str(mail["To"].addresses[0].username): mail for mail in stage.mails()[before:]}


def said(mail: EmailMessage) -> str:
    """Give a letter's text on one line."""
    return " ".join(text_of(mail).split())


def whole(mail: EmailMessage) -> str:
    """Give all that a letter shows."""
    return f"{mail['Subject']}\n{text_of(mail)}\n{html_of(mail)}"


def test_a_whole_game_is_played_by_letter(stage: Stage) -> None:
    game = stage.new_game("archer", NAMES, seed="blackmail 184")
    stage.poll()
    slips = {"alice": "play krueger lanna", "bob": "1 carol archer", "carol": "lana"}
    exchanges = list(Company(stage, game, slips=slips).play("alice"))
    assert stage.game(game).status == "over" and stage.sitting(game).table.result() is not None
    assert len(exchanges) > 10
    for name in NAMES:
        mails = stage.mails(name)
        assert all(len(line) <= 76 for mail in mails for line in text_of(mail).splitlines())
        assert "The game is over." in said(mails[-1]) and "YOUR HAND" in text_of(mails[-1])
        assert any("Round 2 begins" in part_of(mail, "WHAT HAPPENED") for mail in mails)
    told = [said(mail) for mail in stage.mails("bob")]
    assert any('"archer" may be 8 Malory or 1 Sterling' in text for text in told)
    assert any("No line of your message is a command" in said(mail) for mail in stage.mails("carol"))


def test_what_was_seen_stays_in_the_letters_of_one_player(stage: Stage) -> None:
    """A4: bob's and carol's letters never say it; alice's do until the card may have moved, and then as past."""
    begin(stage, lay("4 1", "6", "3", secret=5, draw="2 4 7 8"))
    letters = write(stage, "alice", "cheryl look")
    assert "You saw the secret: 5 Pam." in said(letters["alice"])
    assert part_of(letters["alice"], "WHAT YOU HAVE SEEN") == "  The secret in turn 1: 5 Pam."
    for name in ("bob", "carol"):
        assert "alice looked at the secret card" in said(letters[name])
        assert "HAVE SEEN" not in text_of(letters[name]) and "You saw" not in said(letters[name])
    letters = write(stage, "bob", "ray carol")
    assert "The secret in turn 1: 5 Pam. Past: Ray has been played since." in said(letters["alice"])
    assert "You hold 5 Pam now." in said(letters["carol"])
    assert "HAVE SEEN" not in text_of(letters["bob"]) and "5 Pam now" not in said(letters["bob"])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("1 bob sterling", "any character but 1 Sterling"),
        ("1 bob", "needs a character"),
        ("1 bob Lna", "was lana meant?"),
        ("1 alice lana", "not at yourself"),
        ("play lana", "7 Lana is not in your hand (5 Pam and 1 Sterling)."),
        ("2 lna", "was lana meant?"),
        ("paly 1 bob lana", "One letter away from a command"),
        ("1 bob lana\n1 carol lana", "answer the same question"),
    ],
)
def test_c04_a_refused_order_changes_nothing_and_nobody_else_hears_of_it(stage: Stage, words: str, why: str) -> None:
    game = begin(stage, lay("1 5", "7", "4"))
    before = stage.sitting(game)
    letters = write(stage, "alice", words)
    after = stage.sitting(game)
    assert set(letters) == {"alice"} and why in said(letters["alice"])
    assert after.table.state == before.table.state
    assert [prompt.deadline_at for prompt in after.prompts.values()] == [
        prompt.deadline_at for prompt in before.prompts.values()
    ]
    letters = write(stage, "alice", "1 bob lana")
    assert set(letters) == {*NAMES}, "the turn was not used up"


def test_c06_the_order_stands_in_the_log_of_its_player_alone(stage: Stage) -> None:
    begin(stage, lay("4 1", "3", "5", secret=7))
    write(stage, "alice", "cheryl look")
    for name in ("bob", "carol"):
        told = whole(write(stage, name, "log\nstatus")[name])
        assert "alice looked at the secret card" in " ".join(told.split()) and not re.search("saw the secret", told)
    assert "You saw the secret: 7 Lana." in said(write(stage, "alice", "log")["alice"])


ASKED = (
    "status",
    "log",
    "help",
    "rules",
    "check 1 bob lana",
    "play lana",
    "check play lana",
    "1 bob sterling",
    "hello",
)


@pytest.mark.parametrize("words", ASKED)
def test_c14_answers_are_the_same_where_only_hidden_cards_differ(tmp_path: Path, words: str) -> None:
    """Bob holds Lana in one world; in the other it is the secret."""
    got = []
    for number, state in enumerate((lay("1 5", "7", "4", secret=3), lay("1 5", "3", "4", secret=7))):
        stage = open_stage(tmp_path / str(number))
        for name in NAMES:
            stage.add_player(name)
        begin(stage, state)
        write(stage, "alice", words)
        got.append([unhashed(mail) for mail in stage.mails("alice")])
        stage.close()
    assert got[0] == got[1] and len(got[0]) == 2


def test_c14_what_a_wrong_guess_brings_goes_to_the_guesser_alone(tmp_path: Path) -> None:
    got: list[dict[str, list[str]]] = []
    for number, state in enumerate((lay("1 5", "6", "4", draw="2"), lay("1 5", "3", "4", draw="2"))):
        stage = open_stage(tmp_path / str(number))
        for name in NAMES:
            stage.add_player(name)
        begin(stage, replace(state, secret=0, draw=_without(state)))
        write(stage, "alice", "1 bob lana")
        got.append({name: [unhashed(mail) for mail in stage.mails(name)] for name in NAMES})
        stage.close()
    assert got[0]["carol"] == got[1]["carol"] and got[0]["alice"] != got[1]["alice"]


def _without(state: State) -> tuple[int, ...]:
    """Give the deck with Malory (card 0) taken out, who is the secret."""
    return tuple(card for card in (*state.draw, state.secret) if card != 0)


def test_c15_two_winners_are_announced(stage: Stage) -> None:
    begin(stage, lay("1 4", "2", "4", secret=8, laid={1: "1"}, short=True, points=(3, 0, 3)))
    letters = write(stage, "alice", "1 bob lana")
    for name in NAMES:
        assert "alice and carol share the highest card and score 1 point each." in said(letters[name])
        assert "alice and carol share the win with 4 points each." in said(letters[name])


def test_time_runs_out_and_the_game_plays_for_a_player(stage: Stage) -> None:
    game = begin(stage, lay("8 2", "5", "4", secret=3))
    deadline = stage.sitting(game).prompts[0].deadline_at
    stage.pass_time(deadline - stage.now + timedelta(hours=1))
    text = said(stage.mails("bob")[-1])
    assert "Time ran out for alice" in text and "alice guessed that the secret is 8 Malory: wrong." in text


def test_reshuffled_worlds_give_the_same_letters_in_a_whole_game(stage: Stage) -> None:
    """What alice cannot know is dealt anew before each of her questions: her answers stay as they were."""
    game = stage.new_game("archer", NAMES, seed="other worlds")
    engine, dice = stage.house.engine("archer"), Dice(rehearsal_seed("moves"))
    stage.poll()
    for _ in range(12):
        sitting = stage.sitting(game)
        if not sitting.is_open:
            break
        state = sitting.table.state
        told = []
        for world in (state, engine.reshuffle(state, [0], dice)):
            put(stage, game, world)
            told.append(masked(text_of(write(stage, "alice", "status")["alice"])))
        assert told[0] == told[1]
        put(stage, game, state)
        mover = sitting.names[state.player]
        write(stage, mover, engine.sample(sitting.table.view(state.player), dice))
