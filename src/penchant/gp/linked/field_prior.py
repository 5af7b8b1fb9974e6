"""The prior of many items as a sum of three parts: features through inducing items, links, and each item's own part.

The utilities are ξ = Fw + g + √D z with w ~ N(0, I), g ~ N(0, Q⁻¹) and z ~ N(0, I). F is (n, m) and comes from m inducing
items, the precision Q of the links is sparse, and D holds what each item has beside the others: the nugget, and the
variance that its features have beside the inducing items (so that prior variances are exact). Nothing is n × n. The
last row is the bar of both-bad answers, which is independent of all items.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.linked.graph_prior import laplacian_precision
from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.gp.linked.priors import FeaturePrior, InducingPrior, WeightedPrior, inducing_items

_TOLERANCE = 1e-8
_MOST_PRODUCTS = 1000


@dataclass(frozen=True, eq=False)
class Pairs:
    """The precisions of differences of utilities: for each of t pairs of rows τ(ξ_first − ξ_second)²."""

    first: Ints
    second: Ints
    tau: Floats

    @classmethod
    def none(cls) -> Self:
        """Return no pairs."""
        return cls(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))

    def spread(self, values: Floats, n_rows: int) -> Floats:
        """Return Σ values · (e_first − e_second), shape (n_rows,)."""
        gained = np.bincount(self.first, values, n_rows) - np.bincount(self.second, values, n_rows)
        return np.asarray(gained, dtype=np.float64)

    def times(self, utility: Floats) -> Floats:
        """Return L utility with L = Σ τ (e_first − e_second)(e_first − e_second)ᵀ, for (n,) or (n, k)."""
        from scipy import sparse

        count, n_rows = len(self.tau), len(utility)
        ends = np.concatenate([self.first, self.second])
        signs = np.repeat([1.0, -1.0], count)
        incidence = sparse.csr_array((signs, (np.tile(np.arange(count), 2), ends)), shape=(count, n_rows))
        apart = incidence @ utility
        return np.asarray(incidence.T @ (apart * (self.tau if utility.ndim == 1 else self.tau[:, None])))


@dataclass(frozen=True, eq=False)
class FieldPrior:
    """The prior of n − 1 items and, last, the bar.

    Attributes
    ----------
    factor : array of shape (n, m)
        F.
    own : array of shape (n,)
        D.
    starts, columns, values
        Q in compressed rows; without entries where there are no links.
    points : array of shape (m, n_features)
        The features of the inducing items.
    inducing : int array of shape (m,)
    kernel : tuple of float
        Variance and lengthscale of the squared exponential on the features.
    """

    factor: Floats
    own: Floats
    starts: Ints
    columns: Ints
    values: Floats
    points: Floats
    inducing: Ints
    kernel: tuple[float, float]

    @classmethod
    def of(cls, item_prior: ItemPrior, settings: Settings, inducing: int, bar: float) -> FieldPrior:
        """Return the prior of these items with at most ``inducing`` inducing items, and of a bar of variance ``bar``."""
        n_items, n_rows = item_prior.n_items, item_prior.n_items + 1
        factor, own = np.zeros((n_rows, 0)), np.full(n_rows, settings.nugget)
        points, chosen = np.zeros((0, 0)), np.empty(0, dtype=np.int64)
        variance = (settings.mix[0] * settings.scale) ** 2
        if item_prior.features is not None and settings.mix[0]:
            kernel = FeaturePrior(
                item_prior.features, scale=settings.scale, lengthscale=settings.lengthscale
            )
            weighted = WeightedPrior([kernel], [settings.mix[0] ** 2])
            chosen = inducing_items(weighted, inducing)
            through = InducingPrior(weighted, chosen, settings.nugget)
            factor = np.concatenate([through.factor, np.zeros((1, len(chosen)))])
            own[:n_items] = through.own
            points = item_prior.features[chosen]
        elif item_prior.features is None and item_prior.links is None:
            own[:n_items] += settings.scale**2
        own[n_items] = bar
        linked = item_prior.links is not None and settings.mix[1]
        graph = _with_bar(item_prior, settings, bar) if linked else None
        if graph is None:
            starts, columns, values = np.zeros(n_rows + 1, np.int64), np.empty(0, np.int64), np.empty(0)
        else:
            own[n_items] = 0.0
            starts, columns = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
            values = graph.data
        return cls(factor, own, starts, columns, values, points, chosen, (variance, settings.lengthscale))

    @property
    def n_rows(self) -> int:
        """The number of items and the bar."""
        return len(self.own)

    @property
    def link_diagonal(self) -> Floats:
        """The diagonal of Q, shape (n,); infinite without links."""
        rows = np.repeat(np.arange(self.n_rows), np.diff(self.starts))
        diagonal = np.full(self.n_rows, np.inf)
        there = self.columns == rows
        diagonal[rows[there]] = self.values[there]
        return diagonal

    def neighbours(self, row: int) -> tuple[Ints, Floats]:
        """Return the rows that ``row`` is linked with, and −Q between them."""
        part = slice(self.starts[row], self.starts[row + 1])
        others = self.columns[part] != row
        return self.columns[part][others], -self.values[part][others]

    def links(self) -> tuple[Ints, Ints]:
        """Return the rows of each link, the lower one first."""
        rows = np.repeat(np.arange(self.n_rows), np.diff(self.starts))
        upper = rows < self.columns
        return rows[upper], self.columns[upper]

    def solve(self, pairs: Pairs, right: Floats, tolerance: float = _TOLERANCE) -> Floats:
        """Return the parts (g, z) for right sides of shape (k, 2, n), which are overwritten, given ``pairs``."""
        from penchant.gp.linked import _field_kernels as kernels

        kernels.solve(
            self.starts,
            self.columns,
            self.values,
            np.sqrt(self.own),
            pairs.first,
            pairs.second,
            pairs.tau,
            right,
            tolerance,
            _MOST_PRODUCTS,
        )
        return right

    def local_times(self, pairs: Pairs, loads: Floats, tolerance: float = _TOLERANCE) -> Floats:
        """Return P loads, shape (k, n): P is the covariance without the features, given ``pairs``."""
        root = np.sqrt(self.own)
        right = np.zeros((len(loads), 2, self.n_rows))
        right[:, 1] = loads * root
        if len(self.values):
            right[:, 0] = loads
        solved = self.solve(pairs, right, tolerance)
        return np.asarray(solved[:, 0] + root * solved[:, 1])

    def link_part(self, load: Floats) -> Floats:
        """Return Q⁻¹ load, shape (n,); 0 without links."""
        if not len(self.values):
            return np.zeros(self.n_rows)
        right = np.stack([load, np.zeros(self.n_rows)])[None]
        return np.asarray(self.solve(Pairs.none(), right)[0, 0])

    def times(self, load: Floats) -> Floats:
        """Return K₀ load, shape (n,)."""
        shared: Floats = self.factor @ (load @ self.factor)
        return shared + self.link_part(load) + self.own * load

    def feature_values(self, load: Floats, rows: Floats) -> Floats:
        """Return the feature part of K₀ load at ``rows`` (k, n_features) of features, shape (k,)."""
        variance, lengthscale = self.kernel
        weights = np.linalg.solve(self.factor[self.inducing].T, load @ self.factor)
        squares = ((rows[:, None] - self.points) ** 2).sum(axis=2) / lengthscale**2
        values: Floats = variance * np.exp(-squares / 2) @ weights
        return values

    def state(self) -> dict[str, Any]:
        """Return the arrays that it consists of."""
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the prior of a `state`."""
        variance, lengthscale = state["kernel"]
        return cls(**{**state, "kernel": (float(variance), float(lengthscale))})


def _with_bar(item_prior: ItemPrior, settings: Settings, bar: float) -> Any:
    """Return Q in compressed rows, with the bar behind the items."""
    from scipy import sparse

    precision = laplacian_precision(item_prior.links, beta=settings.beta, iota=settings.iota)
    own = sparse.csr_array([[1 / bar]])
    whole = sparse.csr_array(sparse.block_diag([precision / settings.mix[1] ** 2, own]))
    whole.sort_indices()
    return whole
