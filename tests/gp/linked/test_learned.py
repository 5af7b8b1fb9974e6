"""A linked process from everything that was said: ties, weights, and an uncertain scale of the prior."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.gp import LinkedGP
from penchant.gp.linked.item_prior import ItemPrior
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


def test_otherwise_the_prior_is_learned_and_its_scale_stays_uncertain() -> None:
    """A chain, which equal items explain best, keeps scales as wide as the noise of an answer; links do as well."""
    chain = Preferences.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
    model = learned_from(chain)
    scales = model.scale * np.array(model.factors_)
    assert scales.min() >= 0.1
    assert model.factor_weights_[scales > 1].sum() > 0.2
    links = np.zeros((5, 5))
    links[0, 1] = links[1, 0] = 1.0
    linked = learned_from(chain, links=links)
    assert len(linked.factors_) > 4
    wide = Preferences.from_pairs(
        [("a", "b")] * 20 + [("b", "a"), ("b", "c"), ("c", "b")] + [("b", "c")] * 20
    )
    assert learned_from(wide).scale > model.scale


def test_learning_all_answers_equals_fitting_telling_and_tuning() -> None:
    """Without a step for each answer the result is the same."""
    by_hand = LinkedGP().fit(n_items=3).update(*SAID.pairs().T).tune()
    model = learned_from(SAID)
    assert model.factors_ == by_hand.factors_
    np.testing.assert_array_equal(model.mean, by_hand.mean)


def test_weights_count_in_learning_and_in_rankings() -> None:
    """Answers with weights are learned, tuned and counted as so many equal answers."""
    pairs = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")]
    weighted = learned_from(Preferences.from_pairs(pairs, weight=[4, 3, 1, 2]))
    repeated = learned_from(Preferences.from_pairs(np.repeat(pairs, [4, 3, 1, 2], axis=0)))
    assert weighted.scale == pytest.approx(repeated.scale)
    np.testing.assert_allclose(weighted.mean, repeated.mean, rtol=1e-9)
    np.testing.assert_allclose(weighted.covariance(), repeated.covariance(), rtol=1e-9)
    assert weighted.rank().answers.tolist() == repeated.rank().answers.tolist()
    assert weighted.counts_.tolist() == [7, 7, 6]
    half = learned_from(Preferences.from_pairs(pairs, weight=[0.5, 1, 1, 1]))
    assert half.counts_.tolist() == [2.5, 1.5, 3.0]


def test_what_cannot_be_tuned_is_rejected_before_anything_is_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No prior is worked out for more linked items than hyperparameters are learned for."""
    monkeypatch.setattr("penchant.gp.linked.tuning.WRITTEN_OUT", 4)
    monkeypatch.setattr(ItemPrior, "prior", lambda *_: pytest.fail("the prior was worked out"))
    chain = Preferences.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
    with pytest.raises(InvalidInput, match="beta and iota are tuned for at most 4 items"):
        learned_from(chain, links=np.zeros((5, 5)))


def test_the_threshold_is_the_share_of_ties() -> None:
    """By weight; none without ties, and never none with them."""
    ties = Preferences.from_pairs(
        [("a", "b"), ("b", "a"), ("a", "b")], tie=[False, False, True], weight=[1, 1, 2]
    )
    assert learned_from(ties).threshold == pytest.approx(ndtri(0.75))
    assert learned_from(SAID).threshold == 0.0
    rare = Preferences.from_pairs([("a", "b"), ("b", "a")] * 50 + [("a", "b")], tie=[False] * 100 + [True])
    assert learned_from(rare).threshold == 0.05


def test_answers_that_are_all_ties_are_learned() -> None:
    """Where everything was tied, the threshold stays finite and all items are equal."""
    model = learned_from(Preferences.from_pairs([("a", "b"), ("b", "c")] * 4, tie=[True] * 8))
    assert np.isfinite(model.threshold)
    np.testing.assert_allclose(model.mean, 0, atol=1e-6)
