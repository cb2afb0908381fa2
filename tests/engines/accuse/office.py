"""Be four people who play Accuse! by letter through the whole office."""

from dataclasses import dataclass

from sqlmodel import Session

import engines.accuse as accuse
from pbem.services import desk
from pbem.store import games
from pbem.store.session import read, transact
from pbem.store.tables import LogEntry
from pbem.testing.stage import Stage
from tests.services.company import Company

from .tables import NAMES


@dataclass
class Office(Company):
    """Be ann, who begins, bob, cleo and dan at a table of Accuse!."""

    @classmethod
    def seat(
        cls, stage: Stage, players: int = 4, *, state: accuse.State | None = None, seed: str = "duck", **options: str
    ) -> "Office":
        """Register the players once, deal, and send the first letters; a `state` is put in the place of the deal."""
        if not stage.mails():
            for name in NAMES:
                stage.add_player(name)
        office = cls(stage, stage.new_game("accuse", NAMES[:players], seed=seed, first="ann", **options))
        if state is not None:
            office.lay(state)
        stage.poll()
        return office

    def lay(self, state: accuse.State) -> None:
        """Put a laid-out state in the place of the game's own, in which the same is asked."""

        def work(session: Session) -> None:
            game = desk.get_game(session, self.game)
            engine = self.stage.house.engine(game.engine)
            assert engine.load(game.state).asked == state.asked
            game.state = engine.dump(state)
            games.save_game(session, game)

        transact(self.stage.db, work)

    @property
    def state(self) -> accuse.State:
        """Give the state."""
        state: accuse.State = self.sitting.table.state
        return state

    @property
    def log(self) -> list[LogEntry]:
        """Give the rows of the game's log."""
        return read(self.stage.db, lambda session: games.log_of(session, self.sitting.game.id or 0))

    @property
    def orders(self) -> list[str]:
        """Give the orders of each step in the log."""
        return [row.body.partition('"orders":')[2].rstrip("}") for row in self.log if row.kind == "step"]

    @property
    def wrong(self) -> str:
        """Write an accusation that is wrong."""
        aside = self.state.culprits[0]
        return f"accuse {'C1' if aside != 'C1' else 'C2'} {' '.join(self.state.culprits[1:])}"

    @property
    def right(self) -> str:
        """Write the accusation that is right."""
        return f"accuse {' '.join(self.state.culprits)}"
