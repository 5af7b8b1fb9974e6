"""Web search beside movies."""

from __future__ import annotations

import pytest

from tests.papers.running import result_of


def test_both_sets_are_played_and_compared() -> None:
    """The difference of the prices has the error of both; widths are whole decades; each row names its task."""
    result = result_of("2.web-and-movies", size="quick")
    price = "α = 0.1 / α = 1"
    web, movies, apart = (
        result.numbers[f"{price}, {where}"] for where in ("web search", "movies", "web search less movies")
    )
    assert apart.value == pytest.approx(web.value - movies.value)
    assert apart.error == pytest.approx((web.error**2 + movies.error**2) ** 0.5)
    for place in ("web search", "movies"):
        assert result.numbers[f"decades of γ below the convex line, {place}"].value in range(-1, 7)
    assert set(result.frame["place"]) == {"web search", "movies"}
    assert not result.frame.duplicated(["place", "name", "run", "t"]).any()
    assert result.data.count("a made-up stand-in") == 2
