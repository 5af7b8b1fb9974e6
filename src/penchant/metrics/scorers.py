"""Scorers for scikit-learn that know the query of each row.

A scorer needs scikit-learn's metadata routing, so it is made by a function when it is wanted:

>>> import sklearn
>>> with sklearn.config_context(enable_metadata_routing=True):
...     scorer = ndcg_scorer(k=5)
>>> scorer
ndcg_scorer(k=5, log='base2', gain='linear', ties='average')

Inside such a context, or after ``sklearn.set_config(enable_metadata_routing=True)``, with the queries given
to the folds as ``groups``, which keeps each query whole, and to the model and the scorer as ``qid``:

.. code-block:: python

    GridSearchCV(model, grid, scoring=ndcg_scorer(k=10), cv=GroupKFold(5)).fit(X, grades, groups=qid, qid=qid)
    given = {"groups": qid, "qid": qid}
    cross_val_score(model, X, grades, scoring=ndcg_scorer(k=10), cv=GroupKFold(5), params=given)

A scorer also gives ``qid`` to the model's ``predict`` where that requests it, as do rankers that order the rows
of a query together. Without ``qid`` it raises an error. scikit-learn turns an error of a scorer into a score of
NaN and a warning with its message, unless it is given ``error_score="raise"``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Self

from numpy.typing import ArrayLike

from penchant.checks import one_of
from penchant.errors import InvalidInput
from penchant.metrics.accuracy import pair_accuracy
from penchant.metrics.gains import Gain, Log, check_gain_settings, ndcg
from penchant.metrics.precision import check_precision_settings, mean_average_precision
from penchant.metrics.ties import Ties

ENABLE = "sklearn.set_config(enable_metadata_routing=True)"


class QueryScorer:
    """A callable that scores a fitted model on graded rows of queries.

    Parameters
    ----------
    name : str
        The function that makes it.
    metric : callable
        From grades, scores, ``qid`` and the settings to a number.
    settings : dict
        Further arguments of the metric.
    """

    def __init__(self, name: str, metric: Callable[..., float], settings: dict[str, object]) -> None:
        self._name, self._metric, self._settings = name, metric, settings
        self._request: dict[str, bool | str | None] = {"qid": True, "sample_weight": None}

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        qid: Iterable[Hashable] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return the metric of what ``estimator`` predicts of ``X``, of shape (n_rows, n_features).

        Parameters
        ----------
        estimator : fitted estimator
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            Grades, larger is better.
        qid : array-like of shape (n_rows,)
            The query of each row.
        sample_weight : array-like of shape (n_rows,), optional
            As in the metric; requested with ``set_score_request(sample_weight=True)``.
        """
        if qid is None:
            raise InvalidInput(
                f"a scorer must know the query of each row, got no qid: call {ENABLE} and pass "
                'fit(X, y, qid=qid) to a search, or params={"qid": qid} to cross_val_score'
            )
        given = {"qid": qid, "sample_weight": sample_weight}
        return float(self._metric(y, _predicted(estimator, X, qid), **given, **self._settings))

    def get_metadata_routing(self) -> Any:
        """Return the metadata that scikit-learn must pass to the scorer."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=repr(self))
        for name, alias in self._request.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def set_score_request(self, **names: bool | str | None) -> Self:
        """Set under which names ``qid`` and ``sample_weight`` are requested, as of any scorer of scikit-learn."""
        for name in names:
            one_of("metadata", name, self._request)
        self._request = {**self._request, **names}
        return self

    def __repr__(self) -> str:
        return f"{self._name}({', '.join(f'{name}={value!r}' for name, value in self._settings.items())})"


def ndcg_scorer(
    k: int | None = 10, *, log: Log = "base2", gain: Gain = "linear", ties: Ties = "average"
) -> QueryScorer:
    """Make a scorer of mean NDCG@k over queries, for ``scoring=`` of GridSearchCV and its kin.

    Parameters
    ----------
    k, log, gain, ties
        As in :func:`ndcg`.

    Returns
    -------
    callable
        ``scorer(model, X, grades, qid=qid)``, which requests ``qid`` from scikit-learn's metadata routing.

    Examples
    --------
    >>> import sklearn
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     ndcg_scorer(k=5)
    ndcg_scorer(k=5, log='base2', gain='linear', ties='average')
    """
    check_gain_settings(k, log, gain, ties)
    return _scorer("ndcg_scorer", ndcg, k=k, log=log, gain=gain, ties=ties)


def average_precision_scorer(*, relevant: float = 1.0, ties: Ties = "average") -> QueryScorer:
    """Make a scorer of mean average precision over queries, for ``scoring=`` of GridSearchCV and its kin.

    Parameters
    ----------
    relevant, ties
        As in :func:`mean_average_precision`.

    Returns
    -------
    callable
        ``scorer(model, X, grades, qid=qid)``, which requests ``qid`` from scikit-learn's metadata routing.

    Examples
    --------
    >>> import sklearn
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     average_precision_scorer()
    average_precision_scorer(relevant=1.0, ties='average')
    """
    check_precision_settings(relevant, ties)
    return _scorer("average_precision_scorer", mean_average_precision, relevant=relevant, ties=ties)


def pair_accuracy_scorer() -> QueryScorer:
    """Make a scorer of pair accuracy inside queries, for ``scoring=`` of GridSearchCV and its kin.

    It is ``PairAccuracy.accuracy``: a pair with tied scores earns nothing.

    Returns
    -------
    callable
        ``scorer(model, X, grades, qid=qid)``, which requests ``qid`` from scikit-learn's metadata routing.

    Examples
    --------
    >>> import sklearn
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     pair_accuracy_scorer()
    pair_accuracy_scorer()
    """
    return _scorer("pair_accuracy_scorer", _accuracy)


def _accuracy(grades: ArrayLike, scores: ArrayLike, **given: Any) -> float:
    return pair_accuracy(grades, scores, **given).accuracy


def _scorer(name: str, metric: Callable[..., float], **settings: object) -> QueryScorer:
    import sklearn

    if not sklearn.get_config()["enable_metadata_routing"]:
        raise InvalidInput(
            "a scorer needs metadata routing to be enabled, got it disabled: "
            f"call {ENABLE} before making the scorer"
        )
    return QueryScorer(name, metric, settings)


def _predicted(estimator: Any, X: Any, qid: Iterable[Hashable]) -> Any:
    """Return what ``estimator`` predicts, which is given ``qid`` if it, or a step of it, requests that."""
    from sklearn.utils.metadata_routing import get_routing_for_object

    model = getattr(estimator, "best_estimator_", estimator)  # predict of a search passes no metadata on
    routed = get_routing_for_object(model).consumes("predict", ["qid"])
    return model.predict(X, **dict.fromkeys(routed, qid))
