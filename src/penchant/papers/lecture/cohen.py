"""Paper 3, second worked example: Cohen's greedy ordering, step by step.

The lecture's graph is ordered and drawn; many random graphs show how far the greedy order is from the best one.
"""

from __future__ import annotations

from math import inf
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.orders import (
    agreement,
    cohen_order,
    component_order,
    optimal_order,
)
from penchant.papers.experiment import experiment
from penchant.papers.result import BySize, Estimate, Measured, claim
from penchant.papers.run import Run

if TYPE_CHECKING:
    import pandas as pd

VERTICES = "abcd"
PREFERENCE = np.array([[0, 0, 2, 1], [8, 0, 8, 8], [6, 0, 0, 1], [7, 0, 7, 0]]) / 8
LECTURE_SCORES = np.array(
    [
        [-18 / 8, 3, -10 / 8, 4 / 8],
        [-10 / 8, np.nan, -2 / 8, 12 / 8],
        [-2 / 4, np.nan, 2 / 4, np.nan],
        [0] + [np.nan] * 3,
    ]
)
"""The scores π of a, b, c and d before each step, from the slides."""
LECTURE_ORDER = "bdca"
GRAPHS: BySize[int] = BySize(quick=100, default=2_000, full=20_000)
GRAPH_ITEMS = 8
EXACT = 1e-9
"""Numbers that differ by less are equal."""


CLAIMS = (
    claim(
        "3.unit-preferences",
        "the preferences lie in [0, 1], and those of a pair sum to 1",
        f"least preference > {-EXACT}",
        f"largest preference < {1 + EXACT}",
        f"f(x, x') + f(x', x) less 1, largest < {EXACT}",
        section="Second step: extracting a ranking",
        quote="are scaled to interval [0,1] and satisfy",
    ),
    *(
        claim(
            f"3.cohen-step-{step}",
            f"step {step}: the net preference scores are {scores}, and {vertex} is the most preferred",
            f"step {step}, largest difference from the lecture's scores < {EXACT}",
            f"step {step}, lead of {vertex} > 0",
            section="Cohen's algorithm",
            quote=quote,
        )
        for step, vertex, scores, quote in (
            (1, "b", "−18/8, 3, −10/8 and 4/8", "net preference scores for the full graph"),
            (2, "d", "−10/8, −2/8 and 12/8", "node is again computed: (d)"),
            (3, "c", "−2/4 and 2/4", "The most preferred node is c"),
        )
    ),
    claim(
        "3.cohen-step-4",
        "step 4: one vertex remains, with net preference score 0",
        f"step 4, largest difference from the lecture's scores < {EXACT}",
        section="Cohen's algorithm",
        quote="remains in the graph with net preference score",
    ),
    claim(
        "3.cohen-order",
        "the extracted order is b ≻ d ≻ c ≻ a",
        "places that differ from the lecture's order < 0.5",
        section="Cohen's algorithm",
        quote="The extracted total order is then",
    ),
    claim(
        "3.cohen-update",
        "updating the scores after a deletion gives those of the graph that is left",
        f"updated less recomputed scores, largest < {EXACT}",
        section="Cohen's algorithm",
        quote="updated to reflect the new graph",
    ),
    claim(
        "3.kept-edges",
        "the order keeps the edges that agree with it and ignores the conflicting ones",
        f"{-EXACT} < AGREE less the sum of kept edges < {EXACT}",
        "ignored edges > 0",
        section="Second step: extracting a ranking",
        quote="keeping all edges consistent with the chosen order",
    ),
    claim(
        "3.cycles",
        "predicted preferences can be contradictory, as in a cycle A ≻ B ≻ C ≻ A",
        "share of random graphs with a cycle > 0",
        section="Second step: extracting a ranking",
        quote="These predictions can be contradictory",
    ),
    claim(
        "3.greedy-half",
        "the greedy order approximates the best one: it keeps at least half of what any order can (Cohen et al.)",
        "example: greedy / best > 0.5",
        "random graphs: least greedy / best > 0.5",
        f"random graphs: least greedy / (n(n − 1)/4) > {1 - EXACT}",
        section="Second step: extracting a ranking",
        quote="A approximate solution can be found",
        whose="theorem",
    ),
    claim(
        "3.greedy-approximate",
        "the greedy order is only an approximation: the best is better on some graphs",
        "share of random graphs on which greedy is best < 1",
        section="Second step: extracting a ranking",
        quote="A approximate solution can be found",
    ),
)


@experiment("3.cohen", "the example of Cohen's algorithm", "greedy ordering, step by step", claims=CLAIMS)
def cohen_example(run: Run) -> Measured:
    """Order the lecture's graph step by step, and many random graphs of eight vertices beside the best order.

    Random preferences are uniform on [0, 1] with f(x, x') + f(x', x) = 1.
    """
    began = process_time()
    order, scores = cohen_order(PREFERENCE, return_scores=True)
    parts = np.array_split(np.arange(GRAPHS[run.size]), 20)
    graphs = np.concatenate(run.each(_graphs, [(run.seed, part) for part in parts]))
    greedy, component, best, drawn = graphs[:, :4].T
    numbers: dict[str, Estimate | float] = {
        **_example_numbers(order, scores),
        "random graphs: greedy / best": Estimate.of(greedy / best),
        "random graphs: components / best": Estimate.of(component / best),
        "random graphs: a random order / best": Estimate.of(drawn / best),
        "random graphs: least greedy / best": (greedy / best).min(),
        "random graphs: least greedy / (n(n − 1)/4)": greedy.min() / (GRAPH_ITEMS * (GRAPH_ITEMS - 1) / 4),
        "share of random graphs on which greedy is best": Estimate.of(
            (greedy > best - EXACT).astype(np.float64)
        ),
        "share of random graphs with a cycle": Estimate.of(graphs[:, 4]),
    }
    return Measured(
        f"the lecture's graph of four vertices, and {GRAPHS[run.size]:,} random graphs of {GRAPH_ITEMS}",
        numbers,
        _step_charts(order, scores),
        _steps_frame(order, scores),
        seconds={"orders": process_time() - began},
        tables={"steps": _steps_table(order, scores), "orders": _orders_table(graphs)},
    )


def _graphs(seed: int, numbers: Ints) -> Floats:
    """Return AGREE of the greedy, component, best and a random order of random graphs, and which have a cycle."""
    return np.array([_graph(np.random.default_rng((seed, number))) for number in numbers]).reshape(-1, 5)


def _graph(random: np.random.Generator) -> list[float]:
    upper = np.triu(random.random((GRAPH_ITEMS, GRAPH_ITEMS)), 1)
    F = upper + np.tril(1 - upper.T, -1)
    best = optimal_order(F)
    orders = cohen_order(F), component_order(F), best, random.permutation(GRAPH_ITEMS)
    cyclic = bool(
        np.tril(F[np.ix_(best, best)] > 0.5, -1).any()
    )  # without a cycle the best order ignores no majority
    return [*(agreement(order, F) for order in orders), float(cyclic)]


def _example_numbers(order: Ints, scores: Floats) -> dict[str, float]:
    off = ~np.eye(len(VERTICES), dtype=bool)
    kept = float(np.triu(PREFERENCE[np.ix_(order, order)], 1).sum())
    agree = agreement(order, PREFERENCE)
    numbers = {
        "least preference": PREFERENCE[off].min(),
        "largest preference": PREFERENCE[off].max(),
        "f(x, x') + f(x', x) less 1, largest": np.abs(PREFERENCE + PREFERENCE.T - 1)[off].max(),
        "updated less recomputed scores, largest": max(
            float(np.nanmax(np.abs(row - _recomputed(order[step:])))) for step, row in enumerate(scores)
        ),
        "places that differ from the lecture's order": sum(
            VERTICES[ours] != theirs for ours, theirs in zip(order, LECTURE_ORDER, strict=True)
        ),
        "AGREE": agree,
        "AGREE less the sum of kept edges": agree - kept,
        "ignored edges": PREFERENCE[off].sum() - kept,
        "example: greedy / best": agree / agreement(optimal_order(PREFERENCE), PREFERENCE),
    }
    for step, (row, lecture) in enumerate(zip(scores, LECTURE_SCORES, strict=True), 1):
        numbers[f"step {step}, largest difference from the lecture's scores"] = _apart(row, lecture)
    for step, vertex in enumerate(LECTURE_ORDER[:-1], 1):
        row, ahead = scores[step - 1], VERTICES.index(vertex)
        numbers[f"step {step}, lead of {vertex}"] = row[ahead] - np.nanmax(np.delete(row, ahead))
    return numbers


def _apart(ours: Floats, theirs: Floats) -> float:
    """Return the largest difference, infinite if the remaining vertices differ."""
    same = (np.isnan(ours) == np.isnan(theirs)).all()
    return float(np.nanmax(np.abs(ours - theirs))) if same else inf


def _recomputed(left: Ints) -> Floats:
    """Return the scores π of the remaining vertices by definition, NaN for the others."""
    scores = np.full(len(VERTICES), np.nan)
    inside = PREFERENCE[np.ix_(left, left)]
    scores[left] = inside.sum(axis=1) - inside.sum(axis=0)
    return scores


def _step_charts(order: Ints, scores: Floats) -> dict[str, Any]:
    from penchant.plots.preference_graph import preference_graph_chart

    charts = {
        f"step {step + 1}": preference_graph_chart(
            PREFERENCE,
            VERTICES,
            scores=row,
            chosen=int(order[step]),
            gone=order[:step].tolist(),
            title=f"Step {step + 1}: {VERTICES[order[step]]} is taken",
            subtitle="beside each vertex its net preference score π",
        )
        for step, row in enumerate(scores)
    }
    kept = np.where(np.triu(np.ones_like(PREFERENCE), 1), PREFERENCE[np.ix_(order, order)], 0)
    back = np.argsort(order)
    agree, most = (agreement(found, PREFERENCE) for found in (order, optimal_order(PREFERENCE)))
    charts["order"] = preference_graph_chart(
        kept[np.ix_(back, back)],
        VERTICES,
        title="The order: " + ", ".join(VERTICES[item] for item in order),
        subtitle=f"the edges that it keeps: AGREE {agree:g} of at most {most:g}",
    )
    return charts


def _steps_frame(order: Ints, scores: Floats) -> pd.DataFrame:
    import pandas as pd

    rows = [
        {"step": step + 1, "vertex": vertex, "net preference": score, "taken": item == order[step]}
        for step, row in enumerate(scores)
        for item, (vertex, score) in enumerate(zip(VERTICES, row, strict=True))
        if not np.isnan(score)
    ]
    return pd.DataFrame(rows)


def _steps_table(order: Ints, scores: Floats) -> pd.DataFrame:
    import pandas as pd

    columns = {
        f"π({vertex})": ["" if np.isnan(score) else f"{score:g}" for score in scores[:, item]]
        for item, vertex in enumerate(VERTICES)
    }
    taken = [VERTICES[item] for item in order]
    return pd.DataFrame({"step": range(1, len(order) + 1)} | columns | {"taken": taken})


def _orders_table(graphs: Floats) -> pd.DataFrame:
    import pandas as pd

    best = graphs[:, 2]
    example = [
        agreement(order, PREFERENCE)
        for order in (cohen_order(PREFERENCE), component_order(PREFERENCE), optimal_order(PREFERENCE))
    ]
    return pd.DataFrame(
        {
            "order": ["greedy", "by components", "best", "random"],
            "AGREE in the example": [*(f"{value:g}" for value in example), "3 on average"],
            "AGREE / best, random graphs": [repr(Estimate.of(graphs[:, k] / best)) for k in range(4)],
            "least": [round(float((graphs[:, k] / best).min()), 3) for k in range(4)],
            "is best": [f"{100 * (graphs[:, k] > best - EXACT).mean():.1f} %" for k in range(4)],
        }
    )
