"""Exponentiated against additive updates, with seeds and quick sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import DATA
from tests.papers.running import result_of


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("synthetic-web", None),
        ("ml-1m", None),
        pytest.param("letor4-mq2008", DATA, marks=pytest.mark.needs("data:letor4-mq2008")),
    ],
)
@pytest.mark.parametrize("figure", [11, 12], ids=["strict", "noisy"])
def test_the_fixed_rate_is_the_additive_perceptron(name: str, data: Path | None, figure: int) -> None:
    """Regrets differ by less than 3 per cent; the variable rate is no worse than the additive after 30 rounds."""
    numbers = result_of(f"2.fig{figure}/{name}", size="quick", data=data).numbers
    assert numbers["fixed / additive"].value == pytest.approx(1, abs=0.03)
    assert numbers["variable / additive after 30 rounds"].value < 1.05
