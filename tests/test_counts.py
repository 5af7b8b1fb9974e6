"""Weights as counts: wherever answers are counted, a whole weight is that many answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant import Preferences, load, save
from penchant.counts import as_counts, counted, shown_count
from penchant.overview import Overview
from penchant.worth import BradleyTerry, CrowdBradleyTerry, Glicko, PlackettLuce, Thurstone, WinRate

MODELS = [BradleyTerry, Thurstone, PlackettLuce, CrowdBradleyTerry, WinRate, Glicko]


def votes(weight: Any) -> Preferences:
    """Rankings, a comparison and a tie, of two judges."""
    orders = [["tea", "milk", "ale"], ["milk", "tea"], ["ale", "tea", "milk"], [["tea", "ale"]]]
    return Preferences.from_rankings(orders, weight=weight, judge=["x", "x", "y", "y"])


def repeated(preferences: Preferences) -> Preferences:
    """The rows as often as their weights say."""
    assert preferences.weight is not None
    return preferences.without("weight")[
        np.repeat(np.arange(len(preferences)), preferences.weight.astype(int))
    ]


def test_a_weight_is_that_many_answers() -> None:
    """Everything that an overview counts is what it counts of rows that are written out."""
    weighted = votes([5, 2, 3, 1])
    found, written = Overview.of(weighted).to_dict(), Overview.of(repeated(weighted)).to_dict()
    assert found.pop("statements") == 4
    assert written.pop("statements") == found["total"] == written["total"] == 11
    assert (found["rankings"].pop("rows"), written["rankings"].pop("rows")) == (2, 8)
    assert found == written
    assert "rows                4, counting as 11 answers: 26 pairs, 1 tie" in repr(Overview.of(weighted))


@pytest.mark.parametrize("seed", range(5))
def test_sides_judges_and_both_bad_answers_are_counted_by_weight(seed: int) -> None:
    """An overview of weighted answers with sides, judges and a bar is that of the answers written out."""
    rng = np.random.default_rng(seed)
    left = rng.integers(4, size=40)
    right = (left + rng.integers(1, 4, size=40)) % 4
    outcome = rng.choice(["left", "right", "tie", "both_bad"], size=40)
    judge = [f"judge {k}" for k in rng.integers(3, size=40)]
    weighted = Preferences.from_answers(left, right, outcome, judge=judge, weight=rng.integers(1, 6, size=40))
    found, written = (Overview.of(some).to_dict() for some in (weighted, repeated(weighted)))
    del found["statements"], written["statements"]
    for name in ("share", "chance", "kappa"):
        assert found["agreement"].pop(name) == pytest.approx(written["agreement"].pop(name))
    assert found == written


def test_a_weight_that_is_not_whole_is_weight() -> None:
    """What is not a number of answers is reported as their total weight."""
    weighted = votes([5, 2.5, 3, 1])
    assert weighted.n_answers == 11.5
    assert repr(weighted) == (
        "Preferences: answers of weight 11.5 (in 4 rows) of 3 items implying pairs of weight 26.5 and ties of weight 1 "
        "by 2 judges, connected"
    )
    found = Overview.of(weighted)
    assert found.total == 11.5
    assert "4, counting as answers of weight 11.5: pairs of weight 26.5, ties of weight 1" in repr(found)
    assert str(found.answers_a_judge) == "4 at least, 5.75 in the middle, 7.5 at most"


def test_preferences_say_how_many_answers_they_are() -> None:
    """The rows are named beside the answers only where the two differ; the bar is no item."""
    assert repr(votes(None)).startswith(
        "Preferences: 4 rows of 3 items implying 7 pairs and 1 tie by 2 judges"
    )
    assert repr(votes([1, 1, 1, 1])) == repr(votes(None))
    assert repr(votes([5, 2, 3, 1])).startswith(
        "Preferences: 11 answers (in 4 rows) of 3 items implying 26 pairs"
    )
    pair = Preferences.from_pairs([("tea", "coffee"), ("coffee", "tea")], weight=[5000, 1000])
    assert repr(pair) == "Preferences: 6,000 comparisons (in 2 rows) of 2 items, connected"
    bad = Preferences.from_answers(["a"], ["b"], ["both_bad"])
    assert repr(bad) == "Preferences: 1 row of 2 items implying 2 pairs, connected"


@pytest.mark.parametrize("Model", MODELS)
@pytest.mark.filterwarnings("ignore:PlackettLuce has no model of ties")
def test_models_count_answers_by_weight(Model: Any) -> None:
    """The answers of each item are those of the rows written out, and so is the column of the ranking."""
    weighted = votes([5, 2, 3, 1])
    model, written = Model().fit(weighted), Model().fit(repeated(weighted))
    np.testing.assert_array_equal(model.counts_, written.counts_)
    assert model.counts_.dtype == np.int64
    assert dict(zip(model.rank().items, model.rank().answers, strict=True)) == {
        "tea": 19,
        "milk": 18,
        "ale": 17,
    }
    if Model is CrowdBradleyTerry:
        np.testing.assert_array_equal(model.judges().answers, written.judges().answers)


@pytest.mark.parametrize("Model", [Model for Model in MODELS if Model is not Glicko])
@pytest.mark.filterwarnings("ignore:PlackettLuce has no model of ties")
def test_parts_count_as_the_whole(Model: Any, tmp_path: Any) -> None:
    """Weights that are not whole add up to the same last bit in parts, and are saved."""
    rng = np.random.default_rng(0)
    weighted = votes(None)[rng.integers(4, size=40)]
    weighted = Preferences(weighted.statements, weighted.catalogue, weight=rng.uniform(0.1, 3, size=40))
    model = Model().fit(weighted)
    parts = Model().fit(weighted[:7]).update(weighted[7:25]).update(weighted[25:])
    np.testing.assert_array_equal(model.counts_, parts.counts_)
    save(model, tmp_path / "model.zip")
    np.testing.assert_array_equal(load(tmp_path / "model.zip").counts_, model.counts_)
    assert model.rank().rows()[0]["answers"] == shown_count(model.rank().answers[0])


@pytest.mark.parametrize("Model", [BradleyTerry, CrowdBradleyTerry])
def test_a_score_weighs_answers(Model: Any) -> None:
    """The mean log probability of weighted answers is that of the answers written out."""
    weighted = votes([5, 2, 3, 1])
    model = Model().fit(weighted)
    assert model.score(weighted) == pytest.approx(model.score(repeated(weighted)))


def test_counts_in_words() -> None:
    """Whole sums are whole numbers, and all others say what they weigh."""
    assert as_counts(np.array([3.0, 4.0])).dtype == np.int64
    assert as_counts(np.array([3.0, 4.0]), whole=False).dtype == np.float64
    assert [counted(1, "row"), counted(2000, "row"), counted(0.5, "row")] == [
        "1 row",
        "2,000 rows",
        "rows of weight 0.5",
    ]


def test_sums_beyond_what_a_float_holds_exactly_stay_floats() -> None:
    """A weight of 10¹⁹ does not fit an integer of 64 bits: it is reported as weight, everywhere."""
    assert as_counts(np.array([1e19, 2.0])).dtype == np.float64
    assert as_counts(np.array([2.0**53])).dtype == np.int64
    huge = Preferences.from_pairs([("tea", "ale"), ("ale", "tea")], weight=[9999999999999999999, 3])
    assert "10,000,000,000,000,000,000" in repr(Overview.of(huge))
    assert np.isfinite(BradleyTerry().fit(huge).rank().scores).all()
