"""A moderator follows a receipt: from the message to the letter that answered it; what it hides opens with a reason."""

import json
from datetime import timedelta

import pytest
from sqlmodel import Session

from pbem.errors import AdminError
from pbem.services import desk, trail
from pbem.services.moderators import Ruler
from pbem.store import mail
from pbem.store import receipts as store
from pbem.store.session import read, transact
from pbem.store.tables import Receipt
from tests.services.company import NAMES, Company, inbox, outbox, said
from tests.services.hours import log_of, rule

MONA = Ruler("mona", moderator=True)


def codes(company: Company, seat: int) -> list[str]:
    found = read(company.stage.db, lambda session: store.receipts_of(session, 1, seat))
    return [row.hash for row in found]


def follow(company: Company, code: str, reason: str | None = None, by: Ruler = MONA) -> list[tuple[str, str]]:
    told: trail.Told = rule(company, trail.follow, code, reason, by)
    return told


def test_it_leads_from_the_message_to_the_letter_that_answered_it(company: Company) -> None:
    company.write("alice", "draw")
    code = codes(company, 0)[0]
    told = dict(follow(company, code[:8]))
    message, letter = inbox(company.stage)[-1], next(row for row in outbox(company.stage) if row.kind == "answer")
    assert told["receipt"] == "message number 1 of alice in blame-1"
    assert told["hash"] == code
    assert told["received"] == "Mon 2 March 2026, 12:00 UTC; the log had 2 entries then"
    assert told["answers"] == "question 1 (turn)"
    assert told["message"] == f"number {message.id} of the inbox, from alice by mail: answered"
    assert told["because"] == "known player: the token and the sender belong together"
    at = "Mon 2 March 2026, 12:00 UTC"
    assert told["answer"] == f"letter {letter.id} by mail, written {at}, sent {at}"


def test_each_message_has_its_own_trail(company: Company) -> None:
    company.write("alice", "help")
    company.stage.now += timedelta(minutes=10)
    company.write("alice", "draw")
    one, two = (dict(follow(company, code)) for code in codes(company, 0))
    assert (one["receipt"], two["receipt"]) == tuple(f"message number {n} of alice in blame-1" for n in (1, 2))
    assert one["message"] != two["message"] and one["answer"] != two["answer"]
    assert "12:10" in two["received"] and "12:10" in two["answer"] and "12:10" not in one["answer"]


def test_what_is_sealed_opens_only_with_a_reason_that_stands_in_the_chain(company: Company) -> None:
    company.blame_alice()
    company.write("bob", "bury W1")
    code, before = codes(company, 1)[0], len(log_of(company))
    told = follow(company, code)
    assert "W1" not in str(told) and "bury" not in str(told), "not even that bob has answered"
    assert dict(told)["did"].startswith("hidden") and len(log_of(company)) == before
    assert dict(follow(company, code, "a doubt"))["did"] == '"bury W1" for question 2 (bury)'
    (entry,) = log_of(company)[before:]
    body = json.loads(entry.body)
    assert (body["thing"], body["seat"], body["number"], body["by"], body["reason"]) == (
        "receipt", 1, 1, "mona", "a doubt",
    )  # fmt: skip


def test_the_players_are_told_of_it_at_the_end_and_then_it_is_open_to_all(company: Company) -> None:
    company.write("alice", "draw")
    follow(company, codes(company, 0)[0], "a doubt")
    rule(company, desk.end)
    post, told = company.poll(), "The moderator mona looked at the hidden receipt of alice. Reason given: a doubt"
    assert post.readers == sorted(NAMES) and all(told in said(letter) for letter in post.letters)
    before = len(log_of(company))
    assert dict(follow(company, codes(company, 0)[0]))["did"] == '"draw" for question 1 (turn)'
    assert len(log_of(company)) == before


@pytest.mark.parametrize(
    ("code", "why"),
    [("12", "is no code: write the first 8 digits"), ("play G1!", "is no code"), ("0" * 8, "no receipt of blame-1")],
)
def test_a_code_that_leads_nowhere(company: Company, code: str, why: str) -> None:
    company.write("alice", "draw")
    with pytest.raises(AdminError, match=why):
        follow(company, code, "a doubt")
    assert len(log_of(company)) == 2


def test_the_digits_may_stand_as_a_letter_shows_them(company: Company) -> None:
    company.write("alice", "draw")
    code = codes(company, 0)[0]
    spaced = " ".join(code[at : at + 8] for at in range(0, 32, 8)).upper()
    assert dict(follow(company, spaced))["hash"] == code


def test_two_receipts_of_one_code_ask_for_more_digits(company: Company) -> None:
    company.write("alice", "draw")
    code = codes(company, 0)[0]

    def twin(session: Session) -> None:
        (row,) = store.receipts_of(session, 1, 0)
        store.add_receipt(session, Receipt(**row.model_dump() | {"seat": 2, "hash": code[:8] + "f" * 56}))

    transact(company.stage.db, twin)
    with pytest.raises(AdminError, match="2 receipts of blame-1 begin with"):
        follow(company, code[:8])
    assert dict(follow(company, code[:20]))["receipt"].startswith("message number 1 of alice")


def test_a_receipt_of_another_game_is_not_found(company: Company) -> None:
    company.write("alice", "draw")
    other = Company(company.stage, company.stage.new_game("blame", NAMES))
    with pytest.raises(AdminError, match="no receipt of blame-2"):
        follow(other, codes(company, 0)[0])


@pytest.mark.parametrize("reason", [None, "a doubt"])
def test_who_plays_there_follows_nothing(company: Company, reason: str | None) -> None:
    company.write("alice", "draw")
    with pytest.raises(AdminError, match="another moderator must do that"):
        follow(company, codes(company, 0)[0], reason, Ruler("Carol", moderator=True))


def test_a_letter_that_came_back_or_waits_says_so(company: Company) -> None:
    company.write("alice", "draw")
    code = codes(company, 0)[0]

    def mark(session: Session, **fate: object) -> None:
        (row,) = mail.letters_caused(session, 1, store.receipts_of(session, 1, 0)[0].cause)
        mail.mark_letter(session, row.id or 0, **fate)

    transact(
        company.stage.db,
        lambda session: mark(session, status="bounced", bounced_at=company.stage.now + timedelta(hours=1)),
    )
    assert dict(follow(company, code))["answer"].endswith("came back Mon 2 March 2026, 13:00 UTC")
    transact(company.stage.db, lambda session: mark(session, status="queued", sent_at=None, bounced_at=None))
    assert dict(follow(company, code))["answer"].endswith("12:00 UTC, queued")
