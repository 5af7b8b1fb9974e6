"""Items with features and links, answers about them, and what every live belief of a Gaussian process keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant import Preferences
from penchant.study.snapshots import Snapshot, pack, unpack

N = 30
IDS = [f"item {row}" for row in range(N)]
FEATURES = pd.DataFrame(
    np.random.default_rng(0).uniform(0, 2, size=(N, 3)), index=IDS, columns=["range", "battery", "price"]
)
LINKS = np.zeros((N, N))
LINKS[np.arange(N - 1), np.arange(1, N)] = 1.0
LINKS += LINKS.T
UTILITY = FEATURES["range"] + 0.5 * FEATURES["battery"] ** 2 - 0.8 * FEATURES["price"]


def preferences(count: int, seed: int = 0) -> Preferences:
    """Answers of all kinds about `IDS`, a longer list beginning with a shorter one."""
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.choice(N, 2, replace=False) for _ in range(count)], dtype=int).reshape(-1, 2)
    lead = UTILITY.to_numpy()[pairs[:, 0]] - UTILITY.to_numpy()[pairs[:, 1]] + rng.normal(0, 0.5, count)
    outcome = np.where(np.abs(lead) < 0.1, "tie", np.where(lead > 0, "left", "right")).astype(object)
    outcome[5::20] = "both_bad"
    left, right = ([IDS[row] for row in column] for column in pairs.T)
    return Preferences.from_answers(left, right, list(outcome), items=IDS)


def decided(count: int) -> Preferences:
    """The same without ties and both-bad answers."""
    given = preferences(count)
    comparisons = given.comparisons()
    kept = ~comparisons.tie & (comparisons.better < N)
    names = np.array(given.items)
    pairs = np.column_stack([names[comparisons.better[kept]], names[comparisons.worse[kept]]])
    return Preferences.from_pairs(pairs.tolist(), items=IDS)


def check_live(belief: Any) -> None:
    """Hold a belief to what `penchant.belief.LiveBelief` promises."""
    assert belief.items_ == tuple(IDS)
    _check_answers(belief)
    _check_explanations(belief)
    _check_copies(belief)
    drawn = belief.sample(4, seed=1, rows=[2, 5])
    assert drawn.shape == (4, 2)
    assert belief.rank().items[0] == IDS[int(np.argmax(belief.mean))]


def _check_answers(belief: Any) -> None:
    counts = belief.counts_.copy()
    for outcome in (0, 1, 2, 0):
        chances = belief.outcome_probabilities(3, 7)
        assert chances.sum() == pytest.approx(1, abs=1e-6)
        log = belief.answer(3, 7, outcome)
        if chances[outcome] > 0:  # the first tie of all sets the threshold
            assert log == pytest.approx(np.log(chances[outcome]), rel=1e-4)
    belief.answer(3, 7, 3)
    assert (belief.counts_ - counts)[[3, 7]].tolist() == [5, 5]
    lead = belief.mean[11] - belief.mean[4]
    for _ in range(5):
        belief.answer(11, 4, 0)
    assert belief.mean[11] - belief.mean[4] > lead
    assert (belief.variance() > 0).all()
    np.testing.assert_allclose(
        belief.covariance([4, 11], [4, 11]).diagonal(), belief.variance([4, 11]), rtol=0.2
    )


def _check_explanations(belief: Any) -> None:
    for a, b in ((3, 7), (11, 20), (28, 29)):
        found, mean = belief.explain(a, b), belief.mean
        total = sum(part[-1] for parts in found for part in parts)
        assert total == pytest.approx(mean[a] - mean[b], abs=1e-9)
        assert all(name in FEATURES for name, _ in found.features)
        assert all(LINKS[a, row] or LINKS[b, row] for row, _ in found.links)


def _check_copies(belief: Any) -> None:
    mean = belief.mean.copy()
    stored = unpack(pack(Snapshot(belief, 0, 0, None)))
    assert stored is not None
    copies = [belief.copy(), type(belief).from_state(belief.state()), stored.belief]
    for other in copies:
        for outcome in (0, 1, 2, 3):
            other.answer(1, 2, outcome)
    assert (belief.mean == mean).all()
    for other in copies[1:]:
        assert other.mean.tobytes() == copies[0].mean.tobytes()
        assert other.variance().tobytes() == copies[0].variance().tobytes()
        assert other.explain(3, 7) == copies[0].explain(3, 7)
