"""Rankings from judges of whom some do not look: speed, and how near the order is to the truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import Answer, Case

QUESTION = "How fast and how right are rankings with spammers among the judges, beside crowd-kit's NoisyBradleyTerry?"

CROWD_KIT = ("crowd-kit>=1.4.2", "scipy")


def cases(quick: bool) -> list[Case]:
    """Return few judges with many answers, and many judges with three answers each."""
    worlds = 3 if quick else 20
    few, many = (worlds, 20, 40, 25), (worlds, 20, 300, 3)
    called = {
        few: f"{worlds} worlds: 20 items, 40 judges × 25, 12 of them spammers",
        many: f"{worlds} worlds: 20 items, 300 judges × 3, 90 of them spammers",
    }
    found = []
    for size, what in called.items():
        found += [
            Case(what=what, prepare=lambda size=size: crowd(*size), answer=judged(*size)),
            Case(
                who="Penchant, plain Bradley–Terry",
                what=what,
                prepare=lambda size=size: plain(*size),
                answer=judged(*size),
                cannot="takes all judges to be alike",
            ),
            Case(
                who="crowd-kit NoisyBradleyTerry",
                what=what,
                requires=CROWD_KIT,
                prepare=lambda size=size: noisy(*size),
                answer=judged(*size),
                cannot="no intervals",
                warm=3,
            ),
        ]
    return found


def world(seed: int, n_items: int, n_judges: int, each: int) -> dict[str, Any]:
    """Return true worths and the answers of judges; three in ten are spammers, half of whom always take the left."""
    import numpy as np

    random = np.random.default_rng(seed)
    worth = random.standard_normal(n_items)
    judge = np.repeat(np.arange(n_judges), each)
    left = random.integers(0, n_items, len(judge))
    right = (left + random.integers(1, n_items, len(judge))) % n_items
    chance = 1 / (1 + np.exp(worth[right] - worth[left]))
    kind = judge % 10
    chance = np.where(kind == 0, 0.5, np.where(kind == 1, 0.95, np.where(kind == 2, 0.5, chance)))
    won = random.random(len(judge)) < chance
    return {"worth": worth, "judge": judge, "left": left, "right": right, "won": won}


def crowd(worlds: int, n_items: int, n_judges: int, each: int) -> Callable[[], object]:
    """Prepare Penchant's row, which learns the judges."""
    from penchant.worth import CrowdBradleyTerry

    return fitted(CrowdBradleyTerry, worlds, n_items, n_judges, each)


def plain(worlds: int, n_items: int, n_judges: int, each: int) -> Callable[[], object]:
    """Prepare the row that takes all judges to be alike."""
    from penchant.worth import BradleyTerry

    return fitted(BradleyTerry, worlds, n_items, n_judges, each)


def fitted(model: Any, worlds: int, n_items: int, n_judges: int, each: int) -> Callable[[], object]:
    """Return the call that fits a model to each world and gives the scores."""
    import numpy as np

    from penchant import Preferences

    sides = np.array(["right", "left"])
    data = [world(seed, n_items, n_judges, each) for seed in range(worlds)]

    def scores() -> list[Any]:
        found = []
        for given in data:
            preferences = Preferences.from_answers(
                given["left"],
                given["right"],
                sides[given["won"].astype(int)].tolist(),
                judge=given["judge"],
                items=range(n_items),
            )
            found.append(model().fit(preferences).scores_)
        return found

    return scores


def noisy(worlds: int, n_items: int, n_judges: int, each: int) -> Callable[[], object]:
    """Prepare crowd-kit's row."""
    import numpy as np
    import pandas as pd
    from crowdkit.aggregation import NoisyBradleyTerry  # type: ignore[import-not-found]

    frames = []
    for seed in range(worlds):
        given = world(seed, n_items, n_judges, each)
        label = np.where(given["won"], given["left"], given["right"])
        columns = {"worker": given["judge"], "left": given["left"], "right": given["right"], "label": label}
        frames.append(pd.DataFrame(columns))
    return lambda: [
        NoisyBradleyTerry().fit_predict(frame).reindex(range(n_items)).to_numpy() for frame in frames
    ]


def judged(worlds: int, n_items: int, n_judges: int, each: int) -> Callable[[Any], Answer]:
    """Return the mean of Kendall's correlation with the truth, and its standard error."""

    def answer(scores: Any) -> Answer:
        import numpy as np
        from scipy.stats import kendalltau

        found = [
            kendalltau(world(seed, n_items, n_judges, each)["worth"], given).statistic
            for seed, given in enumerate(scores)
        ]
        return {
            "kendall": round(float(np.mean(found)), 3),
            "± se": round(float(np.std(found) / len(found) ** 0.5), 3),
        }

    return answer
