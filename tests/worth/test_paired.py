"""Bradley–Terry and Thurstone alike: the summit is the summit, and what cannot be known is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant import Preferences
from penchant.errors import CannotLoad, InvalidInput, PenchantWarning
from penchant.saving import from_bytes, to_bytes
from penchant.worth import BradleyTerry, Thurstone
from tests.saving.files import unchecked_bytes
from tests.worth.paired_reference import curvature, gradient, log_posterior
from tests.worth.simulated import comparisons

MODELS = [BradleyTerry, Thurstone]
WORTH = np.array([1.5, 0.5, 0.0, -0.4, -1.6])
ROUND = [(1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2)]

both_models = pytest.mark.parametrize("Model", MODELS, ids=lambda model: model.__name__)


def said(Model: Any, n_rows: int = 80, ties: float = 0.0, seed: int = 0) -> Preferences:
    return comparisons(WORTH, n_rows, seed, ties=ties, probit=Model is Thurstone)


@st.composite
def connected_data(draw: Any) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """A circle of preferences through all items, so that a maximum exists, and anything besides."""
    n = draw(st.integers(2, 6))
    circle = [(i, (i + 1) % n) for i in range(n)]
    some = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] != pair[1])
    pairs = np.array(circle + draw(st.lists(some, max_size=25)))
    tie = np.zeros(len(pairs), dtype=bool)
    tie[n:] = draw(st.lists(st.booleans(), min_size=len(pairs) - n, max_size=len(pairs) - n))
    weights = st.sampled_from([0.25, 1.0, 1.0, 2.0, 3.5])
    weight = np.array(draw(st.lists(weights, min_size=len(pairs), max_size=len(pairs))))
    return n, pairs, tie, weight


@both_models
@pytest.mark.parametrize("ties", [0.0, 0.7])
@pytest.mark.parametrize("prior", [0.1, 0.0, 2.0])
def test_the_scores_are_where_the_log_posterior_is_flat(Model: Any, ties: float, prior: float) -> None:
    """The plain log posterior, added up comparison by comparison, has no slope at what was learned."""
    preferences = said(Model, ties=ties)
    model = Model(prior).fit(preferences)
    assert (model.tie_ is None) == (ties == 0)
    slope = gradient(Model.__name__, preferences, model.scores_, model.tie_, prior)
    assert np.abs(slope).max() < 1e-6
    assert abs(model.scores_.sum()) < 1e-8


@both_models
@given(connected_data())
def test_no_small_step_climbs_higher(Model: Any, data: Any) -> None:
    """Whatever the data, with ties and weights, no neighbour of the scores has a larger log posterior."""
    n, pairs, tie, weight = data
    preferences = Preferences.from_pairs(pairs, tie=tie, weight=weight, items=range(n))
    model = Model(0.1).fit(preferences)
    rng = np.random.default_rng(0)
    top = log_posterior(Model.__name__, preferences, model.scores_, model.tie_, 0.1)
    for _ in range(5):
        aside = model.scores_ + 1e-3 * rng.standard_normal(n)
        tie_aside = None if model.tie_ is None else model.tie_ + 1e-3 * rng.standard_normal()
        assert log_posterior(Model.__name__, preferences, aside, tie_aside, 0.1) < top


@both_models
@given(connected_data(), st.randoms(use_true_random=False))
def test_names_and_order_do_not_matter(Model: Any, data: Any, random: Any) -> None:
    """Items renamed and rows shuffled keep their scores; without a prior the scores sum to 0."""
    n, pairs, tie, weight = data
    rename, order = random.sample(range(n), n), random.sample(range(len(pairs)), len(pairs))
    plain = Preferences.from_pairs(pairs, tie=tie, weight=weight, items=range(n))
    other = Preferences.from_pairs(
        np.array(rename)[pairs][order], tie=tie[order], weight=weight[order], items=range(n)
    )
    for prior in (0.1, 0.0):
        scores = Model(prior).fit(plain).scores_
        np.testing.assert_allclose(Model(prior).fit(other).scores_[rename], scores, atol=1e-7)
        assert abs(scores.sum()) < 1e-7


@both_models
@given(connected_data())
def test_outcomes_are_probabilities(Model: Any, data: Any) -> None:
    """The three outcomes sum to one, turn around with the pair, and give the probability of a decision."""
    n, pairs, tie, weight = data
    model = Model().fit(Preferences.from_pairs(pairs, tie=tie, weight=weight, items=range(n)))
    a, b = np.divmod(np.arange(n * n), n)
    forth, back = model.outcome_probability(a, b), model.outcome_probability(b, a)
    np.testing.assert_allclose(forth.sum(axis=-1), 1, atol=1e-12)
    np.testing.assert_allclose(forth, back[:, ::-1], atol=1e-12)
    np.testing.assert_allclose(forth[:, 0] / (forth[:, 0] + forth[:, 2]), model.win_probability(a, b))
    assert (forth[:, 1] > 0).all() == tie.any()


@both_models
@pytest.mark.parametrize("ties", [0.0, 0.7])
def test_the_covariance_is_the_inverse_curvature(Model: Any, ties: float) -> None:
    """The covariance is that of the plain log posterior, the tie parameter being unknown as well."""
    preferences = said(Model, ties=ties)
    model = Model(0.3).fit(preferences)
    whole = np.linalg.inv(curvature(Model.__name__, preferences, model.scores_, model.tie_, 0.3))[:5, :5]
    centring = np.eye(5) - 1 / 5
    np.testing.assert_allclose(model.covariance(), centring @ whole @ centring, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(model.variance(), np.diag(model.covariance()))


@both_models
def test_the_tie_parameter_is_found(Model: Any) -> None:
    """From many answers with ties, scores and tie parameter come out as they were put in."""
    model = Model().fit(said(Model, 20_000, ties=0.7))
    np.testing.assert_allclose(model.scores_, WORTH - WORTH.mean(), atol=0.1)
    put_in = 0.7 if Model is Thurstone else np.log(0.7)
    assert model.tie_ == pytest.approx(put_in, abs=0.05)


@both_models
def test_a_tie_is_no_half_win(Model: Any) -> None:
    """Ties make the outcome "tie" likelier, which half a win for each does not, and draw the two together."""
    decided = [(0, 1)] * 8 + [(1, 0)] * 2
    model = Model().fit(Preferences.from_pairs(decided + [(0, 1)] * 10, tie=[False] * 10 + [True] * 10))
    halves = Model().fit(
        Preferences.from_pairs(decided + [(0, 1), (1, 0)] * 10, weight=[1] * 10 + [0.5] * 20)
    )
    assert model.outcome_probability(0, 1)[1] == pytest.approx(0.5, abs=0.03)
    assert halves.outcome_probability(0, 1)[1] == 0
    assert model.win_probability(0, 1) > halves.win_probability(0, 1)


@both_models
@pytest.mark.parametrize("extra", [[(0, 1)], [(0, 1), (0, 2), (0, 3)], [(1, 0)]])
def test_an_unbeaten_or_winless_item(Model: Any, extra: list[tuple[int, int]]) -> None:
    """Where peers raise, or call all items equal, the item is finite and in its place, prior or not."""
    preferences = Preferences.from_pairs(ROUND + extra)
    scores = Model().fit(preferences).scores_
    with pytest.warns(
        PenchantWarning, match=r"no maximum likelihood exists.*'0' never (lost to|beat) the others"
    ):
        unlimited = Model(prior=0).fit(preferences)
    assert unlimited.prior_ == 1e-3
    for found in (scores, unlimited.scores_):
        assert np.isfinite(found).all()
        assert np.argmax(np.abs(found)) == 0
        assert np.sign(found[0]) == (1 if extra[0][0] == 0 else -1)
    np.testing.assert_allclose(scores[2], scores[3], atol=0.3)


@both_models
def test_groups_that_never_met_are_named(Model: Any) -> None:
    """Two groups never compared with one another get a warning that names them; one lone item does not."""
    apart = Preferences.from_pairs([("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("c", "d")])
    with pytest.warns(PenchantWarning, match=r"2 groups .*'a', 'b' \| 'c', 'd'.*cannot be compared"):
        model = Model().fit(apart)
    wide = np.diff(model.difference_interval("a", "c"))[0]
    assert wide > 1.5 * np.diff(model.difference_interval("c", "d"))[0]
    with pytest.warns(PenchantWarning, match=r"'a', 'b' never met the others; 'c', 'd' never met"):
        Model(prior=0).fit(apart)
    Model().fit(Preferences.from_pairs(ROUND, items=range(6)))


@both_models
def test_a_ranking_tells_what_updating_did_not_warn_of(Model: Any) -> None:
    """Answers that come one by one do not warn, but a ranking of groups that never met says so."""
    model = Model().fit(Preferences.from_pairs([("a", "b")], items="abcd"))
    model.update(Preferences.from_pairs([("c", "d")], items="abcd"))
    (caveat,) = model.rank().caveats
    assert "2 groups" in caveat
    model.update(Preferences.from_pairs([("b", "c")], items="abcd"))
    assert model.rank().caveats == ()


@both_models
@pytest.mark.parametrize(
    ("pairs", "tie"),
    [
        ([(0, 1), (0, 1)], [True, True]),  # nothing but ties
        ([(0, 1), (0, 1)], [False, True]),  # the second never won
        ([(0, 1), (1, 2), (0, 2)], [False, False, True]),  # a circle of two preferences and one tie: exists
    ],
)
def test_ties_that_leave_no_maximum(Model: Any, pairs: Any, tie: Any) -> None:
    """Ties that nothing contradicts send the tie parameter to infinity; that is noticed and said."""
    preferences = Preferences.from_pairs(pairs, tie=tie)
    if len(pairs) == 3:
        model = Model(prior=0).fit(preferences)
        assert np.abs(gradient(Model.__name__, preferences, model.scores_, model.tie_, 0)).max() < 1e-5
        return
    with pytest.warns(PenchantWarning, match="ties and preferences never contradict one another"):
        model = Model(prior=0).fit(preferences)
    assert np.isfinite([*model.scores_, model.tie_]).all()


@both_models
def test_both_bad_sets_a_bar(Model: Any) -> None:
    """Both-bad answers put a bar above their items; the ranking tells its score and does not list it."""
    left, right = ["a", "a", "b", "c", "b"], ["b", "b", "c", "d", "a"]
    outcome = ["left", "left", "left", "both_bad", "left"]
    model = Model().fit(Preferences.from_answers(left, right, outcome))
    ranking = model.rank()
    assert "(bar)" not in ranking.items
    assert ranking.bar > max(model.scores_[model.catalogue_.encode(["c", "d"])])


@both_models
@pytest.mark.parametrize("items", [1, 4])
def test_no_answers(Model: Any, items: int) -> None:
    """With no comparison all scores are 0 and, among several items, as wide as the prior."""
    model = Model(0.25).fit(Preferences.from_pairs([], items=range(items)))
    np.testing.assert_array_equal(model.scores_, 0)
    np.testing.assert_allclose(model.variance(), 4)
    assert len(model.rank()) == items


@both_models
def test_huge_differences_stay_finite(Model: Any) -> None:
    """A long chain of one-sided answers spans scores that no exponential can hold, and still has its summit."""
    n = 600
    chain = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    pairs = np.concatenate([chain, chain[:, ::-1]])
    weight = np.repeat([40.0, 1.0], n - 1)
    model = Model(prior=0).fit(Preferences.from_pairs(pairs, weight=weight))
    step = np.log(40) if Model is BradleyTerry else np.sqrt(2) * 1.97
    np.testing.assert_allclose(-np.diff(model.scores_), step, rtol=1e-3)


@both_models
def test_the_prior_leaves_ties_alone(Model: Any) -> None:
    """Of equal items, as many tie as were said to, however strong the prior on worth; so do intervals."""
    pairs = [(0, 1), (1, 0)] * 9 + [(0, 1)] * 2
    tie = [False] * 18 + [True] * 2
    preferences = Preferences.from_pairs(pairs, tie=tie)
    for prior in (0.001, 0.1, 100.0):
        model = Model(prior).fit(preferences)
        assert model.outcome_probability(0, 1)[1] == pytest.approx(0.1, abs=1e-8)


@both_models
def test_where_everything_was_tied(Model: Any) -> None:
    """A tie is nearly sure, the tie parameter is finite, and the items are equal; one decision changes that."""
    tied = Preferences.from_pairs([(0, 1)] * 50, tie=[True] * 50)
    model = Model().fit(tied)
    assert 0.95 < model.outcome_probability(0, 1)[1] < 0.999
    np.testing.assert_allclose(model.scores_, 0, atol=1e-9)
    assert np.isfinite(model.rank().upper).all()
    model.update(Preferences.from_pairs([(0, 1)]))
    assert model.outcome_probability(0, 1)[1] == pytest.approx(50 / 51, abs=1e-2)


@both_models
def test_large_and_tiny_weights(Model: Any) -> None:
    """Weights of a billion and of a billionth give, without a prior, the scores of weight one."""
    preferences = said(Model)
    scores = Model(prior=0).fit(preferences).scores_
    for weight in (1e9, 1e-9):
        weighted = Preferences.from_pairs(
            preferences.pairs(), weight=[weight] * len(preferences), items=range(5)
        )
        np.testing.assert_allclose(Model(prior=0).fit(weighted).scores_, scores, atol=1e-6)


@both_models
def test_intervals(Model: Any) -> None:
    """Intervals are around the scores, differences use the covariance, and an item does not differ from itself."""
    model = Model(0.1).fit(said(Model))
    lower, upper = model.interval(0.9).T
    np.testing.assert_allclose((lower + upper) / 2, model.scores_)
    np.testing.assert_allclose((upper - lower) / 2, 1.6449 * np.sqrt(model.variance()), rtol=1e-4)
    C = model.covariance()
    low, high = model.difference_interval(0, 3, 0.9)
    assert (high - low) / 2 == pytest.approx(1.6449 * np.sqrt(C[0, 0] + C[3, 3] - 2 * C[0, 3]), rel=1e-4)
    np.testing.assert_allclose(
        model.difference_interval([0, 1], [3, 1], 0.9), [[low, high], [0, 0]], atol=1e-12
    )
    with pytest.raises(InvalidInput, match="level must be a number between 0 and 1"):
        model.interval(1.0)


@both_models
def test_updating_in_parts_is_fitting_at_once(Model: Any) -> None:
    """Weighted rankings with ties, pairs and new items, taken in one by one, give the state of one fit."""
    rows = Preferences.from_rankings(
        [[0, 1, [2, 3]], [3, 2], [1, [0, 3]], [2, 0, 1, 3]], weight=[0.1, 0.7, 0.3, 1 / 3]
    )
    whole = Model().fit(rows)
    parts = Model().fit(rows[:0])
    for row in rows:
        parts.update(row)
    assert to_bytes(parts) == to_bytes(whole)
    np.testing.assert_array_equal(parts.variance(), whole.variance())


@both_models
def test_the_state_holds_no_posterior(Model: Any) -> None:
    """Asking for intervals or a ranking changes nothing that is saved."""
    model = Model().fit(said(Model))
    before = to_bytes(model)
    model.rank()
    assert to_bytes(model) == before
    assert to_bytes(Model()) == to_bytes(from_bytes(to_bytes(Model())))


@both_models
@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("pairs_", lambda pairs: pairs + 1),
        ("pairs_", lambda pairs: pairs[::-1].copy()),
        ("pairs_", lambda pairs: pairs[:, ::-1].copy()),
        ("totals_", lambda totals: -totals),
        ("totals_", lambda totals: totals[:, :-1].copy()),
        ("scores_", lambda scores: scores[:-1].copy()),
        ("scores_", lambda scores: scores * np.nan),
        ("_counts", lambda answers: -1.0 - answers),
        ("tie_", lambda tie: "0"),
    ],
)
def test_a_damaged_state_is_refused(Model: Any, name: str, damage: Any) -> None:
    """A file whose arrays do not fit together is rejected with a message."""
    model = Model().fit(said(Model))
    setattr(model, name, damage(getattr(model, name)))
    with pytest.raises(CannotLoad, match=r"must .*: the file was altered"):
        from_bytes(unchecked_bytes(model))


@both_models
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"prior": -1}, "prior must be a number of at least 0, got -1"),
        ({"prior": np.nan}, "prior must be a number of at least 0, got nan"),
        ({"prior": "weak"}, "prior must be a number of at least 0, got 'weak'"),
        ({"feature_prior": 0}, "feature_prior must be a number above 0, got 0"),
        ({"errors": "bootstrap"}, "errors must be one of auto, .*got 'bootstrap'"),
    ],
)
def test_wrong_settings_are_refused(Model: Any, settings: dict[str, Any], message: str) -> None:
    """A setting that makes no sense is rejected when it is used."""
    with pytest.raises(InvalidInput, match=message):
        Model(**settings).fit(said(Model))
