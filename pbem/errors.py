"""Draw the tree of everything that may go wrong.

PbemError
  PlayerError        the sender can mend it; its text becomes the answer; nothing changed
    UnknownCommand   NotSeated   NotAwaited   StaleOrder   GameOver
    BadOrder         UnreadableOrder (text)   IllegalOrder (rules)   AmbiguousOrder (says the readings)
  AdminError         a wrong argument or configuration: one line on stderr, exit 1
    BadOption        a game's option that cannot be
    Disproved        what in the file of a game does not fit
  TransportFailure   TemporaryFailure (later)   PermanentFailure (give up, tell the moderators)
    Elsewhere        not by this post now: by another, or later
  EngineFault        a game broke its contract: that game pauses, the moderators get an alarm
  Conflict           somebody was first: try once more
"""


class PbemError(Exception):
    """Be the root of the tree."""


class PlayerError(PbemError):
    """Tell a player what was wrong, and which lines would work.

    Secret: the text goes to the sender, so it says no more than the sender's view does.
    """

    def __init__(self, why: str, *examples: str) -> None:
        super().__init__(why)
        self.why = why
        self.examples = examples


class UnknownCommand(PlayerError):
    """Say that a line is no command."""


class NotSeated(PlayerError):
    """Say that the sender holds no seat in that game."""


class NotAwaited(PlayerError):
    """Say that nothing is asked of the seat now."""


class StaleOrder(PlayerError):
    """Say that an order answers what is no longer asked."""


class GameOver(PlayerError):
    """Say that the game has ended."""


class BadOrder(PlayerError):
    """Be the root of what a game's `parse` may raise."""


class UnreadableOrder(BadOrder):
    """Say that the text of an order cannot be read."""


class IllegalOrder(BadOrder):
    """Say that the rules forbid an order, as far as the seat's view tells."""


class AmbiguousOrder(BadOrder):
    """Say that an order has several readings, and which."""


class AdminError(PbemError):
    """Tell an operator in one line what is wrong and how to mend it."""


class BadOption(AdminError):
    """Say that a game's option cannot be."""


class Disproved(AdminError):
    """Say what is the first thing in the file of a game that does not fit."""


class TransportFailure(PbemError):
    """Be the root of what may go wrong with a post."""


class TemporaryFailure(TransportFailure):
    """Say that the same may work later."""


class Elsewhere(TemporaryFailure):
    """Say that a letter cannot go by this post now, but may by another; `alarm` is what the moderators are told.

    `patient`: the same post is tried once more before.
    """

    def __init__(self, told: str, alarm: str = "", *, patient: bool = False) -> None:
        super().__init__(told)
        self.alarm = alarm
        self.patient = patient


class PermanentFailure(TransportFailure):
    """Say that it will never work, and the moderators should know."""


class EngineFault(PbemError):
    """Say that a game broke its contract; `game_id` is the match in which it happened, where that is known."""

    game_id: int | None = None


class Conflict(PbemError):
    """Say that somebody else changed the same thing first."""
