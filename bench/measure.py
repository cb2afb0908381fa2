"""Time work in rounds, and print each figure as `name value unit`, with its spread."""

import statistics
import time
from collections.abc import Callable

ROUNDS = 5


def emit(name: str, value: float, unit: str, spread: tuple[float, float] | None = None) -> None:
    """Print one figure."""
    shown = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    tail = f"  (of {ROUNDS} rounds: {spread[0]:.4g} to {spread[1]:.4g})" if spread else ""
    print(f"{name:44} {shown:>10} {unit}{tail}", flush=True)


def rate(one_round: Callable[[], int], rounds: int = ROUNDS) -> tuple[float, tuple[float, float]]:
    """Give how many units a second a round does: the median and the spread; one round warms up."""
    one_round()
    rates = []
    for _ in range(rounds):
        start = time.perf_counter()
        done = one_round()
        rates.append(done / (time.perf_counter() - start))
    return statistics.median(rates), (min(rates), max(rates))


def loop() -> int:
    """Spin a plain loop: what the machine gives at this moment."""
    total = 0
    for _ in range(300):
        for number in range(10_000):
            total += number & 7
    return 300
