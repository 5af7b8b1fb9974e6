"""Judging one round: against every pair of items, and against the metric of the package."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.coactive import judging
from penchant.coactive.judging import changed_pairs, judged, ndcg_of_hits
from penchant.metrics import ndcg


@pytest.mark.parametrize("few", [0, 2000])
@given(st.integers(1, 9).flatmap(lambda n: st.tuples(*[st.permutations(range(n))] * 2)))
def test_changed_pairs_are_those_of_all_pairs(few, orders) -> None:
    """By lists and by arrays: every pair of items whose order two orders disagree on, once."""
    presented, improved = orders
    slow = {
        (a, b)
        for a in presented
        for b in presented
        if presented.index(a) > presented.index(b) and improved.index(a) < improved.index(b)
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "_FEW", few)
        found = changed_pairs(presented, improved)
    assert len(found) == len(set(found))
    assert set(found) == slow


@given(st.data())
def test_a_round_is_judged_as_the_metric_judges_it(data) -> None:
    """NDCG of the learner and of what was presented, over what was shown or answered alone."""
    n, k = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 6))
    scores = data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=n, max_size=n))
    presented = data.draw(st.permutations(range(n)))
    n_shown = data.draw(st.integers(1, n))
    answer = data.draw(st.lists(st.sampled_from(range(n)), unique=True))
    improved = answer + [item for item in presented if item not in answer]
    found = judged(scores, presented, improved, answer, n_shown=n_shown, by_clicks=True, k=k)
    seen = sorted({*presented[:n_shown], *answer})
    hits = [item in answer for item in seen]
    if not answer:
        assert np.isnan([found.ndcg, found.presented_ndcg]).all()
        return
    assert found.ndcg == pytest.approx(ndcg(hits, [scores[item] for item in seen], k=k))
    stood = [-presented.index(item) for item in seen]
    assert found.presented_ndcg == pytest.approx(ndcg(hits, stood, k=k))
    pairs = changed_pairs(presented, improved)
    assert (found.correct, found.pairs) == (sum(scores[a] > scores[b] for a, b in pairs), len(pairs))


@settings(max_examples=80)
@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 1.0, 2.5, -1.0])), min_size=1, max_size=12),
    st.integers(1, 6),
)
def test_short_lists_have_the_ndcg_of_the_metric(rows, k) -> None:
    """Ties, cuts inside them and lists shorter than k included."""
    hits, scores = map(list, zip(*rows, strict=True))
    if any(hits):
        assert ndcg_of_hits(hits, scores, k) == pytest.approx(ndcg(hits, scores, k=k))
