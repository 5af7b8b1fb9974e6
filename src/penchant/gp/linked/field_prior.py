"""The prior of many items as a sum of three parts: features through inducing items, links, and each item's own part.

The utilities are ξ = Fw + g + √D z with w ~ N(0, I), g ~ N(0, Q⁻¹) and z ~ N(0, I). F is (n, m) and comes from m
inducing items, the precision Q of the links is sparse, and D holds what each item has beside the others: the nugget,
and the variance that its features have beside the inducing items (so that prior variances are exact). Nothing is n × n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.gp.linked.linked_parts import TOLERANCE, LinkedParts, Pairs, parts_of
from penchant.gp.linked.priors import FeaturePrior, InducingPrior, WeightedPrior, inducing_items


@dataclass(frozen=True, eq=False)
class FieldPrior(LinkedParts):
    """The prior of n − 1 items and, last, the bar.

    Attributes
    ----------
    factor : array of shape (n, m)
        F.
    inducing : int array of shape (m,)
    """

    factor: Floats
    inducing: Ints

    @classmethod
    def through(
        cls, item_prior: ItemPrior, settings: Settings, names: tuple[str, ...], bar: float, most: int
    ) -> FieldPrior:
        """Return the prior of these items with at most ``most`` inducing items, and of a bar of variance ``bar``."""
        parts = parts_of(item_prior, settings, names, bar)
        features, own = parts["features"], parts["own"]
        factor, inducing = np.zeros((len(own), 0)), np.empty(0, dtype=np.int64)
        if features.shape[1]:
            kernel = FeaturePrior(features, scale=settings.scale, lengthscale=settings.lengthscale)
            weighted = WeightedPrior([kernel], [settings.mix[0] ** 2])
            inducing = inducing_items(weighted, most)
            approximate = InducingPrior(weighted, inducing, settings.nugget)
            factor = np.concatenate([approximate.factor, np.zeros((1, len(inducing)))])
            own[:-1] = approximate.own
        return cls(**parts, factor=factor, inducing=inducing)

    def local_times(self, pairs: Pairs, loads: Floats, tolerance: float = TOLERANCE) -> Floats:
        """Return P loads, shape (k, n): P is the covariance without the features, given ``pairs``."""
        root = np.sqrt(self.own)
        right = np.zeros((len(loads), 2, self.n_rows))
        right[:, 1] = loads * root
        if len(self.values):
            right[:, 0] = loads
        solved = self.solve(pairs, right, tolerance)
        return np.asarray(solved[:, 0] + root * solved[:, 1])

    def times(self, load: Floats) -> Floats:
        """Return K load, shape (n,)."""
        shared: Floats = self.factor @ (load @ self.factor)
        return shared + self.link_part(load) + self.own * load

    def feature_values(self, load: Floats, rows: Floats) -> Floats:
        """Return the feature part of K load at ``rows`` (k, n_features) of features, shape (k,)."""
        weights = np.linalg.solve(self.factor[self.inducing].T, load @ self.factor)
        return self._smooth(rows, self.features[self.inducing], np.asarray(weights, dtype=np.float64))
