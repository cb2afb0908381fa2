"""Run the benchmarks: `make bench`."""

from bench import due, engine, floor, growth, handing, office, openspiel, parts, postgres
from bench.measure import emit, loop, rate
from engines import ENGINES


def main() -> None:
    """Print every figure, with the machine's own speed before and after."""
    before, spread = rate(loop)
    emit("machine: plain loops of 10,000", before, "loops/s", spread)
    moves = {name: engine.run(name) for name in ENGINES}
    openspiel.run()
    lowest = floor.run(office.a_reply())
    seconds = office.run()
    emit("office: against the floor", seconds / lowest, "times")
    emit("engine's share of a move in the office", 100 / moves["blame"] / seconds, "%")
    parts.run()
    growth.run()
    postgres.run(seconds)
    handing.run()
    due.run()
    after, spread = rate(loop)
    emit("machine: plain loops of 10,000, again", after, "loops/s", spread)
    for name in ENGINES:
        emit(f"engine.{name}: moves for each plain loop", moves[name] / after, "ratio")
    emit("office: plain loops for each move", after * seconds, "ratio")


if __name__ == "__main__":
    main()
