"""Items that come later. A prior of the items so far and links in; the prior of all items out.

On the enlarged graph everything changes a little, also between the items that were there before. Here those keep
what was believed of them, and only what is new is worked out: given the others, new items n have precision
Q_nn = β(Δ_nn + I/ι²) and mean A g with A = Q_nn⁻¹ β W_no.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.linked.priors import Prior


class ArrivedPrior(Prior):
    """A prior, and items whose utility is a mixture of its items' with something of their own.

    Its covariance is M K Mᵀ with M = [I; A], plus what is new items' own.

    Parameters
    ----------
    old : Prior
        Of the items so far, with covariance K.
    share : array of shape (n_new, n_old)
        A.
    own : array of shape (n_new, n_new)
        Q_nn⁻¹.
    """

    def __init__(self, old: Prior, share: Floats, own: Floats) -> None:
        self.n_items = old.n_items + len(own)
        self._old, self._share, self._own = old, share, own

    @classmethod
    def of(cls, old: Prior, links: Any, *, beta: float, iota: float) -> ArrivedPrior:
        """Link new items to ``old`` ones; ``links`` holds the weights of the new, (n_new, n_old + n_new)."""
        among = links[:, old.n_items :].toarray()
        np.fill_diagonal(among, 0.0)
        toward = links[:, : old.n_items].toarray()
        degree = among.sum(axis=1) + toward.sum(axis=1)
        own = np.linalg.inv(beta * (np.diag(degree + 1 / iota**2) - among))
        own = (own + own.T) / 2
        return cls(old, own @ (beta * toward), own)

    def block(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K₀[rows, columns]; None is all columns."""
        n_old = self._old.n_items
        made_of = self._made_of(rows)
        items = np.flatnonzero(made_of.any(axis=0))
        toward_old = made_of[:, items] @ self._old.block(items)
        block = np.concatenate([toward_old, toward_old @ self._share.T], axis=1)
        new = rows >= n_old
        block[new, n_old:] += self._own[rows[new] - n_old]
        return block if columns is None else block[:, columns]

    def variance(self, rows: Ints | None = None) -> Floats | None:
        """Return the diagonal at ``rows`` (None: all), or None where all of it would cost too much."""
        if rows is None:
            old = self._old.variance()
            new = self.variance(np.arange(self._old.n_items, self.n_items))
            return None if old is None or new is None else np.concatenate([old, new])
        variance: Floats = self.block(rows)[np.arange(len(rows)), rows]
        return variance

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return two vectors between which the diagonal lies."""
        lower, upper = self._old.variance_bounds()
        new = self.variance(np.arange(self._old.n_items, self.n_items))
        return np.concatenate([lower, new]), np.concatenate([upper, new])

    def _made_of(self, rows: Ints) -> Floats:
        """Return M[rows], shape (len(rows), n_old)."""
        n_old = self._old.n_items
        mixture = np.zeros((len(rows), n_old))
        new = rows >= n_old
        mixture[~new, rows[~new]] = 1.0
        mixture[new] = self._share[rows[new] - n_old]
        return mixture
