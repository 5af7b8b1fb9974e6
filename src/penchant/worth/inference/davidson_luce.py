"""The Davidson–Luce likelihood of rankings with ties, as R's PlackettLuce has it, and its maximum.

A ranking is a sequence of choices from the items that are left. What is chosen is a set of d items that tie, with a
probability in proportion to δ_d (Π α_i)^(1/d), α_i = exp(s_i) and δ_1 = 1: the geometric mean of their worths times
the prevalence of ties of d. Sets of all sizes d that were seen are possible at each choice. The log-likelihood is that
of an exponential family in the scores and the log δ, so that it is concave: the gradient is what was observed less
what is expected, and the curvature is the covariance of the statistics v_i = 1/d of the members and 1 of the size.

Turner, van Etten, Firth and Kosmidis, Modelling rankings in R: the PlackettLuce package, Computational Statistics 35
(2020).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.preferences import Preferences
from penchant.progress import converging

_STEPS = 100
_TOLERANCE = 1e-10
_PREVALENCE = 1e-8  # precision of log δ around 0, so that it stays finite where every choice is a tie


@dataclass(frozen=True, eq=False)
class Choices:
    """The choices that rankings consist of.

    Attributes
    ----------
    n_items : int
    sizes : tuple of int
        The sizes d of the sets that were chosen, rising; the first is 1.
    sets : list of int arrays
        The different sets of items that were chosen from, of two items or more.
    weight : array of shape (n_sets,)
        How often each was.
    observed : array of shape (n_items + n_sizes − 1,)
        The statistics of what was chosen, weighted.
    """

    n_items: int
    sizes: tuple[int, ...]
    sets: list[Ints]
    weight: Floats
    observed: Floats

    @classmethod
    def of(cls, preferences: Preferences) -> Choices:
        """Return the choices of rankings, of which items on one level are tied."""
        statements, n_items = preferences.statements, preferences.n_items
        weight = np.ones(len(statements)) if preferences.weight is None else preferences.weight
        times: Counter[tuple[int, ...]] = Counter()
        of_size: Counter[int] = Counter()
        of_item = np.zeros(n_items)
        for row, (start, stop) in enumerate(zip(statements.starts[:-1], statements.starts[1:], strict=True)):
            at = int(start)
            while at < stop and stop - at > 1:
                end = int(statements.level_ends[at])
                chosen, left = statements.members[at:end], statements.members[at:stop]
                times[tuple(sorted(left.tolist()))] += weight[row]
                of_size[len(chosen)] += weight[row]
                of_item[chosen] += weight[row] / len(chosen)
                at = end
        sizes = tuple(sorted({1, *of_size}))
        if not of_size[1]:
            raise InvalidInput.of(
                "preferences", "prefer some item to another", "ties alone", "add rows that do"
            )
        observed = np.append(of_item, [of_size[size] for size in sizes[1:]])
        sets = [np.array(members) for members in times]
        return cls(n_items, sizes, sets, np.array(list(times.values()), dtype=np.float64), observed)

    def value(self, at: Floats) -> float:
        """Return the log-likelihood at scores and log δ together, shape (n_items + n_sizes − 1,)."""
        scores, log_delta = at[: self.n_items], np.append(0.0, at[self.n_items :])
        total = float(self.observed @ at)
        for members, weight in zip(self.sets, self.weight, strict=True):
            total -= weight * self._log_total(scores[members], log_delta)
        return total

    def _log_total(self, scores: Floats, log_delta: Floats) -> float:
        most = scores.max()
        parts = [
            np.exp(log_delta[place]) * symmetric(np.exp((scores - most) / size), size)[size]
            for place, size in enumerate(self.sizes)
            if size <= len(scores)
        ]
        return float(most + np.log(np.sum(parts)))

    def curve(self, at: Floats) -> tuple[Floats, Floats]:
        """Return the gradient and the negative curvature of the log-likelihood."""
        gradient = self.observed.copy()
        curvature = np.zeros((len(at), len(at)))
        scores, log_delta = at[: self.n_items], np.append(0.0, at[self.n_items :])
        for members, weight in zip(self.sets, self.weight, strict=True):
            mean, second = self._moments(scores[members], log_delta)
            kept = np.append(members, self.n_items + np.arange(len(self.sizes) - 1))
            gradient[kept] -= weight * mean
            curvature[np.ix_(kept, kept)] += weight * (second - np.outer(mean, mean))
        return gradient, curvature

    def _moments(self, scores: Floats, log_delta: Floats) -> tuple[Floats, Floats]:
        """Return the mean of the statistics of one choice, and of their products."""
        n, most = len(scores), scores.max()
        n_sizes = len(self.sizes) - 1
        mean, second, total = np.zeros(n + n_sizes), np.zeros((n + n_sizes, n + n_sizes)), 0.0
        for place, size in enumerate(self.sizes):
            if size > n:
                break
            worth = np.exp((scores - most) / size)
            delta = float(np.exp(log_delta[place]))
            one = delta * worth * without_each(worth, size - 1)[:, size - 1] / size
            both = np.diag(one / size)
            if size > 1:
                others = np.where(np.eye(n, dtype=bool), 0.0, worth)  # row i: all but i
                pairs = without_each(others, size - 2)[..., size - 2]
                np.fill_diagonal(pairs, 0.0)
                both += delta * np.outer(worth, worth) * pairs / size**2
            mass = float(one.sum())  # each set is counted by its members, 1/size each
            total += mass
            mean[:n] += one
            second[:n, :n] += both
            if place:
                at = n + place - 1
                mean[at] = second[at, at] = mass
                second[at, :n] = second[:n, at] = one
        return mean / total, second / total

    def maximum(self, prior: float) -> Floats:
        """Return the scores and log δ that maximise the log posterior, by Newton's method from 0."""
        from scipy.linalg import cho_factor, cho_solve

        n_sizes = len(self.sizes) - 1
        at = np.zeros(self.n_items + n_sizes)
        precision = np.append(np.full(self.n_items, prior), np.full(n_sizes, _PREVALENCE))
        first = 0.0
        for _ in range(_STEPS):
            gradient, curvature = self.curve(at)
            gradient -= precision * at
            curvature[np.diag_indices(len(at))] += precision
            if not prior:  # only differences of scores are determined; they sum to 0
                curvature[: self.n_items, : self.n_items] += np.trace(curvature) / self.n_items**2
            step = cho_solve(cho_factor(curvature, lower=True), gradient)
            at = self._line_search(at, step, float(gradient @ step), precision)
            first = first or float(np.abs(step).max())
            converging(float(np.abs(step).max()), first, _TOLERANCE)
            if np.abs(step).max() < _TOLERANCE:
                break
        return at

    def _line_search(self, at: Floats, step: Floats, slope: float, precision: Floats) -> Floats:
        def log_posterior(point: Floats) -> float:
            return self.value(point) - 0.5 * float(precision @ point**2)

        start, share = log_posterior(at), 1.0
        while log_posterior(at + share * step) < start + 1e-4 * share * slope - 1e-12 * abs(start):
            share /= 2
            if share < 1e-9:
                return at
        return at + share * step

    def precision_of_scores(self, at: Floats, prior: float) -> Floats:
        """Return the precision of the scores when log δ is not known either, shape (n_items, n_items)."""
        curvature = self.curve(at)[1]
        n = self.n_items
        scores, across, sizes = curvature[:n, :n], curvature[:n, n:], curvature[n:, n:]
        scores[np.diag_indices(n)] += prior
        if not across.shape[1]:
            return scores
        sizes[np.diag_indices(len(sizes))] += _PREVALENCE
        return np.asarray(scores - across @ np.linalg.solve(sizes, across.T), dtype=np.float64)


def symmetric(values: Floats, degree: int) -> Floats:
    """Return the elementary symmetric polynomials e_0 … e_degree of ``values``, which lie along the last axis.

    Examples
    --------
    >>> symmetric(np.array([1.0, 2.0, 3.0]), 2)
    array([ 1.,  6., 11.])
    """
    found = np.zeros((*values.shape[:-1], degree + 1))
    found[..., 0] = 1.0
    for place in range(values.shape[-1]):
        found[..., 1:] += values[..., place, None] * found[..., :-1]
    return found


def without_each(values: Floats, degree: int) -> Floats:
    """Return e_0 … e_degree of all values but one, for each one; the last two axes are the one and the degree.

    All terms are products of positive numbers, so that nothing cancels.

    Examples
    --------
    >>> without_each(np.array([1.0, 2.0, 3.0]), 1)[:, 1]
    array([5., 4., 3.])
    """
    n = values.shape[-1]
    before = np.zeros((n + 1, *values.shape[:-1], degree + 1))
    after = np.zeros_like(before)
    before[0, ..., 0] = after[n, ..., 0] = 1.0
    for place in range(n):
        before[place + 1] = before[place]
        before[place + 1, ..., 1:] += values[..., place, None] * before[place, ..., :-1]
        back = n - 1 - place
        after[back] = after[back + 1]
        after[back, ..., 1:] += values[..., back, None] * after[back + 1, ..., :-1]
    found = np.zeros((n, *values.shape[:-1], degree + 1))
    for low in range(degree + 1):
        for high in range(degree + 1 - low):
            found[..., low + high] += before[:n, ..., low] * after[1:, ..., high]
    return np.moveaxis(found, 0, -2)
