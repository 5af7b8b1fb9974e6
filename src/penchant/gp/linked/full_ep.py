"""Step two, inside: all answers at once. A prior and the answers so far in; the belief of full EP out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.ep import EPBelief, propagate
from penchant.gp.gaussian import Factor
from penchant.gp.likelihood import Bools, Probit
from penchant.gp.linked.belief import Dual
from penchant.gp.linked.priors import Prior
from penchant.gp.pair_counts import PairCounts


@dataclass(frozen=True, eq=False)
class Answers:
    """What was said, in the order in which it was said.

    Attributes
    ----------
    pairs : int array of shape (t, 2)
        Items, better first; where ``tie``, equal ones.
    weight : array of shape (t,)
    tie : bool array of shape (t,)
    """

    pairs: Ints
    weight: Floats
    tie: Bools

    @classmethod
    def none(cls) -> Answers:
        """Return no answers."""
        return cls(np.empty((0, 2), dtype=np.int64), np.empty(0), np.empty(0, dtype=bool))

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, part: slice) -> Answers:
        return Answers(self.pairs[part], self.weight[part], self.tie[part])

    def and_then(self, more: Answers) -> Answers:
        """Return these answers and ``more`` after them."""
        return Answers(
            np.concatenate([self.pairs, more.pairs]),
            np.concatenate([self.weight, more.weight]),
            np.concatenate([self.tie, more.tie]),
        )


def full_ep(prior: Prior, answers: Answers, likelihood: Probit) -> tuple[Dual, float]:
    """Return the belief of expectation propagation on all ``answers``, and its log evidence.

    EP works on the items that were asked about. With R = (K + W⁻¹)⁻¹ there, the covariance of all items is
    K₀ − K₀[:, items] R K₀[items, :], and R = CCᵀ gives the columns of the dual.
    """
    if not len(answers):
        return Dual.nothing(), 0.0
    items, belief = ep_on_touched(prior, answers, likelihood)
    strength, directions = np.linalg.eigh(belief.posterior.explained())
    said = strength > 1e-14 * strength[-1]
    return Dual(items, belief.alpha, directions[:, said] * np.sqrt(strength[said])), belief.log_evidence


def ep_on_touched(prior: Prior, answers: Answers, likelihood: Probit) -> tuple[Ints, EPBelief]:
    """Return the items that were asked about, and what EP believes about them."""
    items, places = np.unique(answers.pairs, return_inverse=True)
    counts = PairCounts.of(
        places.reshape(-1, 2).astype(np.int64), len(items), weight=answers.weight, tie=answers.tie
    )
    covariance = prior.block(items, items)
    return items, propagate(Factor.of(covariance), counts, likelihood, np.zeros(len(items)))
