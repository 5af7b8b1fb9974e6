"""The scikit-learn estimators that may be part of a saved model."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC

from penchant.errors import CannotLoad, CannotSave
from penchant.saving import from_bytes, to_bytes
from penchant.saving.estimators import ESTIMATORS
from tests.saving.files import unzipped, zipped
from tests.saving.test_foreign import X, file_with, fitted, skops_of, y
from tests.saving.testmodels import Model


def test_sparse_inside_an_estimator_is_rejected_at_save():
    """A sparse matrix inside an estimator would come back with its indices unchecked."""
    with pytest.raises(
        CannotSave, match=r"no load would accept: coef_ must be an array of float64 or float32"
    ):
        to_bytes(LogisticRegression().fit(X, y).sparsify())


@pytest.mark.parametrize("value", [3, np.zeros(2, dtype="f8,i4"), (number for number in (1, 2)), print])
def test_attributes_that_an_estimator_does_not_have_are_rejected_at_save(value):
    """What no load would accept is named before it is lost."""
    estimator = LogisticRegression()
    estimator.attribute = value
    with pytest.raises(CannotSave, match=r"no load would accept: 'attribute' must not be there, but is"):
        to_bytes(Model(estimator=estimator))


ESTIMATOR_EXAMPLES = [
    LogisticRegression(),
    LogisticRegression(fit_intercept=False),
    RidgeClassifier(),
    SGDClassifier(loss="log_loss", average=True, random_state=0),
    Perceptron(random_state=0),
    LinearSVC(fit_intercept=False),
    SVC(),
    SVC(kernel="poly", decision_function_shape="ovo"),
    NuSVC(kernel="sigmoid"),
    LinearDiscriminantAnalysis(),
    GaussianNB(),
    BernoulliNB(),
    make_pipeline(StandardScaler(with_mean=False), "passthrough", LogisticRegression()),
    make_pipeline(
        MinMaxScaler(clip=True), MaxAbsScaler(), RobustScaler(with_scaling=False), LogisticRegression()
    ),
]


@pytest.mark.parametrize("estimator", ESTIMATOR_EXAMPLES, ids=repr)
@pytest.mark.parametrize("classes", [2, 3])
def test_every_estimator_of_the_list_comes_back(estimator, classes):
    """Each, unfitted and fitted with two classes or three, predicts the same and saves to the same bytes."""
    labels = y if classes == 2 else y + (X[:, 1] > 0)
    assert to_bytes(from_bytes(to_bytes(estimator))) == to_bytes(estimator)
    taught = clone(estimator).fit(X, labels)
    data = to_bytes(taught)
    again = from_bytes(data)
    assert np.array_equal(again.predict(X), taught.predict(X))
    assert to_bytes(again) == data


def test_the_list_has_an_example_of_each():
    """No estimator is let in that is not tested here."""
    steps = [step for one in ESTIMATOR_EXAMPLES if hasattr(one, "steps") for _, step in one.steps]
    every = (*ESTIMATOR_EXAMPLES, *steps)
    assert {type(one).__name__ for one in every} - {"str"} == set(ESTIMATORS)


def altered_array(estimator, name, change):
    """Return the file of ``estimator`` with one of its arrays changed."""
    data = skops_of(estimator)
    members = unzipped(data)
    place = json.loads(members["schema.json"])["content"]["content"][name]["file"]
    array = np.load(io.BytesIO(members[place]), allow_pickle=False)
    members[place] = unzipped(to_bytes(np.asarray(change(array))))["arrays/0.npy"]
    return file_with(zipped(members.items()))


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("support_vectors_", lambda a: a[:0], r"support_vectors_ must have shape \(\d+, 3\), got \(0, 3\)"),
        ("support_vectors_", lambda a: a[:, :1], "support_vectors_ must have shape"),
        ("support_vectors_", lambda a: a * np.nan, "support_vectors_ must hold finite numbers"),
        ("support_vectors_", lambda a: a.astype(np.float32), "support_vectors_ must be an array of float64"),
        ("support_", lambda a: a + 1000, "shape_fit_ must be that of rows"),
        ("_n_support", lambda a: a + 1, r"_n_support must add up to \d+ support vectors"),
        ("_n_support", lambda a: -a, "_n_support must be at least 0"),
        ("dual_coef_", lambda a: a[:0], "dual_coef_ must have 1 rows for 2 classes_"),
        ("_dual_coef_", lambda a: a[:0], "_dual_coef_ must have 1 rows for 2 classes_"),
        ("_intercept_", lambda a: a[:0], "_intercept_ must be one for each two of 2 classes_"),
        ("classes_", lambda a: a[:1], "must have shape"),
    ],
)
def test_support_vectors_that_would_end_the_process_are_rejected(name, change, words):
    """libsvm reads where the arrays say; arrays that do not fit together are an error, not the process's end."""
    estimator = SVC().fit(X, y)
    assert from_bytes(altered_array(estimator, name, lambda array: array)).predict(X).tolist()
    with pytest.raises(CannotLoad, match=words):
        from_bytes(altered_array(estimator, name, change))


@pytest.mark.parametrize("name", ["coef_", "intercept_"])
@pytest.mark.parametrize("change", [lambda a: a[..., :-1], lambda a: a * np.inf, lambda a: a.astype(complex)])
def test_altered_linear_models_are_rejected(name, change):
    """Weights of another length or that are not finite numbers are not loaded."""
    with pytest.raises(CannotLoad, match=f"{name}|must"):
        from_bytes(altered_array(LogisticRegression().fit(X, y), name, change))


def test_steps_that_do_not_fit_together_are_rejected():
    """A pipeline is checked step by step, and its steps must be about the same features."""
    pipeline = fitted()
    pipeline.steps[0] = ("scale", StandardScaler().fit(X[:, :2]))
    with pytest.raises(CannotSave, match=r"steps must be taught the same features, got \[2, 3\]"):
        to_bytes(pipeline)
