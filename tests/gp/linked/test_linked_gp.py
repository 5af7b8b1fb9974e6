"""The linked process learns as the paper's equations say, also where no matrix is written out."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import penchant
from penchant.errors import InvalidInput, NotFitted, UnknownItem
from penchant.gp import LinkedGP
from penchant.gp.linked import graph_prior
from tests.gp.linked.reference import DenseBelief, feature_covariance, graph_covariance, random_graph

N = 40


@pytest.fixture(scope="module")
def known() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    return {"features": rng.normal(size=(N, 4)), "links": random_graph(N, rng)}


def answers(n: int, count: int, seed: int) -> np.ndarray:
    """Pairs of different items, better first, as an undecided person would answer."""
    rng = np.random.default_rng(seed)
    return np.array([rng.choice(n, 2, replace=False) for _ in range(count)])


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


def test_rows_that_are_kept_move_with_each_answer(known: dict[str, np.ndarray]) -> None:
    """A row that was asked for before an answer is right after it."""
    model = LinkedGP().fit(known["features"])
    for better, worse in answers(N, 30, seed=4):
        model.covariance([0, 1])
        model.update(better, worse)
    fresh = LinkedGP().fit(known["features"]).update(*answers(N, 30, seed=4).T)
    np.testing.assert_allclose(model.covariance([0, 1]), fresh.covariance()[:2], atol=1e-12)


def test_forgetting_directions_makes_variances_larger_only(known: dict[str, np.ndarray]) -> None:
    """With few columns kept no variance is too small, and none is too large by more than is said."""
    pairs = answers(N, 400, seed=5)
    few = LinkedGP(lengthscale=0.5, most_columns=20).fit(known["features"])
    whole = LinkedGP(lengthscale=0.5).fit(known["features"])
    for better, worse in pairs:
        few.update(better, worse), whole.update(better, worse)
        if few.lost_ > 0:
            break
    assert 0 < few.lost_ < 1
    assert (few.variance() >= whole.variance() - 1e-12).all()
    assert (few.variance() <= whole.variance() + few.lost_ + 1e-12).all()
    np.testing.assert_allclose(few.mean, whole.mean, atol=1e-12)
    np.testing.assert_allclose(few.covariance().diagonal(), few.variance(), atol=1e-12)
    assert LinkedGP(lengthscale=0.5).fit(known["features"]).update(*pairs.T).lost_ == 0


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


def test_an_answer_far_from_belief_keeps_the_variance_sound() -> None:
    """When somebody contradicts what is believed at z = −100, variances stay positive and finite."""
    model = LinkedGP().fit(covariance=np.array([[1e4, 0.0], [0.0, 1e4]]))
    model.update([0] * 40, [1] * 40)
    model.update(1, 0)
    assert np.isfinite(model.mean).all()
    assert (model.variance() > 0).all()
    certain = LinkedGP().fit(covariance=np.diag([1e-8, 1e-8]))
    certain._belief.components[0].mean = np.array([-100.0, 0.0])
    assert (certain.update(0, 1).variance() > 0).all()


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


def test_queries_are_kept_apart(known: dict[str, np.ndarray]) -> None:
    """Answers and rankings stay within a query, while features carry what was learned across."""
    qid = np.repeat([7, 8], N // 2)
    model = LinkedGP().fit(known["features"], qid=qid).update(0, 1)
    assert len(model.rank(8).items) == N // 2
    assert np.abs(model.mean[N // 2 :]).max() > 0
    with pytest.raises(InvalidInput, match="query 7 with item 30 of query 8: compare within a query"):
        model.update(0, 30)
    with pytest.raises(InvalidInput, match="query 9 has no items"):
        model.rank(9)


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
    """What cannot be is refused in words, and the belief stays as it was."""
    model = LinkedGP().fit(known["features"]).update(3, 4)
    mean, covariance = model.mean, model.covariance()
    with pytest.raises(kind, match=words):
        use(model)
    assert (model.mean == mean).all()
    assert (model.covariance() == covariance).all()
    assert len(model.answers_) == 1


UNFIT = [
    ({}, {}, "got nothing"),
    ({}, {"features": [[np.nan]]}, "features of row 0, column 0 must be a finite number"),
    ({}, {"features": np.zeros((2, 1)), "links": np.zeros((3, 3))}, "got 2 and 3"),
    ({}, {"links": [[0, 1], [0, 0]]}, "0 to 1 weighs 1 and back 0"),
    ({}, {"links": [[0, -1], [-1, 0]]}, "items 0 and 1 must be a finite number of at least 0, got -1"),
    ({}, {"covariance": [[1, 2], [2, 1]]}, "positive semidefinite, its lowest eigenvalue is -1"),
    ({"scale": 0}, {"n_items": 2}, "scale must be a number above 0 and at most 1e.12, got 0"),
    ({"scale": "a"}, {"n_items": 2}, "scale must be a number above 0 and at most 1e.12, got 'a'"),
    ({"scale": 1e300}, {"n_items": 2}, "scale must be a number above 0 and at most 1e.12, got 1e.300"),
    ({"mix": 1.0}, {"n_items": 2}, "mix must be two finite numbers, got 1.0"),
    ({"most_columns": 0}, {"n_items": 2}, "most_columns must be a whole number of at least 1, got 0"),
    ({"inducing": 0}, {"features": [[1.0]]}, "inducing must be a whole number of at least 1, got 0"),
    ({"inducing": 2}, {"n_items": 2}, "none of features, links and covariance"),
    ({"nugget": -1}, {"n_items": 2}, "nugget must be a number from 0 to 1e.12"),
    ({}, {"n_items": 2, "qid": [1]}, "qid must have 2 entries"),
]


@pytest.mark.parametrize(("settings", "given_", "words"), UNFIT)
def test_a_prior_that_cannot_be_is_refused(settings, given_, words) -> None:
    """Settings and item_prior that make no covariance are refused in words."""
    with pytest.raises(InvalidInput, match=words):
        LinkedGP(**settings).fit(**given_)


def test_settings_count_from_the_fit_on(known: dict[str, np.ndarray], tmp_path: Path) -> None:
    """A setting that is changed afterwards waits for the next fit, also through a file and for new items."""
    model = LinkedGP().fit(known["features"][:30]).update(*answers(30, 10, seed=16).T)
    before = model.mean
    model.set_params(scale=3.0, threshold=-1.0)
    penchant.save(model, tmp_path / "model")
    np.testing.assert_array_equal(penchant.load(tmp_path / "model").mean, before)
    np.testing.assert_allclose(model.add_items(known["features"][30:]).mean[:30], before, atol=1e-9)


def test_answers_that_say_nothing_are_no_trouble() -> None:
    """Two items with the same features stay equal, however many answers there are about them."""
    model = LinkedGP().fit(np.zeros((2, 1))).update([0] * 90, [1] * 90)
    assert (model.mean == 0).all()
    assert (model.variance() == 1).all()


def test_names_of_items_and_features_are_kept(known: dict[str, np.ndarray]) -> None:
    """A frame names items by its index and features by its columns; twice the same, or other columns, is refused."""
    frame = pd.DataFrame(known["features"], columns=list("wxyz"), index=[f"item {i}" for i in range(N)])
    model = LinkedGP().fit(frame[:30]).update(0, 1)
    assert model.rank().items[0] == "item 0"
    with pytest.raises(InvalidInput, match="must be w, x, y, z in this order, got z, y, x, w"):
        model.add_items(frame[30:][list("zyxw")])
    with pytest.raises(InvalidInput, match="item 'item 0' stands twice"):
        model.add_items(frame[:1])
    assert model.add_items(frame[30:]).items_ == tuple(frame.index)


def test_nothing_can_be_asked_before_fit() -> None:
    """A model without items says so."""
    with pytest.raises(NotFitted, match="call fit first"):
        LinkedGP().update(0, 1)


def test_one_item_is_ranked_alone() -> None:
    """One item has rank 1 and its prior's interval."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranking = LinkedGP().fit(n_items=1).rank()
    assert ranking.ranks.tolist() == [1]
