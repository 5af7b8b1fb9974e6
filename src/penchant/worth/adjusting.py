"""Fit scores together with the effects of covariates of each comparison, for the models of paired comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.errors import Argument, InvalidInput, Text
from penchant.preferences import Preferences
from penchant.worth.inference.newton import Link
from penchant.worth.inference.prior import Prior
from penchant.worth.inference.row_likelihood import CovariateRows, RowLikelihood, RowPoint
from penchant.worth.inference.row_newton import BorderedHessian, RowMode

SIDE = "side"
"""The name of the effect of standing on the left."""
_DEPENDENT = 1e-8
"""The share of a covariate's information that is its own, below which it is a combination of others."""
_LARGE = 5.0
"""The effect of one standard deviation from which on answers may be separated."""
_SEPARATED = 1e-6
"""The share of the information about an effect that is left at the mode, below which the mode is at infinity."""


@dataclass(frozen=True, eq=False)
class RowFit:
    """Scores and coefficients fitted to rows with covariates.

    Attributes
    ----------
    likelihood : RowLikelihood
    weights : tuple of float
        Of each mode; they sum to 1.
    modes : tuple of RowMode
        At each scale of the prior, or the one mode where the prior is given.
    """

    likelihood: RowLikelihood
    weights: tuple[float, ...]
    modes: tuple[RowMode, ...]

    @property
    def border(self) -> Floats:
        """The mean of coefficients, of standardised covariates, and tie parameter, shape (q,)."""
        return np.average([mode.point.border for mode in self.modes], axis=0, weights=self.weights)

    @property
    def middle(self) -> RowMode:
        """The mode of the largest weight."""
        return self.modes[int(np.argmax(self.weights))]


def checked_names(covariates: Any, side: bool) -> tuple[str, ...]:
    """Return the names of the covariates to use, each text and there once."""
    names = (covariates,) if isinstance(covariates, str) else tuple(covariates)
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise InvalidInput.of("covariates", "be names", repr(name), "give those of the preferences")
        if name in names[:place]:
            raise InvalidInput.of("covariates", "be named once", f"{name!r} twice", "leave one out")
    if side and SIDE in names:
        raise InvalidInput.of(
            "covariates",
            f"not be called {SIDE!r} beside the effect of the side",
            repr(SIDE),
            "rename the covariate",
        )
    return names


def check_covariates(preferences: Preferences, names: Sequence[str], side: bool) -> None:
    """Raise `InvalidInput` unless ``preferences`` have these covariates, in rows of two items."""
    for name in names:
        if name not in preferences.covariate_names:
            listed = ", ".join(map(repr, preferences.covariate_names)) or "none"
            raise InvalidInput.of(
                "covariates",
                "name covariates of the preferences",
                f"{name!r}, they have {listed}",
                "give it to Preferences.from_pairs or from_answers as covariates={name: numbers}",
            )
    if side and (preferences.better_on_left is None or not (preferences.better_on_left >= 0).any()):
        raise InvalidInput.of(
            "side",
            "not be set where nobody knows who stood on the left",
            "answers without sides",
            "give answers as left, right and who was preferred (Preferences.from_answers), or leave it out",
        )
    statements = preferences.statements
    members = np.ones(len(statements.members), dtype=bool)
    if preferences.bar is not None:
        members = statements.members != preferences.bar
    sizes = np.bincount(statements.rows[members], minlength=len(statements))
    wrong = np.flatnonzero(sizes != 2)
    if wrong.size:
        raise InvalidInput.of(
            f"row {wrong[0]}",
            "compare two items where there are covariates",
            f"{sizes[wrong[0]]} items",
            "break rankings into pairs, or leave the covariates out",
        )


def covariate_values(preferences: Preferences, names: Sequence[str], side: bool) -> Floats:
    """Return the covariates of each row, that of the better item less that of the worse, shape (n_rows, k)."""
    columns = []
    if preferences.covariates is not None:
        columns = [preferences.covariates[:, preferences.covariate_names.index(name)] for name in names]
    if side and preferences.better_on_left is not None:
        columns.append(np.array([-1.0, 1.0, 0.0])[preferences.better_on_left])
    return np.column_stack(columns) if columns else np.zeros((len(preferences), 0))


def row_likelihood(preferences: Preferences, names: Sequence[str], side: bool, link: Link) -> RowLikelihood:
    """Return the log likelihood of rows whose covariates vary and are no combination of one another."""
    values = covariate_values(preferences, names, side)
    called = (*names, SIDE) if side else tuple(names)
    _check_variation(preferences, called, values, side)
    likelihood = RowLikelihood(CovariateRows.of(preferences, values), link, preferences.n_items)
    _check_independence(likelihood, called)
    return likelihood


def _check_variation(preferences: Preferences, names: Sequence[str], values: Floats, side: bool) -> None:
    sides = preferences.better_on_left
    known = sides is not None and bool((sides >= 0).all()) and len(preferences) > 0
    for name, column in zip(names, values.T, strict=True):
        if not column.any():
            raise InvalidInput.of(
                f"covariate {name!r}",
                "differ between the two items of some rows",
                "0 in every row",
                "leave it out",
            )
        if name == SIDE and side:
            continue
        if known and sides is not None:
            from_left = column * np.where(sides == 1, 1.0, -1.0)
            if (from_left == from_left[0]).all():
                raise InvalidInput.of(
                    f"covariate {name!r}",
                    "differ between rows",
                    f"{from_left[0]:g} in every row, left less right",
                    Text(
                        "leave it out, or give ",
                        Argument("side", True),
                        " for the effect of standing on the left",
                    ),
                )


def _information(likelihood: RowLikelihood, point: RowPoint, ridge: float) -> Floats:
    prior = Prior(ridge, likelihood.graph.n_items)
    k = likelihood.n_covariates
    hessian = BorderedHessian(likelihood.graph, point.sums, prior, likelihood.has_ties)
    return hessian.border_precision()[:k, :k]


def _at_equality(likelihood: RowLikelihood) -> tuple[RowPoint, float]:
    """Return the point at which all items are equal, and a precision that is negligible beside its curvature."""
    border = np.zeros(likelihood.size)
    if likelihood.has_ties:
        border[-1] = likelihood.link.first_tie(0.5)
    point = likelihood.at(np.zeros(likelihood.graph.n_items), border)
    return point, 1e-11 * max(float(point.sums.curvature.sum()), 1e-300)


def _check_independence(likelihood: RowLikelihood, names: Sequence[str]) -> None:
    """Reject a covariate that is a property of the items, or a combination of that and the covariates before it."""
    point, ridge = _at_equality(likelihood)
    whole, own = np.diag(point.sums.corner), _information(likelihood, point, ridge)
    for j, name in enumerate(names):
        if own[j, j] <= _DEPENDENT * whole[j] and name == SIDE:
            raise InvalidInput.of(
                SIDE,
                "not follow from the items",
                "items that always stand in the same order, or two that were compared once",
                "show pairs both ways round, or leave it out",
            )
        if own[j, j] <= _DEPENDENT * whole[j]:
            raise InvalidInput.of(
                f"covariate {name!r}",
                "differ between comparisons of the same items",
                "a property of the items, which their scores hold already",
                Text("leave it out, or give it to fit as ", Argument("features")),
            )
        rest = own[j, j] - own[j, :j] @ np.linalg.solve(own[:j, :j], own[:j, j])
        if rest <= _DEPENDENT * whole[j]:
            raise InvalidInput.of(
                f"covariate {name!r}",
                "be no combination of the other covariates",
                f"one of {', '.join(map(repr, names[:j]))}",
                "leave one of them out",
            )


def check_separation(likelihood: RowLikelihood, mode: RowMode, names: Sequence[str]) -> None:
    """Reject covariates that predict every answer: their effects would be infinite."""
    if not mode.converged and not np.isfinite(mode.gradient):
        raise InvalidInput.of(
            "covariates", "have finite effects", "a log likelihood that cannot be maximised", "leave some out"
        )
    if np.abs(mode.point.border[: likelihood.n_covariates]).max() < _LARGE:
        return
    start, ridge = _at_equality(likelihood)
    before, after = _information(likelihood, start, ridge), _information(likelihood, mode.point, ridge)
    root = np.linalg.cholesky(before)
    inner = np.linalg.solve(root, np.linalg.solve(root, after).T)
    left = np.linalg.eigvalsh((inner + inner.T) / 2)
    if left[0] > _SEPARATED:
        return
    name = names[int(np.argmax(np.abs(mode.point.border[: likelihood.n_covariates])))]
    raise InvalidInput.of(
        f"covariate {name!r}",
        "leave some answers unexplained",
        "one that separates those who were preferred from those who were not",
        "its effect would be infinite: leave it out, or check that it is not the answer itself",
    )


def cluster_labels(kept: Preferences, by: str, row: Ints) -> tuple[Ints | None, Floats | None]:
    """Return the cluster of each comparison and how often it occurred, or None where all are independent.

    A row without judge or page is a cluster of its own, of which its weight counts repetitions.
    """
    if by == "model":
        return None, None
    own = np.arange(len(kept))
    labels = {"judge": kept.judge, "source": kept.source}.get(by)
    if labels is None:
        return row, None if kept.weight is None else kept.weight[row]
    named = np.where(labels < 0, own + labels.max(initial=0) + 1, labels)
    times = None
    if kept.weight is not None:
        times = np.where(labels < 0, kept.weight, 1.0)[row]
    return named[row], times
