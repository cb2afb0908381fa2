"""Play a whole game by letter, the players being small programs that answer by replying.

Used by the demo and by the tests: every move goes through the mails, the office and the store.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage

from pbem.core.dice import rehearsal_seed
from pbem.engine import Dice
from pbem.errors import EngineFault
from pbem.services import sittings
from pbem.testing.stage import Stage, text_of

STEPS_LIMIT = 2000


@dataclass(frozen=True)
class Exchange:
    """Tell of one round: the turn, who wrote what, and what one player's newest letters say."""

    turn: int
    wrote: tuple[tuple[str, str], ...]
    letters: tuple[EmailMessage, ...]


@dataclass
class Company:
    """Be the players at the table: each answers its newest letter with a random legal order.

    `slips` are words to write instead, once, by player: what a person mistypes. `wait` moves the stage's clock on after
    each round.
    """

    stage: Stage
    game: str
    seed: str = "company"
    slips: Mapping[str, str] = field(default_factory=dict)
    wait: Callable[[Stage], None] = lambda stage: None

    def __post_init__(self) -> None:
        self._dice = Dice(rehearsal_seed(self.seed))
        self._slips = dict(self.slips)

    def play(self, watch: str) -> Iterator[Exchange]:
        """Play to the end, a round at a time: all who are asked reply, and the office makes a pass.

        Raises: EngineFault if the game does not end.
        """
        seen = len(self.stage.mails(watch))
        yield Exchange(0, (), tuple(self.stage.mails(watch)))
        for _ in range(STEPS_LIMIT):
            sitting = self.stage.sitting(self.game)
            if not sitting.is_open:
                return
            wrote = tuple((sitting.seats[seat].name, self._answer(sitting, seat)) for seat in sorted(sitting.prompts))
            for name, words in wrote:
                self.stage.reply(name, words, to=self.stage.newest(name, containing=f", {self.game},"))
            self.stage.poll()
            self.wait(self.stage)
            mails = self.stage.mails(watch)
            yield Exchange(sitting.table.turn(), wrote, tuple(mails[seen:]))
            seen = len(mails)
        raise EngineFault(f"{self.game} did not end in {STEPS_LIMIT} rounds")

    def _answer(self, sitting: sittings.Sitting, seat: int) -> str:
        name = sitting.seats[seat].name
        if name in self._slips:
            return self._slips.pop(name)
        return sitting.engine.sample(sitting.table.view(seat), self._dice)


def play_out(stage: Stage, game: str, *, seed: str = "company") -> Sequence[Exchange]:
    """Play a game to its end."""
    return list(Company(stage, game, seed).play(stage.sitting(game).names[0]))


def part_of(mail: EmailMessage, heading: str) -> str:
    """Give one part of a letter's text: the lines below a heading in capitals, up to the next one."""
    lines = text_of(mail).splitlines()
    if heading not in lines:
        return ""
    below = lines[lines.index(heading) + 1 :]
    end = next((at for at, line in enumerate(below) if line and not line.startswith(" ")), len(below))
    return "\n".join(below[:end]).strip("\n")
