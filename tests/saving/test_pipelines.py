"""Pipelines that end in one of Penchant's models."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
import sklearn
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from penchant import load, save
from penchant.errors import CannotLoad, CannotSave
from penchant.metrics import ndcg_scorer
from penchant.rankers import OrdinalRegression, RankBoost, RankSVM
from penchant.saving import from_bytes, to_bytes
from tests.saving.files import unzipped, zipped

RNG = np.random.default_rng(0)
X, QID = RNG.normal(size=(60, 3)) * [1, 10, 100], np.repeat(np.arange(6), 10)
Y = (X[:, 0] > 0).astype(int)


def fitted(*steps):
    with sklearn.config_context(enable_metadata_routing=True):
        return make_pipeline(*steps).fit(X, Y, qid=QID)


@pytest.mark.parametrize(
    "scaler", [StandardScaler(), MinMaxScaler(), MaxAbsScaler(), RobustScaler(), "passthrough"]
)
@pytest.mark.parametrize("model", [RankSVM(), RankBoost(3)])
def test_a_pipeline_predicts_the_same_after_loading(scaler, model, tmp_path, monkeypatch) -> None:
    """Every scaler, without skops, with the same bytes for the same state."""
    monkeypatch.setitem(sys.modules, "skops.io", None)
    pipeline = fitted(scaler, model)
    save(pipeline, tmp_path / "model.penchant")
    again = load(tmp_path / "model.penchant")
    assert type(again) is Pipeline
    assert np.array_equal(again.predict(X), pipeline.predict(X))
    assert to_bytes(again) == to_bytes(pipeline)


def test_the_pipeline_of_the_docs_is_saved_with_what_a_search_chose() -> None:
    """The best of a search over a pipeline, and one that predicts categories."""
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            make_pipeline(StandardScaler(), RankSVM()),
            {"ranksvm__C": [0.1, 1]},
            scoring=ndcg_scorer(),
            cv=GroupKFold(3),
        ).fit(X, Y, groups=QID, qid=QID)
    best = search.best_estimator_
    assert np.array_equal(from_bytes(to_bytes(best)).predict(X), best.predict(X))
    rating = make_pipeline(StandardScaler(), OrdinalRegression()).fit(X, Y)
    assert np.array_equal(from_bytes(to_bytes(rating)).predict_proba(X), rating.predict_proba(X))


def test_a_pipeline_that_is_not_fitted_is_saved() -> None:
    """With its settings alone."""
    again = from_bytes(to_bytes(make_pipeline(StandardScaler(with_mean=False), RankSVM(C=3.0))))
    assert (again[0].with_mean, again[1].C) == (False, 3.0)


@pytest.mark.parametrize(
    ("pipeline", "words"),
    [
        (lambda: fitted(PCA(), RankSVM()), "PCA"),
        (lambda: make_pipeline(StandardScaler().fit(X), RankSVM()), "must have been fitted as a whole"),
        (
            lambda: Pipeline([("a", StandardScaler()), ("b", RankSVM())], memory="cache"),
            "memory must be None",
        ),
        (lambda: make_pipeline(RankSVM(), LogisticRegression()), "must end in one of Penchant's models"),
        (lambda: make_pipeline(RankSVM(), "passthrough"), "must end in one of Penchant's models"),
    ],
)
def test_what_cannot_be_loaded_is_not_saved(pipeline, words) -> None:
    """The message names the step."""
    with pytest.raises(CannotSave, match=words):
        to_bytes(pipeline())


def altered(change):
    members = unzipped(to_bytes(fitted(StandardScaler(), RankSVM())))
    document = json.loads(members["penchant.json"])
    change(document["value"]["pipeline"])
    members["penchant.json"] = json.dumps(document).encode()
    return zipped(members.items())


@pytest.mark.parametrize(
    "change",
    [
        lambda steps: steps.pop(),
        lambda steps: steps.reverse(),
        lambda steps: steps[0].__setitem__(0, "ranksvm"),
        lambda steps: steps[0].__setitem__(0, "a__b"),
        lambda steps: steps[0][1]["scaler"].__setitem__(0, "PCA"),
        lambda steps: steps[0][1]["scaler"].__setitem__(0, "Pipeline"),
        lambda steps: steps[0][1]["scaler"][1].__setitem__("transform", 1),
        lambda steps: steps[0][1]["scaler"][1].__setitem__("__class__", 1),
        lambda steps: steps[0][1]["scaler"][1].__setitem__("n_features_in_", 4),
        lambda steps: steps[0][1]["scaler"][1].__setitem__("scale_", "one"),
        lambda steps: steps[0][1]["scaler"][1].pop("mean_"),
        lambda steps: steps[0].__setitem__(1, {"object": ["penchant.serve:App", {}]}),
        lambda steps: steps[0].__setitem__(1, [1]),
        lambda steps: steps.append("x"),
    ],
)
def test_an_altered_pipeline_is_rejected(change) -> None:
    """Other steps, names, classes and attributes make no object."""
    with pytest.raises(CannotLoad):
        from_bytes(altered(change))
