"""MonotoneGP: a smooth utility of features that provably increases, or decreases, in some of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant import schema
from penchant.belief import LiveBelief
from penchant.checks import Floats, Ints, above_zero, numbers, shown, vector
from penchant.errors import InvalidInput, PenchantWarning
from penchant.gp.certificate import Certificate, certified
from penchant.gp.inference.answers import compared_items
from penchant.gp.inference.columns import MAPS, Columns, Lift
from penchant.gp.inference.evidence import Evidence
from penchant.gp.inference.feature_utility import FeatureUtility, TrainingData, check_training, row_ids
from penchant.gp.inference.likelihood import Probit
from penchant.gp.inference.linear_mean_evidence import learn_hyperparameters, posterior_mode
from penchant.gp.inference.linear_utility import PRIOR_SD, LinearUtility, linear_utility
from penchant.gp.inference.settings import LEAST, MOST, enough_noise, of_usual_size
from penchant.gp.inference.smooth_part import BlendedUtility, SmoothPart
from penchant.preferences import Preferences
from penchant.threads import one_thread

Column = str | int


def _check_learned(state: Mapping[str, Any]) -> None:
    """Reject what a saved model learned where it does not fit together."""
    n_features, direction, box, proof = (
        state[name] for name in ("n_features_in_", "direction_", "box_", "certificate_")
    )
    schema.require(state["smooth_"].items.shape[1] == n_features, f"smooth_ must have {n_features} features")
    schema.require((box[:, 0] < box[:, 1]).all(), "box_ must have lower ends below upper ones")
    columns = Columns(n_features, state.get("feature_names_in_"))
    Lift(state["lift_"]).check(box, columns.labels)
    constrained = direction != 0
    fits = proof.point.shape == (int(constrained.sum()), n_features)
    schema.require(fits, "certificate_ must be about the features that direction_ constrains")
    same = state["alpha_"] == proof.alpha and state["alpha_star_"] == proof.alpha_star
    schema.require(same, "alpha_ and alpha_star_ must be those of certificate_")
    schema.require((state["gamma_"][constrained] == proof.gamma).all(), "gamma_ must be that of certificate_")
    signs = np.sign(state["beta_"][constrained]) == direction[constrained]
    schema.require(signs.all(), "beta_ must have the signs of direction_")


class MonotoneGP(FeatureUtility):
    """A utility with error bars that provably increases in some features and decreases in others.

    The linear utility f_lin = β̂ᵀx is the maximum-likelihood one with the right signs; a Gaussian process
    with f_lin as its prior mean gives f_MAP, which fits better and need not be monotone. The learned utility
    y = α̃ f_lin + (1 − α̃) f_MAP takes as little of f_lin as monotonicity everywhere in a box allows: the least
    slopes γ of f_MAP over the box are bounded by branch and bound (`certificate_`), and the bound decides α̃.

    Utilities have no unit. β̂, the scale and the noise share one factor, which is fixed by Σ|β̂_j| = 1.

    Parameters
    ----------
    increasing, decreasing : column or sequence of columns
        In which features the utility must increase, and decrease: names of a DataFrame's columns, or indices. At
        least one feature must be named; all others are free.
    lengthscale : float or sequence of float, optional
        Of the squared exponential kernel, one for all features or one for each, in the features' units.
        None: the most probable one a feature, by Laplace's evidence and a weak prior around half the box's side.
    scale : float, optional
        The prior sd of f − f_lin. None: the most probable one, with a weak prior around 1.4 times the noise.
    noise : float, optional
        The sd of the rating noise on each of two compared items: P(a beats b) = Φ((f_a − f_b)/(√2·noise)).
        None: the most probable one, with a weak prior around half the sd of f_lin over the items, so that it
        stays above 0 where no answer contradicts f_lin.
    epsilon : float, default 0.01
        How much more than necessary α̃ is, from above 0 to 1. Also where f_MAP is monotone already, α̃ is ε.
    bounds : sequence of (low, high) or mapping of columns to (low, high), optional
        The box in which the utility is proven to be monotone; it must contain the rows of X. None, and for
        columns that a mapping leaves out: the range of X.
    lift : mapping of columns to {"log", "sqrt", "square"}, optional
        Columns that are transformed by a strictly increasing map first: the logarithm where ratios matter. What is
        proven of the transformed column is proven of the column. Lengthscales and β̂ are then those of transformed
        columns; bounds, rows and gradients stay in the features' units.

    Attributes
    ----------
    beta_ : ndarray of shape (n_features,)
        β̂, the weights of the linear utility; their sizes sum to 1. A constrained one is at least 1e-6 of the
        noise of a comparison over the feature's range.
    lengthscale_, scale_, noise_
        Given or chosen: ndarray of shape (n_features,), float and float. Error bars take them as known; those of
        `live` include their uncertainty.
    f_lin_, f_map_ : ndarray of shape (n_rows,)
        The two utilities of the rows of X.
    direction_ : ndarray of shape (n_features,)
        1 for features in which the utility must increase, −1 for those in which it must decrease, 0 for free ones.
    gamma_ : ndarray of shape (n_features,)
        γ_j = min(0, the proven least slope of f_MAP), in the wanted direction; 0 for free features.
    alpha_star_, alpha_ : float
        Above α* the blend is monotone; α̃ = min(α* + ε, 1).
    certificate_ : Certificate
        The proof.
    box_ : ndarray of shape (n_features, 2)
        Where it holds, in the features' units.
    lift_ : tuple of str
        The map of each column, "" where there is none.
    smooth_ : SmoothPart
        The posterior of f − f_lin.
    log_evidence_ : float
        Laplace's approximation of log P(comparisons).

    References
    ----------
    Chin, Manzie, Ira, Nešić and Shames, Gaussian processes with monotonicity constraints for preference
    learning from pairwise comparisons, CDC 2018.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [0.5, 0.5], [1.0, 0.0], [1.0, 1.0]])
    >>> pairs = [(4, 0), (4, 1), (3, 1), (2, 0), (2, 3), (4, 2), (1, 0), (0, 2), (2, 4)]
    >>> model = MonotoneGP(increasing=[0, 1], lengthscale=0.4, scale=0.8, noise=0.3).fit_pairs(X, pairs)
    >>> model.beta_.round(2), round(model.alpha_, 2)
    (array([0.67, 0.33]), 0.23)
    >>> model.predict(X).round(2)
    array([0.21, 0.33, 0.61, 0.56, 0.87])
    >>> round(model.win_probability([1.0, 1.0], [0.0, 0.0]), 2)
    0.87
    >>> model.certificate_
    alpha 0.234, more than the 0.224 that monotonicity needs
    feature 0: the utility rises by at least 0.178 a unit; f_MAP by at least 0.0265 (seen 0.0266)
    feature 1: the utility rises by at least 0.00419 a unit; f_MAP by at least -0.0938 (seen -0.0937)
    """

    __saved__: ClassVar = schema.Schema(
        {
            "increasing": schema.Plain(),
            "decreasing": schema.Plain(),
            "lengthscale": schema.Plain(),
            "scale": schema.Maybe(schema.Number(LEAST, MOST)),
            "noise": schema.Maybe(schema.Number(LEAST, MOST)),
            "epsilon": schema.Number(0, 1, above=0),
            "bounds": schema.Plain(),
            "lift": schema.Plain(),
        },
        {
            "n_features_in_": schema.Whole(1, size=True),
            "box_": schema.Array(("n_features_in_", 2)),
            "beta_": schema.Array(("n_features_in_",)),
            "smooth_": schema.Instance(SmoothPart),
            "lengthscale_": schema.Array(("n_features_in_",), above=0),
            "scale_": schema.Number(above=0),
            "noise_": schema.Number(above=0),
            "f_lin_": schema.Array(("n_rows",)),
            "f_map_": schema.Array(("n_rows",)),
            "alpha_star_": schema.Number(),
            "alpha_": schema.Number(0, 1),
            "certificate_": schema.Instance(Certificate),
            "lift_": schema.TupleOf(schema.OneOf(("", *MAPS)), "n_features_in_"),
            "direction_": schema.Array(("n_features_in_",), "int64", least=-1, most=1),
            "gamma_": schema.Array(("n_features_in_",), most=0),
            "log_evidence_": schema.Number(),
        },
        FeatureUtility._TRAINING,
        rules=(_check_learned, check_training),
    )

    def __init__(
        self,
        *,
        increasing: Column | Sequence[Column] = (),
        decreasing: Column | Sequence[Column] = (),
        lengthscale: float | Sequence[float] | None = None,
        scale: float | None = None,
        noise: float | None = None,
        epsilon: float = 0.01,
        bounds: Sequence[tuple[float, float]] | Mapping[Column, tuple[float, float]] | None = None,
        lift: Mapping[Column, str] | None = None,
    ) -> None:
        self.increasing, self.decreasing = increasing, decreasing
        self.lengthscale, self.scale, self.noise = lengthscale, scale, noise
        self.epsilon, self.bounds, self.lift = epsilon, bounds, lift

    def fit_pairs(self, X: Any, pairs: Any, *, weight: ArrayLike | None = None) -> Self:
        """Learn from comparisons of rows ("Learning Algorithm").

        Parameters
        ----------
        X, pairs, weight
            As in `PreferenceGP.fit_pairs`; ties of Preferences are left out.
        """
        return self._fit(TrainingData.of(X, pairs, weight))

    def live(self, preferences: Preferences, *, features: Any = None, links: Any = None) -> LiveBelief:
        """Return a belief over the items of ``preferences`` that learns further answers one at a time.

        Its error bars include all that is uncertain: the weights of the features, the curvature of the utility, a part
        of each item that its features do not explain, and the sizes of these three beside the rating noise. Before any
        answer the mean rises linearly with the increasing features and falls with the decreasing ones, by 1 from the
        worst to the best corner of the box, and the sd of the change along a feature is usually as large as its mean.
        From 8 answers between items on, the belief is a mixture over kernels around the most probable
        hyperparameters, learned from the first answers, about at most 200 items; before that it is a
        mixture over their weak priors. A lengthscale, scale or noise that is given is kept.

        The belief knows the directions of the features as a prior, which answers can overrule, and an item may be
        better than its features say: its means are not proven to be monotone. The utility that `fit_pairs` learns is,
        with the noise and the scale taken as known.

        It takes up to 2,000 items and any number of answers. It has at most 9 components, above 300 items 3, and the
        cost of an answer is in proportion to their number. The model itself stays as it is, and the result depends on
        its settings and on the arguments alone. While nothing was tied, equal items tie with the probability
        ½/(10 + the number of answers).

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
        >>> model = MonotoneGP(increasing=[0])
        >>> belief = model.live(Preferences.from_pairs([], items=range(3)), features=[[0.0], [1.0], [2.0]])
        >>> belief.rank().items
        ('2', '1', '0')
        """
        from penchant.gp.inference.live_functions import monotone_belief

        return monotone_belief(self, preferences, features=features, links=links)

    def _lifted_box(self, columns: Columns, rows: Floats) -> tuple[Floats, Lift, Floats]:
        """Return the box in the features' units, the maps of the features, and the box of the transformed features."""
        box = _box(self.bounds, columns, rows)
        lift = Lift.of(self.lift, columns)
        lift.check(box, columns.labels)
        return box, lift, lift(box.T).T

    def _fit(self, data: TrainingData, *, quiet: bool = False) -> Self:
        columns = data.columns
        direction, given = self._direction(columns), self._given(columns)
        box, lift, lifted_box = self._lifted_box(columns, data.rows)
        rows = lift(data.rows)
        items, counts = compared_items(rows, data.answers.decided())
        width = lifted_box[:, 1] - lifted_box[:, 0]
        with one_thread():
            apart = items[counts.better] - items[counts.worse]
            line = linear_utility(apart, counts.count, direction, width)
            evidence = Evidence(items, counts, items @ line.coef)
            chosen = learn_hyperparameters(evidence, width, line.noise, **given)
            mode = posterior_mode(evidence, chosen)
            enough_noise(chosen.noise, mode.log_evidence)
            coef_sd = PRIOR_SD * chosen.likelihood.scale / width
            smooth = SmoothPart.at(mode, chosen.kernel, items, coef_sd)
            labels = lift.labels(columns.labels)
            proof = certified(smooth, line.coef, direction, lifted_box, self.epsilon, labels)
            f_lin, residual = rows @ line.coef, smooth.value(rows)
        for message in () if quiet else _caveats(line, proof):
            warnings.warn(message, PenchantWarning, stacklevel=3)
        self._keep_data(data)
        self.box_, self.lift_, self.direction_ = box, lift.names, direction
        self.beta_, self.smooth_ = line.coef, smooth
        self.lengthscale_ = np.array(chosen.lengthscale)
        self.scale_, self.noise_ = chosen.scale, chosen.noise
        self.f_lin_, self.f_map_ = f_lin, f_lin + residual
        self.alpha_star_, self.alpha_, self.certificate_ = proof.alpha_star, proof.alpha, proof
        self.gamma_ = np.zeros(columns.count)
        self.gamma_[direction != 0] = proof.gamma
        self.log_evidence_ = mode.log_evidence
        return self

    def predict(self, X: Any, *, return_std: bool = False, alpha: float | None = None) -> Any:
        """Return the utilities of rows, larger is better, and with ``return_std`` their uncertainty.

        The sd is the root of the mean squared distance, under the posterior, between f and the utility
        returned: the posterior variance, that of β̂ included, plus the square of what the blend moved. The
        level of a utility is arbitrary; for differences use `win_probability` or `difference`.

        Parameters
        ----------
        X : DataFrame or array-like of shape (k, n_features)
        return_std : bool
        alpha : float, optional
            The share of f_lin, from 0 (f_MAP) to 1 (f_lin). None: α̃.

        Returns
        -------
        mean, std : ndarray of shape (k,)
        """
        rows, utility = self._inputs(X), self._blend(alpha)
        with one_thread():
            if not return_std:
                return utility.mean(rows)
            mean, variance = utility.mean_variance(rows)
        return mean, np.sqrt(variance)

    def gradient(self, X: Any, *, alpha: float | None = None) -> Floats:
        """Return the gradient of the utility at rows, shape (k, n_features); ``alpha`` as in `predict`."""
        rows = self._columns.rows(X)
        with one_thread():
            lifted = self._blend(alpha).gradient(self._inputs(X))
        return lifted * Lift(self.lift_).derivative(rows)

    def difference(self, a: Any, b: Any) -> tuple[Floats, Floats]:
        """Return by how much the utility of rows ``a`` exceeds that of rows ``b``, and the sd of that.

        Parameters
        ----------
        a, b : DataFrame or array-like of shape (k, n_features), or (n_features,) for one row
            Features, one row or as many as on the other side.

        Returns
        -------
        mean, std : ndarray of shape (k,)
        """
        sides = self._columns.sides(a, b)
        self._warn_outside(np.vstack(sides))
        first, second = map(Lift(self.lift_), sides)
        with one_thread():
            mean, variance = self._posterior.difference(first, second)
        return mean, np.sqrt(variance)

    def win_probability(self, a: Any, b: Any) -> Any:
        """Return the probability that rows ``a`` are preferred to rows ``b``, given that one of them is.

        It is above ½ where ``a`` is at least as good in all constrained features, better in one of them, and
        equal in the free ones. Parameters as in `difference`; one row each gives a float.
        """
        mean, std = self.difference(a, b)
        probability = Probit(float(np.sqrt(2) * self.noise_)).win_probability(mean, std**2)
        return float(probability[0]) if np.ndim(a) == np.ndim(b) == 1 else probability

    # -- fitting -------------------------------------------------------------------------------------------

    def _direction(self, columns: Columns) -> Ints:
        """Return 1 for increasing features, −1 for decreasing ones, 0 for free ones."""
        direction = np.zeros(columns.count, dtype=np.int64)
        up, down = columns.places(self.increasing), columns.places(self.decreasing)
        both = np.intersect1d(up, down)
        if both.size:
            raise InvalidInput(
                f"{columns.labels[both[0]]} must be increasing or decreasing, got both: name it in one of them"
            )
        direction[up], direction[down] = 1, -1
        if not direction.any():
            raise InvalidInput(
                "increasing or decreasing must name a feature, got none: name one, or use PreferenceGP"
            )
        return direction

    def _given(self, columns: Columns) -> dict[str, Any]:
        """Return the hyperparameters to keep, checked; None for those to learn."""
        above_zero("epsilon", self.epsilon)
        for name in ("scale", "noise"):
            if getattr(self, name) is not None:
                of_usual_size(name, getattr(self, name))
        if self.epsilon > 1:
            raise InvalidInput(f"epsilon must be at most 1, got {self.epsilon:g}: lower it")
        lengthscale = None if self.lengthscale is None else _lengthscales(self.lengthscale, columns.count)
        return {"lengthscale": lengthscale, "scale": self.scale, "noise": self.noise}

    # -- prediction ----------------------------------------------------------------------------------------

    @property
    def features_(self) -> Floats:
        """The items that were compared, each once, shape (n_items, n_features), in the features' units."""
        return Lift(self.lift_).inverse(self.smooth_.items)

    def _inputs(self, X: Any) -> Floats:
        rows = super()._inputs(X)
        self._warn_outside(rows, row_ids(X, len(rows)))
        return Lift(self.lift_)(rows)

    @property
    def _posterior(self) -> BlendedUtility:
        return self._blend(None)

    @property
    def _item_noise(self) -> float:
        return self.noise_

    def _blend(self, alpha: float | None) -> BlendedUtility:
        if alpha is None:
            alpha = self.alpha_
        elif not isinstance(alpha, int | float | np.number) or not 0 <= alpha <= 1:
            raise InvalidInput(f"alpha must be from 0 to 1, got {shown(alpha)}: correct it")
        return BlendedUtility(self.smooth_, self.beta_, float(alpha))

    def _warn_outside(self, rows: Floats, names: tuple[str, ...] | None = None) -> None:
        """Warn of rows outside the box, and name the first of them with its feature; rows have numbers or ``names``."""
        low, high = self.box_.T
        beyond = (rows < low) | (rows > high)
        outside = beyond.any(axis=1)
        if outside.any():
            row, place = np.argwhere(beyond)[0].tolist()
            label = Columns(len(low), getattr(self, "feature_names_in_", None)).labels[place]
            called = f"row {row}" if names is None or names[row] == str(row) else repr(names[row])
            warnings.warn(
                f"{label} of {called} is {rows[row, place]:,g}, outside {low[place]:,g} to {high[place]:,g}: "
                f"{outside.sum():,} of {len(rows):,} rows lie outside the box, where nothing is proven; give "
                "bounds that contain them and fit anew",
                PenchantWarning,
                stacklevel=4,
            )


def _lengthscales(setting: object, count: int) -> Floats:
    values = numbers("lengthscale", setting)  # type: ignore[arg-type]
    if values.shape not in ((), (count,)) or not (values > 0).all():
        raise InvalidInput(
            f"lengthscale must be a number above 0 or one for each of {count} features, "
            f"got {shown(setting)}: correct the setting"
        )
    return np.broadcast_to(values, count)


def _box(bounds: Any, columns: Columns, rows: Floats) -> Floats:
    """Return the box, which contains all rows, shape (n_features, 2)."""
    if not len(rows):
        raise InvalidInput("X must have at least two rows, got none: give one row an item")
    box = np.column_stack([rows.min(axis=0), rows.max(axis=0)])
    constant = np.flatnonzero(box[:, 0] == box[:, 1])
    if constant.size:
        raise InvalidInput(
            f"{columns.labels[constant[0]]} must differ between rows, got {box[constant[0], 0]:g} in all of them: "
            "leave it out"
        )
    if bounds is None:
        return box
    for column, ends in _by_column(bounds, columns).items():
        place = columns.place(column)
        name = f"bounds of {columns.labels[place]}"
        if not isinstance(ends, Sequence | np.ndarray) or len(ends) != 2:
            raise InvalidInput(f"{name} must be a pair (low, high), got {shown(ends)}: correct it")
        low, high = vector(name, ends)
        if not (low <= box[place, 0] and box[place, 1] <= high):
            raise InvalidInput(
                f"{name} must contain the rows of X, from {box[place, 0]:g} to "
                f"{box[place, 1]:g}, got ({low:g}, {high:g}): widen them, or leave rows out"
            )
        box[place] = low, high
    return box


def _by_column(bounds: Any, columns: Columns) -> Mapping[Any, Any]:
    """Return bounds as a mapping of columns to pairs."""
    if isinstance(bounds, Mapping):
        return bounds
    if not isinstance(bounds, Sequence | np.ndarray) or len(bounds) != columns.count:
        raise InvalidInput(
            f"bounds must be a pair (low, high) for each of {columns.count} features, got {shown(bounds)}: "
            "correct the setting"
        )
    return dict(enumerate(bounds))


def _caveats(line: LinearUtility, proof: Certificate) -> Iterator[str]:
    if line.separable:
        yield (
            "no comparison contradicts some linear utility, so that its most likely weights are infinite: a "
            f"prior bounded them, with which the range of a feature is worth about {PRIOR_SD:g} times the noise "
            "of a comparison; ask about closer pairs, or ask some pairs again"
        )
    if proof.alpha == 1:
        yield (
            f"only a linear utility could be proven to be monotone in {proof.hardest} (alpha is 1): the "
            "comparisons contradict it, or the lengthscale is too short; free that feature, look at the "
            "comparisons, or give a longer lengthscale"
        )
    if not proof.closed:
        yield (
            "the budget ran out before the least slopes were bounded to 1e-4 of their scale: the utility is proven "
            "monotone, but may be closer to linear than necessary; leave features out, or give a longer "
            "lengthscale"
        )
