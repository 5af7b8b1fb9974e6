"""The incremental belief stays at full expectation propagation, also after 100,000 answers without a new start."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from penchant.preferences import Preferences
from penchant.worth import BradleyTerry
from tests.reliability.part import Part

MOST = 0.02
"""In standard deviations of a score."""
MOST_OF_SD = 0.03
"""By which share a standard deviation may be off; the largest that was seen is 0.022, of 1,000 items."""
SIZES = ((20, 2_000), (50, 5_000), (200, 3_000), (50, 100_000), (200, 100_000), (1_000, 20_000))
"""Items and answers."""
FIRST = 500


def trial(number: int, folder: Path) -> Mapping[str, int]:
    """Start from a few hundred answers, learn the others one by one, and compare with sweeps over all of them."""
    n_items, n_answers = SIZES[number % len(SIZES)]
    rng = np.random.default_rng(number)
    scores = 1.5 * rng.standard_normal(n_items)
    first = rng.integers(n_items, size=n_answers)
    second = (first + 1 + np.minimum(rng.geometric(0.05, n_answers), n_items - 1) - 1) % n_items
    second = np.where(second == first, (first + 1) % n_items, second)
    wins = rng.random(n_answers) < 1 / (1 + np.exp(scores[second] - scores[first]))
    pairs = np.where(wins[:, None], np.column_stack([first, second]), np.column_stack([second, first]))
    ids = [str(item) for item in range(n_items)]
    belief = BradleyTerry().live(Preferences.from_pairs(pairs[:FIRST], items=ids))
    for better, worse in pairs[FIRST:].tolist():
        belief.answer(better, worse, 0)
    full = belief.copy().settle()
    sd = np.sqrt(full.variance())
    away = float(np.abs((belief.mean - full.mean) / sd).max())
    ratio = np.sqrt(belief.variance()) / sd
    assert away <= MOST, f"a mean is {away:.3f} sd away with {n_items} items and {n_answers} answers"
    assert 1 - MOST_OF_SD <= ratio.min() <= ratio.max() <= 1 + MOST_OF_SD, (
        f"sds are between {ratio.min():.3f} and {ratio.max():.3f} times"
    )
    return {f"within {MOST} sd at {n_items:,} items and {n_answers:,} answers": 1}


PART = Part(
    name="drift",
    claim="Learning one answer at a time, without a new start, stays within 0.02 standard deviations of expectation "
    "propagation over all answers, and each standard deviation within 3 %.",
    unit="studies",
    full=20,
    trial=trial,
)
