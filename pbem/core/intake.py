"""Judge a message before its words are read: a table of checks, each a name, a question and a verdict.

The first check that says yes decides. What is asked of the database is handed in as `Facts`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import authres

from pbem.core.message import Inbound
from pbem.core.token import Token


class Verdict(Enum):
    """Say what is to be done with a message."""

    IGNORE = "ignored"  # no effect, no answer
    BOUNCE = "bounced"  # recorded at the letter that it names
    HOLD = "held"  # kept for the moderators, no effect
    ASK_BACK = "asked"  # a registered player is asked which game was meant
    EXPLAIN = "explained"  # a registered player is told how to answer
    GO_ON = "read"


@dataclass(frozen=True, slots=True)
class Facts:
    """Hold what the house knows of a message.

    `ours` are the office's own addresses (casefolded); `sender_id` is the player who registered the sender's address;
    `answered` are the valid tokens of the letters it answers, `addressed` those of the addresses it was sent to;
    `holder_id` is who holds the seat of the first of them now; `subject_games` are the games that the subject names;
    `unreadable` counts this sender's answered messages of the last hour in which nothing could be read;
    `vain`: it takes away a message that did nothing; `public`: it was written in a game's public room.
    """

    ours: frozenset[str]
    authserv_id: str
    sender_id: int | None
    answered: tuple[Token, ...]
    addressed: tuple[Token, ...]
    holder_id: int | None
    subject_games: frozenset[int]
    unreadable: int = 0
    vain: bool = False
    public: bool = False

    @property
    def token(self) -> Token | None:
        """Give the token that counts: of the letter answered first, else of the address."""
        return next(iter((*self.answered, *self.addressed)), None)


@dataclass(frozen=True, slots=True)
class Judgement:
    """Give the verdict, the check that gave it, and a reason that an operator can read."""

    verdict: Verdict
    check: str
    reason: str


UNREADABLE_LIMIT = 10
MACHINE_PRECEDENCE = {"bulk", "junk", "list", "auto_reply"}


def judge(message: Inbound, facts: Facts) -> Judgement:
    """Go through the checks in their order."""
    for name, verdict, reason, holds in CHECKS:
        if holds(message, facts):
            return Judgement(verdict, name, reason)
    return Judgement(Verdict.GO_ON, "known player", "the token and the sender belong together")


def _mark(message: Inbound, name: str) -> str:
    values = message.marks.get(name, ())
    return values[0].strip().casefold() if values else ""


def _is_own(message: Inbound, facts: Facts) -> bool:
    return message.sender.casefold() in facts.ours or bool(_mark(message, "x-pbem"))


def _is_bounce(message: Inbound, facts: Facts) -> bool:
    kind = _mark(message, "content-type")
    return bool(message.bounced) or ("multipart/report" in kind and "delivery-status" in kind)


def _is_machine(message: Inbound, facts: Facts) -> bool:
    auto = _mark(message, "auto-submitted").partition(";")[0].strip()
    return (
        auto not in ("", "no")
        or _mark(message, "return-path") == "<>"
        or _mark(message, "precedence") in MACHINE_PRECEDENCE
        or any(message.marks.get(name) for name in ("x-autoreply", "x-autorespond", "list-id", "x-loop"))
    )


def _is_forged(message: Inbound, facts: Facts) -> bool:
    """Tell whether our own mail server marked the sender as forged; what cannot be read of it vouches for nobody.

    DMARC decides where the sender's domain asks for it; else a failed SPF counts, unless a signature (DKIM) is good.
    """
    found: dict[str, list[str]] = {}
    for value in message.marks.get("authentication-results", ()):
        if not facts.authserv_id or _who_checked(value) != facts.authserv_id.casefold():
            continue
        try:
            results = authres.AuthenticationResultsHeader.parse(f"Authentication-Results: {value}").results
        except (authres.SyntaxError, SyntaxError, ValueError):
            return True
        for one in results:
            found.setdefault(one.method, []).append(one.result)
    dmarc = found.get("dmarc", ["none"])[0]
    if dmarc in ("pass", "fail"):
        return dmarc == "fail"
    return "pass" not in found.get("dkim", ()) and found.get("spf", ["none"])[0] in ("fail", "softfail")


def _who_checked(value: str) -> str:
    return next(iter(value.partition(";")[0].split()), "").casefold()


def _is_unknown(message: Inbound, facts: Facts) -> bool:
    return facts.sender_id is None


def _is_somebody_else(message: Inbound, facts: Facts) -> bool:
    return facts.token is not None and facts.sender_id != facts.holder_id


def _is_one_of_two(message: Inbound, facts: Facts) -> bool:
    """Tell whether typed words may be meant for several games."""
    return bool(_mark(message, "typed")) and len({token.game_id for token in facts.answered}) > 1


def _is_at_the_door(message: Inbound, facts: Facts) -> bool:
    return bool(_mark(message, "invite") or _mark(message, "joined"))


def _disagrees(message: Inbound, facts: Facts) -> bool:
    seats = {(token.game_id, token.seat) for token in (*facts.answered[:1], *facts.addressed)}
    return len(seats) > 1


def _names_another_game(message: Inbound, facts: Facts) -> bool:
    token = facts.token
    return token is not None and bool(facts.subject_games - {token.game_id})


CHECKS: tuple[tuple[str, Verdict, str, Callable[[Inbound, Facts], bool]], ...] = (
    ("own mail", Verdict.IGNORE, "it is one of our own letters", _is_own),
    ("bounce", Verdict.BOUNCE, "it says that a letter could not be delivered", _is_bounce),
    ("machine", Verdict.IGNORE, "it was written by a machine", _is_machine),
    ("forged", Verdict.HOLD, "our mail server does not vouch for its sender", _is_forged),
    ("onlooker", Verdict.IGNORE, "its sender has no seat in the game whose room this is",
     lambda message, facts: facts.public and facts.token is None),
    ("stranger", Verdict.HOLD, "its sender is not registered", _is_unknown),
    ("beyond the limits", Verdict.HOLD, "it is too large or too deeply nested to be read",
     lambda message, facts: message.beyond),
    ("taken away", Verdict.IGNORE, "it takes away a message that did nothing", lambda message, facts: facts.vain),
    ("at the door", Verdict.EXPLAIN, "somebody came in, or invites us", _is_at_the_door),
    ("loop", Verdict.HOLD, f"{UNREADABLE_LIMIT} messages in an hour with nothing readable",
     lambda message, facts: facts.unreadable >= UNREADABLE_LIMIT),
    ("exposed", Verdict.EXPLAIN, "the room that it was written in is not private",
     lambda message, facts: bool(_mark(message, "exposed")) and not facts.public),
    ("two games", Verdict.ASK_BACK, "letters of several games stand above it, and it names none of them",
     _is_one_of_two),
    ("two seats", Verdict.ASK_BACK, "its address and the letter it answers name different seats", _disagrees),
    ("not the player", Verdict.HOLD, "its sender does not hold the seat of the letter that it answers",
     _is_somebody_else),
    ("other game", Verdict.ASK_BACK, "its subject names another game than the letter it answers", _names_another_game),
    ("no token", Verdict.EXPLAIN, "it answers no letter of ours", lambda message, facts: facts.token is None),
)  # fmt: skip
