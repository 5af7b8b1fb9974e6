"""CrowdBradleyTerry: against its definition written out slowly, and where little is known."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant import Preferences
from penchant.errors import InvalidInput, NotFitted, PenchantWarning
from penchant.saving import to_bytes
from penchant.worth import BradleyTerry, CrowdBradleyTerry
from tests.worth.crowds import agreement, alike, answers, mixed_crowd


def slow_log_posterior(
    model: CrowdBradleyTerry,
    preferences: Preferences,
    worth: Any,
    reliability: Any,
    bias: Any,
    log_tie: float,
) -> float:
    """The log posterior from its definition, answer by answer."""
    tie_too = [] if model.tie_ is None else [log_tie]
    only_ties = 0.0 if model.cell_counts_[:2].any() else 0.001
    total = -model.prior / 2 * sum(score**2 for score in worth) - only_ties / 2 * sum(t**2 for t in tie_too)
    for r, b in zip(reliability, bias, strict=True):
        total -= (r - 1) ** 2 / (2 * model.reliability_sd_**2) + b**2 / (2 * model.bias_sd_**2)
    said = preferences.comparisons()
    for row in range(len(said)):
        judge = -1 if said.judge is None else int(said.judge[row])
        r, b = (1.0, 0.0)
        if judge >= 0:
            k = model.judges_.index(preferences.judges[judge])
            r, b = reliability[k], bias[k]
        side = 0 if said.better_on_left is None else (-1, 1, 0)[said.better_on_left[row]]
        x = r * (worth[said.better[row]] - worth[said.worse[row]]) + b * side
        win, lose, tie = np.exp(x / 2), np.exp(-x / 2), np.exp(log_tie)
        total += said.weight[row] * np.log((tie if said.tie[row] else win) / (win + lose + tie))
    return float(total)


def slow_vector(model: CrowdBradleyTerry, preferences: Preferences) -> tuple[Any, Any]:
    """What was learned as one vector, and the slow log posterior as a function of it."""
    n, k = len(model.scores_), len(model.judges_)
    log_tie = [] if model.tie_ is None else [model.tie_]
    place = np.concatenate([model.scores_, model.reliability_, model.bias_, log_tie])

    def value(point: Any) -> float:
        tie = -np.inf if model.tie_ is None else point[-1]
        parts = point[:n], point[n : n + k], point[n + k : n + 2 * k]
        return slow_log_posterior(model, preferences, *parts, tie)

    return place, value


def directions(model: CrowdBradleyTerry, size: int) -> Any:
    """An orthonormal basis, one a column, of the changes that keep the mean reliability."""
    n, k = len(model.scores_), len(model.judges_)
    normal = np.zeros((size, 1))
    normal[n : n + k, 0] = model.judge_answers_
    return np.linalg.svd(normal, full_matrices=True)[0][:, 1:] if k else np.eye(size)


def slow_gradient(value: Any, place: Any, basis: Any, step: float = 1e-5) -> Any:
    return np.array([(value(place + step * d) - value(place - step * d)) / (2 * step) for d in basis.T])


# -- against the definition --------------------------------------------------------------------------------


@pytest.mark.parametrize("tie", [0.0, 0.7])
def test_the_fit_is_a_maximum_of_the_log_posterior(tie: float) -> None:
    """No direction that keeps the mean reliability leads upwards from the fit, by finite differences."""
    _, prefs = answers(5, 15, reliability=[1, 0.3, 1.2], bias=[0, 0.5, -0.5], tie=tie)
    unnamed = Preferences.from_pairs([(0, 1), (3, 2)], weight=[2, 0.5], items=range(5))
    prefs = prefs + unnamed
    model = CrowdBradleyTerry().fit(prefs)
    place, value = slow_vector(model, prefs)
    basis = directions(model, len(place))
    np.testing.assert_allclose(slow_gradient(value, place, basis), 0, atol=1e-6)
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert value(place + basis @ rng.normal(scale=0.1, size=basis.shape[1])) < value(place)
    assert np.average(model.reliability_, weights=model.judge_answers_) == pytest.approx(1)


@pytest.mark.parametrize("tie", [0.0, 0.7])
def test_the_covariance_is_that_of_the_whole_hessian(tie: float) -> None:
    """Worth less its mean varies as the inverse of the Hessian of everything unknown says."""
    _, prefs = answers(4, 12, reliability=[1, 0.3, 1.2], bias=[0, 0.5, -0.5], tie=tie)
    model = CrowdBradleyTerry(reliability_sd=0.5, bias_sd=0.5).fit(prefs)
    place, value = slow_vector(model, prefs)
    basis = directions(model, len(place))
    step = 1e-3
    hessian = np.array(
        [
            (slow_gradient(value, place + step * d, basis) - slow_gradient(value, place - step * d, basis))
            / (2 * step)
            for d in basis.T
        ]
    )
    covariance = basis @ np.linalg.inv(-hessian) @ basis.T
    centre = np.eye(4) - 1 / 4
    np.testing.assert_allclose(model.covariance(), centre @ covariance[:4, :4] @ centre, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model.variance(), np.diag(model.covariance()), rtol=1e-9)


@st.composite
def crowds(draw: Any) -> Preferences:
    n_items = draw(st.integers(2, 5))
    item = st.integers(0, n_items - 1)
    row = st.tuples(
        item, item, st.sampled_from(["ann", "bob", None]), st.booleans(), st.sampled_from([True, False, None])
    )
    rows = draw(st.lists(row.filter(lambda r: r[0] != r[1]), min_size=1, max_size=25))
    first, second, judge, tie, side = zip(*rows, strict=True)
    return Preferences.from_pairs(
        list(zip(first, second, strict=True)), tie=tie, judge=judge, better_on_left=side, items=range(n_items)
    )


@given(crowds())
def test_any_answers_give_a_finite_and_stationary_fit(prefs: Preferences) -> None:
    """Whatever was said, scores are finite, sum to 0, and the slow log posterior is flat there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)
        model = CrowdBradleyTerry().fit(prefs)
        variance = model.variance()
    assert np.isfinite(model.scores_).all()
    assert abs(model.scores_.sum()) < 1e-6
    assert (variance > 0).all()
    place, value = slow_vector(model, prefs)
    np.testing.assert_allclose(slow_gradient(value, place, directions(model, len(place))), 0, atol=2e-6)


@given(crowds(), st.integers(0, 25))
def test_chunks_and_names_do_not_matter(prefs: Preferences, cut: int) -> None:
    """Answers in two parts, each knowing only its own judges, end in the same state to the last bit."""
    parts = [prefs[:cut], prefs[cut:]]
    parts = [
        Preferences.from_pairs(
            np.column_stack([said.better, said.worse]),
            tie=said.tie,
            judge=[None if k < 0 else prefs.judges[k] for k in said.judge],
            better_on_left=[None if side < 0 else bool(side) for side in said.better_on_left],
            items=range(prefs.n_items),
        )
        for said in (part.comparisons() for part in parts)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)
        whole = CrowdBradleyTerry().fit(prefs)
        stepwise = CrowdBradleyTerry().fit(parts[0]).update(parts[1])
    assert to_bytes(stepwise) == to_bytes(whole)


# -- special cases -----------------------------------------------------------------------------------------


def test_judges_with_few_answers_are_average() -> None:
    """One answer about two close items leaves a judge's reliability within a fifth of the average."""
    _, prefs = answers(reliability=np.ones(5), bias=np.zeros(5))
    close = np.argsort(CrowdBradleyTerry().fit(prefs).scores_)[[9, 10]]
    one = Preferences.from_pairs([close], judge=["new"], items=range(20))
    model = CrowdBradleyTerry().fit(prefs + one)
    assert model.reliability_[model.judges_.index("new")] == pytest.approx(1, abs=0.2)


def test_one_judge_is_the_average() -> None:
    """A judge who is alone has reliability 1, for certain, and a bias; without sides it is plain Bradley–Terry."""
    _, prefs = answers(6, 80, reliability=[1], bias=[1.0])
    judges = CrowdBradleyTerry().fit(prefs).judges()
    assert judges.reliability.tolist() == [1]
    np.testing.assert_allclose(judges.reliability_error, 0, atol=1e-6)
    assert judges.bias[0] > 0.3
    blind = CrowdBradleyTerry().fit(prefs.without("better_on_left"))
    np.testing.assert_allclose(blind.scores_, alike().fit(prefs).scores_, atol=1e-8)
    assert blind.bias_.tolist() == [0]


def test_without_judges_it_is_bradley_terry() -> None:
    """Where nobody is named, scores, tie and variance are those of BradleyTerry with the same prior."""
    for tie in (0.0, 0.7):
        _, prefs = answers(6, 80, reliability=[1], bias=[0], tie=tie)
        prefs = prefs.without("judge", "better_on_left")
        model, plain = CrowdBradleyTerry().fit(prefs), BradleyTerry(0.1).fit(prefs)
        assert model.judges_ == ()
        np.testing.assert_allclose(model.scores_, plain.scores_, atol=1e-6)
        assert (model.tie_ is None) == (plain.tie_ is None)
        np.testing.assert_allclose(model.variance(), plain.variance(), rtol=1e-5)
        np.testing.assert_allclose(
            model.win_probability([0, 1], [2, 3]), plain.win_probability([0, 1], [2, 3]), atol=1e-6
        )


def test_answers_upside_down_are_informative() -> None:
    """One who always says the contrary makes the ranking more certain, not less."""
    worth, prefs = answers(per_judge=200, reliability=[1, 1, 1, -1], bias=np.zeros(4))
    without = CrowdBradleyTerry().fit(prefs[np.flatnonzero(prefs.judge != 3)])
    model = CrowdBradleyTerry().fit(prefs)
    scale = np.ptp(model.scores_) / np.ptp(without.scores_)
    assert model.reliability_[3] < 0
    assert model.variance().sum() < scale**2 * without.variance().sum()
    assert agreement(worth, model.scores_) > agreement(worth, without.scores_)


def test_ties_are_a_third_answer() -> None:
    """ν is found again, and ties pull nobody towards being average."""
    _, prefs = answers(8, 400, reliability=[1, 1, 0], bias=[0, 0, 0], tie=0.8)
    model = CrowdBradleyTerry().fit(prefs)
    assert np.exp(model.tie_) == pytest.approx(0.8, abs=0.15)
    assert model.judges().judges[0] == "j02"


def test_unbeaten_items_are_finite() -> None:
    """Items that every judge always prefers or never does have finite scores, on the right side."""
    rows = [(0, 1), (1, 2), (2, 1), (1, 3), (0, 2)] * 6
    model = CrowdBradleyTerry().fit(Preferences.from_pairs(rows, judge=["a", "b", "c"] * 10))
    assert np.isfinite(model.scores_).all()
    assert np.argmax(model.scores_) == 0
    assert np.argmin(model.scores_) == 3


def test_both_bad_answers_set_the_bar() -> None:
    """Both-bad answers by a judge put the bar above what was bad."""
    prefs = Preferences.from_answers(
        ["a", "b", "a"], ["b", "c", "c"], ["left", "both_bad", "left"], judge=["x", "y", "x"]
    )
    ranking = CrowdBradleyTerry().fit(prefs).rank()
    assert set(ranking.items) == {"a", "b", "c"}
    assert ranking.bar > ranking.scores[-1]


def test_judges_who_contradict_one_another_evenly_are_said_to() -> None:
    """Two judges who say the contrary as often: equal scores, intervals as wide as the prior, and a warning.

    One of them is upside down, and nothing says which: their reliabilities are as uncertain.
    """
    rows = [(0, 1)] * 10 + [(1, 0)] * 10
    prefs = Preferences.from_pairs(rows, judge=["a"] * 10 + ["b"] * 10)
    with pytest.warns(PenchantWarning, match="judges contradict one another so evenly"):
        model = CrowdBradleyTerry().fit(prefs)
    np.testing.assert_allclose(model.scores_, 0, atol=1e-9)
    np.testing.assert_allclose(model.variance(), 0.5 / model.prior, rtol=1e-6)
    np.testing.assert_allclose(model.reliability_, 1)
    found = model.judges()
    np.testing.assert_allclose(found.reliability, 1)
    assert found.reliability_error[0] == pytest.approx(found.reliability_error[1])
    assert found.reliability_error[0] > model.reliability_sd_


def test_a_fit_that_did_not_end_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the steps run out before the log posterior is flat, a warning says that scores are not exact."""
    monkeypatch.setattr("penchant.worth.inference.crowd_likelihood._MOST_STEPS", 1)
    with pytest.warns(PenchantWarning, match="still has gradient .*: scores are not exact"):
        CrowdBradleyTerry().fit(mixed_crowd(0)[2])


def test_new_judges_may_come_later() -> None:
    """A judge who comes with an update stands where the name sorts, and the fit is that of all at once."""
    _, prefs = answers(reliability=np.ones(3), bias=np.zeros(3))
    late = Preferences.from_pairs([(0, 1), (2, 3)], judge=["a", "j01"], items=range(20))
    model = CrowdBradleyTerry().fit(prefs).update(late)
    assert model.judges_ == ("a", "j00", "j01", "j02")
    assert model.judge_answers_.tolist() == [1, 100, 101, 100]
    assert to_bytes(model) == to_bytes(CrowdBradleyTerry().fit(prefs + late))


def test_groups_that_never_met_are_named() -> None:
    """Groups of items that were never compared with one another are named when fitted and in the ranking."""
    apart = Preferences.from_pairs([("a", "b"), ("c", "d")], judge=["x", "y"])
    with pytest.warns(PenchantWarning, match="2 groups that were never compared with one another"):
        CrowdBradleyTerry().fit(apart)
    model = CrowdBradleyTerry().fit(apart[:1].without("judge")).update(apart[1:])
    assert "'c', 'd'" in model.rank().caveats[0]


def test_a_damaged_state_is_refused() -> None:
    """A saved state with a cell of an unknown judge, or scores of another length, is rejected with a message."""
    _, prefs = answers(4, 5, reliability=[1, 1], bias=[0, 0])
    state = CrowdBradleyTerry().fit(prefs).__save_state__()
    for damage in ({"judges_": ("j00",)}, {"scores_": np.zeros(3)}, {"tie_": 0.0}):
        with pytest.raises(InvalidInput, match="_ must "):
            CrowdBradleyTerry.__saved__.check({**state, **damage})


# -- probabilities -----------------------------------------------------------------------------------------


def test_answers_of_one_judge_are_foretold() -> None:
    """A judge's probability is that of the model: r (s_a − s_b), plus the bias where a stands on the left."""
    _, _, prefs = mixed_crowd(1)
    model = CrowdBradleyTerry().fit(prefs)
    k, gap = model.judges_.index("j04"), model.scores_[0] - model.scores_[1]
    for side, sign in ((None, 0), (True, 1), (False, -1)):
        x = model.reliability_[k] * gap + sign * model.bias_[k]
        assert model.answer_probability(0, 1, "j04", a_on_left=side) == pytest.approx(1 / (1 + np.exp(-x)))
    assert model.answer_probability([0, 1], [1, 0], "j04").sum() == pytest.approx(1)
    assert model.win_probability(0, 1) == pytest.approx(1 / (1 + np.exp(-gap)))
    with pytest.raises(InvalidInput, match=r"judge 'nobody' must be one of 12 \('j00', .*: correct the name"):
        model.answer_probability(0, 1, "nobody")


def test_outcomes_follow_davidson() -> None:
    """For an average judge, a is preferred, equal and not preferred as e^{d/2} to ν to e^{−d/2}."""
    _, prefs = answers(4, 60, reliability=[1, 0.5], bias=[0, 0], tie=0.8)
    model = CrowdBradleyTerry().fit(prefs)
    d = model.scores_[0] - model.scores_[[1, 2]]
    expected = np.stack([np.exp(d / 2), np.full(2, np.exp(model.tie_)), np.exp(-d / 2)], axis=-1)
    expected /= expected.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(model.outcome_probability([0, 0], [1, 2]), expected)
    untied = CrowdBradleyTerry().fit(prefs[np.flatnonzero(prefs.statements.levels[1::2])])
    assert untied.tie_ is None
    assert untied.outcome_probability(0, 1)[1] == 0


def test_score_knows_the_judge_and_the_side() -> None:
    """The mean log probability is that of each judge's own answers; a stranger is judged as average."""
    _, _, prefs = mixed_crowd(2)
    model = CrowdBradleyTerry().fit(prefs)
    one = prefs[:1]
    (better, worse), who = one.pairs()[0], "j00"
    told = model.answer_probability(better, worse, who, a_on_left=bool(one.better_on_left[0]))
    assert model.score(one) == pytest.approx(np.log(told))
    stranger = Preferences.from_pairs([(better, worse)], judge=["stranger"], items=range(20))
    assert model.score(stranger) == pytest.approx(np.log(model.win_probability(better, worse)))
    with pytest.raises(InvalidInput, match="at least one comparison that was decided"):
        model.score(Preferences.from_pairs([(0, 1)], tie=[True], items=range(20)))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"prior": 0}, "prior must be a number above 0, got 0: "),
        ({"prior": float("nan")}, "prior must be a number above 0, got nan: "),
        ({"reliability_sd": -1}, "reliability_sd must be a number of at least 0, got -1: "),
        ({"bias_sd": float("inf")}, "bias_sd must be a number of at least 0, got inf: "),
    ],
)
def test_it_refuses_impossible_settings(settings: dict[str, float], message: str) -> None:
    """A prior of 0 and negative or infinite spreads are rejected with a message."""
    with pytest.raises(InvalidInput, match=message):
        CrowdBradleyTerry(**settings).fit(Preferences.from_pairs([(0, 1)]))


def test_it_refuses_more_items_than_it_can_square() -> None:
    """10,001 items are rejected with a message, at once and when they come later."""
    prefs = Preferences.from_pairs([(0, 1)])
    with pytest.raises(InvalidInput, match=r"takes at most 10,000 items, .* got 10,001: use BradleyTerry"):
        CrowdBradleyTerry().fit(Preferences.from_pairs([(0, 1)], items=range(10_001)))
    with pytest.raises(InvalidInput, match="got 10,001"):
        CrowdBradleyTerry().fit(prefs).update(Preferences.from_pairs([(0, 10_000)]))


def test_it_refuses_to_tell_of_judges_before_it_learned() -> None:
    """Asking for judges before fitting says so."""
    for ask in (
        lambda m: m.judges(),
        lambda m: m.covariance(),
        lambda m: m.sample(2),
        lambda m: m.answer_probability(0, 1, "ann"),
    ):
        with pytest.raises(NotFitted, match="must be fitted"):
            ask(CrowdBradleyTerry())
