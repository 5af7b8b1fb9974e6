"""Circular triples, and how many noise explains."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from penchant.study import cycles
from penchant.study.columns import AnswerColumns
from penchant.study.cycles import circular_triples
from tests.study.simulated import simulated_columns


def plain_count(columns: AnswerColumns) -> tuple[int, int]:
    """Circular triples and all triples with majorities, one after the other."""
    n = len(columns.items)
    lead = np.zeros((n, n))
    for left, right, choice in zip(columns.left, columns.right, columns.choice, strict=True):
        if choice <= 1:
            sign = 1 if choice == 0 else -1
            lead[left, right] += sign
            lead[right, left] -= sign
    circular = triples = 0
    for a, b, c in combinations(range(n), 3):
        signs = np.sign([lead[a, b], lead[b, c], lead[c, a]])
        triples += bool(signs.all())
        circular += bool(abs(signs.sum()) == 3)
    return circular, triples


@pytest.mark.parametrize("most_items", [600, 0])
def test_triples_are_counted(monkeypatch: pytest.MonkeyPatch, most_items: int) -> None:
    """By dense and by sparse products as one after the other."""
    monkeypatch.setattr(cycles, "MOST_ITEMS", most_items)
    for seed in range(3):
        columns = simulated_columns(seed, n_items=10, answers=12, shares={"tie": 0.2, "skip": 0.1})
        found = circular_triples(columns, 0.01)
        assert (found.circular, found.triples) == plain_count(columns)
        assert found.items == 10


def test_many_opponents_are_counted_among_the_most_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only triples of the items with the most opponents, which are counted as in a study of those alone."""
    monkeypatch.setattr(cycles, "MOST_ITEMS", 8)
    monkeypatch.setattr(cycles, "MOST_STEPS", 1)
    columns = simulated_columns(n_items=12, answers=6)
    found = circular_triples(columns, 0.01)
    assert found.items == 8
    met = {(min(pair), max(pair)) for pair in zip(columns.left.tolist(), columns.right.tolist(), strict=True)}
    opponents = [sum(row in pair for pair in met) for row in range(12)]
    kept = set(np.argsort(-np.array(opponents), kind="stable")[:8].tolist())
    among = [row for row in range(len(columns)) if {columns.left[row], columns.right[row]} <= kept]
    names = np.array(columns.items)
    alone = AnswerColumns.of(
        names[columns.left[among]].tolist(),
        names[columns.right[among]].tolist(),
        [("left", "right")[code] for code in columns.choice[among]],
        items=columns.items,
    )
    assert (found.circular, found.triples) == plain_count(alone)


def excess(**settings: object) -> bool:
    found = circular_triples(simulated_columns(**settings), 0.01)
    return found.circular > found.upper


@pytest.mark.parametrize(("spread", "n_items"), [(0.0, 10), (1.2, 20)])
def test_noise_alone_is_rarely_called_more(spread: float, n_items: int) -> None:
    """Answers that follow one order, or none at all, exceed the limit of 1 % in at most 5 % of studies."""
    assert sum(excess(seed=seed, n_items=n_items, answers=20, spread=spread) for seed in range(60)) <= 3


def test_preferences_in_a_circle_are_found() -> None:
    """Each item mostly beats the next third of the circle and loses to the last: no order explains that."""
    n = 15
    ahead = (np.arange(n)[None] - np.arange(n)[:, None]) % n
    chance = np.where(ahead <= n // 2, 0.8, 0.2)
    assert all(excess(seed=seed, n_items=n, chance=chance) for seed in range(5))


def test_without_triples_nothing_is_expected() -> None:
    """One pair has none."""
    columns = AnswerColumns.of(["a"], ["b"], ["left"], items="abc")
    found = circular_triples(columns, 0.01)
    assert (found.circular, found.triples, found.expected) == (0, 0, 0.0)


def test_weights_are_repeated_answers() -> None:
    """A row of weight 2 counts as two rows; with weights that are not whole each row counts once."""
    rows = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")]
    left, right = zip(*rows, strict=True)
    heavy = AnswerColumns.of(left, right, ["left"] * 4, items="abc", weight=[1, 1, 2, 1])
    assert circular_triples(heavy, 0.01).circular == 1
    light = AnswerColumns.of(left, right, ["left"] * 4, items="abc", weight=[1, 1, 1.5, 1])
    assert circular_triples(light, 0.01).triples == 0
