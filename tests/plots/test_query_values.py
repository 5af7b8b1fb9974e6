"""One value a query as bars."""

from __future__ import annotations

import pytest

from penchant.errors import InvalidInput
from penchant.plots import query_values_chart


def test_queries_stand_from_the_largest_value_to_the_smallest() -> None:
    """Every query is a bar, and the mean a line."""
    chart = query_values_chart(
        ["a", "b", "c"], [-0.5, 0.2, 0.6], metric="difference in MAP", title="one less two"
    )
    drawn = chart.to_dict()
    bars, mean = drawn["layer"]
    assert [bar["query"] for bar in bars["data"]["values"]] == ["c", "b", "a"]
    assert mean["data"]["values"] == [{"mean": pytest.approx(0.1)}]
    assert drawn["title"]["text"] == "one less two"
    assert bars["encoding"]["x"]["title"] == "3 queries, the largest first"


def test_no_queries_cannot_be_drawn() -> None:
    """And each must have a name."""
    with pytest.raises(InvalidInput, match="at least one query"):
        query_values_chart([], [], metric="MAP")
    with pytest.raises(InvalidInput, match="queries"):
        query_values_chart(["a"], [1, 2], metric="MAP")
