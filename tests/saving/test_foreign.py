"""Estimators of other libraries: through skops, the same bytes for the same state, or rejected with a message."""

from __future__ import annotations

import contextlib
import io
import sys
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from penchant.errors import CannotLoad, CannotSave
from penchant.saving import from_bytes, to_bytes
from tests.saving.files import file_of, header, npy, unzipped, zipped
from tests.saving.testmodels import Model

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
def test_what_cannot_be_checked_is_rejected_at_save(estimator):
    """Trees and neighbours hold compiled objects, and it is better to hear so before the model is lost."""
    with pytest.raises(
        CannotSave, match=r"estimator is a .*Classifier, whose state cannot be checked: use one of .*SVC, "
    ):
        to_bytes(Model(estimator=estimator.fit(X, y)))


def test_what_skops_cannot_save_is_told(monkeypatch):
    """Whatever skops raises becomes an error about the attribute."""
    import skops.io

    monkeypatch.setattr(skops.io, "dumps", lambda _: 1 / 0)
    with pytest.raises(
        CannotSave, match=r"which skops cannot save \(division by zero\): use another estimator"
    ):
        to_bytes(Model(estimator=LogisticRegression()))


def test_untrusted_types_are_rejected_at_load():
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
    """A skops file that lacks an array is rejected."""
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
