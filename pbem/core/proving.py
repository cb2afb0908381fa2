"""Check the file of a game: play it again, and name the first thing that does not fit.

A file that was forged as a whole, and well, holds: what it then disagrees with are the letters in a player's mailbox.
"""

import json
from collections.abc import Callable, Iterator

from pbem.core import dice, receipts, table
from pbem.core.proof import DEFAULT, Facts, Line, Proof, Slip, compact
from pbem.core.receipts import ORDER, Deed
from pbem.core.table import Entry, Table
from pbem.engine import Engine
from pbem.errors import BadOption, Disproved, EngineFault

SCORED = "house.scored"
WORDS, SEALING = "seed", (ORDER, receipts.RETRACT)
PLAYED, PLAYED_FOR = "player", (DEFAULT, "resigned")
"""Who gave an order, as the log has it: the player, or the game instead of a player who gave none."""


def prove(proof: Proof, find: Callable[[str], Engine]) -> list[Table]:
    """Check all that a file says, and give the table after each entry; of a cut file there is none.

    Raises: Disproved, naming the first thing that does not fit; AdminError if the game is not installed.
    """
    try:
        _numbered(proof)
        tables: list[Table] = []
        if proof.seat is None:
            _sealed(proof)
            tables = list(replayed(proof, find(str(proof.deal["engine"]))))
            _ended(proof, tables[-1])
        for seat in range(len(proof.names)):
            _receipted(proof, seat)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise Disproved("it is not written as a proof is") from error
    return tables


def _numbered(proof: Proof) -> None:
    for number, line in enumerate(proof.lines, start=1):
        if line.number != number:
            raise Disproved(f"entry {number} is missing: entry {line.number} stands in its place")
    try:
        complete = isinstance(proof.deal["names"], list) and isinstance(proof.deal["commitment"], str)
    except KeyError:
        complete = False
    if not complete:
        raise Disproved("entry 1 (the deal) is not whole")


def _sealed(proof: Proof) -> None:
    """Compare the seed with the seal, and with what it was made of."""
    if proof.seed is None:
        raise Disproved("it has no seed, so nothing can be played again")
    if dice.commitment(proof.seed) != proof.deal["commitment"]:
        raise Disproved("the seed is not the one that was sealed at the start")
    gathered = proof.deal.get("gathered")
    if gathered is None:
        return
    if proof.secret is None or dice.commitment(proof.secret) != gathered["commitment"]:
        raise Disproved("the host's secret is not the one that was sealed before the players sent their words")
    if dice.gathered(proof.secret, proof.names, gathered["words"]) != proof.seed:
        raise Disproved("the seed is not made of the host's secret and the players' words")


def replayed(proof: Proof, engine: Engine) -> Iterator[Table]:
    """Play the log again, and compare after each entry what it says came of it.

    Raises: Disproved.
    """
    bodies = ((line.kind, compact(line.body)) for line in proof.lines)
    course = table.course(engine, proof.seed or b"", bodies)
    for line in proof.lines:
        try:
            now, entry = next(course)
        except (EngineFault, BadOption) as error:
            raise Disproved(f"{line.what}: {error}{_other_version(proof, engine)}") from error
        except Exception as error:  # whatever a game makes of what somebody wrote into a file
            raise Disproved(f"{line.what} cannot be played: it was changed") from error
        _same(line, entry, _other_version(proof, engine))
        yield now


def _same(line: Line, entry: Entry, hint: str) -> None:
    if entry.state_hash != line.state:
        raise Disproved(f"{line.what}: the cards do not lie as the file says{hint}")
    if line.kind == "step" and compact(_told(entry)) != compact(_told(line)):
        raise Disproved(f"{line.what}: something else happened than the file says{hint}")
    if entry.chain != line.chain:
        raise Disproved(f"{line.what} was changed, or is not in its place")


def _told(entry: Entry | Line) -> object:
    return [[event.kind, dict(event.facts), event.seen_by] for event in entry.events]


def _other_version(proof: Proof, engine: Engine) -> str:
    dealt = proof.deal.get("version")
    return "" if dealt == engine.version else f" (it says version {dealt}, and this is version {engine.version})"


def _ended(proof: Proof, last: Table) -> None:
    """Make sure that a game which is over ended by itself, or was scored as it stood."""
    if proof.status != "over" or last.result() is not None:
        return
    scored = next((line for line in reversed(proof.lines) if line.body and line.body.get("what") == SCORED), None)
    if scored is None or scored.body is None:
        raise Disproved(f"the log stops before the game is over, after {proof.lines[-1].what}")
    stood = last.engine.scored(last.state)
    if stood is None or list(stood.scores) != list(scored.body["scores"]):
        raise Disproved(f"{scored.what}: the game is scored otherwise than it stood")


def body_of(slip: Slip) -> Facts:
    """Give what a receipt says to all.

    Raises: Disproved if it is no receipt.
    """
    try:
        body = json.loads(slip.body)
        if not isinstance(body, dict):
            raise TypeError("a receipt is an object")
    except (TypeError, ValueError) as error:
        raise Disproved("a receipt cannot be read") from error
    return body


def _receipted(proof: Proof, seat: int) -> None:
    """Check the receipts of a seat, each with the one before it and with the log, and the log with them."""
    before, deeds = "", list[tuple[Deed, str]]()
    own = [slip for slip in proof.slips if slip.seat == seat]
    for number, slip in enumerate(own, start=1):
        what = f"receipt {slip.hash[: receipts.CODE]} (number {slip.number} of {proof.names[seat]})"
        if slip.number != number:
            raise Disproved(f"receipt number {number} of {proof.names[seat]} is missing")
        body = _receipt(proof, slip, what)
        if body["before"] != before:
            raise Disproved(f"{what} does not follow the one before it")
        before = slip.hash
        deeds += [(deed, what) for deed in _deeds(proof, slip, body, what)]
    if own or proof.deal.get("pbem"):
        _worded(proof, seat, deeds)
        _kept(proof, seat, deeds)


def _receipt(proof: Proof, slip: Slip, what: str) -> Facts:
    """Check one receipt's hash, and its place in the log."""
    if receipts.hashed(slip.body) != slip.hash:
        raise Disproved(f"{what} was changed")
    body = body_of(slip)
    try:
        named = (body["game"], body["seat"], body["number"])
        if named != (proof.game, slip.seat, slip.number):
            raise Disproved(f"{what} is of another game or seat")
        entries = body["entries"]
        chain = proof.lines[entries - 1].chain if 0 < entries <= len(proof.lines) else "" if entries == 0 else None
    except (LookupError, TypeError) as error:
        raise Disproved(f"{what} is no receipt") from error
    if chain != body["chain"]:
        raise Disproved(f"{what} was given for another log: its entry {entries} was another one, or is gone")
    return body


def _deeds(proof: Proof, slip: Slip, body: Facts, what: str) -> tuple[Deed, ...]:
    """Open what a receipt commits to; before the deal its salt was made from the host's secret."""
    try:
        deeds = receipts.load(slip.deeds)
    except (TypeError, ValueError) as error:
        raise Disproved(f"{what} is no receipt") from error
    seed = proof.secret if body["entries"] == 0 and proof.secret else proof.seed
    if seed is not None and receipts.sealed(seed, slip.seat, slip.number, deeds) != body["deeds"]:
        raise Disproved(f"{what} was given for another order")
    return deeds


def _worded(proof: Proof, seat: int, deeds: list[tuple[Deed, str]]) -> None:
    """Compare the words from which the deal was made with those that a player has a receipt for."""
    sent = [deed.text for deed, _ in deeds if deed.did == WORDS]
    used = proof.deal["gathered"]["words"][seat] if "gathered" in proof.deal else ""
    if used != (sent[-1] if sent else "") and proof.seat in (None, seat):
        raise Disproved(f"{proof.names[seat]} sent other words for the seed than those that the deal was made from")


def _kept(proof: Proof, seat: int, deeds: list[tuple[Deed, str]]) -> None:
    """Compare each of a seat's orders in the log with the receipts of its player.

    An order lies sealed until the next step; whatever is no ruling takes what was sealed away.
    """
    since = 0
    for line in proof.lines:
        if line.kind == "ruling":
            continue
        lately = [(deed, what) for deed, what in deeds if since <= deed.after < line.number and deed.did in SEALING]
        deed, what = lately[-1] if lately else (None, "")
        order = deed.text if deed and deed.did == ORDER else None
        for number, text, given_by in line.body["orders"] if line.kind == "step" and line.body else ():
            if number != seat or given_by not in (PLAYED, *PLAYED_FOR):
                continue
            if order is None and given_by == PLAYED:
                raise Disproved(f"{line.what}: {proof.names[seat]} has no receipt for {text!r}")
            if order is not None and (text, given_by) != (order, PLAYED):
                raise Disproved(f"{line.what}: {what} is for {order!r}, and the log has {text!r} ({given_by})")
        since = line.number
