"""Exponentiated updates for a sparse w*."""

from __future__ import annotations

import pytest

from tests.papers.running import result_of


def test_three_kinds_of_weights_are_played() -> None:
    """A row of the frame names its weights; the ratio of the sparse and the dense case is that of their numbers."""
    result = result_of("2.sparse", size="quick")
    assert set(result.frame["weights"]) == {"sparse", "half", "dense"}
    for rate in ("fixed rate", "variable rate"):
        sparse, dense = (result.numbers[f"{rate} / additive, {name}"].value for name in ("sparse", "dense"))
        found = result.numbers[f"{rate} / additive, sparse over dense"].value
        assert found == pytest.approx(sparse / dense)
