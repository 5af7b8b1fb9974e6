"""Figures of the rounds so far, each judged before it was learned from, in memory that hardly grows with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from penchant.checks import Floats, Ints, check_number, whole
from penchant.coactive.maps import quick_order
from penchant.errors import InvalidInput, UnknownItem
from penchant.orders.ranks import inverse
from penchant.schema import Array, Number, Schema, require

if TYPE_CHECKING:
    from pandas import DataFrame

FIGURES = ("first", "ndcg", "regret")


class Total(NamedTuple):
    """The sums of figures over the first ``rounds`` rounds, and of how many rounds each is known."""

    rounds: int = 0
    sums: tuple[float, ...] = (0.0,) * len(FIGURES)
    counts: tuple[int, ...] = (0,) * len(FIGURES)

    def plus(self, figures: Iterable[float]) -> Total:
        """Return the sums with one more round, of which a figure that is NaN is not known."""
        known = [(0.0, 0) if isnan(value) else (value, 1) for value in figures]
        sums = (total + value for total, (value, _) in zip(self.sums, known, strict=True))
        counts = (count + one for count, (_, one) in zip(self.counts, known, strict=True))
        return Total(self.rounds + 1, tuple(sums), tuple(counts))

    def means_since(self, earlier: Total) -> tuple[float, ...]:
        """Return the mean of each figure over the rounds after ``earlier``; NaN where it is not known."""
        sums = zip(self.sums, earlier.sums, self.counts, earlier.counts, strict=True)
        return tuple((total - less) / (n - m) if n > m else nan for total, less, n, m in sums)


def _check_blocks(state: Mapping[str, Any]) -> None:
    require((np.diff(state["ends"], prepend=0) > 0).all(), "ends must rise from 1")


@dataclass(frozen=True, eq=False, repr=False)
class Progress:
    """How the rounds so far went, over all of them and in blocks that end after 1, 2, 4, 8, … and all rounds.

    Attributes
    ----------
    first : float
        The share of rounds whose first place was clicked, or left where it was; NaN where no round has it.
    ndcg : float
        The mean NDCG of what was presented, over rounds in which something was clicked.
    regret : float
        The mean regret, over rounds in which it is known.
    ends : int array of shape (n_blocks,)
        The last round of each block; the first block begins with round 1.
    first_by_block, ndcg_by_block, regret_by_block : ndarrays of shape (n_blocks,)
        The learning curve: the same three over the rounds of each block alone.

    Examples
    --------
    >>> tracker = ProgressTracker()
    >>> for regret in (1.0, 0.5, 0.25, 0.25):
    ...     tracker.add(regret=regret)
    >>> progress = tracker.progress()
    >>> progress.regret, progress.ends.tolist(), progress.regret_by_block.tolist()
    (0.5, [1, 2, 4], [1.0, 0.5, 0.25])
    """

    __saved__: ClassVar = Schema(
        {
            **{name: Number(nan=True) for name in FIGURES},
            "ends": Array(("n",), "int64", least=1),
            **{f"{name}_by_block": Array(("n",), nan=True) for name in FIGURES},
        },
        rules=(_check_blocks,),
    )

    first: float
    ndcg: float
    regret: float
    ends: Ints
    first_by_block: Floats
    ndcg_by_block: Floats
    regret_by_block: Floats

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return int(self.ends[-1]) if len(self.ends) else 0

    def to_frame(self) -> DataFrame:
        """Return the learning curve as a table, one row a block."""
        from pandas import DataFrame

        begins = np.concatenate(([1], self.ends[:-1] + 1))[: len(self.ends)]
        curve = {name: getattr(self, f"{name}_by_block") for name in FIGURES}
        return DataFrame({"from": begins, "to": self.ends, **curve})

    def __repr__(self) -> str:
        figures = ((name, getattr(self, name)) for name in FIGURES)
        known = [f"{name} {value:.3f}" for name, value in figures if not isnan(value)]
        return f"Progress({', '.join([f'{self.rounds} rounds', *known])})"

    @classmethod
    def __load_state__(cls, state: dict[str, Any]) -> Self:
        return cls(**state)


class ProgressTracker:
    """Collect the figures of one round after another, with the sums after 1, 2, 4, 8, … rounds.

    Examples
    --------
    >>> tracker = ProgressTracker()
    >>> for clicked in ([1], [], [0]):
    ...     first, ndcg = click_figures([0, 1, 2], clicked)
    ...     tracker.add(first=first, ndcg=ndcg)
    >>> tracker.progress()
    Progress(3 rounds, first 0.333, ndcg 0.815)
    """

    __saved__: ClassVar = Schema({"totals": Array((None, 1 + 2 * len(FIGURES)))})

    def __init__(self) -> None:
        self._total = Total()
        self._marks: tuple[Total, ...] = ()

    @property
    def rounds(self) -> int:
        """The number of rounds added."""
        return self._total.rounds

    def add(self, *, first: bool | float = nan, ndcg: float = nan, regret: float = nan) -> None:
        """Add a round; a figure that is not known is NaN.

        Parameters
        ----------
        first : bool
            Whether the first place was clicked, or left where it was by a correction.
        ndcg : float
            Of what was presented, as `click_figures` computes it.
        regret : float
            By how much the person's own order is better, as `order_regret` computes it, or in utility where that is
            known.
        """
        figures = (float(first), float(ndcg), float(regret))
        for name, value in zip(FIGURES, figures, strict=True):
            if not (isfinite(value) or isnan(value)):
                check_number(name, value)
        self._total = self._total.plus(figures)
        if self._total.rounds & (self._total.rounds - 1) == 0:
            self._marks = (*self._marks, self._total)

    def progress(self) -> Progress:
        """Return the figures of the rounds so far."""
        ends = (
            self._marks if self._total in self._marks[-1:] or not self.rounds else (*self._marks, self._total)
        )
        blocks = [later.means_since(earlier) for earlier, later in pairwise((Total(), *ends))]
        curve = np.array(blocks, dtype=np.float64).reshape(-1, len(FIGURES)).T.copy()
        rounds = np.array([total.rounds for total in ends], dtype=np.int64)
        first, ndcg, regret = self._total.means_since(Total())
        return Progress(first, ndcg, regret, rounds, curve[0], curve[1], curve[2])

    def copy(self) -> ProgressTracker:
        """Return a tracker with the same state, which then goes its own way."""
        other = ProgressTracker()
        other._total, other._marks = self._total, self._marks
        return other

    def __repr__(self) -> str:
        return f"ProgressTracker({self.rounds} rounds)"

    def __save_state__(self) -> dict[str, Any]:
        rows = [(total.rounds, *total.sums, *total.counts) for total in (*self._marks, self._total)]
        return {"totals": np.array(rows, dtype=np.float64)}

    @classmethod
    def __load_state__(cls, state: dict[str, Any]) -> Self:
        n = len(FIGURES)
        totals = [
            Total(int(row[0]), tuple(row[1 : n + 1]), tuple(map(int, row[n + 1 :])))
            for row in state["totals"].tolist()
        ]
        wanted = [2**power for power in range(len(totals) - 1)]
        if (
            not totals
            or [total.rounds for total in totals[:-1]] != wanted
            or totals[-1].rounds < sum(wanted[-1:])
        ):
            raise InvalidInput("totals must be those after 1, 2, 4, … and all rounds: save it anew")
        tracker = cls()
        tracker._total, tracker._marks = totals[-1], tuple(totals[:-1])
        return tracker


def click_figures(presented: Any, clicked: Iterable[int], *, k: int = 10) -> tuple[bool, float]:
    """Return whether the first place was clicked, and NDCG@k of the presented order with the clicked as relevant.

    NDCG is NaN where nothing was clicked.

    Parameters
    ----------
    presented : array-like of shape (n,)
        Candidates, best first.
    clicked : iterable of int
        Candidates; a second click on one counts nothing.
    k : int
        Where NDCG is cut.

    Examples
    --------
    >>> click_figures([2, 0, 1], clicked=[0])
    (False, 0.6309297535714575)
    """
    order = quick_order("presented", presented, len(presented))
    items = {whole("clicked", item, 0) for item in clicked}
    if not items:
        return False, nan
    if max(items) >= len(order):
        raise UnknownItem.of(
            "clicked", f"be candidates from 0 to {len(order) - 1}", max(items), "give presented candidates"
        )
    gains = _gains(whole("k", k, 1))
    places = inverse(order)[list(items)]
    best = gains[: len(items)].sum()
    return int(order[0]) in items, float(gains[np.sort(places[places < k])].sum() / best)


def order_regret(presented: Any, own: Any, *, k: int = 10) -> float:
    """Return by how much a person's own order of all candidates is better than the presented one, from 0 to 1.

    It is 1 − NDCG@k, where the grade of a candidate is the number of candidates that the person's order puts below it.

    Parameters
    ----------
    presented, own : array-likes of shape (n,)
        Orders of all candidates, best first.
    k : int
        Where NDCG is cut.

    Examples
    --------
    >>> order_regret([0, 1, 2], [0, 1, 2]), round(order_regret([2, 1, 0], [0, 1, 2]), 3)
    (0.0, 0.38)
    """
    order = quick_order("presented", presented, len(presented))
    wanted = quick_order("own", own, len(order))
    if len(order) < 2:
        return 0.0
    grades = (len(order) - 1.0) - inverse(wanted)
    gains = _gains(whole("k", k, 1))[: len(order)]
    reached, best = (float((gains * grades[by[: len(gains)]]).sum()) for by in (order, wanted))
    return max(0.0, 1.0 - reached / best)


@lru_cache
def _gains(k: int) -> Floats:
    gains: Floats = 1 / np.log2(np.arange(2, k + 2))
    gains.flags.writeable = False
    return gains
