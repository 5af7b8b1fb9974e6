"""A linked process from everything that was said: ties and weights, and no prior that is too narrow."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from penchant import Preferences
from penchant.gp import LinkedGP
from penchant.gp.linked.learned import learned_from

SAID = Preferences.from_pairs(
    [("b", "a"), ("b", "c"), ("a", "b"), ("c", "b"), ("a", "c")] * 6 + [("a", "b")] * 9
)


def test_settings_that_are_given_are_kept() -> None:
    """The same as fitting, telling and refreshing by hand."""
    given = LinkedGP(scale=0.3, threshold=0.2)
    by_hand = LinkedGP(scale=0.3, threshold=0.2).fit(n_items=3).update(*SAID.pairs().T).refresh()
    model = learned_from(SAID, model=given)
    assert model is given
    assert model.get_params() == by_hand.get_params()
    np.testing.assert_array_equal(model.mean, by_hand.mean)
    assert model.items_ == SAID.items


def test_otherwise_the_evidence_chooses_but_no_prior_narrower_than_an_answer() -> None:
    """A chain, which equal items explain best, keeps the scale of the noise; links alone do as well."""
    chain = Preferences.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
    assert learned_from(chain).scale == 1.0
    links = np.zeros((5, 5))
    links[0, 1] = links[1, 0] = 1.0
    model = learned_from(chain, links=links)
    assert model.iota**2 / model.beta >= 1 - 1e-9
    wide = Preferences.from_pairs(
        [("a", "b")] * 20 + [("b", "a"), ("b", "c"), ("c", "b")] + [("b", "c")] * 20
    )
    assert learned_from(wide).scale > 1


def test_the_threshold_is_the_share_of_ties() -> None:
    """By weight; none without ties, and never none with them."""
    ties = Preferences.from_pairs(
        [("a", "b"), ("b", "a"), ("a", "b")], tie=[False, False, True], weight=[1, 1, 2]
    )
    assert learned_from(ties).threshold == pytest.approx(ndtri(0.75))
    assert learned_from(SAID).threshold == 0.0
    rare = Preferences.from_pairs([("a", "b"), ("b", "a")] * 50 + [("a", "b")], tie=[False] * 100 + [True])
    assert learned_from(rare).threshold == 0.05
