"""The arrays of a dense belief: stored and read again, copied, and with more items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from penchant.errors import InvalidInput
from penchant.online import OnlineMixture
from penchant.online.likelihood import AnswerLikelihood
from penchant.online.prior import IndependentPrior
from tests.online.test_dense import N_ITEMS, plain, same, some_answers


def test_more_items_than_a_dense_covariance_has_are_rejected() -> None:
    """The limit is named before any memory is taken."""
    prior = IndependentPrior(np.broadcast_to(1.0, (1, 2001)))
    with pytest.raises(InvalidInput, match="at most 2,000"):
        OnlineMixture([str(row) for row in range(2001)], AnswerLikelihood.logistic(), prior)


@given(some_answers(), some_answers(12))
def test_a_stored_belief_continues_to_the_same_bits(before: Any, after: Any) -> None:
    """A belief that was stored or copied learns further answers to the same bits, and apart from the first one."""
    belief = plain()
    for answer in before:
        belief.answer(*answer)
    stored, copied, state = OnlineMixture.from_state(belief.state()), belief.copy(), belief.state()
    for answer in after:
        assert stored.answer(*answer) == copied.answer(*answer)
    assert same(stored.state(), copied.state())
    assert same(belief.state(), state)
    for answer in after:
        belief.answer(*answer)
    assert same(stored.state(), belief.state())


@given(some_answers(20))
def test_new_items_leave_the_others_as_they_are(found: Any) -> None:
    """Items that are added have the prior, and the belief of the others stays what it was."""
    belief = plain()
    for answer in found:
        belief.answer(*answer)
    wider = belief.with_items(["new", "newer"])
    assert wider is not None
    assert wider.items_ == (*belief.items_, "new", "newer")
    np.testing.assert_allclose(wider.mean[:N_ITEMS], belief.mean)
    np.testing.assert_allclose(wider.covariance()[:N_ITEMS, :N_ITEMS], belief.covariance(), atol=1e-12)
    assert wider.counts_.tolist() == [*belief.counts_.tolist(), 0, 0]
    bar = belief.rank().threshold
    assert (bar is None) == (wider.rank().threshold is None)
    again, before = wider.copy(), wider.mean
    wider.answer(N_ITEMS, 0, 0)
    assert wider.mean[N_ITEMS] - wider.mean[0] > before[N_ITEMS] - before[0]
    again.answer(N_ITEMS, 0, 0)
    assert same(again.state(), wider.state())


def test_a_belief_has_a_name_and_a_size() -> None:
    """It says what it is, and about how much memory a copy takes."""
    belief = plain()
    assert repr(belief) == "OnlineMixture of 6 items, 2 components, for OnlineMixture"
    assert belief.n_bytes >= 2 * 7 * 7 * 8
