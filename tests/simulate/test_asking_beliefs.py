"""Beliefs that learn one probit answer at a time, against the models that they imitate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.gp import LinkedGP
from penchant.simulate import (
    ByWorth,
    DenseBelief,
    DiagonalPropagated,
    GlickoRated,
    KendallReached,
    OnlineBelief,
    ProbitJudge,
    Propagated,
    ask_until,
)
from penchant.worth import Glicko

BELIEFS: dict[str, Callable[[int], OnlineBelief]] = {
    "full": lambda n: Propagated(n, growth=0),
    "now and then": Propagated,
    "incremental": lambda n: Propagated(n, scale=3.0, growth=None),
    "diagonal": lambda n: DiagonalPropagated(n, scale=3.0),
    "Glicko": lambda n: GlickoRated(n, scale=3.0),
}


def answers(n_items: int, count: int, seed: int) -> np.ndarray:
    """Answers about random pairs, better first."""
    random = np.random.default_rng(seed)
    utility = 2 * random.standard_normal(n_items)
    pairs = np.array([random.choice(n_items, 2, replace=False) for _ in range(count)])
    lost = utility[pairs[:, 0]] + random.normal(size=count) < utility[pairs[:, 1]]
    pairs[lost] = pairs[lost][:, ::-1]
    return pairs


def taught(belief: OnlineBelief, pairs: np.ndarray) -> OnlineBelief:
    for better, worse in pairs.tolist():
        belief.update(better, worse)
    return belief


def test_the_incremental_step_is_that_of_the_model() -> None:
    """Without refreshes the belief equals LinkedGP's after the same answers."""
    pairs = answers(7, 40, 1)
    belief = taught(Propagated(7, scale=1.5, growth=None), pairs)
    model = LinkedGP(scale=1.5).fit(n_items=7).update(*pairs.T)
    assert belief.mean == pytest.approx(model.mean, abs=1e-9)
    assert belief.covariance() == pytest.approx(model.covariance(), abs=1e-9)
    assert belief.covariance([1, 2], [3]) == pytest.approx(model.covariance([1, 2], [3]), abs=1e-9)


def test_the_refresh_is_that_of_the_model() -> None:
    """A refresh is full expectation propagation, up to its tolerance."""
    pairs = answers(7, 60, 2)
    belief = taught(Propagated(7, scale=1.5), pairs)
    belief.refresh()
    model = LinkedGP(scale=1.5).fit(n_items=7).update(*pairs.T).refresh()
    assert belief.mean == pytest.approx(model.mean, abs=0.01)
    assert belief.variance() == pytest.approx(model.variance(), abs=0.01)


def test_a_refresh_finds_its_end_on_one_sided_answers() -> None:
    """All sites move at once; sixty answers that agree about one pair still end where the model ends."""
    pairs = np.concatenate([np.tile([0, 1], (60, 1)), answers(5, 12, 6)])
    belief = taught(Propagated(5, scale=3.0, growth=None), pairs)
    belief.refresh()
    model = LinkedGP(scale=3.0).fit(n_items=5).update(*pairs.T).refresh()
    assert belief.mean == pytest.approx(model.mean, abs=0.02)
    assert belief.covariance() == pytest.approx(model.covariance(), abs=0.02)


def test_the_scale_is_the_one_that_explains_the_answers() -> None:
    """A scale that is not given comes near the one of the largest evidence."""
    pairs = answers(12, 150, 3)
    belief = Propagated(12)
    taught(belief, pairs)
    for _ in range(10):
        belief.refresh()
    scales = np.geomspace(0.3, 10, 60)
    evidence = [
        LinkedGP(scale=float(scale)).fit(n_items=12).update(*pairs.T).refresh().log_evidence_
        for scale in scales
    ]
    assert belief.scale == pytest.approx(scales[int(np.argmax(evidence))], rel=0.1)


def test_glicko_is_the_model_of_that_name() -> None:
    """In rating points the ratings are those of Glicko, in the same order."""
    pairs = answers(5, 30, 4)
    q = np.log(10) / 400
    model = Glicko(0.0, deviation=1.7 / q).fit(Preferences.from_pairs(pairs, items=range(5)))
    belief = taught(GlickoRated(5), pairs)
    assert belief.mean * 1.7 / q == pytest.approx(model.scores_, abs=1e-6)
    assert np.sqrt(belief.variance()) * 1.7 / q == pytest.approx(model.deviations_, abs=1e-6)


@pytest.mark.parametrize("belief", BELIEFS)
def test_every_belief_finds_the_order(belief: str) -> None:
    """Each way to believe reaches a Kendall correlation of 0.9 with ten items."""
    utility = np.linspace(6, -6, 10)
    judge = ProbitJudge(utility, noise=0.5**0.5, seed=1)
    ended = ask_until(KendallReached(utility), ByWorth(), BELIEFS[belief](10), [judge], most=400, seed=1)
    assert ended.reached


@pytest.mark.parametrize(
    "belief", [Propagated(3, scale=1.5), DiagonalPropagated(3), GlickoRated(3)], ids=repr
)
def test_items_without_answers_stay_at_the_prior(belief: OnlineBelief) -> None:
    """An answer about two items moves these apart and counts; a third keeps its mean and its variance."""
    before = belief.variance([2])
    belief.update(1, 0)
    assert belief.mean[1] > 0 > belief.mean[0]
    assert belief.mean[2] == 0
    assert belief.variance([2]) == pytest.approx(before)
    assert belief.counts_.tolist() == [1, 1, 0]


def test_weights_are_repetitions() -> None:
    """Learning a comparison of weight 2 is learning it twice; items are found by name, wherever they stand."""
    once = DenseBelief(np.eye(3)).learn(
        Preferences.from_pairs([("2", "0")], weight=[2], items=["2", "0", "1"])
    )
    twice = DenseBelief(np.eye(3)).update(2, 0).update(2, 0)
    np.testing.assert_array_equal(once.mean, twice.mean)
    np.testing.assert_array_equal(once.covariance(), twice.covariance())


def test_the_prior_is_not_changed() -> None:
    """A belief learns on a copy of the covariance that it was given."""
    prior = np.eye(2)
    DenseBelief(prior).update(0, 1)
    np.testing.assert_array_equal(prior, np.eye(2))


def test_many_answers_make_room() -> None:
    """More answers than the first arrays hold are all there: a refresh is that of the model."""
    pairs = answers(4, 140, 8)
    belief = taught(Propagated(4, scale=1.5, growth=None), pairs).refresh()
    model = LinkedGP(scale=1.5).fit(n_items=4).update(*pairs.T).refresh()
    assert belief.mean == pytest.approx(model.mean, abs=0.01)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"scale": 0.0}, "scale must be a number above 0"),
        ({"scale": float("inf")}, "scale must be a number above 0, got inf"),
        ({"growth": -1.0}, "growth must be a number of at least 0"),
    ],
)
def test_impossible_settings_are_rejected(wrong: dict[str, float], words: str) -> None:
    """Scales and growths that make no sense are errors."""
    with pytest.raises(InvalidInput, match=words):
        Propagated(3, **wrong)  # type: ignore[arg-type]


def test_ties_are_rejected() -> None:
    """A probit belief has no model of ties."""
    with pytest.raises(InvalidInput, match="must be given decided answers, got a tie"):
        DenseBelief(np.eye(2)).learn(Preferences.from_pairs([(0, 1)], tie=[True]))


def test_fractions_of_answers_are_rejected() -> None:
    """A probit belief learns whole answers."""
    half = Preferences.from_pairs([(0, 1)], weight=[0.5])
    with pytest.raises(InvalidInput, match="weights must be whole numbers of answers"):
        Propagated(2).learn(half)


def test_the_former_call_of_learn_warns() -> None:
    """Two rows are one answer, as `update` takes it now."""
    with pytest.warns(DeprecationWarning, match="is called update now"):
        old = Propagated(3, scale=1.0).learn(0, 1)  # type: ignore[arg-type]
    np.testing.assert_array_equal(old.mean, Propagated(3, scale=1.0).update(0, 1).mean)
