"""Play the game of Lemma 3, in which every learner is wrong in every round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from penchant.checks import Floats, above_zero, whole
from penchant.schema import Array, Schema


class Player(Protocol):
    """A learner of items: it presents one of a context's rows, and takes another row as feedback."""

    def present(self, context: Any) -> Any:
        """Return the index of a row."""

    def update(self, context: Any, presented: Any, feedback: Any) -> Any:
        """Learn that ``feedback`` is better than ``presented``."""


@dataclass(frozen=True, eq=False)
class LowerBoundGame:
    """A game of Lemma 3, played.

    Attributes
    ----------
    weights : ndarray of shape (T,)
        w*, chosen once the learner has presented: it was wrong in each round.
    presented, feedback : ndarrays of shape (T,)
        Utilities. The feedback is the best there is, so that α = 1 and no slack is needed.

    Examples
    --------
    >>> from penchant.coactive import ItemMap, PreferencePerceptron
    >>> game = play_lower_bound(PreferencePerceptron(ItemMap(), 4), 4)
    >>> game.weights.shape, bool((game.feedback > game.presented).all())
    ((4,), True)
    """

    __saved__: ClassVar = Schema({name: Array(("n",)) for name in ("weights", "presented", "feedback")})

    weights: Floats
    presented: Floats
    feedback: Floats


def play_lower_bound(learner: Player, n_rounds: int, *, norm: float = 1.0) -> LowerBoundGame:
    """Let ``learner`` play T rounds in which whatever it presents turns out to be wrong (Lemma 3).

    In round t it may present −e_t or e_t, of which it has seen nothing before; the answer is the other one,
    and w* is −‖w*‖/√T times what it presented. Each round costs 2‖w*‖/√T, which is all that Theorem 1 allows.

    Parameters
    ----------
    learner : Player
        With an `ItemMap` and ``n_rounds`` features, not yet taught.
    n_rounds : int
        T.
    norm : float
        ‖w*‖.

    Examples
    --------
    >>> class First:
    ...     def present(self, context):
    ...         return 0
    ...     def update(self, context, presented, feedback):
    ...         pass
    >>> game = play_lower_bound(First(), 4)
    >>> game.weights, game.feedback - game.presented
    (array([0.5, 0.5, 0.5, 0.5]), array([1., 1., 1., 1.]))
    """
    whole("n_rounds", n_rounds, 1)
    above_zero("norm", norm)
    signs = np.empty(n_rounds)
    for t, context in enumerate(_contexts(n_rounds)):
        presented = int(learner.present(context))
        learner.update(context, presented, 1 - presented)
        signs[t] = 2 * presented - 1
    weights = -norm * signs / np.sqrt(n_rounds)
    return LowerBoundGame(weights, weights * signs, -weights * signs)


def _contexts(n_rounds: int) -> Iterator[Floats]:
    for t in range(n_rounds):
        context = np.zeros((2, n_rounds))
        context[:, t] = -1.0, 1.0
        yield context
