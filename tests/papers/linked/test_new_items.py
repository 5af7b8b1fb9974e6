"""Items that come later, and inducing items in place of all."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.papers.linked.new_items import ADDED, INDUCING, KNOWN, NOTHING, asked
from penchant.papers.linked.sets import SETS, collection
from penchant.papers.run import Run
from tests.papers.running import result_of


@pytest.mark.parametrize("name", SETS)
def test_what_is_known_of_new_items_is_compared(name: str) -> None:
    """Numbers are the means of the frame; knowing something is better than knowing nothing on stand-ins."""
    result = result_of(f"5.inductive/{name}", size="quick")
    means = result.frame.mean()
    for way in (ADDED, KNOWN, NOTHING):
        assert result.numbers[f"MAP of new items, {way}"].value == pytest.approx(means[way])
    assert means[KNOWN] > means[NOTHING]


def test_as_many_inducing_items_as_items_are_exact() -> None:
    """A made-up query has forty documents."""
    frame = result_of("5.sparse/letor2-ohsumed", size="quick").frame
    assert frame[f"{INDUCING[-1]} inducing"].to_numpy() == pytest.approx(frame["exact"].to_numpy())


def test_answers_follow_the_true_utilities() -> None:
    """The better one first, and no pair twice."""
    items = collection("letor2-ohsumed", Run(size="quick")).queries[0]
    random = np.random.default_rng(0)
    utility = random.random(len(items))
    answers = asked(items, items.prior("both"), utility, 20, random)
    assert (utility[answers[:, 0]] > utility[answers[:, 1]]).all()
    assert len({tuple(sorted(pair)) for pair in answers.tolist()}) == 20
