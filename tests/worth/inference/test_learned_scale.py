"""The scale of the prior, learned: beside integrals over the scale, and how often intervals hold."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from penchant import Preferences
from penchant.ask import next_pair
from penchant.errors import InvalidInput, PenchantWarning
from penchant.saving import from_bytes, to_bytes
from penchant.worth import BradleyTerry, Thurstone
from penchant.worth.inference import learned_scale as module
from penchant.worth.inference.learned_scale import SCALE, START, learn_scale
from penchant.worth.inference.pairs import NO_TOTALS, PairGraph
from penchant.worth.inference.prior import Prior
from penchant.worth.inference.propagation import Exact, PairLikelihood, propagate, sites_at
from tests.worth.simulated import comparisons, rounds


def on_a_grid(preferences: Preferences, link: Any) -> tuple[Any, Any]:
    """Return mean and standard deviations of the scores by expectation propagation at 60 scales."""
    totals = NO_TOTALS.plus(preferences)
    n_items = preferences.n_items
    answers = PairLikelihood(PairGraph(totals.pairs, n_items), totals.weight, link, None)
    limit = SCALE * link.logit
    logs, means, variances = [], [], []
    grid = np.linspace(np.log(limit) - 5, np.log(limit) + 1.5, 60)
    for t in grid:
        prior = Prior(float(np.exp(-2 * t)), n_items)
        found = propagate(answers, prior, *sites_at(answers, np.zeros(n_items)), Exact(), tolerance=1e-6)
        assert found.evidence is not None
        logs.append(found.evidence + t - np.exp(2 * t) / (2 * limit**2))
        C = np.linalg.inv(found.hessian(answers).matrix())
        centre = np.eye(n_items) - 1 / n_items
        means.append(found.mean)
        variances.append(np.diag(centre @ C @ centre))
    weight = np.exp(np.array(logs) - max(logs))
    weight /= weight.sum()
    mean = weight @ np.array(means)
    return mean, np.sqrt(weight @ (np.array(variances) + (np.array(means) - mean) ** 2))


@pytest.mark.parametrize(("sd", "answered"), [(0.3, 6), (1.0, 12), (4.0, 6)])
@pytest.mark.parametrize("Model", [BradleyTerry, Thurstone])
def test_five_scales_are_as_good_as_sixty(Model: Any, sd: float, answered: int) -> None:
    """Means and standard deviations agree with a fine grid over the scale to less than a tenth of the errors."""
    worth = sd * np.random.default_rng(4).standard_normal(10)
    preferences = rounds(worth, answered, 5, probit=Model is Thurstone)
    mean, spread = on_a_grid(preferences, Model._link)
    model = Model().fit(preferences)
    assert_allclose(model.scores_, mean, atol=0.09 * spread.max())
    assert_allclose(np.sqrt(model.variance()), spread, rtol=0.09)


@pytest.mark.parametrize("n_pairs", [20, 60, 150])
def test_neighbours_in_rank_leave_a_skewed_scale(n_pairs: int) -> None:
    """Pairs that are close in rank leave small scales possible; five scales still agree with a fine grid."""
    rng = np.random.default_rng(n_pairs)
    worth = np.sort(0.5 * rng.standard_normal(20))
    first = rng.integers(19, size=n_pairs)
    better = rng.random(n_pairs) < 1 / (1 + np.exp(worth[first + 1] - worth[first]))
    pairs = np.where(
        better[:, None], np.column_stack([first, first + 1]), np.column_stack([first + 1, first])
    )
    preferences = Preferences.from_pairs(pairs, items=range(20))
    mean, spread = on_a_grid(preferences, BradleyTerry._link)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)
        model = BradleyTerry().fit(preferences)
    assert_allclose(model.scores_, mean, atol=0.05 * spread.max())
    assert_allclose(np.sqrt(model.variance()), spread, rtol=0.1)


@pytest.mark.parametrize("ties", [0.0, 0.7])
def test_the_start_of_the_search_makes_no_difference(ties: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches that start at a small and at a large scale find the same scores, to a hundredth of their errors."""
    preferences = comparisons(0.5 * np.random.default_rng(3).standard_normal(15), 60, 4, ties=ties)
    started, found = module._Search.__init__, []
    for start in (-3.0, 2.0):

        def begin(self: Any, *given: Any, start: float = start) -> None:
            started(self, *given)
            self._start = start

        monkeypatch.setattr(module._Search, "__init__", begin)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PenchantWarning)
            found.append(BradleyTerry().fit(preferences))
    spread = np.sqrt(found[0].variance())
    assert_allclose(found[0].scores_, found[1].scores_, atol=0.01 * spread.max())
    assert_allclose(spread, np.sqrt(found[1].variance()), rtol=0.01)


@pytest.mark.parametrize(("sd", "answered"), [(0.3, 12), (1.0, 12), (4.0, 12)])
def test_intervals_hold(sd: float, answered: int) -> None:
    """Of 25 simulated groups of people, 95 % intervals hold 90 to 99 times in 100; full counts are a benchmark."""
    held = []
    for seed in range(25):
        worth = sd * np.random.default_rng((5, seed)).standard_normal(20)
        lower, upper = BradleyTerry().fit(rounds(worth, answered, seed)).interval().T
        truth = worth - worth.mean()
        held.append((lower <= truth) & (truth <= upper))
    assert 0.90 < np.mean(held) < 0.99


def test_close_items_have_a_small_scale_and_distant_ones_a_large_one() -> None:
    """The scale follows the worths that answers come from."""
    scales = []
    for sd in (0.2, 1.0, 4.0):
        worth = sd * np.random.default_rng(7).standard_normal(60)
        scales.append(BradleyTerry().fit(rounds(worth, 20, 3)).prior_ ** -0.5)
    assert scales == sorted(scales)
    assert scales[0] < 0.5
    assert 0.7 < scales[1] < 1.3
    assert 3.0 < scales[2] < 5.0


def star(n_items: int, wins: int) -> Preferences:
    """One item that beat each other one."""
    return Preferences.from_pairs([(0, other) for other in range(1, n_items)] * wins)


@pytest.mark.parametrize(
    "preferences",
    [
        rounds(2 * np.random.default_rng(3).standard_normal(150), 12, 4),
        rounds(np.random.default_rng(3).standard_normal(150), 2, 4),
        star(120, 1),
        star(120, 50),
        Preferences.from_pairs([(i, (7 * i + 3) % 130) for i in range(130)], tie=[True] * 130),
        comparisons(3 * np.random.default_rng(1).standard_normal(120), 9000, 2),
    ],
    ids=["dense", "sparse", "star", "heavy star", "all ties", "all pairs"],
)
def test_messages_between_many_items_lead_to_the_same(
    preferences: Preferences, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above the exact limit scores and intervals are those of the inverse to a small part of the errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)
        exact = BradleyTerry().fit(preferences)
        spread = np.sqrt(exact.variance())
        monkeypatch.setattr(module, "EXACT_ITEMS", 50)
        monkeypatch.setattr(module, "SMALL_ERROR", 0.0)
        many = BradleyTerry().fit(preferences)
    assert (np.abs(many.scores_ - exact.scores_) / spread).max() < 0.05
    assert_allclose(np.sqrt(many.variance()), spread, rtol=0.03)


def test_many_items_with_features_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """With features the variances come from draws, and scores agree to a small part of the errors."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((150, 2))
    preferences = rounds(X @ [1.0, -1.0] + rng.standard_normal(150), 12, 4)
    exact = BradleyTerry().fit(preferences, features=X)
    monkeypatch.setattr(module, "EXACT_WITH_FEATURES", 50)
    drawn = BradleyTerry().fit(preferences, features=X)
    spread = np.sqrt(exact.variance())
    assert np.sqrt((((drawn.scores_ - exact.scores_) / spread) ** 2).mean()) < 0.1


@pytest.mark.parametrize("sd", [0.3, 1.0])
def test_many_answers_take_the_mode(sd: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all is known well, the mode and its curvature are used, and agree with expectation propagation."""
    worth = sd * np.random.default_rng(3).standard_normal(120)
    preferences = comparisons(worth, 60_000, 4)
    exact = BradleyTerry().fit(preferences)
    monkeypatch.setattr(module, "EXACT_ITEMS", 100)
    model = BradleyTerry().fit(preferences)
    assert model.posterior().method.startswith("mode")
    spread = np.sqrt(exact.variance())
    assert (np.abs(model.scores_ - exact.scores_) / spread).max() < 0.15
    assert_allclose(np.sqrt(model.variance()), spread, rtol=0.02)
    assert model.prior_ == pytest.approx(exact.prior_, rel=0.05)


def test_a_tie_parameter_is_learned_too() -> None:
    """It is near the one that the answers come from, without the pull of a fixed prior on the scores."""
    worth = 2 * np.random.default_rng(3).standard_normal(30)
    model = BradleyTerry().fit(comparisons(worth, 4000, 4, ties=0.7))
    assert model.tie_ == pytest.approx(np.log(0.7), abs=0.15)
    thurstone = Thurstone().fit(comparisons(worth, 4000, 4, ties=0.5, probit=True))
    assert thurstone.tie_ == pytest.approx(0.5, abs=0.08)


def test_what_is_saved_gives_the_same_posterior() -> None:
    """The mixture follows from the totals: a loaded model has the same intervals to the last bit."""
    model = BradleyTerry().fit(comparisons([1.0, 0.0, -1.0], 30, 2))
    loaded = from_bytes(to_bytes(model))
    assert loaded.prior == "learned"
    np.testing.assert_array_equal(loaded.interval(), model.interval())


def test_a_given_precision_stays_what_it_was() -> None:
    """A number is the precision of the prior, with the mode for scores and its curvature for errors."""
    preferences = comparisons([1.0, 0.0, -1.0], 30, 2)
    model = BradleyTerry(0.1).fit(preferences)
    assert model.prior_ == 0.1
    first, second = preferences.pairs().T
    slope = 1 / (1 + np.exp(model.scores_[first] - model.scores_[second]))
    pull = np.bincount(first, slope, 3) - np.bincount(second, slope, 3)
    assert_allclose(pull, 0.1 * model.scores_, atol=1e-7)


@pytest.mark.parametrize(
    "preferences",
    [
        Preferences.from_pairs([], items=["only"]),
        Preferences.from_pairs([], items=range(4)),
        Preferences.from_pairs([("a", "b")]),
        Preferences.from_pairs([("a", "b"), ("c", "d")]),
        Preferences.from_pairs([("a", "b")] * 3, tie=[True] * 3),
        Preferences.from_answers(["a", "a"], ["b", "c"], ["both_bad", "both_bad"]),
        Preferences.from_pairs([("a", "b"), ("b", "a")], weight=[1e12, 1.0]),
    ],
    ids=["one item", "no answers", "one answer", "two groups", "ties alone", "both bad alone", "huge weight"],
)
@pytest.mark.parametrize("Model", [BradleyTerry, Thurstone])
def test_little_or_strange_data_is_ranked(Model: Any, preferences: Preferences) -> None:
    """Scores are finite, limits are finite and around them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)
        model = Model().fit(preferences)
    ranking = model.rank()
    assert np.isfinite(ranking.scores).all()
    assert (ranking.lower <= ranking.scores + 1e-9).all()
    assert (ranking.scores <= ranking.upper + 1e-9).all()
    assert np.isfinite(ranking.upper - ranking.lower).all()


def test_the_start_is_the_bars_prior() -> None:
    """Learning at the start's precision puts no other prior on the bar than on the items."""
    found = learn_scale(
        NO_TOTALS.plus(comparisons([1.0, 0.0, -1.0], 30, 2)),
        BradleyTerry._link,
        lambda precision: Prior(precision, 3, bar_precision=START),
    )
    assert found.middle.prior.own[-1] == START


@pytest.mark.parametrize("Model", [BradleyTerry, Thurstone])
def test_equal_items_keep_their_order(Model: Any) -> None:
    """Items that a cycle or ties make equal have equal scores, and stand in the order in which they came."""
    for preferences in (
        Preferences.from_pairs([("a", "b"), ("b", "c"), ("c", "a")]),
        Preferences.from_pairs([("a", "b")] * 2, tie=[True] * 2),
    ):
        ranking = Model().fit(preferences).rank()
        assert ranking.items == preferences.items
        assert not ranking.scores.any()


def test_a_wrong_prior_is_rejected() -> None:
    """Anything but a number from 0 on or the word is named."""
    with pytest.raises(InvalidInput, match=r"prior must be a number of at least 0, got 'empirical'"):
        BradleyTerry(prior="empirical").fit(Preferences.from_pairs([(0, 1)]))


def test_questions_are_chosen_at_the_most_probable_scale() -> None:
    """By the moments of the mixture, a pair of distant items would be the most doubtful one; a given prior has none."""
    pairs = [(a, b) for a in range(6) for b in range(a + 1, 6)] * 6
    model = BradleyTerry().fit(Preferences.from_pairs(pairs))
    middle = model.most_probable()
    assert (middle.variance() < model.variance()).all()
    assert_allclose(middle.covariance([0], [1]), middle.covariance()[:1, 1:2])
    assert next_pair(model) == next_pair(middle, model.counts_, noise=model.noise_)
    given = BradleyTerry(0.1).fit(Preferences.from_pairs(pairs))
    assert given.most_probable() is given
