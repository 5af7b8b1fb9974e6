"""What lies on the table."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given

from penchant.coactive import RankingMap
from penchant.errors import InvalidInput
from penchant.simulate import Documents, Items
from tests.simulate.tables import offers, queries


@given(queries())
def test_a_rankings_utility_is_that_of_its_features(drawn: tuple[Documents, np.ndarray]) -> None:
    """U(y) = w*ᵀφ(x, y) for documents whose one feature is their utility, and DCG has the labels in its place."""
    context, order = drawn
    for values, told in (
        (context.utilities, context.utility(order)),
        (context.grades, context.dcg(order)),
    ):
        assert told == pytest.approx(context.feature_map.joint(values[:, None], order)[0], abs=1e-12)


def test_no_ranking_is_better_than_the_best() -> None:
    """The best utility and DCG are the largest over all orders, also of negative utilities."""
    context = Documents(np.zeros((5, 1)), [-1.0, 2.0, -3.0, 0.5, 0.5], [0, 3, 1, 1, 2], RankingMap(3))
    orders = list(permutations(range(5)))
    assert context.best_utility == pytest.approx(max(map(context.utility, orders)))
    assert context.best_dcg == pytest.approx(max(map(context.dcg, orders)))


@given(offers())
def test_items_are_worth_their_utility_and_pairs_the_mean(drawn: tuple[Items, int]) -> None:
    """One item has its own utility, two that were shown together the mean of theirs."""
    context, item = drawn
    assert context.utility(item) == context.utilities[item] <= context.best_utility
    assert context.utility([item, 0]) == pytest.approx((context.utilities[item] + context.utilities[0]) / 2)


@pytest.mark.parametrize("presented", [[0, 1], [0, 1, 1], [0, 1, 3], [0.5, 1, 2]])
def test_what_is_no_order_is_refused(presented: list[float]) -> None:
    """An object must be an order of all documents."""
    context = Documents(np.zeros((3, 1)), np.zeros(3), np.zeros(3), RankingMap())
    for ask in (context.known, context.utility, context.dcg):
        with pytest.raises(InvalidInput, match="presented"):
            ask(presented)


@pytest.mark.parametrize("presented", [-1, 3, 1.0, True, "a", None])
def test_what_is_no_item_is_refused(presented: object) -> None:
    """An object must be the index of an item on offer, and has no utility otherwise."""
    offer = Items(np.zeros((3, 1)), np.zeros(3), np.zeros(3))
    for ask in (offer.known, offer.utility, lambda item: offer.utility([0, item])):
        with pytest.raises(InvalidInput, match="an item from 0 to 2"):
            ask(presented)


def test_large_features_are_no_mistake() -> None:
    """Features whose squares cannot be held are taken as they are."""
    for kind in (np.float32, np.float64):
        features = np.full((2, 3), np.finfo(kind).max, dtype=kind)
        assert Items(features, [0.0, 1.0], [0, 1]).features is features


@pytest.mark.parametrize(
    ("features", "utilities", "message"),
    [
        (np.zeros((0, 1)), [], "at least 1 row"),
        (np.zeros(3), np.zeros(3), "matrix"),
        (np.zeros((2, 1)), [0.0], "2 entries"),
        (np.zeros((2, 1)), [0.0, np.nan], "finite"),
        (np.array([[0.0], [np.nan]]), [0.0, 1.0], "features of row 1, column 0 must be a finite number"),
        (np.array([[np.inf], [0.0]], dtype=np.float32), [0.0, 1.0], "features of row 0, column 0"),
    ],
)
def test_tables_that_make_no_sense_are_refused(features: object, utilities: object, message: str) -> None:
    """No candidates, no matrix, a missing or an undefined utility: each says so."""
    with pytest.raises(InvalidInput, match=message):
        Items(features, utilities, utilities)
