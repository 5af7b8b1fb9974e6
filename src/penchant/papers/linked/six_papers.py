"""Paper 5, Figure 1: beliefs about six linked papers after two answers, and the expected losses of pairs."""

from __future__ import annotations

from itertools import combinations
from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from penchant.checks import Floats
from penchant.papers.experiment import experiment
from penchant.papers.result import Measured, claim
from penchant.papers.run import Run

if TYPE_CHECKING:
    import pandas as pd

NAMES = "abcdef"
"""The papers in their true order."""
A, B, C, D, E, F = range(6)
LINKED = ((A, B), (D, E))
FIRST, SECOND = (B, E), (B, F)
_SAME = 1e-9

CLAIMS = (
    claim(
        "5.links-correlate",
        "papers with an author in common are correlated before any answer, others are not",
        "prior covariance of a and b > 0.1",
        "prior covariance of d and e > 0.1",
        f"largest prior covariance of others < {_SAME}",
        section="2.4",
        quote="should be correlated",
    ),
    claim(
        "5.same-before",
        "before any answer the expected utilities are the same for all papers",
        f"spread of the means before any answer < {_SAME}",
        section="2.4",
        quote="the expected utilities are the same for all entities",
    ),
    claim(
        "5.answer-reflected",
        "after b ≻ e the expected utilities of b and e reflect it",
        "mean of b after b ≻ e > 0.1",
        "mean of e after b ≻ e < -0.1",
        section="2.4",
        quote="clearly shows that the expected utilities of",
    ),
    claim(
        "5.neighbours-change",
        "the expected utilities of a and d change too",
        "mean of a after b ≻ e > 0.05",
        "mean of d after b ≻ e < -0.05",
        section="2.4",
        quote="the preference information propagates through the network",
    ),
    claim(
        "5.smaller-losses",
        "the pairs ad, ae and bd have the smaller expected losses",
        "loss of bd / loss of bc < 1",
        "larger loss of ad, ae / loss of ac < 1",
        "largest loss of ad, ae, bd / smallest of other pairs but be < 1",
        section="2.4",
        quote="have the smaller expected losses",
        changed="two weaker limits were added beside the last one",
    ),
    claim(
        "5.isolated",
        "the isolated papers c and f do not give the largest loss",
        f"loss of cf / largest < {1 - _SAME}",
        section="2.4",
        quote="do not give the largest loss",
    ),
    claim(
        "5.largest-loss",
        "the largest loss is that of the current leader with c and with f, and of no other pair",
        f"loss of bc / largest > {1 - _SAME}",
        f"loss of bf / largest > {1 - _SAME}",
        "1.5 < pairs of the largest loss < 2.5",
        section="2.4",
        quote="beat the current leader",
    ),
    claim(
        "5.six-ranking",
        "after b ≻ f the ranking is the actual one except for the order of a and b",
        "0.5 < pairs in the wrong order after b ≻ f < 1.5",
        "mean of b − mean of a after b ≻ f > 0",
        section="2.4",
        quote="is already very close to the actual one",
    ),
    claim(
        "5.order-of-a",
        "the order of a against c, d, e and f can already be estimated",
        "a against c, d, e, f: in the right order > 3.5",
        section="2.4",
        quote="can already be accurately estimated",
    ),
)


@experiment("5.fig1", "Figure 1", "six papers and two answers", claims=CLAIMS)
def six_papers(run: Run) -> Measured:
    """Draw the beliefs about six linked papers before and after two answers, and the losses."""
    from penchant.ask import expected_loss
    from penchant.gp import LinkedGP

    began = process_time()
    links = np.zeros((6, 6))
    for i, j in LINKED:
        links[i, j] = links[j, i] = 1.0
    prior = LinkedGP().fit(links=links)
    after_one = LinkedGP().fit(links=links).update(*FIRST)
    after_two = LinkedGP().fit(links=links).update(*FIRST).update(*SECOND)
    loss = expected_loss(after_one.mean, after_one.covariance())
    largest = _largest(loss)
    draws = np.random.default_rng(run.seed).multivariate_normal(np.zeros(6), prior.covariance(), 3)
    stages = {"nothing": prior, "b ≻ e": after_one, "b ≻ e, b ≻ f": after_two}
    beliefs = {answers: (model.mean, model.variance()) for answers, model in stages.items()}
    return Measured(
        "six made-up papers of the paper; a and b, and d and e, have an author in common",
        _numbers(beliefs, prior.covariance(), loss, largest),
        _charts(beliefs, prior.covariance(), after_one.covariance(), links, loss, largest, draws),
        _frame(beliefs),
        seconds={"LinkedGP": process_time() - began},
        tables={"utilities": _table(beliefs)},
    )


def _largest(loss: Floats) -> list[tuple[int, int]]:
    rows, columns = np.nonzero(np.triu(loss, 1) >= loss.max() * (1 - _SAME))
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _numbers(
    beliefs: dict[str, tuple[Floats, Floats]], prior: Floats, loss: Floats, largest: list[tuple[int, int]]
) -> dict[str, float]:
    (start, _), (once, _), (twice, _) = beliefs.values()
    smaller, asked = [(A, D), (A, E), (B, D)], [FIRST]
    pairs = list(combinations(range(6), 2))
    others = [pair for pair in pairs if pair not in smaller + asked]
    unlinked = [abs(prior[pair]) for pair in pairs if pair not in LINKED]
    wrong = sum(twice[i] < twice[j] for i, j in pairs)
    return {
        "prior covariance of a and b": prior[A, B],
        "prior covariance of d and e": prior[D, E],
        "largest prior covariance of others": max(unlinked),
        "spread of the means before any answer": np.ptp(start),
        **{f"mean of {NAMES[item]} after b ≻ e": once[item] for item in (A, B, D, E)},
        "loss of bd / loss of bc": loss[B, D] / loss[B, C],
        "larger loss of ad, ae / loss of ac": max(loss[A, D], loss[A, E]) / loss[A, C],
        "largest loss of ad, ae, bd / smallest of other pairs but be": max(loss[pair] for pair in smaller)
        / min(loss[pair] for pair in others),
        "loss of bc / largest": loss[B, C] / loss.max(),
        "loss of bf / largest": loss[B, F] / loss.max(),
        "loss of cf / largest": loss[C, F] / loss.max(),
        "pairs of the largest loss": len(largest),
        "pairs in the wrong order after b ≻ f": wrong,
        "mean of b − mean of a after b ≻ f": twice[B] - twice[A],
        "a against c, d, e, f: in the right order": (twice[A] > twice[C:]).sum(),
    }


def _charts(
    beliefs: dict[str, tuple[Floats, Floats]],
    prior: Floats,
    posterior: Floats,
    links: Floats,
    loss: Floats,
    largest: list[tuple[int, int]],
    draws: Floats,
) -> dict[str, object]:
    from penchant.plots import belief_chart, linked_matrix_chart

    start, once, twice = beliefs.values()
    band = "the mean, and 95 % around it"
    marked = " and ".join(NAMES[i] + NAMES[j] for i, j in largest)
    return {
        "prior": belief_chart(
            NAMES, *start, draws=draws, title="Before any answer", subtitle=f"{band}; dashed: drawn from it"
        ),
        "after b ≻ e": belief_chart(NAMES, *once, title="After b was preferred to e", subtitle=band),
        "loss": linked_matrix_chart(
            NAMES,
            loss,
            marked=largest,
            marked_as=f"the largest, {marked}",
            title="Expected loss after b was preferred to e",
        ),
        "prior covariance": linked_matrix_chart(
            NAMES, prior, links=links, title="Links, and the prior covariance", subtitle="eq. 3, β = ι = 1"
        ),
        "covariance after b ≻ e": linked_matrix_chart(
            NAMES, posterior, title="Covariance after b was preferred to e"
        ),
        "after b ≻ f": belief_chart(NAMES, *twice, title="After b was preferred to e and f", subtitle=band),
    }


def _frame(beliefs: dict[str, tuple[Floats, Floats]]) -> pd.DataFrame:
    import pandas as pd

    rows = [
        (answers, NAMES[item], mean[item], variance[item])
        for answers, (mean, variance) in beliefs.items()
        for item in range(6)
    ]
    return pd.DataFrame(rows, columns=["answers", "paper", "mean", "variance"])


def _table(beliefs: dict[str, tuple[Floats, Floats]]) -> pd.DataFrame:
    import pandas as pd

    columns = {
        f"after {answers}": [f"{m:.2f} ± {v**0.5:.2f}" for m, v in zip(mean, variance, strict=True)]
        for answers, (mean, variance) in beliefs.items()
    }
    orders = [
        "".join(NAMES[item] for item in np.argsort(-mean, kind="stable")) for mean, _ in beliefs.values()
    ]
    table = pd.DataFrame(columns, index=pd.Index([*NAMES], name="paper"))
    table.loc["order"] = ["all equal", *orders[1:]]
    return table.reset_index()
