"""Test which steps of a log are in force, whatever was taken back and put forward again."""

import json

from pbem.core.line import Line, follow


def line(*entries: str) -> Line:
    """Follow a log: `s3` is step 3, `r2` goes back to entry 2, `x` is any other ruling; the deal stands before them."""
    rows = [(1, "deal", "{}")]
    for number, entry in enumerate(entries, start=2):
        kind = {"s": "step", "r": "restore"}.get(entry[0], "ruling")
        body = {"step": int(entry[1:])} if kind == "step" else {"entry": int(entry[1:])} if kind == "restore" else {}
        rows.append((number, kind, json.dumps(body)))
    return follow(rows)


def numbers(found: Line) -> list[int]:
    return [node.number for node in found.nodes()]


def test_without_a_rollback_all_is_in_force() -> None:
    found = line("s1", "x", "s2")
    assert numbers(found) == [1, 2, 4]
    assert found.taken_back() == frozenset()


def test_a_rollback_takes_later_steps_back() -> None:
    found = line("s1", "s2", "s3", "r2", "s4")
    assert numbers(found) == [1, 2, 5, 6]
    assert found.taken_back() == {3, 4}


def test_a_rollback_to_the_deal_takes_all_back() -> None:
    assert line("s1", "s2", "r1").taken_back() == {2, 3}


def test_forward_puts_back_in_force_what_was_taken_back() -> None:
    found = line("s1", "s2", "s3", "r2", "r4")
    assert numbers(found) == [1, 2, 3, 4, 6]
    assert found.taken_back() == frozenset()


def test_a_second_rollback_goes_by_what_is_in_force() -> None:
    found = line("s1", "s2", "r2", "s3", "s4")
    assert found.standing_after(1) and found.standing_after(1).number == 4  # type: ignore[union-attr]
    assert found.standing_after(2) is None, "it was taken back"
    assert found.standing_after(3).number == 5  # type: ignore[union-attr]
    assert line("s1", "s2", "r2", "s3", "s4", "r4").taken_back() == {3, 5, 6}
