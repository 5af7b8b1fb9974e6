"""After tuning, all that a linked process reports is that of a mixture over the scale of its prior."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr

import penchant
from penchant.ask import next_pair, settled
from penchant.errors import InvalidInput
from penchant.gp import LinkedGP
from penchant.gp.linked.posterior import MixtureBelief

N = 12
RNG = np.random.default_rng(5)
FEATURES = RNG.normal(size=(N + 3, 2))
PAIRS = np.array([RNG.choice(N, 2, replace=False) for _ in range(50)])
SWAPPED = FEATURES[PAIRS[:, 0], 0] + RNG.normal(size=50) < FEATURES[PAIRS[:, 1], 0]
PAIRS[SWAPPED] = PAIRS[SWAPPED][:, ::-1]
KNOWN = {
    "nothing": {"n_items": N},
    "features": {"features": FEATURES[:N]},
    "links": {"links": np.roll(np.eye(N), 1, axis=0) + np.roll(np.eye(N), -1, axis=0)},
}


def tuned(what: str = "nothing", **settings: float) -> LinkedGP:
    return LinkedGP(**settings).fit(**KNOWN[what]).update(*PAIRS.T).tune()


def components(model: LinkedGP, what: str) -> list[LinkedGP]:
    """Fit a process of its own at each scale."""
    parts = []
    for factor in model.factors_:
        settings = model.get_params() | {
            "scale": model.scale * factor,
            "beta": model.beta / factor**2,
            "nugget": model.nugget * factor**2,
        }
        parts.append(LinkedGP(**settings).fit(**KNOWN[what]).update(*PAIRS.T).refresh())
    return parts


@pytest.mark.parametrize("what", KNOWN)
def test_moments_are_those_of_the_mixture(what: str) -> None:
    """Mean, variances and covariances are those of processes at each scale, weighted by evidence and prior."""
    model = tuned(what, nugget=0.05)
    parts = components(model, what)
    assert len(parts) > 2
    logs = np.array([part.log_evidence_ for part in parts]) + model.scales_.log_prior
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    np.testing.assert_allclose(model.factor_weights_, weights, atol=1e-4)
    means = np.stack([part.mean for part in parts])
    mean = weights @ means
    covariance = sum(
        weight * (part.covariance() + np.outer(part.mean - mean, part.mean - mean))
        for weight, part in zip(weights, parts, strict=True)
    )
    np.testing.assert_allclose(model.mean, mean, atol=2e-3)
    np.testing.assert_allclose(model.covariance(), covariance, atol=1e-2)
    np.testing.assert_allclose(model.variance(), model.covariance().diagonal())
    np.testing.assert_allclose(model.variance([3, 1]), model.covariance([3, 1], [3, 1]).diagonal())
    np.testing.assert_allclose(model.covariance([3, 1]), model.covariance()[[3, 1]])
    assert (model.variance_bounds()[1] >= model.variance() - 1e-12).all()
    chance = sum(w * part.win_probability(0, 5) for w, part in zip(weights, parts, strict=True))
    assert model.win_probability(0, 5) == pytest.approx(chance, abs=1e-3)


def test_intervals_hold_their_share_of_the_mixture() -> None:
    """Draws fall below, inside and above an interval as often as its level says; differences too."""
    model = tuned()
    draws = model.sample(20_000, 1)
    np.testing.assert_allclose(draws.mean(axis=0), model.mean, atol=0.08)
    np.testing.assert_allclose(np.cov(draws.T), model.covariance(), atol=0.25)
    low, high = model.interval(0.8).T
    np.testing.assert_allclose((draws < low).mean(axis=0), 0.1, atol=0.015)
    np.testing.assert_allclose((draws > high).mean(axis=0), 0.1, atol=0.015)
    low, high = model.difference_interval(2, 7, 0.8)
    apart = draws[:, 2] - draws[:, 7]
    assert (apart < low).mean() == pytest.approx(0.1, abs=0.015)
    assert (apart > high).mean() == pytest.approx(0.1, abs=0.015)
    wins = ndtr(apart).mean()
    assert model.win_probability(2, 7) == pytest.approx(wins, abs=0.01)
    ranking = model.rank(level=0.8)
    assert ranking.lower[0] == model.interval(0.8)[np.argmax(model.mean), 0]


def test_draws_are_a_function_of_the_seed_and_in_no_order() -> None:
    """The first half of the draws is like the second; too many items at once are rejected."""
    model = tuned()
    np.testing.assert_array_equal(model.sample(50, 3, rows=[4, 2]), model.sample(50, 3, rows=[4, 2]))
    halves = np.split(np.abs(model.sample(8000, 0)).max(axis=1), 2)
    assert np.mean(halves[0]) == pytest.approx(np.mean(halves[1]), rel=0.1)
    with pytest.raises(InvalidInput, match="rows must be at most 3,000 to be drawn together, got 3,001"):
        LinkedGP().fit(n_items=3001).sample(1)


@pytest.mark.parametrize("what", KNOWN)
def test_updates_move_every_component_and_the_weights(what: str) -> None:
    """One by one after tuning, the belief stays close to what working all answers out together gives."""
    model = tuned(what)
    before = model.factor_weights_
    model.update([0, 1, 0] * 4, [1, 2, 2] * 4)
    assert not np.allclose(before, model.factor_weights_)
    mean, weights, variance = model.mean, model.factor_weights_, model.variance()
    factors = model.factors_
    model.refresh()
    assert model.factors_ == factors
    np.testing.assert_allclose(mean, model.mean, atol=0.25 * np.sqrt(variance.max()))
    np.testing.assert_allclose(weights, model.factor_weights_, atol=0.2)


@pytest.mark.parametrize("settings", [{}, {"inducing": 5}, {"most_columns": 4}], ids=str)
def test_a_mixture_comes_back_from_a_file_bit_by_bit(settings: dict[str, int], tmp_path: Path) -> None:
    """With its factors; what is learned afterwards is the same too. A fit forgets them."""
    model = tuned("features", **settings).update(3, 4)
    penchant.save(model, tmp_path / "model")
    back = penchant.load(tmp_path / "model")
    assert back.factors_ == model.factors_
    for one, other in ((model, back), (model.update(5, 6), back.update(5, 6))):
        assert (one.mean == other.mean).all()
        assert (one.covariance() == other.covariance()).all()
        assert (one.factor_weights_ == other.factor_weights_).all()
    assert back.fit(**KNOWN["features"]).factors_ == (1.0,)


def test_a_file_with_other_factors_is_rejected() -> None:
    """Factors and their prior probabilities belong together."""
    state = tuned().__save_state__()
    wrong = state["factor_log_prior"] - 1.0
    with pytest.raises(InvalidInput, match="must add up to 1"):
        LinkedGP.__load_state__(state | {"factor_log_prior": wrong})
    del state["factors"]
    with pytest.raises(InvalidInput, match="must be there together"):
        LinkedGP.__load_state__(state)


def test_new_items_fit_into_a_mixture() -> None:
    """By features, old items keep their belief and new ones are as uncertain as the mixture; by links, refolded."""
    model = tuned("features")
    mean, weights = model.mean, model.factor_weights_
    model.add_items(FEATURES[N:])
    np.testing.assert_allclose(model.mean[:N], mean, atol=1e-8)
    np.testing.assert_allclose(model.factor_weights_, weights)
    early = LinkedGP(**model.get_params()).fit(FEATURES)
    early._refold(early._prior, model.scales_, model.answers_, len(model.answers_))
    np.testing.assert_allclose(model.mean, early.mean, atol=1e-6)
    np.testing.assert_allclose(model.covariance(), early.covariance(), atol=1e-5)
    linked = tuned("links")
    larger = np.zeros((N + 1, N + 1))
    larger[:N, :N] = KNOWN["links"]["links"]
    larger[0, N] = larger[N, 0] = 1.0
    factors = linked.factors_
    assert linked.add_items(links=larger).factors_ == factors
    assert linked.n_items_ == N + 1
    assert np.isfinite(linked.mean).all()


def test_few_columns_make_a_mixture_less_sure() -> None:
    """Forgetting directions makes no variance of any component smaller."""
    whole, part = tuned("features"), tuned("features", most_columns=4)
    assert part.lost_ > 0
    for one, other in zip(whole._belief.components, part._belief.components, strict=True):
        assert (other.variance() >= one.variance() - 1e-9).all()


def test_consistent_answers_do_not_settle_an_order_by_themselves() -> None:
    """Thirteen answers without a contradiction are compatible with small differences, and that is said."""
    pairs = np.array([(i, j) for i in range(6) for j in range(i + 1, 6)][:13])
    model = LinkedGP().fit(n_items=6).update(*pairs.T).tune()
    assert settled(model, goal="exact", noise=0.5**0.5).value < 0.6
    assert not settled(model, noise=0.5**0.5).enough


def test_questions_are_chosen_by_the_most_probable_component() -> None:
    """A pair that is far apart at every scale is not asked about because the scale is uncertain."""
    pairs = [(0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 4)] * 40
    pairs += [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)] * 30
    model = LinkedGP().fit(n_items=5).update(*np.array(pairs).T).tune()
    best = model.most_probable()
    assert best.variance().max() < model.variance().max()
    chosen = next_pair(model, model.counts_, rule="top", top=1, noise=0.5**0.5)
    assert chosen == next_pair(best, model.counts_, rule="top", top=1, noise=0.5**0.5)
    assert set(chosen) <= {0, 1, 2}
    np.testing.assert_allclose(best.covariance([1], [1])[0, 0], best.variance([1])[0])
    assert best.variance_bounds()[0].shape == (5,)


def test_one_component_is_a_normal_belief() -> None:
    """Before tuning there is one factor, with probability 1."""
    model = LinkedGP().fit(n_items=3).update(0, 1)
    assert model.factors_ == (1.0,)
    assert isinstance(model._belief, MixtureBelief)
    assert model.factor_weights_.tolist() == [1.0]
