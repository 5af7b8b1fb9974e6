"""The belief over many items is expectation propagation with a dense covariance, answer by answer."""

from __future__ import annotations

import numpy as np
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput, UnknownItem
from penchant.gp.inference.answers import Answers
from penchant.gp.linked.field_belief import FieldBelief
from penchant.preferences import OUTCOMES
from tests.gp.linked.many import KINDS, SETTINGS, N, answers, covariance, exact, field_prior

ITEMS = [f"item {row}" for row in range(N)]


def belief(kind: str, given: Answers | None = None) -> FieldBelief:
    return FieldBelief(ITEMS, field_prior(kind), given, threshold=SETTINGS.threshold)


def learn(made: FieldBelief, given: Answers) -> FieldBelief:
    """Learn answers between items one by one."""
    for (better, worse), weight, tie in zip(given.pairs.tolist(), given.weight, given.tie, strict=True):
        made.answer(better, worse, OUTCOMES.index("tie" if tie else "left"), float(weight))
    return made


def revisit(made: FieldBelief) -> None:
    """Match the site that moved most again."""
    for place in made._to_revisit(0, 0)[:1]:
        direction = made._directions(*made._ends[place].tolist())[0][1]
        count, tau, nu = made._site_values[place]
        made._match(place, direction, count, max(count, 1) * tau, max(count, 1) * nu, [])


@pytest.mark.parametrize("kind", KINDS)
def test_directions_follow_the_belief(kind: str) -> None:
    """Those of sites to revisit, computed before an answer, are after it those that are computed anew."""
    made = learn(belief(kind), answers(40, bar=False))
    (_, direction), *others = made._directions(3, 17)
    assert len(others) == 2
    made._learn(direction, tie=False, weight=1.0, others=others)
    for place, other in others:
        assert other[:2] == tuple(made._ends[place])
        fresh = made._directions(*other[:2])[0][1]
        np.testing.assert_allclose(other.part, fresh.part, atol=1e-5)
        np.testing.assert_allclose(other.along, fresh.along, atol=1e-5)
        np.testing.assert_allclose(other.apart, fresh.apart, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_one_by_one_come_to_full_propagation(kind: str) -> None:
    """After 120 answers means are within 0.1 sd of full propagation; once all sites are revisited, within 1e-4."""
    given = answers(bar=False)
    mean, dense = exact(field_prior(kind), given)
    made, sd = learn(belief(kind), given), np.sqrt(dense.diagonal())
    assert np.abs((made._mean - mean) / sd).max() < 0.1
    for _ in range(10 * made._n_sites):
        revisit(made)
    assert np.abs((made._mean - mean) / sd).max() < 1e-4
    np.testing.assert_allclose(made.covariance(), dense[:N, :N], atol=1e-4)
    estimated = 1e-4 if kind in ("features", "neither") else 0.1  # prior variances of links are estimated
    np.testing.assert_allclose(made.variance(), dense.diagonal()[:N], rtol=estimated)


@pytest.mark.parametrize("kind", KINDS)
def test_each_answer_moves_the_covariance_by_one_rank(kind: str) -> None:
    """K_t falls by τ/(1 + τv) kkᵀ: what is updated along the direction is what the dense equations give."""
    made = belief(kind, answers(60))
    before, variance = made.covariance(), made.variance()
    direction = made._directions(3, 17)[0][1]
    k = before[:, 3] - before[:, 17]
    np.testing.assert_allclose(direction.along[:N], k, atol=1e-6)
    place = made._placed(3, 17, False, direction.variance)
    made._match(place, direction, 1.0, 0.0, 0.0, [])
    tau = made._site_values[place, 1]
    shrink = tau / (1 + tau * direction.variance)
    np.testing.assert_allclose(made.covariance(), before - shrink * np.outer(k, k), atol=1e-6)
    np.testing.assert_allclose(made.variance(), variance - shrink * k**2, atol=1e-6)
    centred = k - k.mean()
    fresh = belief(kind, answers(60))
    np.testing.assert_allclose(
        made.chooser_arrays()[1], fresh.chooser_arrays()[1] - shrink * centred**2, atol=1e-6
    )


@pytest.mark.parametrize("kind", KINDS)
def test_variances_of_differences_are_not_too_small(kind: str) -> None:
    """Of pairs that are neither linked nor compared they are at least the exact ones, of the others close to them."""
    made = belief(kind, answers())
    dense = made.covariance()
    first, second = np.triu_indices(N, 1)
    own = dense.diagonal()
    differences = own[first] + own[second] - 2 * dense[first, second]
    found = made.difference_variance(first, second) / differences
    known = np.array([(i, j) in made._edge for i, j in zip(first.tolist(), second.tolist(), strict=True)])
    assert found[~known].min() > 0.93  # but for the error of estimated variances
    assert np.abs(found[known] - 1).mean() < 0.05


def test_the_log_probability_is_that_of_the_outcome() -> None:
    """`answer` returns the probability before; the outcomes add up to 1; a tie is possible before the first."""
    given = answers(60)
    made = FieldBelief(ITEMS, field_prior("both"), given[~given.tie])
    assert 0 < made.outcome_probabilities(2, 5)[2] <= 0.05
    made.answer(2, 5, OUTCOMES.index("tie"))
    for outcome in (0, 1, 2):
        chances = made.outcome_probabilities(4, 9)
        assert chances.sum() == pytest.approx(1)
        assert made.answer(4, 9, outcome) == pytest.approx(np.log(chances[outcome]))
    swapped = made.outcome_probabilities(9, 4)
    np.testing.assert_allclose(swapped[[1, 0, 2]], made.outcome_probabilities(4, 9), atol=1e-9)


def test_both_bad_lowers_both() -> None:
    """Two items that lose to the bar fall, and the bar has no row."""
    made = belief("both")
    before = made.mean
    assert made.answer(2, 5, OUTCOMES.index("both_bad")) < 0
    assert (made.mean < before)[[2, 5]].all()
    assert len(made.mean) == N == len(made.counts_)
    assert made.counts_[[2, 5, 7]].tolist() == [1, 1, 0]
    assert {row for first, second, _ in made.contributions(2, 5) for row in (first, second)} == {-1, 2, 5}


@pytest.mark.parametrize("kind", KINDS)
def test_contributions_and_explanations_add_up(kind: str) -> None:
    """Both are the difference of two means to 1e-9, and weights are those of the posterior that is written out."""
    made = learn(belief(kind, answers()), answers(30, seed=4, bar=False))
    made.answer(0, 1, OUTCOMES.index("both_bad"))
    for a, b in [(0, 1), (7, 22), (30, 5)]:
        difference = made.mean[a] - made.mean[b]
        contributions = made.contributions(a, b)
        assert sum(weight for *_, weight in contributions) == pytest.approx(difference, abs=1e-9)
        assert len({pair[:2] for pair in contributions}) == len(contributions)
        found = made.explain(a, b)
        total = sum(part[-1] for parts in found for part in parts)
        assert total == pytest.approx(difference, abs=1e-9)
    sites, K = made._pair_sites(), covariance(made._prior)
    contrasts = np.eye(N + 1)[sites.first] - np.eye(N + 1)[sites.second]
    precision = contrasts.T @ (sites.tau[:, None] * contrasts)
    along, own = np.zeros((2, N + 1))
    along[[0, 1]], own[[0, 1]] = (1.0, -1.0), made._prior.own_variance((0, 1)) * (1.0, -1.0)
    pull = sites.gradient + sites.tau * (contrasts @ made._mean)
    of_pair = dict[tuple[int, int], float]()
    of_own = of_pair.copy()
    solved = np.linalg.solve(np.eye(N + 1) + K @ precision, K @ along)
    left = own - np.linalg.solve(np.eye(N + 1) + K @ precision, K @ precision @ own)
    for first, second, nu, contrast in zip(sites.first, sites.second, pull, contrasts, strict=True):
        low, high = sorted((int(first), int(second)))
        pair = low, high if high < N else -1
        of_pair[pair] = of_pair.get(pair, 0.0) + nu * (contrast @ solved)
        of_own[pair] = of_own.get(pair, 0.0) + nu * (contrast @ left)
    for found, expected in ((made.contributions(0, 1), of_pair), (made.explain(0, 1).answers, of_own)):
        weights = {(first, second): weight for first, second, weight in found}
        for pair, weight in expected.items():
            assert weights.get(pair, 0.0) == pytest.approx(weight, abs=1e-4)


def test_a_copy_and_a_state_continue_to_the_same_bits() -> None:
    """The same answers give the same bytes, and the original stays as it was."""
    made = belief("both", answers(60))
    before = made.mean
    copies = [made.copy(), FieldBelief.from_state(made.state())]
    for other in copies:
        for outcome in (0, 1, 2, 3, 0):
            other.answer(3, 8, outcome)
    assert (made.mean == before).all()
    states = [other.state() for other in copies]
    for name in ("mean", "variance", "shared", "site_values", "edge_variance", "centred"):
        assert states[0][name].tobytes() == states[1][name].tobytes()
    assert copies[0].n_bytes > 0
    assert copies[0].with_items(["new"]) is None


def test_preferences_are_learned_by_id() -> None:
    """`learn` is `answer` for each row; both-bad answers count once for each item; unknown items are an error."""
    rows = (["item 3", "item 9", "item 1"], ["item 4", "item 3", "item 2"], ["left", "tie", "both_bad"])
    learned = belief("both").learn(Preferences.from_answers(*rows))
    answered = belief("both")
    for first, second, outcome in zip(*rows, strict=True):
        answered.answer(int(first[5:]), int(second[5:]), OUTCOMES.index(outcome))
    np.testing.assert_allclose(learned.mean, answered.mean, atol=1e-3)
    assert learned.counts_.tolist() == answered.counts_.tolist()
    with pytest.raises(UnknownItem, match="nobody"):
        learned.learn(Preferences.from_pairs([("nobody", "item 1")]))


def test_draws_have_the_moments() -> None:
    """Each item has its mean and variance in the draws, and items with near features move together."""
    made = belief("features", answers())
    drawn = made.sample(20_000, seed=1)
    np.testing.assert_allclose(drawn.mean(axis=0), made.mean, atol=0.05)
    np.testing.assert_allclose(drawn.var(axis=0), made.variance(), rtol=0.1)
    assert (made.sample(5, seed=1, rows=[3, 7]).shape) == (5, 2)
    assert made.rank().items[0] == ITEMS[int(np.argmax(made.mean))]


def test_what_cannot_be_learned_is_an_error() -> None:
    """Rows, weights and outcomes are checked, and a covariance of too many rows is not computed."""
    made = belief("neither")
    for arguments in ((0, 0, 0), (0, N, 0), (-1, 2, 0), (0, 1, 4), (0, 1, 0, 0.0), (0, 1, 0, np.inf)):
        with pytest.raises(InvalidInput):
            made.answer(*arguments)
    many = np.zeros(2001, dtype=int)
    with pytest.raises(InvalidInput, match="2,000"):
        made.covariance(many, many)
    assert repr(made) == "LinkedGP on 40 items"


@pytest.mark.parametrize("kind", KINDS)
def test_the_rough_covariance_has_the_variances_of_items_and_of_differences(kind: str) -> None:
    """What questions are chosen by agrees with `variance` and `difference_variance`, and is symmetric."""
    made = belief(kind, answers(60))
    rows = np.array([3, 17, 5, 8])
    rough = made.rough_covariance(rows)
    np.testing.assert_allclose(rough.diagonal(), made.variance(rows))
    np.testing.assert_array_equal(rough, rough.T)
    first, second = np.triu_indices(len(rows), k=1)
    apart = rough.diagonal()[first] + rough.diagonal()[second] - 2 * rough[first, second]
    np.testing.assert_allclose(apart, made.difference_variance(rows[first], rows[second]))
