"""The share of comparisons won."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant import Preferences
from penchant.errors import CannotLoad, InvalidInput
from penchant.saving import from_bytes
from penchant.worth import WinRate
from tests.saving.files import unchecked_bytes

pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda p: p[0] != p[1]), max_size=30)


@given(pairs, st.floats(0.1, 5), st.floats(0, 1), st.data())
def test_scores_are_log_odds_counted_by_hand(
    told: list[tuple[int, int]], prior: float, tie_value: float, data: st.DataObject
) -> None:
    """Wins and losses are counted one by one; a tie gives each its share of a win and the rest of a loss."""
    tie = [data.draw(st.booleans()) for _ in told]
    won, lost = np.full(5, prior), np.full(5, prior)
    for (a, b), tied in zip(told, tie, strict=True):
        won[a] += tie_value if tied else 1
        lost[a] += 1 - tie_value if tied else 0
        won[b] += tie_value if tied else 0
        lost[b] += 1 - tie_value if tied else 1
    model = WinRate(prior, tie_value=tie_value).fit(Preferences.from_pairs(told, tie=tie, items=range(5)))
    np.testing.assert_allclose(model.scores_, np.log(won / lost), atol=1e-12)
    np.testing.assert_allclose(model.variance(), 1 / won + 1 / lost)


def test_implied_pairs_are_counted_and_never_written_out() -> None:
    """100,000 graded items, which imply four billion pairs, are taken in as they are."""
    model = WinRate().fit(Preferences.from_grades(np.arange(100_000) % 5))
    assert model.wins_[4] == 80_000
    assert model.losses_[4] == 0


@pytest.mark.parametrize("settings", [{"prior": 0.0}, {"prior": -1.0}, {"tie_value": 1.5}])
def test_settings_that_mean_nothing_are_refused(settings: dict[str, float]) -> None:
    """A prior of 0 and a tie worth more than a win are named."""
    with pytest.raises(InvalidInput, match="must be"):
        WinRate(**settings).fit(Preferences.from_pairs([(0, 1)]))


def test_a_state_that_does_not_fit_together_is_refused() -> None:
    """A file with scores of another length, or a number where an array was, is damaged."""
    for damage in ({"scores_": np.zeros(3)}, {"wins_": 2.0}, {"losses_": np.array([np.nan, 0.0])}):
        model = WinRate().fit(Preferences.from_pairs([(0, 1)]))
        vars(model).update(damage)
        with pytest.raises(CannotLoad, match=f"{next(iter(damage))} must .*altered"):
            from_bytes(unchecked_bytes(model))
