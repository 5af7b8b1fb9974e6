"""The prior information about items: features, links or a covariance, and the settings that make a prior of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from penchant.checks import Floats, Ints, check_number, numbers, shown, square
from penchant.errors import InvalidInput
from penchant.frames import as_features
from penchant.gp.linked.graph_prior import ExtendedPrior, graph_prior, undirected
from penchant.gp.linked.priors import (
    FeaturePrior,
    IndependentPrior,
    InducingPrior,
    MatrixPrior,
    Prior,
    WeightedPrior,
    inducing_items,
)

_LARGEST = 1e12
"""Beyond this the noise of an answer is lost in rounding."""


class Settings(NamedTuple):
    """The settings of the last fit: κ, 1/ρ, β, ι, ω₁ and ω₂, the nugget, the threshold of ties, and two limits."""

    scale: float
    lengthscale: float
    beta: float
    iota: float
    mix: tuple[float, float]
    nugget: float
    threshold: float
    most_columns: int
    inducing: int | None

    @classmethod
    def checked(cls, given: Mapping[str, Any]) -> Settings:
        """Return the settings, checked."""
        for name in ("scale", "lengthscale", "beta", "iota"):
            check_number(name, given[name], above=0, most=_LARGEST, remedy="choose another one")
        for name in ("nugget", "threshold"):
            check_number(name, given[name], least=0, most=_LARGEST, remedy="use 0 for none")
        mix = given["mix"]
        if not isinstance(mix, tuple | list) or len(mix) != 2 or not all(map(is_finite, mix)):
            raise InvalidInput(f"mix must be two finite numbers, got {shown(mix)}: give (ω₁, ω₂)")
        for name, instead in (("most_columns", "keep some"), ("inducing", "or use None for the exact prior")):
            most = given[name]
            if most is None and name == "inducing":
                continue
            if not is_finite(most) or most != int(most) or most < 1:
                raise InvalidInput(
                    f"{name} must be a whole number of at least 1, got {shown(most)}: {instead}"
                )
        return cls(**{**given, "mix": (float(mix[0]), float(mix[1]))})


def is_finite(value: Any) -> bool:
    """Whether ``value`` is one finite number."""
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return is_number and bool(np.isfinite(value))


@dataclass(frozen=True, eq=False)
class ItemPrior:
    """The prior information about n items.

    Attributes
    ----------
    n_items : int
    features : array of shape (n_items, n_features), optional
    links : sparse array of shape (n_items, n_items), optional
    covariance : array of shape (n_items, n_items), optional
        In the place of both.
    earlier_counts : tuple of int
        The number of items before each group of new items that was linked to the others without changing them.
    columns : tuple of str, optional
        The names of the features, where they came in a DataFrame.
    """

    n_items: int
    features: Floats | None = None
    links: Any = None
    covariance: Floats | None = None
    earlier_counts: tuple[int, ...] = ()
    columns: tuple[str, ...] | None = None

    @classmethod
    def of(cls, features: Any, links: Any, covariance: Any, n_items: int | None) -> ItemPrior:
        """Return the arguments of `LinkedGP.fit`, checked: all must be about the same items."""
        if covariance is not None and (features is not None or links is not None):
            raise InvalidInput("covariance stands in the place of features and links: give one or the others")
        features = as_features(features)
        points = None if features is None else matrix("features", features)
        graph = None if links is None else undirected(links)
        matrix_given = None if covariance is None else _covariance(covariance)
        counts = {len(part) for part in (points, matrix_given) if part is not None}
        counts |= {graph.shape[0]} if graph is not None else set()
        counts |= {n_items} if n_items is not None else set()
        if len(counts) != 1:
            received = " and ".join(map(str, sorted(counts))) or "nothing"
            raise InvalidInput(
                f"features, links, covariance and n_items must be about one number of items, got {received}: "
                "give at least one of them, with one row an item"
            )
        count = counts.pop()
        if count < 1:
            raise InvalidInput(f"n_items must be at least 1, got {count}: give at least one item")
        return cls(count, points, graph, matrix_given, columns=_columns(features))

    def with_new(self, features: Any, links: Any, n_items: int | None) -> ItemPrior:
        """Return the information about new items as given to `LinkedGP.add_items`; links are of all items."""
        if features is None:
            new = ItemPrior.of(None, links, None, n_items)
        else:
            new = ItemPrior.of(features, None, None, None)
            new = replace(new, n_items=self.n_items + new.n_items)
            if links is not None:
                new = replace(new, links=ItemPrior.of(None, links, None, new.n_items).links)
        if new.n_items <= self.n_items:
            raise InvalidInput(
                f"items after the addition must be more than the {self.n_items} before, got {new.n_items}: "
                "give the features of the new items, and the links of all"
            )
        return new

    def joined(self, other: ItemPrior, *, refold: bool) -> ItemPrior:
        """Return the information about these items and those that ``other`` adds; its links are of all items."""
        if self.covariance is not None:
            raise InvalidInput(
                "items cannot be added where the covariance was given: fit anew with that of all items"
            )
        if (self.features is None) != (other.features is None) or (self.links is None) != (
            other.links is None
        ):
            raise InvalidInput(
                "new items must come with what the others came with (features, links, or both): give the same"
            )
        features = None
        if self.features is not None and other.features is not None:
            if self.features.shape[1] != other.features.shape[1]:
                raise InvalidInput(
                    f"features of new items must have {self.features.shape[1]} columns, "
                    f"got {other.features.shape[1]}: give the same columns in the same order"
                )
            if self.columns is not None and other.columns is not None and self.columns != other.columns:
                raise InvalidInput(
                    f"features of new items must be {', '.join(self.columns)} in this order, "
                    f"got {', '.join(other.columns)}: give frame[{list(self.columns)!r}]"
                )
            features = np.concatenate([self.features, other.features])
        counts = self.earlier_counts
        counts = counts if refold or self.links is None else (*counts, self.n_items)
        return replace(
            self, n_items=other.n_items, features=features, links=other.links, earlier_counts=counts
        )

    def prior(self, settings: Settings, inducing: Ints | None = None) -> Prior:
        """Return K₀ = ω₁²K_a + ω₂²K_r + nugget·I (eq. 6), without the parts that were not given.

        Parameters
        ----------
        settings : Settings
        inducing : int array of shape (m,), optional
            The inducing items of all but the nugget.
        """
        smooth = self.smooth(settings)
        if inducing is not None:
            return InducingPrior(smooth, inducing, settings.nugget)
        if settings.nugget > 0:
            return WeightedPrior([smooth, IndependentPrior(self.n_items, settings.nugget)], [1.0, 1.0])
        return smooth

    def smooth(self, settings: Settings) -> Prior:
        """Return the prior without its nugget."""
        if self.covariance is not None:
            return MatrixPrior(self.covariance)
        parts: list[tuple[float, Prior]] = []
        if self.features is not None:
            kernel = FeaturePrior(self.features, scale=settings.scale, lengthscale=settings.lengthscale)
            parts.append((settings.mix[0] ** 2, kernel))
        if self.links is not None and (
            settings.mix[1] or not parts
        ):  # a graph of weight 0 takes as long as any
            parts.append((settings.mix[1] ** 2, self._graph(settings)))
        if not parts:
            return IndependentPrior(self.n_items, settings.scale**2)
        weights, priors = zip(*parts, strict=True)
        return priors[0] if len(parts) == 1 and weights[0] == 1 else WeightedPrior(priors, weights)

    def inducing(self, settings: Settings) -> Ints | None:
        """Return the inducing items that the settings ask for; None is the exact prior."""
        if settings.inducing is None:
            return None
        if self.features is None and self.links is None and self.covariance is None:
            raise InvalidInput(
                "inducing items need items that depend on one another, got none of features, links and covariance: "
                "leave inducing out"
            )
        return inducing_items(self.smooth(settings), settings.inducing)

    def _graph(self, settings: Settings) -> Prior:
        ends = (*self.earlier_counts, self.n_items)
        prior = graph_prior(self.links[: ends[0], : ends[0]], beta=settings.beta, iota=settings.iota)
        for before, after in pairwise(ends):
            prior = ExtendedPrior.of(
                prior, self.links[before:after, :after], beta=settings.beta, iota=settings.iota
            )
        return prior


def matrix(name: str, values: Any) -> Floats:
    """Return ``values`` as a finite matrix with one row for each item."""
    array = numbers(name, values)
    if array.ndim != 2:
        raise InvalidInput(
            f"{name} must be a matrix with one row an item, got shape {array.shape}: reshape it"
        )
    return array


def _columns(features: Any) -> tuple[str, ...] | None:
    names = getattr(features, "columns", None)
    return None if names is None else tuple(map(str, names))


def _covariance(values: Any) -> Floats:
    covariance = square("covariance", values)
    if not np.allclose(covariance, covariance.T, rtol=1e-9, atol=1e-12):
        raise InvalidInput("covariance must be symmetric: give (K + K.T) / 2")
    lowest = float(np.linalg.eigvalsh(covariance)[0]) if len(covariance) else 0.0
    if lowest < -1e-8 * float(np.abs(covariance).max(initial=0.0)):
        raise InvalidInput(
            f"covariance must be positive semidefinite, its lowest eigenvalue is {lowest:.3g}: "
            "give a covariance matrix"
        )
    return covariance


def item_names(
    features: Any, count: int, earlier: tuple[str, ...] = (), named: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Return the ids of ``earlier`` items and of ``count`` more: as given, the index of a frame, or row numbers."""
    features = as_features(features)
    framed = getattr(features, "index", None) if hasattr(features, "columns") else None
    index = framed if named is None else named
    names = (*earlier, *map(str, range(len(earlier), len(earlier) + count) if index is None else index))
    if len(set(names)) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise InvalidInput(f"items must be different, got {twice!r} twice: give each item one row")
    return names


def saved_inducing(items: Any, settings: Settings, n_items: int) -> Ints | None:
    """Return the inducing items of a saved model, checked."""
    if (items is None) != (settings.inducing is None):
        raise InvalidInput("inducing items and settings do not fit together: save the model anew")
    if items is None:
        return None
    chosen = np.asarray(items)
    if chosen.dtype.kind not in "iu" or chosen.ndim != 1 or len(np.unique(chosen)) < max(len(chosen), 1):
        raise InvalidInput(f"inducing items must be different rows, got {shown(items)}: save the model anew")
    if chosen.min() < 0 or chosen.max() >= n_items:
        raise InvalidInput(f"inducing items must lie among the {n_items} items: save the model anew")
    return chosen.astype(np.int64)
