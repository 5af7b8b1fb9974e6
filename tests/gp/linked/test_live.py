"""Live beliefs of `LinkedGP`: what `tune` and full propagation give, and further answers one at a time."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.gp import LinkedGP
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.likelihood import Probit
from penchant.gp.inference.live_data import LiveData
from penchant.gp.linked import live
from penchant.gp.linked.field_belief import FieldBelief
from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.gp.linked.linked_parts import LinkedMixture
from penchant.gp.linked.live import few_points
from penchant.gp.linked.posterior import compared, propagated
from penchant.gp.linked.tied_tuning import learned_points
from penchant.online import OnlineMixture
from penchant.study.learning import LINKED
from tests.gp.linked.worlds import drawn, held_at
from tests.gp.live import FEATURES, LINKS, UTILITY, N, check_live, decided, preferences

SURE_WITH_LINKS = 0, 3
GIVEN: dict[str, dict[str, Any]] = {
    "features": {"features": FEATURES},
    "links": {"links": LINKS},
    "both": {"features": FEATURES, "links": LINKS},
}


@pytest.mark.parametrize("kind", GIVEN)
@pytest.mark.parametrize("count", [0, 5, 80])
def test_it_is_a_live_belief(kind: str, count: int) -> None:
    """From no answers, a few or many, up to 2,000 items."""
    belief = LinkedGP().live(preferences(count), **GIVEN[kind])
    assert isinstance(belief, LinkedMixture)
    check_live(belief)


@pytest.mark.parametrize("kind", GIVEN)
@pytest.mark.parametrize("count", [0, 80])
def test_it_is_a_live_belief_for_many_items(kind: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where the items are more than a dense covariance is kept for."""
    monkeypatch.setattr(live, "MOST_ITEMS", 10)
    belief = LinkedGP().live(preferences(count), **GIVEN[kind])
    assert isinstance(belief, FieldBelief)
    check_live(belief)


def test_dense_and_sparse_beliefs_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the settings of the model, means are the same to 0.05 sd and variances to 10 %."""
    monkeypatch.setattr(live, "LEAST_ANSWERS", 1000)
    monkeypatch.setattr(live, "prior_factors", lambda most: (np.ones(1), np.ones(1)))
    model, given = LinkedGP(lengthscale=1.5, threshold=0.1), preferences(80)
    dense = model.live(given, **GIVEN["both"])
    monkeypatch.setattr(live, "MOST_ITEMS", 10)
    sparse = model.live(given, **GIVEN["both"])
    sd = np.sqrt(dense.variance())
    assert np.abs((dense.mean - sparse.mean) / sd).max() < 0.05
    np.testing.assert_allclose(sparse.variance(), dense.variance(), rtol=0.1)
    assert dense.outcome_probabilities(1, 2) == pytest.approx(sparse.outcome_probabilities(1, 2), abs=0.01)


def test_it_is_full_propagation_at_the_learned_settings() -> None:
    """Means and sds are those of the mixture over the best of `learned_points`, within 0.02 sd and 1 %."""
    belief, answers = LinkedGP().live(decided(80), **GIVEN["both"]), LiveData.of(decided(80)).between
    item_prior = ItemPrior.of(FEATURES.to_numpy(), LINKS, None, N)
    every = learned_points(item_prior, answers, Settings.checked(LinkedGP().get_params()), 7)
    points = live.Start(every.settings, every.weights, every.log_evidence).most_probable(7)
    items, counts = compared(answers)
    np.testing.assert_allclose(belief.weights_, points.weights)
    means, variances = [], []
    for settings in points.settings:
        full = propagated(
            item_prior.prior(settings).block(items, items), counts, Probit(1.0, settings.threshold)
        )
        means.append(full.utility)
        variances.append((full.posterior.halves**2).sum(axis=1))
    mean = points.weights @ means
    sd = np.sqrt(points.weights @ (np.array(variances) + (np.array(means) - mean) ** 2))
    assert np.abs((belief.mean[items] - mean) / sd).max() < 0.02
    np.testing.assert_allclose(np.sqrt(belief.variance(items)), sd, rtol=0.01)


def test_weights_come_from_all_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings are learned from a part of many items; the evidence of the other answers weighs them."""
    monkeypatch.setattr(live, "_TUNED_ITEMS", 15)
    given = decided(80)
    belief = LinkedGP().live(given, features=FEATURES)
    data = LiveData.of(given)
    start = live._started(
        ItemPrior.of(FEATURES.to_numpy(), None, None, N), data, Settings.checked(LinkedGP().get_params())
    )
    assert start.log_evidence is not None
    assert np.abs(belief.weights_ - start.weights).max() > 0.01
    logs = np.log(start.weights) + belief.log_evidence() - start.log_evidence
    np.testing.assert_allclose(belief.weights_, np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum())


def test_improbable_settings_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A start without settings below a share of the probability gives nearly the belief with all of them."""
    monkeypatch.setattr(live, "_TUNED_ITEMS", 15)
    given = decided(80)
    every = LinkedGP().live(given, features=FEATURES)
    least = float(np.sort(every.weights_)[1])
    monkeypatch.setattr(live, "LEAST_WEIGHT", least)
    some = LinkedGP().live(given, features=FEATURES)
    kept = np.flatnonzero(every.weights_ >= least)
    assert len(kept) == len(every.weights_) - 1
    shares = every.weights_[kept] / every.weights_[kept].sum()
    np.testing.assert_allclose(some.weights_, shares, rtol=1e-3)
    np.testing.assert_allclose(some._means, every._means[kept], atol=1e-3)


def test_the_same_first_answers_are_learned_from_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Further answers that leave the first ones as they are do not repeat the search; other first answers do."""
    calls = []

    def counted(*arguments: Any) -> Any:
        calls.append(arguments)
        return learned_points(*arguments)

    monkeypatch.setattr(live, "_TUNED_ITEMS", 15)
    monkeypatch.setattr(live, "_LEARNED", {})
    monkeypatch.setattr(live, "learned_points", counted)
    given = decided(80)
    first = LinkedGP().live(given[:60], features=FEATURES)
    LinkedGP().live(given, features=FEATURES)
    assert len(calls) == 1
    monkeypatch.setattr(live, "_LEARNED", {})
    again = LinkedGP().live(given[:60], features=FEATURES)
    assert again.mean.tolist() == first.mean.tolist()
    LinkedGP().live(given[1:], features=FEATURES)
    LinkedGP().live(given, features=2 * FEATURES)
    assert len(calls) == 4


def test_links_that_say_nothing_do_not_make_it_too_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linear utilities of features, random links, settings from few answers: nine in ten intervals of differences hold.

    Where all settings give the links some weight, they hold 23 and 32 % in these worlds.
    """
    monkeypatch.setattr(live, "_TUNED_ITEMS", 40)
    shares = [held_at(drawn("features", 120, seed), (400,), seed)[0] for seed in SURE_WITH_LINKS]
    assert min(shares) > 0.9


def test_settings_are_learned_from_more_answers_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all starts have the settings of the first 25 of 375 adaptive answers, 57 % of the intervals hold here."""
    monkeypatch.setattr(live, "_TUNED_ITEMS", 50)
    monkeypatch.setattr(live, "_FEW_ITEMS", 0)
    assert held_at(drawn("features", 150, 0), (375,), 0, LINKED)[0] > 0.9


def test_each_learning_has_twice_as_many_answers() -> None:
    """Up to a number of pairs, or of items; answers about the same items go on."""
    rng = np.random.default_rng(0)
    many, few = (
        Answers(
            np.array([rng.choice(n, 2, replace=False) for _ in range(3000)]),
            np.ones(3000),
            np.zeros(3000, bool),
        )
        for n in (1500, 300)
    )
    assert list(live._lengths(many, 100)) == [100, 200, 400]
    assert list(live._lengths(few, 100)) == [100, 200, 400, 800, 1600]
    assert list(live._lengths(few[:90], 90)) == [90]


def test_settings_of_many_models_are_screened(monkeypatch: pytest.MonkeyPatch) -> None:
    """The belief has no more settings than a belief with one source, and weighs them by the evidence of all answers."""
    monkeypatch.setattr(live, "_TUNED_ITEMS", 15)
    given, whole = decided(80), LiveData.of(decided(80))
    belief = LinkedGP().live(given, **GIVEN["both"])
    item_prior = ItemPrior.of(FEATURES.to_numpy(), LINKS, None, N)
    start = live._started(item_prior, whole, Settings.checked(LinkedGP().get_params()))
    assert len(start.settings) > 7 >= len(belief.weights_)
    assert start.log_evidence is not None
    made = partial(live._mixture, item_prior, whole, names=(), model="")
    logs = np.log(start.weights) + made(start).log_evidence() - start.log_evidence
    best = np.sort(np.exp(logs - logs.max()))[::-1][: len(belief.weights_)]
    np.testing.assert_allclose(np.sort(belief.weights_)[::-1], best / best.sum(), atol=0.02)


def test_it_learns_what_the_features_tell() -> None:
    """After 200 answers the order is close to the true one, also of items that were hardly asked about."""
    belief = LinkedGP().live(preferences(200), features=FEATURES)
    assert np.corrcoef(belief.mean, UTILITY)[0, 1] > 0.9


def test_answers_move_it_as_a_start_with_them_would(monkeypatch: pytest.MonkeyPatch) -> None:
    """60 answers at once, and 40 with 20 one by one afterwards, differ by less than 0.1 sd with the same settings."""
    monkeypatch.setattr(live, "LEAST_ANSWERS", 1000)
    model, given = LinkedGP(lengthscale=1.5, threshold=0.1), preferences(60)
    whole, part = model.live(given, features=FEATURES), model.live(given[:40], features=FEATURES)
    part.learn(given[40:])
    assert np.abs((whole.mean - part.mean) / np.sqrt(whole.variance())).max() < 0.1


def test_the_result_depends_on_the_arguments_alone() -> None:
    """Two calls give the same bytes, the order of a frame's rows does not matter, and the model stays as it was."""
    model, given = LinkedGP(), preferences(60)
    once = model.live(given, **GIVEN["both"])
    again = model.live(given, features=FEATURES.iloc[::-1], links=LINKS)
    assert once.mean.tobytes() == again.mean.tobytes()
    assert model.get_params() == LinkedGP().get_params()


def test_independent_items_can_be_added() -> None:
    """Without features and links new items have the prior; with them the belief must be started anew."""
    belief = LinkedGP().live(preferences(40))
    assert isinstance(belief, OnlineMixture)
    wider = belief.with_items(["new"])
    assert wider is not None
    np.testing.assert_allclose(wider.mean, [*belief.mean, 0.0], atol=1e-9)
    assert LinkedGP().live(preferences(40), features=FEATURES).with_items(["new"]) is None


def test_wrong_arguments_are_errors() -> None:
    """Links of another number of items, features without some item, and settings."""
    with pytest.raises(InvalidInput, match="30"):
        LinkedGP().live(preferences(5), links=LINKS[:5, :5])
    with pytest.raises(InvalidInput):
        LinkedGP().live(preferences(5), features=FEATURES.iloc[:-1])
    with pytest.raises(InvalidInput, match="scale"):
        LinkedGP(scale=-1.0).live(preferences(5), features=FEATURES)


def test_tuning_is_on_a_part_of_many_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a part of the items and of the graph the result is another one, and as sound."""
    monkeypatch.setattr(live, "_TUNED_ITEMS", 12)
    monkeypatch.setattr(live, "_TUNED_GRAPH", 20)
    belief = LinkedGP().live(preferences(100), **GIVEN["both"])
    assert np.corrcoef(belief.mean, UTILITY)[0, 1] > 0.7
    assert np.isfinite(belief.variance()).all()


def test_before_enough_answers_the_scale_is_uncertain() -> None:
    """The prior is a mixture over its scale, wider than that of the model; few answers weigh its components."""
    for given in ({}, GIVEN["features"]):
        empty, few = (LinkedGP().live(preferences(count), **given) for count in (0, 5))
        assert len(empty.weights_) == 7
        assert (empty.variance() > 2.0).all()
        assert np.abs(few.weights_ - empty.weights_).max() > 1e-3


def test_the_threshold_of_ties_is_not_biased_by_pairs_that_differ() -> None:
    """With a true threshold of 0.3 and utilities of sd 2, the share of ties alone would give half of that."""
    rng, found, shares = np.random.default_rng(7), [], []
    for _ in range(5):
        utility = rng.normal(0, 2, N)
        pairs = np.array([rng.choice(N, 2, replace=False) for _ in range(250)])
        lead = utility[pairs[:, 0]] - utility[pairs[:, 1]] + rng.normal(size=len(pairs))
        outcomes = np.where(np.abs(lead) < 0.3, "tie", np.where(lead > 0, "left", "right"))
        given = Preferences.from_answers(*(pairs.T.astype(str)), outcomes, items=list(map(str, range(N))))
        belief = LinkedGP().live(given)
        found.append(belief.tie_ * belief.noise_)
        shares.append(Probit(1.0).threshold_for(float((outcomes == "tie").mean())))
    assert np.mean(shares) < 0.15
    assert 0.22 < np.mean(found) < 0.4


def test_few_points_keep_mean_and_variance_of_the_logarithm() -> None:
    """Nine factors become three with the same first two moments; few enough are kept as they are."""
    factors, weights = np.exp(np.linspace(-2, 2, 9)), np.full(9, 1 / 9)
    points, shares = few_points(factors, weights, 3)
    assert len(points) == 3
    assert shares @ np.log(points) == pytest.approx(0, abs=1e-12)
    assert shares @ np.log(points) ** 2 == pytest.approx(weights @ np.log(factors) ** 2)
    assert few_points(factors, weights, 9)[0] is factors


def test_all_items_have_a_row() -> None:
    """Items that were never compared have the prior mean where nothing connects them to others."""
    belief = LinkedGP().live(preferences(1))
    assert len(belief.mean) == N
    assert np.count_nonzero(belief.mean) == 2
