"""Beliefs that learn one answer at a time, beside expectation propagation over all answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtr

from penchant import Preferences
from penchant.errors import InvalidInput, UnknownItem
from penchant.online import OnlineMixture
from penchant.online.answers import first_tie_share
from penchant.online.likelihood import AnswerLikelihood
from penchant.online.prior import IndependentPrior
from penchant.worth import BradleyTerry, Thurstone
from tests.online.simulated import answers, full_posterior, written_out

N_ITEMS = 6


def plain(n_items: int = N_ITEMS, *, link: str = "logistic", tie: float | None = None) -> OnlineMixture:
    """A belief before any answer, at two scales."""
    noise = 1.2 if link == "logistic" else 1.0
    variances = np.array([[1.0] * n_items + [10.0], [4.0] * n_items + [10.0]])
    likelihood = AnswerLikelihood(link, noise, tie)
    return OnlineMixture(
        [str(row) for row in range(n_items)],
        likelihood,
        IndependentPrior(variances),
        weights=(0.4, 0.6),
        bar=True,
        centred=True,
    )


@st.composite
def some_answers(draw: st.DrawFn, most: int = 40) -> list[tuple[int, int, int, float]]:
    """Answers by rows, of all outcomes, some with weights."""
    rows = st.integers(0, N_ITEMS - 1)
    pair = st.tuples(rows, rows).filter(lambda both: both[0] != both[1])
    weight = st.sampled_from([1.0, 1.0, 1.0, 2.0, 0.25, 1e-5, 1e4])
    one = st.tuples(pair, st.sampled_from([0, 0, 1, 1, 2, 3]), weight)
    found: list[tuple[tuple[int, int], int, float]] = draw(st.lists(one, max_size=most))
    return [(first, second, outcome, size) for (first, second), outcome, size in found]


def same(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether two states are equal to the last bit."""
    if first.keys() != second.keys():
        return False
    for name, value in first.items():
        other = second[name]
        if isinstance(value, dict):
            if not same(value, other):
                return False
        elif isinstance(value, np.ndarray):
            if value.dtype != other.dtype or not np.array_equal(value, other):
                return False
        elif value != other:
            return False
    return True


# -- close to propagation over all answers --------------------------------------------------------------------


@pytest.mark.parametrize("model", [BradleyTerry(), Thurstone(), BradleyTerry(0.3)], ids=repr)
@pytest.mark.parametrize(("ties", "bad"), [(0.0, 0.0), (0.2, 0.0), (0.1, 0.1)])
def test_answers_one_at_a_time_give_the_posterior_of_all(model: Any, ties: float, bad: float) -> None:
    """Started from 100 answers and after 150 more, means are within 0.02 sd of full propagation, variances of 2 %."""
    every = answers(12, 250, ties=ties, bad=bad, seed=3)
    belief = every[100:].learned_by(model.live(every[:100].preferences))
    for k in range(len(belief.weights_)):
        if belief.weights_[k] < 0.01:
            continue
        mean, covariance = full_posterior(belief, every.preferences, k)
        sd, n_rows = np.sqrt(np.diag(covariance)), len(mean)
        state = belief.state()
        assert (np.abs(state["means"][k][:n_rows] - mean) < 0.02 * sd).all()
        found = np.diag(state["covariances"][k])[:n_rows]
        np.testing.assert_allclose(found, sd**2, rtol=0.02)


def test_many_answers_after_a_start_from_few() -> None:
    """From 30 answers and after 3,000 more, 25 items still have the posterior of all answers at the first prior."""
    every = answers(25, 3030, seed=5)
    belief = every[30:].learned_by(BradleyTerry(0.4).live(every[:30].preferences))
    mean, covariance = full_posterior(belief, every.preferences, 0)
    sd, state = np.sqrt(np.diag(covariance)), belief.state()
    assert (np.abs(state["means"][0][:25] - mean) < 0.02 * sd).all()
    np.testing.assert_allclose(np.diag(state["covariances"][0])[:25], sd**2, rtol=0.02)


@pytest.mark.parametrize(("link", "tie"), [("logistic", None), ("logistic", -0.5), ("probit", 0.4)])
@pytest.mark.parametrize("outcome", [0, 1, 2])
def test_one_answer_matches_its_moments(link: str, tie: float | None, outcome: int) -> None:
    """After one answer mean and variance of the difference, and the returned probability, are those of an integral."""
    if outcome == 2 and tie is None:
        return
    belief = plain(link=link, tie=tie)
    kernel = BradleyTerry._link if link == "logistic" else Thurstone._link

    def density(d: float, power: int) -> float:
        chance = kernel.outcomes(np.array([d]), tie)[0][[0, 2, 1][outcome]]
        return float(d**power * chance * np.exp(-(d**2) / 4) / np.sqrt(4 * np.pi))  # variance 1 + 1

    mass, first, second = (quad(density, -15, 15, args=(power,))[0] for power in range(3))
    chances = belief.outcome_probabilities(2, 4)
    log_chance = belief.answer(2, 4, outcome)
    state = belief.state()
    mean, covariance = state["means"][0], state["covariances"][0]
    assert mean[2] - mean[4] == pytest.approx(first / mass, abs=1e-6)
    variance = covariance[2, 2] + covariance[4, 4] - 2 * covariance[2, 4]
    assert variance == pytest.approx(second / mass - (first / mass) ** 2, rel=1e-6)
    assert log_chance == pytest.approx(np.log(chances[outcome]), abs=1e-6)
    assert chances.sum() == pytest.approx(1)
    decided = 1 - first_tie_share(0) if tie is None else 1.0
    weights = np.array([0.4 * mass, np.exp(log_chance) / decided - 0.4 * mass])
    np.testing.assert_allclose(belief.weights_, weights / weights.sum(), atol=1e-6)


@pytest.mark.parametrize("won", [True, False])
@pytest.mark.parametrize(("tie", "unit"), [(0.0, 0.7), (0.4, 2.0)])
@pytest.mark.parametrize(
    ("difference", "cavity", "tau", "gradient"),
    [(0.3, 1.5, 0.2, 0.4), (-4.0, 0.3, 0.25, -0.8), (2.5, 9.0, 0.0, 2.0)],
)
def test_a_single_decision_is_matched_in_closed_form(
    won: bool, tie: float, unit: float, difference: float, cavity: float, tau: float, gradient: float
) -> None:
    """Mass, mean and variance of Φ((±d − ε)/(√2 · unit)) times a normal density are those of integrals."""
    from penchant.online import _kernels

    variance = 1 / (cavity + tau)
    mean, share, log_mass = _kernels.once_decided(unit, tie, won, difference, variance, cavity, gradient)
    sign = 1 if won else -1

    def density(away: float, power: int) -> float:
        chance = ndtr((sign * (difference + away) / unit - tie) / np.sqrt(2))
        return float(away**power * chance * np.exp((gradient - cavity / 2 * away) * away))

    reach, middle = 12 / np.sqrt(cavity), gradient / cavity
    limits = middle - reach, middle + reach
    mass, first, second = (
        quad(density, *limits, args=(power,), epsabs=1e-13, limit=200)[0] for power in range(3)
    )
    assert log_mass == pytest.approx(np.log(mass / np.sqrt(2 * np.pi * variance)), abs=1e-8)
    assert mean * np.sqrt(variance) == pytest.approx(first / mass, abs=1e-8)
    assert share * variance == pytest.approx(second / mass - (first / mass) ** 2, rel=1e-7)


def test_a_heavy_answer_is_as_many_answers() -> None:
    """One answer of weight 400 gives the posterior of 400 answers at once."""
    heavy, many = plain(), plain()
    heavy.answer(0, 1, 0, 400.0)
    many.learn(Preferences.from_pairs([(0, 1)] * 400, items=range(N_ITEMS)))
    np.testing.assert_allclose(heavy.state()["means"], many.state()["means"], atol=1e-3)
    np.testing.assert_allclose(heavy.state()["covariances"], many.state()["covariances"], atol=1e-3)


@pytest.mark.parametrize("link", ["logistic", "probit"])
def test_enormous_weights_leave_the_belief_sound(link: str) -> None:
    """Answers of weights from 1e-6 to 1e7 that contradict one another leave finite means and a positive covariance."""
    rng, belief = np.random.default_rng(1), plain(link=link)
    for _ in range(80):
        first, second = rng.choice(N_ITEMS, 2, replace=False)
        log_chance = belief.answer(
            int(first), int(second), int(rng.choice([0, 1, 2, 3])), float(10 ** rng.uniform(-6, 7))
        )
        assert np.isfinite(log_chance)
    state = belief.state()
    totals = state["totals"].sum(axis=1)
    assert (state["sites"][..., 0] <= 0.5 * totals).all()
    for k in range(2):
        _, covariance, _ = IndependentPrior(state["prior"]["variances"]).posterior(
            k, state["pairs"], state["sites"][k, :, 0], state["sites"][k, :, 1]
        )
        np.testing.assert_allclose(state["covariances"][k], covariance, atol=1e-7)
    assert np.isfinite(belief.mean).all()
    assert (belief.variance() >= 0).all()


def test_equal_items_learn_nothing_from_one_another() -> None:
    """Two items that are one under the prior cannot differ: a decision has an even chance and changes no score."""
    belief = OnlineMixture.from_prior("ab", np.ones((2, 2)), noise=1.0)
    assert belief.answer(0, 1, 0) == pytest.approx(np.log((1 - first_tie_share(0)) / 2))
    assert belief.mean.tolist() == [0, 0]
    assert belief.variance().tolist() == [1, 1]


def test_any_covariance_can_be_the_prior() -> None:
    """With items on a line, answers about two of them move those between; it is the posterior of all pairs at once."""
    line = np.exp(-((np.arange(5)[:, None] - np.arange(5)) ** 2) / 4.0)
    make = {"noise": 0.5, "mean": np.linspace(0, 1, 5), "factors": (1.0, 3.0), "weights": (0.5, 0.5)}
    single = OnlineMixture.from_prior("abcde", line, **make)
    for _ in range(4):
        single.answer(0, 2, 0)
        single.answer(4, 2, 0)
        single.answer(1, 3, 1)
    at_once = OnlineMixture.from_prior("abcde", line, **make)
    at_once.learn(Preferences.from_pairs([("a", "c"), ("e", "c"), ("d", "b")] * 4, items="abcde"))
    sd = np.sqrt(at_once.variance())
    assert (np.abs(single.mean - at_once.mean) < 0.02 * sd).all()
    np.testing.assert_allclose(single.variance(), at_once.variance(), rtol=0.02)
    assert single.mean[2] == single.mean.min()
    assert single.rank().items[-1] == "c"
    with pytest.raises(InvalidInput, match="both_bad"):
        single.answer(0, 1, 3)
    assert single.with_items(["f"]) is None
    with pytest.raises(UnknownItem, match="'f'"):
        single.learn(Preferences.from_pairs([("a", "f")]))


@pytest.mark.parametrize("centre", [0.0, 0.7])
def test_the_evidence_is_the_probability_of_the_answers(centre: float) -> None:
    """For one pair the evidence is an integral, whatever the mean of the prior; both components are weighed by it."""
    mean, factors = np.array([centre, 0.0]), np.array([1.0, 9.0])
    belief = OnlineMixture.from_prior(
        "ab", np.eye(2), noise=0.5, mean=mean, factors=factors, weights=(0.5, 0.5)
    )
    belief.learn(Preferences.from_pairs([("a", "b")] * 7 + [("b", "a")] * 2))
    for factor, found in zip(factors, belief.log_evidence(), strict=True):
        sd = np.sqrt(2 * factor)

        def density(d: float, sd: float = float(sd)) -> float:
            chance = ndtr(d / np.sqrt(0.5))
            normal = np.exp(-(((d - centre) / sd) ** 2) / 2) / (sd * np.sqrt(2 * np.pi))
            return float(chance**7 * (1 - chance) ** 2 * normal)

        assert found == pytest.approx(np.log(quad(density, -20, 20, points=[0, 1])[0]), abs=1e-4)
    evidence = np.exp(belief.log_evidence())
    np.testing.assert_allclose(belief.weights_, evidence / evidence.sum(), rtol=1e-6)


def test_a_prior_of_the_wrong_shape_is_rejected() -> None:
    """A covariance that is not one row an item is rejected with the shapes."""
    with pytest.raises(InvalidInput, match=r"shapes \(3, 3\)"):
        OnlineMixture.from_prior("abc", np.eye(2), noise=1.0)


@given(some_answers())
def test_the_posterior_is_that_of_its_sites(found: Any) -> None:
    """Whatever the answers, mean and covariance are those of prior and sites, and the covariance is positive."""
    belief = plain()
    for answer in found:
        log_chance = belief.answer(*answer)
        assert np.isfinite(log_chance)
        assert log_chance < 0
    state = belief.state()
    assert (state["sites"][..., 0] >= 0).all()
    prior = IndependentPrior(state["prior"]["variances"])
    for k in range(2):
        tau, nu = state["sites"][k, :, 0], state["sites"][k, :, 1]
        mean, covariance, _ = prior.posterior(k, state["pairs"], tau, nu)
        np.testing.assert_allclose(state["means"][k], mean, atol=1e-8)
        np.testing.assert_allclose(state["covariances"][k], covariance, atol=1e-9)
        np.testing.assert_allclose(
            state["levels"][k], covariance[:, state["compared"]].sum(axis=1), atol=1e-9
        )
        assert np.linalg.eigvalsh(state["covariances"][k]).min() > 0
    assert (belief.variance() >= 0).all()


@given(some_answers())
def test_contributions_add_up(found: Any) -> None:
    """What compared pairs contribute adds up to the difference of two means, groups and the bar included.

    A gradient ν − τd is a difference of two numbers as large as the weight of the answers, and so is its rounding.
    """
    belief = plain()
    for answer in found:
        belief.answer(*answer)
    rounding = 1e-9 * max(1.0, sum(weight for *_, weight in found))
    for a, b in ((0, 1), (5, 2)):
        parts = belief.contributions(a, b)
        total = sum(weight for *_, weight in parts)
        assert total == pytest.approx(belief.mean[a] - belief.mean[b], abs=rounding)
        assert all(-1 <= second < N_ITEMS and 0 <= first < N_ITEMS for first, second, _ in parts)


@given(st.lists(st.sampled_from([(0, 1, 0), (0, 1, 1), (1, 2, 0), (3, 2, 1), (4, 0, 0)]), max_size=30))
def test_contributions_are_those_of_the_written_out_posterior(found: list[tuple[int, int, int]]) -> None:
    """Those of the components, (ν − τ A m₀) (e_i − e_j)ᵀ Σ (e_a − e_b), times their weights, also with prior means."""
    means = np.array([0.5, 0.0, -0.5, 1.0, 0.0])
    near = np.exp(-((np.arange(5)[:, None] - np.arange(5)) ** 2) / 4.0)
    belief = OnlineMixture.from_prior(
        "abcde", near, noise=0.7, mean=means, factors=(0.5, 2.0), weights=(0.3, 0.7)
    )
    for answer in found:
        belief.answer(*answer)
    state, expected = belief.state(), dict[tuple[int, int], float]()
    for factor, weight, sites in zip((0.5, 2.0), belief.weights_, state["sites"], strict=True):
        precision = np.linalg.inv(factor * near)
        parts = written_out(state["pairs"], sites[:, 0], sites[:, 1], precision, 0, 2, means)
        expected |= {pair: expected.get(pair, 0.0) + weight * part for pair, part in parts.items()}
    weights = {(first, second): weight for first, second, weight in belief.contributions(0, 2)}
    assert weights == pytest.approx({pair: part for pair, part in expected.items() if part}, abs=1e-7)


def test_a_pair_counts_for_its_winner_though_others_predict_more() -> None:
    """19 of 28 wins count for the winner, alone and beside answers that predict more than nine in ten of them."""
    alone, among = plain(), plain()
    for _ in range(12):
        for answer in ((0, 2, 0), (2, 1, 0), (0, 3, 0), (3, 1, 0)):
            among.answer(*answer)
    assert among.outcome_probabilities(0, 1)[0] > 0.9
    for belief in (alone, among):
        for row in range(28):
            belief.answer(0, 1, 1 if row in range(0, 27, 3) else 0)
    ((first, second, weight),) = alone.contributions(0, 1)
    assert (first, second) == (0, 1)
    assert weight == pytest.approx(alone.mean[0] - alone.mean[1])
    assert weight > 0
    assert among.outcome_probabilities(0, 1)[0] > 19 / 28  # the pair draws the two together
    weights = {(first, second): weight for first, second, weight in among.contributions(0, 1)}
    assert len(weights) == 5
    assert min(weights.values()) > 0


def test_pairs_that_are_not_connected_contribute_nothing() -> None:
    """Answers about others than the two items and those they are connected with have no weight."""
    belief = plain()
    for answer in ((0, 1, 0), (1, 2, 0), (3, 4, 0), (3, 4, 1), (4, 5, 0)):
        belief.answer(*answer)
    assert {pair[:2] for pair in belief.contributions(0, 1)} == {(0, 1), (1, 2)}
    assert {pair[:2] for pair in belief.contributions(3, 5)} == {(3, 4), (4, 5)}
    assert len(belief.contributions(0, 5)) == 4


@given(some_answers(20))
def test_sides_do_not_matter(found: Any) -> None:
    """An answer is the same with its sides exchanged."""
    belief, turned = plain(), plain()
    for first, second, outcome, weight in found:
        other = {0: 1, 1: 0}.get(outcome, outcome)
        if outcome == 3:  # the order of the two comparisons with the bar is that of the items
            belief.answer(first, second, outcome, weight)
            turned.answer(first, second, outcome, weight)
        else:
            assert belief.answer(first, second, outcome, weight) == turned.answer(
                second, first, other, weight
            )
    assert same(belief.state(), turned.state())


def test_few_answers_are_learned_in_turn_and_many_at_once() -> None:
    """`learn` gives about the same belief either way, counts included, and adds new items."""
    every = answers(8, 60, ties=0.1, bad=0.1, seed=2)
    in_turn, at_once = plain(8, tie=-1.0), plain(8, tie=-1.0)
    for row in range(60):
        in_turn.learn(every[row : row + 1].preferences)
    at_once.learn(every.preferences)
    assert in_turn.counts_.tolist() == at_once.counts_.tolist()
    sd = np.sqrt(at_once.variance())
    assert (np.abs(in_turn.mean - at_once.mean) < 0.03 * sd).all()
    np.testing.assert_allclose(in_turn.variance(), at_once.variance(), rtol=0.04)
    at_once.learn(Preferences.from_pairs([("new", "0")]))
    assert at_once.items_[-1] == "new"
    assert at_once.counts_[-1] == 1
    assert at_once.mean[-1] > at_once.mean[0]


def test_weights_count() -> None:
    """Counts are whole numbers until a weight is not."""
    belief = plain()
    belief.answer(0, 1, 0, 3)
    belief.answer(0, 2, 3)
    assert belief.counts_.tolist() == [4, 3, 1, 0, 0, 0]
    assert belief.counts_.dtype == np.int64
    belief.answer(4, 5, 1, 0.5)
    assert belief.counts_.tolist() == [4, 3, 1, 0, 0.5, 0.5]


def test_the_first_tie_begins_ties() -> None:
    """Before it a tie is as probable as half a tie in ten answers more; it sets the tie parameter, which then stays."""
    belief = plain()
    for row in range(1, 4):
        belief.answer(0, row, 0)
    assert belief.tie_ is None
    assert belief.outcome_probabilities(1, 2)[2] == pytest.approx(0.5 / 13)
    assert belief.answer(1, 2, 2) == pytest.approx(np.log(0.5 / 13))
    assert belief.tie_ == AnswerLikelihood.logistic().with_first_tie(3, 1).tie
    assert belief.outcome_probabilities(1, 2)[2] > 0.1
    belief.answer(2, 3, 2)
    assert belief.tie_ == AnswerLikelihood.logistic().with_first_tie(3, 1).tie


def test_both_bad_answers_lower_both() -> None:
    """Items that lost to the bar stand below those that did not, and the bar above them."""
    belief = plain()
    for row in range(1, N_ITEMS):
        belief.answer(0, row, 0)
    assert belief.rank().threshold is None
    before = belief.mean
    belief.answer(1, 2, 3)
    assert (belief.mean[[1, 2]] < before[[1, 2]]).all()
    threshold = belief.rank().threshold
    assert threshold is not None
    assert threshold.score > belief.mean[1]
    assert belief.mean.sum() == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((0, 0, 0), "two different rows"),
        ((0, N_ITEMS, 0), "two different rows"),
        ((-1, 0, 0), "two different rows"),
        ((0, 1, 4), "outcome must be"),
        ((0, 1, 0, 0.0), "weight must be"),
        ((0, 1, 0, np.nan), "weight must be"),
        ((0, 1, 0, np.inf), "weight must be"),
    ],
)
def test_what_is_no_answer_is_rejected(answer: Any, message: str) -> None:
    """Rows, outcomes and weights that are none are rejected, and the belief stays as it was."""
    belief = plain()
    state = belief.state()
    with pytest.raises(InvalidInput, match=message):
        belief.answer(*answer)
    assert same(belief.state(), state)


def test_probit_answers_have_noise_in_units_of_the_scores() -> None:
    """With a wide prior and many answers, Φ(d / (√2 · noise)) is the share that one item won."""
    belief = OnlineMixture.from_prior("ab", 100 * np.eye(2), noise=0.5)
    for row in range(200):
        belief.answer(0, 1, 0 if row % 10 else 1)
    assert ndtr((belief.mean[0] - belief.mean[1]) / (np.sqrt(2) * belief.noise_)) == pytest.approx(
        0.9, abs=0.01
    )
