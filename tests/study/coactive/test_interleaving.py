"""Interleaving: coins from the seed, baselines in their order, and who wins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.orders import team_draft
from penchant.study.coactive import CoactiveStudy
from penchant.study.coactive.interleaving import interleaved
from penchant.study.coactive.loop import MOST_CANDIDATES
from tests.study.coactive.simulated import clicks, items, made


def test_a_draft_follows_from_the_seed() -> None:
    """The same seed and number give the same draft, which is the team draft of fair coins."""
    mine, theirs = np.arange(9), np.arange(9)[::-1].copy()
    order, teams = interleaved(mine, theirs, 3, 7)
    again = interleaved(mine, theirs, 3, 7)
    assert (order.tolist(), teams.tolist()) == (again[0].tolist(), again[1].tolist())
    coins = np.random.default_rng((3, 7)).random(5) < 0.5
    assert order.tolist() == team_draft(mine, theirs, coins)[0].tolist()
    assert {tuple(interleaved(mine, theirs, 3, number)[0].tolist()) for number in range(20)} != {tuple(order)}


@pytest.mark.parametrize(
    ("baseline", "by"),
    [
        ("given", lambda item: 0.0),
        ({"feature": "x"}, lambda item: item["x"]),
        ({"weights": {"x": 1.0, "z": -2.0}}, lambda item: item["x"] - 2 * item["z"]),
    ],
)
def test_baselines_order_by_what_they_say(path: Path, baseline: Any, by: Any) -> None:
    """As given, by one feature, or by weights of features before they are scaled."""
    with made(path, baseline=baseline, scaling={"x": (1.0, 4.0), "z": (0.5, 0.1)}) as study:
        ids = [f"i{k}" for k in range(8)]
        shown = study.present(ids, interleave="baseline")
        opponent = study._state.presentations[shown.id].opponent
        assert opponent is not None
        wanted = sorted(range(8), key=lambda k: -by(items()[k]))
        assert opponent.tolist() == wanted


def test_what_was_shown_is_what_is_learned_from(path: Path) -> None:
    """The round begins at the interleaved order."""
    with made(path) as study:
        shown = study.present([f"i{k}" for k in range(5)], interleave=[f"i{k}" for k in (4, 3, 2, 1, 0)])
        assert shown.teams is not None
        assert sorted(set(shown.teams)) == [0, 1]
        found = study.feedback(shown, clicked=[shown.order[2]])
        rest = [id for id in shown.order if id != shown.order[2]]
        assert found.improved == (shown.order[2], *rest)


def test_who_wins_is_counted(path: Path) -> None:
    """A learner that learns what people click wins against one that never does, and the interval says so."""
    worst = {"weights": {"x": -1.0}}
    with made(path, baseline=worst) as study:
        clicks(study, 5)
        clicks(study, 40, interleave="baseline", seed=3)
        study.present(["i0", "i1"], interleave="baseline")  # no feedback: not counted
        shown = study.present(["i0", "i1"], interleave="baseline")
        study.feedback(shown, clicked=[])
        found = study.interleaving()
        assert found.wins + found.losses + found.ties == 41
        assert found.ties >= 1
        assert found.winner == 1
        assert found.interval[0] > 0.5


def test_corrections_count_for_who_put_the_best_there(path: Path) -> None:
    """A better item, or the first of an order, is a vote for the order that added it; clicks on both are a tie."""
    with made(path) as study:
        ids = [f"i{k}" for k in range(4)]
        for form in ("better", "order"):
            shown = study.present(ids, interleave=ids[::-1])
            assert shown.teams is not None
            first = shown.order[shown.teams.index(1)]
            study.feedback(shown, **{form: first if form == "better" else [first]})
        assert study.interleaving().losses == 2
        shown = study.present(ids, interleave=ids[::-1])
        study.feedback(shown, clicked=list(shown.order[:2]))
        assert study.interleaving().ties == 1
        study.undo()
        assert study.interleaving().ties == 0


def test_a_second_learner_learns_too(path: Path) -> None:
    """A baseline that is a learner learns from the same feedback, and orders by what it learned."""
    with CoactiveStudy.create(path, items(), seed=1, baseline={"name": "perceptron", "forget": 0.9}) as study:
        clicks(study, 10, interleave="baseline")
        study.weights()
        rival = study._models.rival
        assert rival is not None
        assert rival.rounds == 10
        assert rival.weights != study.weights()
        assert study.check().ok


def test_the_largest_contexts_fit_into_events(path: Path) -> None:
    """Orders of 100,000 candidates are interleaved, clicked and put in order; one more is rejected before all else."""
    X = np.random.default_rng(2).standard_normal((MOST_CANDIDATES, 1))
    with CoactiveStudy.create(path, seed=1, names=["a"]) as study:
        ids = [str(row) for row in range(MOST_CANDIDATES)]
        shown = study.present(X, interleave=ids[::-1])
        assert shown.teams is not None
        assert sum(shown.teams) == MOST_CANDIDATES // 2
        assert study.feedback(shown, clicked=ids).changed
        assert study.feedback(shown, order=ids[::-1]).improved == tuple(ids[::-1])
        number = study.revision()
        with pytest.raises(InvalidInput, match="at most 100,000 candidates"):
            study.present(np.vstack([X, X[:1]]))
        assert study.revision() == number
    with CoactiveStudy.open(path) as again:
        assert again._state.presentations[shown.id].teams is not None
        assert again.present(X, interleave=ids[::-1], event_id="p2").order != ids
