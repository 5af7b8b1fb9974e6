"""How cost grows: the same work at four sizes, each four times the one before, beside a peer that does it too."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from benchmarks import bradley_terry, kendall, ordinal, preference_gp, rank_boost, rank_svm
from benchmarks.case import OURS, Case
from benchmarks.queries import DOCUMENTS, EASY, FEATURES, documents
from benchmarks.trees import LIGHTGBM, lightgbm

QUESTION = "How does the cost of a fit grow over four sizes, beside one peer each?"

FACTOR, SIZES = 4, 4
ITEMS, ROUNDS, WIDTH = 200, 100, 20

Prepare = Callable[[int], Callable[[], object]]


class Growing(NamedTuple):
    """Work of any size: what it is called at a size, the smallest one, ours, and the peer's.

    Attributes
    ----------
    what : str
        With the size in braces.
    least, quick : int
        The smallest size, and that of a quick run.
    """

    what: str
    least: int
    quick: int
    ours: Prepare
    who: str
    requires: tuple[str, ...]
    theirs: Prepare


GROWING = (
    Growing(
        f"BradleyTerry, {ITEMS:,} items × {{:,}} comparisons",
        62_500,
        5_000,
        partial(bradley_terry.penchant, ITEMS),
        "evalica",
        bradley_terry.EVALICA,
        partial(bradley_terry.evalica, ITEMS),
    ),
    Growing(
        f"RankSVM, {{:,}} queries × {DOCUMENTS} × {FEATURES}",
        100,
        2,
        lambda n: rank_svm.penchant(EASY, n, "squared_hinge"),
        "LinearSVC, pairs",
        (),
        partial(rank_svm.linear_svc, EASY),
    ),
    Growing(
        f"RankBoost, {ROUNDS} rounds, {{:,}} queries × {DOCUMENTS} × {FEATURES}",
        100,
        2,
        lambda n: rank_boost.penchant(n, ROUNDS),
        "LightGBM lambdarank, 2 leaves",
        LIGHTGBM,
        lambda n: lightgbm(documents(EASY, n), ROUNDS, num_leaves=2),
    ),
    Growing(
        f"OrdinalRegression, {{:,}} rows × {WIDTH}",
        2_000,
        200,
        lambda n: ordinal.penchant(n, WIDTH),
        "mord LogisticAT",
        ordinal.MORD,
        lambda n: ordinal.mord(n, WIDTH),
    ),
    Growing(
        "PreferenceGP, kernel given, {:,} items × 4 pairs",
        50,
        10,
        lambda n: preference_gp.penchant(n, preference_gp.AN_ITEM * n, inference="laplace", optimizer=None),
        "BoTorch PairwiseGP",
        preference_gp.BOTORCH,
        lambda n: preference_gp.botorch(n, preference_gp.AN_ITEM * n, learn=False),
    ),
    Growing(
        "Kendall's distance, {:,} items",
        20_000,
        1_000,
        kendall.penchant,
        "SciPy kendalltau",
        (),
        kendall.scipy,
    ),
)


def cases(quick: bool) -> list[Case]:
    """Return each work at its sizes, ours beside the peer's."""
    found = []
    for work in GROWING:
        for step in range(SIZES):
            size = (work.quick if quick else work.least) * FACTOR**step
            what = work.what.format(size)
            found += [
                Case(what=what, prepare=partial(work.ours, size)),
                Case(who=work.who, what=what, requires=work.requires, prepare=partial(work.theirs, size)),
            ]
    return found


def completed(rows: list[dict[str, Any]]) -> None:
    """Add to each row but the smallest of a work the power of the size with which its cost has grown."""
    for work in GROWING:
        head, _, tail = work.what.partition("{:,}")
        for who in (OURS, work.who):
            own = {
                int(row["what"].removeprefix(head).removesuffix(tail).replace(",", "")): row
                for row in rows
                if row["who"] == who and row["what"].startswith(head) and row["what"].endswith(tail)
            }
            for small, large in pairwise(sorted(own)):
                power = math.log(own[large]["cpu"] / own[small]["cpu"]) / math.log(large / small)
                own[large]["answer"]["grows with the power"] = f"{power:.2f}"
