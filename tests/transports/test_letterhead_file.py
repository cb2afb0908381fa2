"""Test that a letter may bring a file, and that it comes out as it went in."""

import email
import email.policy
from datetime import UTC, datetime
from email.message import EmailMessage

import pytest

from pbem.core.message import Address, Outbound
from pbem.transports import mime
from pbem.transports.letterhead import Letterhead, write

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
HEAD = Letterhead("pbem", "games@example.org", True)
FILE = '{"name":"Zoë"}\n.\nFrom here\n' + "x" * 3000 + "\n"


def sent(name: str = "blame-1.jsonl", html: str = "<p>Hi</p>") -> bytes:
    letter = Outbound(
        "k", Address("mail", "a@example.org"), "", "", "Hi", "Hi\n", html, NOON, file_name=name, file=FILE
    )
    return write(letter, HEAD)


@pytest.mark.parametrize("html", ["<p>Hi</p>", ""])
def test_a_file_comes_out_as_it_went_in_beside_the_words(html: str) -> None:
    mail = email.message_from_bytes(sent(html=html), policy=email.policy.default)
    assert isinstance(mail, EmailMessage)
    (part,) = mail.iter_attachments()
    assert (part.get_filename(), part.get_payload(decode=True)) == ("blame-1.jsonl", FILE.encode())
    body = mail.get_body(("plain",))
    assert body is not None and str(body.get_content()).strip() == "Hi"
    assert (mime.read(sent(html=html), "mail", NOON).text or "").strip() == "Hi"
    assert max(map(len, sent().split(b"\r\n"))) <= 78


def test_the_same_letter_is_the_same_bytes() -> None:
    assert sent() == sent()


@pytest.mark.parametrize("name", ["a b.json", 'a"b', "a\r\nBcc: eve@example.org", ""])
def test_a_name_that_could_end_a_header_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot stand in"):
        sent(name)
