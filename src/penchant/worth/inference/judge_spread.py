"""Learn how much judges differ: the standard deviations of their reliabilities and biases.

At the worth that equally reliable judges suggest, the answers of each judge have a likelihood in the reliability r and
the bias b, which a grid holds. Its integral under normal priors of several standard deviations is their evidence.
The mode of all parameters together, and the curvature there, would not do: with three answers a judge that evidence is
largest at a standard deviation of 0.75 where all judges are alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from penchant.checks import Floats
from penchant.progress import part
from penchant.worth.inference.crowd_likelihood import Crowd, Point, log_total, minimise

_RELIABILITY = np.linspace(-3.0, 5.0, 33)
_BIAS = np.linspace(-4.5, 4.5, 37)
_SPREADS = np.array([0.02, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0, 1.3, 1.7, 2.2])
_RELIABILITY_SCALE, _BIAS_SCALE = 0.5, 0.8
_LEAST_WEIGHT = 0.01  # of two standard deviations beside the most probable ones
_MOST_CELLS = 10_000
_ROUNDS = 2
USUAL = 0.5
"""The standard deviation of biases where no answer says which item stood on the left."""


@dataclass(frozen=True, eq=False)
class JudgeSpread:
    """How much judges differ.

    Attributes
    ----------
    reliability_sd, bias_sd : float
        The posterior means of the two standard deviations.
    """

    reliability_sd: float
    bias_sd: float


def learn_spread(crowd: Crowd) -> JudgeSpread:
    """Return the standard deviations of reliabilities and of biases, as the answers and their own priors say.

    The prior of the first is half normal with scale 0.5. That of the second is Rayleigh with scale 0.8, whose density
    is 0 at 0 (Chung et al. 2013 avoid the boundary so): among few judges, one who leans to a side would otherwise be
    taken for one who does not, since all others say that judges hardly lean.

    References
    ----------
    Chung, Rabe-Hesketh, Dorie, Gelman and Liu, "A nondegenerate penalized likelihood estimator for variance parameters
    in multilevel models", Psychometrika 78, 2013.
    """
    sided = _is_sided(crowd)
    bias = _BIAS if sided else np.zeros(1)
    bias_sd = USUAL
    weights = np.zeros((len(_SPREADS), len(_SPREADS)))
    for number in range(_ROUNDS):
        with part(number, _ROUNDS):
            point, _gradient = minimise(replace(crowd, reliability_sd=0.0, bias_sd=bias_sd))
        weights = _posterior(_likelihoods(crowd, point, bias), bias)
        if not sided:
            break
        bias_sd = float(weights.sum(axis=0) @ _SPREADS)
    return JudgeSpread(float(weights.sum(axis=1) @ _SPREADS), bias_sd)


def spread_points(
    crowd: Crowd, point: Point, reliability_sd: float | None, bias_sd: float | None, most_cells: int
) -> Floats:
    """Return standard deviations of reliabilities, of biases, and how much the two weigh, shape (3, n_points).

    Parameters
    ----------
    crowd : Crowd
    point : Point
        Of which the worth of the items and log ν are taken to be known.
    reliability_sd, bias_sd : float or None
        Those that were given; None: learned from the answers.
    most_cells : int
        Learn from about so many cells at most.
    """
    sided = _is_sided(crowd)
    if reliability_sd is not None and (bias_sd is not None or not sided):
        return np.array([[reliability_sd], [USUAL if bias_sd is None else bias_sd], [1.0]])
    bias = _BIAS if sided else np.zeros(1)
    weights = _posterior(_likelihoods(crowd, point, bias, most_cells), bias)
    first, second = np.meshgrid(_SPREADS, _SPREADS, indexing="ij")
    if reliability_sd is not None:
        weights = weights[[np.abs(_SPREADS - reliability_sd).argmin()]]
        first, second = np.array([[reliability_sd]]), _SPREADS[None]
    elif bias_sd is not None or not sided:
        given = USUAL if bias_sd is None else bias_sd
        weights = weights[:, [np.abs(_SPREADS - given).argmin()]]
        first, second = _SPREADS[:, None], np.array([[given]])
    kept = weights >= _LEAST_WEIGHT * weights.max()
    first, second = np.broadcast_arrays(first, second, subok=False)
    first, second = (np.broadcast_to(part, weights.shape)[kept] for part in (first, second))
    return np.stack([first, second, weights[kept] / weights[kept].sum()])


def _is_sided(crowd: Crowd) -> bool:
    """Return whether an answer of a named judge says which item stood on the left."""
    return bool(((crowd.side != 0) & (crowd.judge >= 0)).any())


def _likelihoods(crowd: Crowd, point: Point, bias: Floats, most_cells: int = _MOST_CELLS) -> Floats:
    """Return the log likelihood of each judge at reliabilities and biases, shape (n_judges, n_reliabilities, n_biases).

    Of many judges, some are taken at equal distances.
    """
    named = np.flatnonzero(crowd.judge >= 0)
    step = -(-len(named) // most_cells) if len(named) else 1
    cells = named[crowd.judge[named] % step == 0]
    cells = cells[np.argsort(crowd.judge[cells], kind="stable")]
    starts = np.flatnonzero(np.diff(crowd.judge[cells], prepend=-1))
    distance, log_tie = crowd.distance(point)[cells], crowd.log_tie(point)
    margin, weight = crowd.margin[cells, None] / 2, crowd.weight[cells, None]
    shift = crowd.side[cells, None] * bias
    found = np.empty((len(starts), len(_RELIABILITY), len(bias)))
    for place, reliability in enumerate(_RELIABILITY):
        odds = reliability * distance[:, None] + shift
        found[:, place] = np.add.reduceat(margin * odds - weight * log_total(odds, log_tie), starts, axis=0)
    return found


def _posterior(log_likelihood: Floats, bias: Floats) -> Floats:
    """Return the weight of each two standard deviations, that of reliability first, shape (11, 11)."""
    spacing = np.gradient(_SPREADS)
    of_reliability = np.log(spacing) - (_SPREADS / _RELIABILITY_SCALE) ** 2 / 2
    of_bias = np.log(spacing * _SPREADS) - (_SPREADS / _BIAS_SCALE) ** 2 / 2
    total = of_reliability[:, None] + of_bias
    if len(log_likelihood):
        likelihood = np.exp(log_likelihood - log_likelihood.max(axis=(1, 2), keepdims=True))
        by_reliability = np.array([_normal(_RELIABILITY, 1.0, sd) for sd in _SPREADS])
        by_bias = np.array([_normal(bias, 0.0, sd) for sd in _SPREADS])
        mixed = np.einsum("krb,ir,jb->kij", likelihood, by_reliability, by_bias, optimize=True)
        total = total + np.log(np.maximum(mixed, 1e-300)).sum(axis=0)
    weights = np.exp(total - total.max())
    return np.asarray(weights / weights.sum())


def _normal(grid: Floats, mean: float, sd: float) -> Floats:
    """Return the weights of a normal distribution at the points of a grid."""
    log_density = -(((grid - mean) / sd) ** 2) / 2
    density = np.exp(log_density - log_density.max())
    return np.asarray(density / density.sum())
