"""The hostile half of mail: whatever comes, it is dealt with in under a second, and one answer or none goes out."""

import base64
import time
from collections.abc import Callable

import pytest

from pbem.testing.stage import text_of
from tests.services.company import Company

KIB, MIB = 1024, 1024 * 1024
SECOND = 1.0  # of the processor: what else the machine does is no matter
HEAD = b"From: alice@example.org\nMessage-ID: <hostile@example.org>\n"
PLAIN = b"Content-Type: text/plain\n\n"


def nested(depth: int, kind: bytes = b"mixed") -> bytes:
    """Put a part into a part, so many times."""
    opened = b"".join(
        b"Content-Type: multipart/%s; boundary=b%d\n\n--b%d\n" % (kind, number, number) for number in range(depth)
    )
    return opened + PLAIN + b"draw\n"


def parts(count: int, kind: bytes = b"text/plain") -> bytes:
    """Put so many parts side by side."""
    one = b"--b\nContent-Type: " + kind + b"\n\ndraw\n"
    return b"Content-Type: multipart/mixed; boundary=b\n\n" + one * count + b"--b--\n"


def html(body: bytes) -> bytes:
    return b"Content-Type: text/html; charset=utf-8\n\n" + body


def encoded(body: bytes, how: bytes = b"base64") -> bytes:
    return b"Content-Type: text/plain\nContent-Transfer-Encoding: " + how + b"\n\n" + body


HOSTILE: dict[str, bytes] = {
    # size
    "thirty megabytes": PLAIN + b"draw\n" * (6 * MIB),
    "one line of ten megabytes": PLAIN + b"x" * (10 * MIB),
    "a megabyte of blanks": PLAIN + b" " * MIB,
    "a million line ends": PLAIN + b"\n" * MIB,
    "a million carriage returns": PLAIN + b"\r" * MIB,
    "nothing at all": b"",
    "no end of the head": b"X: y\n" * 100_000,
    # depth and number
    "five hundred levels": nested(500),
    "ten thousand levels": nested(10_000),
    "messages in messages": b"Content-Type: message/rfc822\n\n" * 2000 + b"draw",
    "signed in signed": nested(300, b"signed"),
    "a thousand parts": parts(1000),
    "a thousand pages": parts(1000, b"text/html"),
    "a thousand attachments": parts(1000, b"application/octet-stream; name=x"),
    "a hundred thousand empty parts": b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n" * 100_000,
    # headers that break parsers
    "a header of a megabyte": b"X-Big: " + b"y" * MIB + b"\n" + PLAIN + b"draw\n",
    "a subject of encoded words": b"Subject: " + b"=?utf-8?q?=41?= " * 20_000 + b"\n" + PLAIN + b"draw\n",
    "a subject of broken words": b"Subject: " + b"=?utf-8?q?" * 20_000 + b"\n" + PLAIN + b"draw\n",
    "a hundred thousand references": b"References: " + b"<a@b>\n " * 100_000 + b"\n" + PLAIN + b"draw\n",
    "comments in comments": b"To: " + b"(" * 50_000 + b"\n" + PLAIN + b"draw\n",
    "quotes without end": b"To: " + b'"\\' * 50_000 + b"\n" + PLAIN + b"draw\n",
    "groups of groups": b"To: " + b"a:b;" * 30_000 + b"\n" + PLAIN + b"draw\n",
    "ten thousand recipients": b"To: " + b"a@example.org, " * 10_000 + b"\n" + PLAIN + b"draw\n",
    "a name in ten thousand pieces": b"Content-Type: text/plain; "
    + b"".join(b"name*%d=a; " % number for number in range(10_000))
    + b"\n\ndraw\n",
    "parameters without end": b"Content-Type: text/plain; " + b"a=b; " * 50_000 + b"\n\ndraw\n",
    "a boundary of blanks": b'Content-Type: multipart/mixed; boundary="' + b" " * 10_000 + b'"\n\n--\ndraw\n',
    "no boundary": b"Content-Type: multipart/mixed\n\n--\n--\ndraw\n",
    "a boundary that the text is made of": b"Content-Type: multipart/mixed; boundary=-\n\n" + b"---\n" * 50_000,
    "bytes that are no letters": b"Subject: \xff\xfe\x00\x01\n" + PLAIN + bytes(range(256)) * 100,
    "zero bytes in the head": b"Sub\x00ject: x\nTo\x00: y\n" + PLAIN + b"draw\n",
    "authentication results without end": b"Authentication-Results: x; " + b"dkim=pass (" * 10_000 + b"\n" + PLAIN,
    "ten thousand traces": b"Received: from a by b; Mon, 2 Mar 2026 12:00:00 +0000\n" * 10_000 + PLAIN + b"draw\n",
    # encodings
    "base64 that is none": encoded(b"====" * 100_000),
    "base64 of ten megabytes": encoded(base64.encodebytes(b"draw\n" * (2 * MIB))),
    "quoted-printable of equals signs": encoded(b"=" * MIB, b"quoted-printable"),
    "soft breaks without end": encoded(b"draw=\n" * 100_000, b"quoted-printable"),
    "an encoding of another world": encoded(b"draw\n", b"x-uuencode-rot13"),
    "letters that fall apart": b"Content-Type: text/plain; charset=utf-8\n\n" + "\ufdfa".encode() * 100_000,
    "marks upon marks": b"Content-Type: text/plain; charset=utf-8\n\na" + "\u0301".encode() * 300_000,
    "flowed without end": b"Content-Type: text/plain; format=flowed; delsp=yes\n\n" + b"draw \n" * 100_000,
    # traps for whoever looks at words
    "quote signs": PLAIN + b">" * 200_000,
    "quotes in quotes": PLAIN + b"".join(b"> " * depth + b"draw\n" for depth in range(1, 1000)),
    "attributions": PLAIN + b"On Mon, 2 Mar 2026 at 12:00, pbem <games@example.org> wrote:\n" * 20_000,
    "half an attribution": PLAIN + b"On " + b"Mon, 2 Mar " * 50_000 + b"\n",
    "header blocks": PLAIN + b"From: a\nSent: b\nTo: c\nSubject: d\n\n" * 10_000,
    "commands": PLAIN + b"draw\n" * 3000,
    "slips": PLAIN + b"drwa\n" * 3000,
    "long slips": PLAIN + b"plya " * 100_000,
    "words without a break": PLAIN + b"play" * 100_000,
    "say without end": PLAIN + b"say:\n" + b"hello\n" * 100_000,
    "many answers ahead": PLAIN + b"on bury " + b"T1," * 100_000 + b"\n",
    # pages
    "fifty thousand open tags": html(b"<div>" * 50_000 + b"draw"),
    "closed and never opened": html(b"</b>" * 200_000 + b"draw"),
    "a table in a table": html(b"<table><tr><td>" * 3000 + b"draw"),
    "block quotes in block quotes": html(b"<blockquote>" * 20_000 + b"draw"),
    "comments that never end": html(b"<!--" * 200_000 + b"draw"),
    "an attribute of a megabyte": html(b'<p style="' + b"x" * MIB + b'">draw</p>'),
    "entities": html(b"&amp;" * 200_000 + b"&" * 100_000 + b"&#x110000;" * 1000),
    "an entity that explodes": html(
        b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
        b'<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><p>' + b"&c;" * 1000 + b"draw</p>"
    ),
    "style sheets": html(b"<style>" + b"p{}" * 100_000 + b"</style>draw"),
}


def answering(company: Company, body: bytes) -> bytes:
    """Let a hostile mail answer alice's newest letter, so that all of it is looked at."""
    letter = company.newest("alice")
    return HEAD + f"To: {letter['Reply-To']}\nIn-Reply-To: {letter['Message-ID']}\n".encode() + body


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("dress", [answering, lambda company, body: HEAD + body], ids=["an answer", "no answer"])
def test_it_is_dealt_with_in_under_a_second(
    company: Company, name: str, dress: Callable[[Company, bytes], bytes]
) -> None:
    raw = dress(company, HOSTILE[name])
    start = time.process_time()
    post = company.deliver(raw)
    assert time.process_time() - start < SECOND
    assert len(post.to("alice")) <= 1, "one answer or none"
    assert company.sitting.table.turn() in (1, 2), "it is one move at most"
    assert all(len(text_of(letter)) < 64 * KIB for letter in post.letters), "nor does the answer grow"
    after = company.write("bob", "help")
    assert len(after.to("bob")) == 1, "the house goes on"
