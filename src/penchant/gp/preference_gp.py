"""Step two: PreferenceGP. Features and comparisons in, a smooth utility with error bars out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, numbers, shown, vector
from penchant.errors import InvalidInput, NotFitted, PenchantWarning
from penchant.gp.answers import Answers, answers_about
from penchant.gp.evidence import Belief, Evidence, learned
from penchant.gp.gaussian import Factor, one_thread
from penchant.gp.kernels import Kernel, SquaredExponential
from penchant.gp.likelihood import LINKS, Likelihood, likelihood_of
from penchant.gp.named_rows import Columns
from penchant.gp.pair_counts import PairCounts
from penchant.gp.scikit_kernel import as_kernel
from penchant.model import Model

Mean = ArrayLike | Callable[[Floats], ArrayLike] | None

_BLOCK = 1 << 23
_MOST_TIED = 0.99


class PreferenceGP(Model):
    """A utility of features, with error bars, from comparisons of rows (Chu and Ghahramani 2005).

    The utility f has a Gaussian process for a prior, and each of two compared rows is perceived with noise:
    P(a beats b) = Φ((f_a − f_b) / (√2·noise)). Only differences of utilities can be learned, and only in
    units of the noise, which is therefore given and not learned.

    Rows with the same features are one item, and a comparison of such rows teaches nothing. m comparisons of n
    rows cost O(n³ + m) time and O(n² + m) memory; a smooth kernel on many rows costs far less than n³.

    Parameters
    ----------
    kernel : Kernel or kernel of scikit-learn, optional
        None: a `SquaredExponential` with a lengthscale a feature, which starts at √d standard deviations of
        the feature, and a variance that starts at noise².
    noise : float, default 1.0
        The sd of a perceived utility; with ``likelihood="logit"`` P(a beats b) = 1/(1 + exp(−(f_a − f_b)/noise)).
    inference : {"ep", "laplace"}, default "ep"
        Expectation propagation, whose error bars hold what they promise, or Laplace's approximation around the
        most likely utilities, whose error bars are a little too narrow.
    optimizer : "evidence" or None, default "evidence"
        Whether the kernel's hyperparameters are chosen such that the comparisons are most likely, or kept.
    restarts : int, default 0
        From how many other starts hyperparameters are searched.
    likelihood : {"probit", "logit"}, default "probit"
    mean : None, array-like of shape (n_features,) or callable, default None
        The prior mean of the utility: 0, the weights of a linear one, or a function from rows
        (n, n_features) to utilities (n,). A model with a function cannot be saved.
    indifference : float, optional
        How far two perceived utilities may differ and still be called equal. None: 0 without ties; with ties
        the one that lets equal items tie as often as was said, from where the optimizer goes on.
    seed : int, optional
        Of the restarts.

    Attributes
    ----------
    kernel_ : Kernel
        With the hyperparameters that were chosen.
    indifference_ : float
    log_evidence_ : float
        Approximately log P(comparisons), by which kernels can be compared.
    log_evidence_gradient_ : ndarray of shape (p,)
        With ``optimizer="evidence"``: its derivative by ``kernel_.theta``, and by the logarithm of the
        indifference where that was learned; 0 but for hyperparameters at a bound.
    features_ : ndarray of shape (n_items, n_features)
        The different rows that were compared, sorted.
    alpha_ : ndarray of shape (n_items,)
        K⁻¹ times what their utilities are above the prior mean: the utility at x is mean(x) + k(x)ᵀ alpha.
    n_features_in_ : int
    feature_names_in_ : tuple of str
        Where X was a DataFrame.

    References
    ----------
    Chu and Ghahramani, Preference learning with Gaussian processes, ICML 2005.
    Minka, Expectation propagation for approximate Bayesian inference, UAI 2001.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = PreferenceGP(SquaredExponential(1.0, 2.0), optimizer=None)
    >>> model = model.fit_pairs(X, [(2, 0), (2, 1), (1, 0), (2, 3), (3, 0)])
    >>> utility, deviation = model.predict(X, return_std=True)
    >>> utility.round(2)
    array([-1.09,  0.16,  1.29,  0.64])
    >>> deviation.round(2)
    array([1.2 , 1.28, 1.24, 1.21])
    >>> round(model.win_probability([2.0], [0.0]), 2)
    0.89
    """

    def __init__(
        self,
        kernel: Any = None,
        *,
        noise: float = 1.0,
        inference: Literal["ep", "laplace"] = "ep",
        optimizer: Literal["evidence"] | None = "evidence",
        restarts: int = 0,
        likelihood: Literal["probit", "logit"] = "probit",
        mean: Mean = None,
        indifference: float | None = None,
        seed: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.noise = noise
        self.inference = inference
        self.optimizer = optimizer
        self.restarts = restarts
        self.likelihood = likelihood
        self.mean = mean
        self.indifference = indifference
        self.seed = seed

    def fit_pairs(
        self, X: Any, pairs: Any, *, weight: ArrayLike | None = None, tie: ArrayLike | None = None
    ) -> Self:
        """Learn from comparisons of rows.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
        pairs : array-like of int, shape (m, 2), or Preferences
            Rows of X, better first. Preferences of ids need a DataFrame X with the ids as its index.
        weight : array-like of shape (m,), optional
            Above 0; two is as good as saying it twice. Preferences bring their own.
        tie : array-like of bool, shape (m,), optional
            Where the two rows are equal instead. Preferences bring their own.
        """
        self._check_settings()
        columns = Columns.of(X)
        rows = columns.rows(X)
        items, counts = _compared(rows, answers_about(X, len(rows), pairs, weight, tie))
        kernel = (
            _starting_kernel(items, columns, self.noise) if self.kernel is None else as_kernel(self.kernel)
        )
        likelihood, learn_threshold = self._starting_likelihood(counts)
        evidence = Evidence(items, counts, _prior_mean(self.mean, items), learn_threshold)
        with one_thread():
            if self.optimizer is not None:
                kernel, likelihood = learned(
                    evidence, kernel, likelihood, self.inference, restarts=self.restarts, seed=self.seed
                )
            belief = evidence.belief(kernel, likelihood, self.inference)
            gradient = None if self.optimizer is None else evidence.gradient(kernel, likelihood, belief)
        self._keep(columns, kernel, likelihood, items, belief, gradient)
        return self

    def predict(self, X: Any, *, return_std: bool = False, return_cov: bool = False) -> Any:
        """Return the expected utility of rows, shape (n_rows,), and on request how sure it is.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
        return_std : bool
            Return (utility, standard deviation), (n_rows,) each.
        return_cov : bool
            Return (utility, covariance), the latter (n_rows, n_rows). Differences of utilities are surer than
            the utilities themselves: their variance is c_ii + c_jj − 2 c_ij.
        """
        if return_std and return_cov:
            raise InvalidInput("return_std and return_cov must not both be True: ask for one of them")
        rows = self._rows(X)
        utility = self._mean_at(rows)
        if return_cov:
            rest, seen = self._covariance_parts(rows)
            return utility, rest + seen.T @ seen
        if return_std:
            parts = [self._variance_at(rows[block]) for block in self._blocks(len(rows))]
            return utility, np.sqrt(np.concatenate(parts))
        return utility

    def win_probability(self, a: Any, b: Any) -> Any:
        """Return the chance that rows ``a`` are preferred to rows ``b`` by somebody who must choose.

        Parameters
        ----------
        a, b : array-like or DataFrame of shape (n_rows, n_features), or (n_features,) for one row
            Features, one row or as many as on the other side. One row each gives a float.
        """
        single = np.ndim(a) == np.ndim(b) == 1
        first, second = (self._rows(side if np.ndim(side) == 2 else [side]) for side in (a, b))
        if len(first) != len(second) and 1 not in (len(first), len(second)):
            raise InvalidInput(
                f"a and b must have as many rows, or one, got {len(first)} and {len(second)}: give equal numbers"
            )
        n_rows = max(len(first), len(second)) if len(first) and len(second) else 0
        first, second = (np.broadcast_to(side, (n_rows, side.shape[1])) for side in (first, second))
        lead = self._mean_at(first) - self._mean_at(second)
        parts = [self._difference_variance(first[block], second[block]) for block in self._blocks(n_rows)]
        chance = likelihood_of(self._link, self._noise).chance(lead, np.concatenate(parts))
        return float(chance[0]) if single else chance

    def sample(self, X: Any, n: int = 1, *, seed: int | None = None) -> Floats:
        """Draw utilities of rows jointly from the belief, shape (n, n_rows).

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
        n : int
            How many draws.
        seed : int, optional
        """
        rows = self._rows(X)
        rest, seen = self._covariance_parts(rows)
        root = np.vstack([Factor.of(rest).L.T, seen])
        return self._mean_at(rows) + np.random.default_rng(seed).normal(size=(n, len(root))) @ root

    # -- fitting -------------------------------------------------------------------------------------------

    def _starting_likelihood(self, counts: PairCounts) -> tuple[Likelihood, bool]:
        """Return the likelihood to begin with, and whether its threshold is to be learned."""
        likelihood = likelihood_of(self.likelihood, self.noise)
        tied = float(counts.count[counts.tie].sum() / counts.count.sum())
        if self.indifference is None:
            threshold = likelihood.threshold_for(min(tied, _MOST_TIED))
            return replace(likelihood, threshold=threshold), bool(tied) and self.optimizer is not None
        if tied and not self.indifference:
            raise InvalidInput(
                "indifference must be above 0 where there are ties, got 0: raise it, or leave it out"
            )
        return replace(likelihood, threshold=float(self.indifference)), False

    def _keep(
        self,
        columns: Columns,
        kernel: Kernel,
        likelihood: Likelihood,
        items: Floats,
        belief: Belief,
        gradient: Floats | None,
    ) -> None:
        for name in vars(self).keys() - self._settings().keys():
            delattr(self, name)
        self.n_features_in_ = columns.count
        if columns.names is not None:
            self.feature_names_in_ = columns.names
        self.kernel_ = kernel
        self.indifference_ = likelihood.threshold
        self.log_evidence_ = belief.log_evidence
        if gradient is not None:
            self.log_evidence_gradient_ = gradient
        self.features_ = items
        self.alpha_ = belief.alpha
        self._pivots = belief.posterior.factor.pivots
        self._triangle = belief.posterior.factor.triangle
        self._root = np.ascontiguousarray(belief.posterior.root)
        # What was set then, whatever is set now.
        self._link, self._noise, self._prior = self.likelihood, float(self.noise), self.mean

    def _check_settings(self) -> None:
        _above_zero("noise", self.noise)
        _one_of("inference", self.inference, ("ep", "laplace"))
        _one_of("optimizer", self.optimizer, ("evidence", None))
        _one_of("likelihood", self.likelihood, LINKS)
        if self.indifference is not None and self.indifference != 0:
            _above_zero("indifference", self.indifference)
        if not isinstance(self.restarts, int | np.integer) or self.restarts < 0:
            raise InvalidInput(
                f"restarts must be a whole number from 0, got {shown(self.restarts)}: correct it"
            )

    # -- asking --------------------------------------------------------------------------------------------

    def _rows(self, X: Any) -> Floats:
        if not hasattr(self, "alpha_"):
            raise NotFitted("PreferenceGP must be fitted first: call fit_pairs")
        return Columns(self.n_features_in_, getattr(self, "feature_names_in_", None)).rows(X)

    def _blocks(self, n_rows: int) -> Iterator[slice]:
        step = max(1, min(512, _BLOCK // len(self.features_)))
        return (slice(start, start + step) for start in range(0, max(1, n_rows), step))

    def _mean_at(self, rows: Floats) -> Floats:
        parts = [self.kernel_(rows[block], self.features_) @ self.alpha_ for block in self._blocks(len(rows))]
        return _prior_mean(self._prior, rows) + np.concatenate(parts)

    def _coordinates(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return l with k(x) = L l, and root⁻¹ l, whose squares are what is left of the variance that l explains."""
        factor = Factor(self._triangle, np.arange(len(self._pivots)))
        known = factor.coordinates(self.kernel_(self.features_[self._pivots], rows))
        return known, Factor(self._root, factor.pivots).coordinates(known)

    def _variance_at(self, rows: Floats) -> Floats:
        known, seen = self._coordinates(rows)
        rest = self.kernel_.diagonal(rows) - np.einsum("ij,ij->j", known, known)
        return np.asarray(np.maximum(rest, 0) + np.einsum("ij,ij->j", seen, seen))

    def _covariance_parts(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the part of the covariance that no comparison touches, (k, k), and a root of the rest, (r, k)."""
        known, seen = self._coordinates(rows)
        return self.kernel_(rows) - known.T @ known, seen

    def _difference_variance(self, first: Floats, second: Floats) -> Floats:
        known, seen = (
            one - other for one, other in zip(*map(self._coordinates, (first, second)), strict=True)
        )
        prior = self.kernel_.diagonal(first) + self.kernel_.diagonal(second)
        prior -= 2 * np.diagonal(self.kernel_(first, second))
        rest = prior - np.einsum("ij,ij->j", known, known)
        return np.asarray(np.maximum(rest, 0) + np.einsum("ij,ij->j", seen, seen))


def _compared(rows: Floats, answers: Answers) -> tuple[Floats, PairCounts]:
    """Return the different rows that were compared, and the answers about them."""
    used, place = np.unique(answers.pairs, return_inverse=True)
    items, same = np.unique(rows[used], axis=0, return_inverse=True)
    pairs = same.ravel()[place].reshape(-1, 2)
    counts = PairCounts.of(pairs, len(items), weight=answers.weight, tie=answers.tie)
    if not len(counts.count):
        raise InvalidInput(
            "pairs must compare rows with different features, got only rows that are the same: "
            "add features that tell them apart"
        )
    return items, counts


def _starting_kernel(items: Floats, columns: Columns, noise: float) -> SquaredExponential:
    """Return the kernel that is used where none is given, in the units of the features and of the noise."""
    deviation = items.std(axis=0)
    constant = np.ptp(items, axis=0) == 0
    if constant.any():
        label = columns.labels[int(np.argmax(constant))]
        warnings.warn(
            f"{label} is the same in all compared rows: nothing can be learned about it, leave it out",
            PenchantWarning,
            stacklevel=3,
        )
    deviation[constant] = 1.0
    start = deviation * np.where(constant, 1.0, np.sqrt(items.shape[1]))
    reach = np.where(constant, [[1.0], [1.0]], [[0.05], [50.0]])  # a constant feature has nothing to learn
    within = tuple((low, high) for low, high in (deviation * reach).T.tolist())
    bounds = (1e-2 * noise**2, 1e3 * noise**2)
    return SquaredExponential(tuple(start), noise**2, within, bounds)


def _prior_mean(mean: Any, rows: Floats) -> Floats:
    if mean is None:
        return np.zeros(len(rows))
    if callable(mean):
        return vector("mean", mean(rows), length=len(rows))
    weights = numbers("mean", mean)
    if weights.shape != (rows.shape[1],):
        raise InvalidInput(
            f"mean must be a weight for each of {rows.shape[1]} features or a function of rows, "
            f"got shape {weights.shape}: correct it"
        )
    return np.asarray(rows @ weights)


def _above_zero(name: str, value: object) -> None:
    if not isinstance(value, int | float | np.number) or not 0 < value < np.inf:
        raise InvalidInput(f"{name} must be a number above 0, got {shown(value)}: correct the setting")


def _one_of(name: str, value: object, known: tuple[str | None, ...]) -> None:
    if value not in known:
        allowed = ", ".join(map(repr, known))
        raise InvalidInput(f"{name} must be one of {allowed}, got {shown(value)}: correct the setting")
