"""After tuning, all that a linked process reports is that of a mixture over the scale of its prior."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import penchant
from penchant.errors import InvalidInput
from penchant.gp import LinkedGP
from penchant.gp.linked.posterior import MixtureBelief
from tests.gp.linked.tuned import FEATURES, KNOWN, PAIRS, N, tuned


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
    early._learn_all(early._prior, model.scales_, model.comparisons_, len(model.comparisons_))
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


def test_one_component_is_a_normal_belief() -> None:
    """Before tuning there is one factor, with probability 1."""
    model = LinkedGP().fit(n_items=3).update(0, 1)
    assert model.factors_ == (1.0,)
    assert isinstance(model._belief, MixtureBelief)
    assert model.factor_weights_.tolist() == [1.0]
