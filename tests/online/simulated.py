"""Answers about items of known worth, and the posterior of all answers by sweeps with the exact covariance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant import Preferences
from penchant.checks import Floats, Ints
from penchant.online import OnlineMixture
from penchant.preferences import OUTCOMES
from penchant.worth import BradleyTerry, Thurstone
from penchant.worth.inference.pairs import NO_TOTALS, PairGraph
from penchant.worth.inference.prior import Prior
from penchant.worth.inference.propagation import Exact, PairLikelihood, propagate

LINKS = {"logistic": BradleyTerry._link, "probit": Thurstone._link}


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers by rows, and the number of items that they are about."""

    first: Ints
    second: Ints
    outcome: Ints
    n_items: int

    def __getitem__(self, part: Any) -> Answers:
        return Answers(self.first[part], self.second[part], self.outcome[part], self.n_items)

    @property
    def preferences(self) -> Preferences:
        ids = [str(row) for row in range(self.n_items)]
        outcomes = [OUTCOMES[code] for code in self.outcome]
        return Preferences.from_answers(self.first.astype(str), self.second.astype(str), outcomes, items=ids)

    def learned_by(self, belief: Any) -> Any:
        """Return the belief after these answers, one at a time."""
        for first, second, outcome in zip(self.first, self.second, self.outcome, strict=True):
            belief.answer(int(first), int(second), int(outcome))
        return belief


def answers(
    n_items: int, count: int, *, ties: float = 0.0, bad: float = 0.0, seed: int = 0, spread: float = 1.5
) -> Answers:
    """Draw answers about random pairs, with these shares of ties and of both-bad answers."""
    rng = np.random.default_rng(seed)
    worth = spread * rng.standard_normal(n_items)
    first = rng.integers(n_items, size=count)
    second = (first + rng.integers(1, n_items, size=count)) % n_items
    lost = rng.random(count) > 1 / (1 + np.exp(worth[second] - worth[first]))
    kind = rng.random(count)
    outcome = np.where(kind < ties, 2, np.where(kind < ties + bad, 3, lost))
    return Answers(first, second, outcome.astype(np.int64), n_items)


def full_posterior(belief: OnlineMixture, preferences: Preferences, k: int) -> tuple[Floats, Floats]:
    """Return mean and covariance of component k after all answers at its prior, by the sweeps of batch models."""
    state = belief.state()
    own = 1 / state["prior"]["variances"][k][: preferences.n_items]
    has_bar = preferences.catalogue.bar
    prior = Prior(own[0], len(own), bar_precision=own[-1] if has_bar else None)
    totals = NO_TOTALS.plus(preferences)
    graph = PairGraph(totals.pairs, preferences.n_items)
    likelihood = PairLikelihood(graph, totals.weight, LINKS[state["link"]], state["tie"])
    zero = np.zeros(len(graph))
    found = propagate(likelihood, prior, zero, zero, Exact(), tolerance=1e-7)
    precision = prior.matrix()
    for first, second, tau in zip(graph.first, graph.second, found.tau, strict=True):
        precision[[first, second], [first, second]] += tau
        precision[[first, second], [second, first]] -= tau
    return found.mean, np.linalg.inv(precision)


def written_out(
    pairs: Any, tau: Floats, nu: Floats, precision: Floats, a: int, b: int, mean: Floats | None = None
) -> dict[tuple[int, int], float]:
    """Return (ν − τ (e_i − e_j)ᵀm₀) (e_i − e_j)ᵀ Σ (e_a − e_b) of each pair, by a pass over all and an inverse."""
    precision, prior = precision.copy(), np.zeros(len(precision)) if mean is None else mean
    contrasts = []
    for (i, j), each in zip(pairs, tau, strict=True):
        contrast = np.zeros(len(precision))
        contrast[i], contrast[j] = 1.0, -1.0
        precision += each * np.outer(contrast, contrast)
        contrasts.append(contrast)
    covariance, along = np.linalg.inv(precision), np.zeros(len(precision))
    along[a], along[b] = 1.0, -1.0
    found = {}
    for (i, j), contrast, each, pull in zip(pairs, contrasts, tau, nu, strict=True):
        weight = (pull - each * (contrast @ prior)) * (contrast @ covariance @ along)
        found[min(int(i), int(j)), max(int(i), int(j))] = float(weight)
    return found
