"""Test that every message of a player gets a receipt: what was read, chained to the log, shown again on request."""

import json

from pbem.core import receipts
from pbem.core.receipts import PRINTED
from pbem.store import games
from pbem.store import receipts as store
from pbem.store.session import read
from pbem.store.tables import Receipt
from pbem.testing.stage import html_of, text_of
from tests.services.company import Company, said, whole


def rows(company: Company, seat: int | None = None) -> list[Receipt]:
    return read(company.stage.db, lambda session: store.receipts_of(session, 1, seat))


def test_a_receipt_says_the_order_as_read_and_what_it_answered(company: Company) -> None:
    post = company.write("alice", "With my best regards\n  DRAW ")
    assert '"draw" for question 1 (turn); entry 2 of the log.' in said(post.only("alice"))
    (row,) = rows(company)
    assert receipts.load(row.deeds) == (receipts.Deed("order", "draw", 1, "turn", 1),)
    found = PRINTED.search(text_of(post.to("alice")[0]))
    assert found and "".join(found[1].split()) == row.hash[:32]
    assert row.hash[:8] in html_of(post.to("alice")[0])


def test_it_is_one_or_two_lines_at_the_foot_of_the_answer_and_of_no_other_letter(company: Company) -> None:
    post = company.write("alice", "draw")
    text = post.only("alice")
    foot = text[text.index("Receipt") : text.index("-- \n")].strip().splitlines()
    assert len(foot) <= 2 and max(map(len, foot)) <= 76
    assert all("Receipt" not in whole(letter) for name in ("bob", "carol") for letter in post.to(name))


def test_what_did_nothing_has_a_receipt_too(company: Company) -> None:
    for words in ("hello", "play X9", "help", "drw", "say I whisper not"):
        post = company.write("alice", words)
        assert "no order was taken; entry 1 of the log." in said(post.to("alice")[0])
    assert len(rows(company, 0)) == 5
    assert "whisper" not in "".join(row.body + row.deeds for row in rows(company))


def test_it_is_chained_to_the_log_and_to_the_receipt_before(company: Company) -> None:
    company.write("alice", "status")
    company.write("alice", "draw")
    one, two = rows(company, 0)
    log = read(company.stage.db, lambda session: games.log_of(session, 1))
    assert [json.loads(row.body)["chain"] for row in (one, two)] == [log[0].chain, log[1].chain]
    assert [json.loads(row.body)["before"] for row in (one, two)] == ["", one.hash]
    assert all(receipts.hashed(row.body) == row.hash for row in (one, two))


def test_a_hidden_order_is_a_salted_commitment_that_the_seed_opens(company: Company) -> None:
    company.blame_alice()
    company.write("bob", "bury W1")
    (row,) = rows(company, 1)
    deeds = receipts.load(row.deeds)
    assert deeds == (receipts.Deed("order", "bury W1", 2, "bury", 2),)
    assert "W1" not in row.body
    body, game = json.loads(row.body), company.sitting.game
    assert body["deeds"] == receipts.sealed(game.seed, 1, 1, deeds)
    assert body["deeds"] != receipts.sealed(game.seed, 1, 2, deeds) != receipts.sealed(b"x" * 32, 1, 2, deeds)


def test_several_deeds_of_one_message_stand_in_one_receipt(company: Company) -> None:
    company.blame_alice()
    company.write("bob", "bury W1")
    company.write("bob", "retract\npass\non bury W1, VS1\noff bury")
    row = rows(company, 1)[1]
    assert [deed.shown for deed in receipts.load(row.deeds)] == [
        '"retract" for question 2 (bury)',
        '"pass" for question 2 (bury)',
        '"on bury W1, VS1"',
        '"off bury"',
    ]


def test_to_resign_has_its_receipt(company: Company) -> None:
    assert '"resign"' in said(company.write("bob", "resign yes").only("bob"))


def test_a_receipt_is_shown_again(company: Company) -> None:
    company.write("alice", "draw")
    (row,) = rows(company, 0)
    told = said(company.write("alice", f"receipt {row.hash[:8].upper()}.").only("alice"))
    assert "Your message number 1 of this game, received Mon 2 March 2026, 12:00 UTC" in told
    assert '"draw" for question 1 (turn)' in told and row.hash in told


def test_the_log_and_a_bare_receipt_list_them(company: Company) -> None:
    company.write("alice", "draw")
    code = rows(company, 0)[0].hash[:8]
    for words in ("log", "receipt"):
        assert f'{code}: "draw" for question 1 (turn) (Mon 2 March' in said(company.write("alice", words).only("alice"))
    assert code not in said(company.write("bob", "log").only("bob"))


def test_a_code_of_nobody_or_of_another_seat_is_no_receipt(company: Company) -> None:
    company.write("alice", "draw")
    (row,) = rows(company, 0)
    for code in (row.hash[:8], "00000000", "x", row.hash[:7]):
        assert "You have no receipt of that code" in said(company.write("bob", f"receipt {code}").only("bob"))


def test_where_the_rules_forbid_to_look_back_an_old_receipt_waits_for_the_end(company: Company) -> None:
    for name in ("alice", "bob", "carol"):
        company.write(name, "draw")
    code = rows(company, 0)[0].hash[:8]
    assert "when the game is over" in said(company.write("alice", f"receipt {code}").only("alice"))
    assert f"{code}:" not in said(company.write("alice", "log").only("alice"))


def test_a_message_delivered_twice_has_one_receipt(company: Company) -> None:
    for _ in range(2):
        company.write("alice", "draw", to=company.stage.mails("alice")[0], Message_ID="<same@example.org>")
    assert len(rows(company)) == 1
