"""Test that nothing in the file of a game can be changed unnoticed, and that an honest file holds."""

import json
import re
import time
from dataclasses import replace
from typing import Any

import pytest

from engines import ENGINES
from pbem import games
from pbem.core import dice, proof, proving, receipts
from pbem.core.proof import Proof, compact
from pbem.errors import Disproved
from tests.core.honest import Game, honest
from tests.core.tamperings import TAMPERINGS, Tamper, rows_of, slips, text_of

SHARE, ALL = 20, 334
LONGEST = 0.5
"""How many seconds of this process's time the check of a game may take: some twenty times what it does."""
WORDED = 2
"""The number of a game in which the players sent words for the seed."""


def flaw_in(text: str) -> str:
    with pytest.raises(Disproved) as caught:
        proving.prove(proof.read(text), games.get)
    return str(caught.value)


@pytest.fixture(scope="module")
def blame() -> str:
    """Give the file of an honest game of Blame."""
    return proof.write(honest("blame", 7))


@pytest.mark.parametrize(("tamper", "named"), TAMPERINGS, ids=lambda value: getattr(value, "__name__", ""))
def test_every_tampering_is_named(blame: str, tamper: Tamper, named: str) -> None:
    rows = rows_of(blame)
    tamper(rows)
    assert re.search(named, flaw_in(text_of(rows))), flaw_in(text_of(rows))


def test_a_file_that_was_cut_or_filled_is_named(blame: str) -> None:
    lines = blame.splitlines(keepends=True)
    assert "it was cut or added to" in flaw_in("".join(lines[:-3]))
    assert "it was cut or added to" in flaw_in(blame + lines[-1])
    assert "cannot be read: it was cut or changed" in flaw_in(blame[: len(blame) // 2])


NO_PROOFS = (
    "",
    "hello",
    "[]",
    "null",
    "{}",
    '{"proof":1}',
    '{"proof":2}',
    "[" * 9000,
    '{"proof":1,"seed":"x"}',
    "1\n2",
)


@pytest.mark.parametrize("text", NO_PROOFS)
def test_what_is_no_proof_is_said_to_be_none(text: str) -> None:
    assert flaw_in(text)


def test_an_order_that_was_in_time_and_is_said_to_be_late_is_told_by_its_receipt() -> None:
    """A host who forges the log as a whole has the receipts against it."""
    game = Game("blame", 7, 3)
    played = game.play()
    forged = Forger("blame", 7, 3, slips=list(played.slips))
    assert "and the log has" in flaw_in(proof.write(forged.play()))


class Forger(Game):
    """Play the same game, but enter the last player's order as a default; the receipts are those that were sent."""

    def receive(self, *given: object) -> None:
        """Give no receipts but the true ones."""

    def given(self, *given: Any) -> Any:
        """Enter alice's orders as the game's."""
        found = super().given(*given)
        return type(found)(found.order, "default") if given[1] == 0 else found

    def enter(self, entry: Any) -> None:
        """Give its receipts a chain that fits: what they commit to cannot be changed."""
        super().enter(entry)
        chains = [line.chain for line in self.lines]
        self.slips = [_refitted(self, slip, chains) for slip in self.slips]


def _refitted(game: Game, slip: proof.Slip, chains: list[str]) -> proof.Slip:
    body = json.loads(slip.body)
    if body["entries"] > len(chains):
        return slip
    before = next((one.hash for one in game.slips if (one.seat, one.number) == (slip.seat, slip.number - 1)), "")
    text = compact(body | {"chain": chains[body["entries"] - 1], "before": before})
    return proof.Slip(slip.seat, slip.number, text, slip.deeds, receipts.hashed(text))


@pytest.fixture(scope="module")
def gathered() -> str:
    """Give the file of an honest game for whose seed the players sent words."""
    return proof.write(honest("archer", WORDED))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"words": ["", "", "", ""]}, "not made of the host's secret"),
        ({"commitment": dice.commitment(b"y")}, "sealed before the players sent their words"),
    ],
)
def test_words_and_secret_are_checked(gathered: str, change: dict[str, Any], named: str) -> None:
    rows = rows_of(gathered)
    rows[1]["body"]["gathered"] |= change
    assert named in flaw_in(text_of(rows))


class WordForger(Game):
    """Deal from other words than the players sent and have receipts for."""

    def receive(self, now: Any, seat: int, *deeds: receipts.Deed) -> None:
        """Give the receipts that the players were sent."""
        super().receive(now, seat, *(replace(one, text="luck") if one.did == "seed" else one for one in deeds))


def test_a_host_who_changes_words_and_seed_together_has_the_players_receipts_against_it() -> None:
    forged = WordForger("archer", WORDED, 3, ("luck", "luck", "no luck"))
    assert flaw_in(proof.write(forged.play())).startswith("carol sent other words")


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_what_one_seat_knew_holds_and_has_nothing_else_in_it(seat: int) -> None:
    played = honest("archer", 7)
    known = proof.cut(played, seat)
    text = proof.write(known)
    assert proving.prove(proof.read(text), games.get) == []
    assert played.seed and played.seed.hex() not in text
    assert {slip.seat for slip in known.slips} == {seat}
    for line in known.lines:
        assert all(event.visible(seat) for event in line.events)
        if line.kind == "step":
            assert line.body and {order[0] for order in line.body["orders"]} <= {seat}


def test_a_cut_file_is_changed_unnoticed_no_more_than_its_receipts_allow() -> None:
    rows = rows_of(proof.write(proof.cut(honest("archer", 7), 0)))
    slips(rows)[1]["body"]["received"] = "2026-03-01T00:00:00Z"
    assert "was changed" in flaw_in(text_of(rows))


def share(count: int) -> list[tuple[str, int]]:
    return [(name, number) for name in ENGINES for number in range(count)]


@pytest.mark.parametrize(("name", "number"), share(SHARE))
def test_an_honest_game_holds(name: str, number: int) -> None:
    holds(name, number)


@pytest.mark.parametrize("name", ENGINES)
def test_honest_games_have_steps_that_were_taken_back(name: str) -> None:
    lines = [line for number in range(1, SHARE, 4) for line in honest(name, number).lines]
    found = [bool(line.body["redeal"]) for line in lines if line.kind == "restore" and line.body]
    assert set(found) == {True, False}, "some were dealt anew"


@pytest.mark.prove
@pytest.mark.parametrize("name", ENGINES)
def test_a_thousand_honest_games_hold(name: str) -> None:
    for number in range(SHARE, SHARE + ALL):
        holds(name, number)


def holds(name: str, number: int) -> None:
    """Check an honest game's file, well under a second."""
    played: Proof = honest(name, number)
    text = proof.write(played)
    began = time.process_time()
    tables = proving.prove(proof.read(text), games.get)
    assert time.process_time() - began < LONGEST
    assert len(tables) == len(played.lines) and tables[-1].result() is not None
