"""The joint posterior of scores and coefficients from the Hessian at the mode, or with errors clustered by judge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.linalg import root_of
from penchant.worth.inference.posterior import (
    DENSE_ITEMS,
    Posterior,
    inverse_root,
    posterior_of_root,
    sampled_posterior,
)
from penchant.worth.inference.row_likelihood import RowLikelihood
from penchant.worth.inference.row_newton import BorderedHessian, MarginalHessian, RowMode

_MODEL_CLUSTERS = 3
"""As in `penchant.worth.inference.clusters`."""


@dataclass(frozen=True, eq=False)
class JointPosterior:
    """The posterior of the scores, and the covariance of the border.

    Attributes
    ----------
    scores : Posterior
        Of the deviations of the scores from their mean.
    border : array of shape (q, q)
    """

    scores: Posterior
    border: Floats


def joint_posterior(
    likelihood: RowLikelihood,
    mode: RowMode,
    centre: NDArray[np.bool_],
    clusters: Ints | None = None,
    times: Floats | None = None,
    bar: bool = False,
) -> JointPosterior:
    """Return the normal posterior at a mode.

    Parameters
    ----------
    likelihood : RowLikelihood
    mode : RowMode
    centre : bool array of shape (n_items,)
        The items to whose mean scores are relative.
    clusters : int array of shape (m,), optional
        The cluster of each comparison, for sandwich errors; without it comparisons are independent.
    times : array of shape (m,), optional
        How often the cluster of each comparison occurred, where a weight repeats clusters, not comparisons in them.
    bar : bool
        Whether the last item is the bar of both-bad answers, for which clusters say nothing.
    """
    hessian = mode.hessian(likelihood)
    n_items = hessian.n_items
    if n_items > DENSE_ITEMS:
        return _sampled(hessian, centre, clusters)
    matrix = hessian.matrix()
    meat = None
    if clusters is not None:
        meat = _meat(likelihood, mode, matrix, clusters, times, bar)
    matrix[:n_items, :n_items] += hessian.lift
    gradient = None if meat is None else root_of(meat)
    root = inverse_root(matrix, gradient, float(np.finfo(float).tiny))
    share = centre / max(float(centre.sum()), 1.0)
    root[:n_items] -= share @ root[:n_items]
    border: Floats = root[n_items:] @ root[n_items:].T
    what = "inverse of the Hessian" if meat is None else "sandwich of the inverse Hessian"
    return JointPosterior(
        posterior_of_root(root[:n_items], f"{what} of scores and covariates; exact"), border
    )


def _sampled(hessian: BorderedHessian, centre: NDArray[np.bool_], clusters: Ints | None) -> JointPosterior:
    if clusters is not None:
        raise InvalidInput.of(
            "errors",
            f"be 'model' where more than {DENSE_ITEMS:,} items have covariates",
            f"clusters of {hessian.n_items:,} items",
            "set errors='model', or rank fewer items",
        )
    marginal = MarginalHessian(hessian)
    scores = sampled_posterior(
        marginal.product, marginal.diagonal, marginal.noise, hessian.n_items, centre=centre
    )
    return JointPosterior(scores, np.linalg.inv(hessian.border_precision()).astype(np.float64))


def _meat(
    likelihood: RowLikelihood,
    mode: RowMode,
    matrix: Floats,
    clusters: Ints,
    times: Floats | None,
    bar: bool,
) -> Floats:
    """Return the covariance of the gradient by scores and border, corrected for few clusters.

    The correction is that of `penchant.worth.inference.clusters.Clusters`; a coefficient is in as many clusters as
    have a covariate that is not 0.
    """
    from scipy.special import stdtrit

    n_items = likelihood.graph.n_items
    raw, m = _squares(likelihood, mode, clusters, times)
    if bar:
        m[n_items - 1] = 0
    prior = np.zeros_like(matrix)
    prior[:n_items, :n_items] = mode.prior.matrix()
    if likelihood.has_ties:
        prior[-1, -1] = mode.prior.tie_precision
    curvature = matrix - prior
    own = np.diag(curvature)
    several = (m > 1) & (own > 0)
    observed = np.diag(raw)[several] * (m / np.maximum(m - 1, 1))[several]
    excess = max(1.0, float((observed / own[several]).mean())) if several.any() else 1.0
    nu = np.maximum(m - 1, 0) + _MODEL_CLUSTERS
    wider = stdtrit(nu, 0.975) / stdtrit(np.inf, 0.975)
    observed_share, model_share = wider * np.sqrt(m / nu), wider * np.sqrt(_MODEL_CLUSTERS * excess / nu)
    meat: Floats = raw * np.outer(observed_share, observed_share)
    meat += np.outer(model_share, model_share) * curvature
    return meat + prior


def _squares(
    likelihood: RowLikelihood, mode: RowMode, clusters: Ints, times: Floats | None
) -> tuple[Floats, Floats]:
    """Return the sum of the squared gradients of the clusters, and the number of clusters of each parameter."""
    from scipy.sparse import csr_array, hstack

    rows, n_items = likelihood.rows, likelihood.graph.n_items
    slope, by_border = likelihood.row_gradients(mode.point.scores, mode.point.border)
    if times is not None:  # a row of weight 2 is two clusters, each with half of its gradient
        slope, by_border = slope / np.sqrt(times), by_border / np.sqrt(times)[:, None]
    labels, cluster = np.unique(clusters, return_inverse=True)
    first, second = rows.pairs[:, rows.pair]
    shape = (len(labels), n_items)
    places = np.tile(cluster, 2), np.concatenate([first, second])
    by_scores = csr_array((np.concatenate([slope, -slope]), places), shape=shape)
    summed = np.zeros((len(labels), likelihood.size))
    np.add.at(summed, cluster, by_border)
    gradients = hstack([by_scores, csr_array(summed)]).tocsr()
    repeated = np.ones(len(labels))
    if times is not None:
        repeated[cluster] = times
    present = csr_array((np.ones(2 * len(cluster)), places), shape=shape)
    present.data[:] = 1.0
    m = np.append(np.asarray(present.T @ repeated), repeated @ (summed != 0))
    return (gradients.T @ gradients).toarray(), m
