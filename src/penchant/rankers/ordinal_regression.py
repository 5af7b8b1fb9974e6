"""Ordinal regression: ordered categories from features.

This is the lecture's rating task, by proportional odds (McCullagh 1980): one score for each row, and cuts on
the line of scores between one category and the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar, Literal, Self
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from penchant.checks import Floats, Ints, check_number, one_of, same_length, shown
from penchant.errors import InvalidInput, PenchantWarning
from penchant.frames import as_column
from penchant.rankers.ordinal_summary import OrdinalSummary
from penchant.rankers.ranker import check_fitted, known_features, row_weight, training_features
from penchant.rankers.solvers.cumulative import LINKS, Cumulative, bounds
from penchant.rankers.solvers.cumulative_errors import check_determined, check_exists, standard_errors
from penchant.schema import Array, Column, Number, OneOf, Plain, Schema, Texts, Whole, require
from penchant.threads import one_thread

Labels = NDArray[Any]


def _check_cuts(state: Mapping[str, Any]) -> None:
    cuts, n_classes = state["thresholds_"], len(state["classes_"])
    require(
        n_classes > 1 and len(cuts) == n_classes - 1,
        f"thresholds_ must be one fewer than {n_classes} classes_",
    )
    require((np.diff(cuts) > 0).all(), "thresholds_ must rise")


class OrdinalRegression(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Proportional odds: P(y ≤ k) = F(θ_k − wᵀx), with one w for all categories and free cuts θ between them.

    Minimises −log likelihood + alpha/2 ‖w‖². The ridge acts on w alone, and keeps it finite where the
    categories are perfectly separated.

    Parameters
    ----------
    alpha : float, default 1.0
        The ridge, at least 0. With 0 it is maximum likelihood, as MASS::polr and ordinal::clm in R compute it, and
        `summary` has p-values; where the features separate the categories perfectly, or are collinear, that does not
        exist and `fit` says so.
    link : {"logit", "probit"}, default "logit"
        F: the logistic or the normal distribution function.
    categories : sequence, optional
        All labels, lowest first; they may be text. Without it the order is that of a pandas ordered
        categorical, else the sorted one.
    predicts : {"mode", "median"}, default "mode"
        What `predict` gives: the likeliest category (fewest mistakes) or the middle one, which has as much
        probability below as above it (smallest distance from the truth).

    Attributes
    ----------
    classes_ : array of shape (n_categories,)
        The categories that were seen, lowest first. One that was never seen has no probability.
    coef_ : array of shape (n_features,)
    thresholds_ : array of shape (n_categories − 1,)
        The cuts, rising; for the score of `decision`.
    coef_errors_, threshold_errors_ : arrays
        The standard errors of the weights and of the cuts, from the curvature of what is minimised.
    log_likelihood_ : float
        Of the rows, without the ridge.
    n_observations_ : float
        The sum of the weights of the rows.
    n_iter_ : int
        Newton steps.

    References
    ----------
    McCullagh, Regression models for ordinal data, Journal of the Royal Statistical Society B 42 (1980).

    Examples
    --------
    >>> stars = ["poor", "fair", "good"]
    >>> X = [[0.0], [0.2], [1.0], [1.1], [2.0], [2.1]]
    >>> y = ["poor", "poor", "fair", "fair", "good", "good"]
    >>> model = OrdinalRegression(alpha=0.01, categories=stars).fit(X, y)
    >>> model.predict([[0.1], [1.9]]).tolist()
    ['poor', 'good']
    >>> model.predict_proba([[1.0]]).round(2).tolist()
    [[0.03, 0.95, 0.01]]
    """

    __saved__: ClassVar = Schema(
        {
            "alpha": Number(0),
            "link": OneOf(tuple(LINKS)),
            "categories": Plain(),
            "predicts": OneOf(("mode", "median")),
        },
        {
            "n_features_in_": Whole(1, size=True),
            "classes_": Column(distinct=True),
            "coef_": Array(("n_features_in_",)),
            "thresholds_": Array((None,)),
            "n_iter_": Whole(0),
        },
        {
            "feature_names_in_": Texts("n_features_in_", array=True),
            "coef_errors_": Array(("n_features_in_",), least=0),
            "threshold_errors_": Array((None,), least=0),
            "log_likelihood_": Number(),
            "n_observations_": Number(above=0),
        },
        rules=(_check_cuts,),
    )

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        link: Literal["logit", "probit"] = "logit",
        categories: Sequence[Any] | None = None,
        predicts: Literal["mode", "median"] = "mode",
    ) -> None:
        self.alpha = alpha
        self.link = link
        self.categories = categories
        self.predicts = predicts

    def fit(self, X: ArrayLike, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the weights and the cuts.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,)
            One label a row: numbers, text, or a pandas categorical.
        sample_weight : array-like of shape (n,), optional
            At least 0; two is as good as the row twice.
        """
        self._check_settings()
        features = np.asarray(training_features(self, X), dtype=np.float64)
        labels = _labels(y, len(features))
        weight = row_weight(sample_weight, len(features))
        kept = weight > 0
        self.classes_, codes = _ordered(labels[kept], self._scale(y))
        rising = np.argsort(codes, kind="stable")
        rows = np.flatnonzero(kept)[rising]
        with one_thread():
            # Only w is penalised, so that moving the rows moves the cuts and nothing else.
            middle = weight @ features / weight.sum()
            moved = features[rows]
            moved -= middle
            moved, turned = _narrow(moved)
            likelihood = Cumulative(moved, codes[rising], weight[rows], float(self.alpha), LINKS[self.link])
            if not self.alpha:
                check_determined(likelihood, self._names())
            point, self.n_iter_ = likelihood.minimise()
            if not self.alpha:
                check_exists(likelihood, point, self._names())
            self.coef_ = point.coef if turned is None else turned @ point.coef
            self.thresholds_ = point.cuts + middle @ self.coef_
            self.coef_errors_, self.threshold_errors_ = standard_errors(likelihood, point, middle, turned)
        self.log_likelihood_ = likelihood.log_likelihood(point)
        self.n_observations_ = float(weight.sum())
        return self

    def summary(self) -> OrdinalSummary:
        """Return the estimates with standard errors and, where there is no ridge, tests and p-values.

        Examples
        --------
        >>> X, y = [[0], [1], [2], [3], [4], [5], [6], [7]], [1, 1, 2, 1, 3, 2, 3, 3]
        >>> OrdinalRegression(alpha=0).fit(X, y).summary()
             estimate  error      z      p
        x0      1.194  0.612  1.950  0.051
        1|2     2.931  1.972  1.486  0.137
        2|3     5.428  2.869  1.892  0.058
        logit link, 8 observations, log-likelihood -4.84, AIC 15.67
        """
        check_fitted(self)
        if not hasattr(self, "coef_errors_"):
            raise InvalidInput.of(
                "the model", "hold standard errors", "none, as an earlier version saved it", "fit it again"
            )
        labels = self.classes_.tolist()
        return OrdinalSummary(
            (*self._names(), *(f"{low}|{high}" for low, high in pairwise(labels))),
            np.append(self.coef_, self.thresholds_),
            np.append(self.coef_errors_, self.threshold_errors_),
            self.log_likelihood_,
            self.n_observations_,
            float(self.alpha),
            self.link,
        )

    def _names(self) -> tuple[str, ...]:
        """Return what the features are called."""
        given = getattr(self, "feature_names_in_", [f"x{column}" for column in range(self.n_features_in_)])
        return tuple(map(str, given))

    def decision(self, X: ArrayLike) -> Floats:
        """Return the score wᵀx of each row, shape (n,): the larger, the higher the category."""
        features = known_features(self, X)
        with one_thread():
            score: Floats = features @ self.coef_
        return score

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Return the probability of each category, shape (n, n_categories), columns as in ``classes_``."""
        score = self.decision(X)[:, None]
        lower, upper = bounds(self.thresholds_)
        return np.exp(LINKS[self.link].log_mass(lower - score, upper - score))

    def predict(self, X: ArrayLike) -> Labels:
        """Return a category for each row, shape (n,), as ``predicts`` says; ties go to the lower one."""
        if self.predicts == "median":
            score = self.decision(X)
            places: Ints = np.searchsorted(self.thresholds_, score, side="left")
        else:
            places = np.argmax(self.predict_proba(X), axis=1)
        predicted: Labels = self.classes_[places]
        return predicted

    def category_error(self, X: ArrayLike, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the mean number of categories between prediction and truth, whatever the labels look like."""
        predicted = self.predict(X)
        scale = self._scale(y) or self.classes_.tolist()
        _, truth = _placed(_labels(y, len(predicted)), scale)
        apart = np.abs(_placed(predicted, scale)[1] - truth)
        return float(np.average(apart, weights=row_weight(sample_weight, len(apart))))

    def _check_settings(self) -> None:
        check_number("alpha", self.alpha, least=0, remedy="0 is no ridge")
        one_of("link", self.link, LINKS)
        one_of("predicts", self.predicts, ("mode", "median"))

    def _scale(self, y: Any) -> list[Any] | None:
        """Return all categories in their order, as far as it was given."""
        kind = getattr(as_column(y), "dtype", None)
        if self.categories is None and getattr(kind, "ordered", False):
            return list(kind.categories)  # type: ignore[union-attr]
        return None if self.categories is None else list(self.categories)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # parallel cuts cannot tell three round clouds apart
        return tags


def _labels(y: Any, n_rows: int) -> Labels:
    if y is None:
        raise InvalidInput("fit requires y to be passed, but the target y is None: give one label a row")
    try:
        labels: Labels = np.asarray(column_or_1d(as_column(y), warn=True))
        same_length("y", labels, n_rows)
        unsure = labels.dtype.kind not in "biuf" or not np.isfinite(labels).all()
        for row, label in enumerate(labels.tolist() if unsure else ()):
            if _is_no_label(label):
                raise InvalidInput(
                    f"y of row {row} must be a label, got {str(label).replace('nan', 'NaN')}: "
                    "remove the row or label it"
                )
        check_classification_targets(labels)
    except ValueError as error:
        raise error if isinstance(error, InvalidInput) else InvalidInput(str(error)) from error
    return labels


def _is_no_label(label: Any) -> bool:
    try:
        return label is None or bool(label != label) or label in (np.inf, -np.inf)
    except TypeError:  # pandas.NA has no truth value
        return True


def _ordered(labels: Labels, scale: list[Any] | None) -> tuple[Labels, Ints]:
    """Return the labels that occur, lowest first, and the place of each row's label among them."""
    if scale is None:
        seen, codes = np.unique(labels, return_inverse=True)
        if seen.dtype.kind not in "biuf" and len(seen) > 2:
            order = " < ".join(map(str, seen[:5])) + (" < …" if len(seen) > 5 else "")
            warn(
                f"y is text, and its order is taken to be that of the alphabet ({order}): "
                "give categories=, lowest first",
                PenchantWarning,
                stacklevel=3,
            )
    else:
        known, places = _placed(labels, scale)
        used, codes = np.unique(places, return_inverse=True)
        seen = known[used]
    if len(seen) < 2:
        raise InvalidInput(
            f"y must hold at least two classes, got {len(seen)} class in the rows that count: "
            "add rows of other categories"
        )
    return seen, codes


def _placed(labels: Labels, scale: list[Any]) -> tuple[Labels, Ints]:
    """Return the scale as an array of the labels' kind, and the place of each label on it."""
    place = {category: number for number, category in enumerate(scale)}
    if len(place) < len(scale):
        raise InvalidInput(
            f"categories must be different from one another, got {shown(scale)}: remove repeats"
        )
    distinct, inverse = np.unique(labels, return_inverse=True)
    for label in distinct.tolist():
        if label not in place:
            raise InvalidInput(
                f"y of row {np.argmax(labels == label)} must be one of the categories {shown(scale)}, got "
                f"{label!r}: correct the row or add the category"
            )
    places = np.array([place[label] for label in distinct.tolist()], dtype=np.int64)
    known = np.empty(len(scale), dtype=labels.dtype)
    known[places] = distinct
    return known, places[inverse]


def _narrow(X: Floats) -> tuple[Floats, Floats | None]:
    """Where there are more features than rows, return X = RQᵀ as R and Q: the best w lies in Q's columns."""
    if X.shape[1] <= X.shape[0]:
        return X, None
    turned, coordinates = np.linalg.qr(X.T)
    return coordinates.T, turned
