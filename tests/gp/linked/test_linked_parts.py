"""The parts of a prior are those of `ItemPrior`, and explanations are made of them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from penchant import Preferences
from penchant.belief import PROBIT_NOISE
from penchant.checks import Floats
from penchant.gp.inference.live_data import LiveData
from penchant.gp.linked.linked_parts import LinkedMixture, LinkedParts, MixedParts, Pairs, bar_variance
from tests.gp.linked.many import KINDS, NAMES, SETTINGS, N, item_prior


def parts(kind: str) -> LinkedParts:
    given = item_prior(kind)
    return LinkedParts.of(given, SETTINGS, NAMES if given.features is not None else (), 0.7)


def load_of(pairs: list[tuple[int, int]], gradients: list[float]) -> Floats:
    first, second = np.array(pairs).T
    values = np.array(gradients)
    return Pairs(first, second, values).spread(values, N + 1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_explained_difference_is_that_of_the_prior_covariance(kind: str) -> None:
    """Features, links and own parts add up to (e_a − e_b)ᵀ K load, K being the prior written out."""
    made, given = parts(kind), load_of([(0, 1), (2, 7), (7, 0), (5, N)], [0.3, -0.2, 0.5, 0.4])
    K = item_prior(kind).prior(SETTINGS).block(np.arange(N))
    mean = K @ given[:-1]
    for a, b in [(0, 7), (1, 2), (9, 30), (0, 5)]:
        found = made.explain(given, a, b)
        own = made.own_variance((a, b)) * given[[a, b]]
        assert found.total + own[0] - own[1] == pytest.approx(mean[a] - mean[b], abs=1e-7)
        assert found.answers == []
        assert bool(found.features) == (kind in ("features", "both"))
        assert bool(found.links) == (kind in ("links", "both"))
        assert {name for name, _ in found.features} <= set(NAMES)


def test_links_are_those_of_the_two_items() -> None:
    """Only rows that one of the two is linked with have a part."""
    made, linked = parts("links"), item_prior("links").links.toarray()
    found = made.explain(load_of([(0, 1)], [1.0]), 0, 9)
    assert {row for row, _ in found.links} == set(np.flatnonzero(linked[0] + linked[9]).tolist())


def test_items_have_a_part_of_their_own() -> None:
    """Without features and links it is the whole variance, in each component its own."""
    made, own = parts("neither"), SETTINGS.scale**2 + SETTINGS.nugget
    np.testing.assert_allclose(made.own_variance((0, 3)), own)
    found = MixedParts((made, replace(made, own=2 * made.own))).own_variances(0, 3)
    np.testing.assert_allclose(found, [[own] * 2, [2 * own] * 2])


@pytest.mark.parametrize("kind", KINDS)
def test_the_bar_is_independent(kind: str) -> None:
    """A load on the bar moves the bar alone, by its variance."""
    load = np.zeros(N + 1)
    load[-1] = 1.0
    made = parts(kind)
    moved = made.link_part(load) + made.own * load
    assert np.flatnonzero(np.abs(moved) > 1e-12).tolist() == [N]
    assert moved[N] == pytest.approx(0.7)
    assert made.neighbours(N)[0].size == 0


def test_the_bar_varies_as_items_do() -> None:
    """Its variance counts features, links given their neighbours, and the nugget."""
    given = item_prior("both")
    links = given.links.toarray()
    conditional = 1 / (SETTINGS.beta * (links.sum(axis=1) + 1 / SETTINGS.iota**2))
    assert bar_variance(given, SETTINGS) == pytest.approx(1.0 + 0.1 + 0.64 * conditional.mean())
    assert bar_variance(item_prior("neither"), SETTINGS) == pytest.approx(1.1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_state_holds_everything(kind: str) -> None:
    """Parts that are made from a state, with lists for what JSON has no tuples for, explain the same."""
    made, given = parts(kind), load_of([(0, 1), (2, 7)], [0.3, -0.2])
    state = made.state()
    plain = {name: value for name, value in state.items() if not isinstance(value, np.ndarray)}
    again = LinkedMixture._parts_of({"0": state | json.loads(json.dumps(plain))})
    assert again.explain_mixture([given], 0, 7) == made.explain(given, 0, 7)
    assert list(MixedParts((made, made)).state()) == ["0", "1"]


def test_a_mixture_is_explained_by_the_sum_of_its_components() -> None:
    """Each component's load is split by its own parts; weights of one feature or link are added up."""
    made, pairs = parts("both"), [(0, 1), (2, 7)]
    other = replace(made, kernel=(0.3, 2.0), values=2 * made.values)
    first, second = load_of(pairs, [0.3, -0.2]), load_of(pairs, [0.1, 0.4])
    found = MixedParts((made, other)).explain_mixture([first, second], 0, 7)
    single = made.explain(first, 0, 7), other.explain(second, 0, 7)
    assert found.total == pytest.approx(single[0].total + single[1].total)
    for kind in ("features", "links"):
        sums = {
            name: sum(dict(getattr(one, kind))[name] for one in single) for name, _ in getattr(found, kind)
        }
        assert dict(getattr(found, kind)) == pytest.approx(sums)


def test_improbable_settings_are_left_out_after_an_answer() -> None:
    """With the belief goes the part of the prior that belongs to them; what is left is the probable one alone."""
    settings = [SETTINGS, SETTINGS._replace(scale=2.0)]
    given, every = item_prior("features"), np.arange(N)
    data = LiveData.of(Preferences.from_pairs([], items=range(N)))

    def started(chosen: list[int], weights: tuple[float, ...]) -> LinkedMixture:
        return LinkedMixture.started(
            data,
            np.stack([given.prior(settings[k]).block(every) for k in chosen]),
            MixedParts(tuple(LinkedParts.of(given, settings[k], NAMES, 0.7) for k in chosen)),
            noise=PROBIT_NOISE,
            tie=0.1,
            weights=weights,
            bar_variance=[0.7] * len(chosen),
            model="LinkedGP",
        )

    both, one = started([0, 1], (1 - 1e-8, 1e-8)), started([0], (1.0,))
    for mixture in (both, one):
        mixture.answer(0, 7, 0)
    assert both.weights_.tolist() == [1.0]
    assert both.mean.tolist() == one.mean.tolist()
    assert both.explain(0, 7) == one.explain(0, 7)


def test_the_precision_of_pairs_is_a_laplacian() -> None:
    """L u is Σ τ (u_i − u_j)(e_i − e_j), for a vector and for columns."""
    pairs = Pairs(np.array([0, 2]), np.array([1, 0]), np.array([0.5, 2.0]))
    L = np.array([[2.5, -0.5, -2.0], [-0.5, 0.5, 0.0], [-2.0, 0.0, 2.0]])
    np.testing.assert_allclose(pairs.times(np.eye(3)), L)
    np.testing.assert_allclose(pairs.times(np.array([1.0, 2.0, 4.0])), L @ [1.0, 2.0, 4.0])
