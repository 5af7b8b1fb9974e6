"""What one comparison, pair, round or row costs in the parts that workers and clients run, in microseconds of CPU.

`docs/scale.md` multiplies these by larger numbers.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.case import OURS, Answer, Case
from benchmarks.clusters import in_memory

QUESTION = "What does one comparison, pair, round or row cost on a worker or the client?"

Work = tuple[Callable[[], Any], int]


def cases(quick: bool) -> list[Case]:
    """Return the parts."""
    size = 100 if quick else 1
    parts: dict[str, Callable[[int], Work]] = {
        "read a comparison from CSV": partial(reading, ".csv"),
        "read a comparison from Parquet": partial(reading, ".parquet"),
        "count a comparison of an array": counting,
        "add the totals of a pair to others": adding,
        "fit BradleyTerry, for each pair": fitting,
        "learn_users: a round of 10 candidates × 10": learning,
        "RankSVM: loss and gradient, for each row × 20": evaluating,
        "RankSVM: product with the Hessian, for each row × 20": multiplying,
        "RankBoost: a round, for each row × 20": boosting,
    }
    return [
        Case(who=OURS, what=what, prepare=partial(prepared, make, size), answer=lambda found: found, warm=3)
        for what, make in parts.items()
    ]


def prepared(make: Callable[[int], Work], size: int) -> Callable[[], Answer]:
    """Return a call that tells the least CPU time so far for each of many equal things."""
    work, count = make(size)
    spent: list[float] = []

    def call() -> Answer:
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
        return {"µs": f"{min(spent) / count * 1e6:.3g}", "measured with": f"{count:,}"}

    return call


def pairs(n: int, items: int) -> Any:
    """Return random pairs of row numbers."""
    import numpy as np

    random = np.random.default_rng(0)
    first = random.integers(0, items, n)
    return np.column_stack([first, (first + random.integers(1, items, n)) % items])


def reading(ending: str, size: int) -> Work:
    """Read a table of two columns of ids."""
    import pandas as pd

    from penchant.formats import read_file

    n = 200_000 // size
    table = pd.DataFrame(pairs(n, 1000), columns=["winner", "loser"]).map(lambda item: f"item-{item}")
    path = Path(tempfile.mkdtemp()) / f"votes{ending}"
    if ending == ".csv":
        table.to_csv(path, index=False)
    else:
        table.to_parquet(path)
    return lambda: read_file(path), n


def counting(size: int) -> Work:
    """Count pairs of row numbers."""
    from penchant import Preferences
    from penchant.preferences import PairCounts

    given = pairs(2_000_000 // size, 1000)
    return lambda: PairCounts.of(Preferences.from_pairs(given)), len(given)


def adding(size: int) -> Work:
    """Add totals of many pairs to as many."""
    from penchant import Preferences
    from penchant.preferences import PairCounts

    first, second = (
        PairCounts.of(Preferences.from_pairs(pairs(k // size, 2000))) for k in (900_000, 1_000_000)
    )
    return lambda: first + second, second.n_pairs


def fitting(size: int) -> Work:
    """Fit the totals of 400,000 pairs of 10,000 items."""
    from penchant import Preferences
    from penchant.worth import BradleyTerry

    given = Preferences.from_pairs(pairs(400_000 // size, 10_000 // size))
    return lambda: BradleyTerry(prior=1.0, errors="model").fit(given), len(given)


def learning(size: int) -> Work:
    """Learn five rounds of each of 2,000 users."""
    import pandas as pd

    from benchmarks.scale_users import FEATURES, PARTITIONS, ROUNDS, events
    from penchant.coactive import PreferencePerceptron, RankingMap
    from penchant.scale.users import EventColumns, user_weights

    n_users = 2_000 // size
    table = pd.concat([events(seed, n_users) for seed in range(PARTITIONS)], ignore_index=True)
    names = tuple(f"x{k}" for k in range(FEATURES))
    columns = EventColumns("user", "round", "position", "clicked", names)
    learner = PreferencePerceptron(RankingMap(), FEATURES)
    return lambda: user_weights(table, learner, columns), n_users * ROUNDS


def chunk(size: int) -> Any:
    """Return 200,000 graded rows as a worker holds them."""
    import numpy as np

    from penchant.scale.graded_files import GradedChunk

    X, grades, qid = in_memory(8_000 // size)
    return GradedChunk("", X, grades.astype(float), qid, np.ones(len(grades)))


def evaluating(size: int) -> Work:
    """Sum the loss and its gradient."""
    import numpy as np

    from penchant.scale.rank_svm import paired_rows, short_rows, short_sums

    rows, coef = paired_rows(chunk(size)), np.linspace(0.1, -0.1, 20)
    return lambda: short_sums(rows, short_rows(rows, 1.0, coef)), rows.X.shape[0]


def multiplying(size: int) -> Work:
    """Multiply by the Hessian."""
    import numpy as np

    from penchant.scale.rank_svm import curved, paired_rows, short_rows

    rows, coef = paired_rows(chunk(size)), np.linspace(0.1, -0.1, 20)
    short = short_rows(rows, 1.0, coef)
    return lambda: curved(rows, short, coef), rows.X.shape[0]


def boosting(size: int) -> Work:
    """Make the histograms of a round, weigh its stump and the pairs."""
    from penchant.rankers.solvers.stumps import BinnedFeatures
    from penchant.scale import rank_boost

    given = rank_boost.paired_chunk(chunk(size), 0.0)
    rows = rank_boost.BoostedRows(BinnedFeatures.of(given.X, given.rows, 256), given.pairs)
    state = rank_boost.first_state(rows)

    def one_round() -> None:
        sums = rank_boost.histogram(rows, state)
        split = rank_boost.best_of(sums, rows.features.n_thresholds)
        assert split is not None
        rank_boost.wrong_of(rows, state, split)
        rank_boost.next_state(rows, state, split, 0.1)

    return one_round, given.X.shape[0]
