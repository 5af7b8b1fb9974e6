"""Which models ``penchant fit`` can learn. A name and settings in; an estimator out."""

from __future__ import annotations

import json
from enum import StrEnum
from importlib import import_module
from typing import Any, NamedTuple

from penchant.errors import InvalidInput


class LearnerName(StrEnum):
    """The models by the names that are typed."""

    rank_svm = "ranksvm"
    rank_boost = "rankboost"
    pairwise = "pairwise"
    ordinal = "ordinal"
    preference_gp = "preference-gp"
    monotone_gp = "monotone-gp"
    linked_gp = "linked-gp"


class Learner(NamedTuple):
    """Where a model's class stands; it is imported when it is wanted."""

    room: str
    name: str

    def made(self, typed: list[str]) -> Any:
        """Return the estimator, not yet fitted, with settings that were typed as NAME=VALUE."""
        kind = getattr(import_module(self.room), self.name)
        return kind(**_settings(typed, kind().get_params(deep=False)))


LEARNERS = {
    LearnerName.rank_svm: Learner("penchant.rankers", "RankSVM"),
    LearnerName.rank_boost: Learner("penchant.rankers", "RankBoost"),
    LearnerName.pairwise: Learner("penchant.rankers", "PairwiseRanker"),
    LearnerName.ordinal: Learner("penchant.rankers", "OrdinalRegression"),
    LearnerName.preference_gp: Learner("penchant.gp", "PreferenceGP"),
    LearnerName.monotone_gp: Learner("penchant.gp", "MonotoneGP"),
    LearnerName.linked_gp: Learner("penchant.gp", "LinkedGP"),
}


def _settings(typed: list[str], known: dict[str, Any]) -> dict[str, Any]:
    """Return settings by name, as JSON where they are such, else as text."""
    settings = {}
    for words in typed:
        name, equals, value = words.partition("=")
        if not equals or name not in known:
            raise InvalidInput(
                f"--set must be NAME=VALUE with one of {', '.join(known)}, got {words!r}: correct it"
            )
        try:
            settings[name] = json.loads(value)
        except ValueError:
            settings[name] = value
    return settings
