"""A belief that fits its model to all answers anew, for settings that no live belief covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from penchant.checks import Floats
from penchant.online.answers import with_first_tie
from penchant.preferences import OUTCOMES, Preferences


class Refitted:
    """The belief of a model of worth without a live belief (no prior, or errors of clusters).

    It is fitted when it is first read after an answer, which takes longer the more answers there are.

    Parameters
    ----------
    model : PairedWorth
        Not fitted; it is copied.
    preferences : Preferences
    """

    def __init__(self, model: Any, preferences: Preferences) -> None:
        self._made, self._preferences = model, preferences
        self._new: list[tuple[int, int, int, float]] = []
        self._fitted: Any = None

    def __getattr__(self, name: str) -> Any:
        """Return what the fitted model has under this name."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._model(), name)

    def answer(self, first: int, second: int, outcome: int, weight: float = 1.0) -> float:
        """Learn one answer about two items, and return the log probability that it had before."""
        given = self.outcome_probabilities(first, second)
        self._new.append((first, second, outcome, weight))
        self._fitted = None
        chance = given[outcome] if outcome < len(given) else 0.0
        return float(np.log(chance)) if chance > 0 else -np.inf

    def outcome_probabilities(self, first: int, second: int) -> Floats:
        """Return the probabilities that the first is preferred, that the second is, and of a tie, shape (3,)."""
        model, ids = self._model(), self._preferences.items
        left, tie, right = model.outcome_probability(ids[first], ids[second])
        chances = np.array([left, right, tie], dtype=np.float64)
        return chances if tie else with_first_tie(chances, float(model.counts_.sum()) / 2)

    def contributions(self, a: int, b: int) -> list[tuple[int, int, float]]:
        """Return nothing: the weights of single answers are not known."""
        return []

    def with_items(self, ids: Sequence[str]) -> Self | None:
        """Return None: all answers must be learned anew."""
        return None

    def copy(self) -> Self:
        """Return an independent copy."""
        copied = type(self)(self._made, self._preferences)
        copied._new = list(self._new)
        return copied

    def state(self) -> dict[str, Any]:
        """Return nothing that could be stored: it is fitted anew."""
        return {"answers": [list(row) for row in self._new]}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Raise an error, since a state holds no model."""
        raise NotImplementedError("a refitted belief is made from its model and answers")

    def _model(self) -> Any:
        if self._fitted is None:
            preferences = self._preferences
            if self._new:
                first, second, outcome, weight = zip(*self._new, strict=True)
                ids = np.array(preferences.items[: preferences.n_items], dtype=object)
                preferences = preferences + Preferences.from_answers(
                    ids[list(first)].tolist(),
                    ids[list(second)].tolist(),
                    [OUTCOMES[code] for code in outcome],
                    weight=list(weight) if set(weight) != {1.0} else None,
                    items=preferences.items,
                )
            self._fitted = type(self._made)(**self._made.get_params()).update(preferences)
        return self._fitted
