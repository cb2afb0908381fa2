"""Test that a player's own words are found, all of them, and nobody else's."""

import re
import time
from textwrap import wrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.core.quotes import MARKER, OwnWords, own_words
from tests.cases import DIGEST, TEXT, Case, lines, mails, recorded, same

PROSE = {
    # The player's own prose beside the move: it is kept, and spoils nothing.
    "a17-flowed-soft-break": "I have thought about this for a very long time and my answer for turn five is below, "
    "good luck to all of you. guess bob lana",
    "a29-out-of-office-headers": "I am away until 9 March.",
    "a54-forwarded-move": "see below",
}


def found(case: Case, sent: str | None) -> OwnWords:
    message = case.message()
    return own_words(message.text, message.html, sent)


@pytest.mark.parametrize("case", mails(), ids=lambda case: case.id)
def test_case(case: Case) -> None:
    """The letter that is answered is known, as it is in every game."""
    expected = case.expected
    words = same(found(case, DIGEST).text)
    wanted = PROSE.get(case.id, expected.get("own_text", expected.get("extracted", expected["expect"])))
    assert words in [same(one) for one in (wanted, *expected.get("accept", ()))]
    for leak in expected["must_not_contain"]:
        assert not re.search(rf"\b{re.escape(same(leak))}(?!\w)", words)
    if expected["expect"]:
        assert same(expected["expect"]) in words or words in map(same, expected["accept"])


@pytest.mark.parametrize("case", [case for case in mails() if case.expected["case"] != "A29"], ids=lambda case: case.id)
def test_case_without_the_letter(case: Case) -> None:
    """Structure alone is enough; only an unmarked copy without any attribution (A29) needs the letter."""
    assert found(case, None).text == found(case, DIGEST).text


def test_forwarded_words_are_told_as_unread() -> None:
    case = next(case for case in mails() if case.expected["case"] == "A54")
    assert "guess cleo ray" in found(case, None).unread


@pytest.mark.parametrize(
    ("name", "words", "unread"),
    [
        ("mutt-above", "play VA G2", ()),
        ("mutt-below", "play VA G2", ()),
        ("mutt-below-glued", "draw", ()),
        ("mutt-between", "", ("play VA G2",)),
        ("mutt-forward", "", ()),
        (
            "mutt-flowed",
            "draw\nsay good luck to you all, and may the best of us take the whole pile this time, whoever it is",
            (),
        ),
        ("snail-plain", "draw", ()),
        ("snail-quote", "draw", ()),
        ("snail-quote-default", "draw", ()),
        ("snail-quote-headers", "draw", ()),
    ],
)
def test_recorded(name: str, words: str, unread: tuple[str, ...]) -> None:
    message = recorded(name)
    assert own_words(message.text, message.html, TEXT) == OwnWords(words, unread)


def test_what_stands_below_a_signature_is_no_order_but_told() -> None:
    message = recorded("mutt-signed-below")
    own = own_words(message.text, message.html, TEXT)
    assert own.text == ""
    assert own.unread[:3] == ("Ann Example", "play SP 3", "draw")


QUOTED = "".join(f"> {line}".rstrip() + "\n" for line in TEXT.split("\n"))
ADDRESS = "games+g7a4k7q2@play.example.org"
GMAIL = {
    "en": f"On Tue, 3 Mar 2026 at 12:32, PBEM judge <\n{ADDRESS}> wrote:",
    "de": f"Am Di., 3. März 2026 um 12:32 Uhr schrieb PBEM judge <\n{ADDRESS}>:",
    "fr": f"Le mar. 3 mars 2026 à 12:32, PBEM judge <{ADDRESS}> a\nécrit :",
    "es": f"El mar, 3 mar 2026 a las 12:32, PBEM judge (<{ADDRESS}>)\nescribió:",
    "it": f"Il giorno mar 3 mar 2026 alle ore 12:32 PBEM judge <\n{ADDRESS}> ha scritto:",
    "pt": f"PBEM judge <{ADDRESS}> escreveu (terça, 3/03/2026\nà(s) 12:32):",
    "nl": f"Op di 3 mrt 2026 om 12:32 schreef PBEM judge <\n{ADDRESS}>:",
    "pl": f"wt., 3 mar 2026 o 12:32 PBEM judge <{ADDRESS}>\nnapisał(a):",
    "ru": f"вт, 3 мар. 2026 г. в 12:32, PBEM judge <{ADDRESS}>:",
    "sv": f"Den tis 3 mars 2026 kl 12:32 skrev PBEM judge <\n{ADDRESS}>:",
    "da": f"Den tirs. 3. mar. 2026 kl. 12.32 skrev PBEM judge <\n{ADDRESS}>:",
    "no": f"tir. 3. mar. 2026 kl. 12:32 skrev PBEM judge <\n{ADDRESS}>:",
    "fi": f"ti 3. maalisk. 2026 klo 12.32 PBEM judge ({ADDRESS})\nkirjoitti:",
    "cs": f"út 3. 3. 2026 v 12:32 odesílatel PBEM judge <\n{ADDRESS}> napsal:",
    "hu": f"PBEM judge <{ADDRESS}> ezt írta (időpont: 2026. márc.\n3., K, 12:32):",
    "ja": f"2026年3月3日(火) 12:32 PBEM judge <{ADDRESS}>：",
    "zh": f"PBEM judge <{ADDRESS}> 于2026年3月3日周二 12:32写道：",
    "ko": f"2026년 3월 3일 (화) 오후 12:32, PBEM judge <{ADDRESS}>님이\n작성:",
    "tr": f"PBEM judge <{ADDRESS}>, 3 Mar 2026 Sal, 12:32\ntarihinde şunu yazdı:",
    "uk": f"вт, 3 бер. 2026 р. о 12:32 PBEM judge <{ADDRESS}> пише:",
}
OUTLOOK = {
    "en": ("From", "Sent", "To", "Subject"),
    "de": ("Von", "Gesendet", "An", "Betreff"),
    "fr": ("De ", "Envoyé ", "À ", "Objet "),
    "es": ("De", "Enviado", "Para", "Asunto"),
    "it": ("Da", "Inviato", "A", "Oggetto"),
    "pt": ("De", "Enviado", "Para", "Assunto"),
    "nl": ("Van", "Verzonden", "Aan", "Onderwerp"),
    "pl": ("Od", "Wysłane", "Do", "Temat"),
    "ru": ("От", "Отправлено", "Кому", "Тема"),
    "sv": ("Från", "Skickat", "Till", "Ämne"),
    "da": ("Fra", "Sendt", "Til", "Emne"),
    "no": ("Fra", "Sendt", "Til", "Emne"),
    "fi": ("Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"),
    "cs": ("Od", "Odesláno", "Komu", "Předmět"),
    "hu": ("Feladó", "Elküldve", "Címzett", "Tárgy"),
    "ja": ("差出人", "送信日時", "宛先", "件名"),
    "zh": ("发件人", "发送时间", "收件人", "主题"),
    "ko": ("보낸 사람", "보낸 날짜", "받는 사람", "제목"),
    "tr": ("Gönderen", "Gönderildi", "Kime", "Konu"),
    "uk": ("Від", "Надіслано", "Кому", "Тема"),
}
SENT = [TEXT, None]
VALUES = (f"PBEM judge <{ADDRESS}>", "Dienstag, 3. März 2026 12:32", "ann@example.org", "[blame-7] Turn 5: your move")


@pytest.mark.parametrize("sent", SENT, ids=["known", "unknown"])
@pytest.mark.parametrize("language", GMAIL)
def test_quote_in_twenty_languages(language: str, sent: str | None) -> None:
    for attribution in (GMAIL[language], GMAIL[language].replace("\n", " ")):
        assert own_words(f"draw\n\n{attribution}\n\n{QUOTED}", None, sent) == OwnWords("draw")
        assert own_words(f"{attribution}\n\n{QUOTED}\ndraw\n", None, sent) == OwnWords("draw")


@pytest.mark.parametrize("sent", SENT, ids=["known", "unknown"])
@pytest.mark.parametrize("marker", [True, False], ids=["marker", "bare"])
@pytest.mark.parametrize("rule", ["", "_" * 32 + "\n"], ids=["block", "rule"])
@pytest.mark.parametrize("language", OUTLOOK)
def test_header_block_in_twenty_languages(language: str, rule: str, marker: bool, sent: str | None) -> None:
    rows = [f"{label}: {value}" for label, value in zip(OUTLOOK[language], VALUES, strict=True)]
    body = TEXT if marker else TEXT.replace(MARKER, "")
    for block in (rows, rows[::-1]):
        assert own_words(f"draw\n\n{rule}" + "\n".join(block) + f"\n\n{body}", None, sent).text == "draw"


def html(own: str, client: str) -> str:
    """Write an HTML answer as a mail program would."""
    body = "<div>" + TEXT.replace("\n", "<br>") + "</div>"
    on = f'On 3 Mar 2026, at 12:32, PBEM judge &lt;<a href="mailto:{ADDRESS}">{ADDRESS}</a>&gt; wrote:'
    block = "".join(
        f"<b>{label}:</b> {value}<br>"
        for label, value in zip(OUTLOOK["en"], ("PBEM judge", "3 March 2026 12:32", "Ann", "Turn"), strict=True)
    )
    return {
        "gmail": f'<div dir="ltr">{own}</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" '
        f'class="gmail_attr">{on}<br></div><blockquote class="gmail_quote">{body}</blockquote></div>',
        "outlook": f"<style>p.MsoNormal {{margin:0}}</style><div><p class=MsoNormal>{own}</p><p class=MsoNormal>"
        f'&nbsp;</p><div style="border-top:solid #E1E1E1 1.0pt"><p class=MsoNormal>{block}</p></div>{body}</div>',
        "outlook-web": f'<div>{own}</div><hr tabindex="-1"><div id="divRplyFwdMsg" dir="ltr"><font>{block}</font>'
        f"</div>{body}",
        "apple": f'{own}<br><div><br><blockquote type="cite"><div>{on}</div><br class="Apple-interchange-newline">'
        f"{body}</blockquote></div>",
        "thunderbird": f'<p>{own}</p><div class="moz-cite-prefix">On 03/03/2026 12:32, PBEM judge wrote:<br></div>'
        f'<blockquote type="cite" cite="mid:3f2a">{body}</blockquote>',
        "yahoo": f"<div>{own}</div><div><br></div><div class='yahoo_quoted'><div><div>{on}</div><div>{body}</div></div>"
        "</div>",
        "proton": f'<div>{own}</div><div class="protonmail_quote">{on}<br><blockquote class="protonmail_quote" '
        f'type="cite">{body}</blockquote></div>',
        "bare": f"<div>{own}</div><div>{on}</div>{body}",
        "below": f"<div>{on}</div><blockquote type=cite>{body}</blockquote><div>{own}</div>",
    }[client]


CLIENTS = ["gmail", "outlook", "outlook-web", "apple", "thunderbird", "yahoo", "proton", "bare", "below"]


@pytest.mark.parametrize("sent", SENT, ids=["known", "unknown"])
@pytest.mark.parametrize("client", CLIENTS)
def test_html_alone(client: str, sent: str | None) -> None:
    assert own_words(None, html("<span>guess&nbsp;</span><b>bob</b> lana", client), sent).text == "guess bob lana"
    own = own_words(None, html("<ul><li>draw</li><li>say: hello</li></ul>", client), sent).text
    assert lines(own) == ["draw", "say: hello"]


def test_html_is_not_asked_where_the_plain_part_speaks() -> None:
    assert own_words("draw", "<p>pass</p>", None).text == "draw"


@pytest.mark.parametrize(
    "own",
    [
        "- draw",
        "* draw",
        "\u2022 draw",
        "\u2014 draw",
        "  draw  ",
        "*draw*",
        "draw\u00a0",
        "d\u200braw",
        "\uff44\uff52\uff41\uff57",
        "draw\n\n-- \nAnn\npass",
        "draw\n\n--\nAnn",
        "draw\n\nSent from my iPhone",
        "draw\n\nGet Outlook for iOS<https://aka.ms/o0ukef>",
        "draw\n\nVon meinem iPhone gesendet",
        "draw\n_________",
    ],
)
def test_signs_and_signatures(own: str) -> None:
    assert own_words(f"{own}\n\n{GMAIL['de']}\n\n{QUOTED}", None, TEXT).text == "draw"


def test_lines_that_look_like_headers_are_kept() -> None:
    words = "from: c4\nto: d5\nsay: see you at 12:30\ntell bob: no"
    assert own_words(words, None, TEXT).text == words


def test_a_line_of_ours_typed_by_the_player_is_the_players() -> None:
    assert own_words("guess cleo ray\ndraw", None, TEXT).text == "guess cleo ray\ndraw"
    assert own_words(f"{QUOTED.rstrip()}\nguess cleo ray", None, TEXT).text == "guess cleo ray"


def test_a_long_line_of_ours_typed_below_the_letter_is_the_players() -> None:
    letter = f"{MARKER}\nAnn, it is your move.\naccuse ann in the library\nThe post."
    assert own_words(f"{letter}\n\naccuse ann in the library", None, letter).text == "accuse ann in the library"
    assert own_words(f"{letter}\n\n{letter}\ndraw", None, letter).text == "draw"


def test_a_signature_above_the_quote_does_not_hide_the_answer_below() -> None:
    assert own_words(f"\n-- \nAnn\n\n{QUOTED}\ndraw\n", None, TEXT).text == "draw"


def test_below_an_unmarked_letter_only_if_its_end_is_seen() -> None:
    assert own_words(f"{TEXT}\ndraw\n", None, TEXT).text == "draw"
    assert own_words(f"{TEXT[:-80]}\n", None, TEXT).text == ""
    assert own_words(f"{TEXT}\ndraw\n", None, None).text == ""


def test_a_wrapped_quote_is_not_the_players() -> None:
    long = "The judge says that you may now answer with this line here, for example play SP 3"
    cut = long.removesuffix(" play SP 3")
    assert own_words(f"> {cut}\nplay SP 3\n", None, long) == OwnWords("", ())
    assert own_words(f"> {cut}\nplay SP 3\n", None, None) == OwnWords("", ("play SP 3",))


@pytest.mark.parametrize("sent", SENT, ids=["known", "unknown"])
@pytest.mark.parametrize("width", range(20, 90, 3))
def test_a_quote_wrapped_at_any_width(width: int, sent: str | None) -> None:
    rows = [wrap(f"> {line}", width) or [">"] for line in TEXT.rstrip().split("\n")]
    quoted = "\n".join(piece for row in rows for piece in row)
    assert own_words(f"hand\n\n{GMAIL['de']}\n\n{quoted}", None, sent).text == "hand"
    assert own_words(f"{GMAIL['de']}\n\n{quoted}\n\npass\n", None, sent).text == "pass"
    assert own_words(f"{GMAIL['de']}\n\n{quoted}\npass\n", None, TEXT).text == "pass"


def test_the_marker_wrapped_and_without_anything_else() -> None:
    wrapped = TEXT.replace("above this line -##", "above\nthis line -##")
    assert own_words(f"draw\n{wrapped}", None, None).text == "draw"
    assert own_words(f"draw\n| {MARKER}\n| pass", None, None).text == "draw"


@pytest.mark.parametrize("attribution", [GMAIL["en"], "---------- Forwarded message ---------\nFrom: a@b\nTo: c@d"])
def test_below_one_quote_another_history_is_not_the_players(attribution: str) -> None:
    own = own_words(f"> see you\ndraw\n\n{attribution}\n\nguess cleo ray", None, TEXT)
    assert own.text == "draw"


def test_a_salutation_above_does_not_hide_the_answer_below() -> None:
    assert own_words(f"Hi,\n\n{QUOTED}\ndraw", None, TEXT).text == "Hi,\n\ndraw"


def test_what_is_too_long_is_told() -> None:
    own = own_words("say " + "x" * 600, None, None)
    assert len(own.text) == 500
    assert own.unread == ("... " + "x" * 80,)


ATTACKS = {
    "on": "On " * 20_000,
    "blank": "\n" * 20_000,
    "from": "From:\n" * 10_000,
    "proven": "From: a@b 2026 12:00\n" * 10_000,
    "quotes": ">" * 100_000,
    "quoted": "> \n" * 50_000,
    "combining": "a" + "\u0316\u0301" * 30_000,
    "ligatures": "\ufdfa" * 60_000,
    "dashes": "- " * 50_000,
    "rules": ("-" * 400 + "\n") * 200,
    "banners": ("---x" * 100 + "\n") * 200,
    "attributions": "On 3 Mar 2026 12:00 a@b <\n" * 5_000,
    "device": "von meinem " * 9_000,
    "letters": TEXT * 100,
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_attack(attack: str) -> None:
    """The limit is generous for a slow machine; the patterns known for it take a minute."""
    before = time.perf_counter()
    own_words(ATTACKS[attack], f"<p>{ATTACKS[attack]}</p>", ATTACKS[attack])
    assert time.perf_counter() - before < 1


@pytest.mark.parametrize("tags", ["<div>", "<blockquote>", "<table><tr><td>", "<ul><li>x", "<", "<p>x", "<b class=x>"])
def test_markup_attack(tags: str) -> None:
    before = time.perf_counter()
    own_words(None, tags * (100_000 // len(tags)), TEXT)
    assert time.perf_counter() - before < 2


@settings(max_examples=300)
@given(st.text(), st.none() | st.text(), st.none() | st.text())
def test_any_text_is_read(text: str, markup: str | None, sent: str | None) -> None:
    own = own_words(text, markup, sent)
    assert all(line == line.strip() for line in own.text.split("\n"))


PIECES = st.sampled_from([*QUOTED.split("\n"), *GMAIL.values(), "draw", "", "-- ", "_" * 32, "From: a@b", MARKER])


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=30))
def test_a_quoted_line_never_counts(pieces: list[str]) -> None:
    own = own_words("\n".join(pieces), None, TEXT)
    assert not {"play SP 3", "guess cleo ray", MARKER} & set(own.text.split("\n"))
