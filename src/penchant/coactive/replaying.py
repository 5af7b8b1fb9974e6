"""Learn from a log of presentations, and evaluate the learner on the way.

Each round is judged before it is learned from, so that nothing is judged by what it was taught.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints, shown
from penchant.coactive.encoding import Features
from penchant.coactive.judging import Judged, judged
from penchant.coactive.named_learner import NamedLearner
from penchant.errors import InvalidInput, UnknownItem
from penchant.orders.ranks import check_order
from penchant.schema import Array, Instance, Schema, Texts, Whole, require
from penchant.text import percent

if TYPE_CHECKING:
    from pandas import DataFrame
    from scipy.sparse import csr_array

_CANDIDATES = 2000  # about so many become one matrix
_LARGEST_BLOCK = 1_000_000  # numbers of the differences of a block that are held at once


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

    Examples
    --------
    >>> from penchant.coactive import NamedLearner, PreferencePerceptron, RankingMap, replay
    >>> from penchant.formats import Presentation
    >>> features = ({"funny": 1.0}, {"long": 1.0})
    >>> log = [Presentation(line, str(line), ("a", "b"), features, ("b", "a"), 2, ("a",), True) for line in (1, 2)]
    >>> found = replay(log, NamedLearner(PreferencePerceptron(RankingMap(), 1)))
    >>> found.pairs.tolist(), found.correct.tolist(), found.new_names
    ([1, 1], [0, 1], ('funny', 'long'))
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
    rounds = [found for block in _blocks(log) for found in _learned(taught, block, k)]
    if not rounds:
        raise InvalidInput("log must hold at least one presentation, got none: give one")
    new_names = tuple(name for name in taught.names if name not in before)
    reached, presented, correct, pairs = (np.array(column) for column in zip(*rounds, strict=True))
    return Replay(taught, new_names, reached, presented, correct, pairs, k)


def _blocks(log: Iterable[Presented]) -> Iterator[list[Presented]]:
    """Yield the presentations of a log in lists of about as many candidates each."""
    block: list[Presented] = []
    held = 0
    for presentation in log:
        block.append(presentation)
        held += len(presentation.features)
        if held >= _CANDIDATES:
            yield block
            block, held = [], 0
    if block:
        yield block


def _learned(learner: NamedLearner, block: list[Presented], k: int) -> list[Judged]:
    """Teach a learner the rounds of a block, whose candidates become one matrix; return how it did in each."""
    try:
        X = learner.take_in([row for presentation in block for row in presentation.features])
    except InvalidInput:  # round by round, for a message that names the presentation
        X = None
    if X is None or isinstance(X, np.ndarray):  # centres would count in rounds before their feature was met
        return [_round(learner, presentation, k) for presentation in block]
    together = _learned_together(learner, block, X, k)
    if together is not None:
        return together
    rows = np.arange(X.shape[0]).repeat(np.diff(X.indptr))
    found, first = [], 0
    for presentation in block:
        candidates = _Candidates(X, first, first + len(presentation.features), rows)
        found.append(_taught(learner, presentation, candidates, k))
        first = candidates.end
    return found


def _learned_together(
    learner: NamedLearner, block: list[Presented], X: csr_array, k: int
) -> list[Judged] | None:
    """Teach a learner a block whose differences of joint features are computed at once.

    None, with nothing learned, where they would be too large, or where a round is wrong: the other way names it.
    """
    if len(block) * X.shape[1] > _LARGEST_BLOCK:
        return None
    try:
        pages = [_page(learner, presentation) for presentation in block]
    except InvalidInput:
        return None
    ends = np.cumsum([len(page.presented) for page in pages])
    starts = np.concatenate(([0], ends[:-1]))
    differences = learner.differences(
        X, starts.tolist(), [page.presented for page in pages], [page.improved for page in pages]
    )
    first = starts.repeat(ends - starts)
    rows = (np.arange(X.shape[0]) - first).repeat(np.diff(X.indptr))
    cuts = [*X.indptr[starts].tolist(), int(X.indptr[-1])]
    found = []
    for place, (page, difference) in enumerate(zip(pages, differences, strict=True)):
        part = slice(cuts[place], cuts[place + 1])
        products = X.data[part] * learner.vector[X.indices[part]]
        scores = np.bincount(rows[part], products, len(page.presented)).tolist()
        found.append(page.judged(scores, k))
        try:
            learner.learn_difference(difference)
        except InvalidInput as error:
            raise InvalidInput(f"presentation {page.id!r}: {error}") from error
    return found


class _Page(NamedTuple):
    """A presentation with its items by number, and the order that its answer asks for."""

    id: str
    presented: list[int]
    answer: list[int]
    improved: list[int]
    n_shown: int
    by_clicks: bool

    def judged(self, scores: list[float], k: int) -> Judged:
        return judged(
            scores,
            self.presented,
            self.improved,
            self.answer,
            n_shown=self.n_shown,
            by_clicks=self.by_clicks,
            k=k,
        )


def _page(learner: NamedLearner, presentation: Presented) -> _Page:
    presented, answer = _places(presentation)
    by_clicks = presentation.by_clicks
    if by_clicks and learner.swaps_clicked:
        improved = learner.feedback(np.array(presented), answer, by_clicks=True).tolist()
    else:
        first = dict.fromkeys(answer)
        improved = [*first, *[item for item in presented if item not in first]]
    return _Page(presentation.id, presented, answer, improved, presentation.n_shown, by_clicks)


def _round(learner: NamedLearner, presentation: Presented, k: int) -> Judged:
    """Teach a learner a round whose candidates are a matrix of their own."""
    try:
        X = learner.take_in(presentation.features, presentation.items)
    except InvalidInput as error:
        raise InvalidInput(f"presentation {presentation.id!r}: {error}") from error
    return _taught(learner, presentation, _Candidates(X, 0, X.shape[0]), k)


class _Candidates(NamedTuple):
    """The candidates of a round: the rows from ``start`` to ``end`` of a matrix.

    ``rows`` are the rows of the entries of a sparse matrix, which holds other candidates too; None: it does not.
    """

    X: Any
    start: int
    end: int
    rows: Ints | None = None

    def scores(self, learner: NamedLearner) -> list[float]:
        """Return the score of each candidate."""
        if self.rows is None:
            alone: list[float] = learner.scores(self.X).tolist()
            return alone
        part = slice(self.X.indptr[self.start], self.X.indptr[self.end])
        products = self.X.data[part] * learner.vector[self.X.indices[part]]
        n = self.end - self.start
        sums: list[float] = np.bincount(self.rows[part] - self.start, products, n).tolist()
        return sums


def _taught(learner: NamedLearner, presentation: Presented, candidates: _Candidates, k: int) -> Judged:
    """Judge a learner by a round, and teach it."""
    try:
        page = _page(learner, presentation)
        found = page.judged(candidates.scores(learner), k)
        rows = np.arange(candidates.start, candidates.end)
        orders = np.array(page.presented), np.array(page.improved)
        learner.learn_difference(learner.difference(candidates.X, *orders, rows))
    except InvalidInput as error:
        raise InvalidInput(f"presentation {presentation.id!r}: {error}") from error
    return found


def _places(presentation: Presented) -> tuple[list[int], list[int]]:
    """Return presented and answered items by their places among all."""
    place = dict(zip(presentation.items, count()))
    try:
        presented = list(map(place.__getitem__, presentation.presented))
        answer = list(map(place.__getitem__, presentation.answer))
    except KeyError as error:
        name = "presented" if error.args[0] in presentation.presented else "answer"
        raise UnknownItem(
            f"{name} must name its items, got {shown(error.args[0])}: add it to them with its features"
        ) from None
    if not len(presented) == len(place) == len(set(presented)):
        check_order("presented", presented, length=len(place))
    return presented, answer


def _mean(values: Floats) -> float:
    finite = values[~np.isnan(values)]
    return float(finite.mean()) if finite.size else float("nan")


def _share(part: Any, whole: Any) -> float:
    return float(part.sum() / whole.sum()) if whole.any() else float("nan")
