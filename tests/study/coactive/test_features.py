"""Features of items, and contexts as matrices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from penchant.errors import InvalidInput
from penchant.study.coactive import CoactiveStudy
from penchant.study.coactive import features as module
from penchant.study.coactive.features import check_items, in_columns, item_features
from penchant.study.items import Item
from tests.study.coactive.simulated import clicks, made


def test_numbers_are_features_and_words_where_they_are_named() -> None:
    """Numbers in text count as numbers; empty fields, words that are not named, and infinities do not."""
    item = Item(
        "a", "A", fields={"x": 1, "y": "2.5", "new": True, "maker": "Lotus", "none": None, "far": "inf"}
    )
    assert item_features(item, None) == {"x": 1, "y": 2.5, "new": True}
    assert item_features(item, ["maker", "x", "gone"]) == {"maker": "Lotus", "x": 1}
    assert check_items([item], {"features": ["maker", "x"]}) == ["maker=Lotus", "x"]


def test_features_that_cannot_be_used_are_named() -> None:
    """A number that is too large is rejected with the item and the feature."""
    with pytest.raises(InvalidInput, match="feature 'x' of candidate 'a' must be a number within"):
        check_items([Item("a", "A", fields={"x": 1e200})], {"features": None})


def test_categories_of_items_are_learned(path: Path) -> None:
    """A named field of words gives one weight a word."""
    items = [{"id": name, "title": name, "maker": maker} for name, maker in (("a", "Lotus"), ("b", "Fiat"))]
    with CoactiveStudy.create(path, items, features=["maker"]) as study:
        study.feedback(study.present(["a", "b"]), better="b")
        assert study.weights()["maker=Fiat"] > 0 > study.weights()["maker=Lotus"]


def test_contexts_that_are_not_kept_are_read_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Late feedback is learned from what is stored, and as little as one context is kept."""
    monkeypatch.setattr(module, "CACHED", 1)
    with made(path) as study:
        contexts = [{"a": {"x": float(k)}, "b": {"y": 1.0}} for k in range(5)] + [["i0", "i1"]]
        shown = [study.present(context) for context in contexts]
        assert len(study._matrices._kept) == 1
        for found in shown:
            study.feedback(found, better=found.order[-1])
        assert study.check().ok


def test_many_items_are_kept_sparse(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above a size the features of the items are a sparse matrix, with the same weights."""
    with made(path) as study:
        clicks(study, 5)
        weights = study.weights()
    monkeypatch.setattr(module, "DENSE_ITEMS", 0)
    with made(path.with_name("sparse.db")) as study:
        clicks(study, 5)
        assert study.weights() == weights
        assert not isinstance(study._matrices._items._matrix, np.ndarray)


@given(
    st.lists(st.sampled_from("abcdef"), unique=True),
    st.lists(st.sampled_from("abcdef"), min_size=1, unique=True),
    st.booleans(),
)
def test_columns_are_found_by_name(names: list[str], wanted: list[str], sparse: bool) -> None:
    """Each wanted column has the values of its name, and those of no other are 0."""
    X = np.arange(1.0, 1 + 3 * len(names)).reshape(3, len(names))
    found = in_columns(csr_array(X) if sparse else X, names, wanted)
    dense = found.toarray() if sparse else found
    for column, name in enumerate(wanted):
        expected = X[:, names.index(name)] if name in names else np.zeros(3)
        assert dense[:, column].tolist() == expected.tolist()
