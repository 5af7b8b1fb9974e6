"""Copies of models: what checkpoints keep, and their bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant.coactive import WeightTracker
from penchant.study import Study
from penchant.study.coactive import CoactiveStudy
from penchant.study.coactive.copies import Copy

SECRET = "met once"
KINDS: list[dict[str, Any]] = [
    {"per_user": True},
    {"learner": "perturbed", "baseline": {"name": "perceptron", "weights": {"start": 0.0}}},
    {"learner": {"name": "perceptron", "batch": 3, "averaged": True}, "per_user": True},
]


def copied(**changes: Any) -> Copy:
    """Two features of which one is 0, and a user from before it joined."""
    tracker = WeightTracker()
    tracker.add(np.array([1.0, 0.0]))
    row = np.array([1.0, 1.0, 2.0, 2.0, 0.0, 0.0])
    fields = {"count": 3, "names": ("a", "b"), "shared": row, "rival": None, "users": {"k": row[:4]}}
    return Copy(**{**fields, "unlearned": 0, "joined": 0, "steadiness": tracker, **changes})


def test_bytes_come_back() -> None:
    """Every field, to the last bit."""
    copy = copied(rival=np.array([1.0, 1.0, 0.5, 0.5]))
    again = Copy.unpacked(copy.pack(), 3)
    assert again.pack() == copy.pack()
    assert (again.count, again.names, list(again.users)) == (3, ("a", "b"), ["k"])


def test_a_column_is_used_where_one_model_has_it() -> None:
    """In the shared model, a user's own, the second learner's, or in how steady weights were."""
    assert copied().used(None) == ["a"]
    assert copied(users={"k": np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])}).used(None) == ["a", "b"]
    assert copied(rival=np.array([1.0, 1.0, 0.5, 0.5, 0.0, 0.0])).used(["b", "a"]) == ["a", "b"]
    assert copied().without("k").users == {}


def test_columns_are_cut() -> None:
    """The others stay as they were; rows that are shorter stay shorter."""
    copy = copied(rival=np.array([1.0, 1.0, 0.0, 0.0, 0.5, 0.5])).cut(["a"], ["b", "a"])
    assert copy.names == ("a",)
    assert copy.shared.tolist() == copy.users["k"].tolist() == [1.0, 1.0, 2.0, 2.0]
    assert copy.rival is not None
    assert copy.rival.tolist() == [1.0, 1.0, 0.5, 0.5]
    assert copy.steadiness.__save_state__()["mean"].tolist() == [1.0]


@pytest.mark.parametrize("settings", KINDS)
def test_features_that_taught_nothing_are_gone_with_the_user(path: Path, settings: dict[str, Any]) -> None:
    """Their names are in no byte of the file; those of items and settings stay, and all that was learned."""
    items = [{"id": f"i{k}", "title": "item", "price": float(k), "never learned": 1.0} for k in range(8)]
    with CoactiveStudy.create(path, items, seed=1, names=["given"], **settings) as study:
        private = {f"c{k}": {"stars": float(k), SECRET: 1.0} for k in range(9)}
        for _ in range(4):
            shown = study.present(private, user="ann")
            study.feedback(shown, clicked=[shown.order[1]])  # all have it: the difference is 0
            shown = study.present(["i3", "i1", "i2"], user="bob")
            study.feedback(shown, clicked=[shown.order[2]])
        before = study.weights()
        assert before[SECRET] == 0
        study.forget("ann")
        names = {*before} - {SECRET}
        assert {*study.weights()} == names
        assert all(study.weights()[name] == before[name] for name in names)
        assert {"given", "never learned", "price", "stars"} <= names
        assert SECRET.encode() not in path.read_bytes()
        assert study.check().ok
        order = study.present(["i0", "i5", "i6"], user="bob").order
        study.feedback(study.present({"d": {SECRET: 1.0}, "e": {"stars": 1.0}}), clicked=["d"])
        weights = study.weights()
        assert SECRET in weights
        assert study.check().ok
    with Study.open(path) as again:
        assert again.weights() == weights
        assert sorted(again.present(["i0", "i5", "i6"], user="bob").order) == sorted(order)
