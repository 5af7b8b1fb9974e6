"""Plackett–Luce: special cases, levels and ties, intervals, state and errors."""

from __future__ import annotations

import json
import tarfile
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant import Preferences
from penchant.errors import CannotLoad, InvalidInput, PenchantWarning
from penchant.saving import from_bytes, to_bytes
from penchant.worth import BradleyTerry, PlackettLuce, plackett_luce
from penchant.worth.inference.davidson_luce import Choices
from tests.conftest import DATA
from tests.saving.files import unchecked_bytes
from tests.worth.orders import N_ITEMS, preferences, ranked, shuffled_orders, weighted_orders

GOLDEN = json.loads((Path(__file__).parent / "golden" / "plackett_luce.json").read_text(encoding="utf-8"))


# -- special cases and peers -------------------------------------------------------------------------------


@pytest.mark.parametrize("prior", [0.0, 0.1])
def test_pairs_are_bradley_terry(prior: float) -> None:
    """On pairs, scores and standard errors are those of Bradley–Terry without ties."""
    rng = np.random.default_rng(2)
    orders = [ranked(rng, np.linspace(1, -1, N_ITEMS), 2) for _ in range(150)]
    mine = PlackettLuce(prior).fit(Preferences.from_rankings(orders, items=range(N_ITEMS)))
    theirs = BradleyTerry(prior).fit(Preferences.from_pairs(orders, items=range(N_ITEMS)))
    np.testing.assert_allclose(mine.scores_, theirs.scores_, atol=1e-7)
    np.testing.assert_allclose(mine.covariance(), theirs.covariance(), atol=1e-7)
    assert mine.win_probability(0, 5) == pytest.approx(theirs.win_probability(0, 5), abs=1e-7)


def test_choices_are_a_multinomial_logit() -> None:
    """A choice of one of k has the log-likelihood s_chosen − log Σ exp(s_offered), whatever else was offered."""
    rng = np.random.default_rng(3)
    offered = [rng.permutation(N_ITEMS)[:4].tolist() for _ in range(120)]
    chosen = [int(rng.choice(options)) for options in offered]
    model = PlackettLuce(0.1).fit(Preferences.from_choices(chosen, offered, items=range(N_ITEMS)))
    shares = np.zeros(N_ITEMS)
    for choice, options in zip(chosen, offered, strict=True):
        shares[choice] += 1
        shares[options] -= np.exp(model.scores_[options]) / np.exp(model.scores_[options]).sum()
    np.testing.assert_allclose(shares, 0.1 * model.scores_, atol=1e-8)


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["name"])
def test_maximum_likelihood_agrees_with_choix(case: Any) -> None:
    """With no prior the scores are those of choix."""
    if "rankings" in case:
        prefs = Preferences.from_rankings(case["rankings"], items=range(6))
    else:
        chosen = [choice for choice, _ in case["choices"]]
        offered = [[choice, *rest] for choice, rest in case["choices"]]
        prefs = Preferences.from_choices(chosen, offered, items=range(6))
    np.testing.assert_allclose(PlackettLuce(0.0).fit(prefs).scores_, case["scores"], atol=1e-7)


def test_probabilities_of_choices_and_orders_sum_to_one() -> None:
    """Someone is chosen, and the items come in some order, first place and order agreeing."""
    model = PlackettLuce().fit(shuffled_orders(30, 4, 3))
    options = [0, 1, 3]
    assert sum(model.choice_probability(item, options) for item in options) == pytest.approx(1)
    assert sum(map(model.order_probability, permutations(options))) == pytest.approx(1)
    first = sum(model.order_probability(order) for order in permutations(options) if order[0] == 3)
    assert first == pytest.approx(model.choice_probability(3, options))
    assert model.order_probability([0, 1]) == pytest.approx(model.win_probability(0, 1))


# -- levels and ties ---------------------------------------------------------------------------------------


def test_the_last_level_says_only_that_it_is_below() -> None:
    """A ranking of the best two is the same with the rest in one level, tied or not told apart."""
    tied = PlackettLuce().fit(Preferences.from_rankings([["a", "b", ["c", "d"]]] * 3))
    loose = PlackettLuce().fit(Preferences.from_ratings(["u"] * 4, list("abcd"), [5, 4, 1, 1]))
    thrice = Preferences.from_ratings(np.repeat(["u", "v", "w"], 4), list("abcd") * 3, [5, 4, 1, 1] * 3)
    np.testing.assert_allclose(tied.scores_, PlackettLuce().fit(thrice).scores_)
    assert loose.scores_[2] == pytest.approx(loose.scores_[3])


def test_items_on_one_higher_level_are_drawn_together() -> None:
    """Efron's approximation: a ranking that does not tell a and b apart brings them nearer to one another."""
    apart = Preferences.from_rankings([["a", "b", "c"], ["a", "c", "b"]], items="abc")
    model = PlackettLuce().fit(apart)
    nearer = PlackettLuce().fit(apart + Preferences.from_rankings([[["a", "b"], "c"]] * 5, items="abc"))
    assert np.ptp(nearer.scores_[:2]) < np.ptp(model.scores_[:2])
    assert nearer.scores_[2] < nearer.scores_[:2].min()


def test_rows_that_are_nothing_but_ties_are_left_out_with_a_word() -> None:
    """A tie of two items says nothing in this model, and that is said."""
    prefs = Preferences.from_pairs([("a", "b"), ("b", "a"), ("a", "b")], tie=[False, False, True])
    with pytest.warns(PenchantWarning, match=r"no model of ties: 1 of 3 rows .* use BradleyTerry"):
        model = PlackettLuce().fit(prefs)
    np.testing.assert_allclose(model.scores_, 0, atol=1e-12)
    silent = PlackettLuce().fit(Preferences.from_ratings(["u", "u"], ["a", "b"], [3, 3]))
    assert silent.scores_.tolist() == [0.0, 0.0]


def test_both_bad_lose_to_the_bar() -> None:
    """The bar is an item that is not ranked."""
    model = PlackettLuce().fit(Preferences.from_answers(["a"] * 3, ["b"] * 3, ["left", "right", "both_bad"]))
    assert model.rank().bar == model.scores_[-1] > model.scores_[:2].max()
    assert sorted(model.rank().items) == ["a", "b"]


# -- what cannot be known ----------------------------------------------------------------------------------


def test_without_prior_and_maximum_a_small_prior_is_used_and_the_groups_are_named() -> None:
    """An item that always comes first has no maximum likelihood; the answer is finite and the warning names it."""
    orders = [["best", "b", "c"], ["best", "c", "b"]]
    with pytest.warns(PenchantWarning, match=r"no maximum likelihood exists.*'b', 'c'.*'best'.*prior 0.001"):
        model = PlackettLuce(0.0).fit(Preferences.from_rankings(orders))
    assert model.prior_ == 0.001
    assert model.rank().items[0] == "best"
    assert np.isfinite(model.variance()).all()


def test_groups_never_compared_are_named() -> None:
    """Two groups of rankings are ranked in one table only with a caveat, which fitting also warns of."""
    orders = Preferences.from_rankings([["a", "b", "c"], ["x", "y", "z"]])
    with pytest.warns(
        PenchantWarning, match=r"2 groups that were never compared .*'a', 'b', 'c' \| 'x', 'y', 'z'"
    ):
        PlackettLuce().fit(orders)
    model = PlackettLuce().fit(orders[:0]).update(orders)
    assert "never compared" in model.rank().caveats[0]


def test_one_item_alone_has_a_score() -> None:
    """A single item, never compared, is worth 0, with the variance of the prior."""
    model = PlackettLuce().fit(Preferences.from_rankings([["only"]]))
    assert model.scores_.tolist() == [0.0]
    np.testing.assert_allclose(model.variance(), [10.0])


# -- how sure ----------------------------------------------------------------------------------------------


def test_intervals_cover_the_truth() -> None:
    """95 % intervals hold the true score in 93 to 97 % of 250 simulations of 40 rankings of 5 of 8 items."""
    rng = np.random.default_rng(5)
    true = np.linspace(1.2, -1.2, 8)
    held = []
    for _ in range(250):
        prefs = Preferences.from_rankings([ranked(rng, true, 5) for _ in range(40)], items=range(8))
        low, high = PlackettLuce(0.01).fit(prefs).interval().T
        held.append((low <= true) & (true <= high))
    assert 0.93 <= np.mean(held) <= 0.97


def test_scores_are_found_again() -> None:
    """From 3,000 choices of one of 5 and rankings of 5, the true scores come back within four errors."""
    rng = np.random.default_rng(6)
    true = rng.normal(size=20)
    true -= true.mean()
    orders = [ranked(rng, true, 5) for _ in range(3000)]
    chosen = Preferences.from_choices([order[0] for order in orders], orders, items=range(20))
    both = chosen + Preferences.from_rankings([ranked(rng, true, 5) for _ in range(500)], items=range(20))
    model = PlackettLuce().fit(both)
    assert (np.abs(model.scores_ - true) < 4 * np.sqrt(model.variance())).all()
    assert np.median(np.sqrt(model.variance())) < 0.1


def test_the_sampled_posterior_is_near_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the matrix, standard deviations are within 5 %, and draws have the covariance."""
    prefs = shuffled_orders(300, 30, 4)
    exact = PlackettLuce().fit(prefs)
    monkeypatch.setattr(plackett_luce, "DENSE_ITEMS", 3)
    sampled = PlackettLuce().fit(prefs)
    np.testing.assert_allclose(np.sqrt(sampled.variance()), np.sqrt(exact.variance()), rtol=0.05)
    np.testing.assert_allclose(sampled.covariance([0, 1], [2]), exact.covariance([0, 1], [2]), atol=1e-6)
    assert sampled.sample(10).shape == (10, 30)
    assert sampled.rank().draws == 200


# -- state -------------------------------------------------------------------------------------------------


@given(weighted_orders, st.integers(1, 3))
@settings(max_examples=25)
@pytest.mark.filterwarnings("ignore::penchant.errors.PenchantWarning")
def test_chunks_and_repeats_change_no_bit(rows: Any, size: int) -> None:
    """In pieces or at once, with weights that do not add up exactly, the state is the same."""
    prefs = preferences([*rows, *rows])
    pieces = PlackettLuce().fit(prefs[:0])
    for start in range(0, len(prefs), size):
        pieces.update(prefs[start : start + size])
    assert to_bytes(pieces) == to_bytes(PlackettLuce().fit(prefs))


def test_the_order_of_arrival_changes_no_bit() -> None:
    """With whole weights, rankings in another order give the same bytes."""
    prefs = shuffled_orders(60, 5, 3)
    again = prefs[np.random.default_rng(1).permutation(60)]
    assert to_bytes(PlackettLuce().fit(prefs)) == to_bytes(PlackettLuce().fit(again))


def test_equal_rankings_are_kept_once() -> None:
    """A thousand rankings of three items are six different ones, with their weights."""
    model = PlackettLuce().fit(shuffled_orders(1000, 3, 3))
    assert len(model.orders_) == 6
    assert model.orders_.weight.sum() == 1000
    assert model.counts_.tolist() == [2000] * 3


def test_the_posterior_is_not_saved_and_not_kept_too_long() -> None:
    """Asking how sure it is changes no byte, and more answers make it surer."""
    model = PlackettLuce().fit(shuffled_orders(30, 5, 3))
    before, variance = to_bytes(model), model.variance()
    assert to_bytes(model) == before
    assert (model.update(shuffled_orders(30, 5, 3, seed=1)).variance() < variance).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scores_", np.ones(4)),
        ("scores_", np.full(5, np.nan)),
        ("_counts", -np.ones(5)),
        ("prior_", -1.0),
        ("pairs_", np.array([[0], [9]], dtype=np.int32)),
        ("totals_", -np.ones((3, 1))),
        ("totals_", 3),
        ("orders_", Preferences.from_rankings([["a", "b", "c"]])),
        ("catalogue_", 5),
        ("more_", 5),
    ],
)
def test_a_damaged_state_is_refused(name: str, value: object) -> None:
    """What does not fit together is not loaded."""
    model = PlackettLuce().fit(shuffled_orders(9, 5, 3) + Preferences.from_pairs([(0, 1)], items=range(5)))
    assert to_bytes(from_bytes(to_bytes(model))) == to_bytes(model)
    setattr(model, name, value)
    with pytest.raises(CannotLoad, match="PlackettLuce rejects its state"):
        from_bytes(unchecked_bytes(model))


def test_an_unfitted_model_survives_saving() -> None:
    """Its setting comes back."""
    assert from_bytes(to_bytes(PlackettLuce(0.5))).get_params() == {"prior": 0.5, "ties": "unordered"}


# -- refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prior", [-1.0, float("nan"), float("inf")])
def test_a_prior_that_is_none_is_refused(prior: float) -> None:
    """A precision is at least 0 and finite."""
    with pytest.raises(InvalidInput, match="prior must be a number of at least 0, got"):
        PlackettLuce(prior).fit(shuffled_orders(3, 3, 2))


def test_choices_among_nothing_and_repeated_items_are_refused() -> None:
    """What was chosen must have been offered, and each item is named once."""
    model = PlackettLuce().fit(shuffled_orders(9, 4, 3))
    with pytest.raises(InvalidInput, match=r"offered must hold the chosen 3, got \[0, 1\]: add it"):
        model.choice_probability(3, [0, 1])
    with pytest.raises(InvalidInput, match=r"offered must be different items, got \[0, 0\]"):
        model.choice_probability(0, [0, 0])
    with pytest.raises(InvalidInput, match="order must be different items"):
        model.order_probability([])


# -- real rankings -----------------------------------------------------------------------------------------


@pytest.mark.needs("data:sushi")
def test_sushi_is_ranked(tmp_path: Path) -> None:
    """5,000 orders of ten kinds: fatty tuna first and cucumber roll last, all ten told apart from the last."""
    with tarfile.open(DATA / "sushi" / "sushi.tar.xz") as archive:
        archive.extract("sushi/sushi3a.5000.10.order", tmp_path, filter="data")
    lines = (tmp_path / "sushi" / "sushi3a.5000.10.order").read_text(encoding="utf-8").splitlines()[1:]
    orders = [line.split()[2:] for line in lines]
    ranking = PlackettLuce().fit(Preferences.from_rankings(orders)).rank()
    assert len(orders) == 5000
    assert (ranking.items[0], ranking.items[-1]) == ("7", "9")
    assert (ranking.upper - ranking.lower).max() < 0.2
    assert ranking.groups[-1] > ranking.groups[-2]


# -- ties as in R's PlackettLuce ---------------------------------------------------------------------------

FRUITS = ["apple", "banana", "orange"]
FRUIT_ORDERS = [
    ["apple", "banana"],
    ["banana", "orange", "apple"],
    [["banana", "orange"], "apple"],
    ["apple", "banana", "orange"],
    [["banana", "orange"], "apple"],
    ["apple", "orange"],
]


def with_a_reference(orders: list[Any], items: list[str]) -> Preferences:
    """R's default, npseudo = 0.5: half a win and half a loss of each item against a hypothetical one."""
    pseudo = [pair for item in items for pair in ([item, "reference"], ["reference", item])]
    weight = [1.0] * len(orders) + [0.5] * len(pseudo)
    return Preferences.from_rankings(orders + pseudo, weight=weight, items=[*items, "reference"])


def test_ties_are_those_of_rs_plackettluce() -> None:
    """The fit that the package's own tests print: coefficients to seven digits, standard errors to four."""
    model = PlackettLuce(0, ties="davidson-luce").fit(with_a_reference(FRUIT_ORDERS, FRUITS))
    relative = model.scores_ - model.scores_[0]
    assert [f"{score:.7f}" for score in relative[1:3]] == ["0.2867987", "-0.4636687"]
    assert model.tie_sizes_ == (2,)
    assert f"{np.log(model.tie_prevalence_[0]):.6f}" == "-1.070113"
    # R leaves what it added out of the information that its standard errors come from.
    curvature = Choices.of(Preferences.from_rankings(FRUIT_ORDERS, items=FRUITS)).curve(
        np.append(model.scores_[:3], np.log(model.tie_prevalence_))
    )[1]
    errors = np.sqrt(np.diag(np.linalg.inv(curvature[1:, 1:])))
    assert [f"{error:.4f}" for error in errors] == ["1.0129", "1.0280", "0.9043"]


def test_without_ties_it_is_plackett_luce() -> None:
    """The published fit of the package's overview, and that of the other reading of ties."""
    orders = [["A", "B"], ["C", "A"], ["A", "D"], ["B", "A"], ["B", "C"]]
    found = [
        PlackettLuce(0, ties=ties).fit(with_a_reference(orders, list("ABCD"))).scores_
        for ties in ("unordered", "davidson-luce")
    ]
    np.testing.assert_allclose(found[1], found[0], atol=1e-7)
    published = [0.5184185, 0.1354707, -1.1537565]
    np.testing.assert_allclose((found[1] - found[1][0])[1:4], published, atol=2e-7)


def test_tied_pairs_are_davidsons_model() -> None:
    """On pairs, scores and the probability of a tie are those of Bradley–Terry with ties."""
    pairs = [("a", "b"), ("b", "a"), ("a", "b"), ("b", "c"), ("c", "b"), ("a", "c"), ("c", "a"), ("b", "c")]
    prefs = Preferences.from_pairs(pairs, tie=[False] * 6 + [True] * 2)
    mine, theirs = PlackettLuce(0, ties="davidson-luce").fit(prefs), BradleyTerry(0).fit(prefs)
    np.testing.assert_allclose(mine.scores_, theirs.scores_, atol=1e-5)
    np.testing.assert_allclose(
        mine.outcome_probability("a", "b"), theirs.outcome_probability("a", "b"), atol=1e-5
    )


def test_ties_survive_saving_and_updates() -> None:
    """A loaded model is the same, and learning in two parts gives the same scores as at once."""
    prefs = Preferences.from_rankings([*FRUIT_ORDERS, [["apple", "orange"]], ["orange", "apple"]])
    whole = PlackettLuce(ties="davidson-luce").fit(prefs)
    loaded = from_bytes(to_bytes(whole))
    assert loaded.get_params() == {"prior": 0.1, "ties": "davidson-luce"}
    np.testing.assert_array_equal(loaded.scores_, whole.scores_)
    parts = PlackettLuce(ties="davidson-luce").fit(prefs[:4]).update(prefs[4:])
    np.testing.assert_allclose(parts.scores_, whole.scores_, atol=1e-12)
    assert "ties" not in PlackettLuce().__save_state__()
    assert whole.rank().items[0] in FRUITS


@pytest.mark.parametrize(
    ("prefs", "ties", "message"),
    [
        (
            Preferences.from_choices(["a"], [["a", "b", "c"]]),
            "davidson-luce",
            "be rankings, whose equal items",
        ),
        (Preferences.from_pairs([(0, 1)], items=range(2001)), "davidson-luce", "at most 2,000 items"),
        (
            Preferences.from_pairs([(0, 1)], tie=[True]),
            "davidson-luce",
            "prefer some item to another, got ties",
        ),
        (Preferences.from_pairs([(0, 1)]), "efron", "ties must be one of unordered, davidson-luce"),
    ],
)
def test_what_has_no_ties_of_that_kind_is_rejected(prefs: Preferences, ties: Any, message: str) -> None:
    """Choices, many items, ties alone, and a reading that does not exist."""
    with pytest.raises(InvalidInput, match=message):
        PlackettLuce(ties=ties).fit(prefs)
