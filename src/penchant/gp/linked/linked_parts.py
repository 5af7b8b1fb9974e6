"""The parts of the prior of linked items: features, links, and what each item has of its own.

The covariance is K_a + Q⁻¹ + D: a squared exponential on the features, the inverse of the sparse precision Q of the
links, and a diagonal D. The last row is the bar of both-bad answers, which is independent of all items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.inference.attribution import Explanation, integrated_gradients
from penchant.gp.inference.explained_mixture import ExplainedMixture
from penchant.gp.linked.graph_prior import laplacian_precision
from penchant.gp.linked.item_prior import ItemPrior, Settings

TOLERANCE = 1e-8
_MOST_PRODUCTS = 1000
LEAST_WEIGHT = 1e-6
"""Settings that are less probable than this are left out until the next start: each costs as much as the most probable
one. In simulated worlds of 600 items, a probability of 0.005 came to 0.3 within 400 answers."""
_LOG_LEAST_WEIGHT = float(np.log(LEAST_WEIGHT))


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
class LinkedParts:
    """The parts of the prior of n − 1 items and, last, the bar.

    Attributes
    ----------
    own : array of shape (n,)
        D.
    starts, columns, values
        Q in compressed rows; without entries where there are no links.
    features : array of shape (n − 1, n_features)
        Without columns where there are no features.
    names : tuple of str
        Of the features.
    kernel : tuple of float
        Variance and lengthscale of the squared exponential.
    """

    own: Floats
    starts: Ints
    columns: Ints
    values: Floats
    features: Floats
    names: tuple[str, ...]
    kernel: tuple[float, float]

    @classmethod
    def of(cls, item_prior: ItemPrior, settings: Settings, names: tuple[str, ...], bar: float) -> LinkedParts:
        """Return the parts of the prior of items, and of a bar of variance ``bar``."""
        return LinkedParts(**parts_of(item_prior, settings, names, bar))

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
        others = (self.columns[part] != row) & (self.values[part] != 0)
        return self.columns[part][others], -self.values[part][others]

    def links(self) -> tuple[Ints, Ints]:
        """Return the rows of each link, the lower one first."""
        rows = np.repeat(np.arange(self.n_rows), np.diff(self.starts))
        upper = rows < self.columns
        return rows[upper], self.columns[upper]

    def solve(self, pairs: Pairs, right: Floats, tolerance: float = TOLERANCE) -> Floats:
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

    def link_part(self, load: Floats) -> Floats:
        """Return Q⁻¹ load, shape (n,); 0 without links."""
        if not len(self.values):
            return np.zeros(self.n_rows)
        right = np.stack([load, np.zeros(self.n_rows)])[None]
        return np.asarray(self.solve(Pairs.none(), right)[0, 0])

    def feature_values(self, load: Floats, rows: Floats) -> Floats:
        """Return the feature part of K load at ``rows`` (k, n_features) of features, shape (k,)."""
        there = np.flatnonzero(load[:-1])
        return self._smooth(rows, self.features[there], load[:-1][there])

    def _smooth(self, rows: Floats, points: Floats, weights: Floats) -> Floats:
        """Return Σ weight · k(row, point), shape (k,)."""
        from scipy.spatial.distance import cdist

        variance, lengthscale = self.kernel
        squares = cdist(rows, points, "sqeuclidean") / lengthscale**2
        values: Floats = variance * np.exp(-squares / 2) @ weights
        return values

    def explain(self, load: Floats, a: int, b: int) -> Explanation:
        """Split what features and links contribute to the mean of ``a`` less that of ``b``, K load.

        With g = Q⁻¹ load the link part of an item is g_a = Σ_j (−Q_aj/Q_aa) g_j + load_a/Q_aa: the parts of the items
        it is linked with, and one that is its own, as is D_a load_a: see `own_variance`.
        """
        features = list[tuple[str, float]]()
        if self.features.shape[1]:
            parts = integrated_gradients(
                lambda rows: self.feature_values(load, rows), self.features[a], self.features[b]
            )
            features = list(zip(self.names, parts.tolist(), strict=True))
        link, diagonal = self.link_part(load), self.link_diagonal
        links: dict[int, float] = {}
        for row, sign in ((a, 1.0), (b, -1.0)):
            rows, weights = self.neighbours(row)
            for other, weight in zip(rows.tolist(), (weights * link[rows]).tolist(), strict=True):
                links[other] = links.get(other, 0.0) + sign * weight / float(diagonal[row])
        return Explanation(features, list(links.items()), [])

    def own_variance(self, rows: Sequence[int]) -> Floats:
        """Return the variance of each of ``rows`` that features and linked items leave: D_i + 1/Q_ii."""
        chosen = list(rows)
        return np.asarray(self.own[chosen] + 1 / self.link_diagonal[chosen])

    def state(self) -> dict[str, Any]:
        """Return what it consists of, as JSON values and arrays."""
        return vars(self) | {"names": list(self.names), "kernel": list(self.kernel)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the parts of a `state`."""
        variance, lengthscale = state["kernel"]
        arrays = {name: np.asarray(value) for name, value in state.items() if name not in ("names", "kernel")}
        return cls(**arrays, names=tuple(state["names"]), kernel=(float(variance), float(lengthscale)))


@dataclass(frozen=True, eq=False)
class MixedParts:
    """The parts of the priors of a mixture.

    Attributes
    ----------
    components : tuple of LinkedParts
    """

    components: tuple[LinkedParts, ...]

    def explain_mixture(self, loads: Sequence[Floats], a: int, b: int) -> Explanation:
        """Split what features and links contribute to the mean of ``a`` less that of ``b``."""
        features: dict[str, float] = {}
        links: dict[int, float] = {}
        for parts, load in zip(self.components, loads, strict=True):
            found = parts.explain(load, a, b)
            for name, weight in found.features:
                features[name] = features.get(name, 0.0) + weight
            for row, weight in found.links:
                links[row] = links.get(row, 0.0) + weight
        return Explanation(list(features.items()), list(links.items()), [])

    def own_variances(self, a: int, b: int) -> Floats:
        """Return the variances of the parts that belong to either of two items alone, shape (K, 2)."""
        return np.stack([parts.own_variance((a, b)) for parts in self.components])

    def chosen(self, components: Sequence[int]) -> MixedParts:
        """Return the parts of some of the components."""
        return MixedParts(tuple(self.components[k] for k in components))

    def state(self) -> dict[str, Any]:
        """Return what it consists of, as JSON values and arrays."""
        return {str(k): parts.state() for k, parts in enumerate(self.components)}


class LinkedMixture(ExplainedMixture):
    """The live belief of a `penchant.gp.LinkedGP` over up to 2,000 items; see `penchant.belief.LiveBelief`.

    Settings whose probability falls below `LEAST_WEIGHT` are left out; the next start weighs all of them again.
    """

    def answer(self, first: int, second: int, outcome: int, weight: float = 1.0) -> float:
        """Learn one answer about two items, and return the log probability that it had before."""
        log_chance = super().answer(first, second, outcome, weight)
        if self._log_weights.min() < _LOG_LEAST_WEIGHT:
            self.keep_components(LEAST_WEIGHT)
        return log_chance

    @staticmethod
    def _parts_of(state: Mapping[str, Any]) -> MixedParts:
        return MixedParts(tuple(LinkedParts.from_state(state[str(k)]) for k in range(len(state))))


def parts_of(item_prior: ItemPrior, settings: Settings, names: tuple[str, ...], bar: float) -> dict[str, Any]:
    """Return the attributes of `LinkedParts`; a part of weight 0 is left out."""
    n_items, n_rows = item_prior.n_items, item_prior.n_items + 1
    own = np.full(n_rows, settings.nugget)
    features = item_prior.features if settings.mix[0] else None
    linked = item_prior.links is not None and settings.mix[1]
    if item_prior.features is None and item_prior.links is None:
        own += settings.scale**2
    own[n_items] = 0.0 if linked else bar
    starts, columns, values = np.zeros(n_rows + 1, np.int64), np.empty(0, np.int64), np.empty(0)
    if linked:
        graph = _with_bar(item_prior, settings, bar)
        starts, columns = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
        values = graph.data
    return {
        "own": own,
        "starts": starts,
        "columns": columns,
        "values": values,
        "features": np.zeros((n_items, 0)) if features is None else features,
        "names": names,
        "kernel": ((settings.mix[0] * settings.scale) ** 2, float(settings.lengthscale)),
    }


def bar_variance(item_prior: ItemPrior, settings: Settings) -> float:
    """Return the prior variance of the bar: about the mean prior variance of the items.

    Of links it counts the variance of an item given those that it is linked with.
    """
    variance = settings.nugget
    if item_prior.features is not None or item_prior.links is None:
        variance += (settings.mix[0] * settings.scale) ** 2
    if item_prior.links is not None:
        precision = laplacian_precision(item_prior.links, beta=settings.beta, iota=settings.iota)
        variance += settings.mix[1] ** 2 * float((1 / precision.diagonal()).mean())
    return float(variance)


def _with_bar(item_prior: ItemPrior, settings: Settings, bar: float) -> Any:
    """Return Q in compressed rows, with the bar behind the items."""
    from scipy import sparse

    precision = laplacian_precision(item_prior.links, beta=settings.beta, iota=settings.iota)
    own = sparse.csr_array([[1 / bar]])
    whole = sparse.csr_array(sparse.block_diag([precision / settings.mix[1] ** 2, own]))
    whole.sort_indices()
    return whole
