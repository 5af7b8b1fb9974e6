"""Bradley–Terry scores from comparisons: from two columns, of integers or of strings, to the most likely scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import Answer, Case
from benchmarks.games import accuracy, games, names, totals

QUESTION = "How fast are Bradley–Terry scores without a prior, beside evalica, SciPy and choix?"

EVALICA = ("evalica>=0.4.2",)
CHOIX = ("choix>=0.4.1", "scipy")


def cases(quick: bool) -> list[Case]:
    """Return indices and two forms of strings at a medium size, then indices at a large one."""
    n, m = (100, 20_000) if quick else (1_000, 1_000_000)
    large = (1_000, 100_000) if quick else (10_000, 5_000_000)
    indices, strings, frame, many = (
        f"{n:,} items × {m:,}, indices",
        "the same, two lists of strings",
        "the same, a pandas frame of strings",
        f"{large[0]:,} items × {large[1]:,}, indices",
    )
    evalica_as_well = "n × n matrix; stops by step, not gradient"
    return [
        Case(what=indices, prepare=lambda: penchant(n, m), answer=ours(n, m)),
        Case(
            who="evalica",
            what=indices,
            requires=EVALICA,
            prepare=lambda: evalica(n, m),
            answer=theirs(n, m),
            cannot=evalica_as_well,
        ),
        Case(
            who="SciPy, Newton and cg",
            what=indices,
            prepare=lambda: newton_cg(n, m),
            answer=plain(n, m),
            cannot="no check that a maximum exists",
        ),
        Case(
            who="choix ilsr_pairwise",
            what=indices,
            requires=CHOIX,
            prepare=lambda: choix(n, m),
            answer=plain(n, m),
            cannot="list of pairs only; not timed: making it",
        ),
        Case(what=strings, prepare=lambda: penchant_lists(n, m), answer=ours(n, m)),
        Case(
            who="evalica",
            what=strings,
            requires=EVALICA,
            prepare=lambda: evalica_strings(n, m, "lists"),
            answer=theirs(n, m),
        ),
        Case(what=frame, prepare=lambda: penchant_frame(n, m), answer=ours(n, m)),
        Case(
            who="evalica",
            what=frame,
            requires=EVALICA,
            prepare=lambda: evalica_strings(n, m, "frame"),
            answer=theirs(n, m),
        ),
        Case(what=many, prepare=lambda: penchant(*large), answer=ours(*large)),
        Case(
            who="evalica",
            what=many,
            requires=EVALICA,
            prepare=lambda: evalica(*large),
            answer=theirs(*large),
            cannot=evalica_as_well,
        ),
    ]


def penchant(n: int, m: int) -> Callable[[], object]:
    """Prepare Penchant's row for indices."""
    from penchant import Preferences
    from penchant.worth import BradleyTerry

    better, worse = games(n, m)
    columns = {"better": better, "worse": worse}
    return lambda: BradleyTerry(prior=0).fit(
        Preferences.from_frame(columns, better="better", worse="worse", items=range(n))
    )


def penchant_lists(n: int, m: int) -> Callable[[], object]:
    """Prepare Penchant's row for two lists of strings."""
    from penchant import Preferences
    from penchant.worth import BradleyTerry

    better, worse = (names(n)[column].tolist() for column in games(n, m))
    columns = {"better": better, "worse": worse}
    return lambda: BradleyTerry(prior=0).fit(Preferences.from_frame(columns, better="better", worse="worse"))


def penchant_frame(n: int, m: int) -> Callable[[], object]:
    """Prepare Penchant's row for a frame."""
    from penchant import Preferences
    from penchant.worth import BradleyTerry

    frame = frame_of(n, m)
    return lambda: BradleyTerry(prior=0).fit(Preferences.from_frame(frame, better="winner", worse="loser"))


def frame_of(n: int, m: int) -> Any:
    """Return the comparisons as two columns of a pandas frame, as a reader of CSV would."""
    import pandas as pd

    return pd.DataFrame(
        {"winner": names(n)[games(n, m)[0]], "loser": names(n)[games(n, m)[1]]}
    ).convert_dtypes()


def evalica(n: int, m: int) -> Callable[[], object]:
    """Prepare evalica's row for indices, which an index of the same numbers passes through."""
    import numpy as np
    import pandas as pd
    from evalica import bradley_terry  # type: ignore[import-not-found]

    better, worse = games(n, m)
    return lambda: bradley_terry(better, worse, np.ones(m, dtype=np.uint8), index=pd.RangeIndex(n))


def evalica_strings(n: int, m: int, form: str) -> Callable[[], object]:
    """Prepare evalica's row for strings in two lists or in a frame."""
    import numpy as np
    from evalica import bradley_terry

    if form == "frame":
        frame = frame_of(n, m)
        better, worse = frame["winner"], frame["loser"]
    else:
        better, worse = (names(n)[column].tolist() for column in games(n, m))
    return lambda: bradley_terry(better, worse, np.ones(m, dtype=np.uint8))


def newton_cg(n: int, m: int) -> Callable[[], object]:
    """Prepare SciPy's row: totals of pairs in a sparse matrix, and Newton's steps by its conjugate gradients."""
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import LinearOperator, cg
    from scipy.special import expit

    better, worse = games(n, m)

    def scores() -> Any:
        first, second, won, met = totals(better, worse, n)
        bends = coo_array((met, (first, second)), shape=(n, n)).tocsr()
        worth, ones = np.zeros(n), np.ones(n)
        for _ in range(50):
            share = expit(worth[first] - worth[second])
            left = won - met * share
            slope = np.bincount(first, left, n) - np.bincount(second, left, n)
            if np.abs(slope).max() <= 1e-8:
                break
            bends.data = met * share * (1 - share)
            pull = bends @ ones + bends.T @ ones
            curvature = LinearOperator((n, n), lambda v: pull * v - bends @ v - bends.T @ v)  # noqa: B023
            step, _ = cg(curvature, slope, rtol=1e-4, M=LinearOperator((n, n), lambda v: v / pull))  # noqa: B023
            worth = worth + step - step.mean()
        return worth

    return scores


def choix(n: int, m: int) -> Callable[[], object]:
    """Prepare choix's row."""
    import numpy as np
    from choix import ilsr_pairwise  # type: ignore[import-not-found]

    pairs = np.column_stack(games(n, m)).tolist()
    return lambda: ilsr_pairwise(n, pairs)


def ours(n: int, m: int) -> Callable[[Any], Answer]:
    """Judge Penchant's scores, whose ids are sorted as text where they are strings."""
    return lambda model: accuracy(model.scores_[places(model.items_)], *games(n, m))


def theirs(n: int, m: int) -> Callable[[Any], Answer]:
    """Judge evalica's scores, which are e to the power of ours and sorted by size."""
    import math

    return lambda result: accuracy(
        result.scores.map(math.log).to_numpy()[places(result.scores.index)], *games(n, m)
    )


def plain(n: int, m: int) -> Callable[[Any], Answer]:
    """Judge scores in the order of the indices."""
    return lambda scores: accuracy(scores, *games(n, m))


def places(ids: Any) -> Any:
    """Return where the items 0, 1, 2 … stand, whose ids are their numbers, or end with them."""
    import numpy as np

    return np.argsort([int(str(name).removeprefix("item-")) for name in ids])
