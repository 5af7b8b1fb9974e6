"""The Perturbed Preference Perceptron, which learns from clicks without their bias to the top."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Ints, whole
from penchant.coactive.features import fingerprint
from penchant.coactive.learner import child_seed
from penchant.coactive.maps import FeatureMap, RankingMap
from penchant.coactive.perceptron import PreferencePerceptron
from penchant.errors import InvalidInput, UnknownItem
from penchant.orders.ranks import check_order
from penchant.schema import Instance, Whole


class PerturbedPerceptron(PreferencePerceptron):
    """Present rankings whose neighbours (1, 2), (3, 4), … are swapped by a fair coin, and learn from clicks.

    People click what stands higher. Here either of two neighbours had the same chance to stand higher, so that
    what the place alone does cancels out; the Preference Perceptron on such clicks does not settle. Feedback
    is made of clicks by `swap_clicked`. The coins are a function of ``seed``, the round and the numbers of the
    context: the same candidates are shown in the same order until the next `update`, others with other coins.

    Parameters
    ----------
    feature_map : RankingMap
    n_features : int
    seed : int
        At least 0.
    batch, weights, forget, averaged
        As for `PreferencePerceptron`.

    References
    ----------
    Raman, Joachims, Shivaswamy and Schnabel, Stable coactive learning via perturbation, ICML 2013.

    Examples
    --------
    >>> X = np.eye(4)
    >>> learner = PerturbedPerceptron(RankingMap(), n_features=4, seed=3)
    >>> shown = learner.present(X)
    >>> shown
    array([1, 0, 3, 2])
    >>> learner.update(X, shown, swap_clicked(shown, [2])).weights.round(2)
    array([ 0. ,  0. ,  0.1, -0.1])
    """

    __saved__: ClassVar = PreferencePerceptron.__saved__.extended(
        {"feature_map": Instance(RankingMap), "seed": Whole(0, 2**1024)}
    )

    def __init__(
        self,
        feature_map: FeatureMap,
        n_features: int,
        *,
        seed: int,
        batch: int = 1,
        weights: Any = None,
        forget: float = 0.0,
        averaged: bool = False,
    ) -> None:
        if not isinstance(feature_map, RankingMap):
            raise InvalidInput(
                f"feature_map must be a RankingMap, got {feature_map!r}: only rankings have neighbours to swap"
            )
        super().__init__(
            feature_map, n_features, batch=batch, weights=weights, forget=forget, averaged=averaged
        )
        self.seed = whole("seed", seed, 0)

    def present(self, context: Any) -> Ints:
        """Return the order by wᵀx with each pair of neighbours swapped or not, shape (n_documents,)."""
        order: Ints = super().present(context)
        random = np.random.default_rng((self.seed, self._rounds, fingerprint(context)))
        return _swapped(order, random.random(len(order) // 2) < 0.5)

    def seeded(self, seed: int) -> Self:
        """Return a copy whose coins are those of its own seed and of ``seed`` together."""
        other = super().seeded(seed)
        other.seed = child_seed(self.seed, seed)
        return other


def swap_clicked(presented: ArrayLike, clicked: Iterable[int]) -> Ints:
    """Return the order that clicks on a perturbed ranking ask for, shape (n_documents,).

    Of the neighbours (1, 2), (3, 4), … those are swapped of which only the lower was clicked.

    Parameters
    ----------
    presented : array-like of shape (n_documents,)
        What was shown, best first.
    clicked : iterable of int
        The documents clicked, in any order.

    Examples
    --------
    >>> swap_clicked([3, 0, 2, 1], clicked=[0, 2, 1])
    array([0, 3, 2, 1])
    """
    order = check_order("presented", presented)
    was_clicked = np.zeros(len(order), dtype=bool)
    for document in clicked:
        whole("clicked", document, 0)
        if document >= len(order):
            raise UnknownItem(f"clicked must be a presented document, got {document}: give its index")
        was_clicked[document] = True
    pairs = was_clicked[order[: len(order) // 2 * 2]].reshape(-1, 2)
    return _swapped(order, pairs[:, 1] & ~pairs[:, 0])


def _swapped(order: Ints, swap: Any) -> Ints:
    """Return ``order`` with the i-th pair of neighbours swapped where ``swap[i]``."""
    found = order.copy()
    pairs = found[: 2 * len(swap)].reshape(-1, 2)
    pairs[swap] = pairs[swap, ::-1]
    return found
