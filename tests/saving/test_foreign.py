"""Estimators of other libraries: through skops, the same bytes for the same state, or refused in words."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC

from penchant.errors import CannotLoad, CannotSave
from penchant.saving import from_bytes, to_bytes
from penchant.saving.estimators import ESTIMATORS
from tests.saving.files import file_of, header, npy, unzipped, zipped
from tests.saving.testroom import Model

pytest.importorskip("skops")

X = np.random.default_rng(0).normal(size=(20, 3))
y = (X[:, 0] > 0).astype(int)


def fitted():
    return make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)


def skops_of(model):
    return unzipped(to_bytes(Model(estimator=model)))["foreign/0.skops"]


def file_with(data):
    return file_of({"foreign": 0}, ("foreign/0.skops", data))


def test_an_estimator_comes_back():
    """A fitted pipeline inside a model predicts the same after loading."""
    model = from_bytes(to_bytes(Model(estimator=fitted(), rate=0.5)))
    assert model.rate == 0.5
    assert np.array_equal(model.estimator.predict_proba(X), fitted().predict_proba(X))


def test_an_estimator_keeps_its_bytes():
    """Two fits, and a save after a load, give the same bytes, though skops alone does not."""
    import skops.io

    one, other = fitted(), fitted()
    data = to_bytes(one)
    assert skops.io.dumps(one) != skops.io.dumps(other)
    assert to_bytes(other) == data
    assert to_bytes(from_bytes(data)) == data


def test_skops_alone_can_read_it():
    """What stands in the file is an ordinary skops file."""
    import skops.io

    assert isinstance(skops.io.loads(skops_of(LogisticRegression()), trusted=[]), LogisticRegression)


def test_without_skops(monkeypatch):
    """Where skops is missing, saving and loading say what to install."""
    data = to_bytes(LogisticRegression())
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(
        CannotSave, match=r"the model is a sklearn.*LogisticRegression, .* pip install 'penchant\[foreign\]'"
    ):
        to_bytes(LogisticRegression())
    with pytest.raises(CannotLoad, match=r"needs skops: pip install 'penchant\[foreign\]'"):
        from_bytes(data)


@pytest.mark.parametrize("estimator", [RandomForestClassifier(2, random_state=0), KNeighborsClassifier(2)])
def test_what_cannot_be_checked_is_refused_at_save(estimator):
    """Trees and neighbours hold compiled objects, and it is better to hear so before the model is lost."""
    with pytest.raises(
        CannotSave, match=r"estimator is a .*Classifier, whose state cannot be checked: use one of .*SVC, "
    ):
        to_bytes(Model(estimator=estimator.fit(X, y)))


def test_sparse_inside_an_estimator_is_refused_at_save():
    """A sparse matrix inside an estimator would come back with its indices unchecked."""
    with pytest.raises(
        CannotSave, match=r"no load would accept: coef_ must be an array of float64 or float32"
    ):
        to_bytes(LogisticRegression().fit(X, y).sparsify())


@pytest.mark.parametrize("value", [3, np.zeros(2, dtype="f8,i4"), (number for number in (1, 2)), print])
def test_attributes_that_an_estimator_does_not_have_are_refused_at_save(value):
    """What no load would accept is named before it is lost."""
    estimator = LogisticRegression()
    estimator.attribute = value
    with pytest.raises(CannotSave, match=r"no load would accept: 'attribute' must not be there, but is"):
        to_bytes(Model(estimator=estimator))


def test_what_skops_cannot_save_is_told(monkeypatch):
    """Whatever skops raises becomes an error about the attribute."""
    import skops.io

    monkeypatch.setattr(skops.io, "dumps", lambda _: 1 / 0)
    with pytest.raises(
        CannotSave, match=r"which skops cannot save \(division by zero\): use another estimator"
    ):
        to_bytes(Model(estimator=LogisticRegression()))


def test_untrusted_types_are_refused_at_load():
    """A skops file that asks for more than estimators is not loaded."""
    import skops.io

    forest = RandomForestClassifier(2, random_state=0).fit(X, y)
    with pytest.raises(CannotLoad):
        from_bytes(file_with(skops.io.dumps(forest)))
    members = unzipped(skops_of(LogisticRegression()))
    schema = (
        members["schema.json"]
        .replace(b"sklearn.linear_model._logistic", b"os")
        .replace(b"LogisticRegression", b"system")
    )
    with pytest.raises(CannotLoad, match=r"os\.system, which cannot be checked: do not trust it"):
        from_bytes(file_with(zipped([("schema.json", schema)])))


def altered(change):
    members = unzipped(skops_of(fitted()))
    change(members)
    return file_with(zipped(members.items()))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no zip",
        zipped([("schema.json", "{}")]),
        zipped([("schema.json", "[" * 100_000)]),
        zipped([("0.npy", b"")]),
        zipped([("schema.json", "{}"), ("../x", b"")]),
        zipped([("schema.json", "{}"), ("0.npz", b"")]),
        zipped([("schema.json", "{}"), ("0.npy", npy(header(shape="(10000000000,)"), bytes(8)))]),
        zipped([("schema.json", "{}")] * 2),
    ],
)
def test_hostile_skops_files(data):
    """A skops file is held to the same rules as the file around it."""
    with pytest.raises(CannotLoad):
        from_bytes(file_with(data))


def test_a_missing_array():
    """A skops file that lacks an array is refused."""
    with pytest.raises(CannotLoad):
        from_bytes(altered(lambda members: members.pop("0.npy")))


def test_compressed_skops_files():
    """A bomb cannot hide in the inner zip either."""
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", " " * 10**6)
    with pytest.raises(CannotLoad, match="compressed"):
        from_bytes(file_with(file.getvalue()))


@settings(max_examples=40)
@given(st.data())
def test_schema_replaced(data):
    """Bytes replaced in the schema of a skops file: an object, or CannotLoad."""
    members = unzipped(skops_of(LogisticRegression()))
    schema = members["schema.json"]
    place = data.draw(st.integers(0, len(schema) - 1))
    change = data.draw(st.binary(min_size=1, max_size=3))
    members["schema.json"] = schema[:place] + change + schema[place + len(change) :]
    with contextlib.suppress(CannotLoad):
        from_bytes(file_with(zipped(members.items())))


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
def test_support_vectors_that_would_end_the_process_are_refused(name, change, words):
    """libsvm reads where the arrays say; arrays that do not fit together are an error, not the process's end."""
    estimator = SVC().fit(X, y)
    assert from_bytes(altered_array(estimator, name, lambda array: array)).predict(X).tolist()
    with pytest.raises(CannotLoad, match=words):
        from_bytes(altered_array(estimator, name, change))


@pytest.mark.parametrize("name", ["coef_", "intercept_"])
@pytest.mark.parametrize("change", [lambda a: a[..., :-1], lambda a: a * np.inf, lambda a: a.astype(complex)])
def test_altered_linear_models_are_refused(name, change):
    """Weights of another length or that are not finite numbers are not loaded."""
    with pytest.raises(CannotLoad, match=f"{name}|must"):
        from_bytes(altered_array(LogisticRegression().fit(X, y), name, change))


def test_steps_that_do_not_fit_together_are_refused():
    """A pipeline is checked step by step, and its steps must be about the same features."""
    pipeline = fitted()
    pipeline.steps[0] = ("scale", StandardScaler().fit(X[:, :2]))
    with pytest.raises(CannotSave, match=r"steps must be taught the same features, got \[2, 3\]"):
        to_bytes(pipeline)
