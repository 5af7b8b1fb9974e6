"""Prior distributions of the hyperparameters that `LinkedGP.tune` learns, in units of the problem.

Each is proper, so that few answers neither collapse the prior of the utilities to a point nor blow it up:

- The spread of each part of the prior (features, links, or independent items), which is the standard deviation of the
  utilities of the items that were asked about around their mean, has a half-t distribution with 3 degrees of freedom
  and scale 1, the standard deviation of the noise of an answer. Scale and beta follow from it.
- The lengthscale has a lognormal distribution around the typical distance of two items' features.
- Iota has a lognormal distribution around 1/√(mean degree), where an item's links weigh as much as its own share.

All densities are those of the logarithms, since that is what is optimised and integrated over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.checks import Floats
from penchant.gp.linked.item_prior import ItemPrior

LENGTHSCALE_SD = 1.0
IOTA_SD = 1.5
"""Standard deviations of the logarithms."""
_SAMPLED = 500


@dataclass(frozen=True)
class HyperPrior:
    """The prior distribution of lengthscale and iota; that of spreads needs nothing to be known.

    Attributes
    ----------
    lengthscale, iota : float
        The medians.
    """

    lengthscale: float
    iota: float

    @classmethod
    def of(cls, item_prior: ItemPrior) -> HyperPrior:
        """Return the prior distributions for what is known of the items."""
        features, links = item_prior.features, item_prior.links
        return cls(
            1.0 if features is None else typical_distance(features),
            1.0 if links is None else 1 / np.sqrt(_mean_degree(links)),
        )

    def log_density(self, name: str, log_value: float) -> tuple[float, float]:
        """Return the log density of the logarithm of lengthscale or iota, up to a constant, and its derivative."""
        center, sd = (self.lengthscale, LENGTHSCALE_SD) if name == "lengthscale" else (self.iota, IOTA_SD)
        z = (log_value - np.log(center)) / sd
        return float(-z * z / 2), float(-z / sd)


def log_spread_density(spread: float) -> tuple[float, float]:
    """Return the log density of log(spread) under a half-t₃(1), up to a constant, and its derivative by log(spread).

    The density of the logarithm is s·p(s) with p(s) ∝ (1 + s²/3)⁻²: its mode is at 1.

    Examples
    --------
    >>> log_spread_density(1.0)[1]
    0.0
    """
    share = spread**2 / 3
    return float(np.log(spread) - 2 * np.log1p(share)), float(1 - 4 * share / (1 + share))


def typical_distance(features: Floats) -> float:
    """Return the median distance of two items' features, of many items those of 500 spread evenly; at least 1 item.

    Where most items are alike it is the root mean square distance, and 1 where all are.
    """
    from scipy.spatial.distance import pdist

    n_items = len(features)
    chosen = np.linspace(0, n_items - 1, min(n_items, _SAMPLED)).round().astype(np.int64)
    distances = pdist(features[chosen])
    if not distances.any():
        return 1.0
    median = float(np.median(distances))
    return median if median > 0 else float(np.sqrt((distances**2).mean()))


def _mean_degree(links: Any) -> float:
    """Return the mean weight of the links of an item, among items that have links; 1 where none has."""
    degree = np.asarray(links.sum(axis=1)).ravel() - links.diagonal()
    linked = degree[degree > 0]
    return float(linked.mean()) if linked.size else 1.0
