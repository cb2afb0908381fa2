"""What a moderator does is announced in neutral words, and stands in the log with who, why, before and after."""

import json
from typing import Any

import pytest

from pbem.errors import AdminError
from pbem.services import desk, rulings
from pbem.services.moderators import Ruler
from pbem.testing.stage import Stage
from tests.services.company import NAMES, Company, said
from tests.services.hours import HOUR, due, log_of, orders, rule, told
from tests.services.test_desk import replayed

MONA = Ruler("mona", moderator=True)
WHY = "a mishap"


def newest_ruling(company: Company) -> dict[str, Any]:
    bodies = [json.loads(row.body) for row in log_of(company) if row.kind == "ruling"]
    assert bodies[-1]["by"] == "mona" and bodies[-1]["reason"] == WHY and bodies[-1]["told"]
    replayed(company.stage, company.game)
    return dict(bodies[-1])


def test_f13_an_order_is_given_for_a_player(company: Company) -> None:
    assert rule(company, rulings.order, "Alice", "draw", WHY, MONA)
    assert orders(company) == ['[[0,"draw","moderator"]]']
    assert newest_ruling(company)["order"] == "draw"
    company.poll()
    assert all(
        "The moderator mona gave an order for alice. Reason given: a mishap" in told(company, name) for name in NAMES
    )


def test_an_order_for_a_sealed_answer_takes_its_place_and_stays_sealed(company: Company) -> None:
    company.blame_alice()
    company.write("bob", "pass")
    rule(company, rulings.order, "bob", "bury W1", WHY, MONA)
    company.poll()
    assert company.orders == ["bury W1"]
    assert not any("bury W1" in told(company, name) for name in ("alice", "carol"))
    answer = company.write("bob", "retract").only("bob")
    assert 'A moderator answered for you, so "bury W1" stands' in said(answer)
    assert 'A moderator answered for you: "bury W1" stands' in said(company.write("bob", "pass").only("bob"))


@pytest.mark.parametrize("text", ["play W1", "gibberish", "play G1 GS2 S1"])
def test_an_order_that_the_hand_does_not_allow_changes_nothing_and_stands_in_the_log(
    company: Company, text: str
) -> None:
    assert not rule(company, rulings.order, "alice", text, WHY, MONA)
    assert orders(company) == [] and newest_ruling(company)["what"] == "house.tried"
    assert company.poll().letters == ()
    rule(company, desk.end)
    company.poll()
    assert "mona gave an order for alice that could not be carried out" in told(company, "bob")


def test_nobody_acts_for_a_seat_that_is_asked_nothing(company: Company) -> None:
    with pytest.raises(AdminError, match="nothing is asked of bob"):
        rule(company, rulings.order, "bob", "draw", WHY, MONA)
    with pytest.raises(AdminError, match="one line"):
        rule(company, rulings.order, "alice", "draw\nplay G1", WHY, MONA)
    assert len(log_of(company)) == 1


def test_a_skip_plays_the_default_and_nobody_learns_who_had_answered(company: Company) -> None:
    company.blame_alice()
    company.write("bob", "bury W1")
    rule(company, rulings.skip, None, WHY, MONA)
    assert '[1,"bury W1","player"]' in orders(company)[-1] and '"moderator"' in orders(company)[-1]
    assert newest_ruling(company)["seats"] == [2]
    post = company.poll()
    line = "The moderator mona let the game answer for everybody, where no answer was in. Reason given: a mishap"
    assert post.readers == sorted(NAMES) and all(line in said(letter) for letter in post.letters)
    assert all("Time ran out" not in said(letter) for letter in post.letters)
    assert [seat.missed for seat in company.sitting.seats] == [0, 0, 0], "nobody missed a deadline"


def test_a_skip_for_one_seat(company: Company) -> None:
    rule(company, rulings.skip, "alice", WHY, MONA)
    assert orders(company) == ['[[0,"draw","moderator"]]']
    with pytest.raises(AdminError, match="nothing is asked of carol"):
        rule(company, rulings.skip, "carol", WHY, MONA)


def test_f13_a_deadline_stands_in_the_log_with_what_was_before(company: Company) -> None:
    before, at = due(company), company.stage.now + HOUR
    rule(company, desk.deadline, at, None, WHY, MONA)
    body = newest_ruling(company)
    assert (body["before"], body["after"]) == (before.isoformat(), at.isoformat())
    company.poll()
    assert "The moderator mona set a new deadline for alice. Reason given: a mishap" in told(company, "bob")


def test_pause_resume_and_annul_name_the_moderator(company: Company) -> None:
    for ruling, words in (
        (desk.pause, "paused the game"),
        (desk.resume, "resumed the game"),
        (desk.end, "ended the game without a result"),
    ):
        rule(company, ruling, WHY, MONA)
        newest_ruling(company)
        company.poll()
        assert all(f"The moderator mona {words}" in told(company, name) for name in NAMES)


def test_who_is_expelled_is_played_by_the_game(company: Company) -> None:
    rule(company, rulings.expel, "alice", WHY, MONA)
    assert orders(company)[0] == '[[0,"draw","resigned"]]'
    assert newest_ruling(company)["what"] == "house.expelled"
    post = company.poll()
    assert post.readers == ["bob", "carol"]
    assert "mona put alice out: from now on the game plays this seat" in told(company, "bob")
    with pytest.raises(AdminError, match="nobody plays the seat of alice"):
        rule(company, rulings.expel, "alice", WHY, MONA)


def test_a_game_is_scored_as_it_stands(company: Company) -> None:
    scores = company.sitting.engine.scored(company.sitting.table.state).scores  # type: ignore[union-attr]
    rule(company, rulings.score, WHY, MONA)
    company.poll()
    game = company.stage.game(company.game)
    assert (game.status, newest_ruling(company)["scores"]) == ("over", list(scores))
    line = f"ended the game and scored it as it stood: alice {scores[0]}, bob {scores[1]}, carol {scores[2]}. Won by "
    assert all(line in told(company, name) for name in NAMES)
    assert "The seed of the deal was" in told(company, "bob")


def test_a_game_without_scores_is_not_scored(stage: Stage) -> None:
    for name in NAMES:
        stage.add_player(name)
    company = Company(stage, stage.new_game("accuse", NAMES))
    with pytest.raises(AdminError, match="cannot be scored as it stands; `pbem mod annul accuse-1`"):
        rule(company, rulings.score, WHY, MONA)


@pytest.mark.parametrize("ruling", [rulings.order, rulings.skip, rulings.expel, rulings.score])
def test_every_ruling_needs_a_reason_and_somebody_who_does_not_play(company: Company, ruling: Any) -> None:
    given = {rulings.order: ("alice", "draw"), rulings.skip: (None,), rulings.expel: ("bob",), rulings.score: ()}[
        ruling
    ]
    with pytest.raises(AdminError, match="needs a reason"):
        rule(company, ruling, *given, " ", MONA)
    with pytest.raises(AdminError, match="another moderator must do that"):
        rule(company, ruling, *given, WHY, Ruler("Carol", moderator=True))
    assert len(log_of(company)) == 1
