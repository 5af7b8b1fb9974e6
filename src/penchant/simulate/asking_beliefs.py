"""Beliefs about items without features that learn one probit answer at a time.

All take P(a beats b) = Φ(u_a − u_b), so that they can be compared.
"""

from __future__ import annotations

import operator
from abc import abstractmethod
from typing import Any, Self
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from penchant.belief import PROBIT_NOISE, IndependentBelief, NormalBelief, rows_of
from penchant.checks import Floats, Ints, check_number
from penchant.errors import InvalidInput, UnknownItem
from penchant.preferences import Preferences
from penchant.simulate.scale_mixture import SCALES, ScaleMixture
from penchant.threads import one_thread

TOLERANCE = 3e-3
"""The change of a site at which a refresh ends."""
_FIRST_SCALE = 2.0
"""The scale of the prior before the first refresh. Simulated utilities of sd 4 were sorted with 2 % fewer questions
than with 1, those of sd 0.7 with no more."""
_LOGIT = 1.7
"""A logistic answer is close to a probit one with scores divided by it."""


class ProbitBelief(NormalBelief):
    """A belief about ``n_items`` items that learns one answer at a time.

    Examples
    --------
    >>> belief: ProbitBelief = Propagated(3)
    >>> belief.update(0, 1).mean.round(2)
    array([ 1.06, -1.06,  0.  ])
    """

    noise_ = PROBIT_NOISE

    def __init__(self, n_items: int) -> None:
        self.items_: tuple[str, ...] = tuple(map(str, range(n_items)))
        self.counts_: Ints = np.zeros(n_items, dtype=np.int64)
        self.mean: Floats = np.zeros(n_items)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.items_)} items)"

    def update(self, better: int, worse: int) -> Self:
        """Learn that ``better`` was preferred to ``worse``."""
        self.counts_[[better, worse]] += 1
        self._update(better, worse)
        return self

    def learn(self, preferences: Any, worse: Any = None) -> Self:
        """Learn decided comparisons one after the other; items are rows, or named as ``items_``."""
        if not isinstance(preferences, Preferences):
            warn("learn(better, worse) is called update now", DeprecationWarning, stacklevel=2)
            return self.update(preferences, operator.index(worse))
        comparisons = preferences.comparisons()
        if comparisons.tie.any():
            raise InvalidInput("a probit belief must be given decided answers, got a tie: leave ties out")
        if (comparisons.weight != np.rint(comparisons.weight)).any():
            raise InvalidInput("weights must be whole numbers of answers, got a fraction: round them")
        row = {item: index for index, item in enumerate(self.items_)}
        unknown = [item for item in preferences.items if item not in row]
        if unknown:
            raise UnknownItem(f"items must be among those of the belief, got {unknown[0]!r}: leave it out")
        rows = [row[item] for item in preferences.items]
        for better, worse, weight in zip(
            comparisons.better.tolist(), comparisons.worse.tolist(), comparisons.weight.tolist(), strict=True
        ):
            for _ in range(int(weight)):
                self.update(rows[better], rows[worse])
        return self

    def refresh(self) -> Self:
        """Infer the posterior from all answers anew, where the updates approximate it."""
        return self

    @abstractmethod
    def _update(self, better: int, worse: int) -> None:
        """Update the moments."""


class DenseBelief(ProbitBelief):
    """The incremental step on a dense covariance (eq. 24), as in `LinkedGP.update`.

    Parameters
    ----------
    prior : array of shape (n_items, n_items)
        The covariance of the prior.

    Examples
    --------
    >>> DenseBelief(np.eye(3)).update(0, 1).mean.round(2)
    array([ 0.46, -0.46,  0.  ])
    """

    def __init__(self, prior: Floats) -> None:
        super().__init__(len(prior))
        self._covariance = prior.copy()

    def _update(self, better: int, worse: int) -> None:
        """Update the belief along K(e_better − e_worse)."""
        from penchant.simulate.asking_kernels import learn

        learn(self.mean, self._covariance, better, worse)

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of each score."""
        return self._covariance.diagonal()[rows_of(rows, len(self.mean))]

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the scores of ``rows`` with those of ``columns``; None is all items."""
        if rows is None and columns is None:
            return self._covariance
        n_items = len(self.mean)
        part: Floats = self._covariance[np.ix_(rows_of(rows, n_items), rows_of(columns, n_items))]
        return part


class Propagated(DenseBelief):
    """Expectation propagation, with all covariances.

    Parameters
    ----------
    n_items : int
    scale : float, optional
        The sd of the prior, K = scale² · I. None: the one of the largest evidence, found at each refresh. Only `sample`
        takes the uncertainty of the scale into account: it draws from a `ScaleMixture`.
    growth : float, optional
        The posterior is inferred from all answers each time their number has grown by this share: 0 is after each
        one, None is never, which leaves the incremental step.

    Examples
    --------
    >>> belief = Propagated(3, scale=1.0)
    >>> belief = belief.update(0, 1)
    >>> belief.mean.round(2)
    array([ 0.46, -0.46,  0.  ])
    """

    def __init__(self, n_items: int, *, scale: float | None = None, growth: float | None = 0.1) -> None:
        if scale is not None:
            check_number("scale", scale, above=0, remedy="1 is usual")
        if growth is not None:
            check_number("growth", growth, least=0, remedy="0.1 is usual")
        self.scale = _FIRST_SCALE if scale is None else scale
        self._tuned, self._growth = scale is None, growth
        scales = np.array(SCALES if scale is None else [float(scale)])
        self.mixture = ScaleMixture(n_items, scales, tolerance=TOLERANCE)
        super().__init__(self.scale**2 * np.eye(n_items))
        self._pairs: Ints = np.empty((64, 2), dtype=np.int64)
        self._sites = np.zeros((2, 64))
        self.n_answers, self._next = 0, n_items

    def _update(self, better: int, worse: int) -> None:
        """Learn one answer, and refresh when it is due."""
        from penchant.simulate.asking_kernels import learn

        if self.n_answers == len(self._pairs):
            self._pairs = np.concatenate([self._pairs, np.empty_like(self._pairs)])
            self._sites = np.concatenate([self._sites, np.zeros_like(self._sites)], axis=1)
        self._pairs[self.n_answers] = better, worse
        self._sites[:, self.n_answers] = learn(self.mean, self._covariance, better, worse)
        self.n_answers += 1
        if self._growth is not None and self.n_answers >= self._next:
            self.refresh()
            self._next = max(self.n_answers + 1, int(self.n_answers * (1 + self._growth)))

    def refresh(self) -> Self:
        """Infer the posterior from all answers anew, and the scale where it is not given."""
        from penchant.simulate.asking_kernels import explain, propagate

        pairs, (tau, nu) = self._pairs[: self.n_answers], self._sites[:, : self.n_answers]
        work = explain if self._tuned else propagate
        with one_thread():
            found = work(pairs, tau, nu, self.scale**2, self.mean, self._covariance, TOLERANCE)
        self.scale = self.scale if found is None else float(np.sqrt(found))
        return self

    def sample(self, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw the scores of all items, or of those at ``rows``, together, shape (n_draws, n).

        Where the scale is not given the draws are of a mixture over scales of the prior, and not those of a normal
        with `mean` and `covariance`, which belong to one scale: questions are chosen by these, since by the covariance
        of the mixture, whose scales stretch the order differently, items far apart would seem to be in doubt.
        """
        self.mixture.learn(self._pairs[: self.n_answers])
        return self.mixture.sample(n_draws, seed, rows_of(rows, len(self.mean)))


class _Independent(IndependentBelief, ProbitBelief):
    """A belief without covariances."""

    def __init__(self, n_items: int, *, scale: float = 1.0) -> None:
        super().__init__(n_items)
        self._variance = np.full(n_items, float(scale) ** 2)

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of each score."""
        return self._variance[rows_of(rows, len(self.mean))]


class DiagonalPropagated(_Independent):
    """The incremental step of expectation propagation, with the variances only.

    Examples
    --------
    >>> DiagonalPropagated(3).update(0, 1).mean.round(2)
    array([ 0.46, -0.46,  0.  ])
    """

    def _update(self, better: int, worse: int) -> None:
        """Learn one answer about the two items and no other."""
        from penchant.simulate.asking_kernels import tilted_derivatives

        both = np.array([better, worse])
        along = self._variance[both] * [1.0, -1.0]
        gradient, curvature = tilted_derivatives(self.mean[better] - self.mean[worse], along[0] - along[1])
        self.mean[both] += gradient * along
        self._variance[both] -= curvature * along**2


class GlickoRated(_Independent):
    """Glickman's update, one game at a time, in units in which an answer's noise is about 1.

    Examples
    --------
    >>> GlickoRated(3).update(0, 1).mean.round(2)
    array([ 0.45, -0.45,  0.  ])
    """

    def _update(self, better: int, worse: int) -> None:
        """Update both ratings by one game."""
        from penchant.worth.rated import Q, glicko_lesson, glicko_moved

        unit = _LOGIT / Q
        rating = (self.mean[[better, worse]] * unit).tolist()
        variance = (self._variance[[better, worse]] * unit**2).tolist()
        for place, (item, score) in enumerate(((better, 1.0), (worse, 0.0))):
            game = glicko_lesson(rating[place], rating[1 - place], variance[1 - place], score)
            new_rating, new_variance = glicko_moved(rating[place], variance[place], *game)
            self.mean[item], self._variance[item] = new_rating / unit, new_variance / unit**2
