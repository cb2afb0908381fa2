"""Test the signed word that every letter carries."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.core.token import Token, sign, tokenless, verify

KEY = b"k" * 32
TOKENS = st.builds(
    Token,
    st.integers(1, 999_999_999),
    st.integers(0, 99),
    st.integers(0, 9_999),
    st.integers(0, 999_999),
)
LARGEST = Token(999_999_999, 99, 9_999, 999_999)


@given(TOKENS)
def test_a_signed_word_gives_its_token_back(token: Token) -> None:
    assert verify(sign(token, KEY), KEY) == token


@given(TOKENS)
def test_letter_case_and_blanks_around_it_do_not_matter(token: Token) -> None:
    word = sign(token, KEY)
    assert verify(word.upper(), KEY) == verify(f" {word.title()} ", KEY) == token


def test_the_largest_word_fits_in_a_local_part_of_64_characters() -> None:
    assert len(sign(LARGEST, KEY)) == 41
    assert len(f"{'o' * 20}+{sign(LARGEST, KEY)}") <= 64


@given(TOKENS)
def test_a_word_has_only_signs_that_every_mail_server_keeps(token: Token) -> None:
    assert set(sign(token, KEY)) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


@given(TOKENS, st.data())
def test_a_word_with_one_sign_changed_is_none(token: Token, data: st.DataObject) -> None:
    word = sign(token, KEY)
    at = data.draw(st.integers(0, len(word) - 1))
    sign_there = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyz0123456789-"))
    changed = word[:at] + sign_there + word[at + 1 :]
    assert changed == word or verify(changed, KEY) is None


@given(TOKENS, TOKENS)
def test_the_signature_of_one_token_fits_no_other(one: Token, other: Token) -> None:
    fields, _, mac = sign(one, KEY).rpartition("-")
    elsewhere = sign(other, KEY).rpartition("-")[0]
    assert fields == elsewhere or verify(f"{elsewhere}-{mac}", KEY) is None


@pytest.mark.parametrize("field", ["game_id", "seat", "epoch", "prompt"])
def test_each_field_is_signed(field: str) -> None:
    token = Token(7, 1, 0, 12)
    other = dataclasses.replace(token, **{field: 3})
    mac = sign(token, KEY).rpartition("-")[2]
    assert verify(f"{sign(other, KEY).rpartition('-')[0]}-{mac}", KEY) is None


def test_a_word_of_another_key_is_none() -> None:
    assert verify(sign(Token(7, 1, 0, 12), b"j" * 32), KEY) is None


WORD = sign(Token(7, 1, 0, 12), KEY)


@pytest.mark.parametrize(
    "word",
    ["", "-", WORD[:-1], WORD[1:], WORD[:20], f"{WORD}a", f"x{WORD}", WORD.replace("-", "+"), f"0{WORD}",
     f"{WORD}\n-", WORD.replace("7-", "٧-", 1), WORD.replace("7-", "+7-", 1), f"{'9' * 4000}-1-0-12-{'a' * 16}",
     "9" * 100_000, f"7-1-0-12-{'é' * 16}", f"-7-1-0-12-{WORD[-16:]}", "7--1-0-12-aaaaaaaaaaaaaaaa", "\x00"],
)  # fmt: skip
def test_what_is_cut_forged_or_huge_is_none(word: str) -> None:
    assert verify(word, KEY) is None


@given(st.text(max_size=80))
def test_no_text_is_a_token_by_chance(word: str) -> None:
    assert verify(word, KEY) is None


def test_a_word_is_blotted_out_of_any_text_in_any_letter_case() -> None:
    assert tokenless(f"see <{WORD.upper()}.a-7@example.org>, {WORD}") == "see <(token).a-7@example.org>, (token)"
    assert tokenless("see 7-1-0-12 and 2026-11-29") == "see 7-1-0-12 and 2026-11-29"
