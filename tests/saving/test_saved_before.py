"""Files that earlier versions wrote."""

from __future__ import annotations

import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penchant
from tests.saving.examples import X

SAVED = Path(__file__).parents[1] / "fixtures" / "saved-objects.zip"


def names() -> list[str]:
    with zipfile.ZipFile(SAVED) as saved:
        return [name for name in saved.namelist() if name.endswith(".penchant")]


def figures_of(value: Any) -> Any:
    """Return the numbers that were recorded beside the file."""
    if hasattr(value, "scores_") or hasattr(value, "item_prior_"):
        return value.mean
    if hasattr(value, "predict"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", penchant.errors.PenchantWarning)
            return value.predict(X)
    if hasattr(value, "weights"):
        return [*value.weights.values()] if isinstance(value.weights, dict) else value.weights
    return value.scores


@pytest.mark.parametrize("name", names())
def test_files_of_earlier_versions_load_and_give_the_same_numbers(name: str, tmp_path: Path) -> None:
    """Every kind of object that version 0.1.dev of November 2026 saved loads, and predicts what it did then."""
    with zipfile.ZipFile(SAVED) as saved:
        saved.extract(name, tmp_path)
        recorded = json.loads(saved.read("figures.json"))[name]
    value = penchant.load(tmp_path / name)
    assert name.split("-")[1] == f"{type(value).__name__}.penchant"
    if recorded is not None:
        found = np.asarray(figures_of(value), dtype=float)
        # The threshold of both-bad answers was once the last of the scores.
        np.testing.assert_allclose(found, np.asarray(recorded)[: len(found)], rtol=1e-6, atol=1e-8)
