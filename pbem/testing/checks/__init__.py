"""Hold the checks of the kit: each a function of a Kit, named for what must hold, that raises AssertionError."""

import functools
from collections.abc import Callable

from pbem.testing.kit import Kit
from pbem.testing.plays import Step, blamed

Check = Callable[[Kit], None]
Rule = Callable[[Kit, Step], None]
RULES: dict[str, Rule] = {}
"""What must hold at every step of every game, by the name of its check."""


def each_step(rule: Rule) -> Check:
    """Make a check of what must hold at each step: it looks at all steps of the kit's random games."""
    RULES[rule.__name__] = rule

    def check(kit: Kit) -> None:
        for step in kit.steps:
            look(rule, kit, step)

    functools.update_wrapper(check, rule)
    return check


def look(rule: Rule, kit: Kit, step: Step) -> None:
    """Look at one step: whatever goes wrong says where it was."""
    with blamed(str(step)):
        rule(kit, step)


def shorten(value: object, width: int = 300) -> str:
    """Write a value as a failure shows it."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= width else f"{text[:width]}..."


def first_difference(one: str, other: str, width: int = 120) -> str:
    """Show where two texts part."""
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(0, at - width // 3)
    return f"...{one[start : at + width]!r}... against ...{other[start : at + width]!r}..."
