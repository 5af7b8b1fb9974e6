"""`SparseBelief` beside dense expectation propagation with integrals on a fine grid, and beside the batch models."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_ndtr
from scipy.stats import kendalltau

from penchant import Preferences
from penchant.belief import NormalBelief, difference_variance
from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.online import SparseBelief, _sparse_kernels
from penchant.online.answers import first_tie_share
from penchant.online.likelihood import AnswerLikelihood, quadrature_rules
from penchant.preferences import OUTCOMES
from penchant.worth import BradleyTerry, Thurstone
from penchant.worth.inference.pairs import PairGraph
from penchant.worth.inference.prior import Prior
from penchant.worth.inference.propagation import Bethe, PairLikelihood, propagate, sites_at
from tests.online.simulated import written_out

Answer = tuple[int, int, int, float]

N_ITEMS = 7
LIKELIHOODS = {
    "logistic": AnswerLikelihood.logistic(),
    "logistic with ties": AnswerLikelihood.logistic(-0.4),
    "probit": AnswerLikelihood("probit", 1.0),
    "probit with ties": AnswerLikelihood("probit", 1.0, 0.6),
}
likelihoods = st.sampled_from(list(LIKELIHOODS.values()))


def link_of(likelihood: AnswerLikelihood) -> Any:
    return BradleyTerry._link if likelihood.link == "logistic" else Thurstone._link


@st.composite
def answer_lists(draw: st.DrawFn, most: int = 30) -> list[Answer]:
    """Answers about `N_ITEMS` items, of any outcome and weight."""
    row = st.integers(0, N_ITEMS - 1)
    rows = st.tuples(row, row).filter(lambda pair: pair[0] != pair[1])
    weight = st.sampled_from([1.0, 1.0, 2.0, 0.25])
    answers = draw(st.lists(st.tuples(rows, st.integers(0, 3), weight), max_size=most))
    return [(*pair, outcome, weight) for pair, outcome, weight in answers]


@st.composite
def trees(draw: st.DrawFn) -> list[Answer]:
    """Answers about pairs that form a tree."""
    answers: list[Answer] = []
    for row in range(1, N_ITEMS):
        above = st.just(draw(st.integers(0, row - 1)))
        answer = st.tuples(st.just(row), above, st.integers(0, 1), st.sampled_from([1.0, 2.0]))
        answers += draw(st.lists(answer, min_size=1, max_size=3))
    return answers


def started(likelihood: AnswerLikelihood, precision: float = 0.5, n_items: int = N_ITEMS) -> SparseBelief:
    return SparseBelief([f"i{row}" for row in range(n_items)], likelihood, precision=precision)


def after(belief: SparseBelief, answers: list[Answer]) -> SparseBelief:
    for answer in answers:
        belief.answer(*answer)
    return belief


def log_chance(likelihood: AnswerLikelihood, d: Floats, outcome: int) -> Floats:
    """The logarithm of the probability of one answer, from the link of the batch model."""
    weight = np.zeros((3, 1))
    weight[outcome] = 1.0
    result: Floats = link_of(likelihood).log_likelihood(d, weight, likelihood.tie)
    return result


def dense_propagation(
    likelihood: AnswerLikelihood, answers: list[Answer], precision: float, n_items: int = N_ITEMS
) -> tuple[Floats, Floats]:
    """Return mean and covariance by site-by-site propagation with a dense precision and sums over a fine grid."""
    pairs = sorted({(min(answer[:2]), max(answer[:2])) for answer in answers})
    grid = np.linspace(-9, 9, 601)
    tau, nu = np.zeros((2, len(pairs)))
    toward = np.zeros((len(pairs), n_items))
    for site, (first, second) in enumerate(pairs):
        toward[site, first], toward[site, second] = 1, -1
    for _ in range(25):
        for site, (first, second) in enumerate(pairs):
            covariance = np.linalg.inv(precision * np.eye(n_items) + toward.T @ (tau[:, None] * toward))
            a, mean = toward[site], covariance @ toward.T @ nu
            cavity = 1 / (a @ covariance @ a) - tau[site]
            centre = (a @ mean / (a @ covariance @ a) - nu[site]) / cavity
            d = centre + grid / np.sqrt(cavity)
            density = -(grid**2) / 2
            for one, other, outcome, weight in answers:
                if {one, other} == {first, second}:
                    density = density + weight * log_chance(likelihood, d if one == first else -d, outcome)
            density = np.exp(density - density.max())
            matched = np.average(d, weights=density)
            variance = np.average((d - matched) ** 2, weights=density)
            tau[site], nu[site] = 1 / variance - cavity, matched / variance - cavity * centre
    covariance = np.linalg.inv(precision * np.eye(n_items) + toward.T @ (tau[:, None] * toward))
    return covariance @ toward.T @ nu, covariance


class TestMoments:
    @settings(max_examples=20)
    @given(likelihoods, trees())
    def test_it_is_dense_propagation_where_pairs_form_a_tree(
        self, likelihood: AnswerLikelihood, answers: list[Answer]
    ) -> None:
        """Means, variances and the covariances of compared pairs are those of the dense posterior."""
        belief = after(started(likelihood), answers)
        mean, covariance = dense_propagation(likelihood, answers, 0.5)
        np.testing.assert_allclose(belief.mean, mean, atol=2e-3)
        np.testing.assert_allclose(belief.variance(), covariance.diagonal(), rtol=2e-3)
        for first, second, _, _ in answers:
            assert belief.covariance([first], [second])[0, 0] == pytest.approx(
                covariance[first, second], abs=2e-3
            )

    @pytest.mark.parametrize("name", LIKELIHOODS)
    def test_it_is_the_batch_propagation_on_any_graph(self, name: str) -> None:
        """It settles where the batch algorithm does that takes the graph of pairs for a tree."""
        likelihood, rng = LIKELIHOODS[name], np.random.default_rng(2)
        first, second = np.triu_indices(N_ITEMS, 1)
        totals = rng.integers(0, 3, (len(first), 3)).astype(float)
        totals[:, 2] *= likelihood.tie is not None
        kept = totals.sum(axis=1) > 0
        pairs, totals = np.column_stack([first, second])[kept], totals[kept]
        graph = PairGraph(np.ascontiguousarray(pairs.T, dtype=np.int32), N_ITEMS)
        batch = PairLikelihood(graph, np.ascontiguousarray(totals.T), link_of(likelihood), likelihood.tie)
        found = propagate(
            batch, Prior(0.5, N_ITEMS), *sites_at(batch, np.zeros(N_ITEMS)), Bethe(), tolerance=1e-8
        )
        belief = (
            started(likelihood).begin(pairs, totals, counts=np.zeros(N_ITEMS, dtype=np.int64)).settle(1e-9)
        )
        np.testing.assert_allclose(belief.mean, found.mean, atol=1e-4)
        np.testing.assert_allclose(belief.difference_variance(*pairs.T), found.pair_sd**2, rtol=1e-4)

    @given(likelihoods, answer_lists())
    def test_single_answers_lead_to_the_fixed_point(
        self, likelihood: AnswerLikelihood, answers: list[Answer]
    ) -> None:
        """After answers one at a time, updating all pairs until nothing moves changes little."""
        belief = after(started(likelihood), answers)
        settled = belief.copy().settle(1e-9)
        sd = np.sqrt(settled.variance())
        assert (np.abs(belief.mean - settled.mean) < 0.02 * sd).all()
        np.testing.assert_allclose(belief.variance(), settled.variance(), rtol=0.02)

    def test_the_start_does_not_matter_where_it_ends(self) -> None:
        """Sites and a mean to start from lead to the same posterior as the prior, also with the bar."""
        answers = [(0, 1, 0, 3.0), (1, 2, 1, 2.0), (2, 0, 3, 1.0), (3, 4, 2, 1.0), (0, 4, 0, 1.0)]
        belief = after(started(LIKELIHOODS["logistic with ties"]), answers).settle(1e-10)
        state = belief.state()
        rows = state["pairs"][:, :2].astype(np.int64)
        bar = rows[:, 0] == 0
        pairs = np.where(
            bar[:, None], np.column_stack([rows[:, 1] - 1, np.full(len(rows), N_ITEMS)]), rows - 1
        )
        totals = np.where(bar[:, None], state["sites"][:, [1, 0, 2]], state["sites"][:, :3])
        sites = state["sites"][:, 3:5] * np.column_stack([np.ones(len(rows)), np.where(bar, -1, 1)])
        mean = np.roll(state["mean"], -1)
        again = started(LIKELIHOODS["logistic with ties"])
        begun = again.begin(pairs, totals, counts=belief.counts_, sites=sites, mean=mean)
        np.testing.assert_allclose(begun.mean, belief.mean, atol=1e-5)
        np.testing.assert_allclose(begun.variance(), belief.variance(), rtol=1e-4)
        assert begun.rank().bar == pytest.approx(belief.rank().bar, abs=1e-4)

    @given(likelihoods, answer_lists())
    def test_variances_of_differences_are_those_of_the_covariance(
        self, likelihood: AnswerLikelihood, answers: list[Answer]
    ) -> None:
        """The fast method and the general one from covariances agree, for compared pairs and others."""
        belief = after(started(likelihood), answers)
        first, second = np.triu_indices(N_ITEMS, 1)
        covariance = belief.covariance()
        variance = covariance.diagonal()
        expected = variance[first] + variance[second] - 2 * covariance[first, second]
        np.testing.assert_allclose(difference_variance(belief, first, second), expected, rtol=1e-9)
        np.testing.assert_array_equal(
            belief.difference_variance(first, second), belief.difference_variance(second, first)
        )
        assert (belief.difference_variance([1], [1]) == 0).all()
        assert belief.difference_variance([-1], [0]) == belief.difference_variance([N_ITEMS - 1], [0])
        with pytest.raises(IndexError, match="below 7"):
            belief.difference_variance([N_ITEMS], [0])

    def test_variances_are_those_of_scores_relative_to_their_mean(self) -> None:
        """Under a weak prior the level of all scores varies much, which is no part of the variances."""
        rng, n_items, precision = np.random.default_rng(3), 300, 1e-3
        first = rng.integers(n_items, size=2_000)
        second = (first + rng.integers(1, n_items, size=2_000)) % n_items
        names = [OUTCOMES[code] for code in rng.integers(2, size=2_000)]
        belief = started(LIKELIHOODS["logistic"], precision, n_items)
        belief.learn(
            Preferences.from_answers([f"i{row}" for row in first], [f"i{row}" for row in second], names)
        )
        state = belief.state()
        toward = np.zeros((belief.n_pairs_, n_items))
        for side, sign in ((0, 1.0), (1, -1.0)):
            toward[np.arange(belief.n_pairs_), state["pairs"][:, side] - 1] = sign
        whole = np.linalg.inv(precision * np.eye(n_items) + toward.T @ (state["sites"][:, 3:4] * toward))
        centred = whole - whole.mean(axis=0) - whole.mean(axis=1)[:, None] + whole.mean()
        assert np.median(whole.diagonal()) > 4 * np.median(centred.diagonal())
        np.testing.assert_allclose(np.sqrt(belief.variance()), np.sqrt(centred.diagonal()), rtol=0.02)
        assert belief.mean.sum() == pytest.approx(0, abs=1e-9)

    def test_the_arrays_for_compiled_code_are_the_moments(self) -> None:
        """They are views: an answer changes them, while ``mean`` is a copy that stays."""
        belief = started(LIKELIHOODS["logistic"])
        mean, variance, covariance = belief.chooser_arrays()
        before = belief.mean
        belief.answer(0, 1, 0)
        assert covariance is None
        np.testing.assert_allclose(mean - mean.mean(), belief.mean)
        np.testing.assert_array_equal(variance, belief.variance())
        assert not before.any()
        assert belief.moments_arrays()[0].base is mean.base


class TestProbabilities:
    @given(likelihoods, st.floats(-60, 60), st.integers(0, 2))
    def test_the_compiled_likelihood_is_that_of_the_models(
        self, likelihood: AnswerLikelihood, d: float, outcome: int
    ) -> None:
        """The logarithm of the probability of an outcome is that of the batch model's link, also in the tails."""
        if outcome == 2 and likelihood.tie is None:
            outcome = 0
        weights = [0.0, 0.0, 0.0]
        weights[outcome] = 1.0
        found = _sparse_kernels.log_likelihood(likelihood.for_kernels, d, *weights)
        expected = log_chance(likelihood, np.array([d]), outcome)[0]
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)

    @pytest.mark.parametrize("x", [-1e3, -36.0, -35.0, -34.9, -5.0, 0.0, 1.0, 9.0])
    def test_the_logarithm_of_the_normal_distribution_is_accurate(self, x: float) -> None:
        """It agrees with SciPy's where Φ underflows, and at the border of the two formulas."""
        assert _sparse_kernels.log_normal_share(x) == pytest.approx(float(log_ndtr(x)), rel=1e-9)

    @given(likelihoods, answer_lists(10), st.integers(0, 2))
    def test_an_answer_returns_its_log_probability_before(
        self, likelihood: AnswerLikelihood, answers: list[Answer], outcome: int
    ) -> None:
        """It is that of `outcome_probabilities`, which sum to 1 and turn around with the two items."""
        belief = after(started(likelihood), answers)
        chances = belief.outcome_probabilities(2, 5)
        assert chances.sum() == pytest.approx(1)
        assert (chances >= 0).all()
        np.testing.assert_allclose(belief.outcome_probabilities(5, 2), chances[[1, 0, 2]], rtol=1e-9)
        # The quadrature of each outcome by itself adds up to 1 only up to its error.
        assert belief.answer(2, 5, outcome) == pytest.approx(np.log(chances[outcome]), abs=2e-3)

    def test_probabilities_are_integrals_over_the_posterior(self) -> None:
        """They are the mean of the likelihood under the normal posterior of the difference."""
        likelihood = LIKELIHOODS["probit with ties"]
        belief = after(started(likelihood), [(0, 1, 0, 2.0), (1, 2, 0, 1.0)])
        sd = np.sqrt(belief.difference_variance([0], [2])[0])
        z = np.linspace(-9, 9, 3001)
        d = belief.mean[0] - belief.mean[2] + sd * z
        expected = [
            np.average(np.exp(log_chance(likelihood, d, outcome)), weights=np.exp(-(z**2) / 2))
            for outcome in range(3)
        ]
        np.testing.assert_allclose(belief.outcome_probabilities(0, 2), expected, atol=1e-6)

    def test_a_both_bad_answer_is_two_comparisons_with_the_bar(self) -> None:
        """Its probability is the product of both, the second after the first; the items fall and the bar rises."""
        belief = started(LIKELIHOODS["logistic"])
        logarithm = belief.answer(3, 4, OUTCOMES.index("both_bad"))
        assert np.log(0.25) < logarithm < np.log(0.5)  # one item below the bar makes the other likelier to be
        assert (belief.mean[[3, 4]] < 0).all()
        assert belief.rank().bar > 0
        assert belief.counts_.tolist() == [0, 0, 0, 1, 1, 0, 0]
        assert started(LIKELIHOODS["logistic"]).rank().bar is None

    def test_the_first_tie_sets_the_tie_parameter(self) -> None:
        """Before it a tie has the probability of half a tie in ten answers more; then that of the share of ties."""
        belief = after(started(LIKELIHOODS["logistic"]), [(0, 1, 0, 1.0)] * 9)
        assert belief.outcome_probabilities(0, 1)[2] == pytest.approx(0.5 / 19)
        assert belief.tie_ is None
        assert belief.answer(0, 2, 2) == pytest.approx(np.log(0.5 / 19))
        assert belief.tie_ == LIKELIHOODS["logistic"].with_first_tie(9, 1).tie
        assert belief.outcome_probabilities(0, 1)[2] > 0

    def test_a_weight_counts_repetitions(self) -> None:
        """An answer of weight 3 leads to the same posterior as three answers, and heavy weights stay finite."""
        heavy = after(started(LIKELIHOODS["probit"]), [(0, 1, 0, 3.0)])
        single = after(started(LIKELIHOODS["probit"]), [(0, 1, 0, 1.0)] * 3)
        np.testing.assert_allclose(heavy.mean, single.mean, atol=1e-3)
        assert heavy.counts_.tolist() == single.counts_.tolist()
        huge = after(started(LIKELIHOODS["probit"]), [(0, 1, 0, 1e6), (1, 0, 0, 1e6), (1, 2, 1, 1e6)])
        assert np.isfinite(huge.mean).all()
        assert huge.mean[0] == pytest.approx(huge.mean[1], abs=1e-3)
        assert (huge.variance() > 0).all()


class TestContributions:
    @given(likelihoods, answer_lists(), st.booleans())
    def test_they_add_up_to_the_difference(
        self, likelihood: AnswerLikelihood, answers: list[Answer], settled: bool
    ) -> None:
        """They do whether or not all messages have been passed on; each pair is there once, and was compared."""
        belief = after(started(likelihood), answers)
        if settled:
            belief.settle(1e-9)
        found = belief.contributions(2, 5)
        assert sum(weight for _, _, weight in found) == pytest.approx(
            belief.mean[2] - belief.mean[5], abs=1e-9
        )
        pairs = [(first, second) for first, second, _ in found]
        assert len(pairs) == len(set(pairs)) <= belief.n_pairs_
        assert all(first >= 0 and second >= -1 for first, second in pairs)

    @given(likelihoods, answer_lists())
    def test_they_are_those_of_the_written_out_posterior(
        self, likelihood: AnswerLikelihood, answers: list[Answer]
    ) -> None:
        """Once all messages have been passed on, they are ν (e_i − e_j)ᵀ Σ (e_a − e_b) with Σ by inversion."""
        belief = after(started(likelihood), answers).settle(1e-12)
        graph, n_pairs = belief._graph, belief.n_pairs_
        pairs, tau, nu = graph.pairs[:n_pairs, :2] - 1, *graph.sites[:n_pairs, 3:5].T
        precision = np.diag(np.roll(graph.prior, -1))  # the bar last, as −1 has it
        expected = written_out(pairs, tau, nu, precision, 2, 5)
        found = {tuple(sorted(pair)): weight for *pair, weight in belief.contributions(2, 5)}
        for pair, weight in expected.items():
            assert found.get(pair, 0.0) == pytest.approx(weight, abs=1e-6)

    def test_a_win_contributes_for_the_winner(self) -> None:
        """A decided pair contributes with the sign of its outcome, as far as it is connected with the two items."""
        belief = after(started(LIKELIHOODS["logistic"]), [(0, 1, 0, 1.0), (1, 2, 0, 1.0), (4, 3, 0, 1.0)])
        found = {(first, second): weight for first, second, weight in belief.contributions(0, 2)}
        assert found[0, 1] > 0
        assert found[1, 2] > 0
        assert set(found) == {(0, 1), (1, 2)}
        belief.answer(3, 1, 3)
        below = {(first, second): weight for first, second, weight in belief.contributions(3, 0)}
        assert below[3, -1] < 0


class TestDeterminism:
    @given(likelihoods, answer_lists(), answer_lists(10))
    def test_a_copy_and_a_stored_state_continue_to_the_same_bits(
        self, likelihood: AnswerLikelihood, answers: list[Answer], more: list[Answer]
    ) -> None:
        """After the same further answers all have the same state, and none changes the others."""
        belief = after(started(likelihood), answers)
        stored = belief.state()
        copied, restored = belief.copy(), SparseBelief.from_state(through_json(stored))
        assert_same_state(belief.state(), stored)
        for one in (copied, restored, belief):
            after(one, more)
        assert_same_state(copied.state(), belief.state())
        assert_same_state(restored.state(), belief.state())
        again = after(after(started(likelihood), answers), more)
        assert_same_state(again.state(), belief.state())

    @given(likelihoods, answer_lists(), answer_lists(10))
    def test_items_may_come_later(
        self, likelihood: AnswerLikelihood, answers: list[Answer], more: list[Answer]
    ) -> None:
        """A belief with items added is the belief that had them from the start, to the last bit."""
        few = after(started(likelihood), answers).with_items(["x", "y"])
        many = after(
            SparseBelief([f"i{row}" for row in range(N_ITEMS)] + ["x", "y"], likelihood, precision=0.5),
            answers,
        )
        assert few.items_ == many.items_
        for belief in (few, many):
            after(belief, [*more, (N_ITEMS, 0, 0, 1.0), (N_ITEMS + 1, N_ITEMS, 3, 1.0)])
        assert_same_state(few.state(), many.state())

    @given(likelihoods, answer_lists())
    def test_the_side_does_not_matter(self, likelihood: AnswerLikelihood, answers: list[Answer]) -> None:
        """An answer with its two items swapped leads to the same bits."""
        swapped = [
            (b, a, 1 - outcome if outcome < 2 else outcome, w) for a, b, outcome, w in answers if outcome < 3
        ]
        kept = [answer for answer in answers if answer[2] < 3]
        assert_same_state(
            after(started(likelihood), swapped).state(), after(started(likelihood), kept).state()
        )


def through_json(state: dict[str, Any]) -> dict[str, Any]:
    """Return a state whose values other than arrays were written as JSON and read again."""
    plain = {name: value for name, value in state.items() if not isinstance(value, np.ndarray)}
    arrays = {name: value.copy() for name, value in state.items() if isinstance(value, np.ndarray)}
    return json.loads(json.dumps(plain)) | arrays


def assert_same_state(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Assert that two states hold the same values, arrays to the last bit."""
    assert one.keys() == other.keys()
    for name, value in one.items():
        if isinstance(value, np.ndarray):
            assert value.dtype == other[name].dtype, name
            assert value.tobytes() == other[name].tobytes(), name
        else:
            assert value == other[name], name


class TestGraph:
    @given(answer_lists(60))
    def test_pairs_and_lists_are_those_of_a_plain_dictionary(self, answers: list[Answer]) -> None:
        """Totals are found again by the table, and each row's list holds its pairs; memory is for pairs alone."""
        belief = after(started(LIKELIHOODS["logistic with ties"]), answers)
        totals: dict[tuple[int, int], list[float]] = {}
        for first, second, outcome, weight in answers:
            stated = [(first, second, outcome)]
            if outcome == 3:
                stated = [(-1, first, 0), (-1, second, 0)]
            for one, other, result in stated:
                entry = totals.setdefault((min(one, other), max(one, other)), [0.0, 0.0, 0.0])
                entry[1 - result if result < 2 and one > other else result] += weight
        graph = belief._graph
        assert belief.n_pairs_ == len(totals)
        for (low, high), expected in totals.items():
            pair = _sparse_kernels.find(graph, low + 1, high + 1)
            assert graph.sites[pair, :3].tolist() == expected
        assert _sparse_kernels.find(graph, 1, 1) == -1
        for row in range(N_ITEMS + 1):
            opponents = {sum(pair) - row + 1 for pair in totals if row - 1 in pair}
            entry, others = graph.head[row], []
            while entry >= 0:
                others.append(int(graph.pairs[entry >> 1, 1 - (entry & 1)]))
                entry = graph.pairs[entry >> 1, _sparse_kernels.NEXT + (entry & 1)]
            assert len(others) == graph.degree[row]
            assert sorted(other - 1 for other in others) == sorted(opponents)

    @given(answer_lists(60))
    def test_the_rows_that_moved_most_come_first(self, answers: list[Answer]) -> None:
        """The heap is in order, knows the place of each row, and marginals are the prior times all messages."""
        belief = after(started(LIKELIHOODS["logistic"]), answers)
        graph, n_pairs = belief._graph, belief.n_pairs_
        size = int(graph.sizes[1])
        moved = graph.moved[graph.heap[:size]]
        for place in range(1, size):
            assert moved[place] <= moved[(place - 1) // 2]
        inside = np.flatnonzero(graph.place >= 0)
        assert sorted(graph.heap[:size]) == inside.tolist()
        assert (graph.heap[graph.place[inside]] == inside).all()
        precision, shift = graph.prior.copy(), np.zeros(N_ITEMS + 1)
        for side in range(2):
            np.add.at(precision, graph.pairs[:n_pairs, side], graph.sites[:n_pairs, 5 + 2 * side])
            np.add.at(shift, graph.pairs[:n_pairs, side], graph.sites[:n_pairs, 6 + 2 * side])
        np.testing.assert_allclose(graph.precision, precision, rtol=1e-9)
        np.testing.assert_allclose(graph.shift, shift, atol=1e-9)
        np.testing.assert_allclose(graph.mean, shift / precision, atol=1e-9)
        np.testing.assert_allclose(graph.variance, 1 / precision, rtol=1e-9)

    def test_an_item_with_many_pairs_costs_no_more(self) -> None:
        """The updates after an answer are bounded, and take turns with the pairs of an item that has very many."""
        n_items = 1_000
        belief = started(LIKELIHOODS["logistic"], n_items=n_items)
        for row in range(1, n_items):
            belief.answer(0, row, row % 2)
        graph, like = belief._graph, LIKELIHOODS["logistic"].for_kernels
        seen = set()
        for _ in range(40):
            graph.moved[1] = 1e3
            _sparse_kernels.rise(graph, 1)
            updated = _sparse_kernels.pass_on(graph, like, quadrature_rules(), 1)
            assert updated == _sparse_kernels.MOST_PAIRS
            seen.add(int(graph.cursor[1]))
        assert len(seen) > 10
        settled = belief.copy().settle(1e-9)
        assert np.abs((belief.mean - settled.mean) / np.sqrt(settled.variance())).max() < 0.05

    def test_items_without_a_name_or_answer_are_rejected(self) -> None:
        """Errors name the argument and what is allowed."""
        belief = started(LIKELIHOODS["logistic"])
        with pytest.raises(InvalidInput, match="two different rows from 0 to 6"):
            belief.answer(1, 1, 0)
        with pytest.raises(InvalidInput, match="rows from 0 to 6, got -1"):
            belief.answer(-1, 1, 0)
        with pytest.raises(InvalidInput, match="outcome must be 0, 1, 2 or 3"):
            belief.answer(0, 1, 4)
        for weight in (0.0, -1.0, np.nan, np.inf):
            with pytest.raises(InvalidInput, match="weight must be a number above 0"):
                belief.answer(0, 1, 0, weight)
        with pytest.raises(InvalidInput, match="precision must be a number above 0"):
            started(LIKELIHOODS["logistic"], 0.0)
        assert belief.n_pairs_ == 0
        assert not belief.counts_.any()


class TestLearning:
    @pytest.mark.parametrize("n_answers", [6, 300])
    def test_preferences_are_learned_one_by_one_or_at_once(self, n_answers: int) -> None:
        """Few and many preferences lead to the posterior of the single answers; both count."""
        rng = np.random.default_rng(0)
        first = rng.integers(N_ITEMS, size=n_answers)
        second = (first + rng.integers(1, N_ITEMS, size=n_answers)) % N_ITEMS
        outcome = rng.integers(4, size=n_answers)
        before = [(0, 1, 2, 1.0), (1, 2, 0, 1.0), *((i, j, 0, 1.0) for i in range(N_ITEMS) for j in range(i))]
        belief = after(started(LIKELIHOODS["probit"]), before)
        columns = first.tolist(), second.tolist(), outcome.tolist(), [1.0] * n_answers
        single = after(belief.copy(), list(zip(*columns, strict=True)))
        preferences = Preferences.from_answers(
            [f"i{row}" for row in first], [f"i{row}" for row in second], [OUTCOMES[code] for code in outcome]
        )
        learned = belief.learn(preferences)
        np.testing.assert_allclose(learned.mean, single.copy().settle(1e-6).mean, atol=0.02)
        assert learned.counts_.tolist() == single.counts_.tolist()
        assert learned.n_pairs_ == single.n_pairs_

    def test_new_items_are_added(self) -> None:
        """Preferences about an item that the belief does not have add it, with the prior."""
        belief = after(started(LIKELIHOODS["probit"]), [(0, 1, 0, 1.0)] * 3)
        belief.learn(Preferences.from_pairs([("i0", "new"), ("newer", "i0")]))
        assert belief.items_[N_ITEMS:] == ("new", "newer")
        assert belief.mean[N_ITEMS] < belief.mean[0] < belief.mean[N_ITEMS + 1]
        assert belief.counts_.tolist() == [5, 3, 0, 0, 0, 0, 0, 1, 1]

    def test_groups_that_were_never_compared_are_named(self) -> None:
        """The ranking has a caveat until one comparison connects them."""
        belief = after(started(LIKELIHOODS["probit"]), [(0, 1, 0, 1.0), (2, 3, 3, 1.0)])
        (caveat,) = belief.rank().caveats
        assert "2 groups" in caveat
        belief.answer(1, 2, 0)
        assert belief.rank().caveats == ()

    def test_a_tie_among_many_sets_the_tie_parameter(self) -> None:
        """Learned at once, ties have the share that they have among all answers."""
        rows = [f"i{row % N_ITEMS}" for row in range(40)], [f"i{(row + 1) % N_ITEMS}" for row in range(40)]
        belief = started(LIKELIHOODS["logistic"])
        belief.learn(Preferences.from_answers(*rows, ["left", "right", "tie", "left"] * 10))
        assert belief.tie_ == LIKELIHOODS["logistic"].with_first_tie(30, 10).tie


MANY, BEGUN, ALL = 2_500, 10_000, 12_000


@cache
def many_answers() -> tuple[Floats, Ints, Ints, Ints]:
    """Scores drawn from a prior of sd 1.5, and answers about random pairs: first, second, outcome."""
    rng = np.random.default_rng(7)
    scores = 1.5 * rng.standard_normal(MANY)
    first = rng.integers(MANY, size=ALL)
    second = (first + rng.integers(1, MANY, size=ALL)) % MANY
    lost = rng.random(ALL) > 1 / (1 + np.exp(scores[second] - scores[first]))
    return scores, first, second, lost.astype(np.int64)


def many_preferences(stop: int) -> Preferences:
    _, first, second, outcome = many_answers()
    names = [OUTCOMES[code] for code in outcome[:stop]]
    return Preferences.from_answers(first[:stop], second[:stop], names, items=range(MANY))


class TestManyItems:
    """A model of more items than a dense covariance has room for."""

    def test_it_starts_at_the_batch_fit_and_stays_near_it(self) -> None:
        """The start has the means of the batch propagation; later answers, one at a time, leave it near the next."""
        _, first, second, outcome = many_answers()
        belief = BradleyTerry().live(many_preferences(BEGUN))
        assert isinstance(belief, SparseBelief)
        fitted = BradleyTerry()
        fitted._begin(many_preferences(BEGUN))
        np.testing.assert_allclose(belief.mean, fitted._learned_scale().middle.mean, atol=5e-3)
        for row in range(BEGUN, ALL):
            belief.answer(int(first[row]), int(second[row]), int(outcome[row]))
        later = BradleyTerry().live(many_preferences(ALL))
        assert kendalltau(belief.mean, later.mean)[0] > 0.995
        np.testing.assert_allclose(np.sqrt(belief.variance()), np.sqrt(later.variance()), rtol=0.03)
        assert belief.counts_.tolist() == later.counts_.tolist()

    def test_intervals_hold_as_often_as_they_say(self) -> None:
        """Of scores drawn from the prior, about 95 in 100 lie in their 95 % intervals."""
        belief = BradleyTerry().live(many_preferences(ALL))
        ranking = belief.rank()
        scores = many_answers()[0][[int(item) for item in ranking.items]]
        inside = (ranking.lower <= scores) & (scores <= ranking.upper)
        assert 0.93 < inside.mean() < 0.97
        assert (ranking.rank_low <= ranking.ranks).all()

    def test_any_prior_and_link_start_it(self) -> None:
        """A given prior, the probit link, no answers at all and both-bad answers start it too."""
        few = many_preferences(400)
        given = Thurstone(0.4).live(few)
        assert isinstance(given, SparseBelief)
        assert given.noise_ == 1
        assert given.variance().max() == pytest.approx(2.5)
        nothing = BradleyTerry().live(few[:0])
        assert not nothing.mean.any()
        assert nothing.answer(0, 1, 0) == pytest.approx(np.log((1 - first_tie_share(0)) / 2))
        bad = Preferences.from_answers(
            [0, 1, 2, 3], [1, 2, 3, 4], ["left", "tie", "both_bad", "right"], items=range(MANY)
        )
        barred = BradleyTerry(0.3).live(bad)
        assert barred.rank().bar > 0
        assert (barred.mean[[2, 3]] < 0).all()
        assert barred.answer(0, 1, 3) < 0


def test_it_draws_from_the_marginals() -> None:
    """Draws are independent, with the marginals' means and variances."""
    belief = after(started(LIKELIHOODS["logistic"]), [(0, 1, 0, 1.0)] * 20)
    drawn = belief.sample(4000, 3)
    assert isinstance(belief, NormalBelief)
    assert np.abs(drawn.mean(axis=0) - belief.mean).max() < 0.1
    np.testing.assert_allclose(drawn.var(axis=0), belief.variance(), rtol=0.1)
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.1
    assert repr(belief).startswith("SparseBelief of 7 items, 1 pairs")
