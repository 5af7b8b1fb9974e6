"""Interleave the learned order with another one, and count who wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from penchant.checks import Ints
from penchant.coactive import NamedLearner, draft_winner
from penchant.coactive.features import scores
from penchant.orders import team_draft
from penchant.study.coactive.presentations import Shown
from penchant.study.coactive.settings import GIVEN


def interleaved(learned: Ints, opponent: Ints, seed: int, number: int) -> tuple[Ints, Ints]:
    """Return the team draft of two orders, and which one added each candidate; coins follow from the seeds."""
    random = np.random.default_rng((seed, number))
    return team_draft(learned, opponent, random.random((len(learned) + 1) // 2) < 0.5)


def baseline_order(baseline: Any, X: Any, learner: NamedLearner) -> Ints:
    """Return the order of a baseline that does not learn: as given, by one feature, or by fixed weights.

    Weights are those of features before they are scaled.
    """
    n = X.shape[0]
    if baseline == GIVEN or not isinstance(baseline, Mapping):
        return np.arange(n)
    weights = {baseline["feature"]: 1.0} if "feature" in baseline else baseline["weights"]
    vector = np.array([weights.get(name, 0.0) for name in learner.names] or [0.0])
    if learner.scaling is not None and learner.names:
        vector = vector * learner.scaling.constants(learner.names)[1]
    return (-scores(X, vector)).argsort(kind="stable")


def outcome(shown: Shown) -> int | None:
    """Return who won a presentation: 1 the learned order, −1 the other, 0 neither; None without feedback or teams.

    An order wins where more of the candidates that it added were clicked, or put first by a correction.
    """
    teams = shown.teams
    standing = [given for given in shown.given if given.standing]
    if teams is None or not standing:
        return None
    chosen = shown.clicks() + [
        given.value[0] for given in standing if given.what != "clicked" and given.value
    ]
    return draft_winner(teams, chosen)
