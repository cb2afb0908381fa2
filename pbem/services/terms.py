"""Say by what a game is played: by which program, which version of the game, with which options."""

import json
from collections.abc import Iterator

from pbem.services.turns import Sitting


def terms(sitting: Sitting) -> Iterator[str]:
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
