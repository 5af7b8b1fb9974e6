"""The record of simulated runs: presented objects, utilities and regrets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, shown
from penchant.coactive.analysis.losses import Loss
from penchant.coactive.analysis.regret import convex_regret, progressive_mean, utility_regret
from penchant.errors import InvalidInput
from penchant.simulate.informativeness import Informativeness

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Record:
    """What happened in each round of each run.

    Attributes
    ----------
    presented, feedback : int arrays of shape (runs, rounds, places)
        The top of what was presented and of the answer, as indices of documents or items; −1 behind the end
        of a short list. Where two items were shown together there are two places.
    presented_utility, feedback_utility, best_utility : arrays of shape (runs, rounds)
    presented_dcg, best_dcg : arrays of shape (runs, rounds)
        Of rankings; NaN for items.
    weights : array of shape (runs, n_features)
        Of the learner after the last round.

    Examples
    --------
    >>> from penchant.coactive import PreferencePerceptron, RankingMap
    >>> from penchant.simulate import StrictRanking, WebSearch, play
    >>> web = WebSearch.synthetic(n_queries=20, n_documents=5, n_features=3, seed=0)
    >>> record = play(PreferencePerceptron(RankingMap(), n_features=3), StrictRanking(0.5), web, runs=2)
    >>> record.presented_utility.shape, record.weights.shape
    ((2, 20), (2, 3))
    """

    presented: Ints
    feedback: Ints
    presented_utility: Floats
    feedback_utility: Floats
    best_utility: Floats
    presented_dcg: Floats
    best_dcg: Floats
    weights: Floats

    @classmethod
    def empty(cls, runs: int, rounds: int, places: int, n_features: int) -> Self:
        """Return a record to be written into."""
        presented, feedback = np.full((2, runs, rounds, places), -1, dtype=np.int64)
        reached, answered, best, dcg, best_dcg = np.full((5, runs, rounds), np.nan)
        weights = np.zeros((runs, n_features))
        return cls(presented, feedback, reached, answered, best, dcg, best_dcg, weights)

    @classmethod
    def merged(cls, records: Sequence[Record]) -> Record:
        """Return the runs of several records of as many rounds one after another, as one."""
        if not records:
            raise InvalidInput("records must hold at least 1, got none: give one")
        names = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(record, name) for record in records]) for name in names))

    @property
    def n_runs(self) -> int:
        """How many runs were played."""
        return len(self.presented_utility)

    @property
    def n_rounds(self) -> int:
        """How many rounds each run has."""
        return int(self.presented_utility.shape[1])

    def informativeness(self) -> Informativeness:
        """Return how informative the answers of all runs were."""
        return Informativeness.of(self.presented_utility, self.feedback_utility, self.best_utility)

    def frame(self, at: ArrayLike | None = None, *, loss: Loss | None = None) -> pd.DataFrame:
        """Return one row for each run and round.

        Parameters
        ----------
        at : array-like of int, optional
            The rounds t to include, from 1; None: all. Regrets are averages over all rounds up to t either way.
        loss : Loss, optional
            Adds the average convex regret with this loss, eq. 15.

        Returns
        -------
        DataFrame
            With the columns run, t, regret (eq. 4), dcg_regret for rankings, convex_regret with a loss; and of
            round t itself presented_utility, feedback_utility and best_utility, and for rankings presented_dcg
            and best_dcg.
        """
        import pandas as pd

        t = self._rounds(at)
        regrets = {"regret": utility_regret(self.presented_utility, self.best_utility)}
        own = ["presented_utility", "feedback_utility", "best_utility"]
        if not np.isnan(self.best_dcg).any():
            regrets["dcg_regret"] = progressive_mean(self.best_dcg - self.presented_dcg)
            own += ["presented_dcg", "best_dcg"]
        if loss is not None:
            regrets["convex_regret"] = convex_regret(self.presented_utility, self.best_utility, loss)
        columns = regrets | {name: getattr(self, name) for name in own}
        index = {"run": np.repeat(np.arange(self.n_runs), len(t)), "t": np.tile(t, self.n_runs)}
        return pd.DataFrame(index | {name: values[:, t - 1].ravel() for name, values in columns.items()})

    def _rounds(self, at: ArrayLike | None) -> Ints:
        t = np.arange(1, self.n_rounds + 1) if at is None else np.asarray(at)
        if t.ndim != 1 or t.dtype.kind != "i" or not t.size or t.min() < 1 or t.max() > self.n_rounds:
            raise InvalidInput(
                f"at must be rounds from 1 to {self.n_rounds}, got {shown(at)}: give some of them"
            )
        return t
