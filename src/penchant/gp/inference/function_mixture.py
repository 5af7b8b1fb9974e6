"""Live beliefs of utilities that are functions of features, over up to 2,000 items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from penchant.checks import Floats
from penchant.gp.inference.attribution import Explanation, integrated_gradients
from penchant.gp.inference.columns import Lift
from penchant.gp.inference.explained_mixture import ExplainedMixture
from penchant.gp.kernels import Kernel
from penchant.saving import from_bytes, to_bytes

_ARRAYS = ("weights", "origin", "width")
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class KernelPrior:
    """The prior of a utility as a function of features: a Gaussian process with a linear mean.

    Rows are in the features' own units; mean and kernel are functions of (transformed features − origin) / width.

    Attributes
    ----------
    kernel : Kernel
    weights : array of shape (n_features,)
        Of the mean.
    origin : array of shape (n_features,)
        Where transformed features count as 0.
    width : array of shape (n_features,)
        The units of transformed features.
    lift : tuple of str
        The map of each feature, "" where there is none.
    """

    kernel: Kernel
    weights: Floats
    origin: Floats
    width: Floats
    lift: tuple[str, ...]

    @classmethod
    def of(cls, kernel: Kernel, weights: Floats) -> Self:
        """Return the prior on features as they are."""
        size = len(weights)
        return cls(kernel, weights, np.zeros(size), np.ones(size), ("",) * size)

    def mean(self, rows: Floats) -> Floats:
        """Return the expected utilities of ``rows`` (k, n_features), shape (k,)."""
        return np.asarray(self.scaled(rows) @ self.weights)

    def covariance(self, rows: Floats, others: Floats) -> Floats:
        """Return the covariance of the utilities of ``rows`` with those of ``others``, which are other items."""
        return self.kernel(self.scaled(rows), self.scaled(others))

    def matrix(self, rows: Floats) -> Floats:
        """Return the covariance of the utilities of ``rows``."""
        return self.kernel(self.scaled(rows))

    def own_variance(self, rows: Floats) -> Floats:
        """Return the part of the variance of each of ``rows`` that no other item shares, whatever its features."""
        scaled = self.scaled(rows)
        shared = [self.kernel(row[None], row[None].copy())[0, 0] for row in scaled]
        own = self.kernel.diagonal(scaled) - shared
        return np.where(own > _ROUNDING * np.abs(shared), own, 0.0)

    def scaled(self, rows: Floats) -> Floats:
        """Return (transformed features − origin) / width of ``rows``."""
        return np.asarray((Lift(self.lift)(rows) - self.origin) / self.width)

    def state(self) -> dict[str, Any]:
        """Return what it consists of, as JSON values and arrays."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        return {"kernel": _packed(self.kernel), "lift": list(self.lift), **arrays}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the prior of a `state`."""
        arrays = {name: np.asarray(state[name]) for name in _ARRAYS}
        return cls(_unpacked(state["kernel"]), lift=tuple(state["lift"]), **arrays)


@dataclass(frozen=True, eq=False)
class FunctionParts:
    """The features of items, by which the difference of two utilities is explained.

    Attributes
    ----------
    priors : sequence of KernelPrior
        One for each component of the mixture, all with the same mean.
    features : array of shape (n_items, n_features)
    names : tuple of str
    """

    priors: Sequence[KernelPrior]
    features: Floats
    names: tuple[str, ...]

    def explain_mixture(self, loads: Sequence[Floats], a: int, b: int) -> Explanation:
        """Split what features contribute to the mean of ``a`` less that of ``b``."""
        of_items = [load[: len(self.features)] for load in loads]
        there = np.flatnonzero(np.any(of_items, axis=0))

        def utility(rows: Floats) -> Floats:
            values = self.priors[0].mean(rows)
            for prior, load in zip(self.priors, of_items, strict=True) if len(there) else ():
                values = values + prior.covariance(rows, self.features[there]) @ load[there]
            return values

        parts = integrated_gradients(utility, self.features[a], self.features[b])
        return Explanation(list(zip(self.names, parts.tolist(), strict=True)), [], [])

    def own_variances(self, a: int, b: int) -> Floats:
        """Return the variances of the parts of the two items that features do not explain, shape (K, 2)."""
        return np.stack([prior.own_variance(self.features[[a, b]]) for prior in self.priors])

    def chosen(self, components: Sequence[int]) -> FunctionParts:
        """Return the parts of some of the components."""
        return FunctionParts([self.priors[k] for k in components], self.features, self.names)

    def state(self) -> dict[str, Any]:
        """Return what it consists of, as JSON values and arrays."""
        priors = {str(k): prior.state() for k, prior in enumerate(self.priors)}
        return {"priors": priors, "features": self.features, "names": list(self.names)}


class FunctionMixture(ExplainedMixture):
    """The live belief of a `PreferenceGP` or `MonotoneGP` over up to 2,000 items; see `penchant.belief.LiveBelief`."""

    @staticmethod
    def _parts_of(state: Mapping[str, Any]) -> FunctionParts:
        priors = [KernelPrior.from_state(state["priors"][str(k)]) for k in range(len(state["priors"]))]
        return FunctionParts(priors, np.asarray(state["features"]), tuple(state["names"]))


def _packed(value: object) -> Any:
    return np.frombuffer(to_bytes(value), dtype=np.uint8)


def _unpacked(data: Any) -> Any:
    return from_bytes(np.asarray(data, dtype=np.uint8).tobytes())
