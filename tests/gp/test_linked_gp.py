"""The linked process learns as the paper's equations say, also where no matrix is written out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import ndtr, ndtri

import penchant
from penchant import Preferences
from penchant.belief import PROBIT_NOISE, OnlineBelief
from penchant.errors import InvalidInput, UnknownItem
from penchant.gp import LinkedGP
from penchant.gp.linked import graph_prior
from penchant.gp.linked.item_prior import ItemPrior
from penchant.gp.linked_gp import learned_from
from tests.gp.linked.reference import (
    DenseBelief,
    N,
    answers,
    feature_covariance,
    graph_covariance,
    random_graph,
)


def dense_after(covariance: np.ndarray, pairs: np.ndarray) -> DenseBelief:
    belief = DenseBelief(covariance)
    for better, worse in pairs:
        belief.learn(better, worse)
    return belief


def assert_same(model: LinkedGP, dense: DenseBelief, tolerance: float = 1e-8) -> None:
    np.testing.assert_allclose(model.mean, dense.mean, atol=tolerance)
    np.testing.assert_allclose(model.covariance(), dense.covariance, atol=tolerance)
    np.testing.assert_allclose(model.variance(), dense.covariance.diagonal(), atol=tolerance)


@pytest.mark.parametrize("part", ["features", "links", "both", "nothing", "covariance"])
def test_500_answers_equal_the_dense_equations(known: dict[str, np.ndarray], part: str) -> None:
    """Mean and covariance after 500 answers are those of eq. 22 and 24 with matrices written out, to 1e-8."""
    on_features = feature_covariance(known["features"], 1.5, 2.0)
    on_links = graph_covariance(known["links"], 0.7, 1.3)
    model = LinkedGP(scale=1.5, lengthscale=2.0, beta=0.7, iota=1.3, mix=(0.8, 1.2), nugget=0.1)
    prior = {
        "features": 0.64 * on_features,
        "links": 1.44 * on_links,
        "both": 0.64 * on_features + 1.44 * on_links,
        "nothing": 2.25 * np.eye(N),
        "covariance": on_links,
    }[part] + 0.1 * np.eye(N)
    given_ = {
        "features": {"features": known["features"]},
        "links": {"links": sparse.csr_array(known["links"])},
        "both": known,
        "nothing": {"n_items": N},
        "covariance": {"covariance": on_links},
    }[part]
    pairs = answers(N, 500, seed=1)
    model.fit(**given_).update(*pairs.T)
    assert_same(model, dense_after(prior, pairs))
    assert model.lost_ < 1e-9


def test_a_large_graph_is_solved_not_inverted(
    known: dict[str, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above the size at which a graph is written out, rows by conjugate gradients give the same belief."""
    pairs = answers(N, 60, seed=2)
    dense = dense_after(graph_covariance(known["links"], 1.0, 1.0), pairs)
    monkeypatch.setattr(graph_prior, "WRITTEN_OUT", 10)
    model = LinkedGP().fit(links=known["links"]).update(*pairs.T)
    np.testing.assert_allclose(model.mean, dense.mean, atol=1e-8)
    rows = np.array([0, 5, 7])
    np.testing.assert_allclose(model.covariance(rows), dense.covariance[rows], atol=1e-8)
    np.testing.assert_allclose(model.variance(rows), dense.covariance.diagonal()[rows], atol=1e-8)
    lower, upper = model.variance_bounds()
    assert (lower <= dense.covariance.diagonal() + 1e-9).all()
    assert (dense.covariance.diagonal() <= upper + 1e-9).all()
    with pytest.raises(InvalidInput, match="one solve each"):
        model.variance()


def textbook_ep(
    covariance: np.ndarray, pairs: np.ndarray, sweeps: int = 200
) -> tuple[np.ndarray, np.ndarray]:
    """Sequential EP, one site an answer, with matrices written out."""
    n, m = len(covariance), len(pairs)
    tau, nu = np.zeros(m), np.zeros(m)
    directions = np.zeros((m, n))
    directions[np.arange(m), pairs[:, 0]] = 1
    directions[np.arange(m), pairs[:, 1]] = -1
    posterior, mean = covariance.copy(), np.zeros(n)
    for _ in range(sweeps):
        for s, d in enumerate(directions):
            along = posterior @ d
            variance, middle = d @ along, d @ mean
            cavity = 1 / (1 / variance - tau[s])
            cavity_mean = cavity * (middle / variance - nu[s])
            z = cavity_mean / np.sqrt(1 + cavity)
            from scipy.special import erfcx

            hazard = np.sqrt(2 / np.pi) / erfcx(-z / np.sqrt(2))
            new_mean = cavity_mean + cavity * hazard / np.sqrt(1 + cavity)
            new_variance = cavity - cavity**2 * hazard * (hazard + z) / (1 + cavity)
            tau[s], nu[s] = 1 / new_variance - 1 / cavity, new_mean / new_variance - cavity_mean / cavity
            weights = directions.T * tau
            posterior = np.linalg.inv(np.linalg.inv(covariance) + weights @ directions)
            mean = posterior @ (directions.T @ nu)
    return mean, posterior


def test_refresh_equals_textbook_ep() -> None:
    """Full EP on the items that were asked about gives the belief of plain sequential EP on all of them."""
    rng = np.random.default_rng(8)
    features = rng.normal(size=(9, 2))
    pairs = answers(7, 14, seed=9)  # items 7 and 8 are never asked about
    pairs = np.concatenate([pairs, pairs[:3]])
    model = LinkedGP(nugget=0.2).fit(features).update(*pairs.T).refresh()
    mean, covariance = textbook_ep(feature_covariance(features, 1, 1) + 0.2 * np.eye(9), pairs, sweeps=30)
    np.testing.assert_allclose(model.mean, mean, atol=1e-6)
    np.testing.assert_allclose(model.covariance(), covariance, atol=1e-6)


def test_refresh_does_not_depend_on_the_order_of_the_answers(known: dict[str, np.ndarray]) -> None:
    """One by one the order matters a little; worked out together it does not."""
    pairs = answers(N, 50, seed=6)
    shuffled = np.random.default_rng(0).permutation(pairs)
    one, other = (LinkedGP().fit(known["features"]).update(*said.T) for said in (pairs, shuffled))
    assert np.abs(one.mean - other.mean).max() > 1e-4
    np.testing.assert_allclose(one.refresh().mean, other.refresh().mean, atol=1e-6)


@pytest.mark.parametrize("refreshed", [False, True])
def test_new_items_fit_in_by_their_features(known: dict[str, np.ndarray], refreshed: bool) -> None:
    """Items that arrive after the answers are believed as if they had been there from the start."""
    pairs = answers(30, 40, seed=10)
    late = LinkedGP(nugget=0.1).fit(known["features"][:30]).update(*pairs.T)
    early = LinkedGP(nugget=0.1).fit(known["features"]).update(*pairs.T)
    if refreshed:
        late.refresh(), early.refresh()
    late.add_items(known["features"][30:])
    np.testing.assert_allclose(late.mean, early.mean, atol=1e-9)
    np.testing.assert_allclose(late.covariance(), early.covariance(), atol=1e-9)
    late.update(35, 2), early.update(35, 2)
    np.testing.assert_allclose(late.mean, early.mean, atol=1e-9)


def test_new_items_fit_in_by_their_links(known: dict[str, np.ndarray]) -> None:
    """Refolded, they are believed as in a fit from scratch; linked afterwards, nearly so, and old items stay."""
    links, pairs = known["links"], answers(30, 40, seed=11)
    early = LinkedGP().fit(links=links).update(*pairs.T)
    refolded = LinkedGP().fit(links=links[:30, :30]).update(*pairs.T).add_items(links=links)
    np.testing.assert_allclose(refolded.mean, early.mean, atol=1e-9)
    np.testing.assert_allclose(refolded.covariance(), early.covariance(), atol=1e-9)
    before = LinkedGP().fit(links=links[:30, :30]).update(*pairs.T)
    old_mean = before.mean
    linked = before.add_items(links=links, refold=False)
    np.testing.assert_allclose(linked.mean[:30], old_mean, atol=1e-10)
    assert np.corrcoef(linked.mean[30:], early.mean[30:])[0, 1] > 0.9
    assert np.median(np.abs(linked.variance() / early.variance() - 1)) < 0.1


def test_a_model_comes_back_from_a_file_bit_by_bit(known: dict[str, np.ndarray], tmp_path: Path) -> None:
    """What is saved is what is known and what was said; the belief folded from it is the same to the last bit."""
    model = (
        LinkedGP(threshold=0.2)
        .fit(**known)
        .update(*answers(N, 20, seed=12).T)
        .refresh()
        .update(1, 2, tie=True)
    )
    model.update(4, 5, weight=0.5)
    penchant.save(model, tmp_path / "model")
    back = penchant.load(tmp_path / "model")
    assert (back.mean == model.mean).all()
    assert (back.covariance() == model.covariance()).all()
    assert (back.update(3, 9).mean == model.update(3, 9).mean).all()


def test_tuning_raises_the_evidence(known: dict[str, np.ndarray]) -> None:
    """The settings that tuning chooses explain the answers better than those before, on features and links."""
    rng = np.random.default_rng(13)
    truth = 3 * np.sin(known["features"][:, 0])
    pairs = answers(N, 80, seed=14)
    swap = truth[pairs[:, 0]] + rng.normal(size=80) < truth[pairs[:, 1]]
    pairs[swap] = pairs[swap][:, ::-1]
    model = LinkedGP().fit(**known).update(*pairs.T).refresh()
    before = model.log_evidence_
    assert model.tune().log_evidence_ > before + 1


def test_ties_bring_two_items_together() -> None:
    """A tie moves both means towards each other and makes their difference surer."""
    model = LinkedGP(threshold=0.5).fit(n_items=2).update([0, 0], [1, 1])
    lead, width = model.mean[0] - model.mean[1], np.ptp(model.difference_interval(0, 1))
    model.update(0, 1, tie=True)
    assert 0 < model.mean[0] - model.mean[1] < lead
    assert np.ptp(model.difference_interval(0, 1)) < width


def test_a_weight_of_two_is_nearly_two_answers() -> None:
    """The square of the likelihood at once is close to the same answer twice, and a weight of one is one answer."""
    twice = LinkedGP().fit(n_items=2).update([0, 0], [1, 1])
    heavy = LinkedGP().fit(n_items=2).update(0, 1, weight=2.0)
    once = LinkedGP().fit(n_items=2).update(0, 1, weight=1.0)
    np.testing.assert_allclose(heavy.mean, twice.mean, atol=0.02)
    np.testing.assert_array_equal(once.mean, LinkedGP().fit(n_items=2).update(0, 1).mean)


@given(st.permutations(range(6)), st.integers(0, 2**32 - 1))
def test_renaming_items_permutes_the_belief(order: list[int], seed: int) -> None:
    """The belief follows the items, however they are numbered, and P(a, b) + P(b, a) = 1."""
    rng = np.random.default_rng(seed)
    features, links, pairs = rng.normal(size=(6, 2)), random_graph(6, rng), answers(6, 8, seed % 1000)
    place = np.argsort(order)
    model = LinkedGP().fit(features, links).update(*pairs.T)
    renamed = LinkedGP().fit(features[order], links[np.ix_(order, order)]).update(*place[pairs].T)
    np.testing.assert_allclose(renamed.mean, model.mean[order], atol=1e-9)
    everyone = np.arange(6)
    there = model.win_probability(everyone[:, None], everyone)
    np.testing.assert_allclose(there + there.T, 1.0)


WRONG = [
    (lambda model: model.update(0, 40), UnknownItem, "item 40 is not among the 40 items"),
    (lambda model: model.update(0, 0), InvalidInput, "with itself"),
    (lambda model: model.update([0, 1], [2, -1]), UnknownItem, "item -1"),
    (lambda model: model.update("a", "b"), UnknownItem, "must be rows"),
    (lambda model: model.update(0, 1, weight=-1), InvalidInput, "weight of row 0 must be above 0"),
    (lambda model: model.update(0, 1, tie=True), InvalidInput, "a tie needs a threshold above 0"),
    (lambda model: model.add_items(np.zeros((1, 3))), InvalidInput, "must have 4 columns, got 3"),
    (lambda model: model.add_items(n_items=50), InvalidInput, "what the others came with"),
    (lambda model: model.update(0, 1, tie=["no"]), InvalidInput, "tie must be True or False"),
    (lambda model: model.update([0, 1, 2], [3, 4]), InvalidInput, "equally many, got shapes"),
    (lambda model: model.update([[0]], [[1]]), InvalidInput, "equally many, got shapes"),
    (lambda model: model.interval(1.5), InvalidInput, "level must be a number between 0 and 1"),
]


@pytest.mark.parametrize(("use", "kind", "words"), WRONG)
def test_bad_input_changes_nothing(known, use, kind, words) -> None:
    """What cannot be is rejected with a message, and the belief stays as it was."""
    model = LinkedGP().fit(known["features"]).update(3, 4)
    mean, covariance = model.mean, model.covariance()
    with pytest.raises(kind, match=words):
        use(model)
    assert (model.mean == mean).all()
    assert (model.covariance() == covariance).all()
    assert len(model.comparisons_) == 1


def test_answers_that_say_nothing_are_no_trouble() -> None:
    """Two items with the same features stay equal, however many answers there are about them."""
    model = LinkedGP().fit(np.zeros((2, 1))).update([0] * 90, [1] * 90)
    assert (model.mean == 0).all()
    assert (model.variance() == 1).all()


SAID = Preferences.from_pairs(
    [("b", "a"), ("b", "c"), ("a", "b"), ("c", "b"), ("a", "c")] * 6 + [("a", "b")] * 9
)


def test_settings_that_are_given_are_kept() -> None:
    """The same as fitting, telling and refreshing by hand."""
    given = LinkedGP(scale=0.3, threshold=0.2)
    by_hand = LinkedGP(scale=0.3, threshold=0.2).fit(n_items=3).update(*SAID.pairs().T).refresh()
    model = learned_from(SAID, model=given)
    assert model is given
    assert model.get_params() == by_hand.get_params()
    np.testing.assert_array_equal(model.mean, by_hand.mean)
    assert model.items_ == SAID.items


def test_otherwise_the_prior_is_learned_and_its_scale_stays_uncertain() -> None:
    """A chain, which equal items explain best, keeps scales as wide as the noise of an answer; links do as well."""
    chain = Preferences.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
    model = learned_from(chain)
    scales = model.scale * np.array(model.factors_)
    assert scales.min() >= 0.1
    assert model.factor_weights_[scales > 1].sum() > 0.2
    links = np.zeros((5, 5))
    links[0, 1] = links[1, 0] = 1.0
    linked = learned_from(chain, links=links)
    assert len(linked.factors_) > 4
    wide = Preferences.from_pairs(
        [("a", "b")] * 20 + [("b", "a"), ("b", "c"), ("c", "b")] + [("b", "c")] * 20
    )
    assert learned_from(wide).scale > model.scale


def test_learning_all_answers_equals_fitting_telling_and_tuning() -> None:
    """Without a step for each answer the result is the same."""
    by_hand = LinkedGP().fit(n_items=3).update(*SAID.pairs().T).tune()
    model = learned_from(SAID)
    assert model.factors_ == by_hand.factors_
    np.testing.assert_array_equal(model.mean, by_hand.mean)


def test_weights_count_in_learning_and_in_rankings() -> None:
    """Answers with weights are learned, tuned and counted as so many equal answers."""
    pairs = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")]
    weighted = learned_from(Preferences.from_pairs(pairs, weight=[4, 3, 1, 2]))
    repeated = learned_from(Preferences.from_pairs(np.repeat(pairs, [4, 3, 1, 2], axis=0)))
    assert weighted.scale == pytest.approx(repeated.scale)
    np.testing.assert_allclose(weighted.mean, repeated.mean, rtol=1e-9)
    np.testing.assert_allclose(weighted.covariance(), repeated.covariance(), rtol=1e-9)
    assert weighted.rank().answers.tolist() == repeated.rank().answers.tolist()
    assert weighted.counts_.tolist() == [7, 7, 6]
    half = learned_from(Preferences.from_pairs(pairs, weight=[0.5, 1, 1, 1]))
    assert half.counts_.tolist() == [2.5, 1.5, 3.0]


def test_what_cannot_be_tuned_is_rejected_before_anything_is_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No prior is worked out for more linked items than hyperparameters are learned for."""
    monkeypatch.setattr("penchant.gp.linked.tuning.WRITTEN_OUT", 4)
    monkeypatch.setattr(ItemPrior, "prior", lambda *_: pytest.fail("the prior was worked out"))
    chain = Preferences.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
    with pytest.raises(InvalidInput, match="beta and iota are tuned for at most 4 items"):
        learned_from(chain, links=np.zeros((5, 5)))


def test_the_threshold_fits_the_ties() -> None:
    """It counts weights and is above that of the share of ties where items differ; 0 without ties, never with them."""
    pairs = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "c"), ("a", "d"), ("b", "d")]
    tied = [True, True, True, False, False, False]
    once = learned_from(Preferences.from_pairs(pairs * 4, tie=tied * 4))
    heavy = learned_from(Preferences.from_pairs(pairs * 2, tie=tied * 2, weight=[2] * 12))
    assert once.threshold > ndtri(0.75)
    assert heavy.threshold == pytest.approx(once.threshold, rel=0.01)
    assert learned_from(SAID).threshold == 0.0
    rare = Preferences.from_pairs([("a", "b"), ("b", "a")] * 50 + [("a", "b")], tie=[False] * 100 + [True])
    assert 0 < learned_from(rare).threshold < 0.05


def test_answers_that_are_all_ties_are_learned() -> None:
    """Where everything was tied, the threshold stays finite and all items are equal."""
    model = learned_from(Preferences.from_pairs([("a", "b"), ("b", "c")] * 4, tie=[True] * 8))
    assert np.isfinite(model.threshold)
    np.testing.assert_allclose(model.mean, 0, atol=1e-6)


def test_a_linked_process_is_an_online_belief() -> None:
    """It has what the protocol asks for, its updates return it, and `noise_` is that of Φ(ξ_a − ξ_b)."""
    model = LinkedGP().fit(n_items=3)
    belief: OnlineBelief = model
    assert belief.update(0, 1) is model
    assert belief.refresh() is model
    assert belief.noise_ == PROBIT_NOISE
    assert belief.counts_.tolist() == [1, 1, 0]
    difference, spread = model.mean[0] - model.mean[2], model.covariance([0, 2], [0, 2])
    variance = spread[0, 0] + spread[1, 1] - 2 * spread[0, 1]
    z = difference / np.sqrt(2 * belief.noise_**2 + variance)
    assert model.win_probability(0, 2) == pytest.approx(ndtr(z))


def test_learning_preferences_is_updating_in_their_order() -> None:
    """Ids are matched to the items, with weights and ties; unknown ids and ties without a threshold are rejected."""
    pairs = [("c", "a"), ("a", "b"), ("b", "c")]
    preferences = Preferences.from_pairs(pairs, weight=[1, 2, 1], tie=[False, False, True])
    learned = LinkedGP(threshold=0.3).fit(n_items=3, items=["c", "b", "a"]).learn(preferences)
    updated = LinkedGP(threshold=0.3).fit(n_items=3)
    comparisons = preferences.comparisons()
    place = np.array([["c", "b", "a"].index(item) for item in preferences.items])
    updated.update(
        place[comparisons.better], place[comparisons.worse], weight=comparisons.weight, tie=comparisons.tie
    )
    assert (learned.mean == updated.mean).all()
    assert (learned.covariance() == updated.covariance()).all()
    assert learned.learn(preferences[np.zeros(3, dtype=bool)]) is learned
    with pytest.raises(InvalidInput, match="a tie needs a threshold above 0"):
        LinkedGP().fit(n_items=3, items=["a", "b", "c"]).learn(preferences)
    with pytest.raises(UnknownItem, match="item 'c' of comparison 0 must be one of the 2 items"):
        LinkedGP().fit(n_items=2, items=["a", "b"]).learn(preferences)


def test_the_former_name_of_the_comparisons_warns() -> None:
    """``answers_`` is the same object, with a DeprecationWarning."""
    model = LinkedGP().fit(n_items=2).update(0, 1)
    with pytest.warns(DeprecationWarning, match="answers_ is now called comparisons_"):
        assert model.answers_ is model.comparisons_
