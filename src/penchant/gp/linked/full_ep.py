"""All answers at once, by expectation propagation. A prior and the answers so far in; the belief of full EP out."""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.ep import EPBelief, Sites, propagate
from penchant.gp.gaussian import Factor
from penchant.gp.likelihood import Probit
from penchant.gp.linked.answers import Answers
from penchant.gp.linked.basis import QuickBasis, StoredBasis
from penchant.gp.linked.belief import Dual, LowRankBelief
from penchant.gp.linked.mixture import MixtureBelief, Scales
from penchant.gp.linked.priors import Prior
from penchant.gp.linked.progress import Progress
from penchant.gp.pair_counts import PairCounts

_ROWS = 32
_NEAR = 1e-5
"""The change of a site, in standard deviations, at which EP ends for a component of a mixture."""


def learned_together(
    prior: Prior, scales: Scales, answers: Answers, likelihood: Probit, progress: Progress | None = None
) -> tuple[MixtureBelief, float]:
    """Return what expectation propagation on all ``answers`` believes at each scale, and the log evidence.

    EP works on the items that were asked about. With R = (K + W⁻¹)⁻¹ there, the covariance of all items is
    K₀ − K₀[:, items] R K₀[items, :], and R = CCᵀ gives the columns of the dual.
    """
    items, counts = touched(answers)
    rows = None if prior.quick or not len(items) else _rows(prior, items, progress)
    block = prior.block(items, items) if rows is None else rows[:, items]
    duals, logs = [], []
    sites: Sites | None = None
    for place, factor in enumerate(scales.factors):
        if progress is not None:
            progress("learning", place, len(scales))
        if not len(items):
            duals.append(Dual.nothing())
            logs.append(0.0)
            continue
        squared = factor**2
        if len(scales) == 1:
            belief = ep(block if squared == 1 else squared * block, counts, likelihood)
        else:  # far from the mode EP takes long, and there a component weighs little
            belief = ep(squared * block, counts, likelihood, sites, tolerance=_NEAR)
        duals.append(_dual(items, belief))
        logs.append(belief.log_evidence)
        sites = belief.sites
    return mixture_of(prior, scales, duals, logs, rows)


def mixture_of(
    prior: Prior, scales: Scales, duals: list[Dual], logs: list[float], rows: Floats | None = None
) -> tuple[MixtureBelief, float]:
    """Return the mixture of beliefs that have these duals and log evidences, and its own log evidence.

    Parameters
    ----------
    prior : Prior
    scales : Scales
    duals : list of Dual
        One for each scale, all of them about the same items.
    logs : list of float
    rows : array of shape (a, n), optional
        K₀[items, :].
    """
    weighed = np.asarray(scales.log_prior) + logs
    highest = weighed.max()
    log_evidence = float(highest + np.log(np.exp(weighed - highest).sum()))
    if scales.factors == (1.0,):
        return MixtureBelief([LowRankBelief(prior, duals[0], rows)], weighed), log_evidence
    items = duals[0].items
    units = np.eye(len(items))
    shared = QuickBasis(prior, items, units) if prior.quick else StoredBasis(prior, items, units, rows)
    parts = [
        LowRankBelief.scaled(prior, dual, factor**2, shared)
        for dual, factor in zip(duals, scales.factors, strict=True)
    ]
    return MixtureBelief(parts, weighed), log_evidence


def touched(answers: Answers) -> tuple[Ints, PairCounts]:
    """Return the items that were asked about, and the answers counted on these."""
    items, places = np.unique(answers.pairs, return_inverse=True)
    return items, PairCounts.of(
        places.reshape(-1, 2).astype(np.int64), len(items), weight=answers.weight, tie=answers.tie
    )


def ep(
    covariance: Floats,
    counts: PairCounts,
    likelihood: Probit,
    start: Sites | None = None,
    *,
    tolerance: float | None = None,
) -> EPBelief:
    """Return what EP believes with a prior ``covariance`` and mean 0.

    With a ``tolerance`` of its own it does not warn when it ends before it is reached.
    """
    mean, factor = np.zeros(len(covariance)), Factor.of(covariance)
    if tolerance is None:
        return propagate(factor, counts, likelihood, mean, start=start)
    return propagate(factor, counts, likelihood, mean, start=start, tolerance=tolerance, quiet=True)


def _rows(prior: Prior, items: Ints, progress: Progress | None) -> Floats:
    """Return K₀[items, :], some rows at a time."""
    rows = np.empty((len(items), prior.n_items))
    for start in range(0, len(items), _ROWS):
        if progress is not None:
            progress("working out the prior", start, len(items))
        rows[start : start + _ROWS] = prior.block(items[start : start + _ROWS])
    return rows


def _dual(items: Ints, belief: EPBelief) -> Dual:
    strength, directions = np.linalg.eigh(belief.posterior.explained())
    said = strength > 1e-14 * strength[-1]
    return Dual(items, belief.alpha, directions[:, said] * np.sqrt(strength[said]))
