"""Who plays in paper 5: the fast beliefs are those of LinkedGP, and runs are what their seed says."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.gp import LinkedGP
from penchant.papers.linked_players import (
    ACTIVE,
    PLAYERS,
    DenseBelief,
    FullBelief,
    Player,
    follow,
)
from penchant.papers.linked_sets import Items, collection
from penchant.simulate import DiagonalPropagated, GlickoRated


def query(seed: int = 0) -> Items:
    """A made-up query."""
    return collection("letor2-ohsumed", size="quick", seed=seed).queries[0]


def test_the_dense_step_is_that_of_linked_gp() -> None:
    """Mean, variances and covariances after a hundred answers."""
    items = query()
    model = LinkedGP().fit(items.features, items.links)
    belief = DenseBelief(items.prior("both"))
    random = np.random.default_rng(0)
    for _ in range(100):
        better, worse = random.choice(len(items), 2, replace=False).tolist()
        model.update(better, worse)
        belief.update(better, worse)
    np.testing.assert_allclose(belief.mean, model.mean, atol=1e-9)
    np.testing.assert_allclose(belief.variance(), model.variance(), atol=1e-9)
    np.testing.assert_allclose(belief.covariance([3], [5, 7]), model.covariance([3], [5, 7]), atol=1e-9)
    np.testing.assert_array_equal(belief.variance([2, 4]), belief.covariance().diagonal()[[2, 4]])


def test_the_full_belief_is_refreshed_after_each_answer() -> None:
    """The mean and covariance of full expectation propagation."""
    items = query()
    belief, model = FullBelief(items.prior("both")), LinkedGP().fit(items.features, items.links)
    for better, worse in [(0, 1), (2, 0), (5, 1), (2, 7)]:
        belief.update(better, worse)
        model.update(better, worse)
    model.refresh()
    np.testing.assert_allclose(belief.mean, model.mean, atol=1e-8)
    np.testing.assert_allclose(belief.covariance(), model.covariance(), atol=1e-8)


@pytest.mark.parametrize(
    ("name", "kind"),
    [(ACTIVE, DenseBelief), ("Glicko", GlickoRated), ("diagonal EP", DiagonalPropagated)],
)
def test_each_player_believes_in_its_way(name: str, kind: type) -> None:
    """The paper's, its baseline, and one without covariances."""
    items = query()
    priors = {PLAYERS[name].knows: items.prior(PLAYERS[name].knows)}
    assert isinstance(PLAYERS[name].belief(items, priors), kind)


def test_a_nugget_is_added_to_each_variance() -> None:
    """And to nothing else."""
    items = query()
    priors = {"both": items.prior("both")}
    plain, own = (Player(nugget=nugget).belief(items, priors).covariance() for nugget in (0.0, 0.3))
    np.testing.assert_allclose(own - plain, 0.3 * np.eye(len(items)), atol=1e-12)


def test_a_run_is_what_its_seed_says() -> None:
    """The same seed, the same precision; another one, another; all start from the same order."""
    players = {name: PLAYERS[name] for name in (ACTIVE, "Glicko", "random pairs")}
    one, again, other = (
        follow(players, query(), questions=30, every=10, seed=(seed, 0)) for seed in (0, 0, 1)
    )
    for name in players:
        np.testing.assert_array_equal(one[name].precision, again[name].precision)
        assert one[name].precision.shape == (4, 1)
        assert one[name].precision[0] == one["Glicko"].precision[0]
        assert not np.array_equal(one[name].precision, other[name].precision)
        assert (one[name].learning <= one[name].seconds).all()


def test_answers_bring_precision() -> None:
    """A hundred answers about forty documents rank better than none, whoever asks."""
    for name, run in follow(PLAYERS, query(), questions=100, every=50, seed=(0,)).items():
        assert run.precision[-1] > run.precision[0] + 0.1, name


def test_no_pair_comes_twice_before_all_were_asked() -> None:
    """Five documents have ten pairs; the eleventh question starts anew."""
    few = query().first(5)
    few = Items.of(few.features, few.links, np.array([2.0, 0.0, 1.0, 0.0, 0.0]))
    for tau in (1.0, None):
        run = follow({"one": Player("features", tau=tau)}, few, questions=25, every=1, seed=(0,))["one"]
        assert run.precision.shape == (26, 1)
        assert run.precision[11:].min() == 1.0, tau
