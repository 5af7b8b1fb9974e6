"""Integration over the posterior of hyperparameters by weighted points around its mode.

The posterior of the log hyperparameters θ is taken as roughly normal around its mode, with the curvature H of the log
posterior there. Its points are θ̂ + H^(−½) z, with z = 0 and the rows of a two-level orthogonal design, in which every
hyperparameter is moved at once by ±FAR standard deviations. With the weights 1 − 1/FAR² at the mode, and 1/(N·FAR²) at
each of the N others, the points have the mean 0 and the covariance I exactly, as the normal z has. Where the posterior
is not normal each weight is multiplied by the ratio of the two densities (Rue, Martino and Chopin 2009, section 6.5,
use a central composite design in the same way).
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from scipy.linalg import hadamard

from penchant.checks import Floats
from penchant.errors import PenchantWarning
from penchant.gp.inference.evidence import Search, UtilityPosterior
from penchant.gp.inference.likelihood import Bools
from penchant.gp.inference.predictive import Component
from penchant.progress import step_done

FAR = 1.2
STEP = 0.25  # of the differences that give the curvature, in logarithms
LEAST_CURVATURE = 0.3
LEAST_WEIGHT = 1e-3
MOST_POINTS = 32
_AT_BOUND = 1e-6


def components(search: Search, posterior: UtilityPosterior) -> list[Component]:
    """Return posteriors of the utilities at the mode of the hyperparameters and at points around it, weighted.

    Parameters
    ----------
    search : Search
        Whose start is the mode.
    posterior : UtilityPosterior
        At the mode; that of the first component.
    """
    theta = search.start
    moved = may_move(search)
    offsets, base = design(int(moved.sum()))
    root = np.zeros((len(theta), int(moved.sum())))
    root[moved] = inverse_root(curvature(search, posterior)[np.ix_(moved, moved)])
    parts = [Component.of(1.0, search.kernel, posterior)]
    logs = [posterior.log_evidence + search.prior.log_density(theta)]
    for offset in offsets[1:]:
        point = np.clip(theta + root @ offset, *search.bounds.T)
        kernel, likelihood = search.at(point)
        near = search.evidence.posterior(kernel, likelihood, search.inference, posterior, quiet=True)
        parts.append(Component.of(1.0, kernel, near))
        logs.append(near.log_evidence + search.prior.log_density(point))
        step_done(len(parts), len(offsets))
    weights = weights_of(np.array(logs), offsets, base)
    weighted = zip(parts, weights, strict=True)
    return [replace(part, weight=float(weight)) for part, weight in weighted if weight > 0]


def design(size: int) -> tuple[Floats, Floats]:
    """Return points (N + 1, size), 0 first, and weights (N + 1,) with the moments of a standard normal.

    N is the lowest power of 2 above ``size``, and `MOST_POINTS` at most: beyond, the covariance is right on
    average only.

    Examples
    --------
    >>> points, weights = design(3)
    >>> np.allclose(weights @ points, 0), np.allclose(points.T * weights @ points, np.eye(3))
    (True, True)
    """
    if not size:
        return np.zeros((1, 0)), np.ones(1)
    order = 1 << size.bit_length()
    signs = np.asarray(hadamard(order), dtype=np.float64)[:, 1 : size + 1]
    if order > MOST_POINTS:
        half = signs[np.random.default_rng(0).choice(order, MOST_POINTS // 2, replace=False)]
        signs = np.vstack([half, -half])
    weights = np.full(len(signs) + 1, 1 / (FAR**2 * len(signs)))
    weights[0] = 1 - 1 / FAR**2
    return np.vstack([np.zeros(size), FAR * signs]), weights


def weights_of(logs: Floats, offsets: Floats, base: Floats) -> Floats:
    """Return the weights (k,) of points whose log posterior densities are ``logs`` (k,); the first is the mode.

    A point without a finite density, or with a negligible weight, has the weight 0.
    """
    ratio = logs - logs[0] + 0.5 * (offsets**2).sum(axis=1)
    ratio = np.where(np.isfinite(ratio), ratio, -np.inf)
    weights = base * np.exp(ratio - ratio.max())
    weights /= weights.sum()
    weights[1:][weights[1:] < LEAST_WEIGHT] = 0.0
    return np.asarray(weights / weights.sum())


def curvature(search: Search, posterior: UtilityPosterior) -> Floats:
    """Return minus the second derivatives of the log posterior of the hyperparameters at the mode, shape (p, p).

    By central differences of Laplace's gradient, which costs less than that of expectation propagation and differs
    little from it. Rows of hyperparameters without room on both sides are 0.
    """
    laplace = Search(search.evidence, search.kernel, search.likelihood, "laplace", search.prior)
    matrix = np.zeros((len(search.start), len(search.start)))
    for place in np.flatnonzero(may_move(search)):
        step = np.zeros(len(matrix))
        step[place] = STEP
        ahead, behind = (laplace.log_posterior(search.start + move, posterior)[2] for move in (step, -step))
        matrix[place] = (behind - ahead) / (2 * STEP)
    return (matrix + matrix.T) / 2


def warn_of_bounds(search: Search) -> None:
    """Warn about each hyperparameter that was learned at one of its bounds."""
    low, high = search.bounds.T
    names = [*search.kernel.names, *(["indifference"] if search.evidence.learn_threshold else [])]
    for place in np.flatnonzero(_at_bound(search)):
        lower = search.start[place] <= low[place] + _AT_BOUND
        value = np.exp(low[place] if lower else high[place])
        remedy = (
            "give the indifference"
            if names[place] == "indifference"
            else "give a kernel with wider bounds, or features in other units"
        )
        warnings.warn(
            f"{names[place]} must be within its bounds and was learned at the {'lower' if lower else 'upper'} one, "
            f"{value:.3g}: {remedy}",
            PenchantWarning,
            stacklevel=5,
        )


def may_move(search: Search) -> Bools:
    """Return which hyperparameters have room to both sides, a mask (p,)."""
    low, high = search.bounds.T
    return np.asarray((low < high) & ~_at_bound(search))


def _at_bound(search: Search) -> Bools:
    low, high = search.bounds.T
    at = (search.start <= low + _AT_BOUND) | (search.start >= high - _AT_BOUND)
    return np.asarray((low < high) & at)


def inverse_root(matrix: Floats) -> Floats:
    """Return the symmetric inverse root of a matrix (k, k) whose eigenvalues are raised to `LEAST_CURVATURE`.

    The symmetric one changes little when the matrix does, unlike eigenvectors; where the matrix holds no numbers it
    is that of the least curvature.
    """
    if not np.isfinite(matrix).all():
        matrix = np.zeros_like(matrix)
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors / np.sqrt(np.maximum(values, LEAST_CURVATURE)) @ vectors.T)
