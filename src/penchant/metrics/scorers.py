"""Judging a model inside scikit-learn: settings in, a scorer out that hands each row's query to the metric.

A scorer needs scikit-learn's metadata routing, so it is made by a function when it is wanted:

>>> import sklearn
>>> with sklearn.config_context(enable_metadata_routing=True):
...     scorer = ndcg_scorer(k=5)
>>> scorer
make_scorer(ndcg_of_queries, response_method='predict', k=5, log=base2, gain=linear)

Inside such a context, or after ``sklearn.set_config(enable_metadata_routing=True)``, with queries kept whole
by the folds and ``qid`` given once, for the model, the folds and the scorer:

.. code-block:: python

    folds = GroupKFold(5).set_split_request(groups="qid")
    GridSearchCV(model, grid, scoring=ndcg_scorer(k=10), cv=folds).fit(X, grades, qid=qid)
    cross_val_score(model, X, grades, scoring=ndcg_scorer(k=10), cv=folds, params={"qid": qid})

Without ``qid`` a scorer refuses. scikit-learn turns what a scorer refuses into a score of NaN and a warning
with the words, unless it is told ``error_score="raise"``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from numpy.typing import ArrayLike

from penchant.errors import InvalidInput
from penchant.metrics.accuracy import pair_accuracy
from penchant.metrics.gains import Gain, Log, check_gain_settings, ndcg
from penchant.metrics.precision import mean_average_precision

ENABLE = "sklearn.set_config(enable_metadata_routing=True)"


def ndcg_scorer(k: int | None = 10, *, log: Log = "base2", gain: Gain = "linear") -> Any:
    """Make a scorer of mean NDCG@k over queries, for ``scoring=`` of GridSearchCV and its kin.

    Parameters
    ----------
    k, log, gain
        As in :func:`ndcg`.

    Returns
    -------
    callable
        ``scorer(model, X, grades, qid=qid)``, which requests ``qid`` from scikit-learn's metadata routing.
    """
    check_gain_settings(k, log, gain)
    return _scorer(ndcg_of_queries, k=k, log=log, gain=gain)


def average_precision_scorer(*, relevant: float = 1.0) -> Any:
    """Make a scorer of mean average precision over queries, for ``scoring=`` of GridSearchCV and its kin.

    Parameters
    ----------
    relevant : float
        The lowest grade that counts as relevant.

    Returns
    -------
    callable
        ``scorer(model, X, grades, qid=qid)``, which requests ``qid`` from scikit-learn's metadata routing.
    """
    return _scorer(average_precision_of_queries, relevant=relevant)


def pair_accuracy_scorer() -> Any:
    """Make a scorer of pair accuracy inside queries, for ``scoring=`` of GridSearchCV and its kin.

    It is ``PairAccuracy.accuracy``: a pair with tied scores earns nothing.

    Returns
    -------
    callable
        ``scorer(model, X, grades, qid=qid)``, which requests ``qid`` from scikit-learn's metadata routing.
    """
    return _scorer(pair_accuracy_of_queries)


def ndcg_of_queries(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = None,
    k: int | None = None,
    log: Log = "base2",
    gain: Gain = "linear",
) -> float:
    """Return :func:`ndcg`, and refuse to take all rows for one query."""
    return ndcg(grades, scores, qid=_given(qid), k=k, log=log, gain=gain)


def average_precision_of_queries(
    grades: ArrayLike, scores: ArrayLike, *, qid: Iterable[Hashable] | None = None, relevant: float = 1.0
) -> float:
    """Return :func:`mean_average_precision`, and refuse to take all rows for one query."""
    return mean_average_precision(grades, scores, qid=_given(qid), relevant=relevant)


def pair_accuracy_of_queries(
    grades: ArrayLike, scores: ArrayLike, *, qid: Iterable[Hashable] | None = None
) -> float:
    """Return the accuracy of :func:`pair_accuracy`, and refuse to take all rows for one query."""
    return pair_accuracy(grades, scores, qid=_given(qid)).accuracy


def _scorer(metric: Callable[..., float], **settings: object) -> Any:
    import sklearn
    from sklearn.metrics import make_scorer

    if not sklearn.get_config()["enable_metadata_routing"]:
        raise InvalidInput(
            "a scorer needs metadata routing to be enabled, got it disabled: "
            f"call {ENABLE} before making the scorer"
        )
    return make_scorer(metric, **settings).set_score_request(qid=True)


def _given(qid: Iterable[Hashable] | None) -> Iterable[Hashable]:
    if qid is None:
        raise InvalidInput(
            f"a scorer must know the query of each row, got no qid: call {ENABLE} and pass "
            'fit(X, y, qid=qid) to a search, or params={"qid": qid} to cross_val_score'
        )
    return qid
