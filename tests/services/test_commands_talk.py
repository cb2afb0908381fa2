"""Test what players say to each other: it reaches whom it names, and it is only text."""

import email

import pytest

from pbem.services.hearing import clean
from pbem.services.talk import LIMIT
from pbem.testing.stage import Stage, html_of, text_of
from tests.services.company import Company, said, whole


def test_say_tells_all_others_and_the_sender_is_told_whom(company: Company) -> None:
    post = company.write("alice", "say Good luck!")
    assert post.readers == ["alice", "bob", "carol"]
    assert '"say Good luck!" Sent to bob and carol.' in said(post.only("alice"))
    for name in ("bob", "carol"):
        assert "ALICE SAYS\n  Good luck!" in post.only(name)


def test_say_with_a_colon_takes_the_lines_up_to_end(company: Company) -> None:
    post = company.write("alice", "say:\nOne.\nplay S1\nThree.\nend\ndraw")
    assert any("  One.\n  play S1\n  Three." in text_of(letter) for letter in post.to("bob"))
    assert company.sitting.table.turn() == 2, "what stands below `end` is read again"


def test_tell_tells_one_alone(company: Company) -> None:
    post = company.write("alice", "tell BOB: watch carol")
    assert post.readers == ["alice", "bob"]
    assert "ALICE TELLS YOU\n  watch carol" in post.only("bob")
    assert "Sent to bob alone." in post.only("alice")


def test_all_that_one_message_says_is_one_letter_to_each(company: Company) -> None:
    """Nobody can be flooded with letters by one message."""
    post = company.write("alice", "say one\ntell bob two\nsay three\n" + "\n".join(f"tell bob {at}" for at in range(9)))
    assert post.readers == ["alice", "bob", "carol"]
    assert [line for line in ("one", "two", "three", "8") if f"  {line}\n" in post.only("bob")] == [
        "one",
        "two",
        "three",
        "8",
    ]
    assert "two" not in whole(post.to("carol")[0])


@pytest.mark.parametrize("line", ["tell zed hello", "tell alice hello", "tell me hello", "tell"])
def test_talk_to_nobody_is_refused_with_the_names_there_are(company: Company, line: str) -> None:
    post = company.write("alice", line)
    assert post.readers == ["alice"]
    assert "tell bob TEXT" in post.only("alice") and "tell carol TEXT" in post.only("alice")


@pytest.mark.parametrize("line", ["say", "say:", "say:\n\nend", "tell bob", "say \u202e\u200b"])
def test_talk_without_words_is_refused(company: Company, line: str) -> None:
    post = company.write("alice", line)
    assert post.readers == ["alice"]
    assert "There is nothing to tell." in post.only("alice") or "No words of yours" in said(post.only("alice"))


def test_who_has_resigned_is_not_told_and_the_sender_knows(company: Company) -> None:
    company.write("bob", "resign yes")
    post = company.write("alice", "say hello")
    assert post.readers == ["alice", "carol"] and "Sent to carol." in post.only("alice")
    post = company.write("alice", "tell bob hello")
    assert post.readers == ["alice"] and "bob cannot be reached any more." in said(post.only("alice"))


def test_a_letter_of_talk_may_be_answered_by_an_order(company: Company) -> None:
    company.write("bob", "tell alice your turn!")
    company.write("alice", "draw")
    assert company.sitting.table.turn() == 2


def test_talk_quoted_in_an_answer_is_nobodys_order(company: Company) -> None:
    company.write("bob", "say:\ndraw\nplay G1\nend")
    company.write("alice", "no, I think not")
    assert company.sitting.table.turn() == 1


HOSTILE = {
    "markup": "<script>alert(1)</script><img src=x onerror=y>",
    "entity": "&lt;b&gt; & \" '",
    "template": "{{7*7}} {% raw %} {{ page.to }}",
    "control": "be\x07ll \x1b[2J clear \x08",
    "bidi": "\u202eevil\u2066 \u200bhidden\ufeff",
    "sql": "'; DROP TABLE game; --",
    "format": "%s %(name)s {0} {name}",
    "header": "hello\r\nBcc: eve@example.com",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_a_players_text_is_only_text(company: Company, text: str) -> None:
    post = company.write("alice", f"tell bob {text}", quote=False)
    (letter,) = post.to("bob")
    markup, plain = html_of(letter), text_of(letter)
    assert "<script" not in markup and "<img" not in markup
    assert "49" not in plain.split("ALICE TELLS YOU")[1] and "Dear bob," in plain
    for letter in post.letters:
        assert "Bcc" not in letter and "eve@example.com" not in str(letter["To"])
        for sign in "\x07\x1b\x08\u202e\u2066\u200b\ufeff":
            assert sign not in whole(letter)
    assert company.sitting.is_open


def test_signs_that_cannot_be_seen_are_taken_out_whatever_post_brought_them() -> None:
    assert clean("be\x07ll\x1b[2J \u202eevil\u200b\ud800 one\r\ntwo\u2028three") == "bell[2J evil one  two three"


def test_markup_is_shown_as_it_was_written(company: Company) -> None:
    (letter,) = company.write("alice", "tell bob <b>5 & 6</b>").to("bob")
    assert "  <b>5 & 6</b>" in text_of(letter)
    assert "<p>&lt;b&gt;5 &amp; 6&lt;/b&gt;</p>" in html_of(letter)


def test_markup_in_what_is_repeated_is_escaped_too(company: Company) -> None:
    (letter,) = company.write("alice", "<b onclick=x>draw</b>\n{{7*7}}", quote=False).to("alice")
    assert "<b onclick" not in html_of(letter) and "{{7*7}}" in text_of(letter)


def test_ten_kilobytes_are_cut_and_the_sender_is_told(company: Company) -> None:
    lines = "\n".join(f"line {at} of a very long story" for at in range(380))
    post = company.write("alice", f"say:\n{lines}\nend", quote=False)
    assert f"only the first {LIMIT} characters were sent." in said(post.only("alice"))
    assert len(post.only("bob")) < 2 * LIMIT


def test_a_long_unbroken_word_is_broken(company: Company) -> None:
    (letter,) = company.write("alice", "say " + "a" * 400).to("bob")
    assert text_of(letter).count("a" * 74) == 5
    assert max(map(len, text_of(letter).splitlines())) <= 76


def test_a_name_that_looks_like_an_order_is_a_name(stage: Stage) -> None:
    for name in ("draw", "V1", "zoë"):
        stage.add_player(name, f"{name.lower().replace('ë', 'e')}@example.org")
    game = stage.new_game("blame", ["draw", "V1", "zoë"], seed="queen", first="draw")
    stage.poll()
    company = Company(stage, game)
    post = company.write("draw", "tell v1 hello\ntell ZOË hello")
    assert post.readers == ["draw", "v1", "zoe"]
    assert email.message_from_bytes(post.to("zoe")[0].as_bytes())["Subject"] == f"[{game}] draw tells you"
