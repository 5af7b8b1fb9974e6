"""Prior information and settings that cannot be used are rejected, and names are kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import penchant
from penchant.errors import InvalidInput
from penchant.gp import LinkedGP
from tests.gp.linked.reference import (
    N,
    answers,
)

UNFIT = [
    ({}, {}, "got nothing"),
    ({}, {"features": [[np.nan]]}, "features of row 0, column 0 must be a finite number"),
    ({}, {"features": np.zeros((2, 1)), "links": np.zeros((3, 3))}, "got 2 and 3"),
    ({}, {"links": [[0, 1], [0, 0]]}, "0 to 1 weighs 1 and back 0"),
    ({}, {"links": [[0, -1], [-1, 0]]}, "items 0 and 1 must be a finite number of at least 0, got -1"),
    ({}, {"covariance": [[1, 2], [2, 1]]}, "positive semidefinite, its lowest eigenvalue is -1"),
    ({"scale": 0}, {"n_items": 2}, "scale must be a number above 0 and at most 1e.12, got 0"),
    ({"scale": "a"}, {"n_items": 2}, "scale must be a number above 0 and at most 1e.12, got 'a'"),
    ({"scale": 1e300}, {"n_items": 2}, "scale must be a number above 0 and at most 1e.12, got 1e.300"),
    ({"mix": 1.0}, {"n_items": 2}, "mix must be two finite numbers, got 1.0"),
    ({"most_columns": 0}, {"n_items": 2}, "most_columns must be a whole number of at least 1, got 0"),
    ({"inducing": 0}, {"features": [[1.0]]}, "inducing must be a whole number of at least 1, got 0"),
    ({"inducing": 2}, {"n_items": 2}, "none of features, links and covariance"),
    ({"nugget": -1}, {"n_items": 2}, "nugget must be a number from 0 to 1e.12"),
    ({}, {"n_items": 2, "qid": [1]}, "qid must have 2 entries"),
]


@pytest.mark.parametrize(("settings", "given_", "words"), UNFIT)
def test_a_prior_that_cannot_be_is_refused(settings, given_, words) -> None:
    """Settings and item_prior that make no covariance are rejected with a message."""
    with pytest.raises(InvalidInput, match=words):
        LinkedGP(**settings).fit(**given_)


def test_settings_count_from_the_fit_on(known: dict[str, np.ndarray], tmp_path: Path) -> None:
    """A setting that is changed afterwards waits for the next fit, also through a file and for new items."""
    model = LinkedGP().fit(known["features"][:30]).update(*answers(30, 10, seed=16).T)
    before = model.mean
    model.set_params(scale=3.0, threshold=-1.0)
    penchant.save(model, tmp_path / "model")
    np.testing.assert_array_equal(penchant.load(tmp_path / "model").mean, before)
    np.testing.assert_allclose(model.add_items(known["features"][30:]).mean[:30], before, atol=1e-9)


def test_names_of_items_and_features_are_kept(known: dict[str, np.ndarray]) -> None:
    """A frame names items by its index and features by its columns; twice the same, or other columns, is rejected."""
    frame = pd.DataFrame(known["features"], columns=list("wxyz"), index=[f"item {i}" for i in range(N)])
    model = LinkedGP().fit(frame[:30]).update(0, 1)
    assert model.rank().items[0] == "item 0"
    with pytest.raises(InvalidInput, match="must be w, x, y, z in this order, got z, y, x, w"):
        model.add_items(frame[30:][list("zyxw")])
    with pytest.raises(InvalidInput, match="items must be different, got 'item 0' twice"):
        model.add_items(frame[:1])
    assert model.add_items(frame[30:]).items_ == tuple(frame.index)
