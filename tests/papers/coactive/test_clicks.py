"""The pipeline from clicks to preferences, on simulated chains."""

from __future__ import annotations

import numpy as np

from penchant.coactive import RankingMap
from penchant.papers.coactive.clicks import CONDITIONS, RATES, _question, shown_as
from penchant.simulate import Documents, PositionBiasedClicks
from tests.papers.running import result_of


def test_clicks_improve_a_ranking_more_often_than_not() -> None:
    """Twenty studies: more chains gain than lose in each condition, most in the reversed one."""
    result = result_of("2.fig1", size="default")
    ratios = [result.numbers[f"{condition}, above 0 / below 0"].value for condition in CONDITIONS]
    assert 1.2 < ratios[0] < ratios[1] < ratios[2]
    assert result.numbers["all, above 0"].value > 2 * result.numbers["all, below 0"].value
    assert result.numbers["all, ȳ = y among those at 0"].value > 0.95
    assert len(result.frame) == 20 * 160


def test_a_chain_has_as_many_clicks_as_in_the_study() -> None:
    """1.8 on average, with 2.2 queries: one as shown and 1.2 in an order that is drawn."""
    random = np.random.default_rng(0)
    person = PositionBiasedClicks(rates=RATES)
    clicks = np.zeros(2)
    for number in range(900):
        relevance, ranking = _question(random)
        question = Documents(np.zeros((20, 1)), relevance, np.floor(relevance + 0.5), RankingMap(10))
        shown = shown_as(ranking, CONDITIONS[number % 3])
        clicks += [len(person.clicked(question, order)) for order in (shown, random.permutation(20))]
    assert abs((clicks[0] + 1.2 * clicks[1]) / 900 - 1.8) < 0.15


def test_relevance_comes_from_ranks() -> None:
    """From 0 to 5, some alike; the engine's order agrees with it more than chance."""
    relevance, ranking = _question(np.random.default_rng(0))
    assert np.unique(relevance, return_counts=True)[1].tolist() == [2, 4, 4, 4, 4, 2]
    assert relevance[ranking[:10]].mean() > relevance[ranking[10:]].mean()
