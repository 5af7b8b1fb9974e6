"""RankBoost in use: weights, bins, early stopping, refusals, scikit-learn, files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_array, csr_matrix
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from penchant import Preferences, load, save
from penchant.errors import InvalidInput, NotFitted, PenchantWarning
from penchant.metrics import ndcg_scorer, pair_accuracy
from penchant.rankers import RankBoost
from penchant.saving import to_bytes


def made(n_queries: int = 30, size: int = 8, seed: int = 0) -> tuple[Any, Any, Any]:
    """Rows whose first two of four features tell the grade, up to noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_queries * size, 4))
    worth = np.tanh(2 * X[:, 0]) + np.abs(X[:, 1]) + 0.3 * rng.normal(size=len(X))
    return X, np.digitize(worth, [0.0, 1.0, 2.0]), np.repeat(np.arange(n_queries), size)


@parametrize_with_checks([RankBoost(10)])
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    """It passes scikit-learn's checks of estimators."""
    check(estimator)


# -- weights and rows ----------------------------------------------------------------------------------------


def test_a_pair_twice_is_weight_two() -> None:
    """Stating a pair twice and giving it weight 2 are the same."""
    X = made()[0][:12]
    pairs = [(0, 1), (1, 2), (3, 1), (2, 0), (5, 4), (7, 8)]
    twice = RankBoost(10).fit_pairs(X, [*pairs, pairs[0]])
    weighted = RankBoost(10).fit_pairs(X, pairs, weight=[2, 1, 1, 1, 1, 1])
    np.testing.assert_allclose(twice.predict(X), weighted.predict(X), rtol=1e-9)


def test_a_row_twice_is_weight_two_and_weight_zero_is_absence() -> None:
    """Row weights multiply inside a pair: repeated rows are weights, removed rows are weight 0."""
    X, grades, qid = made(10)
    weight = np.random.default_rng(1).integers(0, 3, len(X))
    repeated = np.repeat(np.arange(len(X)), weight)
    by_weight = RankBoost(10).fit(X, grades, qid=qid, sample_weight=weight)
    by_rows = RankBoost(10).fit(X[repeated], grades[repeated], qid=qid[repeated])
    np.testing.assert_allclose(by_weight.predict(X), by_rows.predict(X), rtol=1e-9)
    assert by_weight.risk_ == pytest.approx(by_rows.risk_)


def test_queries_without_pairs_teach_nothing() -> None:
    """Single-document queries and queries of one grade change not even a threshold."""
    X, grades, qid = made(10)
    alone = RankBoost(10).fit(X, grades, qid=qid)
    more = np.random.default_rng(2).normal(size=(7, 4))
    among = RankBoost(10).fit(
        np.vstack([more, X]),
        np.r_[[0, 1, 2, 3, 1, 1, 1], grades],
        qid=np.r_[[90, 91, 92, 93, 94, 94, 94], qid],
    )
    assert among.stumps_ == alone.stumps_
    assert among.risk_ == alone.risk_


def test_the_order_of_rows_does_not_matter() -> None:
    """Shuffled rows, with their queries torn apart, give the same model up to rounding."""
    X, grades, qid = made()
    shuffled = np.random.default_rng(3).permutation(len(X))
    one = RankBoost(20).fit(X, grades, qid=qid)
    other = RankBoost(20).fit(X[shuffled], grades[shuffled], qid=qid[shuffled])
    assert [stump[:3] for stump in one.stumps_] == [stump[:3] for stump in other.stumps_]
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-9)


def test_it_learns_what_there_is_to_learn() -> None:
    """On new queries of a nonlinear truth, over 85 % of pairs are ranked right after 60 rounds."""
    model = RankBoost(60).fit(*made(60)[:2], qid=made(60)[2])
    X, grades, qid = made(60, seed=9)
    assert model.score(X, grades, qid=qid) > 0.85
    assert model.feature_importances_[:2].sum() > 0.9
    assert model.feature_importances_.sum() == pytest.approx(1)


# -- bins ----------------------------------------------------------------------------------------------------


def test_enough_bins_are_exact() -> None:
    """With no more distinct values than bins the binned form is the exact one, to the last bit."""
    X, grades, qid = made(60)
    X = X.round(1)
    n_distinct = max(len(np.unique(column)) for column in X.T)
    exact = RankBoost(30, n_bins=None).fit(X, grades, qid=qid)
    assert RankBoost(30, n_bins=n_distinct).fit(X, grades, qid=qid).stumps_ == exact.stumps_
    assert RankBoost(30, n_bins=n_distinct - 5).fit(X, grades, qid=qid).stumps_ != exact.stumps_


def test_more_bins_than_a_byte_holds() -> None:
    """300 and 70,000 distinct values are told apart too, in compiled code."""
    for n, n_bins in ((300, None), (70_000, None), (70_000, 300)):
        X = np.arange(float(n))[:, None]
        model = RankBoost(1, n_bins=n_bins).fit(X, np.arange(n) >= n // 2, qid=np.zeros(n))
        assert model.stumps_[0][:3] == (0, n // 2 - 0.5, 1)
        assert model.risk_ == 0


def test_neighbouring_floats_are_told_apart() -> None:
    """Where no number lies between two values the threshold is the lower one."""
    low, high = 1.0, np.nextafter(1.0, 2.0)
    model = RankBoost(1).fit([[low], [high]], [0, 1])
    assert model.risk_ == 0
    assert np.ptp(model.predict([[low], [high]])) > 0


def test_single_precision_gives_the_same_model() -> None:
    """float32 features are read as the numbers they are: thresholds between them are not rounded."""
    X, grades, qid = made()
    X = X.astype(np.float32)
    narrow, wide = (RankBoost(20).fit(data, grades, qid=qid) for data in (X, X.astype(np.float64)))
    assert narrow.stumps_ == wide.stumps_
    np.testing.assert_array_equal(narrow.predict(X), wide.predict(X.astype(np.float64)))


# -- rounds --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_bins", [4, None])
@pytest.mark.parametrize("early", [None, 3])
def test_sparse_features_are_the_dense_ones(n_bins: int | None, early: int | None) -> None:
    """A sparse matrix, with zeros between negative and positive numbers, gives the same model and scores."""
    rng = np.random.default_rng(4)
    X, grades, qid = rng.normal(size=(80, 5)), rng.integers(3, size=80), np.arange(80) // 8
    X[rng.random(X.shape) < 0.6] = 0
    X[:, 3] = 0
    settings: dict[str, Any] = {"n_bins": n_bins, "n_iter_no_change": early}
    dense = RankBoost(20, **settings).fit(X, grades, qid=qid)
    sparse = RankBoost(20, **settings).fit(csr_array(X), grades, qid=qid)
    assert sparse.stumps_ == dense.stumps_
    assert np.array_equal(sparse.predict(csr_array(X)), dense.predict(X))
    for kind in (csr_array, csr_matrix):
        stages = [scores.tolist() for scores in sparse.staged_predict(kind(X))]
        assert stages == [scores.tolist() for scores in dense.staged_predict(X)]


def test_stages_end_at_the_prediction() -> None:
    """There is one stage a round, each the prediction of a model of so many rounds."""
    X, grades, qid = made()
    model = RankBoost(12).fit(X, grades, qid=qid)
    stages = list(model.staged_predict(X))
    assert len(stages) == len(model.stumps_) == 12
    np.testing.assert_array_equal(stages[-1], model.predict(X))
    np.testing.assert_array_equal(stages[4], RankBoost(5).fit(X, grades, qid=qid).predict(X))


def test_early_stopping_keeps_the_best_round() -> None:
    """It ends n_iter_no_change rounds after the lowest held-out risk, keeps that round, and holds out queries."""
    X, grades, qid = made(40)
    model = RankBoost(500, n_iter_no_change=5, validation=0.25, random_state=3).fit(X, grades, qid=qid)
    best = int(np.argmin(model.validation_risks_))
    assert len(model.stumps_) == len(model.z_) == len(model.edges_) == best + 1
    assert len(model.validation_risks_) == best + 6 < 500
    held_out = np.isin(qid, np.random.RandomState(3).choice(40, 10, replace=False))
    rest = RankBoost(best + 1).fit(X[~held_out], grades[~held_out], qid=qid[~held_out])
    assert rest.stumps_ == model.stumps_
    assert rest.risk_ == model.risk_
    found = pair_accuracy(grades[held_out], model.predict(X[held_out]), qid=qid[held_out])
    assert model.validation_risks_[best] == pytest.approx(1 - found.accuracy)


def test_early_stopping_on_pairs() -> None:
    """Stated pairs are held out one by one; without early stopping no risks are kept."""
    X = made()[0]
    pairs = np.random.default_rng(5).permuted(np.tile(np.arange(len(X)), (300, 1)), axis=1)[:, :2]
    pairs = np.where((X[pairs[:, 0], 0] < X[pairs[:, 1], 0])[:, None], pairs[:, ::-1], pairs)
    model = RankBoost(200, n_iter_no_change=10).fit_pairs(X, pairs)
    assert len(model.stumps_) == 1 + int(np.argmin(model.validation_risks_))
    assert RankBoost(2).fit_pairs(X, pairs).validation_risks_ is None


def test_a_held_out_query_that_nothing_helps() -> None:
    """Where no round ranks a held-out pair right, no round is kept, and it says so."""
    X = [[0.0], [1.0], [1.0], [0.0]]
    with pytest.warns(PenchantWarning, match="none of those held out: all scores are 0"):
        model = RankBoost(50, n_iter_no_change=3).fit(X, [0, 1, 0, 1], qid=[0, 0, 1, 1])
    assert model.stumps_ == []
    assert model.validation_risks_.tolist() == [1.0, 1.0, 1.0]
    assert model.risk_ == 1


# -- refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_estimators": 0}, "n_estimators must be a whole number of at least 1, got 0: "),
        ({"n_estimators": 2.5}, r"n_estimators must be a whole number of at least 1, got 2.5: "),
        ({"smoothing": -1}, "smoothing must be a number of at least 0, got -1: "),
        ({"smoothing": float("nan")}, "smoothing must be a number of at least 0, got nan: "),
        ({"n_bins": 1}, "n_bins must be a whole number of at least 2, got 1: .*None"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be a whole number of at least 1, got 0: "),
        ({"validation": 1.0}, "validation must be a number between 0 and 1, got 1.0: "),
        ({"validation": None}, "validation must be a number between 0 and 1, got None: "),
        ({"n_iter_no_change": 3}, "at least 2 queries with two grades, one of them to hold out, got 1: give"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, Any], words: str) -> None:
    """Each setting says its limit, what came, and what to do."""
    with pytest.raises(InvalidInput, match=words):
        RankBoost(**settings).fit([[1.0], [2.0]], [0, 1])


def test_data_that_say_nothing_are_refused() -> None:
    """All-equal grades, NaN, pairs in place of grades, a single pair to hold out from: rejected with a message."""
    X = [[1.0], [2.0], [3.0]]
    with pytest.raises(InvalidInput, match=r"different grades .* got none .*: give grades that differ"):
        RankBoost().fit(X, [1, 1, 1])
    with pytest.raises(InvalidInput, match="different grades"):
        RankBoost().fit(X, [1, 2, 3], qid=["a", "b", "c"])
    with pytest.raises(InvalidInput, match="NaN"):
        RankBoost().fit([[np.nan], [1.0]], [0, 1])
    with pytest.raises(InvalidInput, match="fit_pairs"):
        RankBoost().fit(X, [[0, 1], [1, 2], [2, 0]])
    with pytest.raises(InvalidInput, match="at least 2 pairs, one of them to hold out, got 1"):
        RankBoost(n_iter_no_change=3).fit_pairs(X, [(0, 1)])
    with pytest.raises(InvalidInput, match=r"add up to a finite number above 0, got 0: scale"):
        RankBoost().fit(X, [0, 1, 2], sample_weight=[1e-200] * 3)
    for ask in (
        lambda model: model.predict(X),
        lambda model: next(model.staged_predict(X)),
        lambda model: model.feature_importances_,
    ):
        with pytest.raises(NotFitted, match="must be fitted"):
            ask(RankBoost())


# -- beside others -------------------------------------------------------------------------------------------


def test_preferences_are_matched_by_index() -> None:
    """Preferences about named items learn from the rows of a frame with those names, whose columns are kept."""
    X = pd.DataFrame({"height": [3.0, 1.0, 2.0], "width": [0.0, 1.0, 0.0]}, index=["c", "a", "b"])
    model = RankBoost(4).fit_pairs(X, Preferences.from_pairs([("c", "b"), ("b", "a"), ("c", "a")]))
    assert np.argsort(-model.predict(X)).tolist() == [0, 2, 1]
    assert model.feature_names_in_.tolist() == ["height", "width"]


def test_searching_with_queries_kept_whole() -> None:
    """It goes through Pipeline, GridSearchCV and cross_val_score with qid routed to model, folds and scorer."""
    X, grades, qid = made(24)
    with sklearn.config_context(enable_metadata_routing=True):
        folds = GroupKFold(3).set_split_request(groups="qid")
        model = make_pipeline(StandardScaler(), RankBoost())
        search = GridSearchCV(model, {"rankboost__n_estimators": [1, 30]}, scoring=ndcg_scorer(k=5), cv=folds)
        search.fit(X, grades, qid=qid)
        assert search.best_params_ == {"rankboost__n_estimators": 30}
        scores = cross_val_score(
            RankBoost(30), X, grades, scoring=ndcg_scorer(k=5), cv=folds, params={"qid": qid}
        )
    assert (scores > 0.8).all()


def test_saved_and_loaded_it_is_the_same(tmp_path: Any) -> None:
    """Loading gives the same bytes and the same scores to the last bit, names and stages included."""
    X, grades, qid = made()
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = RankBoost(15, smoothing=0.01, n_iter_no_change=4).fit(frame, grades, qid=qid)
    save(model, tmp_path / "model.penchant")
    loaded = load(tmp_path / "model.penchant")
    assert to_bytes(loaded) == to_bytes(model)
    assert loaded.stumps_ == model.stumps_
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(loaded.feature_importances_, model.feature_importances_)


@pytest.mark.parametrize("balance", [0.5, 1.0])
def test_long_queries_count_less_when_asked(balance: float) -> None:
    """A pair counts as often as its query has pairs, to the power of minus the balance: as with stated weights."""
    rng = np.random.default_rng(3)
    X, grades, qid = rng.normal(size=(40, 3)), rng.integers(0, 3, 40), np.repeat([0, 1, 2], [25, 10, 5])
    pairs, weight = [], []
    for query in range(3):
        own = [
            (i, j)
            for i in range(40)
            for j in range(40)
            if qid[i] == qid[j] == query and grades[i] > grades[j]
        ]
        pairs += own
        weight += [len(own) ** -balance] * len(own)
    model = RankBoost(5, balance=balance).fit(X, grades, qid=qid)
    stated = RankBoost(5).fit_pairs(X, pairs, weight=weight)
    for found, wanted in zip(model.stumps_, stated.stumps_, strict=True):
        assert found == pytest.approx(wanted)
    assert model.risk_ == pytest.approx(stated.risk_)
