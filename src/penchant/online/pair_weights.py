"""Split the difference of two posterior means into what the answers about each pair contribute.

The likelihood of the answers about a pair is the site exp(ν·d − ½ τ·d²), d being the score of its first row less that
of its second. With the rows e_first − e_second of A, the prior N(m₀, K), L = AᵀTA and the posterior covariance
Σ = (K⁻¹ + L)⁻¹, the posterior mean is m = m₀ + Σ Aᵀ(ν − τ·A m₀): what a pair contributes to vᵀm is its pull
ν − τ·A m₀, times the posterior covariance of its difference with vᵀξ. The pull has the sign of the side that was
preferred more often, also where the other answers predict more of that; it has the other sign only where they predict
so much more that losses outweigh more wins: with 19 wins of 28, from about 88 % on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from penchant.checks import Floats, Ints
from penchant.linalg import conjugate_gradients

Times = Callable[[Floats], Floats]
_TOLERANCE = 1e-10


class PairSites(NamedTuple):
    """The sites of t pairs of rows, at a posterior mean m.

    Attributes
    ----------
    first, second : int array of shape (t,)
    tau : array of shape (t,)
    gradient : array of shape (t,)
        β = ν − τ·A m, for which m = m₀ + K Aᵀβ.
    moved : array of shape (t,)
        A(m − m₀): by how much the answers moved each difference.

    Examples
    --------
    Two items around 0 with variances of 1, of which the first was seen to be 3 above the second, with precision 1:

    >>> one = np.ones(1)
    >>> sites = PairSites(np.array([0]), np.array([1]), tau=one, gradient=one, moved=2 * one)
    >>> covariance = np.linalg.inv([[2.0, -1.0], [-1.0, 2.0]])
    >>> along = np.array([1.0, -1.0])
    >>> sites.contributions(along, covariance @ along, lambda values: values).round(6).tolist()
    [2.0]
    """

    first: Ints
    second: Ints
    tau: Floats
    gradient: Floats
    moved: Floats

    def apart(self, values: Floats) -> Floats:
        """Return A values, shape (t,)."""
        return np.asarray(values[self.first] - values[self.second])

    def precision_times(self, values: Floats) -> Floats:
        """Return L values, shape (n,)."""
        return self.spread(self.tau * self.apart(values), len(values))

    def spread(self, values: Floats, n_rows: int) -> Floats:
        """Return Aᵀ values, shape (n_rows,)."""
        spread = np.bincount(self.first, values, n_rows) - np.bincount(self.second, values, n_rows)
        return spread.astype(np.float64, copy=False)

    def solve(self, prior: Floats, right: Floats) -> Floats:
        """Return Σ right for independent priors with the precisions ``prior``, shape (n,)."""
        from scipy.sparse import csr_array

        n_rows = len(right)
        ends = np.concatenate([self.first, self.second]), np.concatenate([self.second, self.first])
        between = csr_array((np.tile(self.tau, 2), ends), shape=(n_rows, n_rows))
        diagonal = prior + np.bincount(ends[0], np.tile(self.tau, 2), n_rows)
        return conjugate_gradients(
            lambda values: diagonal * values - between @ values, diagonal, right, tolerance=_TOLERANCE
        )

    def contributions(self, along: Floats, solved: Floats, prior_times: Times) -> Floats:
        """Return what each pair contributes to alongᵀ(m − m₀), shape (t,).

        With x = Σ along this is (ν − τ·A m₀)·Ax = (τ·A(m − m₀) + β)·Ax. In the term of β, K(along − L x) stands for x,
        which it equals: so the weights add up whatever x is, and errors of ``solved`` only move weight between pairs.

        Parameters
        ----------
        along : array of shape (n,)
        solved : array of shape (n,)
            Σ along.
        prior_times : callable
            Multiplies K with a vector.
        """
        again = prior_times(along - self.precision_times(solved))
        return np.asarray(self.tau * self.moved * self.apart(solved) + self.gradient * self.apart(again))

    def own_contributions(self, own: Floats, posterior_times: Times, prior_times: Times) -> Floats:
        """Return what each pair contributes to ownᵀAᵀβ, the mean of a part of the scores, shape (t,).

        Where the scores are a sum of independent parts, Aᵀβ is what moves each of them, by its own prior covariance.
        Then the part has the posterior covariance (1 − ΣL) own with all scores.

        Parameters
        ----------
        own : array of shape (n,)
            The prior covariance of the part with all scores.
        posterior_times, prior_times : callable
            Multiply Σ and K with a vector.
        """
        along = self.precision_times(own)
        taken_back = self.contributions(along, posterior_times(along), prior_times)
        return np.asarray((self.tau * self.moved + self.gradient) * self.apart(own) - taken_back)
