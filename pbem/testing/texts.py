"""Write texts that nobody foresaw, repeatably: slips of the pen, odd signs, other scripts, very long lines."""

from collections.abc import Callable, Iterator, Sequence

from pbem.engine import Dice

SIGNS = " .,;:!?>-_~=#*/\\|'\"()[]{}<&%$0123456789abcdefghijklmnopqrstuvwxyzABCXYZäßÆñçİı"
ODD = (
    *("", " ", ".", ">", "-", "0", "-1", "00", "x", "X", "pass", "yes", "?", "!!", "#", "#0", "# 1", "=", "~", "_"),
    *("\t", "\n", "a\nb", "\r\n", "\0", "\x1b[31m", "\u202e", "\u200b", "\ufeff", "\ud800", "\U0001f0a1", "e\u0301"),
    *("²", "٣", "１", "Ⅷ", "ﬁ", "İ", "ß", "½", "一", "𝟙", "1e9", "1_0", "0x1", "+1", "1.0", "nan", "None", "{}", "%s"),
    *("9" * 30, "9" * 5000, "a" * 2000, "1 " * 500, "play " * 200, "(" * 500, "{{ view }}", "<b>", "'; --", "\\"),
)
"""Texts that break careless readers: signs that count as digits and are no numbers, numbers too long to read."""
SWAPS = (("1", "１"), ("2", "²"), (" ", "\u00a0"), (" ", "\t"), ("a", "ａ"), ("-", "\u2013"), (">", "＞"), ("o", "0"))


def odd_texts(lines: Sequence[str], dice: Dice, count: int) -> Iterator[str]:
    """Give so many texts: some from the list above, most of them near to the lines."""
    for _ in range(count):
        yield dice.choice(ODD) if not lines or not dice.below(4) else mutated(dice.choice(lines), dice)


def mutated(line: str, dice: Dice) -> str:
    """Change a line in one to three places."""
    for _ in range(1 + dice.below(3)):
        line = dice.choice(CHANGES)(line, dice)
    return line


def _place(line: str, dice: Dice) -> int:
    return dice.below(len(line) + 1)


def _put_in(line: str, dice: Dice) -> str:
    at = _place(line, dice)
    return line[:at] + dice.choice(SIGNS) + line[at:]


def _leave_out(line: str, dice: Dice) -> str:
    at = _place(line, dice)
    return line[:at] + line[at + 1 :]


def _replace(line: str, dice: Dice) -> str:
    at = _place(line, dice)
    return line[:at] + dice.choice(SIGNS) + line[at + 1 :]


def _put_odd_in(line: str, dice: Dice) -> str:
    at = _place(line, dice)
    return line[:at] + dice.choice(ODD) + line[at:]


def _look_alike(line: str, dice: Dice) -> str:
    return line.replace(*dice.choice(SWAPS))


def _other_case(line: str, dice: Dice) -> str:
    return dice.choice((line.upper(), line.title(), line.swapcase()))


def _words(line: str, dice: Dice) -> str:
    """Leave out, double or mix the words."""
    words = line.split()
    if not words:
        return line
    at = dice.below(len(words))
    return " ".join(dice.choice((words[:at] + words[at + 1 :], words[: at + 1] + words[at:], dice.shuffled(words))))


def _number(line: str, dice: Dice) -> str:
    """Put another number in a number's place."""
    return "".join(str(dice.below(12)) if sign.isascii() and sign.isdigit() else sign for sign in line)


CHANGES: tuple[Callable[[str, Dice], str], ...] = (
    _put_in,
    _leave_out,
    _replace,
    _put_odd_in,
    _look_alike,
    _other_case,
    _words,
    _words,
    _number,
    _number,
)
