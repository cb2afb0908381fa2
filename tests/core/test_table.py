"""Test the log: replayed it gives the same, tampered with it gives itself away, and nobody guesses what it hides."""

import hashlib
import json
from dataclasses import replace

import pytest

from pbem import games
from pbem.core import table
from pbem.core.dice import commitment, rehearsal_seed, salt, stream
from pbem.core.table import Answer, Entry, Table
from pbem.engine import Engine, Event
from pbem.errors import EngineFault

ENGINE = games.get("blame")
NAMES = ("alice", "bob", "carol")
SEED = rehearsal_seed("table")


def played(seed: bytes = SEED, steps: int = 30) -> tuple[Table, list[Entry]]:
    """Play random orders, with a ruling in between."""
    now, first = table.deal(ENGINE, NAMES, ENGINE.options({}), seed)
    entries, dice = [first], stream(seed, "players", 0)
    while now.step < steps and now.result() is None:
        answers = {seat: Answer(table.read(now, seat, ENGINE.sample(now.view(seat), dice))) for seat in now.awaiting()}
        now, entry = table.step(now, answers)
        entries.append(entry)
        if now.step == 5:
            now, entry = table.rule(now, Event("house.paused", {"reason": "dinner"}))
            entries.append(entry)
    return now, entries


def log_of(entries: list[Entry]) -> list[tuple[str, str]]:
    return [(entry.kind, entry.body) for entry in entries]


def test_a_replay_of_the_log_gives_the_same_table() -> None:
    now, entries = played(steps=400)
    assert now.result() is not None
    assert table.replay(ENGINE, SEED, log_of(entries)) == now


def test_every_prefix_of_the_log_gives_the_state_that_was() -> None:
    _, entries = played()
    for count, entry in enumerate(entries, start=1):
        then = table.replay(ENGINE, SEED, log_of(entries[:count]))
        assert (then.chain, ENGINE.dump(then.state)) == (entry.chain, entry.snapshot)


def test_a_snapshot_reads_back_as_the_state() -> None:
    now, _ = played()
    assert ENGINE.load(ENGINE.dump(now.state)) == now.state


def test_entries_are_numbered_from_one_without_a_gap() -> None:
    now, entries = played()
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
    assert now.entries == len(entries) == now.step + 2


def test_any_tampering_changes_the_chain() -> None:
    now, entries = played()
    log = log_of(entries)
    for at in range(1, len(log)):
        body = json.loads(log[at][1])
        if log[at][0] == "step":
            seat, order, by = body["orders"][0]
            body["orders"][0] = [seat, order, "default" if by == "player" else "player"]
        else:
            body["reason"] = "supper"
        changed = [*log[:at], (log[at][0], json.dumps(body, separators=(",", ":"))), *log[at + 1 :]]
        assert table.replay(ENGINE, SEED, changed).chain != now.chain


def test_an_entry_left_out_or_put_in_twice_changes_the_chain() -> None:
    now, entries = played()
    log = log_of(entries)
    ruling = next(at for at, (kind, _) in enumerate(log) if kind == "ruling")
    for changed in ([*log[:ruling], *log[ruling + 1 :]], [*log[:ruling], log[ruling], *log[ruling:]]):
        assert table.replay(ENGINE, SEED, changed).chain != now.chain


def test_another_seed_gives_another_chain_and_another_deal() -> None:
    one, other = played()[1], played(rehearsal_seed("other"))[1]
    assert one[0].chain != other[0].chain and one[0].snapshot != other[0].snapshot


def test_the_chain_is_made_as_docs_say() -> None:
    """Any player can check it with a few lines once the seed is shown."""
    _, entries = played()
    chain = ""
    for entry in entries:
        salted = salt(SEED, entry.number)
        state_hash = hashlib.sha256(salted + entry.snapshot.encode()).hexdigest()
        assert state_hash == entry.state_hash
        parts = [chain.encode(), salted, entry.kind.encode(), entry.body.encode(), state_hash.encode()]
        chain = hashlib.sha256(b"\0".join(parts)).hexdigest()
        assert chain == entry.chain


def test_entries_are_salted_so_that_no_hidden_order_is_found_by_trying() -> None:
    """Without the salt the state behind a hash could be guessed: the same entry elsewhere has another hash."""
    now, _ = played()
    once, first = table.rule(now, Event("house.paused"))
    _, second = table.rule(once, Event("house.paused"))
    assert first.snapshot == second.snapshot
    assert first.state_hash != second.state_hash != hashlib.sha256(second.snapshot.encode()).hexdigest()


def test_the_deal_publishes_the_seal_of_its_seed_and_not_the_seed() -> None:
    _, entries = played()
    assert json.loads(entries[0].body)["commitment"] == commitment(SEED)
    assert SEED.hex() not in "".join(entry.body + entry.snapshot for entry in entries)


def test_a_log_that_no_longer_replays_is_a_fault_of_the_game() -> None:
    _, entries = played()
    log = log_of(entries)
    body = json.loads(log[1][1])
    body["orders"][0][1] = "take G"
    for changed in (
        [],
        [log[0], ("step", json.dumps(body))],
        [log[0], ("step", json.dumps(body | {"orders": [[0, "hi", "player"]]}))],
    ):
        with pytest.raises(EngineFault):
            table.replay(ENGINE, SEED, changed)


def broken(**hooks: object) -> Table:
    """Deal a game whose hooks are broken."""
    now, _ = table.deal(ENGINE, NAMES, ENGINE.options({"first": "alice"}), SEED)
    engine: Engine = replace(ENGINE, **hooks)  # type: ignore[arg-type]
    return replace(now, engine=engine)


def fails(*given: object) -> object:
    raise KeyError("G1")


def test_whatever_a_game_raises_is_a_fault_of_its() -> None:
    order = table.read(broken(), 0, "draw")
    with pytest.raises(EngineFault, match="could not read an order"):
        table.read(broken(parse=fails), 0, "draw")
    with pytest.raises(EngineFault, match="has no default"):
        table.default(broken(default=fails), 0)
    with pytest.raises(EngineFault, match="could not resolve step 1"):
        table.step(broken(resolve=fails), {0: Answer(order)})
    with pytest.raises(EngineFault, match="must ask somebody or have a result"):
        table.step(broken(awaiting=lambda state: {}), {0: Answer(order)})


def test_a_default_is_chosen_from_the_view_and_repeats() -> None:
    now, _ = played()
    seat = next(iter(now.awaiting()))
    assert table.default(now, seat) == table.default(now, seat)


def test_nothing_is_settled_until_all_have_answered() -> None:
    now, _ = table.deal(ENGINE, NAMES, ENGINE.options({"first": "alice"}), SEED)
    order = Answer(table.read(now, 0, "draw"))
    assert table.settled(now, {0: order}) and not table.settled(now, {})
