"""The prior covariance of the items that were compared, and its derivatives by hyperparameters.

The evidence depends on the prior through these items alone. Of a graph only their rows are solved for, with one
factorisation for each value of iota: K_r = X/β with (Δ + I/ι²) X = I, and ∂K_r/∂ log ι = 2/(β ι²) XX.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.linked.graph_prior import ill_conditioned, laplacian_precision
from penchant.gp.linked.item_prior import ItemPrior, Settings

_DENSE_DEGREE = 12
"""With more links an item than this, a dense factorisation takes less time than a sparse one, which fills up."""
_LEAST_SPREAD = 1e-9
"""The share of the mean variance that counts as spread, also where all items are alike under the prior."""


@dataclass(frozen=True, eq=False)
class Part:
    """One part of the prior: ω²K on the compared items, with its derivatives by the logarithms of its settings.

    Attributes
    ----------
    covariance : array of shape (a, a)
    derivatives : dict of arrays of shape (a, a)
    """

    covariance: Floats
    derivatives: dict[str, Floats]

    @property
    def squared_spread(self) -> float:
        """The expected variance of the utilities around their mean under this part."""
        return spread_of(self.covariance)


class ComparedPrior:
    """Parts of the prior that `tune` learns, on the compared items.

    Parameters
    ----------
    item_prior : ItemPrior
    items : int array of shape (a,)
    mix : pair of float
        ω₁ and ω₂; a part of weight 0 is left out.
    own : bool
        Whether the nugget, which is each item's own part beside features and links, is one of the parts.

    Attributes
    ----------
    names : tuple of str
        The settings that the parts depend on.
    """

    def __init__(
        self, item_prior: ItemPrior, items: Ints, mix: tuple[float, float], *, own: bool = False
    ) -> None:
        self._items = items
        self._solved: tuple[float, Floats, Floats] | None = None
        self._parts: list[Callable[[Settings], Part]] = []
        names: list[str] = []
        if item_prior.features is not None and mix[0] != 0:
            from scipy.spatial.distance import pdist, squareform

            self._squared = squareform(pdist(item_prior.features[items], "sqeuclidean"))
            self._parts.append(self._features)
            names += ["scale", "lengthscale"]
        if item_prior.links is not None and mix[1] != 0:
            self._laplacian = laplacian_precision(item_prior.links, beta=1.0, iota=np.inf)
            self._parts.append(self._links)
            names += ["beta", "iota"]
        if item_prior.features is None and item_prior.links is None and item_prior.covariance is None:
            self._parts.append(self._independent)
            names = ["scale"]
        elif own:
            self._parts.append(self._own)
            names.append("nugget")
        self.names = tuple(names)

    def parts(self, settings: Settings) -> list[Part]:
        """Return the parts at ``settings``."""
        return [part(settings) for part in self._parts]

    def _independent(self, settings: Settings) -> Part:
        covariance = settings.scale**2 * np.eye(len(self._items))
        return Part(covariance, {"scale": 2 * covariance})

    def _own(self, settings: Settings) -> Part:
        covariance = settings.nugget * np.eye(len(self._items))
        return Part(covariance, {"nugget": covariance})

    def _features(self, settings: Settings) -> Part:
        scaled = self._squared / settings.lengthscale**2
        covariance = (settings.mix[0] * settings.scale) ** 2 * np.exp(-scaled / 2)
        return Part(covariance, {"scale": 2 * covariance, "lengthscale": covariance * scaled})

    def _links(self, settings: Settings) -> Part:
        inverse, squared = self._graph(settings.iota)
        weight = settings.mix[1] ** 2 / settings.beta
        covariance = weight * inverse
        return Part(covariance, {"beta": -covariance, "iota": 2 * weight / settings.iota**2 * squared})

    def _graph(self, iota: float) -> tuple[Floats, Floats]:
        """Return X and XX between the items; those of the last iota are kept, since other settings move alone too."""
        if self._solved is None or self._solved[0] != iota:
            rows = solved_rows(self._laplacian, 1 / iota**2, self._items)
            inverse = rows[:, self._items]
            self._solved = iota, (inverse + inverse.T) / 2, rows @ rows.T
        return self._solved[1:]


def spread_of(matrix: Floats) -> float:
    """Return tr(HKH)/(a − 1) of a matrix on a items, H subtracting the mean, plus a little of the mean variance."""
    count, trace = len(matrix), float(np.trace(matrix))
    centred = (trace - float(matrix.sum()) / count) / max(count - 1, 1)
    return centred + _LEAST_SPREAD * trace / count


def solved_rows(laplacian: Any, own: float, items: Ints) -> Floats:
    """Return the rows ``items`` of (Δ + own·I)⁻¹, shape (a, n), by one factorisation."""
    from scipy import sparse

    n_items = laplacian.shape[0]
    matrix = laplacian + own * sparse.eye_array(n_items)
    units = np.zeros((n_items, len(items)))
    units[items, np.arange(len(items))] = 1.0
    solve = _dense if laplacian.nnz > (_DENSE_DEGREE + 1) * n_items else _sparse
    rows = np.ascontiguousarray(solve(matrix, units).T)
    if not np.isfinite(rows).all() or (rows[np.arange(len(items)), items] <= 0).any():
        raise ill_conditioned(laplacian.diagonal().max(), own)
    return rows


def _sparse(matrix: Any, units: Floats) -> Floats:
    from scipy.sparse.linalg import splu

    symmetric = {"SymmetricMode": True}
    try:
        factor = splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=symmetric)
    except RuntimeError:  # exactly singular
        return np.full_like(units, np.nan)
    return np.asarray(factor.solve(units))


def _dense(matrix: Any, units: Floats) -> Floats:
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    try:
        return np.asarray(cho_solve(cho_factor(matrix.toarray(), overwrite_a=True), units))
    except LinAlgError:
        return np.full_like(units, np.nan)
