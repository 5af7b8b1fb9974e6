"""Bradley–Terry from comparisons that Dask workers count, as comparisons grow, beside one process without Dask."""

from __future__ import annotations

from typing import Any

from benchmarks.case import OURS, Answer, Case
from benchmarks.clusters import PARTITIONS, Timed, client_of, costs, growing, timed, with_ratios

QUESTION = "How does the cost of Bradley–Terry from comparisons on Dask grow?"

COMPARISONS = (100_000, 400_000, 1_600_000, 6_400_000)
ITEMS = 300
completed = with_ratios


def cases(quick: bool) -> list[Case]:
    """Return four sizes, without Dask and with one and two workers."""
    sizes = (4_000, 8_000) if quick else COMPARISONS
    return growing(
        f"{OURS} BradleyTerry", sizes, lambda n: f"{n:,} comparisons of {ITEMS} items", counting, told
    )


def compared(seed: int, n: int) -> Any:
    """Return pairs of row numbers, better first; the lower number is the better item on average."""
    import numpy as np

    random = np.random.default_rng(seed)
    first = random.integers(0, ITEMS, n)
    second = (first + random.integers(1, ITEMS, n)) % ITEMS
    wins = random.random(n) < 1 / (1 + np.exp((first - second) / ITEMS * 4))
    return np.where(wins, [first, second], [second, first]).T.copy()


def counting(n: int, workers: int) -> Timed:
    """Prepare a fit with a given prior, so that what grows is the counting."""
    import numpy as np

    from penchant import Preferences, scale
    from penchant.worth import BradleyTerry

    each = n // PARTITIONS
    if not workers:
        pairs = np.concatenate([compared(seed, each) for seed in range(PARTITIONS)])
        return timed(lambda: BradleyTerry(prior=1.0).fit(Preferences.from_pairs(pairs)))
    import dask
    from distributed import wait

    client = client_of(workers)
    parts = client.persist([dask.delayed(compared)(seed, each) for seed in range(PARTITIONS)])
    wait(parts)
    return timed(lambda: scale.fit(BradleyTerry(prior=1.0), parts, client=client), client)


def told(found: Any) -> Answer:
    """Tell the time, and the number of comparisons that were counted."""
    return costs(found) | {"comparisons": f"{found['result'].counts_.sum() / 2:,.0f}"}
