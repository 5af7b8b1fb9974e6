"""Candidates as JSON."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from penchant.client.candidates import candidates, encoded, listed
from penchant.errors import InvalidInput


def test_ids_features_and_tables() -> None:
    """The three forms that a server takes."""
    table = pd.DataFrame({"price": [1, 2], 7: [0.5, 1.5]}, index=["a", "b"])
    assert candidates(dict.fromkeys("ab").keys()) == ["a", "b"]
    assert candidates(np.array(["a", "b"])) == ["a", "b"]
    assert candidates({"a": {"price": 1}, 2: {}}) == {"a": {"price": 1}, "2": {}}
    assert candidates(table) == {
        "ids": ["a", "b"],
        "features": ["price", "7"],
        "rows": [[1.0, 0.5], [2.0, 1.5]],
    }
    assert candidates(candidates(table)) == candidates(table)


@pytest.mark.parametrize("context", [np.eye(2), {"a": [1.0], "b": [2.0]}])
def test_features_have_names_there(context: object) -> None:
    """Rows of numbers are rejected with what to give instead."""
    with pytest.raises(InvalidInput, match=r"features of candidates must have names.*DataFrame"):
        candidates(context)


@pytest.mark.parametrize("context", ["abc", b"abc", None, 7])
def test_what_holds_no_candidates_is_rejected(context: object) -> None:
    """One text is not a list of letters."""
    with pytest.raises(InvalidInput, match="context must hold candidates"):
        candidates(context)


def test_numbers_of_numpy_are_numbers() -> None:
    """In features, and as arrays of ids."""
    body = {
        "x": np.float64(0.1),
        "n": np.int64(3),
        "t": np.bool_(True),
        "ids": np.array(["a"]),
        "d": {}.keys(),
    }
    assert json.loads(encoded(body)) == {"x": 0.1, "n": 3, "t": True, "ids": ["a"], "d": []}
    assert listed(np.array(["a", "b"])) == ["a", "b"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}, "\ud800", {(1, 2): 3}])
def test_what_json_cannot_hold_is_rejected(value: object) -> None:
    """NaN, sets, lone surrogates: each with a message."""
    with pytest.raises(InvalidInput, match="what is sent must be"):
        encoded({"value": value})
