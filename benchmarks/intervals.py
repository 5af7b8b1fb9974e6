"""How sure a score is: intervals from the curvature, beside resampling and beside an n × n inverse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import OURS, Answer, Case
from benchmarks.games import games, names, worths

QUESTION = "What do 95 % intervals of Bradley–Terry scores cost, beside evalica's bootstrap and arena-rank?"

EVALICA = ("evalica>=0.4.2",)
ARENA_RANK = ("arena-rank>=0.1.1",)
SAMPLED = f"{OURS}, sampled"


def cases(quick: bool) -> list[Case]:
    """Return few comparisons, many, the intervals counted in fits, and more items than a matrix could hold."""
    few = (20, 400) if quick else (50, 4_000)
    many = (100, 20_000) if quick else (1_000, 1_000_000)
    huge = (3_500, 50_000) if quick else (10_000, 5_000_000)
    sizes = [f"{n:,} items × {m:,}" for n, m in (few, many, huge)]
    fits = f"{sizes[1]}, counted in fits"
    jackknife = f"its default refits once for each of {many[1]:,} comparisons"
    return [
        Case(what=sizes[0], prepare=lambda: penchant(*few), answer=ours),
        Case(
            who="evalica bootstrap",
            what=sizes[0],
            requires=EVALICA,
            prepare=lambda: evalica(*few),
            answer=of_evalica,
        ),
        Case(
            who="arena-rank",
            what=sizes[0],
            requires=ARENA_RANK,
            prepare=lambda: arena_rank(*few),
            answer=of_arena_rank,
        ),
        Case(what=sizes[1], prepare=lambda: penchant(*many), answer=ours),
        Case(who="evalica bootstrap", what=sizes[1], cannot=jackknife),
        Case(
            who="arena-rank",
            what=sizes[1],
            requires=ARENA_RANK,
            prepare=lambda: arena_rank(*many),
            answer=of_arena_rank,
            limit=120,
        ),
        Case(what=fits, prepare=lambda: fitted(*many)),
        Case(who=f"{OURS}, intervals alone", what=fits, prepare=lambda: intervals_alone(*many), answer=ours),
        Case(what=sizes[2], prepare=lambda: penchant(*huge), answer=ours),
        Case(
            who="arena-rank",
            what=sizes[2],
            requires=ARENA_RANK,
            prepare=lambda: arena_rank(*huge),
            answer=of_arena_rank,
            limit=120,
        ),
        *(case for answers in (4, 12, 60, 500) for case in off(300 if quick else 2_500, answers)),
    ]


def off(n: int, answers: int) -> list[Case]:
    """Return the inverse written out and the sampled one at a size at which both can be had."""
    what = f"{n:,} items × {n * answers // 2:,}, intervals alone"
    return [
        Case(what=what, prepare=lambda: intervals_alone(n, n * answers // 2, prior=0.1)),
        Case(who=SAMPLED, what=what, prepare=lambda: sampled(n, n * answers // 2), answer=error),
    ]


def fitted(n: int, m: int, prior: float = 0.0) -> Callable[[], Any]:
    """Prepare the fit alone, from two columns of integers."""
    import numpy as np

    from penchant import Preferences
    from penchant.worth import BradleyTerry

    better, worse = games(n, m)
    return lambda: BradleyTerry(prior=prior).fit(
        Preferences.from_pairs(np.column_stack([better, worse]), items=range(n))
    )


def penchant(n: int, m: int) -> Callable[[], object]:
    """Prepare the fit and its intervals."""
    model = fitted(n, m)
    return lambda: model().interval()


def intervals_alone(n: int, m: int, prior: float = 0.0) -> Callable[[], object]:
    """Prepare the intervals of a model that is fitted already, each time worked out anew."""
    model = fitted(n, m, prior)()

    def interval() -> Any:
        vars(model).pop("_posterior", None)
        return model.interval()

    return interval


def sampled(n: int, m: int) -> Callable[[], object]:
    """Prepare the intervals in the way that is used for more items than fit into a matrix."""
    from penchant.worth import paired

    exact = intervals_alone(n, m, prior=0.1)()
    # This row has a process of its own.
    paired.DENSE_ITEMS = 0  # type: ignore[attr-defined]
    drawn = intervals_alone(n, m, prior=0.1)
    return lambda: (exact, drawn())


def error(both: Any) -> Answer:
    """Tell by how much standard deviations from draws are off: usually, and the worst."""
    import numpy as np

    exact, drawn = (np.ptp(interval, axis=1) for interval in both)
    off = np.abs(drawn / exact - 1)
    return {
        "usually off": f"{np.median(off):.2%}",
        "95 % below": f"{np.quantile(off, 0.95):.2%}",
        "worst": f"{off.max():.1%}",
    }


def evalica(n: int, m: int) -> Callable[[], object]:
    """Prepare evalica's bootstrap as it comes: 1,000 resamples and a jackknife."""
    import evalica as library  # type: ignore[import-not-found]

    better, worse = (names(n)[column].tolist() for column in games(n, m))
    winners = [library.Winner.X] * m
    return lambda: library.bootstrap(library.bradley_terry, better, worse, winners, random_state=0)


def arena_rank(n: int, m: int) -> Callable[[], object]:
    """Prepare arena-rank: a frame in, sandwich intervals from an inverse out."""
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry  # type: ignore[import-not-found]
    from arena_rank.utils.data_utils import PairDataset  # type: ignore[import-not-found]

    better, worse = games(n, m)
    frame = pd.DataFrame({"model_a": better, "model_b": worse, "winner": "model_a"})

    def rated() -> Any:
        data = PairDataset.from_pandas(frame)
        told = BradleyTerry(len(data.competitors), scale=1.0, base=2.718281828459045).compute_ratings_and_cis(
            data
        )
        return told | {"rating_lower": [*map(float, told["rating_lower"])]}

    return rated


def ours(interval: Any) -> Answer:
    """Judge Penchant's intervals."""
    return judged(*interval.T)


def of_evalica(result: Any) -> Answer:
    """Judge evalica's intervals, which are of e to the power of the scores and sorted by size."""
    import numpy as np

    number = [int(name.removeprefix("item-")) for name in result.low.index]
    order = np.argsort(number)
    return judged(np.log(result.low.to_numpy()[order]), np.log(result.high.to_numpy()[order]))


def of_arena_rank(told: Any) -> Answer:
    """Judge arena-rank's intervals, told from 1,000."""
    import numpy as np

    return judged(np.asarray(told["rating_lower"]) - 1000, np.asarray(told["rating_upper"]) - 1000)


def judged(lower: Any, upper: Any) -> Answer:
    """Tell how wide the intervals are, and how many hold the worth from which the comparisons came."""
    truth = worths(len(lower))
    return {
        "mean width": f"{(upper - lower).mean():.4f}",
        "hold the truth": f"{((lower <= truth) & (truth <= upper)).mean():.1%}",
    }
