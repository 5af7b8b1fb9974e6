"""Live beliefs of utilities that are functions of features, over up to 2,000 items."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Floats
from penchant.gp.inference.attribution import Explanation, integrated_gradients
from penchant.gp.inference.columns import Lift
from penchant.gp.inference.explained_mixture import Dual, ExplainedMixture
from penchant.gp.kernels import Kernel
from penchant.saving import from_bytes, to_bytes

if TYPE_CHECKING:
    from penchant.gp.monotone_gp import MonotoneGP


class FunctionPrior(ABC):
    """The distribution of a utility as a function of features, in their own units, before the answers of a study."""

    @abstractmethod
    def mean(self, rows: Floats) -> Floats:
        """Return the expected utilities of ``rows`` (k, n_features), shape (k,)."""

    @abstractmethod
    def covariance(self, rows: Floats, others: Floats) -> Floats:
        """Return the covariance of the utilities of ``rows`` with those of ``others``, shape (k, l)."""

    @abstractmethod
    def matrix(self, rows: Floats) -> Floats:
        """Return the covariance of the utilities of ``rows``, shape (k, k)."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return what it consists of, as JSON values and arrays."""


@dataclass(frozen=True, eq=False)
class KernelPrior(FunctionPrior):
    """A Gaussian process with a linear mean, both of transformed features.

    Attributes
    ----------
    kernel : Kernel
    weights : array of shape (n_features,)
        Of the mean.
    origin : array of shape (n_features,)
        Where transformed features count as 0.
    lift : tuple of str
        The map of each feature, "" where there is none.
    """

    kernel: Kernel
    weights: Floats
    origin: Floats
    lift: tuple[str, ...]

    def mean(self, rows: Floats) -> Floats:
        """Return the expected utilities of ``rows``."""
        return np.asarray(self._lifted(rows) @ self.weights)

    def covariance(self, rows: Floats, others: Floats) -> Floats:
        """Return the covariance of the utilities of ``rows`` with those of ``others``."""
        return self.kernel(self._lifted(rows), self._lifted(others))

    def matrix(self, rows: Floats) -> Floats:
        """Return the covariance of the utilities of ``rows``."""
        return self.kernel(self._lifted(rows))

    def _lifted(self, rows: Floats) -> Floats:
        return Lift(self.lift)(rows) - self.origin

    def state(self) -> dict[str, Any]:
        """Return what it consists of, as JSON values and arrays."""
        arrays = {"weights": self.weights, "origin": self.origin}
        return {"kernel": _packed(self.kernel), "lift": list(self.lift), **arrays}


@dataclass(frozen=True, eq=False)
class FittedPrior(FunctionPrior):
    """The posterior of a fitted model."""

    model: MonotoneGP

    def mean(self, rows: Floats) -> Floats:
        """Return the expected utilities of ``rows``."""
        return self.model._posterior.mean(self._lifted(rows))

    def covariance(self, rows: Floats, others: Floats) -> Floats:
        """Return the covariance of the utilities of ``rows`` with those of ``others``."""
        both = self.matrix(np.concatenate([rows, others]))
        return np.ascontiguousarray(both[: len(rows), len(rows) :])

    def matrix(self, rows: Floats) -> Floats:
        """Return the covariance of the utilities of ``rows``."""
        return self.model._posterior.mean_covariance(self._lifted(rows))[1]

    def _lifted(self, rows: Floats) -> Floats:
        return Lift(self.model.lift_)(rows)

    def state(self) -> dict[str, Any]:
        """Return what it consists of, as JSON values and arrays."""
        return {"model": _packed(self.model)}


@dataclass(frozen=True, eq=False)
class FunctionParts:
    """The features of items, by which the difference of two utilities is explained as a whole.

    Attributes
    ----------
    prior : FunctionPrior
    features : array of shape (n_items, n_features)
    names : tuple of str
    """

    prior: FunctionPrior
    features: Floats
    names: tuple[str, ...]

    def explain(self, dual: Dual, a: int, b: int) -> Explanation:
        """Split the mean of ``a`` less that of ``b`` by features."""
        load = dual.load[: len(self.features)]
        there = np.flatnonzero(load)

        def utility(rows: Floats) -> Floats:
            values = self.prior.mean(rows)
            if len(there):
                values = values + self.prior.covariance(rows, self.features[there]) @ load[there]
            return values

        parts = integrated_gradients(utility, self.features[a], self.features[b])
        return Explanation(list(zip(self.names, parts.tolist(), strict=True)), [], [])

    def state(self) -> dict[str, Any]:
        """Return what it consists of, as JSON values and arrays."""
        return {"prior": self.prior.state(), "features": self.features, "names": list(self.names)}


class FunctionMixture(ExplainedMixture):
    """The live belief of a `PreferenceGP` or `MonotoneGP` over up to 2,000 items; see `penchant.belief.LiveBelief`."""

    @staticmethod
    def _parts_of(state: Mapping[str, Any]) -> FunctionParts:
        given = state["prior"]
        prior: FunctionPrior
        if "model" in given:
            prior = FittedPrior(_unpacked(given["model"]))
        else:
            weights, origin = (np.asarray(given[name]) for name in ("weights", "origin"))
            prior = KernelPrior(_unpacked(given["kernel"]), weights, origin, tuple(given["lift"]))
        return FunctionParts(prior, np.asarray(state["features"]), tuple(state["names"]))


def _packed(value: object) -> Any:
    return np.frombuffer(to_bytes(value), dtype=np.uint8)


def _unpacked(data: Any) -> Any:
    return from_bytes(np.asarray(data, dtype=np.uint8).tobytes())
