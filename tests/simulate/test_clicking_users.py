"""Users who click."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from penchant.coactive import RankingMap
from penchant.errors import InvalidInput
from penchant.orders import prepend
from penchant.simulate import ClickChain, Clicks, Documents, PositionBiasedClicks
from tests.simulate.tables import queries


@given(queries())
def test_clicks_go_before_the_rest(drawn: tuple[Documents, np.ndarray]) -> None:
    """The answer is the presented order with the clicked documents prepended, all among those looked at."""
    context, order = drawn
    clicked = Clicks(depth=3, seed=5).clicked(context, order)
    assert Clicks(depth=3, seed=5).answer(context, order).tolist() == prepend(order, clicked).tolist()
    assert set(clicked.tolist()) <= set(order[:3].tolist())


def test_a_document_is_clicked_as_often_as_its_label_deserves() -> None:
    """Rates over 4,000 rankings are those of the labels, within four standard errors (± 0.032)."""
    context = Documents(np.zeros((3, 1)), np.zeros(3), [0, 1, 2], RankingMap())
    user = Clicks(rates=(0.1, 0.5, 0.9), seed=2)
    clicks = np.bincount(np.concatenate([user.clicked(context, [2, 0, 1]) for _ in range(4000)]))
    np.testing.assert_allclose(clicks / 4000, [0.1, 0.5, 0.9], atol=0.032)


def test_a_biased_user_clicks_by_position() -> None:
    """Position p is clicked 1/p^bias times as often as its label deserves, within four standard errors."""
    context = Documents(np.zeros((4, 1)), np.zeros(4), [1, 1, 1, 1], RankingMap())
    user = PositionBiasedClicks(rates=(0.0, 0.8), bias=1.0, seed=2)
    clicks = np.bincount(np.concatenate([user.clicked(context, [3, 2, 1, 0]) for _ in range(4000)]))
    np.testing.assert_allclose(clicks[::-1] / 4000, 0.8 / np.arange(1, 5), atol=0.032)


def test_a_chain_puts_all_clicks_before_the_first_ranking() -> None:
    """A document that the first ranking hides is found by a later query, and the rest keeps its order."""
    context = Documents(np.zeros((6, 1)), np.zeros(6), [0, 0, 0, 0, 0, 1], RankingMap())
    clicks = Clicks(rates=(0.0, 1.0), depth=2)
    order = [0, 1, 2, 3, 4, 5]
    assert clicks.answer(context, order).tolist() == order
    answers = [ClickChain(clicks=clicks, queries=30, seed=seed).answer(context, order) for seed in range(5)]
    assert [5, 0, 1, 2, 3, 4] in [answer.tolist() for answer in answers]


def test_chains_are_as_long_as_told() -> None:
    """Over 3,000 chains the mean number of queries is 2.2, within four standard errors (± 0.12)."""
    context = Documents(np.zeros((1, 1)), np.zeros(1), [1], RankingMap())
    rounds = []

    class Counting(Clicks):
        def clicked(self, context: Documents, presented: object) -> np.ndarray:
            rounds.append(1)
            return super().clicked(context, presented)

    chain = ClickChain(clicks=Counting(rates=(0.0, 1.0)), queries=2.2, seed=1)
    for _ in range(3000):
        chain.answer(context, [0])
    assert len(rounds) / 3000 == pytest.approx(2.2, abs=0.12)


def test_a_seed_is_a_chains_whole_chance() -> None:
    """Clicks and rewordings both begin anew with `seeded`."""
    context = Documents(np.zeros((8, 1)), np.zeros(8), [0, 1, 2, 3, 4, 0, 1, 2], RankingMap())
    users = [ClickChain().seeded(seed) for seed in (1, 1, 2)]
    told = [[user.answer(context, range(8)).tolist() for _ in range(10)] for user in users]
    assert told[0] == told[1] != told[2]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Clicks(rates=(0.5, 1.5)), "from 0 to 1"),
        (lambda: Clicks(rates=()), "from 0 to 1"),
        (lambda: Clicks(depth=0), "depth"),
        (lambda: PositionBiasedClicks(bias=-1.0), "bias"),
        (lambda: ClickChain(queries=0.5), "queries"),
    ],
)
def test_settings_that_make_no_sense_are_refused(make: object, message: str) -> None:
    """Each says what the limit is."""
    with pytest.raises(InvalidInput, match=message):
        make()


def test_a_label_without_a_rate_is_refused() -> None:
    """Labels must be known to the user."""
    context = Documents(np.zeros((1, 1)), np.zeros(1), [3], RankingMap())
    with pytest.raises(InvalidInput, match="from 0 to 1, got 3"):
        Clicks(rates=(0.0, 1.0)).clicked(context, [0])
