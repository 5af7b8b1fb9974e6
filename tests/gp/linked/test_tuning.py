"""Hyperparameters have proper priors, derivatives are right, and bounds are reported."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from penchant.errors import InvalidInput, PenchantWarning
from penchant.gp import LinkedGP
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked import tuning
from penchant.gp.linked.item_prior import ItemPrior
from penchant.gp.linked.tuning import (
    HyperPrior,
    LogPosterior,
    log_spread_density,
    typical_distance,
    uniform_grid,
)

N = 20
RNG = np.random.default_rng(3)
FEATURES = RNG.normal(size=(N, 3))
_UPPER = np.triu(RNG.random((N, N)) < 0.2, 1).astype(float)
LINKS = _UPPER + _UPPER.T
PAIRS = np.array([RNG.choice(N, 2, replace=False) for _ in range(60)])


def fitted(**settings: float) -> LinkedGP:
    return LinkedGP(**settings).fit(FEATURES, LINKS).update(*PAIRS.T)


def test_the_gradient_is_that_of_the_posterior() -> None:
    """Derivatives by the logarithm of each hyperparameter, evidence and prior together, match differences."""
    model = fitted(scale=1.2, lengthscale=1.7, beta=0.8, iota=1.4, mix=(0.9, 1.1), nugget=0.05)
    density = LogPosterior(model.item_prior_, model.comparisons_, model.settings_, Probit(1.0))
    assert density.names == ("scale", "lengthscale", "beta", "iota")
    logs = np.log([1.2, 1.7, 0.8, 1.4])
    slopes = density.at(logs)[1]
    for place, slope in enumerate(slopes):
        step = np.zeros(4)
        step[place] = 1e-3
        difference = (density.at(logs + step)[0] - density.at(logs - step)[0]) / 2e-3
        assert slope == pytest.approx(difference, rel=1e-3, abs=1e-3)


def test_the_nugget_is_learned_where_it_is_asked_for() -> None:
    """The gradient has its derivative, and parts of the density add up; otherwise it is as given."""
    model = fitted(nugget=0.05)
    density = LogPosterior(model.item_prior_, model.comparisons_, model.settings_, Probit(1.0), own=True)
    assert density.names == ("scale", "lengthscale", "beta", "iota", "nugget")
    logs, step = np.log([1.2, 1.7, 0.8, 1.4, 0.2]), np.array([0, 0, 0, 0, 1e-3])
    difference = (density.at(logs + step)[0] - density.at(logs - step)[0]) / 2e-3
    assert density.at(logs)[1][-1] == pytest.approx(difference, rel=1e-3, abs=1e-3)
    assert sum(density.parts_at(logs)) == pytest.approx(density.at(logs)[0])
    np.testing.assert_allclose(density.logs(density.settings(logs)), logs)


def test_the_slope_of_the_spread_is_that_of_the_prior() -> None:
    """By each hyperparameter, as differences of the expected variance around the mean have it."""
    model = fitted()
    density = LogPosterior(model.item_prior_, model.comparisons_, model.settings_, Probit(1.0), own=True)
    logs = np.log([1.2, 1.7, 0.8, 1.4, 0.2])

    def spread(at: np.ndarray) -> float:
        return sum(part.squared_spread for part in density._parts(density.settings(at)))

    for slope, step in zip(density.spread_slope(logs), 1e-4 * np.eye(5), strict=True):
        assert slope == pytest.approx((spread(logs + step) - spread(logs - step)) / 2e-4, rel=1e-4, abs=1e-6)


def test_the_prior_of_a_spread_is_a_half_t() -> None:
    """With 3 degrees of freedom and scale 1, as a density of the logarithm; so it is proper."""
    from scipy.stats import t

    def density(log: float) -> float:
        return float(np.exp(log_spread_density(np.exp(log))[0]))

    total = quad(density, -20, 20)[0]
    below_two = quad(density, -20, np.log(2.0))[0] / total
    assert below_two == pytest.approx(2 * t(3).cdf(2.0) - 1, abs=1e-6)


def test_priors_are_in_units_of_the_features_and_links() -> None:
    """Features times ten have ten times the lengthscale; links of four times the weight half the iota."""
    known = HyperPrior.of(ItemPrior.of(FEATURES, LINKS, None, None))
    scaled = HyperPrior.of(ItemPrior.of(10 * FEATURES, 4 * LINKS, None, None))
    assert scaled.lengthscale == pytest.approx(10 * known.lengthscale)
    assert scaled.iota == pytest.approx(known.iota / 2)
    assert typical_distance(np.zeros((5, 2))) == 1.0
    mostly = np.zeros((9, 1))
    mostly[0] = 3.0
    assert typical_distance(mostly) > 0


def test_what_is_learned_does_not_depend_on_units() -> None:
    """Rescaled features and links lead to rescaled settings and the same belief."""
    model = fitted().tune()
    scaled = LinkedGP(lengthscale=10.0, beta=0.25, iota=0.5)
    scaled.fit(10 * FEATURES, 4 * LINKS).update(*PAIRS.T).tune()
    assert scaled.lengthscale == pytest.approx(10 * model.lengthscale, rel=0.05)
    np.testing.assert_allclose(scaled.mean, model.mean, atol=0.02)


@pytest.mark.parametrize(
    "pairs",
    [
        [(0, 1), (1, 2), (2, 3), (3, 4)],
        [(0, 1), (1, 0), (2, 3), (3, 2), (0, 4), (4, 0)] * 5,
        [(i, j) for i in range(5) for j in range(i + 1, 5)] * 20,
        [(0, 1)],
    ],
    ids=["chain", "contradictions", "without contradiction", "one answer"],
)
def test_the_scale_neither_collapses_nor_explodes(pairs: list[tuple[int, int]]) -> None:
    """Answers that evidence alone would explain by equal items, or by infinitely different ones."""
    model = LinkedGP().fit(n_items=5).update(*np.array(pairs).T).tune()
    assert 0.05 < model.scale < 10
    for known in ({"features": FEATURES[:5]}, {"links": LINKS[:5, :5]}):
        linked = LinkedGP().fit(**known).update(*np.array(pairs).T).tune()
        assert 1e-3 < linked.variance().mean() < 1e3
        for name, centre in (("lengthscale", 2.0), ("iota", 1.0)):
            assert centre / 50 < getattr(linked, name) < centre * 50


def test_a_bound_that_is_reached_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the name of the hyperparameter, the bound and what to do."""
    monkeypatch.setitem(tuning._REACH, "scale", 1.1)
    with pytest.warns(
        PenchantWarning, match=r"scale must lie between .* ended at the bound 1.1: .* give scale"
    ):
        LinkedGP().fit(n_items=3).update([0, 1] * 20, [1, 2] * 20).tune()


def test_a_part_of_no_weight_is_not_tuned() -> None:
    """Settings of features that count for nothing stay as they are."""
    model = fitted(mix=(0.0, 1.0)).tune()
    assert (model.scale, model.lengthscale) == (1.0, 1.0)
    assert model.iota != 1.0
    with pytest.raises(InvalidInput, match="nothing to tune"):
        LinkedGP().fit(covariance=np.eye(3)).update(0, 1).tune()


@pytest.mark.parametrize(("sd", "at"), [(0.01, 0.0), (0.1, 0.3), (1.0, -0.7), (3.0, 2.0)])
def test_the_grid_integrates_a_density(sd: float, at: float) -> None:
    """The sum over the grid has the mean and the sd of the density, wide or narrow, off the start or not."""

    def log_density(x: float) -> float:
        return -0.5 * ((x - at) / sd) ** 2

    grid = np.array(uniform_grid(log_density))
    weights = np.exp([log_density(x) for x in grid])
    weights /= weights.sum()
    assert weights @ grid == pytest.approx(at, abs=0.05 * sd)
    assert np.sqrt(weights @ (grid - at) ** 2) == pytest.approx(sd, rel=0.1)


def test_progress_counts_the_steps() -> None:
    """Each report has what is done, a count, and at most how many there are."""
    reports: list[tuple[str, int, int]] = []
    fitted().tune(progress=lambda *report: reports.append(report))
    assert {doing for doing, _, _ in reports} >= {"choosing the prior", "weighing scales", "learning"}
    assert all(0 <= done <= total for _, done, total in reports)
