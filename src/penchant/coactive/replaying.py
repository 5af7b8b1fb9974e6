"""Learn from a log of presentations, and evaluate the learner on the way.

Each round is judged before it is learned from, so that nothing is judged by what it was taught.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from math import log2
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints, shown
from penchant.coactive.encoding import Features
from penchant.coactive.named_learner import NamedLearner
from penchant.errors import InvalidInput, UnknownItem
from penchant.orders.ranks import check_order, inverse
from penchant.schema import Array, Instance, Schema, Texts, Whole, require
from penchant.text import percent

if TYPE_CHECKING:
    from pandas import DataFrame


class Presented(Protocol):
    """What `penchant.formats.Presentation` says of a round."""

    @property
    def id(self) -> str:
        """What a message calls it."""

    @property
    def items(self) -> Sequence[str]:
        """The ids of the candidates."""

    @property
    def features(self) -> Sequence[Features]:
        """Of each item, name → value."""

    @property
    def presented(self) -> Sequence[str]:
        """All items, best first."""

    @property
    def n_shown(self) -> int:
        """How many of them were really shown."""

    @property
    def answer(self) -> Sequence[str]:
        """The items that were put first."""

    @property
    def by_clicks(self) -> bool:
        """Whether they were clicked."""


def _check_rounds(state: Mapping[str, Any]) -> None:
    require(len(state["pairs"]), "pairs must be of at least one round")
    require((state["correct"] <= state["pairs"]).all(), "correct must not be above pairs")


@dataclass(frozen=True, eq=False)
class Replay:
    """How a learner did on a log, each round judged before it was learned from.

    Attributes
    ----------
    learner : NamedLearner
        Taught by all rounds.
    new_names : tuple of str
        The features that it did not know before.
    ndcg, presented_ndcg : ndarrays of shape (T,)
        NDCG@k of the learner's ranking of what was shown or answered, and of the presented one, with what was
        clicked or moved up as relevant; NaN in rounds without. Items of equal score count as a random order.
    correct, pairs : int arrays of shape (T,)
        Of the pairs whose order the answer changed, those that the learner had scored as the answer wants,
        and all.
    k : int
        Where NDCG is cut.
    """

    __saved__: ClassVar = Schema(
        {
            "learner": Instance(NamedLearner),
            "new_names": Texts(),
            "ndcg": Array(("n",), nan=True),
            "presented_ndcg": Array(("n",), nan=True),
            "correct": Array(("n",), "int64", least=0),
            "pairs": Array(("n",), "int64", least=0),
            "k": Whole(1),
        },
        rules=(_check_rounds,),
    )

    learner: NamedLearner
    new_names: tuple[str, ...]
    ndcg: Floats
    presented_ndcg: Floats
    correct: Ints
    pairs: Ints
    k: int

    def __len__(self) -> int:
        return len(self.ndcg)

    @property
    def changed(self) -> NDArray[np.bool_]:
        """Whether the answer changed what was presented, shape (T,)."""
        return np.asarray(self.pairs > 0)

    def progress(self) -> list[dict[str, float]]:
        """Return averages over the first 1, 10, 100, … and all rounds; NaN where there is nothing to average."""
        ends = [10**power for power in range(len(str(len(self)))) if 10**power < len(self)]
        return [self._until(end) for end in [*ends, len(self)]]

    def to_frame(self) -> DataFrame:
        """Return the rounds as a table, one row each."""
        from pandas import DataFrame

        names = ("ndcg", "presented_ndcg", "correct", "pairs", "changed")
        return DataFrame({name: getattr(self, name) for name in names})

    def __repr__(self) -> str:
        figures = self._until(len(self))
        return (
            f"{self.learner!r}: NDCG@{self.k} {figures['ndcg']:.3f} (presented {figures['presented_ndcg']:.3f}), "
            f"pair accuracy {figures['pair_accuracy']:.3f}, {percent(figures['changed'], 1)} changed"
        )

    def _until(self, end: int) -> dict[str, float]:
        return {
            "rounds": end,
            "ndcg": _mean(self.ndcg[:end]),
            "presented_ndcg": _mean(self.presented_ndcg[:end]),
            "pair_accuracy": _share(self.correct[:end], self.pairs[:end]),
            "changed": float(self.changed[:end].mean()),
        }


def replay(log: Iterable[Presented], learner: NamedLearner, *, k: int = 10) -> Replay:
    """Teach a copy of ``learner`` the rounds of a log, and judge it before each.

    Parameters
    ----------
    log : iterable of presentations
        For instance from `penchant.formats.read_presentations`.
    learner : NamedLearner
        Fresh, or one that has learned before and goes on.
    k : int
        Where NDCG is cut.

    Returns
    -------
    Replay

    Examples
    --------
    >>> from penchant.coactive import PreferencePerceptron, RankingMap
    >>> from penchant.formats import Presentation
    >>> features = ({"funny": 1.0}, {"long": 1.0})
    >>> log = [Presentation(line, str(line), ("a", "b"), features, ("b", "a"), 2, ("a",), True) for line in (1, 2)]
    >>> found = replay(log, NamedLearner(PreferencePerceptron(RankingMap(), 1)))
    >>> found.pairs, found.correct, found.ndcg.round(3)
    (array([1, 1]), array([0, 1]), array([0.815, 1.   ]))
    """
    taught = learner.copy()
    before = set(taught.names)
    judged = [_round(taught, presentation, k) for presentation in log]
    if not judged:
        raise InvalidInput("log must hold at least one presentation, got none: give one")
    new_names = tuple(name for name in taught.names if name not in before)
    reached, presented, correct, pairs = (np.array(column) for column in zip(*judged, strict=True))
    return Replay(taught, new_names, reached, presented, correct, pairs, k)


class _Judged(NamedTuple):
    ndcg: float
    presented_ndcg: float
    correct: int
    pairs: int


def _round(learner: NamedLearner, presentation: Presented, k: int) -> _Judged:
    try:
        presented, answer = _places(presentation)
        X = learner.take_in(presentation.features, presentation.items)
        improved = learner.feedback(presented, answer, by_clicks=presentation.by_clicks)
        judged = _judged(learner.scores(X), improved, presentation, presented, answer, k)
        learner.learn_difference(learner.difference(X, np.array(presented), improved))
    except InvalidInput as error:
        raise InvalidInput(f"presentation {presentation.id!r}: {error}") from error
    return judged


def _places(presentation: Presented) -> tuple[list[int], list[int]]:
    """Return presented and answered items by their places among all."""
    place = {item: index for index, item in enumerate(presentation.items)}
    for name, items in (("presented", presentation.presented), ("answer", presentation.answer)):
        stranger = [item for item in items if item not in place]
        if stranger:
            raise UnknownItem(
                f"{name} must name its items, got {shown(stranger[0])}: add it to them with its features"
            )
    presented, answer = (
        [place[item] for item in items] for items in (presentation.presented, presentation.answer)
    )
    if not len(presented) == len(place) == len(set(presented)):
        check_order("presented", presented, length=len(place))
    return presented, answer


def _judged(
    scores: Floats, improved: Ints, presentation: Presented, presented: list[int], answer: list[int], k: int
) -> _Judged:
    stood, wanted = inverse(np.array(presented)), inverse(improved)
    better, worse = np.nonzero((stood[:, None] > stood) & (wanted[:, None] < wanted))
    correct = int(np.count_nonzero(scores[better] > scores[worse]))
    relevant = set(answer if presentation.by_clicks else better.tolist())
    # Others could not be clicked.
    seen = sorted({*presented[: presentation.n_shown], *answer})
    hits = [item in relevant for item in seen]
    if not any(hits):
        return _Judged(np.nan, np.nan, correct, len(better))
    reached, before = (ndcg_of_hits(hits, by[seen].tolist(), k) for by in (scores, -stood))
    return _Judged(reached, before, correct, len(better))


def ndcg_of_hits(hits: list[bool], scores: list[float], k: int) -> float:
    """Return NDCG@k of one short list in which items are relevant or not, tied ones in a random order.

    It is `penchant.metrics.ndcg`, which spends more time on checking and arranging arrays than such a list takes.

    Examples
    --------
    >>> round(ndcg_of_hits([False, True, False], [2.0, 1.0, 1.0], 10), 4)
    0.5655
    """
    ranked = sorted(zip(scores, hits, strict=True), reverse=True)
    discounts = _discounts(min(k, len(hits)))
    found, start = 0.0, 0
    for _, group in groupby(ranked, key=itemgetter(0)):
        relevant = [hit for _, hit in group]
        found += sum(discounts[start : start + len(relevant)]) * sum(relevant) / len(relevant)
        start += len(relevant)
        if start >= k:
            break
    return found / sum(discounts[: sum(hits)])


@cache
def _discounts(count: int) -> tuple[float, ...]:
    return tuple(1.0 / log2(position + 2) for position in range(count))


def _mean(values: Floats) -> float:
    finite = values[~np.isnan(values)]
    return float(finite.mean()) if finite.size else float("nan")


def _share(part: Any, whole: Any) -> float:
    return float(part.sum() / whole.sum()) if whole.any() else float("nan")
