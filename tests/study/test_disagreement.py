"""Judges who disagree with all others."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.study.disagreement import LEAST_ANSWERS, LEAST_JUDGES, disagreement
from penchant.study.quality import ALPHA, LEAST_RELIABILITY
from penchant.worth import BradleyTerry
from tests.study.simulated import simulated_columns


def suspects(**settings: object) -> set[int]:
    """The judges that the check of a study would name."""
    found = disagreement(simulated_columns(**settings))
    return set(found.judge[(found.p < ALPHA) & (found.reliability < LEAST_RELIABILITY)].tolist())


@pytest.mark.parametrize(("reliability", "least"), [(0.0, 27), (-1.0, 30)])
def test_a_judge_who_answers_at_random_or_reversed_is_found(reliability: float, least: int) -> None:
    """Among 10 judges with 60 answers each, and nobody else is named in more than a few studies."""
    found = [suspects(seed=seed, reliability={4: reliability}, spread=1.5) for seed in range(30)]
    assert sum(4 in judges for judges in found) >= least
    assert sum(bool(judges - {4}) for judges in found) <= 3


@pytest.mark.parametrize("close", [False, True])
def test_clean_studies_rarely_give_an_alarm(close: bool) -> None:
    """In at most 5 % of studies without such a judge, whether pairs are random or close in rank."""
    alarms = sum(bool(suspects(seed=seed, close=close)) for seed in range(60))
    assert alarms <= 3


def test_judges_may_differ_in_reliability() -> None:
    """One who is right less often, but clearly not at random, is not named however many answers there are."""
    assert not suspects(reliability={4: 0.7}, answers=1000)


def test_agreement_is_with_a_model_of_the_others() -> None:
    """The share of a judge's answers that prefer the item which a fit without that judge puts higher."""
    columns = simulated_columns(seed=3, n_judges=4, n_items=12)
    found = disagreement(columns)
    for place, judge in enumerate(found.judge):
        own = columns.judge == judge
        scores = BradleyTerry(prior=0.5).fit(columns.preferences(~own)).scores_
        higher = scores[columns.left[own]] > scores[columns.right[own]]
        assert found.agreement[place] == pytest.approx(np.mean(higher == (columns.choice[own] == 0)))
    assert found.answers.tolist() == [60] * 4


def test_more_judges_than_parts_are_left_out_together() -> None:
    """Each judge still has an entry, and a reversed one is found."""
    columns = simulated_columns(n_judges=25, reliability={11: -1.0})
    found = disagreement(columns)
    assert len(found.judge) == 25
    worst = int(np.argmin(found.p))
    assert columns.judges[found.judge[worst]] == "j11"
    assert found.p[worst] < ALPHA
    assert found.reliability[worst] < 0


def test_few_judges_or_answers_say_nothing() -> None:
    """Two judges cannot be told apart, and too few answers are not judged."""
    assert disagreement(simulated_columns(n_judges=LEAST_JUDGES - 1)) is None
    assert disagreement(simulated_columns(n_judges=5, answers=LEAST_ANSWERS - 1)) is None


def test_items_that_the_others_never_compared_say_nothing() -> None:
    """A judge alone with some items has nothing to agree with: no p-value, and a reliability like the others'."""
    columns = simulated_columns(n_judges=3, n_items=9, answers=40)
    part = columns.judge * 3
    alone = type(columns)(
        **{
            **{name: getattr(columns, name) for name in type(columns).__dataclass_fields__},
            "left": part + columns.left % 3,
            "right": part + (columns.left + 1) % 3,
        }
    )
    found = disagreement(alone)
    assert found.p.tolist() == [1, 1, 1]
    assert found.reliability.tolist() == [1, 1, 1]


def test_a_weight_counts_answers() -> None:
    """Two equal rows and one of weight 2 say the same."""
    columns = simulated_columns(n_judges=3, n_items=8, answers=40)
    once = {name: getattr(columns, name) for name in type(columns).__dataclass_fields__}
    rows = [name for name, column in once.items() if isinstance(column, np.ndarray) and len(column) == 120]
    twice = {name: np.concatenate([once[name], once[name]]) for name in rows}
    heavy = disagreement(type(columns)(**{**once, "weight": np.full(120, 2.0)}))
    repeated = disagreement(type(columns)(**{**once, **twice}))
    assert heavy.agreement == pytest.approx(repeated.agreement)
    assert heavy.reliability == pytest.approx(repeated.reliability)
