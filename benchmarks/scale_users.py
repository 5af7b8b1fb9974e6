"""A perceptron for each of many users, learned by Dask workers from a table of events, as users grow."""

from __future__ import annotations

from typing import Any

from benchmarks.case import OURS, Answer, Case
from benchmarks.clusters import PARTITIONS, Timed, client_of, costs, growing, timed, with_ratios

QUESTION = "How does the cost of a coactive model for each user on Dask grow?"

USERS = (500, 2_000, 8_000, 32_000)
ROUNDS, CANDIDATES, FEATURES = 5, 10, 10
completed = with_ratios


def cases(quick: bool) -> list[Case]:
    """Return four sizes, without Dask and with one and two workers."""
    size = f"{ROUNDS} × {CANDIDATES} × {FEATURES}"
    sizes = (40, 80) if quick else USERS
    return growing(f"{OURS} learn_users", sizes, lambda n: f"{n:,} users × {size}", learning, told)


def events(seed: int, n_users: int) -> Any:
    """Return presentations of `CANDIDATES` items with a click or two; every user is in all partitions."""
    import numpy as np
    import pandas as pd

    random = np.random.default_rng(seed)
    n = n_users * ROUNDS * CANDIDATES // PARTITIONS
    presented = np.arange(n) // CANDIDATES
    table = pd.DataFrame(random.normal(size=(n, FEATURES)), columns=[f"x{k}" for k in range(FEATURES)])
    return table.assign(
        user=presented % n_users,
        round=presented // n_users * PARTITIONS + seed,
        position=np.arange(n) % CANDIDATES,
        clicked=random.random(n) < 0.15,
    )


def learning(n_users: int, workers: int) -> Timed:
    """Prepare the learning; on a cluster workers hold the events, and exchange them by user in the call."""
    import pandas as pd

    from penchant import scale
    from penchant.coactive import PreferencePerceptron, RankingMap
    from penchant.scale.users import EventColumns, user_weights

    learner = PreferencePerceptron(RankingMap(), FEATURES)
    if not workers:
        table = pd.concat([events(seed, n_users) for seed in range(PARTITIONS)], ignore_index=True)
        names = tuple(f"x{k}" for k in range(FEATURES))
        columns = EventColumns("user", "round", "position", "clicked", names)
        return timed(lambda: len(user_weights(table, learner, columns)))
    import dask
    import dask.dataframe as dd
    from distributed import wait

    client = client_of(workers)
    table = client.persist(
        dd.from_delayed([dask.delayed(events)(seed, n_users) for seed in range(PARTITIONS)])
    )
    wait(table)

    def learn() -> int:
        weights = scale.learn_users(learner, table, client=client)
        wait(weights)
        return len(weights)

    return timed(learn, client)


def told(found: Any) -> Answer:
    """Tell the time, and the number of users."""
    return costs(found) | {"users": f"{found['result']:,}"}
