"""Tell a quarrel: a host is accused of having stacked the deck, and the letters in the mailboxes settle it.

Alice lost, and says that the host gave bob the good cards. The host shows the game's file. It holds; and it fits every
letter that she and the others kept. Then the same with a host who did stack it: dealt again with another seed until the
cards were right, and wrote a whole new file, in which nothing is wrong. Her letters do not fit that one.
"""

from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem import games
from pbem.core import proof, proving
from pbem.core.proof import Proof
from pbem.core.table import Table
from pbem.errors import Disproved
from pbem.services import desk, proofs
from pbem.services.house import renderer
from pbem.services.witness import compare
from pbem.store.session import read
from pbem.testing.rehearsal import Company
from pbem.testing.stage import Stage, open_stage, text_of

NAMES = ("alice", "bob", "carol")
Letters = dict[str, list[EmailMessage]]


@pytest.fixture
def stages(tmp_path: Path) -> Iterator[list[Stage]]:
    """Give two houses: that of the honest game, and one in which the host tries out deals."""
    stages = [open_stage(tmp_path / name) for name in ("honest", "forged")]
    yield stages
    for stage in stages:
        stage.close()


def played(stage: Stage, seed: str) -> tuple[Proof, Letters]:
    """Play a whole game by letter, and give the file that is mailed on `export`, with all letters."""
    for name in NAMES:
        stage.add_player(name)
    game = stage.new_game("archer", NAMES, seed=seed)
    stage.poll()
    for _ in Company(stage, game, slips={"bob": "status", "carol": "log"}).play("alice"):
        pass
    stage.reply("alice", "export")
    stage.poll()
    (part,) = stage.newest("alice").iter_attachments()
    mailed = part.get_payload(decode=True).decode()  # type: ignore[union-attr]
    letters = {name: stage.mails(name)[: -1 if name == "alice" else None] for name in NAMES}
    whole = read(stage.db, lambda session: proofs.whole(session, desk.get_game(session, game)))
    assert mailed == proof.write(proof.read(mailed)) and whole.lines == proof.read(mailed).lines
    return proof.read(mailed), letters


def compared(found: Proof, tables: list[Table], letters: list[EmailMessage]) -> list[str]:
    """Compare letters with a file, and give what does not fit."""
    flaws, pages = [], renderer()
    for letter in letters:
        try:
            assert compare(found, tables, text_of(letter), pages)
        except Disproved as flaw:
            flaws.append(str(flaw))
    return flaws


def test_a_host_is_accused_of_having_stacked_the_deck(stages: list[Stage]) -> None:
    honest, letters = played(stages[0], "once upon a time")
    tables = proving.prove(honest, games.get)
    assert [compared(honest, tables, letters[name]) for name in NAMES] == [[], [], []]

    forged, _ = played(stages[1], "better cards for bob")
    tables = proving.prove(forged, games.get)
    for name in NAMES:
        flaws = compared(forged, tables, letters[name])
        assert "has another seal" in flaws[0]
        assert any("has receipt" in flaw for flaw in flaws)
        assert len(flaws) == len(letters[name]), "there is no letter that fits the forged file"


def test_a_letter_of_another_game_or_player_is_not_compared(stages: list[Stage]) -> None:
    found, letters = played(stages[0], "once upon a time")
    tables = proving.prove(found, games.get)
    text = text_of(letters["alice"][1])
    for changed, why in (
        (text.replace("archer-1", "archer-2"), "of archer-2"),
        (text.replace("Dear alice", "Dear eve"), "to nobody of alice, bob, carol"),
        ("Hello", "of no game"),
    ):
        with pytest.raises(Disproved, match=why):
            compare(found, tables, changed, renderer())
    with pytest.raises(Disproved, match="what bob knew"):
        compare(proof.cut(found, 1), [], text, renderer())
    assert "what happened" in compare(proof.cut(found, 0), [], text_of(letters["alice"][2]), renderer())
