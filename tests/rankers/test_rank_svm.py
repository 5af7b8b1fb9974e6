from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from penchant import Preferences, load, save
from penchant.errors import InvalidInput, PenchantWarning
from penchant.metrics import ndcg_scorer
from penchant.rankers import RankSVM
from penchant.rankers.solvers import pair_sums as room
from penchant.saving import to_bytes
from tests.rankers.pair_problems import (
    assert_same_weights,
    assert_solves,
    dual,
    implied,
    objective,
    objects_matrix,
    reach,
)

LOSSES = ["squared_hinge", "hinge"]
TOL = {"squared_hinge": 1e-8, "hinge": 1e-6}


def problem(seed: int, n: int = 12, d: int = 3, n_queries: int = 3) -> tuple[Any, ...]:
    """A few queries, one of a single row and one of equal grades, with ties elsewhere."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + 3, d))
    y = np.round(X[:, 0] + rng.normal(size=n + 3)).clip(-1, 2)
    y[:2] = 0, 1
    y[-3:] = 1
    qid = np.r_[rng.integers(n_queries, size=n), n_queries, n_queries + 1, n_queries + 1]
    qid[:2] = 0
    return X, y, qid


@given(st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 20.0]), st.sampled_from(LOSSES), st.booleans())
@settings(max_examples=20)
def test_it_is_the_solution_of_the_dual(seed: int, C: float, loss: Any, weighted: bool) -> None:
    """Objective and scores are those of the quadratic programme over pairs × pairs, row weights multiplied."""
    X, y, qid = problem(seed)
    weight = np.random.default_rng(seed).integers(1, 4, size=len(y)) if weighted else None
    rows, products = implied(y, qid, weight)
    Q = objects_matrix(X @ X.T, rows)
    reference = dual(Q, products, C, loss)
    model = RankSVM(C, loss=loss, tol=TOL[loss]).fit(X, y, qid=qid, sample_weight=weight)
    assert_solves(model, reference)
    assert model.objective_ == pytest.approx(objective(model.coef_, X, rows, products, C, loss), rel=1e-9)
    apart = np.sqrt(Q.diagonal().max()) * (reach(model) + reference.reach)
    np.testing.assert_allclose(np.diff(model.predict(X)[rows])[:, 0], -reference.margins, atol=apart)


@pytest.mark.parametrize("loss", LOSSES)
def test_compiled_sums_come_to_the_same_weights(loss: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether pairs are written out or summed by merging makes no difference."""
    X, y, qid = problem(1, n=60)
    written = RankSVM(5.0, loss=loss, tol=TOL[loss]).fit(X, y, qid=qid)
    monkeypatch.setattr(room, "FEW_PAIRS", 0)
    merged = RankSVM(5.0, loss=loss, tol=TOL[loss]).fit(X, y, qid=qid)
    assert_same_weights(merged, written)


@pytest.mark.parametrize("loss", LOSSES)
def test_grades_and_the_pairs_that_they_imply_teach_the_same(loss: Any) -> None:
    """fit(X, y) is fit_pairs(X, all pairs)."""
    X, y, qid = problem(2)
    rows, _ = implied(y, qid)
    by_grades = RankSVM(loss=loss, tol=TOL[loss]).fit(X, y, qid=qid)
    by_pairs = RankSVM(loss=loss, tol=TOL[loss]).fit_pairs(X, rows)
    assert_same_weights(by_pairs, by_grades)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_pair_twice_is_weight_two(loss: Any) -> None:
    """Saying it twice and giving it the weight two are the same, in pairs and in Preferences."""
    X = np.random.default_rng(3).normal(size=(4, 2))
    pairs = [(0, 1), (1, 2), (3, 2), (2, 0)]
    twice = RankSVM(loss=loss, tol=TOL[loss]).fit_pairs(X, [*pairs, pairs[0]])
    weighted = RankSVM(loss=loss, tol=TOL[loss]).fit_pairs(X, pairs, weight=[2, 1, 1, 1])
    said = Preferences.from_pairs(pairs, weight=[2, 1, 1, 1])
    assert_same_weights(twice, weighted)
    assert np.array_equal(RankSVM(loss=loss, tol=TOL[loss]).fit_pairs(X, said).coef_, weighted.coef_)


def test_queries_without_pairs_teach_nothing() -> None:
    """Single rows, queries of equal grades and rows of weight 0 leave the weights as they are."""
    X, y, qid = problem(4)
    model = RankSVM(tol=1e-8).fit(X, y, qid=qid)
    without = RankSVM(tol=1e-8).fit(X[:-3], y[:-3], qid=qid[:-3])
    assert_same_weights(model, without)
    mute = np.r_[np.ones(len(y)), 0.0]
    extra = np.vstack([X, X[:1]]), np.r_[y, 9], np.r_[qid, 0]
    louder = RankSVM(tol=1e-8).fit(extra[0], extra[1], qid=extra[2], sample_weight=mute)
    assert_same_weights(louder, model)


def test_what_a_query_adds_to_all_its_rows_does_not_matter() -> None:
    """Large offsets of the features of each query change nothing but rounding."""
    X, y, qid = problem(5)
    offset = np.random.default_rng(5).normal(size=(qid.max() + 1, X.shape[1])) * 1e3
    model, moved = RankSVM(tol=1e-7).fit(X, y, qid=qid), RankSVM(tol=1e-7).fit(X + offset[qid], y, qid=qid)
    assert_same_weights(moved, model)


def test_the_order_of_rows_does_not_matter() -> None:
    """Rows in any order, queries apart or mixed, give the same weights."""
    X, y, qid = problem(6)
    order = np.random.default_rng(0).permutation(len(y))
    mixed = RankSVM(tol=1e-9).fit(X[order], y[order], qid=qid[order])
    assert_same_weights(mixed, RankSVM(tol=1e-9).fit(X, y, qid=qid))


@pytest.mark.parametrize("loss", LOSSES)
def test_sparse_single_precision_and_frames_are_taken(loss: Any) -> None:
    """Sparse X gives the same weights, float32 nearly so, and a frame's names are kept."""
    X, y, qid = problem(7)
    model = RankSVM(loss=loss).fit(X, y, qid=qid)
    assert_same_weights(RankSVM(loss=loss).fit(csr_array(X), y, qid=qid), model)
    single = X.astype(np.float32)
    for features in (single, csr_array(single)):
        learned = RankSVM(loss=loss).fit(features, y, qid=qid)
        assert_same_weights(learned, model, rounding=1e-6)
        rows, weight = implied(y, qid)
        assert learned.objective_ == pytest.approx(
            objective(learned.coef_, single.astype(np.float64), rows, weight, 1.0, loss), rel=1e-12
        )
    frame = pd.DataFrame(X, columns=list("abc"))
    named = RankSVM(loss=loss).fit(frame, pd.Series(y), qid=pd.Series(qid.astype(str)))
    assert named.feature_names_in_.tolist() == ["a", "b", "c"]
    assert_same_weights(named, model)


def test_preferences_of_ids_find_the_rows_of_a_frame() -> None:
    """Ids are matched by the frame's index, ties teach nothing."""
    frame = pd.DataFrame({"sugar": [1.0, 5.0, 3.0]}, index=["tea", "cake", "milk"])
    said = Preferences.from_pairs(
        [("cake", "milk"), ("milk", "tea"), ("tea", "cake")], tie=[False, False, True]
    )
    model = RankSVM().fit_pairs(frame, said)
    assert np.array_equal(model.coef_, RankSVM().fit_pairs(frame, [(1, 2), (2, 0)]).coef_)
    assert model.coef_[0] > 0


def test_a_feature_that_says_nothing_gives_equal_scores() -> None:
    """With all rows alike the weights are 0 and the objective is C."""
    for loss in LOSSES:
        model = RankSVM(3.0, loss=loss).fit(np.ones((4, 2)), [0, 1, 2, 2])
        assert not model.coef_.any()
        assert model.objective_ == pytest.approx(3.0)


@pytest.mark.filterwarnings("ignore::penchant.errors.PenchantWarning")
@pytest.mark.parametrize("loss", LOSSES)
def test_features_that_repeat_each_other_at_a_huge_scale_are_learned_from(loss: Any) -> None:
    """Where products of features leave no digits of the 1 in the Hessian, a fit still ends and lowers the loss."""
    for scale in (1e8, 1e9, 1e10):
        X = scale * np.random.default_rng(0).normal(size=(40, 2))
        y = np.digitize(X[:, 0] / scale, [-0.5, 0.5])
        model = RankSVM(loss=loss).fit(np.column_stack([X, X[:, 0], X.sum(axis=1)]), y)
        assert model.objective_ < 0.01
        assert model.score(np.column_stack([X, X[:, 0], X.sum(axis=1)]), y) > 0.99


def test_running_out_of_steps_is_said() -> None:
    """A descent that was cut short warns, reports the gap, and says what to do."""
    X, y, qid = problem(9)
    for loss in LOSSES:
        with pytest.warns(PenchantWarning, match="after max_iter=1 steps at gap_=.*: scale the features"):
            model = RankSVM(1000.0, loss=loss, tol=1e-6, max_iter=1).fit(X, y, qid=qid)
        assert model.n_iter_ == 1
        assert model.gap_ > model.tol


def test_scikit_learn_finds_nothing_to_complain_about() -> None:
    """check_estimator passes, with either loss."""
    with sklearn.config_context(assume_finite=False):
        for model in (RankSVM(), RankSVM(loss="hinge")):
            failed = [
                check["check_name"]
                for check in check_estimator(model, on_skip=None, on_fail=None)
                if check["status"] == "failed"
            ]
            assert failed == []


def test_it_is_searched_and_validated_with_its_queries() -> None:
    """Pipeline, GridSearchCV and cross_val_score hand qid to fit, folds and scorer."""
    X = np.random.default_rng(10).normal(size=(60, 3))
    X[::6, 0], X[1::6, 0] = -2, 2
    y, qid = np.round(X[:, 0]).clip(-1, 1) + 1, np.arange(60) // 6
    with sklearn.config_context(enable_metadata_routing=True):
        folds = GroupKFold(3).set_split_request(groups="qid")
        model = make_pipeline(StandardScaler(), RankSVM())
        search = GridSearchCV(
            model, {"ranksvm__C": [0.1, 10]}, scoring=ndcg_scorer(k=3), cv=folds, error_score="raise"
        )
        assert search.fit(X, y, qid=qid).best_score_ > 0.8
        by_accuracy = cross_val_score(RankSVM(), X, y, cv=folds, params={"qid": qid}, error_score="raise")
    assert by_accuracy.shape == (3,)
    assert (by_accuracy > 0.5).all()


def test_saved_and_loaded_it_is_the_same(tmp_path: Any) -> None:
    """Loading gives the same bytes and the same scores to the last bit."""
    X, y, qid = problem(11)
    for model in (RankSVM(), RankSVM(kernel="rbf", loss="hinge"), RankSVM(kernel="poly", on="differences")):
        model.fit(X, y, qid=qid)
        save(model, tmp_path / "model")
        loaded = load(tmp_path / "model")
        assert to_bytes(loaded) == to_bytes(model)
        assert np.array_equal(loaded.predict(X), model.predict(X))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"C": 0}, "C must be a number above 0, got 0"),
        ({"C": float("nan")}, "C must be a number above 0, got nan"),
        ({"tol": -1}, "tol must be a number above 0"),
        ({"max_iter": 0}, "max_iter must be a number above 0"),
        ({"loss": "hinge", "tol": 1e-9}, "tol must be at least 1e-06 for the hinge, got 1e-09"),
        ({"gamma": "auto"}, "gamma must be a number above 0, got 'auto'"),
        ({"loss": "log"}, "loss must be one of squared_hinge, hinge, got 'log'"),
        ({"kernel": "sigmoid"}, "kernel must be one of linear, rbf, poly or a callable, got 'sigmoid'"),
        ({"on": "rows"}, "on must be one of objects, differences, got 'rows'"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], words: str) -> None:
    """Each setting is checked when fitting, in words."""
    with pytest.raises(InvalidInput, match=words):
        RankSVM(**settings).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.skipif(
    sys.platform != "linux", reason="the kernel's figures about a process are read from /proc"
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_mapped_rows_are_not_copied(tmp_path: Path, order: Any) -> None:
    """Fitting and predicting take the pages of the file, and less than a copy of them."""
    X = np.random.default_rng(0).standard_normal((60_000, 200), dtype=np.float32)
    np.save(tmp_path / "rows.npy", np.asarray(X, order=order))
    command = [sys.executable, "-m", "tests.rankers.mapped_rows", str(tmp_path / "rows.npy")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    before, most = map(float, done.stdout.split())
    assert most - before < 1.75 * X.nbytes / 2**20


def test_rows_of_single_precision_are_scored_as_those_of_double() -> None:
    """In blocks, to the rounding of single precision."""
    X, y, qid = problem(3)
    X = X.astype(np.float32)
    model = RankSVM().fit(X, y, qid=qid)
    np.testing.assert_allclose(model.predict(X), model.predict(X.astype(float)), rtol=1e-5, atol=1e-6)
    assert model.predict(X).dtype == np.float64
