"""Test who is heard: "Intake" of one move, a test a sentence."""

from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.services.people import edit_player
from pbem.store.session import transact
from pbem.testing.stage import open_stage, text_of
from tests.services.company import Company, a_mail, fates, inbox, outbox, said

ALICE = "alice@example.org"


def token_address(letter: EmailMessage) -> str:
    """Give the reply address of a letter."""
    return str(letter["Reply-To"])


def test_our_own_mail_is_never_answered(company: Company) -> None:
    letter = company.newest("alice")
    assert company.deliver(letter.as_bytes()).letters == ()
    assert company.deliver(a_mail("games@example.org", "draw", to=token_address(letter))).letters == ()
    assert fates(company.stage) == ["ignored", "ignored"]


@pytest.mark.parametrize(
    "mark",
    [
        {"Auto-Submitted": "auto-replied"},
        {"Auto-Submitted": "auto-generated (out of office)"},
        {"Return-Path": "<>"},
        {"Precedence": "bulk"},
        {"Precedence": "LIST"},
        {"X-Autoreply": "yes"},
        {"X-Autorespond": "away"},
        {"List-Id": "<friends.example.org>"},
        {"X-Loop": "alice@example.org"},
    ],
    ids=lambda mark: next(iter(mark)),
)
def test_machine_mail_is_never_answered_by_its_positive_marks(company: Company, mark: dict[str, str]) -> None:
    marks = {name.replace("-", "_"): value for name, value in mark.items()}
    post = company.write("alice", "draw", to=None, quote=True, **marks)
    assert post.letters == () and fates(company.stage) == ["ignored"]
    assert company.sitting.table.turn() == 1


def test_a_person_whose_program_says_auto_submitted_no_is_heard(company: Company) -> None:
    company.write("alice", "draw", Auto_Submitted="no")
    assert company.sitting.table.turn() == 2


def a_report(lost: EmailMessage, action: str) -> bytes:
    """Write what a mail server says of a letter's fate."""
    return (
        "From: mailer-daemon@example.net\nTo: games@example.org\nReturn-Path: <>\nMessage-ID: <b1@example.net>\n"
        "MIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
        "--b\nContent-Type: text/plain\n\nIt could not be delivered.\n"
        f"--b\nContent-Type: message/delivery-status\n\nFinal-Recipient: rfc822; bob@example.org\nAction: {action}\n"
        f"Status: 5.1.1\n\n--b\nContent-Type: text/rfc822-headers\n\nMessage-ID: {lost['Message-ID']}\n\n--b--\n"
    ).encode()


def test_a_bounce_is_recorded_at_the_letter_that_it_names(company: Company) -> None:
    assert company.deliver(a_report(company.newest("bob"), "failed")).readers == ["mona"]
    assert fates(company.stage) == ["bounced"]
    bounced = [(row.place, row.status) for row in outbox(company.stage) if row.bounced_at]
    assert bounced == [("bob@example.org", "bounced")]


@pytest.mark.parametrize("action", ["delayed", "delivered", "relayed"])
def test_a_report_that_a_letter_is_late_or_has_arrived_is_no_bounce(company: Company, action: str) -> None:
    assert company.deliver(a_report(company.newest("bob"), action)).letters == ()
    assert not any(row.bounced_at for row in outbox(company.stage))


def test_a_stranger_gets_no_answer(company: Company) -> None:
    assert company.deliver(a_mail("eve@example.com", "help")).letters == ()
    assert fates(company.stage) == ["held"]


def test_a_held_message_is_kept_for_the_moderator(company: Company) -> None:
    company.deliver(a_mail("eve@example.com", "let me in", Subject="Hello"))
    (kept,) = inbox(company.stage)
    assert (kept.sender, kept.subject) == ("eve@example.com", "Hello") and b"let me in" in kept.raw
    assert "not registered" in kept.reasons


def test_the_player_whose_token_a_held_message_bears_gets_one_line_a_day(company: Company) -> None:
    letter = company.newest("alice")
    posts = [company.write("alice", "draw", to=letter, sender=f"eve{at}@example.com") for at in range(4)]
    assert [post.readers.count("alice") for post in posts] == [1, 0, 0, 0]
    told = said(posts[0].only("alice"))
    assert "A message that bears your seat's sign came from eve0@example.com and was held" in told
    assert company.sitting.table.turn() == 1
    company.stage.now += timedelta(days=1)
    company.poll()
    tomorrow = company.write("alice", "draw", to=letter, sender="eve@example.com")
    assert tomorrow.readers.count("alice") == 1


def test_strangers_cannot_flood_the_moderators(company: Company) -> None:
    letter = company.newest("alice")
    posts = [company.write("alice", "draw", to=letter, sender=f"eve{at}@example.com") for at in range(3)]
    posts += [company.deliver(a_mail("mona@example.org", f"ROLLBACK {at}")) for at in range(3)]
    posts += [company.deliver(a_mail(f"eve{at}@example.com", "hello")) for at in range(3)]
    assert [post.readers.count("mona") for post in posts] == [1, 0, 0, 1, 0, 0, 0, 0, 0]


def test_a_player_who_sends_with_anothers_token_is_held_and_stays_unknown(company: Company) -> None:
    """Players see each other's names alone, so a notice shows no other player's address."""
    post = company.write("bob", "draw", to=company.newest("alice"), sender="bob@example.org")
    assert fates(company.stage) == ["held"] and company.sitting.table.turn() == 1
    assert post.to("bob") == []
    assert "came from another player's address" in said(post.only("alice"))
    assert "bob@example.org" not in post.to("alice")[0].as_string()


def test_the_token_in_the_address_alone_does(company: Company) -> None:
    company.deliver(a_mail(ALICE, "draw", to=token_address(company.newest("alice"))))
    assert company.sitting.table.turn() == 2


@pytest.mark.parametrize("header", ["In_Reply_To", "References"])
def test_the_token_in_the_message_id_alone_does(company: Company, header: str) -> None:
    company.deliver(a_mail(ALICE, "draw", **{header: str(company.newest("alice")["Message-ID"])}))
    assert company.sitting.table.turn() == 2


@pytest.mark.parametrize("change", [str.upper, str.lower, str.title])
def test_the_token_holds_in_any_letter_case(company: Company, change: Callable[[str], str]) -> None:
    letter = company.newest("alice")
    company.deliver(a_mail(ALICE.upper(), "draw", to=change(token_address(letter))))
    assert company.sitting.table.turn() == 2
    company.deliver(a_mail("BOB@Example.ORG", "draw", In_Reply_To=change(str(company.newest("bob")["Message-ID"]))))
    assert company.sitting.table.step == 2


def test_the_token_fits_in_64_characters_of_local_part(tmp_path: Path) -> None:
    stage = open_stage(tmp_path, office={"address": f"{'o' * 20}@example.org"})
    company = Company.deal(stage)
    assert len(token_address(company.newest("alice")).partition("@")[0]) <= 64
    stage.close()


def test_a_token_of_another_key_is_none(company: Company) -> None:
    address = token_address(company.newest("alice"))
    forged = address.replace(address[-20:-12], "aaaaaaaa")
    post = company.deliver(a_mail(ALICE, "draw", to=forged))
    assert company.sitting.table.turn() == 1
    assert "it answers no letter of a game" in said(post.only("alice"))


def test_in_reply_to_comes_before_references(company: Company) -> None:
    other = Company.deal(company.stage)
    here, there = (str(one.newest("alice")["Message-ID"]) for one in (company, other))
    company.deliver(a_mail(ALICE, "draw", In_Reply_To=here, References=f"{here} {there}"))
    assert (company.sitting.table.turn(), other.sitting.table.turn()) == (2, 1)


def test_two_tokens_of_different_games_are_asked_back(company: Company) -> None:
    other = Company.deal(company.stage)
    here, there = str(company.newest("alice")["Message-ID"]), token_address(other.newest("alice"))
    post = company.deliver(a_mail(ALICE, "draw", to=there, In_Reply_To=here))
    assert (company.sitting.table.turn(), other.sitting.table.turn()) == (1, 1)
    assert "it is not clear which game you mean" in said(post.only("alice"))


def test_two_tokens_of_different_seats_are_asked_back(company: Company) -> None:
    here, there = str(company.newest("alice")["Message-ID"]), token_address(company.newest("bob"))
    company.deliver(a_mail(ALICE, "draw", to=there, In_Reply_To=here))
    assert company.sitting.table.turn() == 1 and fates(company.stage) == ["answered"]


def test_every_address_of_a_player_is_the_players_and_letters_go_to_the_first(company: Company) -> None:
    stage = company.stage
    transact(
        stage.db, lambda session: edit_player(session, stage.house, stage.now, "alice", add=["alice@work.example"])
    )
    post = company.write("alice", "draw", sender="Alice <ALICE@work.example>")
    assert 'Read as "draw"' in post.only("alice")


def test_without_a_token_no_order_is_taken_and_a_registered_sender_is_told_how_to_answer(company: Company) -> None:
    post = company.deliver(a_mail(ALICE, "draw", Subject=f"Re: [{company.game}] Turn 1"))
    assert company.sitting.table.turn() == 1
    told = said(post.only("alice"))
    assert "To play, reply to the newest letter of your game" in told
    assert f"You are playing in {company.game}." in told


def test_help_needs_no_token(company: Company) -> None:
    post = company.deliver(a_mail(ALICE, "Help"))
    told = post.only("alice")
    assert "WHAT YOU CAN WRITE" in told and '"status": the digest again' in told
    assert "reply to the newest letter" in said(told)


def test_a_message_without_a_token_shows_no_secret(company: Company) -> None:
    post = company.deliver(a_mail(ALICE, "status\nlog\nhelp"))
    assert not any(card in text_of(post.to("alice")[0]) for card in company.hand("alice"))


@pytest.mark.parametrize(
    "header",
    [{"Reply_To": "bob@example.org"}, {"Cc": "carol@example.org"}, {"Sender": "bob@example.org"},
     {"Date": "Mon, 01 Jan 2035 00:00:00 +0000"}, {"Subject": "Re: what you said"}, {"Subject": "carol bob [other-9]"}],
    ids=lambda header: "-".join(*header.items()),
)  # fmt: skip
def test_other_headers_never_choose_a_game_a_seat_or_a_recipient(company: Company, header: dict[str, str]) -> None:
    post = company.write("alice", "status", to=None, quote=True, **header)
    assert post.readers == ["alice"] and "YOUR HAND" in post.only("alice")


def test_a_subject_that_names_another_game_is_asked_back(company: Company) -> None:
    other = Company.deal(company.stage)
    post = company.write("alice", "draw", Subject=f"Re: [{other.game}] Turn 1")
    assert (company.sitting.table.turn(), other.sitting.table.turn()) == (1, 1)
    assert "its subject names another game" in said(post.only("alice"))


def test_after_ten_messages_in_an_hour_with_nothing_readable_a_sender_is_held(company: Company) -> None:
    letter = company.newest("alice")
    posts = [company.write("alice", f"I am a machine {at}", to=letter) for at in range(13)]
    assert [len(post.to("alice")) for post in posts] == [1] * 10 + [1, 0, 0], (
        "ten answers, and one line that it is held"
    )
    assert fates(company.stage)[-3:] == ["held"] * 3
    company.stage.now += timedelta(hours=1, minutes=1)
    assert company.write("alice", "draw", to=letter).to("alice")
    assert company.sitting.table.turn() == 2


def test_ten_messages_that_could_be_read_hold_nobody(company: Company) -> None:
    for _ in range(12):
        company.write("alice", "log")
    assert fates(company.stage) == ["answered"] * 12


def test_a_mail_beyond_the_limits_is_held(company: Company) -> None:
    parts = "".join(f'--b{at}\nContent-Type: multipart/mixed; boundary="b{at + 1}"\n\n' for at in range(60))
    raw = f"From: {ALICE}\nTo: {token_address(company.newest('alice'))}\nMIME-Version: 1.0\n"
    post = company.deliver(f'{raw}Content-Type: multipart/mixed; boundary="b0"\n\n{parts}draw\n'.encode())
    assert fates(company.stage) == ["held"]
    assert "it is too large or too deeply nested to be read" in said(post.only("alice"))


FORGED = {
    "dmarc=fail": True,
    "dmarc=pass": False,
    "spf=fail smtp.mailfrom=x.example; dkim=none; dmarc=none": True,
    "spf=fail smtp.mailfrom=x.example; dkim=pass header.d=example.org": False,
    "spf=softfail smtp.mailfrom=x.example": True,
    "spf=pass smtp.mailfrom=example.org; dkim=fail; dmarc=pass": False,
    "none": False,
    "dmarc=temperror; dkim=pass header.d=example.org": False,
    "this is=no; header": True,
}


@pytest.mark.parametrize(("results", "forged"), FORGED.items(), ids=list(FORGED))
def test_a_sender_marked_as_forged_by_our_own_mail_server_is_held(tmp_path: Path, results: str, forged: bool) -> None:
    stage = open_stage(tmp_path, office={"authserv_id": "mx.example.org"})
    company = Company.deal(stage)
    company.write("alice", "draw", Authentication_Results=f"MX.example.org; {results}")
    assert fates(stage) == ["held" if forged else "answered"]
    assert company.sitting.table.turn() == (1 if forged else 2)
    stage.close()


def test_what_another_server_says_of_the_sender_counts_nothing(tmp_path: Path) -> None:
    stage = open_stage(tmp_path, office={"authserv_id": "mx.example.org"})
    company = Company.deal(stage)
    company.write("alice", "draw", Authentication_Results="mx.elsewhere.example; dmarc=fail")
    assert fates(stage) == ["answered"]
    stage.close()


def test_the_owner_of_a_forged_address_is_told_at_the_registered_one(tmp_path: Path) -> None:
    stage = open_stage(tmp_path, office={"authserv_id": "mx.example.org"})
    company = Company.deal(stage)
    post = company.deliver(a_mail(ALICE, "draw", Authentication_Results="mx.example.org; dmarc=fail"))
    assert "our mail server does not vouch for its sender" in said(post.only("alice"))
    assert post.readers == ["alice"]
    stage.close()
