"""The consensus of voters: its methods, what it reports, published elections and real ones."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penchant
from penchant import Preferences
from penchant.consensus import METHODS, consensus
from penchant.errors import InvalidInput
from penchant.orders import kendall_distance
from tests.formats.test_real_sets import unpacked

# The capital of Tennessee, the textbooks' election (percent of the voters).
TENNESSEE = Preferences.from_rankings(
    [
        ["Memphis", "Nashville", "Chattanooga", "Knoxville"],
        ["Nashville", "Chattanooga", "Knoxville", "Memphis"],
        ["Chattanooga", "Knoxville", "Nashville", "Memphis"],
        ["Knoxville", "Chattanooga", "Nashville", "Memphis"],
    ],
    weight=[42, 26, 15, 17],
)


def test_the_capital_of_tennessee() -> None:
    """The published Kemeny score is 393 of 600, with Nashville first, who is the Condorcet winner."""
    found = consensus(TENNESSEE)
    assert found.order == ("Nashville", "Chattanooga", "Knoxville", "Memphis")
    assert (found.total - found.distance, found.total, found.proven) == (393, 600, True)
    assert (found.condorcet, found.loser, found.cycles) == ("Nashville", "Memphis", ())
    assert found.pairwise[0].tolist() == [0, 68, 68, 58]
    # Borda's count of the same election: 194, 173, 126 and 107 points.
    points = {item: (score + 100 * 3) // 2 for item, score in found.borda.items()}
    assert points == {"Nashville": 194, "Chattanooga": 173, "Memphis": 126, "Knoxville": 107}
    assert found.orders["borda"] == ("Nashville", "Chattanooga", "Memphis", "Knoxville")
    assert found.voters == 100


def test_a_cycle_is_named_and_broken_where_it_is_weakest() -> None:
    """Of the circle a > b > c > a the smallest majority is given up."""
    votes = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]]
    found = consensus(Preferences.from_rankings(votes, weight=[23, 17, 10]))
    assert (found.condorcet, found.loser) == (None, None)
    assert found.cycles == (("a", "b", "c"),)
    assert found.order == ("a", "b", "c")
    assert found.tiers == (("a", "b", "c"),)


@settings(max_examples=20, deadline=None)
@given(n_items=st.integers(2, 6), n_voters=st.integers(1, 6), seed=st.integers(0, 10**6))
def test_the_distance_is_the_kendall_distance_to_the_voters(n_items: int, n_voters: int, seed: int) -> None:
    """For complete orders each method's distance is the sum of Kendall distances, and Kemeny's is the least of all."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(n_items) for _ in range(n_voters)]
    found = consensus(Preferences.from_rankings([order.tolist() for order in orders], items=range(n_items)))
    ranks = [np.argsort(order) + 1 for order in orders]

    def distance(order: Any) -> int:
        return sum(kendall_distance(own, np.argsort(order) + 1) for own in ranks)

    for name in METHODS:
        assert found.distances[name] == distance([int(item) for item in found.orders[name]])
    assert found.distance == found.bound == min(map(distance, permutations(range(n_items))))
    assert np.tril(found.pairwise, -1).sum() == found.distance


def test_weights_are_voters() -> None:
    """A row of weight 3 is the same as three such rows."""
    orders = [["a", "b", "c"], ["c", ["a", "b"]]]
    once = consensus(Preferences.from_rankings(orders, weight=[3, 2]))
    often = consensus(Preferences.from_rankings([orders[0]] * 3 + [orders[1]] * 2))
    assert json.loads(once.to_json()) == json.loads(often.to_json())


def test_unranked_items_say_nothing_or_come_last() -> None:
    """With unranked="last" an item that few rank loses to what they rank instead."""
    prefs = Preferences.from_rankings([["a", "b"], ["a"], ["a"], ["c", "a"]])
    assert consensus(prefs).order[0] == "c"
    assert consensus(prefs, unranked="last").order[0] == "a"
    assert consensus(prefs, unranked="last").total == 3 + 2 + 2 + 3


@pytest.mark.parametrize("method", METHODS)
def test_the_order_is_that_of_the_method(method: Any) -> None:
    """Each method's own order is shown, with its own distance; the bound is for all."""
    prefs = Preferences.from_rankings([["a", "b", "c", "d"]] * 3 + [["b", "c", "d", "a"]] * 2)
    found = consensus(prefs, method)
    assert found.order == found.orders[method]
    assert found.distance == found.distances[method] >= found.bound
    assert found.proven == (found.distance == found.bound)


def test_orders_that_are_not_proven_say_so() -> None:
    """Borda's order puts b first here though a majority prefers a, and the text says what every order contradicts."""
    prefs = Preferences.from_rankings([["a", "b", "c", "d"]] * 3 + [["b", "c", "d", "a"]] * 2)
    found = consensus(prefs, "borda")
    assert not found.proven
    assert "not proven to be the least: every order contradicts at least 6" in repr(found)
    assert "Condorcet winner: a" in repr(found)


def test_tables() -> None:
    """One row an item with its rank by each method; the matrix has ids on both sides."""
    found = consensus(TENNESSEE)
    frame = found.to_frame()
    assert frame["item"].tolist() == list(found.order)
    assert frame["borda"].tolist() == [1, 2, 4, 3]
    assert frame["copeland_score"].tolist() == [3, 1, -1, -3]
    assert found.pairwise_frame().loc["Memphis", "Nashville"] == 42
    assert set(found._repr_mimebundle_()) == {"image/svg+xml", "text/plain"}


@pytest.mark.parametrize(
    ("prefs", "options", "message"),
    [
        (TENNESSEE, {"method": "plurality"}, "method must be one of"),
        (TENNESSEE, {"unranked": "first"}, "unranked must be one of"),
        (TENNESSEE, {"seconds": -1}, "seconds must be"),
        (Preferences.from_rankings([[["a", "b"]]]), {}, "prefer some item to another, got none that do"),
    ],
)
def test_what_cannot_be_aggregated_is_rejected(
    prefs: Preferences, options: dict[str, Any], message: str
) -> None:
    """Unknown settings, and preferences in which all are equal."""
    with pytest.raises(InvalidInput, match=message):
        consensus(prefs, **options)


@pytest.mark.needs("data:preflib")
def test_real_elections(tmp_path: Path) -> None:
    """PrefLib's ski, skating and Formula 1 series, of up to some 50 items, are proven optimal."""
    folder = unpacked("preflib", tmp_path, ".soc")
    chosen = sorted(folder.rglob("00006-*.soc"))[::6] + sorted(folder.rglob("00052-*.soc"))[:3]
    assert len(chosen) > 4
    for path in chosen:
        found = consensus(penchant.read(path))
        assert found.proven
        assert found.distance == min(found.distances.values())
