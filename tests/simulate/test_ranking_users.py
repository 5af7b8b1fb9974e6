"""Users who reorder a ranking, beside references written from the papers' words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.simulate import Documents, NoisyRanking, StrictRanking
from tests.simulate.tables import queries

ALPHAS = st.floats(0.01, 1.0)


def moved_up(order: list[int], values: list[float], depth: int, places: int) -> list[int]:
    """Put the best of the first ``depth`` on top one by one, the first of equals first."""
    left, top = list(order[:depth]), []
    while left and len(top) < places:
        best = max(values[document] for document in left)
        top.append(next(document for document in left if values[document] == best))
        left.remove(top[-1])
    return top + [document for document in order if document not in top]


def strict_reference(context: Documents, order: list[int], alpha: float) -> list[int]:
    """Go down the list from as many documents as count, until eq. 5 holds."""
    gap = context.best_utility - context.utility(order)
    depth = min(context.depth, len(order))
    while True:
        answer = moved_up(order, context.utilities.tolist(), depth, context.depth)
        if context.utility(answer) - context.utility(order) >= alpha * gap - 1e-12 or depth == len(order):
            return answer
        depth += 1


@given(queries(), ALPHAS)
def test_a_strict_user_goes_down_as_far_as_needed(drawn: tuple[Documents, np.ndarray], alpha: float) -> None:
    """The answer is that of the reference, which tries one depth after the other."""
    context, order = drawn
    answer = StrictRanking(alpha).answer(context, order)
    assert answer.tolist() == strict_reference(context, order.tolist(), alpha)


@given(queries(), ALPHAS)
def test_a_strict_user_is_strictly_informative(drawn: tuple[Documents, np.ndarray], alpha: float) -> None:
    """U(ȳ) − U(y) ≥ α(U(y*) − U(y)), which is never below 0, and the answer is an order of the same documents."""
    context, order = drawn
    answer = StrictRanking(alpha).answer(context, order)
    assert sorted(answer.tolist()) == list(range(len(order)))
    gain, gap = (
        context.utility(answer) - context.utility(order),
        context.best_utility - context.utility(order),
    )
    assert gain >= alpha * gap - 2e-12
    assert gain >= -2e-12


@given(queries(), st.integers(1, 14))
def test_a_noisy_user_lifts_the_highest_labels(drawn: tuple[Documents, np.ndarray], depth: int) -> None:
    """The highest labels of the first ``depth`` come to the top; equal labels, and all others, keep their order."""
    context, order = drawn
    answer = NoisyRanking(depth).answer(context, order)
    assert answer.tolist() == moved_up(order.tolist(), context.grades.tolist(), depth, context.depth)


@given(queries())
def test_a_noisy_user_changes_nothing_where_all_labels_are_equal(drawn: tuple[Documents, np.ndarray]) -> None:
    """Ties keep the presented order."""
    context, order = drawn
    level = Documents(context.features, context.utilities, np.ones(len(order)), context.feature_map)
    assert NoisyRanking(10).answer(level, order).tolist() == order.tolist()


@pytest.mark.parametrize("alpha", [0, -0.5, 1.5, float("nan")])
def test_an_alpha_outside_its_range_is_refused(alpha: float) -> None:
    """α must be in (0, 1]."""
    with pytest.raises(InvalidInput, match="alpha must be a number above 0 and at most 1"):
        StrictRanking(alpha)


@pytest.mark.parametrize("depth", [0, -1, 2.5, True])
def test_a_depth_that_is_no_count_is_refused(depth: object) -> None:
    """A user looks at one document or more."""
    with pytest.raises(InvalidInput, match="depth must be a whole number"):
        NoisyRanking(depth)
