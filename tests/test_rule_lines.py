"""Each numbered line of a game's rules page is named by a test of that game."""

import ast
import itertools
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from engines import ENGINES

TESTS = Path(__file__).parent / "engines"
NUMBER = re.compile(r"\b[A-Z]\d+[A-Z]?\b")


def lines(name: str) -> set[str]:
    """Give the numbers of the lines of a game's rules page."""
    page = Path(str(import_module(ENGINES[name]).__file__)).with_name("rules.md")
    return set(re.findall(r"^- ([A-Z]\d+[a-z]?) ", page.read_text(encoding="utf-8"), re.M))


def named(name: str) -> Iterator[str]:
    """Give the numbers that a game's tests are named for (`test_a12_a13_...`), or cite as `Rule: A12, A13`."""
    for path in (TESTS / name).glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                words = itertools.takewhile(NUMBER.fullmatch, node.name.upper().split("_")[1:])
                cited = re.findall(r"Rule: (.*)", ast.get_docstring(node) or "")
                yield from (*words, *NUMBER.findall(" ".join(cited).upper()))


@pytest.mark.parametrize("name", ENGINES)
def test_every_line_of_the_rules_is_named_by_a_test(name: str) -> None:
    rules, tests = {line.upper() for line in lines(name)}, set(named(name))
    assert rules
    assert not rules - tests, f"no test names {', '.join(sorted(rules - tests))}"
    letters = {line[0] for line in rules}
    stray = sorted(number for number in tests - rules if number[0] in letters)
    assert not stray, f"the rules page has no {', '.join(stray)}"
