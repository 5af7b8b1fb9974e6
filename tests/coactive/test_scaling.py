"""Scaling by constants: given or computed once, the same in every form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from penchant.coactive import NamedMatrix, Scaling
from penchant.errors import InvalidInput
from penchant.saving import from_bytes, to_bytes

NAMES = ["a", "b", "c"]
TABLES = st.lists(
    st.lists(st.sampled_from([0.0, 0.0, 1.0, -2.5, 1e6, 3.25]), min_size=3, max_size=3),
    min_size=1,
    max_size=6,
)


@given(rows=TABLES, centre=st.booleans())
def test_a_scaled_feature_has_a_deviation_of_one(rows, centre: bool) -> None:
    """Unless it is the same everywhere; with ``centre`` its mean is 0. Mappings, dense and sparse agree."""
    X = np.array(rows)
    found = Scaling.of(NamedMatrix(X, NAMES), centre=centre)
    centres, scales = found.constants(NAMES)
    scaled = (X - centres) / scales
    same = X.std(axis=0) <= 1e-12 * np.abs(X.mean(axis=0))
    np.testing.assert_allclose(scaled.std(axis=0)[~same], 1.0, atol=1e-9)
    assert (scales[same] == 1.0).all()
    if centre:
        np.testing.assert_allclose(scaled.mean(axis=0)[~same], 0.0, atol=1e-9)
    else:
        assert not found.centred
    mappings = [{name: value for name, value in zip(NAMES, row, strict=True) if value} for row in rows]
    for other in (
        Scaling.of(mappings, centre=centre),
        Scaling.of(NamedMatrix(csr_array(X), NAMES), centre=centre),
    ):
        np.testing.assert_allclose(other.constants(NAMES), (centres, scales), rtol=1e-9)


def test_what_is_not_named_stays() -> None:
    """Its centre is 0 and its scale 1."""
    centres, scales = Scaling.given({"b": (1.0, 2.0)}).constants(["a", "b", "c=d"])
    assert centres.tolist() == [0.0, 1.0, 0.0]
    assert scales.tolist() == [1.0, 2.0, 1.0]


def test_it_is_saved_and_compared_by_its_constants() -> None:
    """Loaded, it is equal; another constant, and it is not."""
    scaling = Scaling.given({"a": (1.0, 2.0), "b=c": (0.0, 3.0)})
    assert from_bytes(to_bytes(scaling)) == scaling
    assert hash(from_bytes(to_bytes(scaling))) == hash(scaling)
    assert scaling != Scaling.given({"a": (1.0, 2.0), "b=c": (0.0, 4.0)})
    assert scaling.to_frame().shape == (2, 3)


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ([("a", 1.0)], "scaling must map names"),
        ({"a": 2.0}, "scaling of 'a' must be a pair"),
        ({1: (0.0, 1.0)}, "scaling of 1 must be a pair"),
        ({"a": (0.0, 0.0)}, "scale of 'a' must be a number from 1e-100"),
        ({"a": (0.0, -1.0)}, "scale of 'a' must be"),
        ({"a": (float("nan"), 1.0)}, "centre of 'a' must be"),
        ({"a": (0.0, 1e101)}, "scale of 'a' must be"),
    ],
)
def test_constants_that_cannot_be_used_are_named(constants, message: str) -> None:
    """The message names the feature."""
    with pytest.raises(InvalidInput, match=message):
        Scaling.given(constants)


def test_nothing_cannot_be_scaled_by() -> None:
    """No candidates, no constants."""
    with pytest.raises(InvalidInput, match="at least one candidate"):
        Scaling.of([])
