"""Test how a game is set up."""

import pytest

from pbem.errors import AdminError
from pbem.testing.stage import Stage, text_of
from tests.services.company import NAMES, said


def test_a_game_mails_each_player_one_private_first_digest(stage: Stage) -> None:
    for name in NAMES:
        stage.add_player(name)
    game = stage.new_game("blame", NAMES, seed=None)
    stage.poll()
    assert [letter["To"] for letter in stage.mails()] == [f"{name}@example.org" for name in NAMES]
    for letter in stage.mails():
        assert "with alice, bob and carol at the table" in said(letter)
        assert "rehearsal" not in text_of(letter)
        assert stage.game(game).seed.hex() not in letter.as_string()


def test_a_rehearsal_says_so_in_every_letter(stage: Stage) -> None:
    for name in NAMES:
        stage.add_player(name)
    stage.new_game("blame", NAMES, seed="word")
    stage.poll()
    assert all("This is a rehearsal" in said(letter) for letter in stage.mails())


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("alice", "bob", "ALICE"), "nobody may hold two seats"),
        (("alice",), "is for 2 to 4 players, not 1"),
        (("alice", "zed"), "there is no player 'zed'; there are: alice, bob, carol"),
    ],
)
def test_a_game_needs_players_that_can_be(stage: Stage, names: tuple[str, ...], told: str) -> None:
    for name in NAMES:
        stage.add_player(name)
    with pytest.raises(AdminError, match=told):
        stage.new_game("blame", names)


def test_a_game_needs_options_that_can_be(stage: Stage) -> None:
    for name in NAMES:
        stage.add_player(name)
    with pytest.raises(AdminError, match="blame has no option 'colour'"):
        stage.new_game("blame", NAMES, colour="red")
    with pytest.raises(AdminError, match="there is no game 'chess'"):
        stage.new_game("chess", NAMES)
    with pytest.raises(AdminError, match="is no span of time"):
        stage.new_game("blame", NAMES, clocks=["soon"])


def test_each_kind_of_question_may_have_its_own_clock(stage: Stage) -> None:
    for name in NAMES:
        stage.add_player(name)
    game = stage.new_game("blame", NAMES, clocks=["48h", "bury=12h"])
    prompt = next(iter(stage.sitting(game).prompts.values()))
    assert (prompt.deadline_at - prompt.asked_at).total_seconds() == 48 * 3600
    assert '"bury": 43200' in stage.game(game).clocks
