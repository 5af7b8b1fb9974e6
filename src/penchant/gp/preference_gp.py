"""PreferenceGP: a smooth utility of features with error bars, learned from comparisons."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant import schema
from penchant.belief import LOGISTIC_NOISE, LiveBelief
from penchant.checks import Floats, above_zero, numbers, one_of, vector, whole
from penchant.errors import InvalidInput, PenchantWarning
from penchant.gp.inference.answers import PairCounts, compared_items
from penchant.gp.inference.columns import Columns
from penchant.gp.inference.evidence import Evidence, Search, learn_hyperparameters
from penchant.gp.inference.feature_utility import FeatureUtility, TrainingData, check_training
from penchant.gp.inference.hyperposterior import components, warn_of_bounds
from penchant.gp.inference.hyperprior import Hyperprior, Units, thresholds
from penchant.gp.inference.likelihood import LINKS, Likelihood, likelihood_of
from penchant.gp.inference.predictive import Component, Mixture
from penchant.gp.inference.settings import LEAST, MOST, enough_noise, of_usual_size
from penchant.gp.kernels import Kernel, SquaredExponential
from penchant.gp.scikit_kernel import as_kernel
from penchant.preferences import Preferences
from penchant.threads import one_thread

Mean = ArrayLike | Callable[[Floats], ArrayLike] | None

_MOST_TIED = 0.99


def _check_learned(state: Mapping[str, Any]) -> None:
    """Reject what a saved model learned where it does not fit together."""
    pivots, features = state["_pivots"], state["features_"]
    schema.require(len(np.unique(pivots)) == len(pivots), "_pivots must be different items")
    others = state.get("_others", ())
    total = sum(component.weight for component in others)
    schema.require(total <= 1, f"weights of _others must sum to 1 at most, got {total:g}")
    for component in (_mode(state), *others):
        component.check(features)
    schema.require(
        np.isfinite(_prior_mean(state["_prior"], features)).all(), "_prior must give finite utilities"
    )


class PreferenceGP(FeatureUtility):
    """A utility of features, with error bars, from comparisons of rows (Chu and Ghahramani 2005).

    The utility f has a Gaussian process for a prior, and each of two compared rows is perceived with noise:
    P(a beats b) = Φ((f_a − f_b) / (√2·noise)). Only differences of utilities can be learned, and only in
    units of the noise, which is therefore given and not learned.

    Hyperparameters that are learned have weak priors in the units of the data, and are uncertain: predictions, error
    bars and draws average over several kernels around the most probable one. The prior of a feature's log lengthscale
    is normal with an sd of 1 around √d standard deviations of the feature (lengthscales share most of their
    deviation), that of the log variance with 1.5 around 4 noise².

    Rows with the same features are one item, and a comparison of such rows carries no information. m comparisons of n
    rows cost O(n³ + m) time and O(n² + m) memory; a smooth kernel on many rows costs far less than n³.

    Parameters
    ----------
    kernel : Kernel or kernel of scikit-learn, optional
        None: a `SquaredExponential` with a lengthscale a feature, which starts at √d standard deviations of
        the feature, and a variance that starts at noise².
    noise : float, default 1.0
        The sd of a perceived utility; with ``likelihood="logit"`` P(a beats b) = 1/(1 + exp(−(f_a − f_b)/noise)).
    inference : {"ep", "laplace"}, default "ep"
        Expectation propagation, whose error bars have the stated coverage, or Laplace's approximation around the
        posterior mode, whose error bars are a little too narrow.
    optimizer : "evidence" or None, default "evidence"
        Whether the kernel's hyperparameters are learned from the comparisons, with weak priors and within their
        bounds, or kept. A warning names one that is learned at a bound. Hyperparameters other than
        lengthscales and variances, and those of a user's own kernel class, have no prior but their bounds.
    restarts : int, default 0
        The number of further starts of the search for hyperparameters.
    likelihood : {"probit", "logit"}, default "probit"
    mean : None, array-like of shape (n_features,) or callable, default None
        The prior mean of the utility: 0, the weights of a linear one, or a function from rows
        (n, n_features) to utilities (n,). A model with a function cannot be saved.
    indifference : float, optional
        How far two perceived utilities may differ and still be called equal. None: 0 without ties; with ties it
        is learned, from the value at which equal items tie as often as the answers do.
    seed : int, optional
        Of the restarts.

    Attributes
    ----------
    kernel_ : Kernel
        With the most probable hyperparameters, or those that were kept.
    components_ : tuple of Component
        The posteriors over which predictions average, each with its ``kernel`` and ``weight``; the first has
        ``kernel_``. One with the weight 1 where hyperparameters were kept.
    indifference_ : float
    log_evidence_ : float
        Approximately log P(comparisons) with ``kernel_``, by which kernels can be compared.
    log_evidence_gradient_ : ndarray of shape (p,)
        With ``optimizer="evidence"``: its derivative by ``kernel_.theta``, and by the logarithm of the
        indifference where that was learned; minus that of the log prior but for hyperparameters at a bound.
    features_ : ndarray of shape (n_items, n_features)
        The different rows that were compared, sorted.
    alpha_ : ndarray of shape (n_items,)
        K⁻¹ times their utilities less the prior mean: with ``kernel_`` alone the utility at x is
        mean(x) + k(x)ᵀ alpha.
    n_features_in_ : int
    feature_names_in_ : tuple of str
        Where X was a DataFrame.

    References
    ----------
    Chu and Ghahramani, Preference learning with Gaussian processes, ICML 2005.
    Minka, Expectation propagation for approximate Bayesian inference, UAI 2001.
    Rue, Martino and Chopin, Approximate Bayesian inference for latent Gaussian models, JRSS B 2009.

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

    __saved__: ClassVar = schema.Schema(
        {
            "kernel": schema.Maybe(schema.Instance(Kernel)),
            "noise": schema.Number(LEAST, MOST),
            "inference": schema.OneOf(("ep", "laplace")),
            "optimizer": schema.OneOf(("evidence", None)),
            "restarts": schema.Whole(0),
            "likelihood": schema.OneOf(tuple(LINKS)),
            "mean": schema.Plain(),
            "indifference": schema.Maybe(schema.Number(0)),
            "seed": schema.Maybe(schema.Whole(0, 2**1024)),
        },
        {
            "n_features_in_": schema.Whole(1, size=True),
            "kernel_": schema.Instance(Kernel),
            "indifference_": schema.Number(0),
            "log_evidence_": schema.Number(),
            "features_": schema.Array(("n_items", "n_features_in_")),
            "alpha_": schema.Array(("n_items",)),
            "_pivots": schema.Array(("rank",), "int64", below="n_items"),
            "_triangle": schema.Array(("rank", "rank")),
            "_root": schema.Array(("rank", "rank")),
            "_link": schema.OneOf(tuple(LINKS)),
            "_noise": schema.Number(LEAST, MOST),
            "_prior": schema.Plain(),
        },
        {
            **FeatureUtility._TRAINING,
            "log_evidence_gradient_": schema.Array((None,)),
            "_others": schema.TupleOf(schema.Instance(Component)),  # not in files of earlier versions
        },
        rules=(_check_learned, check_training),
    )

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
        self.kernel, self.mean, self.noise = kernel, mean, noise
        self.likelihood, self.indifference, self.inference = likelihood, indifference, inference
        self.optimizer, self.restarts, self.seed = optimizer, restarts, seed

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
            Above 0; a weight of two counts as two equal answers. Preferences bring their own.
        tie : array-like of bool, shape (m,), optional
            Where the answer is a tie. Preferences bring their own.
        """
        return self._fit(TrainingData.of(X, pairs, weight, tie))

    def live(self, preferences: Preferences, *, features: Any = None, links: Any = None) -> LiveBelief:
        """Return a belief over the items of ``preferences`` that learns further answers one at a time.

        It is a mixture over kernels around the most probable hyperparameters, which are learned from 8 answers on, from
        the first ones, about at most 200 items; before that it is a mixture over their weak priors. A
        kernel that is kept (``optimizer=None``) is the only one. A logit likelihood is approximated by a probit one.

        It takes up to 2,000 items and any number of answers. It has at most 9 components, above 300 items 3, and the
        cost of an answer is in proportion to their number. The model itself stays as it is, and the result depends on
        its settings and on the arguments alone. While nothing was tied and no indifference is given, equal items tie
        with the probability ½/(10 + the number of answers).

        Parameters
        ----------
        preferences : Preferences
            Their items may include some that were never compared. Both-bad answers compare with a bar, which is
            independent of the items.
        features : DataFrame with the ids as its index, or array of shape (n_items, n_features)
        links : None
            Links are for `LinkedGP`.

        Examples
        --------
        >>> from penchant import Preferences
        >>> belief = PreferenceGP().live(Preferences.from_pairs([(2, 0)], items=range(3)), features=[[0], [1], [2]])
        >>> _ = belief.answer(1, 0, 0)
        >>> belief.rank().items
        ('2', '1', '0')
        """
        from penchant.gp.inference.live_functions import preference_belief

        return preference_belief(self, preferences, features=features, links=links)

    def _fit(self, data: TrainingData) -> Self:
        evidence, kernel, likelihood = self._start(data)
        items = evidence.X
        with one_thread():
            result = (
                self._with_given(evidence, kernel, likelihood)
                if self.optimizer is None
                else self._with_learned(evidence, kernel, likelihood)
            )
        self._keep_data(data)
        self._keep(items, result)
        return self

    def _start(self, data: TrainingData, *, quiet: bool = False) -> tuple[Evidence, Kernel, Likelihood]:
        """Return the items with their answers, and the kernel and the likelihood that learning starts from."""
        self._check_settings()
        items, counts = compared_items(data.rows, data.answers)
        kernel = self._first_kernel(items, data.columns, quiet=quiet)
        likelihood, learn_threshold = self._starting_likelihood(counts)
        return Evidence(items, counts, _prior_mean(self.mean, items), learn_threshold), kernel, likelihood

    def _first_kernel(self, items: Floats, columns: Columns, *, quiet: bool = False) -> Kernel:
        """Return the kernel that was given, or the default one in the units of ``items``."""
        if self.kernel is not None:
            return as_kernel(self.kernel)
        return _starting_kernel(items, columns, self.noise, quiet=quiet)

    def _mode_search(self, data: TrainingData) -> Search:
        """Return the search that starts at the most probable hyperparameters."""
        evidence, kernel, likelihood = self._start(data, quiet=True)
        kernel, likelihood, prior = self._learned(evidence, kernel, likelihood)
        return Search(evidence, kernel, likelihood, self.inference, prior)

    def predict(self, X: Any, *, return_std: bool = False, return_cov: bool = False) -> Any:
        """Return the expected utility of rows, shape (n_rows,), and its uncertainty on request.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
        return_std : bool
            Return (utility, standard deviation), (n_rows,) each.
        return_cov : bool
            Return (utility, covariance), the latter (n_rows, n_rows). Differences of utilities are more certain than
            the utilities themselves: their variance is c_ii + c_jj − 2 c_ij.
        """
        if return_std and return_cov:
            raise InvalidInput("return_std and return_cov must not both be True: ask for one of them")
        rows = self._inputs(X)
        with one_thread():
            if return_cov:
                return self._posterior.mean_covariance(rows)
            if return_std:
                mean, variance = self._posterior.mean_variance(rows)
                return mean, np.sqrt(variance)
            return self._posterior.mean(rows)

    def win_probability(self, a: Any, b: Any) -> Any:
        """Return the probability that rows ``a`` are preferred to rows ``b``, given that one of them is.

        Parameters
        ----------
        a, b : array-like or DataFrame of shape (n_rows, n_features), or (n_features,) for one row
            Features, one row or as many as on the other side. One row each gives a float.
        """
        first, second = self._columns.sides(a, b)
        likelihood = likelihood_of(self._link, self._noise)
        with one_thread():
            probability = self._posterior.averaged(first, second, likelihood.win_probability)
        return float(probability[0]) if np.ndim(a) == np.ndim(b) == 1 else probability

    def sample(self, X: Any, n: int = 1, *, seed: int | None = None) -> Floats:
        """Draw utilities of rows jointly from the posterior, shape (n, n_rows); each draw is with one kernel.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
        n : int
            The number of draws.
        seed : int, optional
        """
        whole("n", n, 0)
        rows = self._inputs(X)
        with one_thread():
            return self._posterior.sample(rows, n, seed)

    # -- fitting -------------------------------------------------------------------------------------------

    def _starting_likelihood(self, counts: PairCounts) -> tuple[Likelihood, bool]:
        """Return the likelihood at the start, and whether its threshold is to be learned."""
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

    def _with_given(self, evidence: Evidence, kernel: Kernel, likelihood: Likelihood) -> _Result:
        """Return the posterior with the hyperparameters as they are."""
        posterior = evidence.posterior(kernel, likelihood, self.inference)
        enough_noise(self.noise, posterior.log_evidence)
        component = Component.of(1.0, kernel, posterior)
        return _Result(likelihood.threshold, posterior.log_evidence, None, [component])

    def _with_learned(self, evidence: Evidence, kernel: Kernel, likelihood: Likelihood) -> _Result:
        """Return the posteriors at the mode of the hyperparameters, the first, and around it."""
        kernel, likelihood, prior = self._learned(evidence, kernel, likelihood)
        posterior = evidence.posterior(kernel, likelihood, self.inference)
        enough_noise(self.noise, posterior.log_evidence)
        search = Search(evidence, kernel, likelihood, self.inference, prior)
        warn_of_bounds(search)
        gradient = evidence.gradient(kernel, likelihood, posterior)
        parts = components(search, posterior)
        return _Result(likelihood.threshold, posterior.log_evidence, gradient, parts)

    def _learned(
        self, evidence: Evidence, kernel: Kernel, likelihood: Likelihood
    ) -> tuple[Kernel, Likelihood, Hyperprior]:
        """Return the kernel and the likelihood at the mode of the hyperparameters, and the prior of these."""
        prior = kernel.prior(Units.of(evidence.X, self.noise))
        if evidence.learn_threshold:
            prior = Hyperprior.joined(prior, thresholds(likelihood.scale))
        found = learn_hyperparameters(
            evidence, kernel, likelihood, self.inference, prior=prior, restarts=self.restarts, seed=self.seed
        )
        return *found, prior

    def _keep(self, items: Floats, result: _Result) -> None:
        mode, *others = result.components
        self.kernel_ = mode.kernel
        self.indifference_ = result.threshold
        self.log_evidence_ = result.log_evidence
        if result.gradient is not None:
            self.log_evidence_gradient_ = result.gradient
            self._others = tuple(others)
        self.features_ = items
        self.alpha_ = mode.alpha
        self._pivots, self._triangle, self._root = mode.pivots, mode.triangle, mode.root
        # The settings of this fit, whatever is set afterwards.
        self._link, self._noise, self._prior = self.likelihood, float(self.noise), self.mean

    def _check_settings(self) -> None:
        of_usual_size("noise", self.noise)
        one_of("inference", self.inference, ("ep", "laplace"))
        one_of("optimizer", self.optimizer, ("evidence", None))
        one_of("likelihood", self.likelihood, LINKS)
        if self.indifference is not None and self.indifference != 0:
            above_zero("indifference", self.indifference)
        whole("restarts", self.restarts, 0)
        if self.seed is not None:
            whole("seed", self.seed, 0)

    # -- prediction ----------------------------------------------------------------------------------------

    @property
    def components_(self) -> tuple[Component, ...]:
        """The posteriors that predictions average, each with its kernel and weight; the first has ``kernel_``."""
        if not hasattr(self, "alpha_"):
            raise AttributeError("components_ exists once fit_pairs was called")
        return _mode(vars(self)), *getattr(self, "_others", ())

    @property
    def _posterior(self) -> Mixture:
        return Mixture(self.components_, self.features_, lambda rows: _prior_mean(self._prior, rows))

    @property
    def _item_noise(self) -> float:
        return _noise_on_item(self._link, self._noise)


def _noise_on_item(link: str, noise: float) -> float:
    """Return the sd of the rating noise on each item with which a probit likelihood is close to that of the link."""
    return noise if link == "probit" else LOGISTIC_NOISE * noise


class _Result(NamedTuple):
    """The result of a fit; the first component has the hyperparameters that are reported."""

    threshold: float
    log_evidence: float
    gradient: Floats | None
    components: list[Component]


def _mode(state: Mapping[str, Any]) -> Component:
    """Return the component of a model's state whose hyperparameters are reported; its weight is the rest of 1."""
    weight = 1.0 - sum(component.weight for component in state.get("_others", ()))
    parts = (state[name] for name in ("kernel_", "alpha_", "_pivots", "_triangle", "_root"))
    return Component(weight, *parts)


def _starting_kernel(
    items: Floats, columns: Columns, noise: float, *, quiet: bool = False
) -> SquaredExponential:
    """Return the default kernel, in the units of the features and of the noise."""
    deviation = items.std(axis=0)
    constant = np.ptp(items, axis=0) == 0
    if constant.any() and not quiet:
        label = columns.labels[int(np.argmax(constant))]
        warnings.warn(
            f"{label} is the same in all compared rows: nothing can be learned about it, leave it out",
            PenchantWarning,
            stacklevel=6,
        )
    deviation[constant] = 1.0
    start = deviation * np.where(constant, 1.0, np.sqrt(items.shape[1]))
    reach = np.where(constant, [[1.0], [1.0]], [[0.05], [50.0]])  # a constant feature keeps its lengthscale
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
