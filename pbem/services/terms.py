"""Say at the foot of a game's letters what holds for the whole of it: its seal, its terms, its seed."""

import json
from collections.abc import Iterator, Sequence

from pbem.services.sittings import Sitting


def footers(sitting: Sitting, *, first: bool, disputes: Sequence[int] = ()) -> Iterator[str]:
    """Say what every letter of a game must say beside the game itself; `disputes`: those that wait for a ruling."""
    game = sitting.game
    if game.rehearsal:
        yield "This is a rehearsal: its deal was made from a word, and whoever knows the word knows all the cards."
    if game.status == "paused":
        waits = "".join(f" Dispute {number} waits for a moderator's ruling." for number in disputes)
        yield f"The game is paused: your clock stands still, and no orders are taken until it goes on.{waits}"
    if first:
        seal = _grouped(sitting.seal())
        yield f"The deal is sealed: its seed, shown when the game is over, has the SHA-256 seal {seal}."
        yield from _terms(sitting)
        if sitting.engine.memory == "closed":
            yield (
                "At a table you could not look back at what was played. A mailbox remembers: whether you look at old "
                "letters is between you and your friends. The house shows the last turn only."
            )
    if game.status in ("over", "ended"):
        seed = _grouped(game.seed.hex())
        yield f'The seed of the deal was {seed}. Reply with "export" for a file by which anybody can check the game.'


def _grouped(word: str) -> str:
    return " ".join(word[at : at + 8] for at in range(0, len(word), 8))


def _terms(sitting: Sitting) -> Iterator[str]:
    """Write the terms that the letters of the deal state, as the log's first entry has them."""
    if not sitting.entries or sitting.entries[0][0].kind != "deal":
        return
    deal = json.loads(sitting.entries[0][0].body)
    chosen = ", ".join(f"{name} {value}" for name, value in deal["options"].items() if value not in (None, ""))
    title = sitting.engine.title
    if gathered := deal.get("gathered"):
        said = "; ".join(f'{name}: "{words}"' for name, words in zip(deal["names"], gathered["words"], strict=True))
        yield f"The seed is made of the host's secret and of your words, in this order: {said}."
    yield f"Played by pbem {deal.get('pbem')}, {title} version {deal['version']}. Options: {chosen or 'none'}."
