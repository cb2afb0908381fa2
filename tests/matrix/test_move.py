"""One move by Matrix, from the invitation to the answer."""

from tests.matrix.table import Table


async def test_a_move_by_typed_words(table: Table) -> None:
    game = await table.deal("alice")
    digest = table.heard("alice")[-1]
    assert "What is asked of you".upper() in digest and "WELCOME" not in digest
    answer = await table.answered("alice", "draw")
    assert 'Read as "draw" and done.' in answer
    assert table.sitting(game).table.step == 1
