"""Answers that came together: sandwich errors by row, page and judge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.worth import BradleyTerry, Thurstone
from penchant.worth import paired as paired_models
from tests.worth.paired_reference import gradient
from tests.worth.simulated import comparisons, coverage, rankings

WORTH = np.linspace(1.2, -1.2, 10)


def test_rankings_broken_into_pairs_are_told_honestly() -> None:
    """200 rankings of 10: taken one by one their pairs cover less than 80 %, clustered by row 92–98 % (40 runs)."""
    runs: Any = (WORTH, lambda worth, seed: rankings(worth, 200, seed), 40)
    assert coverage(BradleyTerry(errors="model").fit, *runs) < 0.80
    assert 0.92 <= coverage(BradleyTerry().fit, *runs) <= 0.98


@pytest.mark.parametrize("n_rows", [12, 24, 50])
def test_few_rankings_are_told_honestly(n_rows: int) -> None:
    """12, 24 and 50 rankings of 10 items, clustered by row, hold the truth in 93–97 % (150 runs)."""
    held = coverage(BradleyTerry().fit, WORTH, lambda worth, seed: rankings(worth, n_rows, seed), 150)
    assert 0.93 <= held <= 0.97


@pytest.mark.parametrize("n_rows", [3, 6])
def test_very_few_rankings_are_not_told_too_narrowly(n_rows: int) -> None:
    """3 and 6 rankings of 10 items hold the truth in 94 % or more (150 runs)."""
    held = coverage(BradleyTerry().fit, WORTH, lambda worth, seed: rankings(worth, n_rows, seed), 150)
    assert held >= 0.94


def test_rankings_of_some_items_are_told_honestly() -> None:
    """60 rankings of 4 out of 20, so that an item is in 12 of them, hold the truth in 93–97 % (60 runs)."""

    def some(worth: Any, seed: int) -> Preferences:
        rng = np.random.default_rng(seed)
        chosen = np.concatenate([rng.permutation(20) for _ in range(12)]).reshape(60, 4)
        seen = worth[chosen] + rng.gumbel(size=chosen.shape)
        orders = np.take_along_axis(chosen, np.argsort(-seen, axis=1), axis=1)
        return Preferences.from_rankings(orders.tolist(), items=range(20))

    assert 0.93 <= coverage(BradleyTerry().fit, np.linspace(1.2, -1.2, 20), some, 60) <= 0.97


def test_a_judge_who_repeats_himself_is_one_voice() -> None:
    """When each judge says everything ten times, clustering by judge covers what the model's errors do not."""

    def repeated(worth: Any, seed: int) -> Preferences:
        once = comparisons(worth, 200, seed)
        pairs = np.repeat(once.pairs(), 10, axis=0)
        return Preferences.from_pairs(
            pairs, judge=np.repeat(np.arange(200), 10).tolist(), items=range(len(worth))
        )

    runs: Any = (WORTH, repeated, 40)
    assert coverage(BradleyTerry(errors="model").fit, *runs) < 0.6
    assert coverage(BradleyTerry(errors="judge").fit, *runs) > 0.88


def flat(order: Any) -> set[int]:
    return {item for level in order for item in (level if isinstance(level, list) else [level])}


@pytest.mark.parametrize("Model", [BradleyTerry, Thurstone])
def test_the_sandwich_is_that_of_the_definition(Model: Any) -> None:
    """With ties and weights, M is the sum of each row's squared gradient and of three more rows by the model."""
    rows = [[0, 1, [2, 3]], [3, [0, 1], 2], [2, 0], [1, 3], [0, 3], [[0, 2], 3], [1, 0, 2], [3, 1]]
    preferences = Preferences.from_rankings(rows, weight=[1, 2, 1, 1, 2, 1, 3, 1])
    model = Model(0.2, errors="row").fit(preferences)
    curvature = model._hessian()
    lean = curvature.across / curvature.tie_curvature
    M = np.zeros((4, 4))
    for row, weight in zip(preferences, preferences.weight, strict=True):
        slope = gradient(Model.__name__, row.without("weight"), model.scores_, model.tie_, 0.0)
        own = slope[:4] - lean * slope[4]
        M += weight * np.outer(own, own)
    m = np.array(
        [sum(w for row, w in zip(rows, preferences.weight, strict=True) if i in flat(row)) for i in range(4)]
    )
    nu = m - 1 + 3
    H, Q = curvature.matrix(), 0.2 * np.eye(4)
    excess = max(1, float(np.mean(np.diag(M) * m / (m - 1) / np.diag(H - Q))))
    wider = student.ppf(0.975, nu) / norm.ppf(0.975)
    own, model_says = wider * np.sqrt(m / nu), wider * np.sqrt(3 * excess / nu)
    M = np.outer(own, own) * M + np.outer(model_says, model_says) * (H - Q) + Q
    P = np.eye(4) - 1 / 4
    exact = P @ np.linalg.inv(H) @ M @ np.linalg.inv(H) @ P
    np.testing.assert_allclose(model.covariance(), exact, rtol=1e-4, atol=1e-6)


def test_errors_choose_themselves() -> None:
    """Single comparisons use the model's errors, rankings the row's, pages of clicks the page's."""
    pages = Preferences.from_clicks([list("abcd"), list("bacd")], [["c"], ["d", "b"]])
    for preferences, errors in (
        (comparisons(WORTH, 50, 0), "model"),
        (rankings(WORTH, 20, 0), "row"),
        (pages, "source"),
        (Preferences.from_rankings([["a", "b"], ["b", "a"]], judge=["x", "y"]), "model"),
    ):
        assert BradleyTerry().fit(preferences).errors_ == errors


def test_pages_are_clusters() -> None:
    """Pairs of one page count as one ranking that implies them would."""
    ranked = rankings(WORTH, 30, 1)
    said = ranked.comparisons()
    paged = replace(
        Preferences.from_pairs(np.column_stack([said.better, said.worse]), items=range(10)), source=said.row
    )
    by_row, by_page = BradleyTerry().fit(ranked), BradleyTerry().fit(paged)
    assert by_page.errors_ == "source"
    np.testing.assert_allclose(by_page.covariance(), by_row.covariance(), atol=1e-6)


def test_clusters_come_in_parts_too() -> None:
    """Rankings, then pairs that bring a new item and a bar, then rankings: as if all had come at once."""
    parts = [
        Preferences.from_rankings([["a", "b", "c"], ["c", "a", "b"]]),
        Preferences.from_answers(["a", "b", "d"], ["b", "d", "a"], ["right", "left", "both_bad"]),
        Preferences.from_rankings([["d", "c", "b"]]),
    ]
    model = BradleyTerry().fit(parts[0])
    for part in parts[1:]:
        model.update(part)
    whole = BradleyTerry().fit(parts[0] + parts[1] + parts[2])
    assert model.errors_ == "row"
    assert model.items_ == whole.items_
    np.testing.assert_allclose(model.covariance(), whole.covariance(), atol=1e-6)


def test_one_ranking_is_not_taken_for_certainty() -> None:
    """A single cluster says nothing of its own spread: the model's errors count, widened as Student's t is."""
    model = BradleyTerry(0.1).fit(rankings(WORTH, 1, 0))
    wider = (student.ppf(0.975, 3) / norm.ppf(0.975)) ** 2
    H, Q = model._hessian().matrix(), 0.1 * np.eye(10)
    pull = Q @ model.scores_  # at the mode the gradient of the answers is that of the prior
    M = wider * (np.outer(pull, pull) / 3 + H - Q) + Q
    P = np.eye(10) - 1 / 10
    exact = P @ np.linalg.inv(H) @ M @ np.linalg.inv(H) @ P
    np.testing.assert_allclose(model.variance(), np.diag(exact), rtol=1e-6)


def test_rankings_that_are_all_the_same_are_not_certain() -> None:
    """Where clusters do not differ at all, the model's own clusters still keep an interval from closing."""
    same = Preferences.from_rankings([list(range(10))] * 12, items=range(10))
    clustered, alone = BradleyTerry().fit(same), BradleyTerry(errors="model").fit(same)
    assert (clustered.variance() > 0.1 * alone.variance()).all()


def test_rows_that_say_nothing_change_nothing() -> None:
    """Equal grades imply no comparison: an item that is only in such rows is as wide as the prior leaves it."""
    grades = Preferences.from_grades([2, 1, 0, 1, 1, 1], qid=[0, 0, 0, 1, 1, 1])
    variance = BradleyTerry(errors="row").fit(grades).variance()
    np.testing.assert_allclose(variance[3:6], variance[3])
    assert np.isfinite(variance).all()


def test_clusters_of_many_items_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit the sandwich is drawn, ties included, and agrees with the one written out to 13 %."""
    orders = [[[0, 1], 2, 3], [3, [4, 0]], [2, 4, 1], [1, 3], [4, [2, 3]]] * 6 + [
        [0, 3, 1],
        [4, 1],
        [1, 0],
    ] * 4
    model = Thurstone().fit(Preferences.from_rankings(orders))
    exact = model.variance()
    monkeypatch.setattr(paired_models, "DENSE_ITEMS", 3)
    again = Thurstone().fit(Preferences.from_rankings(orders))
    assert "sandwich" in again.posterior().method
    np.testing.assert_allclose(np.sqrt(again.variance() / exact), 1, atol=0.13)


@pytest.mark.parametrize("errors", ["judge", "source"])
def test_clusters_that_nobody_named_are_refused(errors: str) -> None:
    """Asking for errors by judge or page needs preferences that have them."""
    with pytest.raises(InvalidInput, match=f"errors must not be {errors} where no row has a {errors}"):
        BradleyTerry(errors=errors).fit(comparisons(WORTH, 20, 0))
