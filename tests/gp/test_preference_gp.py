from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput, PenchantWarning
from penchant.gp import Linear, Matern32, PreferenceGP, SquaredExponential, WhiteNoise
from penchant.gp.inference.likelihood import Probit
from penchant.saving import load, to_bytes
from tests.gp.problems import incidence, laplace_mode, log_likelihoods, problem

GIVEN = problem(12, 50, seed=1)
KERNEL = SquaredExponential((0.5, 0.8), 3.0)
NEW = np.random.default_rng(9).random((6, 2))
WORLD = SquaredExponential(0.3, 4.0)
ONE_KERNEL = Path(__file__).parents[1] / "fixtures" / "preference-gp-one-kernel.penchant"


def fitted(**settings: Any) -> PreferenceGP:
    return PreferenceGP(KERNEL, **{"optimizer": None, **settings}).fit_pairs(GIVEN.X, GIVEN.pairs)


def test_predictions_are_the_dense_formulas() -> None:
    """Mean, deviation and covariance at new rows are K*ᵀK⁻¹f̂ and K** − K*ᵀ(K + W⁻¹)⁻¹K*, with dense inverses."""
    model = fitted(inference="laplace")
    mode = laplace_mode(KERNEL(GIVEN.X), GIVEN.pairs, Probit(np.sqrt(2)))
    D = incidence(GIVEN.pairs, 12)
    bend = Probit(np.sqrt(2)).derivatives(D @ mode.utility).curvature
    K, cross = KERNEL(GIVEN.X), KERNEL(GIVEN.X, NEW)
    covariance = KERNEL(NEW) - cross.T @ D.T @ np.linalg.solve(np.diag(1 / bend) + D @ K @ D.T, D @ cross)
    mean, found = model.predict(NEW, return_cov=True)
    np.testing.assert_allclose(mean, cross.T @ np.linalg.solve(K, mode.utility), atol=1e-6)
    np.testing.assert_allclose(found, covariance, atol=1e-6)
    np.testing.assert_allclose(
        model.predict(NEW, return_std=True)[1], np.sqrt(np.diagonal(covariance)), atol=1e-6
    )
    np.testing.assert_array_equal(model.predict(NEW), mean)


def test_win_probabilities_are_averages_of_samples() -> None:
    """20,000 joint draws give the same moments, and the average of Φ over them the same probabilities."""
    model = fitted()
    draws = model.sample(NEW, 20_000, seed=0)
    mean, covariance = model.predict(NEW, return_cov=True)
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=0.05)
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.1)
    lead = draws[:, :3] - draws[:, 3:]
    chance = np.exp(Probit(np.sqrt(2)).derivatives(lead.ravel()).log).reshape(lead.shape).mean(axis=0)
    np.testing.assert_allclose(model.win_probability(NEW[:3], NEW[3:]), chance, atol=0.01)
    assert np.array_equal(draws, model.sample(NEW, 20_000, seed=0))


@pytest.mark.parametrize("inference", ["ep", "laplace"])
def test_what_was_compared_is_predicted_as_it_was_learned(inference: Any) -> None:
    """At the compared rows the prediction is the belief itself, and the deviation is below the prior's."""
    model = fitted(inference=inference)
    mean, deviation = model.predict(GIVEN.X, return_std=True)
    np.testing.assert_allclose(KERNEL(GIVEN.X, model.features_) @ model.alpha_, mean, atol=1e-9)
    assert (deviation < np.sqrt(3.0)).all()
    assert np.corrcoef(mean, GIVEN.utility)[0, 1] > 0.6


def test_far_away_the_prior_returns() -> None:
    """Far from all rows the mean is the prior mean's and the deviation the kernel's; a function may be the mean."""
    far = NEW + 100
    for mean in ([2.0, -1.0], lambda rows: rows @ [2.0, -1.0]):
        utility, deviation = fitted(mean=mean).predict(far, return_std=True)
        np.testing.assert_allclose(utility, far @ [2.0, -1.0], atol=1e-9)
        np.testing.assert_allclose(deviation, np.sqrt(3.0), atol=1e-9)


def test_a_prior_mean_shifts_the_problem() -> None:
    """A strong linear prior mean with few answers to the contrary shows in the predictions near them."""
    up = PreferenceGP(SquaredExponential(0.3, 0.01), optimizer=None, mean=[5.0, 0.0])
    model = up.fit_pairs(GIVEN.X, GIVEN.pairs[:3])
    assert np.corrcoef(model.predict(NEW), NEW[:, 0])[0, 1] > 0.99


def drawn_world(rng: np.random.Generator, n_rows: int) -> tuple[Any, Any, Any]:
    """Rows, their utilities drawn from a Gaussian process, and three comparisons a row with noise 1."""
    X = rng.random((n_rows, 2))
    utility = rng.multivariate_normal(np.zeros(n_rows), WORLD(X), check_valid="ignore")
    first, second = np.triu_indices(n_rows, 1)
    drawn = rng.choice(len(first), 3 * n_rows, replace=False)
    a, b = first[drawn], second[drawn]
    won = utility[a] - utility[b] + np.sqrt(2) * rng.normal(size=len(a)) > 0
    return X, utility, np.where(won[:, None], np.column_stack([a, b]), np.column_stack([b, a]))


def coverage(model: PreferenceGP, X: Any, utility: Any) -> float:
    """The share of the differences between rows that lie in their 95 % bands."""
    mean, covariance = model.predict(X, return_cov=True)
    first, second = np.triu_indices(len(X), 1)
    spread = np.diagonal(covariance)
    deviation = np.sqrt(spread[first] + spread[second] - 2 * covariance[first, second])
    off = mean[first] - mean[second] - utility[first] + utility[second]
    return float((np.abs(off) <= 1.96 * deviation).mean())


def test_bands_cover_what_they_promise() -> None:
    """40 worlds drawn from the model: 95 % bands of all differences hold the truth in 93 to 97 % of cases."""
    rng, shares = np.random.default_rng(0), []
    for _ in range(40):
        X, utility, pairs = drawn_world(rng, 25)
        shares.append(coverage(PreferenceGP(WORLD, optimizer=None).fit_pairs(X, pairs), X, utility))
    assert 0.93 <= np.mean(shares) <= 0.97


def test_bands_of_a_learned_kernel_cover_what_they_promise() -> None:
    """15 worlds, 20 items and 60 pairs each: 95 % bands hold in 88 to 99 % of cases, and at the mode alone in fewer."""
    rng, shares = np.random.default_rng(1), []
    for _ in range(15):
        X, utility, pairs = drawn_world(rng, 20)
        model = PreferenceGP().fit_pairs(X, pairs)
        alone = PreferenceGP(model.kernel_, optimizer=None).fit_pairs(X, pairs)
        shares.append([coverage(each, X, utility) for each in (model, alone)])
    averaged, single = np.mean(shares, axis=0)
    assert 0.88 <= averaged <= 0.99
    assert single < averaged


@pytest.mark.parametrize("inference", ["ep", "laplace"])
def test_predictions_average_over_the_kernels(inference: Any) -> None:
    """Moments and chances are the weighted ones of a model for each kernel, kept as it is; weights sum to 1."""
    model = PreferenceGP(inference=inference).fit_pairs(GIVEN.X, GIVEN.pairs)
    weights = np.array([component.weight for component in model.components_])
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    assert model.components_[0].kernel == model.kernel_
    assert len(weights) == 5
    singles = [
        PreferenceGP(component.kernel, inference=inference, optimizer=None).fit_pairs(GIVEN.X, GIVEN.pairs)
        for component in model.components_
    ]
    means, covariances = (
        np.array(parts)
        for parts in zip(*(each.predict(NEW, return_cov=True) for each in singles), strict=True)
    )
    away = means - weights @ means
    covariance = np.einsum("k,kij->ij", weights, covariances) + away.T * weights @ away
    utility, found = model.predict(NEW, return_cov=True)
    np.testing.assert_allclose(utility, weights @ means, atol=1e-4)
    np.testing.assert_allclose(found, covariance, atol=1e-4)
    np.testing.assert_allclose(model.predict(NEW), utility, atol=1e-12)
    np.testing.assert_allclose(
        model.predict(NEW, return_std=True), (utility, np.sqrt(np.diagonal(found))), atol=1e-9
    )
    chances = [each.win_probability(NEW[:3], NEW[3:]) for each in singles]
    np.testing.assert_allclose(model.win_probability(NEW[:3], NEW[3:]), weights @ chances, atol=1e-4)


def test_draws_have_the_moments_of_the_average() -> None:
    """20,000 joint draws, each from one of the kernels, have the mean and the covariance that are predicted."""
    model = PreferenceGP(mean=[1.0, -1.0]).fit_pairs(GIVEN.X, GIVEN.pairs)
    mean, covariance = model.predict(NEW, return_cov=True)
    draws = model.sample(NEW, 20_000, seed=0)
    scale = np.sqrt(np.diagonal(covariance))
    np.testing.assert_allclose(draws.mean(axis=0) / scale, mean / scale, atol=0.04)
    np.testing.assert_allclose(
        np.cov(draws.T) / np.outer(scale, scale), covariance / np.outer(scale, scale), atol=0.06
    )
    assert np.array_equal(draws, model.sample(NEW, 20_000, seed=0))


def test_kernels_that_are_kept_are_not_averaged() -> None:
    """Without an optimizer, and where no hyperparameter has room, there is one kernel with the weight 1."""
    kept = SquaredExponential((0.5, 0.8), 3.0, None, None)
    for model in (fitted(), PreferenceGP(kept).fit_pairs(GIVEN.X, GIVEN.pairs)):
        (component,) = model.components_
        assert component.weight == 1
        assert component.kernel.theta == pytest.approx(KERNEL.theta)
    with pytest.raises(AttributeError, match="fit_pairs"):
        _ = PreferenceGP().components_


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_units_of_features_do_not_matter(scale: float) -> None:
    """With features in units of a thousand or a thousandth the predictions of the default are the same."""
    plain = PreferenceGP().fit_pairs(GIVEN.X, GIVEN.pairs)
    scaled = PreferenceGP().fit_pairs(GIVEN.X * [scale, 1.0], GIVEN.pairs)
    np.testing.assert_allclose(
        scaled.predict(NEW * [scale, 1.0], return_std=True),
        plain.predict(NEW, return_std=True),
        rtol=1e-4,
        atol=1e-4,
    )


def test_the_unit_of_utilities_does_not_matter() -> None:
    """With ten times the noise the default learns utilities ten times as large."""
    plain, wide = (PreferenceGP(noise=noise).fit_pairs(GIVEN.X, GIVEN.pairs) for noise in (1.0, 10.0))
    np.testing.assert_allclose(
        wide.predict(NEW, return_std=True),
        10 * np.array(plain.predict(NEW, return_std=True)),
        rtol=1e-3,
        atol=1e-3,
    )


@pytest.mark.parametrize("n_features", [1, 2, 5])
def test_a_single_pair_is_enough_to_learn_from(n_features: int) -> None:
    """From one comparison the winner is the likelier one, all is finite, and no hyperparameter is at a bound."""
    X = np.random.default_rng(n_features).random((4, n_features))
    model = PreferenceGP().fit_pairs(X, [(0, 1)])
    mean, deviation = model.predict(X, return_std=True)
    assert np.isfinite(mean).all()
    assert (deviation > 0).all()
    assert 0.5 < model.win_probability(X[0], X[1]) < 0.9


def test_answers_that_never_contradict_do_not_make_utilities_endless() -> None:
    """15 answers in perfect order: the variance stays within its bounds, where the evidence alone would leave them."""
    X = np.linspace(0, 1, 6)[:, None]
    model = PreferenceGP().fit_pairs(X, [(i, j) for i in range(6) for j in range(i)])
    assert model.predict(X, return_std=True)[1].max() < 10
    assert model.kernel_.variance < 100  # type: ignore[attr-defined]


def test_a_file_of_one_kernel_is_loaded_as_it_was() -> None:
    """A model that an earlier version learned and saved predicts what it did then, with its one kernel."""
    model: Any = load(ONE_KERNEL)
    X = np.array([[0.0], [0.4], [1.0]])
    mean, deviation = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, [-2.49369259, -0.81466184, 1.71308839], atol=1e-6)
    np.testing.assert_allclose(deviation, [31.46832044, 31.53227569, 31.46899594], atol=1e-5)
    assert model.win_probability([1.0], [0.0]) == pytest.approx(0.9809198, abs=1e-6)
    assert len(model.components_) == 1
    assert to_bytes(model) == to_bytes(load(ONE_KERNEL))


def test_ties_draw_utilities_together() -> None:
    """Two rows that tie again and again are closer than rows of which one wins; the indifference is learned."""
    X = np.array([[0.0], [1.0], [2.0]])
    pairs = [(0, 1)] * 12 + [(0, 2)] * 12
    tie = np.repeat([True, False], 12)
    model = PreferenceGP(Matern32(1.0, 4.0), optimizer=None).fit_pairs(X, pairs, tie=tie)
    utility = model.predict(X)
    assert abs(utility[0] - utility[1]) < 0.3 < utility[0] - utility[2]
    assert model.indifference_ == pytest.approx(Probit(np.sqrt(2)).threshold_for(0.5))
    learned = PreferenceGP(Matern32(1.0, 4.0)).fit_pairs(X, pairs, tie=tie)
    assert learned.log_evidence_ > model.log_evidence_
    assert learned.log_evidence_gradient_.shape == (3,)
    given = PreferenceGP(Matern32(), optimizer=None, indifference=0.7).fit_pairs(X, pairs, tie=tie)
    assert given.indifference_ == 0.7
    said = Preferences.from_pairs(pairs, tie=tie, items=range(3))
    again = PreferenceGP(Matern32(1.0, 4.0), optimizer=None).fit_pairs(X, said)
    assert np.array_equal(again.predict(X), utility)


def test_the_evidence_finds_the_features_that_matter() -> None:
    """A feature without influence gets three times the other's lengthscale, and new pairs are mostly right."""
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    utility = 4 * np.sin(4 * X[:, 0])
    pairs = np.array([rng.choice(60, 2, replace=False) for _ in range(240)])
    seen = utility[pairs[:, 0]] - utility[pairs[:, 1]] + np.sqrt(2) * rng.normal(size=240)
    pairs = np.where((seen > 0)[:, None], pairs, pairs[:, ::-1])
    model = PreferenceGP().fit_pairs(X, pairs)
    first, second = model.kernel_.lengthscale  # type: ignore[attr-defined]
    assert second > 3 * first
    new = rng.random((200, 2))
    right = np.sign(np.diff(model.predict(new).reshape(-1, 2))) == np.sign(
        np.diff(np.sin(4 * new[:, :1]).reshape(-1, 2))
    )
    assert right.mean() > 0.9


def test_a_linear_kernel_learns_weights() -> None:
    """With a linear kernel the utility is linear, and rows that differ by an item's own noise stay apart."""
    model = PreferenceGP(Linear() + WhiteNoise(0.1), optimizer=None).fit_pairs(GIVEN.X, GIVEN.pairs)
    a, b, middle = model.predict(np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]))
    assert middle == pytest.approx((a + b) / 2)


def test_contradictions_cancel() -> None:
    """Each pair said in both directions leaves all utilities at 0, surer than without."""
    both = np.vstack([GIVEN.pairs, GIVEN.pairs[:, ::-1]])
    model = PreferenceGP(KERNEL, optimizer=None).fit_pairs(GIVEN.X, both)
    mean, covariance = model.predict(GIVEN.X, return_cov=True)
    np.testing.assert_allclose(mean, 0, atol=1e-6)
    lead = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    prior = KERNEL(GIVEN.X[:2])
    assert lead < prior[0, 0] + prior[1, 1] - 2 * prior[0, 1]


def test_the_noise_is_the_unit() -> None:
    """With ten times the noise and a hundred times the variance all utilities are ten times as large."""
    wide = PreferenceGP(SquaredExponential((0.5, 0.8), 300.0), noise=10.0, optimizer=None)
    np.testing.assert_allclose(
        wide.fit_pairs(GIVEN.X, GIVEN.pairs).predict(NEW), 10 * fitted().predict(NEW), rtol=1e-5
    )


def test_the_mode_is_likelier_than_its_neighbours() -> None:
    """By Laplace, no utility nearby has a higher posterior density."""
    model = fitted(inference="laplace")
    mean = model.predict(GIVEN.X)
    near = (
        mean
        + 0.05
        * np.random.default_rng(0).normal(size=(50, 12))
        @ np.linalg.cholesky(KERNEL(GIVEN.X) + 1e-9 * np.eye(12)).T
    )

    def height(f: Any) -> Any:
        plain = GIVEN._replace(weight=np.ones(50))
        half = np.linalg.solve(np.linalg.cholesky(KERNEL(GIVEN.X) + 1e-9 * np.eye(12)), np.atleast_2d(f).T)
        return log_likelihoods(Probit(np.sqrt(2)), np.atleast_2d(f), plain) - 0.5 * (half**2).sum(axis=0)

    assert (height(near) < height(mean)).all()


def test_constant_features_are_named() -> None:
    """A feature that is the same everywhere is warned about by its name, and teaches nothing."""
    frame = pd.DataFrame(GIVEN.X, columns=["speed", "price"]).assign(wheels=4.0)
    with pytest.warns(PenchantWarning, match="wheels is the same in all compared rows"):
        model = PreferenceGP().fit_pairs(frame, GIVEN.pairs)
    without = PreferenceGP().fit_pairs(frame[["speed", "price"]], GIVEN.pairs)
    assert model.log_evidence_ == pytest.approx(without.log_evidence_, abs=0.01)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"noise": 0}, "noise must be a number above 0, got 0"),
        ({"noise": 1e-150}, "noise must be from 1e-50 to 1e.50, got 1e-150"),
        ({"seed": "a"}, "seed must be a whole number of at least 0, got 'a'"),
        ({"inference": "mcmc"}, "inference must be one of ep, laplace, got 'mcmc'"),
        ({"optimizer": "adam"}, "optimizer must be one of evidence, None, got 'adam'"),
        ({"likelihood": "cauchit"}, "likelihood must be one of probit, logit"),
        ({"restarts": -1}, "restarts must be a whole number of at least 0, got -1"),
        ({"indifference": -0.1}, "indifference must be a number above 0, got -0.1"),
        ({"kernel": "rbf"}, "kernel must be a kernel of penchant.gp"),
        ({"mean": [1.0]}, r"mean must be a weight for each of 2 features .* got shape \(1,\)"),
        ({"mean": lambda rows: rows}, "mean must be one-dimensional"),
    ],
)
def test_wrong_settings_are_refused_when_fitting(settings: dict[str, Any], words: str) -> None:
    """Each is rejected with a message that names what was received."""
    with pytest.raises(InvalidInput, match=words):
        PreferenceGP(**settings).fit_pairs(GIVEN.X, GIVEN.pairs)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pairs": [(0, 1)], "weight": [0.0]}, "weight of row 0 must be above 0"),
        ({"pairs": [(0, 1)], "tie": [1]}, "tie must be True or False for each pair, got an array of int64"),
        ({"pairs": [(0, 1)], "tie": [True, False]}, "tie must have 1 entries"),
        ({"pairs": [(0, np.nan)]}, "pair of row 0, column 1 must be a finite number"),
        ({"pairs": Preferences.from_pairs([(0, 1)]), "weight": [1.0]}, "weight must not be given beside"),
        ({"pairs": Preferences.from_pairs([(0, 1)]), "tie": [True]}, "tie must not be given beside"),
        ({"pairs": Preferences.from_pairs([(0, 1)])[:0]}, "at least one comparison, got none"),
        ({"pairs": Preferences.from_pairs([(0, 99)])}, "a row for each of 100 items, got 12"),
        ({"pairs": Preferences.from_pairs([("a", "b")])}, "must be a DataFrame"),
        (
            {"pairs": Preferences.from_answers([0, 1], [1, 2], ["left", "both_bad"])},
            "the bar of both-bad answers",
        ),
    ],
)
def test_answers_that_cannot_be_used_are_refused(arguments: dict[str, Any], words: str) -> None:
    """Each is rejected with a message that names what was received."""
    with pytest.raises(InvalidInput, match=words):
        PreferenceGP(optimizer=None).fit_pairs(GIVEN.X, **arguments)


def test_the_least_indifference_still_explains_a_tie() -> None:
    """With one of 1e-17 a tie is next to impossible, and says that two utilities are equal."""
    model = PreferenceGP(KERNEL, optimizer=None, indifference=1e-17)
    model.fit_pairs(GIVEN.X, [*GIVEN.pairs, (0, 1)], tie=[False] * len(GIVEN.pairs) + [True])
    assert -300 < model.log_evidence_ < -38
    assert np.isfinite(model.predict(NEW, return_std=True)).all()


def test_one_row_is_asked_about_by_its_labels() -> None:
    """A Series in another order of its labels is the same row."""
    frame = pd.DataFrame(GIVEN.X, columns=["speed", "price"])
    model = PreferenceGP(optimizer=None).fit_pairs(frame, GIVEN.pairs)
    one, other = frame.iloc[0], frame.iloc[3]
    chance = model.win_probability(one, other)
    assert chance == model.win_probability(one[["price", "speed"]], other) != 0.5
    assert isinstance(chance, float)


@pytest.mark.filterwarnings("ignore::penchant.errors.PenchantWarning")
@pytest.mark.parametrize("inference", ["laplace", "ep"])
@pytest.mark.parametrize("variance", [1e16, 1e18, 1e20, 1e24, 1e30])
def test_noise_that_is_lost_in_rounding_is_refused(inference: Any, variance: float) -> None:
    """From a prior sd of 1e8 on, where people contradict themselves, no digits are left to learn from."""
    both = np.vstack([GIVEN.pairs, GIVEN.pairs[:5, ::-1]])
    model = PreferenceGP(SquaredExponential(0.3, variance), optimizer=None, inference=inference)
    with pytest.raises(InvalidInput, match="noise must be larger beside the scale of the utilities, got 1,"):
        model.fit_pairs(GIVEN.X, both)


def test_ties_need_an_indifference() -> None:
    """An indifference of 0 cannot explain a tie."""
    with pytest.raises(InvalidInput, match="indifference must be above 0 where there are ties"):
        PreferenceGP(indifference=0).fit_pairs(GIVEN.X, [(0, 1)], tie=[True])


def test_questions_that_cannot_be_answered_are_refused() -> None:
    """Two sides of different lengths, and two kinds of uncertainty at once; no rows give no numbers."""
    model = fitted()
    with pytest.raises(InvalidInput, match="as many rows, or one, got 2 and 3"):
        model.win_probability(NEW[:2], NEW[:3])
    for n in (-1, 1.5):
        with pytest.raises(InvalidInput, match=f"n must be a whole number of at least 0, got {n}"):
            model.sample(NEW, n)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="must not both be True"):
        model.predict(NEW, return_std=True, return_cov=True)
    assert model.win_probability(NEW[:0], NEW[:0]).shape == (0,)
    assert model.predict(NEW[:0]).shape == (0,)
    assert model.win_probability(NEW[:1], NEW).shape == (6,)


def test_unknown_columns_are_named() -> None:
    """A frame without a column that was learned from is rejected by its name."""
    frame = pd.DataFrame(GIVEN.X, columns=["speed", "price"])
    model = PreferenceGP(optimizer=None).fit_pairs(frame, GIVEN.pairs)
    with pytest.raises(InvalidInput, match="'price'"):
        model.predict(frame[["speed"]])


def test_it_prints_what_was_set() -> None:
    """The settings that differ from the usual ones are shown, an array of weights among them."""
    assert repr(PreferenceGP(Linear(), mean=np.array([1.0, 2.0]))) == (
        "PreferenceGP(kernel=Linear(variance=1), mean=array([1., 2.]))"
    )
