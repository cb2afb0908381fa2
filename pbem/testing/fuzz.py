"""Be a target for fuzzers: any bytes are written to a game as a player's line.

    import atheris
    from pbem.testing import fuzz
    from pbem.testing.kit import Kit

    atheris.Setup(sys.argv, fuzz.target(Kit("mygame")))
    atheris.Fuzz()

The first two bytes choose the position and the seat, the rest is what the player writes.
"""

from collections.abc import Callable

from pbem.testing.checks.orders import check_text
from pbem.testing.kit import Kit
from pbem.testing.plays import blamed


def target(kit: Kit) -> Callable[[bytes], None]:
    """Make a function of bytes that raises AssertionError if a game takes them for anything but an order or talk."""

    def one_input(data: bytes) -> None:
        attempt(kit, int.from_bytes(data[:2], "big"), data[2:].decode(errors="surrogateescape"))

    return one_input


def attempt(kit: Kit, number: int, text: str) -> None:
    """Let a seat write a text in one of the positions of the kit's random games."""
    step = kit.steps[number % len(kit.steps)]
    seats = (*kit.engine.awaiting(step.before), *kit.engine.interrupts(step.before))
    with blamed(str(step)):
        check_text(kit.engine, step.before, seats[number % len(seats)], text)
