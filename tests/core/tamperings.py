"""Tamper with the file of a game in every way that somebody might: each is a function over its rows."""

import json
from collections.abc import Callable
from typing import Any

from pbem.core import dice, receipts
from pbem.core.proof import compact

Rows = list[dict[str, Any]]
Tamper = Callable[[Rows], object]


def rows_of(text: str) -> Rows:
    return [json.loads(row) for row in text.splitlines()]


def text_of(rows: Rows) -> str:
    return "".join(compact(row) + "\n" for row in rows)


def entries(rows: Rows) -> Rows:
    return [row for row in rows if "entry" in row]


def slips(rows: Rows) -> Rows:
    return [row for row in rows if "receipt" in row]


def steps(rows: Rows, least: int = 1) -> Rows:
    """Give the steps with so many orders."""
    return [row for row in entries(rows) if row["kind"] == "step" and len(row["body"]["orders"]) >= least]


def recounted(rows: Rows) -> None:
    rows[0] |= {"entries": len(entries(rows)), "receipts": len(slips(rows))}


def ordered(rows: Rows) -> dict[str, Any]:
    """Give a receipt for an order that the log took."""
    taken = [order for row in steps(rows) for order in row["body"]["orders"] if order[2] == "player"]
    return next(
        slip
        for slip in slips(rows)[5:]
        if slip["deeds"] and [slip["seat"], slip["deeds"][0]["text"], "player"] in taken
    )


def another_deal(rows: Rows) -> None:
    rows[0]["seed"] = dice.rehearsal_seed("better cards").hex()


def another_deal_and_its_seal(rows: Rows) -> None:
    seed = dice.rehearsal_seed("better cards")
    rows[0]["seed"] = seed.hex()
    rows[1]["body"]["commitment"] = dice.commitment(seed)


def another_seal(rows: Rows) -> None:
    rows[1]["body"]["commitment"] = dice.commitment(b"x")


def no_seed(rows: Rows) -> None:
    rows[0]["seed"] = None


def a_swapped_order(rows: Rows) -> None:
    row = steps(rows)[3]
    row["body"]["orders"][0][1] = steps(rows)[4]["body"]["orders"][0][1]


def two_orders_of_one_step_in_another_order(rows: Rows) -> None:
    orders = steps(rows, 2)[0]["body"]["orders"]
    orders[0], orders[1] = orders[1], orders[0]


def an_order_said_to_be_a_default(rows: Rows) -> None:
    order = next(order for row in steps(rows) for order in row["body"]["orders"] if order[2] == "player")
    order[2] = "default"


def a_dropped_step(rows: Rows) -> None:
    rows.remove(steps(rows)[4])
    recounted(rows)


def a_dropped_step_and_the_rest_numbered_anew(rows: Rows) -> None:
    a_dropped_step(rows)
    for number, row in enumerate(entries(rows), start=1):
        row["entry"] = number


def an_added_entry(rows: Rows) -> None:
    at = rows.index(steps(rows)[2])
    added = {**rows[at], "kind": "ruling", "body": {"what": "house.paused"}}
    rows.insert(at, added)
    for number, row in enumerate(entries(rows), start=1):
        row["entry"] = number
    recounted(rows)


def two_entries_swapped(rows: Rows) -> None:
    one, other = steps(rows)[2:4]
    one_copy = dict(one)
    one.update({**other, "entry": one["entry"]})
    other.update({**one_copy, "entry": other["entry"]})


def a_changed_name(rows: Rows) -> None:
    rows[1]["body"]["names"][0] = "eve"


def a_changed_option(rows: Rows) -> None:
    options = rows[1]["body"]["options"]
    options["first"] = "bob" if options.get("first") != "bob" else "alice"


def a_changed_version(rows: Rows) -> None:
    rows[1]["body"]["version"] += 1


def another_program(rows: Rows) -> None:
    rows[1]["body"]["pbem"] = "9.9.9"


def a_changed_event(rows: Rows) -> None:
    row = next(row for row in steps(rows) if row["events"])
    row["events"][0][0] = "draw" if row["events"][0][0] != "draw" else "play"


def a_changed_fact(rows: Rows) -> None:
    event = next(event for row in steps(rows) for event in row["events"] if event[1])
    event[1] |= dict.fromkeys(event[1], 99)


def an_event_shown_to_others(rows: Rows) -> None:
    event = next(event for row in steps(rows) for event in row["events"] if event[2] is not None)
    event[2] = None


def an_event_left_out(rows: Rows) -> None:
    next(row for row in steps(rows) if row["events"])["events"].pop()


def a_changed_ruling(rows: Rows) -> None:
    next(row for row in entries(rows) if row["kind"] == "ruling")["body"]["reason"] = "supper"


def a_changed_state(rows: Rows) -> None:
    steps(rows)[1]["state"] = "0" * 64


def a_changed_link(rows: Rows) -> None:
    steps(rows)[1]["chain"] = "0" * 64


def the_last_steps_cut_off(rows: Rows) -> None:
    last = entries(rows)[-1]
    rows.remove(last)
    recounted(rows)


def the_last_steps_cut_off_without_their_receipts(rows: Rows) -> None:
    last = entries(rows)[-1]["entry"]
    rows[:] = [
        row for row in rows if row.get("entry", 0) != last
        and not any(deed["after"] >= last - 1 for deed in row.get("deeds", ()))
    ]  # fmt: skip
    recounted(rows)


def an_edited_receipt(rows: Rows) -> None:
    ordered(rows)["body"]["received"] = "2026-03-01T00:00:00Z"


def an_edited_receipt_hashed_anew(rows: Rows) -> None:
    slip = ordered(rows)
    slip["body"]["received"] = "2026-03-01T00:00:00Z"
    slip["hash"] = receipts.hashed(compact(slip["body"]))


def a_receipt_for_another_order(rows: Rows) -> None:
    ordered(rows)["deeds"][0]["text"] = "draw nothing"


def a_receipt_of_another_log(rows: Rows) -> None:
    slip = slips(rows)[-1]
    slip["body"]["chain"] = "0" * 64
    slip["hash"] = receipts.hashed(compact(slip["body"]))


def a_receipt_left_out(rows: Rows) -> None:
    rows.remove(ordered(rows))
    recounted(rows)


def a_last_receipt_left_out(rows: Rows) -> None:
    """Its order is in the log still."""
    for slip in reversed(slips(rows)):
        rows.remove(slip)
        if slip["deeds"]:
            break
    recounted(rows)


def two_receipts_swapped(rows: Rows) -> None:
    one, other = [slip for slip in slips(rows) if slip["seat"] == 0][:2]
    one["receipt"], other["receipt"] = other["receipt"], one["receipt"]


def another_games_name(rows: Rows) -> None:
    rows[0]["game"] = "blame-99"


def an_entry_of_another_kind(rows: Rows) -> None:
    steps(rows)[2]["kind"] = "ruling"


TAMPERINGS: list[tuple[Tamper, str]] = [
    (another_deal, "not the one that was sealed"),
    (another_deal_and_its_seal, r"entry 1 \(the deal\): the cards do not lie"),
    (another_seal, "not the one that was sealed"),
    (no_seed, "has no seed"),
    (a_swapped_order, r"entry \d+ \(step 4\)"),
    (two_orders_of_one_step_in_another_order, r"entry \d+ \(step \d+\)"),
    (an_order_said_to_be_a_default, r"entry \d+ \(step 1\) was changed"),
    (a_dropped_step, r"entry \d+ is missing"),
    (a_dropped_step_and_the_rest_numbered_anew, r"entry \d+ \(step 6\)"),
    (an_added_entry, r"entry \d+ \(the ruling\)"),
    (two_entries_swapped, r"entry \d+ \(step 4\)"),
    (a_changed_name, r"entry 1 \(the deal\)"),
    (a_changed_option, r"entry 1 \(the deal\)"),
    (a_changed_version, r"entry 1 \(the deal\) was changed"),
    (another_program, r"entry 1 \(the deal\) was changed"),
    (a_changed_event, r"entry \d+ \(step \d+\): something else happened"),
    (a_changed_fact, r"entry \d+ \(step \d+\): something else happened"),
    (an_event_shown_to_others, r"entry \d+ \(step \d+\): something else happened"),
    (an_event_left_out, r"entry \d+ \(step \d+\): something else happened"),
    (a_changed_ruling, r"entry \d+ \(the ruling\) was changed"),
    (a_changed_state, r"entry \d+ \(step 2\): the cards do not lie"),
    (a_changed_link, r"entry \d+ \(step 2\) was changed"),
    (the_last_steps_cut_off, "stops before the game is over"),
    (the_last_steps_cut_off_without_their_receipts, "stops before the game is over"),
    (an_edited_receipt, r"receipt [0-9a-f]{8} \(number \d+ of \w+\) was changed"),
    (an_edited_receipt_hashed_anew, "does not follow the one before it"),
    (a_receipt_for_another_order, "was given for another order"),
    (a_receipt_of_another_log, "was given for another log"),
    (a_receipt_left_out, r"receipt number \d+ of \w+ is missing"),
    (a_last_receipt_left_out, "has no receipt for"),
    (two_receipts_swapped, r"receipt number 1 of alice is missing"),
    (another_games_name, "is of another game or seat"),
    (an_entry_of_another_kind, r"entry \d+ \(the ruling\)"),
]
