"""What models of ratings share: starting values, and files of earlier versions."""

from __future__ import annotations

import pytest

from penchant import Preferences
from penchant.saving import from_bytes, to_bytes
from penchant.worth import Elo, Glicko, Glicko2
from penchant.worth.rated import check_start, expected_score


@pytest.mark.parametrize("kind", [Elo, Glicko, Glicko2])
def test_ratings_begin_where_start_says(kind: type) -> None:
    """Before the first game an item has its starting rating and deviation, all others the usual ones."""
    model = kind(start={"a": [1700, 60]}).fit(Preferences.from_pairs([("a", "b")])[:0])
    assert model.scores_.tolist() == [1700, 1500]
    assert model.deviations_.tolist() == [60, 350]
    loaded = from_bytes(to_bytes(model))
    assert loaded.start == {"a": [1700, 60]}
    assert to_bytes(loaded.update(Preferences.from_pairs([("c", "a")]))) == to_bytes(
        model.update(Preferences.from_pairs([("c", "a")]))
    )


def test_a_file_without_start_is_read() -> None:
    """Files of earlier versions do not name starting values: nobody has one."""
    state = Glicko().fit(Preferences.from_pairs([("a", "b")])).__save_state__()
    del state["start"]
    Glicko.__saved__.check(state)
    assert Glicko.__load_state__(state).start is None


def test_expected_scores_of_both_sum_to_one() -> None:
    """A difference of 400 is ten to one, and no difference overflows."""
    assert expected_score(400) == pytest.approx(10 / 11)
    assert expected_score(1e9) + expected_score(-1e9) == 1
    assert check_start(None, ("rating",)) == {}
