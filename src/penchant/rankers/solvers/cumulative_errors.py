"""Standard errors of the weights and cuts of ordered categories, and the check that maximum likelihood exists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penchant.checks import Floats
from penchant.errors import InvalidInput
from penchant.rankers.solvers.cumulative import Cumulative, Point

_COLLINEAR = 1e-10
_LOST = 1e-6  # of the curvature at w = 0 that is left; where categories are separated it vanishes


def standard_errors(
    likelihood: Cumulative, at: Point, middle: Floats, turned: Floats | None
) -> tuple[Floats, Floats]:
    """Return the standard errors of the weights and of the cuts, from the inverse curvature at the optimum.

    Parameters
    ----------
    likelihood : Cumulative
        Of rows from which ``middle`` was subtracted.
    at : Point
        The optimum.
    middle : array of shape (n_features,)
        The cuts for the rows as they came are those of ``at`` plus wᵀ middle.
    turned : array of shape (n_features, n), optional
        The columns in which the weights lie, where there are more features than rows. Outside of them the ridge alone
        holds the weights, with the variance 1 / alpha.

    Returns
    -------
    of_weights : array of shape (n_features,)
    of_cuts : array of shape (n_categories − 1,)
    """
    n_inner = likelihood.X.shape[1]
    covariance = _inverse(likelihood.gradient_and_hessian(at)[1])
    inner = covariance[:n_inner, :n_inner]
    shift = middle if turned is None else turned.T @ middle
    of_weights = np.diag(inner) if turned is None else ((turned @ inner) * turned).sum(axis=1)
    of_cuts = (
        np.diag(covariance)[n_inner:] + 2 * covariance[n_inner:, :n_inner] @ shift + shift @ inner @ shift
    )
    if turned is not None:
        outside = 1.0 - (turned**2).sum(axis=1)
        of_weights = of_weights + np.maximum(outside, 0.0) / likelihood.alpha
        of_cuts = of_cuts + max(float(middle @ middle - shift @ shift), 0.0) / likelihood.alpha
    return np.sqrt(np.maximum(of_weights, 0.0)), np.sqrt(np.maximum(of_cuts, 0.0))


def _inverse(hessian: Floats) -> Floats:
    """Return the inverse of a curvature, without the directions that rounding has taken from it."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve, pinvh

    try:
        inverse: Any = cho_solve(cho_factor(hessian, lower=True), np.eye(len(hessian)))
    except LinAlgError:
        inverse = pinvh(hessian)
    return np.asarray(inverse, dtype=np.float64)


def check_determined(likelihood: Cumulative, names: Sequence[str]) -> None:
    """Raise if the weights are not determined without a ridge: features are collinear, or more than the rows."""
    X, n_features = likelihood.X, likelihood.X.shape[1]
    if len(names) > n_features:
        raise InvalidInput.of(
            "alpha",
            f"be above 0 where there are fewer rows than {len(names):,} features",
            "0",
            "give a ridge or fewer features",
        )
    share = likelihood.weight / likelihood.weight.sum()
    spread = _spread(likelihood)
    scaled = X / np.where(spread > 0, spread, 1.0)
    values, vectors = np.linalg.eigh(scaled.T @ (scaled * share[:, None]))
    if n_features and values[0] < _COLLINEAR:
        involved = [name for name, part in zip(names, vectors[:, 0], strict=True) if abs(part) > 1e-3]
        one = len(involved) == 1
        what = (
            f"{involved[0]}, which is constant" if one else f"{_listed(involved)}, which determine each other"
        )
        raise InvalidInput.of(
            "features", "not be collinear where alpha is 0", what, "remove one of them, or give alpha above 0"
        )


def check_exists(likelihood: Cumulative, at: Point, names: Sequence[str]) -> None:
    """Raise if maximum likelihood without a ridge does not exist, since features separate the categories.

    Along a direction in which the likelihood rises for ever its curvature vanishes, compared with that at w = 0.
    """
    from scipy.linalg import eigh

    n_features = likelihood.X.shape[1]
    before = likelihood.gradient_and_hessian(likelihood.start())[1]
    after = likelihood.gradient_and_hessian(at)[1]
    left = eigh(after, before, eigvals_only=True)
    if left[0] < _LOST:
        name = names[int(np.argmax(np.abs(at.coef) * _spread(likelihood)[:n_features]))]
        raise InvalidInput.of(
            "y",
            "not be separated perfectly by the features where alpha is 0, since maximum likelihood does not exist then",
            f"categories that are, mostly by {name}",
            "give alpha above 0, for instance 0.1, or remove the feature",
        )


def _spread(likelihood: Cumulative) -> Floats:
    """Return the standard deviation of each feature of the rows, whose mean is 0."""
    spread: Floats = np.sqrt(likelihood.weight @ likelihood.X**2 / likelihood.weight.sum())
    return spread


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
