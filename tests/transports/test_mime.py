"""Test reading mails, whatever their bytes are, and writing letters that other programs read alike."""

import email
import email.policy
import email.utils
import time
from dataclasses import replace
from datetime import UTC, datetime
from email.message import EmailMessage
from encodings.aliases import aliases

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.core.message import Address, Inbound, Outbound
from pbem.transports.fields import one_line
from pbem.transports.mime import Letterhead, letter_id, read, write
from tests.cases import HEAD, LETTER, NOW, Case, mails, recorded


def load(text: str | bytes) -> Inbound:
    return read(text.encode() if isinstance(text, str) else text, "mail", NOW)


# Reading


# The standard parser takes the sender of A49 from within an encoded word.
@pytest.mark.parametrize("case", [case for case in mails() if case.expected["case"] != "A49"], ids=lambda case: case.id)
def test_case_as_the_standard_parser_reads_it(case: Case) -> None:
    """The standard library is the oracle for plain fields and the first plain part."""
    message, oracle = case.message(), email.message_from_bytes(case.raw)
    assert message.sender == email.utils.parseaddr(oracle["From"])[1]
    assert message.recipients[-1] == email.utils.parseaddr(oracle["To"])[1]
    assert [f"<{one}>" for one in message.answers] == [value for value in [oracle["In-Reply-To"]] if value]
    assert message.external_id.partition("#")[0] == (oracle["Message-ID"] or "").strip("<>")
    assert message.received_at == NOW


def by_case(number: str) -> list[Inbound]:
    return [case.message() for case in mails() if case.expected["case"] == number]


def test_a20_an_unknown_charset_is_a_doubt() -> None:
    bogus, empty, trash = by_case("A20")
    assert [one.text for one in (bogus, empty, trash)] == ["hand\n"] * 3
    assert bogus.doubts == ("the charset 'bogus' is unknown",)
    assert empty.doubts == ()
    assert trash.doubts == ("the charset 'utf-8 euao6y69zh2w' is unknown",)


def test_a27_names_what_it_could_not_read() -> None:
    (message,) = by_case("A27")
    assert (message.text, message.html) == (None, None)
    assert message.attached == ("winmail.dat (application/ms-tnef)",)


def test_a29_marks_machine_mail() -> None:
    (message,) = by_case("A29")
    assert message.marks["auto-submitted"] == ("auto-replied",)
    assert message.marks["x-autoreply"] == ("yes",)
    assert message.marks["precedence"] == ("bulk",)


def test_a37_the_copy_is_another_mail_and_the_same_mail_is_not() -> None:
    first, again = by_case("A37")
    assert first.external_id != again.external_id
    lf = first.raw.replace(b"\r\n", b"\n")
    assert load(lf).external_id == load(lf.replace(b"\n", b"\r\n")).external_id == first.external_id
    assert load(first.raw.replace(b"draw", b"pass")).external_id != first.external_id


def test_a38_is_named_by_its_content() -> None:
    (message,) = by_case("A38")
    assert message.external_id.startswith("#")
    assert load(message.raw.replace(b"ann.k7q2@", b"bob.m3x8@")).external_id != message.external_id


def test_a41_keeps_the_case_as_written() -> None:
    (message,) = by_case("A41")
    assert message.sender == "ANN@Example.ORG"
    assert message.recipients == ("GAMES+G17.ANN.K7Q2@PLAY.EXAMPLE.ORG", "games+g17.ann.k7q2@play.example.org")


def test_a43_other_addresses_are_not_even_known() -> None:
    (message,) = by_case("A43")
    assert not [value for values in message.marks.values() for value in values if "bob@" in value or "cleo@" in value]
    assert message.recipients == ("games+g17.ann.k7q2@play.example.org",)


def test_a48_decodes_the_subject() -> None:
    (message,) = by_case("A48")
    assert message.subject == "Antw: AW: [pbem g17] Turn 5: your move \u2013 antwort"


def test_a49_has_no_line_end_in_a_header() -> None:
    (message,) = by_case("A49")
    assert message.subject == "Re: [pbem g17] Bcc: eve@example.com"
    assert message.marks["from"] == ("Ann Bcc: eve@example.com <ann@example.org>",)
    assert message.sender == "ann@example.org"


def test_a50_stops_at_its_limits() -> None:
    (message,) = by_case("A50")
    assert message.text is None
    assert message.doubts == ("its parts are nested too deeply",)
    huge = load(b"From: ann@example.org\n\n" + b"draw\n" * 6_000_000)
    assert huge.text is None
    assert "only the first MiB was looked at" in huge.doubts


def test_answers_come_replied_first_then_references_newest_first() -> None:
    mail = load("In-Reply-To: <c@x> (yours)\nReferences: <a@x> <b@x>\n <c@x>\n\n")
    assert mail.answers == ("c@x", "b@x", "a@x")
    assert load("In-Reply-To: bare@x\n\n").answers == ("bare@x",)


@pytest.mark.parametrize(
    ("value", "sender"),
    [
        ("Ann <ann@example.org>", "ann@example.org"),
        ("ann@example.org (Ann <eve@example.com>)", "ann@example.org"),
        ('"Ann <eve@example.com>, x" <ann@example.org>', "ann@example.org"),
        ("=?utf-8?q?=3Ceve=40example=2Ecom=3E?= <ann@example.org>", "ann@example.org"),
        ("ann@example.org, eve@example.com", ""),
        ("ann@example.org\nFrom: eve@example.com", ""),
        ("Ann <ann@example.org> <eve@example.com>", ""),
        ("Ann <ann@example.org", ""),
        ("Ann", ""),
        ("", ""),
        ("((((((((", ""),
    ],
)
def test_sender(value: str, sender: str) -> None:
    assert load(f"From: {value}\n\ndraw").sender == sender


def test_a_mail_attached_is_not_looked_into() -> None:
    mail = load(
        "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nsee there\n"
        "--b\nContent-Type: message/rfc822\n\nFrom: eve@example.com\n\npass\n"
        "--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=x.txt\n\npass\n--b--\n"
    )
    assert mail.text == "see there"
    assert mail.attached == ("unnamed (message/rfc822)", "x.txt (text/plain)")


REPORT = """\
From: MAILER-DAEMON@mx.example.org
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b

Sorry.
--b
Content-Type: message/delivery-status

Action: failed
--b
Content-Type: {kind}

Subject: x
Message-ID: <tok.k1@play.example.org>

--b--
"""


@pytest.mark.parametrize("kind", ["message/rfc822", "text/rfc822-headers"])
def test_bounce_names_the_letter(kind: str) -> None:
    assert load(REPORT.format(kind=kind)).bounced == ("tok.k1@play.example.org",)


def test_bounce_of_an_old_mailer() -> None:
    text = "Hi. This is the program.\n--- Below this line is a copy.\n\nMessage-ID: <tok.k1@play.example.org>\nTo: x\n"
    assert load(f"Return-Path: <>\n\n{text}").bounced == ("tok.k1@play.example.org",)
    assert load(f"Return-Path: <ann@example.org>\n\n{text}").bounced == ()


FLOWED = "Content-Type: text/plain; format=flowed{delsp}\n\n"


@pytest.mark.parametrize(
    ("body", "delsp", "text"),
    [
        ("guess bob \nlana\n", "", "guess bob lana\n"),
        ("guess bob \nlana\n", "; delsp=yes", "guess boblana\n"),
        ("a\nb\n", "; delsp=yes", "a\nb\n"),
        (" >not quoted\n From me\n", "", ">not quoted\nFrom me\n"),
        ("> a \n> b\n>> c \n> d\n", "", "> a b\n>> c \n> d\n"),
        ("a\n-- \nAnn\n", "", "a\n-- \nAnn\n"),
        ("a \n-- \nAnn\n", "", "a \n-- \nAnn\n"),
    ],
)
def test_flowed(body: str, delsp: str, text: str) -> None:
    assert load(FLOWED.format(delsp=delsp) + body).text == text


@pytest.mark.parametrize(
    "label", ["zlib", "rot13", "idna", "punycode", "unicode_escape", "undefined", "x" * 300, "\x00"]
)
def test_no_codec_but_a_charset_is_used(label: str) -> None:
    assert load(f"Content-Type: text/plain; charset={label}\n\n\\u0064raw\n").text == "\\u0064raw\n"


def test_charsets() -> None:
    for label, word in {"iso-2022-jp": "引く", "koi8-r": "взять", "gb2312": "抽牌", "iso-8859-1": "“né”"}.items():
        raw = word.encode("cp1252" if label == "iso-8859-1" else label)
        assert load(f"Content-Type: text/plain; charset={label}\n\n".encode() + raw).text == word
    assert load(b"\n\xe9t\xe9").text == "été"
    assert load(b"Content-Type: text/plain; charset=us-ascii\n\n\xc3\xa9t\xc3\xa9").text == "été"


@pytest.mark.parametrize("label", sorted(set(aliases.values())))
def test_no_codec_raises(label: str) -> None:
    for raw in (bytes(range(256)), b"+2AA-", b"\x1b$B", b"~{", b"xn--\xff"):
        message = load(
            f"Subject: =?{label}?q?=1B=24=FF=D8?=\nContent-Type: text/plain; charset={label}\n\n".encode() + raw
        )
        (message.text or "").encode()
        assert one_line(message.subject) == message.subject


NASTY = {
    "parameters": b"Content-Type: text/plain" + b";" * 1_000_000,
    "parts": b"Content-Type: multipart/mixed; boundary=x\n\n" + b"--x\n" * 250_000,
    "nested": b"".join(b"Content-Type: multipart/mixed; boundary=x%d\n\n--x%d\n" % (n, n) for n in range(15_000)),
    "self": b"Content-Type: multipart/mixed; boundary=\n\n--\n--\n",
    "words": b"Subject: " + b"=?utf-8?q?a?= " * 4_000 + b"\n\n",
    "openings": b"Subject: " + b"=?" * 30_000 + b"\n\n",
    "headers": b"A: b\n" * 12_000 + b"\n",
    "folds": b"Subject: a\n" + b" b\n" * 20_000 + b"\n",
    "comments": b"From: " + b"(" * 60_000 + b"\n\n",
    "angles": b"From: " + b"<" * 60_000 + b"\nReferences: " + b"<a@b>" * 10_000 + b"\n\n",
    "lines": b"\n" * 1_048_576,
    "returns": b"a: b\n\n" + b"\r" * 1_048_576,
    "base64": b"Content-Transfer-Encoding: base64\n\n" + b"QQ=\n" * 60_000,
    "quoted": b"Content-Transfer-Encoding: quoted-printable\n\n" + b"=\n" * 100_000,
    "surrogates": b"Content-Type: text/plain; charset=utf-7\n\n" + b"+2AA-" * 20_000,
    "flowed": b"Content-Type: text/plain; format=flowed\n\n" + b"a \n" * 80_000,
    "empty": b"",
    "nul": b"\x00" * 1_000,
}


@pytest.mark.parametrize("name", NASTY)
def test_nasty(name: str) -> None:
    before = time.perf_counter()
    message = load(NASTY[name])
    assert time.perf_counter() - before < 2
    message.subject.encode()
    (message.text or "").encode()


PIECES = st.sampled_from(
    [
        b"Content-Type: multipart/mixed; boundary=b\n",
        b"Content-Type: multipart/report; boundary=b\n",
        b"Content-Type: message/rfc822\n",
        b"Content-Type: message/delivery-status\n",
        b"Content-Type: text/plain; charset=utf-16; format=flowed\n",
        b"Content-Type: text/html; charset=",
        b"Content-Transfer-Encoding: base64\n",
        b"Content-Transfer-Encoding: quoted-printable\n",
        b"From: =?utf-8?b?w?= <",
        b"Subject: =?utf-16?q?=D8?= =?iso-2022-jp?b?GyRC?=\n",
        b"References: <",
        b"Message-ID: ",
        b"--b\n",
        b"--b--\n",
        b"\n",
        b"\r\n",
        b" ",
    ]
)


@settings(max_examples=500)
@given(st.lists(PIECES | st.binary(max_size=20), max_size=25))
def test_any_bytes_are_read(pieces: list[bytes]) -> None:
    message = load(b"".join(pieces))
    for text in (message.subject, message.sender, message.external_id, *message.answers, *message.recipients):
        assert one_line(text) == text
        text.encode()


# Writing


def opened(raw: bytes) -> EmailMessage:
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    assert not message.defects
    return message


def body(message: EmailMessage, kind: str) -> str:
    part = message.get_body((kind,))
    assert isinstance(part, EmailMessage)
    content = part.get_content()
    assert isinstance(content, str)
    return content.replace("\r\n", "\n")


def test_headers() -> None:
    message = opened(write(LETTER, HEAD))
    assert dict(message.items()) == {
        "From": "PBEM judge <games@play.example.org>",
        "To": "ann@example.org",
        "Reply-To": "games+g7a4k7q2@play.example.org",
        "Subject": "[blame-7] Turn 5: your move",
        "Date": "Tue, 03 Mar 2026 11:32:00 +0000",
        "Message-ID": "<g7a4k7q2.3f2a@play.example.org>",
        "In-Reply-To": "<1c0d@play.example.org>",
        "References": "<1c0d@play.example.org>",
        "List-Id": "<pbem.play.example.org>",
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "DR, RN, NRN, OOF, AutoReply",
        "Precedence": "list",
        "X-Pbem": "letter",
        "MIME-Version": "1.0",
        "Content-Type": message["Content-Type"],
    }


def test_without_token_thread_plus_or_html() -> None:
    message = opened(write(replace(LETTER, token="", thread="", html=""), HEAD))
    assert message["Message-ID"] == "<3f2a@play.example.org>"
    assert message["Reply-To"] == "games@play.example.org"
    assert message["In-Reply-To"] is None
    assert message.get_content_type() == "text/plain"
    assert opened(write(LETTER, replace(HEAD, plus=False)))["Reply-To"] == "games@play.example.org"


WORDS = st.text(st.characters(codec="utf-8"), max_size=400)
NAME = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp", "Cn", "Co"]), max_size=9)
LINE = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Cn", "Co")), max_size=300)


@settings(max_examples=300, deadline=None)
@given(NAME, LINE, WORDS, WORDS)
def test_other_programs_read_it_alike(name: str, subject: str, text: str, html: str) -> None:
    raw = write(replace(LETTER, subject=subject, text=text, html=html or "x"), replace(HEAD, name=name or "x"))
    message = opened(raw)
    assert message["Subject"] == subject
    sender = message["From"].addresses[0]
    assert (sender.display_name.split(), sender.addr_spec) == ((name or "x").split(), HEAD.address)
    assert body(message, "plain") == text.replace("\r\n", "\n").replace("\r", "\n")
    assert body(message, "html") == (html or "x").replace("\r\n", "\n").replace("\r", "\n")
    assert message.get_boundary() is not None


@settings(max_examples=200, deadline=None)
@given(LINE, WORDS)
def test_lines_are_safe_on_their_way(subject: str, text: str) -> None:
    rows = write(replace(LETTER, subject=subject, text=text + "\n.\n..a\nFrom x\n" + "." * 200), HEAD).split(b"\r\n")
    assert all(len(row) <= 78 and row.isascii() and b"\n" not in row and b"\r" not in row for row in rows)
    in_body = rows[rows.index(b"") :]
    assert not [row for row in in_body if row.startswith((b".", b"From ")) or row.endswith((b" ", b"\t"))]


def test_what_is_written_is_read_again() -> None:
    message = load(write(LETTER, HEAD))
    assert (message.text, message.html) == (LETTER.text, LETTER.html)
    assert message.subject == LETTER.subject
    assert message.marks["x-pbem"] == ("letter",)
    assert message.answers == ("1c0d@play.example.org",)


@pytest.mark.parametrize(
    "wrong",
    [
        {"subject": "x\nBcc: eve@example.com"},
        {"subject": "x\x00"},
        {"subject": "x\u2028y"},
        {"key": "k\r\nBcc: x"},
        {"key": "k k"},
        {"token": "a@b"},
        {"thread": "<x>"},
        {"to": Address("mail", "ann@example.org, eve@example.com")},
        {"to": Address("mail", "ann@example.org\nBcc: eve@example.com")},
        {"to": Address("mail", "ann")},
    ],
    ids=repr,
)
def test_header_injection_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"header|Message-ID|address"):
        write(replace(LETTER, **wrong), HEAD)  # type: ignore[arg-type]


def test_a_name_with_a_line_end_is_refused() -> None:
    with pytest.raises(ValueError, match="name"):
        write(LETTER, replace(HEAD, name="x\nBcc: eve@example.com"))


def test_the_same_letter_has_the_same_bytes() -> None:
    assert write(LETTER, HEAD) == write(replace(LETTER), Letterhead(HEAD.name, HEAD.address, plus=True))
    other = Outbound("k", Address("mail", "a@b"), "", "", "s", "t", "", datetime(2026, 1, 1, tzinfo=UTC))
    assert letter_id(other) == "k"
    assert letter_id(LETTER) == "g7a4k7q2.3f2a"


# Answers by real programs to a letter written here


@pytest.mark.parametrize(
    ("name", "to"),
    [("mutt-above", "games+g7a4k7q2@play.example.org"), ("snail-quote-default", "games@play.example.org")],
)
def test_recorded(name: str, to: str) -> None:
    message = recorded(name)
    assert message.answers == ("g7a4k7q2.3f2a@play.example.org", "1c0d@play.example.org")
    assert message.recipients == (to,)
    assert message.sender == "ann@example.org"
    assert message.doubts == ()
