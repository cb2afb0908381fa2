"""Test answers that are given ahead: they speed play up, are told of when they fail, and betray nothing."""

import json
from datetime import timedelta

import pytest

from pbem.store import games
from pbem.store.session import read
from pbem.testing.stage import text_of
from tests.services.company import Company, said, whole


def given(company: Company) -> list[tuple[str, str]]:
    """Give what stands in the log of the last step: each order, and who gave it."""
    number = company.sitting.game.id or 0
    (*_, last) = read(company.stage.db, lambda session: games.log_of(session, number))
    return [(order, by) for _, order, by in json.loads(last.body)["orders"]]


def test_an_answer_ahead_is_given_as_soon_as_it_is_asked(company: Company) -> None:
    company.write("bob", "on bury W1")
    company.write("carol", "on bury pass")
    post = company.blame_alice()
    assert given(company) == [("bury W1", "ahead"), ("pass", "ahead")], "nobody was waited for"
    assert post.readers == ["alice", "bob", "carol"] and "W1" not in company.hand("bob")
    assert "buried a card" in said(post.to("alice")[0]) and "W1" not in whole(post.to("alice")[0])


def test_one_answer_ahead_waits_sealed_for_the_others(company: Company) -> None:
    company.write("bob", "on bury W1")
    post = company.blame_alice()
    assert company.orders == ["bury W1"]
    assert 'Your answer is in: "bury W1"' in said(post.to("bob")[0])
    assert "bob" in said(post.to("carol")[0]) and " W1 " not in said(post.to("carol")[0])
    assert "was taken back" in company.write("bob", "retract").only("bob").replace("\n    ", " ")
    assert company.orders == [], "it is not given again for what was asked already"


def test_what_is_no_longer_legal_is_dropped_and_the_next_alternative_used(company: Company) -> None:
    company.write("bob", "on bury X, VS1")
    post = company.blame_alice()
    assert company.orders == ["bury VS1"]
    told = said(post.to("bob")[0])
    assert 'Your answer ahead to "bury", "X", could not be used and was dropped' in told
    assert "X" not in whole(post.to("carol")[0]).split(), "that is bob's affair alone"
    assert '"on bury VS1"' in said(company.write("bob", "on").to("bob")[0]), "what is left is kept"


def test_where_none_is_legal_the_seat_is_asked_and_told_why(company: Company) -> None:
    company.write("bob", "on bury X")
    post = company.blame_alice()
    assert company.orders == []
    told = said(post.to("bob")[0])
    assert "could not be used and was dropped" in told and "WHAT IS ASKED OF YOU" in text_of(post.to("bob")[0])
    assert "You have given no answer ahead" in said(company.write("bob", "on").to("bob")[0])


@pytest.mark.parametrize("word", ["bury T1", "bury X", "pass"])
def test_whether_and_what_is_given_ahead_shows_to_nobody_else(company: Company, word: str) -> None:
    company.write("bob", f"on bury {word}")
    with_it = [whole(letter) for letter in company.blame_alice().letters if "bob@" not in str(letter["To"])]
    assert not any("ahead" in letter for letter in with_it)


def test_what_is_kept_is_listed_and_taken_back(company: Company) -> None:
    kept = said(company.write("bob", "ON Bury W1, VS1.").to("bob")[0])
    assert 'whenever "bury" is asked of you, "W1", or if that is not legal "VS1" is given for you' in kept
    listed = said(company.write("bob", "on").to("bob")[0])
    assert '"on bury W1, VS1"' in listed and "off bury" in listed
    assert '"W1, VS1" is no longer given for you' in said(company.write("bob", "off bury").to("bob")[0])
    company.blame_alice()
    assert company.orders == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("on burry W1", "One letter away from a command"),
        ("on bury", "This must say which answer to keep"),
        ("off", "This must say which answer to take back"),
    ],
)
def test_a_wrong_line_is_answered_with_one_that_works(company: Company, words: str, told: str) -> None:
    answer = said(company.write("bob", words).to("bob")[0])
    assert told in answer and ("on bury" in answer or "off bury" in answer)


def test_prose_that_begins_with_on_is_prose(company: Company) -> None:
    answer = said(company.write("bob", "On Monday I am away.").to("bob")[0])
    assert "Not read as an order" in answer


def test_an_answer_ahead_is_not_for_what_is_asked_already(company: Company) -> None:
    company.blame_alice()
    told = said(company.write("bob", "on bury W1").to("bob")[0])
    assert "What you are asked now is still open" in told and company.orders == []


def test_a_seat_that_resigned_gives_nothing_ahead(company: Company) -> None:
    company.write("bob", "on bury W1")
    company.write("bob", "resign yes")
    company.blame_alice()
    assert ("bury W1", "ahead") not in given(company)


def test_time_that_runs_out_is_no_answer_ahead(company: Company) -> None:
    company.write("carol", "on nobility back")
    due = company.wait_until_nearly_due()
    company.stage.now = due + timedelta(minutes=3)
    company.poll()
    assert given(company)[0][1] == "default"
