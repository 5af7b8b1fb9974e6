"""Repetitions of paper 4's case study in several ways, and the numbers, charts and tables of their accuracies."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Floats
from penchant.errors import PenchantWarning
from penchant.papers.monotone.simulation import COMPARISONS, KINDS, PAPER, Repetition
from penchant.papers.result import Estimate, Measured
from penchant.papers.run import Run
from penchant.plots import comparison_chart

if TYPE_CHECKING:
    import pandas as pd

BATCH = 10  # repetitions of a task


def in_batches(
    run: Run, work: Callable[..., Any], ways: Sequence[Any], repetitions: int
) -> tuple[list[list[Any]], float]:
    """Return what ``work(seed, number, way)`` gives in each repetition of each way, and the CPU seconds of all."""
    starts = range(0, repetitions, BATCH)
    tasks = [
        (work, run.seed, first, min(BATCH, repetitions - first), way) for way in ways for first in starts
    ]
    found = run.each(_batch, tasks)
    parts = [found[place : place + len(starts)] for place in range(0, len(found), len(starts))]
    repeated_ways = [[repetition for part, _ in own for repetition in part] for own in parts]
    return repeated_ways, sum(took for _, took in found)


def _batch(work: Callable[..., Any], seed: int, first: int, count: int, way: Any) -> tuple[list[Any], float]:
    began = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)  # a rare draw contradicts monotonicity altogether
        found = [work(seed, number, way) for number in range(first, first + count)]
    return found, process_time() - began


def accuracy(runs: Sequence[Repetition]) -> Floats:
    """Return the accuracy of each utility on each kind of pair, shape (repetitions, 3, 3)."""
    return np.array([run.accuracy for run in runs])


def table_numbers(runs: Sequence[Repetition]) -> dict[str, Estimate]:
    """Return the cells of the table in percent, the lower ones less the higher, and what else is judged."""
    percent = 100 * accuracy(runs)
    numbers = {
        f"{name}, {kind}": Estimate.of(percent[:, row, column])
        for row, name in enumerate(PAPER)
        for column, kind in enumerate(KINDS)
    }
    for row, name in enumerate(PAPER):
        numbers[f"{name}, dominated, in the worst repetition"] = Estimate(float(percent[:, row, 0].min()))
    numbers["overall, f_MAP less y"] = Estimate.of(percent[:, 0, 2] - percent[:, 1, 2])
    numbers["overall, y less f_lin"] = Estimate.of(percent[:, 1, 2] - percent[:, 2, 2])
    for label, parts in (("seen", [run.seen for run in runs]), ("unseen", [run.unseen for run in runs])):
        of_pairs = 100 * np.array(parts)[:, :, 2]
        for row, name in enumerate(PAPER):
            numbers[f"{label} pairs, {name}"] = Estimate.of(of_pairs[:, row])
        numbers[f"{label} pairs, f_MAP less y"] = Estimate.of(of_pairs[:, 0] - of_pairs[:, 1])
        numbers[f"{label} pairs, y less f_lin"] = Estimate.of(of_pairs[:, 1] - of_pairs[:, 2])
    out_of_order = sum(not run.in_order for run in runs)
    numbers["repetitions with likelihoods out of order"] = Estimate(float(out_of_order))
    wrong = np.array([run.lowest < 0 for run in runs], dtype=np.float64)
    numbers["f_MAP, share of repetitions with a wrong slope"] = Estimate.of(wrong)
    numbers["y, least slope that is proven"] = Estimate(min(run.proven for run in runs))
    numbers["α̃"] = Estimate.of(np.array([run.alpha for run in runs]))
    return numbers


def table_measured(
    ways: Mapping[str, Sequence[Repetition]],
    numbers: Mapping[str, Estimate],
    seconds: Mapping[str, float],
) -> Measured:
    """Return what was measured, with the paper's table beside that of each way."""
    import pandas as pd

    rows = [
        (way, number, name, *(100 * repetition.accuracy[place]), repetition.alpha)
        for way, repetitions in ways.items()
        for number, repetition in enumerate(repetitions)
        for place, name in enumerate(PAPER)
    ]
    frame = pd.DataFrame(rows, columns=["way", "repetition", "name", *KINDS, "α̃"])
    return Measured(
        f"{len(next(iter(ways.values()))):,} repetitions of {COMPARISONS} drawn comparisons of 25 items",
        numbers,
        {"pairs put right": _beside(ways)},
        frame,
        seconds,
        tables={"percent of pairs put right": _table(ways), "seen and unseen pairs": _seen_table(ways)},
    )


def _seen_table(ways: Mapping[str, Sequence[Repetition]]) -> pd.DataFrame:
    """Return the percentage put right of pairs that were compared and of the others, by kind."""
    import pandas as pd

    rows = []
    for way, runs in ways.items():
        for pairs, parts in (("seen", [run.seen for run in runs]), ("unseen", [run.unseen for run in runs])):
            right = 100 * np.nanmean(np.array(parts), axis=0)
            rows += [
                (pairs, name, way, *(f"{share:.2f}" for share in right[row]))
                for row, name in enumerate(PAPER)
            ]
    return pd.DataFrame(rows, columns=["pairs", "utility", "settings", *KINDS])


def _beside(ways: Mapping[str, Sequence[Repetition]]) -> Any:
    """Draw the table: each kind of pair and each way, with the paper's own figures first."""
    outcomes: dict[str, dict[str, Floats]] = {}
    for column, kind in enumerate(KINDS):
        outcomes[f"{kind}, the paper"] = {name: np.array([row[column]]) for name, row in PAPER.items()}
        for way, runs in ways.items():
            right = 100 * accuracy(runs)[:, :, column]
            outcomes[f"{kind}, {way}"] = {name: right[:, row] for row, name in enumerate(PAPER)}
    return comparison_chart(
        outcomes,
        x="percent of pairs put right",
        title="What monotonicity costs and gains",
        subtitle="mean over repetitions ± one standard error",
    )


def _table(ways: Mapping[str, Sequence[Repetition]]) -> pd.DataFrame:
    """Return the paper's table and ours side by side, with standard errors."""
    import pandas as pd

    rows = {}
    for place, (name, cells_of_paper) in enumerate(PAPER.items()):
        rows[name, "the paper"] = [f"{share:.2f}" for share in cells_of_paper]
        for way, runs in ways.items():
            cells = [Estimate.of(100 * accuracy(runs)[:, place, column]) for column in range(len(KINDS))]
            rows[name, f"ours, {way}"] = [f"{cell.value:.2f} ± {cell.error:.2f}" for cell in cells]
    index = pd.MultiIndex.from_tuples(rows, names=["utility", "by"])
    return pd.DataFrame(list(rows.values()), index=index, columns=list(KINDS))
