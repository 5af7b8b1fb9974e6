"""A few weighted kernels that stand for the distribution of the hyperparameters, for beliefs that are mixtures.

Each kernel is a component of a belief that learns answer by answer, so that their number multiplies what an answer
costs. Where there is no room for all directions of the hyperparameters, the first direction is that along which the
spread of the utilities, on which error bars depend most, is least certain; the others are the least certain ones beside
it. Along these directions the points are those of `penchant.gp.inference.hyperposterior.design`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from penchant.checks import Floats
from penchant.gp.inference.evidence import Search
from penchant.gp.inference.hyperposterior import curvature, design, inverse_root, may_move, weights_of
from penchant.gp.inference.hyperprior import Hyperprior
from penchant.gp.inference.likelihood import Bools
from penchant.gp.kernels import Kernel

_STEP = 1e-3  # of the differences that give the slope of the spread, in logarithms
_MOST_ROWS = 200


class KernelPoint(NamedTuple):
    """A kernel, and its probability."""

    kernel: Kernel
    weight: float


def posterior_points(search: Search, most: int) -> list[KernelPoint]:
    """Return at most ``most`` kernels: that at the mode of the hyperparameters first, and others around it.

    Parameters
    ----------
    search : Search
        Whose start is the mode.
    most : int
        At least 3.
    """
    moved, evidence = may_move(search), search.evidence
    start = evidence.posterior(search.kernel, search.likelihood, search.inference, quiet=True)
    root = inverse_root(curvature(search, start)[np.ix_(moved, moved)])
    moves, offsets, base = _around(search.kernel, evidence.X, moved, root, most)
    kernels, logs = [], []
    for move in moves:
        theta = np.clip(search.start + move, *search.bounds.T)
        kernel, likelihood = search.at(theta)
        posterior = evidence.posterior(kernel, likelihood, search.inference, start, quiet=True)
        kernels.append(kernel)
        logs.append(posterior.log_evidence + search.prior.log_density(theta))
    return _weighted(kernels, weights_of(np.array(logs), offsets, base))


def prior_points(kernel: Kernel, prior: Hyperprior, rows: Floats, most: int) -> list[KernelPoint]:
    """Return at most ``most`` kernels from the prior of the hyperparameters, before any answer.

    Hyperparameters without a prior, and those that are kept, stay as they are.

    Parameters
    ----------
    kernel : Kernel
    prior : Hyperprior
        Of ``kernel.theta``.
    rows : ndarray of shape (n, n_features)
        The features of the items.
    most : int
        At least 3.
    """
    low, high = kernel.bounds.T
    moved = (low < high) & (prior.precision.diagonal() > 0)
    middle = kernel.with_theta(np.where(moved, np.clip(prior.centre, low, high), kernel.theta))
    root = inverse_root(prior.precision[np.ix_(moved, moved)])
    moves, _, base = _around(middle, rows, moved, root, most)
    kernels = [middle.with_theta(np.clip(middle.theta + move, low, high)) for move in moves]
    return _weighted(kernels, base)


def spread(kernel: Kernel, rows: Floats) -> float:
    """Return the prior variance of the utilities of ``rows`` (n, n_features) around their mean, averaged over them."""
    covariance = kernel(rows)
    return float(covariance.diagonal().mean() - covariance.mean())


def directions(root: Floats, slope: Floats, size: int) -> Floats:
    """Return ``size`` orthogonal directions, scaled by their sd, of a normal distribution, shape (p, size).

    Parameters
    ----------
    root : ndarray of shape (p, p)
        Symmetric, of the covariance.
    slope : ndarray of shape (p,)
        The gradient of what the first direction shall follow: its part in the variance of that is the whole.
    size : int
        Where it is p, the root itself is returned.
    """
    if size >= len(root):
        return root
    covariance = root @ root
    along = covariance @ slope
    variance = float(slope @ along)
    first = np.zeros((len(root), 0)) if variance <= 0 else (along / np.sqrt(variance))[:, None]
    values, vectors = np.linalg.eigh(covariance - first @ first.T)
    rest = vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0.0))
    return np.hstack([first, rest])[:, :size]


def _around(
    kernel: Kernel, rows: Floats, moved: Bools, root: Floats, most: int
) -> tuple[Floats, Floats, Floats]:
    """Return moves of all hyperparameters (k, p), the offsets of the design that they come from, and its weights."""
    size = len(root)
    while (1 << size.bit_length()) + 1 > max(most, 3):
        size -= 1
    offsets, base = design(size)
    moves = np.zeros((len(offsets), len(moved)))
    if size:
        slope = np.zeros(len(moved))
        if size < len(root):
            slope[: len(kernel.theta)] = _spread_slope(kernel, rows)
        moves[:, moved] = offsets @ directions(root, slope[moved], size).T
    return moves, offsets, base


def _spread_slope(kernel: Kernel, rows: Floats) -> Floats:
    """Return the derivative of the logarithm of the spread by the logarithms of the hyperparameters, shape (p,)."""
    chosen = rows[np.linspace(0, len(rows) - 1, min(len(rows), _MOST_ROWS)).round().astype(np.int64)]
    theta = kernel.theta
    slope = np.zeros(len(theta))
    for place, step in enumerate(_STEP * np.eye(len(theta))):
        ahead, behind = (spread(kernel.with_theta(theta + move), chosen) for move in (step, -step))
        slope[place] = 0.0 if min(ahead, behind) <= 0 else (np.log(ahead) - np.log(behind)) / (2 * _STEP)
    return slope


def _weighted(kernels: list[Kernel], weights: Floats) -> list[KernelPoint]:
    pairs = zip(kernels, weights.tolist(), strict=True)
    return [KernelPoint(kernel, weight) for kernel, weight in pairs if weight > 0]
