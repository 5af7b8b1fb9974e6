"""A prior through inducing items: close to the exact one, with its variances, and honest about what it leaves out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penchant
from penchant.errors import InvalidInput
from penchant.gp import LinkedGP
from penchant.gp.linked import graph_prior, priors
from tests.gp.linked.reference import DenseBelief, feature_covariance, graph_covariance, random_graph

N = 40
RNG = np.random.default_rng(21)
FEATURES, LINKS = RNG.normal(size=(N, 3)), random_graph(N, RNG)


def answers(count: int, seed: int, n: int = N) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([rng.choice(n, 2, replace=False) for _ in range(count)])


def through(covariance: np.ndarray, items: np.ndarray) -> np.ndarray:
    """K_nu K_uu⁻¹ K_un with the diagonal of K, as it stands in the books."""
    low = covariance[:, items] @ np.linalg.solve(covariance[np.ix_(items, items)], covariance[items])
    np.fill_diagonal(low, covariance.diagonal())
    return low


def model_of(part: str, **settings: object) -> LinkedGP:
    known = {
        "features": {"features": FEATURES},
        "both": {"features": FEATURES, "links": LINKS},
        "covariance": {"covariance": feature_covariance(FEATURES, 1.0, 1.5)},
    }[part]
    return LinkedGP(lengthscale=1.5, nugget=0.1, **settings).fit(**known)


@pytest.mark.parametrize("part", ["features", "both", "covariance"])
def test_as_many_as_items_is_the_exact_prior(part: str) -> None:
    """With m = n the belief after 200 answers, one by one and together, is that of the exact prior to 1e-8."""
    pairs = answers(200, 1)
    for refreshed in (False, True):
        exact, sparse = (model_of(part, inducing=m).update(*pairs.T) for m in (None, N))
        if refreshed:
            exact.refresh(), sparse.refresh()
        np.testing.assert_allclose(sparse.mean, exact.mean, atol=1e-8)
        np.testing.assert_allclose(sparse.covariance(), exact.covariance(), atol=1e-8)
        np.testing.assert_allclose(sparse.variance(), exact.variance(), atol=1e-8)


@pytest.mark.parametrize("part", ["features", "both"])
def test_the_belief_is_that_of_the_dense_equations(part: str) -> None:
    """Prior, and belief after 300 answers, are those of K_nu K_uu⁻¹ K_un + diag written out."""
    covariance = feature_covariance(FEATURES, 1.0, 1.5)
    if part == "both":
        covariance = covariance + graph_covariance(LINKS, 1.0, 1.0)
    model, pairs = model_of(part, inducing=9), answers(300, 2)
    dense = DenseBelief(through(covariance, model.inducing_) + 0.1 * np.eye(N))
    np.testing.assert_allclose(model.covariance(), dense.covariance, atol=1e-10)
    for better, worse in pairs:
        dense.learn(better, worse)
    model.update(*pairs.T)
    np.testing.assert_allclose(model.mean, dense.mean, atol=1e-8)
    np.testing.assert_allclose(model.covariance(), dense.covariance, atol=1e-8)
    np.testing.assert_allclose(model.covariance([3, 1]), dense.covariance[[3, 1]], atol=1e-8)
    np.testing.assert_allclose(model.variance(), dense.covariance.diagonal(), atol=1e-8)


def test_items_are_chosen_where_they_explain_most() -> None:
    """Each inducing item is the one that lowers what is left of all variances most, given those before it."""
    covariance = feature_covariance(FEATURES, 1.0, 1.5)
    chosen = model_of("features", inducing=6).inducing_.tolist()
    for count, item in enumerate(chosen):
        left = [
            np.inf if other in chosen[:count] else unexplained(covariance, [*chosen[:count], other])
            for other in range(N)
        ]
        assert int(np.argmin(left)) == item


def unexplained(covariance: np.ndarray, items: list[int]) -> float:
    rows = covariance[items]
    return float(np.trace(covariance - rows.T @ np.linalg.solve(rows[:, items], rows)))


def test_the_error_that_is_told_is_the_error() -> None:
    """What `prior_error` says is what a dense comparison finds, falls with more items, and is 0 without."""
    covariance = feature_covariance(FEATURES, 1.0, 1.5)
    before = 1.0
    for m in (5, 15, 30):
        model = model_of("features", inducing=m)
        apart = np.abs(covariance - through(covariance, model.inducing_))
        told = model.prior_error()
        assert told.largest == pytest.approx(apart.max())
        assert told.mean == pytest.approx(apart.sum() / (N * (N - 1)))
        assert told.unexplained == pytest.approx(unexplained(covariance, model.inducing_.tolist()) / N)
        assert told.unexplained < before
        before = told.unexplained
    assert model_of("features").prior_error() == (0.0, 0.0, 0.0)


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.floats(0.05, 20.0), st.sampled_from([0.0, 0.3]))
def test_no_variance_is_negative(seed: int, m: int, lengthscale: float, nugget: float) -> None:
    """Whatever the items and answers, variances lie between 0 and those of the prior, which are exact."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(8, 2))
    features[3] = features[2]
    model = LinkedGP(lengthscale=lengthscale, nugget=nugget, inducing=m).fit(features)
    np.testing.assert_allclose(model.variance(), 1 + nugget, rtol=1e-9)
    model.update(*answers(20, seed % 1000, n=8).T)
    assert (model.variance() >= 0).all()
    assert (model.variance() <= 1 + nugget + 1e-9).all()
    assert np.linalg.eigvalsh(model.covariance())[0] > -1e-9


def test_twins_and_flat_features_are_no_trouble() -> None:
    """Where a few items explain all others, no more are taken."""
    model = LinkedGP(inducing=5).fit(np.repeat([[0.0], [1.0]], 4, axis=0)).update(0, 7)
    assert sorted(model.inducing_) == [0, 4]
    assert np.ptp(model.mean[:4]) < 1e-12


def test_new_items_come_through_the_same_inducing_items() -> None:
    """By features, what was believed stays, and new items are as if those inducing items had been given at first."""
    pairs = answers(60, 3, n=30)
    model = LinkedGP(lengthscale=1.5, nugget=0.1, inducing=8).fit(FEATURES[:30]).update(*pairs.T)
    before, chosen = model.mean, model.inducing_
    model.add_items(FEATURES[30:])
    dense = DenseBelief(through(feature_covariance(FEATURES, 1.0, 1.5), chosen) + 0.1 * np.eye(N))
    for better, worse in [*pairs, (35, 2)]:
        dense.learn(better, worse)
    np.testing.assert_allclose(model.mean[:30], before, atol=1e-9)
    np.testing.assert_allclose(model.update(35, 2).covariance(), dense.covariance, atol=1e-8)


def test_new_links_choose_inducing_items_anew() -> None:
    """Learned anew on the enlarged graph, a model is that of a fit from scratch; linked afterwards, they stay."""
    pairs, part = answers(30, 4, n=30), LINKS[:30, :30]
    scratch = LinkedGP(inducing=8).fit(links=LINKS).update(*pairs.T)
    refolded = LinkedGP(inducing=8).fit(links=part).update(*pairs.T).add_items(links=LINKS)
    np.testing.assert_array_equal(refolded.inducing_, scratch.inducing_)
    np.testing.assert_allclose(refolded.mean, scratch.mean, atol=1e-9)
    model = LinkedGP(inducing=8).fit(links=part).update(*pairs.T)
    before, chosen = model.mean, model.inducing_
    model.add_items(links=LINKS, refold=False)
    np.testing.assert_array_equal(model.inducing_, chosen)
    np.testing.assert_allclose(model.mean[:30], before, atol=1e-9)


def test_a_model_comes_back_from_a_file_bit_by_bit(tmp_path: Path) -> None:
    """Its inducing items are saved with it, also those that later items did not choose."""
    model = LinkedGP(inducing=7, nugget=0.1).fit(FEATURES[:30]).add_items(FEATURES[30:])
    model.update(*answers(30, 5).T).refresh().update(1, 2)
    penchant.save(model, tmp_path / "model")
    back = penchant.load(tmp_path / "model")
    assert (back.inducing_ == model.inducing_).all()
    assert (back.mean == model.mean).all()
    assert (back.covariance() == model.covariance()).all()


@pytest.mark.parametrize(
    ("items", "words"),
    [
        (None, "do not fit together"),
        (np.array([0, 0]), "must be different rows"),
        (np.array([0.5]), "must be different rows"),
        (np.array([0, N]), "must lie among the 40 items"),
    ],
)
def test_a_file_with_other_inducing_items_is_refused(items: object, words: str) -> None:
    """What cannot be inducing items is rejected with a message."""
    state = model_of("features", inducing=5).__save_state__() | {"inducing_items": items}
    with pytest.raises(InvalidInput, match=words):
        LinkedGP.__load_state__(state)


def test_tuning_chooses_inducing_items_anew() -> None:
    """After tuning the settings are those of the exact prior's evidence, and the items those of the new prior."""
    pairs = answers(60, 6)
    pairs = np.where((FEATURES[pairs[:, :1], 0] < FEATURES[pairs[:, 1:], 0]), pairs[:, ::-1], pairs)
    sparse, exact = (model_of("features", inducing=m).update(*pairs.T).tune() for m in (10, None))
    assert sparse.lengthscale == exact.lengthscale
    assert sparse.factors_ == exact.factors_
    assert len(sparse.factors_) > 2
    anew = LinkedGP(**sparse.get_params()).fit(FEATURES).update(*pairs.T).refresh()
    np.testing.assert_array_equal(sparse.inducing_, anew.inducing_)
    at_mode = sparse._belief.components[sparse.factors_.index(1.0)]
    np.testing.assert_allclose(at_mode.mean, anew.mean, rtol=1e-3, atol=1e-3)


def test_a_graph_that_is_not_written_out_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where prior variances would take a solve each, inducing items are rejected, and the model stays as it was."""
    model = LinkedGP(inducing=5).fit(links=LINKS[:10, :10]).update(1, 2)
    before = model.mean
    monkeypatch.setattr(graph_prior, "WRITTEN_OUT", 10)
    with pytest.raises(InvalidInput, match="one solve for each: leave inducing out"):
        model.add_items(links=LINKS)
    with pytest.raises(InvalidInput, match="one solve for each"):
        LinkedGP(inducing=5).fit(links=LINKS)
    assert (model.mean == before).all()
    assert model.n_items_ == 10


def test_long_runs_forget_with_inducing_items_too() -> None:
    """With few columns kept no variance is too small, and none is too large by more than is said."""
    few, whole = (model_of("features", inducing=10, most_columns=most) for most in (12, 1000))
    for better, worse in answers(200, 7):
        few.update(better, worse), whole.update(better, worse)
        if few.lost_ > 0:
            break
    assert few.lost_ > 0
    assert (few.variance() >= whole.variance() - 1e-12).all()
    assert (few.variance() <= whole.variance() + few.lost_ + 1e-12).all()
    np.testing.assert_allclose(few.mean, whole.mean, atol=1e-12)
    np.testing.assert_allclose(few.covariance().diagonal(), few.variance(), atol=1e-12)
    for better, worse in answers(100, 8):
        few.update(better, worse)
    assert (few.variance() >= 0).all()


def test_inducing_items_that_are_equal_but_for_rounding_work() -> None:
    """A covariance that is singular but for rounding has a factor: its diagonal is raised by as little as needed."""
    x = np.linspace(0.0, 1e-4, 30)[:, None]
    exact = priors.FeaturePrior(x, scale=1.0, lengthscale=1.0)
    approximate = priors.InducingPrior(exact, np.arange(30))
    rows = np.arange(30)
    np.testing.assert_allclose(approximate.block(rows, rows), exact.block(rows, rows), atol=1e-6)
