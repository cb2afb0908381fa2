"""A moderator opens a hidden view: an entry in the chain comes first, and the players are told in the end."""

import json

import pytest

from pbem.core import table as tables
from pbem.errors import AdminError
from pbem.services import desk, peeking
from pbem.services.moderators import Ruler, acting
from pbem.testing.stage import Stage
from tests.services.company import NAMES, Company, said
from tests.services.hours import log_of, rule

MONA = Ruler("mona", moderator=True)


def peek(company: Company, whose: str = "alice", reason: str = "a doubt", by: Ruler = MONA) -> str:
    return str(rule(company, peeking.peek, whose, reason, by))


def test_f13_a_look_shows_the_hand_and_stands_in_the_chain_at_once(company: Company) -> None:
    before = company.sitting.game.chain
    assert "G1" in peek(company) and "W1" in peek(company, "BOB")
    rows = log_of(company)
    assert [json.loads(row.body).get("by") for row in rows[1:]] == ["mona", "mona"]
    assert json.loads(rows[1].body)["reason"] == "a doubt"
    game = company.sitting.game
    assert game.chain == rows[-1].chain != before
    tables.verify(company.sitting.engine, game.seed, [(row.kind, row.body, row.chain) for row in rows])


def test_the_players_are_told_when_the_game_is_over(company: Company) -> None:
    peek(company, "carol", "was it a G1?")
    assert company.poll().letters == ()
    for letter in company.write("alice", "draw").letters:
        assert "mona" not in said(letter)
    rule(company, desk.end)
    told = "The moderator mona looked at the hidden view of carol. Reason given: was it a G1?"
    post = company.poll()
    assert post.readers == sorted(NAMES)
    assert all(told in said(letter) for letter in post.letters)
    assert told in said(company.write("bob", "log").to("bob")[0])


def test_a_game_may_tell_of_looks_at_once(stage: Stage) -> None:
    for name in NAMES:
        stage.add_player(name)
    company = Company(stage, stage.new_game("blame", NAMES, seed="queen", first="alice", peeks="open"))
    company.poll()
    peek(company)
    post = company.poll()
    assert post.readers == sorted(NAMES)
    told = "The moderator mona looked at the hidden view of alice. Reason given: a doubt"
    assert all(said(letter).count(told) == 1 for letter in post.letters)
    rule(company, desk.end)
    assert all(told not in said(letter) for letter in company.poll().letters), "it was told then"


@pytest.mark.parametrize(
    ("whose", "reason", "why"),
    [
        ("dora", "x", "nobody called 'dora' sits in blame-1"),
        ("alice", " ", "needs a reason"),
        ("bob", "a\nb", "one line"),
    ],
)
def test_a_look_that_cannot_be_leaves_no_trace(company: Company, whose: str, reason: str, why: str) -> None:
    with pytest.raises(AdminError, match=why):
        peek(company, whose, reason)
    assert len(log_of(company)) == 1


@pytest.mark.parametrize("by", [Ruler("Alice", moderator=True), Ruler("bob"), MONA])
def test_who_holds_a_seat_may_neither_look_nor_rule(stage: Stage, by: Ruler) -> None:
    company = Company.deal(stage)
    if by is MONA:
        stage.add_player("dora", "Mona@Example.org")
        company = Company(stage, stage.new_game("blame", ["alice", "dora"]))
    for ruling, given in ((peeking.peek, ("alice", "x")), (desk.pause, ("x",)), (desk.end, ("x",))):
        with pytest.raises(AdminError, match="another moderator must do that"):
            rule(company, ruling, *given, by)
    assert len(log_of(company)) == 1


def test_a_moderator_is_found_in_any_letter_case_and_nobody_else_is(stage: Stage) -> None:
    assert acting(stage.config, "MONA") == MONA
    with pytest.raises(AdminError, match="alice is no moderator in the config; there are: mona"):
        acting(stage.config, "alice")
