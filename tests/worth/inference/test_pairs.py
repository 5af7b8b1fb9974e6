"""Totals of pairs: what a dictionary would count, the same to the last bit in whatever parts it comes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant import Preferences
from penchant.worth.inference import pairs as module
from penchant.worth.inference.pairs import NO_TOTALS, PairGraph, PairTotals

weights = st.sampled_from([0.1, 0.2, 1 / 3, 1.0, 7.0])


def counted(preferences: Preferences) -> dict[tuple[int, int], list[float]]:
    """The totals as a dictionary, one comparison at a time."""
    totals: dict[tuple[int, int], list[float]] = {}
    said = preferences.comparisons()
    for better, worse, tie, weight in zip(said.better, said.worse, said.tie, said.weight, strict=True):
        pair = (int(min(better, worse)), int(max(better, worse)))
        totals.setdefault(pair, [0.0, 0.0, 0.0])[2 if tie else int(better > worse)] += weight
    return dict(sorted(totals.items()))


def as_dictionary(totals: PairTotals) -> dict[tuple[int, int], list[float]]:
    pairs = map(tuple, totals.pairs.T.tolist())
    return dict(zip(pairs, totals.weight.T.tolist(), strict=True))


@st.composite
def rows(draw: Any, weighted: bool) -> Preferences:
    """Weak orders of up to seven items; some are pairs, some are ties."""
    levels = st.lists(st.integers(0, 2), min_size=2, max_size=4)
    told = draw(st.lists(st.tuples(st.permutations(range(7)), levels), min_size=1, max_size=12))
    orders = []
    for members, level in told:
        groups: dict[int, list[int]] = {}
        for member, at in zip(members, level, strict=False):
            groups.setdefault(at, []).append(member)
        orders.append([groups[at] for at in sorted(groups)])
    weight = [draw(weights) for _ in orders] if weighted else None
    return Preferences.from_rankings(orders, weight=weight, items=range(7))


@pytest.mark.parametrize("weighted", [False, True])
@given(data=st.data())
def test_they_are_what_a_dictionary_counts(weighted: bool, data: Any) -> None:
    """Whether at once, row by row, or in two parts, of which one may have no weights: the very same bits."""
    preferences = data.draw(rows(weighted))
    whole = NO_TOTALS.plus(preferences)
    assert as_dictionary(whole) == counted(preferences)
    parts = NO_TOTALS
    for row in preferences:
        parts = parts.plus(row)
    np.testing.assert_array_equal(parts.pairs, whole.pairs)
    np.testing.assert_array_equal(parts.weight, whole.weight)
    more = data.draw(rows(not weighted))
    assert as_dictionary(whole.plus(more)) == counted(preferences + more)


@pytest.mark.parametrize(
    ("n_items", "size"), [(3, 500), (40, 500), (30_000, 500), (150, 23_000), (900, 23_000)]
)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("many", [module._MANY, 300])
def test_every_way_of_counting_gives_the_same(
    n_items: int, size: int, ties: bool, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few items are counted in a square, more by sorting, very many with longer numbers; many answers in buckets."""
    monkeypatch.setattr(module, "_MANY", many)
    rng = np.random.default_rng(n_items)
    first = rng.integers(n_items, size=size)
    second = (first + rng.integers(1, n_items, size=size)) % n_items
    tie = rng.random(size) < 0.3 if ties else None
    preferences = Preferences.from_pairs(np.column_stack([first, second]), tie=tie, items=range(n_items))
    whole = NO_TOTALS.plus(preferences)
    assert as_dictionary(whole) == counted(preferences)
    parts = NO_TOTALS.plus(preferences[:200]).plus(preferences[200:])
    np.testing.assert_array_equal(parts.pairs, whole.pairs)
    np.testing.assert_array_equal(parts.weight, whole.weight)


@pytest.mark.parametrize("shape", [(40,), (40, 1), (40, 3)])
def test_products_of_many_pairs_are_those_of_few(
    shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one pass over the pairs or in two, they are those of the matrix written out."""
    rng = np.random.default_rng(3)
    first, second = np.triu_indices(40, 1)
    chosen = np.sort(rng.choice(len(first), size=300, replace=False))
    graph = PairGraph(np.stack([first[chosen], second[chosen]]).astype(np.int32), 40)
    flows, values = rng.random(300), rng.standard_normal(shape)
    upper = graph.full(flows)
    expected = (upper + upper.T) @ values
    for many in (module._MANY, 300):
        monkeypatch.setattr(module, "_MANY", many)
        found = graph.product(flows, values)
        assert found.shape == shape
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
