"""A simulated reader's rounds: real ones of a copy, under the bound, and nothing in the study itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant.coactive import PreferencePerceptron, RankingMap
from penchant.errors import InvalidInput
from penchant.examples.documents import FEATURES, document_items
from penchant.serve import simulated
from penchant.serve.simulated import ALPHA, MOST_ROUNDS, simulate
from penchant.simulate import StrictRanking
from penchant.study.coactive import CoactiveStudy

Make = Callable[..., CoactiveStudy]


@pytest.fixture
def make(tmp_path: Path) -> Any:
    made: list[CoactiveStudy] = []

    def create(**settings: Any) -> CoactiveStudy:
        items = settings.pop("items", document_items())
        options = {"features": FEATURES, "seed": 1, **settings}
        made.append(CoactiveStudy.create(tmp_path / f"{len(made)}.db", items, **options))
        return made[-1]

    yield create
    for study in made:
        study.close()


@pytest.mark.parametrize("settings", [{}, {"map": "item"}, {"learner": {"name": "perceptron", "batch": 5}}])
@pytest.mark.parametrize("seed", [0, 7])
def test_regret_falls_and_stays_under_the_bound(make: Make, settings: dict[str, Any], seed: int) -> None:
    """After every round, for rankings, single items and batches, as Theorem 1 and Lemma 4 say."""
    run = simulate(make(**settings), 120, seed)
    assert run.bound is not None
    assert (run.regret <= run.bound).all()
    assert 0 <= run.regret[-1] < run.regret[9] / 2
    batch = settings.get("learner", {}).get("batch", 1)
    np.testing.assert_allclose(
        run.bound, 2 * run.R * run.norm * np.sqrt(batch / np.arange(1, 121)) / ALPHA, rtol=1e-12
    )


def test_the_learned_weights_point_where_the_taste_does(make: Make) -> None:
    """They are those of the copy's model, and order the items nearly as the hidden taste does."""
    study = make()
    run = simulate(study, 300, 3)
    assert np.linalg.norm(list(run.taste.values())) == pytest.approx(1.0)
    learner = study.learner()
    X: Any = learner.matrix([{name: item[name] for name in FEATURES} for item in document_items()])
    hidden, learned = (
        X.toarray() @ np.array([weights.get(name, 0.0) for name in learner.names])
        for weights in (run.taste, run.learned)
    )
    assert np.corrcoef(hidden, learned)[0, 1] > 0.9


def test_the_rounds_are_those_of_the_learner(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain perceptron that sees the same contexts and answers ends with the same weights."""
    contexts: list[Any] = []

    class Watching(StrictRanking):
        def answer(self, context: Any, presented: Any) -> Any:
            contexts.append((context, presented, super().answer(context, presented)))
            return contexts[-1][-1]

    monkeypatch.setattr(simulated, "StrictRanking", Watching)
    run = simulate(make(), 40, 5)
    learner = PreferencePerceptron(RankingMap(), contexts[0][0].features.shape[1])
    for context, presented, improved in contexts:
        assert learner.present(context.features).tolist() == presented.tolist()
        learner.update(context.features, presented, improved)
    np.testing.assert_allclose(learner.weights, list(run.learned.values()), atol=1e-12)


def test_the_study_stays_as_it_is(make: Make) -> None:
    """Not one event, whoever has used it before; and its own weights are no start for the copy."""
    study = make(per_user=True)
    shown = study.present(list(study.items)[:12], user="ann")
    fresh = simulate(study, 20, 1)
    study.feedback(shown, clicked=[shown.order[5]])
    before, weights = study.revision(), study.weights()
    again = simulate(study, 20, 1)
    assert (study.revision(), study.weights(), study.users) == (before, weights, ("ann",))
    assert again.regret.tolist() == fresh.regret.tolist()


def test_a_longer_run_begins_with_a_shorter_one(make: Make) -> None:
    """The same seed gives the same rounds, another one another reader."""
    study = make()
    short, long, other = simulate(study, 10, 2), simulate(study, 30, 2), simulate(study, 10, 3)
    assert long.regret[:10].tolist() == short.regret.tolist()
    assert other.taste != short.taste


@pytest.mark.parametrize(
    "learner",
    [
        {"name": "perceptron", "averaged": True},
        {"name": "perceptron", "forget": 0.1},
        {"name": "perceptron", "weights": {"short": 1.0}},
        "convex",
    ],
)
def test_no_bound_is_claimed_for_what_the_theorem_is_not_about(make: Make, learner: Any) -> None:
    """Regret is measured for every learner."""
    run = simulate(make(learner=learner), 5, 1)
    assert run.bound is None
    assert len(run.regret) == 5


def test_retired_items_are_not_presented_and_many_are_sampled(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What people are not shown, a simulated reader is not either."""
    monkeypatch.setattr(simulated, "MOST_ITEMS", 8)
    asked: list[str] = []
    present = CoactiveStudy.present

    def watched(study: CoactiveStudy, context: Any, **options: Any) -> Any:
        asked.extend(context)
        return present(study, context, **options)

    study = make()
    for id in list(study.items)[:50]:
        study.retire(id)
    monkeypatch.setattr(CoactiveStudy, "present", watched)
    simulate(study, 5, 1)
    assert len(set(asked)) == 8
    assert set(asked) <= set(list(study.items)[50:])


def test_items_without_features_are_rejected_in_words(make: Make) -> None:
    """There is nothing that a taste could be about."""
    for items in (["a", "b"], []):
        with pytest.raises(InvalidInput, match="the study must have two items with features, got none"):
            simulate(make(items=items, features=None), 5, 1)


@pytest.mark.parametrize("rounds", [0, MOST_ROUNDS + 1])
def test_rounds_are_bounded(make: Make, rounds: int) -> None:
    """A request takes a part of a second, whoever sends it."""
    with pytest.raises(InvalidInput, match="rounds must be"):
        simulate(make(), rounds, 1)
