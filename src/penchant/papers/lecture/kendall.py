"""Paper 3, first worked example: distances between a predicted and the true ranking.

The lecture's counts are repeated and drawn, and checked on all rankings of five objects.
"""

from __future__ import annotations

from itertools import combinations, permutations
from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from penchant.checks import Ints
from penchant.orders import (
    discounted_error,
    kendall_distance,
    position_error,
    ranks_from_order,
    spearman_footrule,
)
from penchant.papers.experiment import experiment
from penchant.papers.result import Measured, claim
from penchant.papers.run import Run

if TYPE_CHECKING:
    import pandas as pd

OBJECTS = "ABCDE"
TRUE, PREDICTED = "EBCAD", "ABECD"
INVERTED = {"AB", "AE", "AC", "BE"}
DISTANCES = ("Kendall's distance", "Spearman's footrule", "position error", "discounted error")


CLAIMS = (
    claim(
        "3.inverted-pairs",
        "the predicted ranking inverts the pairs (A, B), (A, E), (A, C) and (B, E)",
        "inverted pairs that the lecture names > 3.5",
        "other inverted pairs < 0.5",
        section="Kendall's distance",
        quote="has four inverted pairs",
    ),
    claim(
        "3.kendall-four",
        "Kendall's distance of the two is 4",
        "3.5 < Kendall's distance < 4.5",
        section="Kendall's distance",
        quote="Kendall's distance $d_K(\\sigma, \\sigma') = 4$",
    ),
    claim(
        "3.kendall-range",
        "Kendall's distance lies between 0 and m(m − 1)/2",
        "-0.5 < least Kendall's distance of all rankings < 0.5",
        "-0.5 < largest Kendall's distance less m(m − 1)/2 < 0.5",
        section="Kendall's distance",
        quote="takes values between",
    ),
    claim(
        "3.position-error",
        "the position error is the number of wrong objects before the target",
        "position error less a count, largest < 0.5",
        section="Other loss functions for ranking",
        quote="wrong items that are predicted before the target item",
    ),
    claim(
        "3.discounted-error",
        "the discounted error weighs an error less the lower the object truly ranks",
        "discounted error, last two swapped / first two < 1",
        section="Other loss functions for ranking",
        quote="down-weights ranking errors of items with a lower true rank",
    ),
)


@experiment("3.kendall", "the example of Kendall's distance", "inverted pairs, drawn", claims=CLAIMS)
def kendall_example(run: Run) -> Measured:
    """Compare the lecture's two rankings by each of its distances, and all rankings of five objects.

    Examples
    --------
    >>> kendall_example(Run()).numbers["Kendall's distance"]
    4.0
    """
    from penchant.plots.crossings import crossings_chart

    began = process_time()
    true, predicted = _ranks(TRUE), _ranks(PREDICTED)
    rankings = [_distances(true, np.array(ranking) + 1) for ranking in permutations(range(len(OBJECTS)))]
    inverted = {a + b for a, b in combinations(OBJECTS, 2) if _inverted(true, predicted, a, b)}
    ours = _distances(true, predicted)
    largest = len(OBJECTS) * (len(OBJECTS) - 1) / 2
    kendall = [row["Kendall's distance"] for row in rankings]
    counted = max(abs(row["position error"] - row["objects before the target"]) for row in rankings)
    last, first = (_distances(true, _swapped(true, rank))["discounted error"] for rank in (4, 1))
    numbers = {
        "inverted pairs that the lecture names": len(inverted & INVERTED),
        "other inverted pairs": len(inverted - INVERTED),
        **{name: ours[name] for name in DISTANCES},
        "least Kendall's distance of all rankings": min(kendall),
        "largest Kendall's distance less m(m − 1)/2": max(kendall) - largest,
        "position error less a count, largest": counted,
        "discounted error, last two swapped / first two": last / first,
    }
    chart = crossings_chart(
        predicted,
        true,
        OBJECTS,
        title="Each crossing is an inverted pair",
        subtitle=", ".join(f"{name} {ours[name]:.3g}" for name in DISTANCES),
    )
    return Measured(
        "the lecture's rankings of five objects, and all 120 rankings of them",
        numbers,
        {"inverted pairs": chart},
        _kendall_frame(true, predicted),
        seconds={"counting": process_time() - began},
        tables={"distances": _distance_table(ours, rankings)},
    )


def _ranks(order: str) -> Ints:
    return ranks_from_order([OBJECTS.index(item) for item in order])


def _swapped(ranks: Ints, rank: int) -> Ints:
    """Exchange the objects at a rank and the next."""
    return np.where(ranks == rank, rank + 1, np.where(ranks == rank + 1, rank, ranks))


def _inverted(true: Ints, predicted: Ints, a: str, b: str) -> bool:
    i, j = OBJECTS.index(a), OBJECTS.index(b)
    return bool((true[i] - true[j]) * (predicted[i] - predicted[j]) < 0)


def _distances(true: Ints, predicted: Ints) -> dict[str, float]:
    target = predicted[true == 1][0]
    return {
        "Kendall's distance": float(kendall_distance(true, predicted)),
        "Spearman's footrule": float(spearman_footrule(true, predicted)),
        "position error": float(position_error(true, predicted)),
        "discounted error": discounted_error(true, predicted),
        "objects before the target": float((predicted < target).sum()),
    }


def _distance_table(ours: dict[str, float], rankings: list[dict[str, float]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        {
            "distance": DISTANCES,
            "the lecture": ["4", "", "", ""],
            "here": [round(ours[name], 3) for name in DISTANCES],
            "mean of all rankings": [
                round(float(np.mean([row[name] for row in rankings])), 3) for name in DISTANCES
            ],
            "largest": [round(max(row[name] for row in rankings), 3) for name in DISTANCES],
        }
    )


def _kendall_frame(true: Ints, predicted: Ints) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({"object": list(OBJECTS), "predicted rank": predicted, "true rank": true})
