"""Rankings of parts of the rows side by side, by category or over time, and what differs between them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Floats, Ints, check_level, same_length
from penchant.counts import Count, shown_count
from penchant.errors import InvalidInput, PenchantWarning
from penchant.preferences import Preferences
from penchant.ranking import ELO, Ranking
from penchant.text import text_table
from penchant.worth.bradley_terry import BradleyTerry
from penchant.worth.effects import shown_p, two_sided_p
from penchant.worth.periods import periods_of
from penchant.worth.worth_model import WorthModel

if TYPE_CHECKING:
    from pandas import DataFrame

_WEAK_PRIOR = 0.01
"""The precision of the prior under which boards are compared: a stronger one draws the smaller board to 0."""
_SHOWN = 20
_TREND = "trend"
_ELO_POINTS = 400 / np.log(10)


@dataclass(frozen=True, eq=False)
class Shifts:
    """How much the scores of items differ between a board and what it is compared with, one entry an item and board.

    Attributes
    ----------
    board : tuple of str
    item : tuple of str
    difference, error : arrays of shape (m,)
        The score on the board less that on the other, both relative to the mean of the items on both, and its standard
        error.
    p, p_adjusted : arrays of shape (m,)
        The two-sided p-value of no difference, and the one that holds for all of them together (Holm 1979).
    """

    board: tuple[str, ...]
    item: tuple[str, ...]
    difference: Floats
    error: Floats
    p: Floats
    p_adjusted: Floats

    def times(self, factor: float) -> Shifts:
        """Return the differences in another unit."""
        return replace(self, difference=factor * self.difference, error=factor * self.error)

    def to_rows(self, level: float) -> list[dict[str, Any]]:
        """Return one mapping for each difference, with its interval at ``level``."""
        lower, upper = self.interval(level).T
        numbers = (self.difference, lower, upper, self.p, self.p_adjusted)
        names = ("board", "item", "difference", "lower", "upper", "p", "p_adjusted")
        columns = [self.board, self.item, *(column.tolist() for column in numbers)]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def interval(self, level: float) -> Floats:
        """Return the interval of each difference at ``level``, shape (m, 2)."""
        width = NormalDist().inv_cdf((1 + check_level(level)) / 2) * self.error
        return np.column_stack([self.difference - width, self.difference + width])


@dataclass(frozen=True, eq=False, repr=False)
class Boards:
    """A ranking for each part of the rows, and what differs between them. Made by `rank_by` and `rank_over`.

    Attributes
    ----------
    names : tuple of str
        The boards: categories in the order of their size, or periods in the order of time.
    rankings : tuple of Ranking
        One a board, of the items that its rows compare.
    overall : Ranking
        Of all rows.
    answers : tuple of int or float
        How many answers each board rests on.
    shifts : Shifts
        Each board compared with the rows of all others or, over time, with the period before it.
    p, p_adjusted : arrays of shape (n_boards,)
        The p-value of no difference in any item between a board and what it is compared with, NaN where there is
        nothing to compare, and the one that holds for all boards together.
    over_time : bool
    trend : Shifts, optional
        Over three periods or more, by how much each item that is in all of them rose from the first to the last along
        the straight line that fits best.
    """

    names: tuple[str, ...]
    rankings: tuple[Ranking, ...]
    overall: Ranking
    answers: tuple[Count, ...]
    shifts: Shifts
    p: Floats
    p_adjusted: Floats
    over_time: bool
    trend: Shifts | None = None

    @property
    def level(self) -> float:
        """The probability that an interval or range holds."""
        return self.overall.level

    @property
    def against(self) -> str:
        """What each board is compared with, in words."""
        return "the period before" if self.over_time else "all other rows"

    def on_scale(self, scale: str, *, anchor: Any = None) -> Boards:
        """Return the boards with scores on another scale (`Ranking.on_scale`).

        Differences between boards are multiplied on the scale of Elo, and stay log odds beside probabilities.
        """
        factor = _ELO_POINTS if scale == ELO else 1.0
        shifts, trend = self.shifts.times(factor), None if self.trend is None else self.trend.times(factor)
        rankings = tuple(ranking.on_scale(scale, anchor=anchor) for ranking in self.rankings)
        overall = self.overall.on_scale(scale, anchor=anchor)
        return replace(self, rankings=rankings, overall=overall, shifts=shifts, trend=trend)

    def to_frame(self) -> DataFrame:
        """Return one row for each board and item: its rank, score and interval, and how it differs."""
        from pandas import DataFrame, concat

        parts = []
        for name, ranking in zip(self.names, self.rankings, strict=True):
            part = ranking.to_frame()
            part.insert(0, "board", name)
            parts.append(part)
        lower, upper = self.shifts.interval(self.level).T
        shifts = DataFrame(
            {
                "board": self.shifts.board,
                "item": self.shifts.item,
                "difference": self.shifts.difference,
                "difference_lower": lower,
                "difference_upper": upper,
                "p": self.shifts.p,
                "p_adjusted": self.shifts.p_adjusted,
            }
        )
        return concat(parts, ignore_index=True).merge(shifts, how="left", on=["board", "item"])

    def to_json(self) -> str:
        """Return the boards as JSON text: the ranking of all rows, one object a board, and one a difference."""
        tests = zip(self.names, self.answers, self.rankings, self.p, self.p_adjusted, strict=True)
        boards = [
            {
                "board": name,
                "answers": answers,
                "p": _finite(p),
                "p_adjusted": _finite(adjusted),
                **json.loads(ranking.to_json()),
            }
            for name, answers, ranking, p, adjusted in tests
        ]
        state = {
            "over_time": self.over_time,
            "compared_with": self.against,
            "all": json.loads(self.overall.to_json()),
            "boards": boards,
            "differences": self.shifts.to_rows(self.level),
            "trend": None if self.trend is None else self.trend.to_rows(self.level),
        }
        return json.dumps(state, ensure_ascii=False, indent=2, allow_nan=False)

    def rows(self, most: int | None = None) -> list[dict[str, str]]:
        """Return what a table shows: the score of each item on each board, with ▲ and ▼ where it surely differs."""
        places = [{item: place for place, item in enumerate(ranking.items)} for ranking in self.rankings]
        marks = self._marks()
        lines = []
        for place, item in enumerate(self.overall.items[:most]):
            row = {"item": item, "all": self.overall.shown_score(self.overall.scores[place])}
            for name, ranking, at in zip(self.names, self.rankings, places, strict=True):
                score = "–" if item not in at else ranking.shown_score(ranking.scores[at[item]])
                row[name] = score + marks.get((name, item), "")
            if self.trend is not None:
                at = {name: k for k, name in enumerate(self.trend.item)}
                change = f"{self._signed(self.trend.difference[at[item]])}" if item in at else "–"
                row["trend"] = change + marks.get((_TREND, item), "")
            lines.append(row)
        return lines

    def _marks(self) -> dict[tuple[str, str], str]:
        return {
            (part.board[k], part.item[k]): " ▲" if part.difference[k] > 0 else " ▼"
            for part in (self.shifts, self.trend)
            if part is not None
            for k in np.flatnonzero(part.p_adjusted < 1 - self.level)
        }

    def _signed(self, difference: float) -> str:
        return f"{difference:+z.0f}" if self.overall.scale == ELO else f"{difference:+z.2f}"

    def findings(self, most: int | None = None) -> list[str]:
        """Return what differs for sure, as sentences, the surest first: whole boards, then items."""
        lines = []
        for name, answers, p in zip(self.names, self.answers, self.p_adjusted, strict=True):
            if np.isfinite(p):
                differs = "differs from" if p < 1 - self.level else "does not differ for sure from"
                lines.append(
                    f"{name} ({shown_count(answers)} answers) {differs} {self.against}: p {shown_p(p)}"
                )
        order = np.argsort(self.shifts.p_adjusted, kind="stable")
        hidden = self.names[1] if len(self.names) == 2 and not self.over_time else None  # says the same again
        sure = [
            k for k in order if self.shifts.p_adjusted[k] < 1 - self.level and self.shifts.board[k] != hidden
        ]
        lines += [self._sentence(self.shifts, k) for k in sure[:most]]
        if self.trend is not None:
            order = np.argsort(self.trend.p_adjusted, kind="stable")
            rising = [k for k in order if self.trend.p_adjusted[k] < 1 - self.level]
            lines += [self._sentence(self.trend, k) for k in rising[:most]]
        if most is not None and len(sure) > most:
            lines.append(f"… and {len(sure) - most:,} more items")
        return lines

    def _sentence(self, part: Shifts, k: int) -> str:
        low, high = map(self._signed, part.interval(self.level)[k])
        where = "from the first period to the last" if part.board[k] == _TREND else f"in {part.board[k]}"
        difference = self._signed(part.difference[k])
        return f"{part.item[k]} {where}: {difference} ({low} to {high}), p {shown_p(part.p_adjusted[k])}"

    def __repr__(self) -> str:
        rows = self.rows(_SHOWN)
        lines = text_table(rows, right=rows[0].keys() - {"item"})
        if len(self.overall) > _SHOWN:
            lines.append(f"… and {len(self.overall) - _SHOWN:,} more: to_frame() has them all")
        return "\n".join([*lines, *self.findings(_SHOWN)])

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return the text that a notebook shows."""
        return {"text/plain": repr(self)}


def rank_by(
    preferences: Preferences,
    labels: Iterable[Any],
    *,
    model: WorthModel | None = None,
    level: float = 0.95,
    **fit: Any,
) -> Boards:
    """Rank the items on the rows of each category, and say what differs between the categories.

    Each board is compared with the rows of all others. The boards show the scores of ``model``; they are compared
    under a prior so weak that a board with few answers is not drawn to 0, by normal errors, and p-values are corrected
    for the number of comparisons (Holm 1979).

    Parameters
    ----------
    preferences : Preferences
    labels : iterable of shape (n_rows,)
        The category of each row; rows with None or "" are on no board.
    model : model of worth, optional
        With its settings; BradleyTerry() if not given.
    level : float
    **fit
        What else ``model.fit`` takes, for instance ``covariates`` and ``side``.

    Examples
    --------
    >>> prefs = Preferences.from_pairs([("a", "b")] * 60 + [("b", "a")] * 40 + [("b", "a")] * 80 + [("a", "b")] * 20)
    >>> rank_by(prefs, ["code"] * 100 + ["maths"] * 100)
    item    all     code    maths
    b      0.19  -0.18 ▼   0.69 ▲
    a     -0.19   0.18 ▲  -0.69 ▼
    code (100 answers) differs from all other rows: p < 0.001
    maths (100 answers) differs from all other rows: p < 0.001
    a in code: +0.90 (+0.58 to +1.21), p < 0.001
    b in code: -0.90 (-1.21 to -0.58), p < 0.001
    """
    texts = ["" if label is None else str(label).strip() for label in labels]
    same_length("labels", texts, len(preferences))
    sizes = {name: texts.count(name) for name in dict.fromkeys(texts) if name}
    names = sorted(sizes, key=lambda name: (-sizes[name], name))
    return _boards(preferences, np.array(texts, dtype=object), names, model, level, fit, over_time=False)


def rank_over(
    preferences: Preferences,
    when: Iterable[Any],
    *,
    periods: int | None = None,
    model: WorthModel | None = None,
    level: float = 0.95,
    **fit: Any,
) -> Boards:
    """Rank the items in each period, and say what changed from each period to the next.

    Each period is fitted to its own rows alone: what a board shows happened in that period, and two neighbouring boards
    are independent, so that their difference can be tested, as can the trend over all periods. `Glicko` carries ratings
    on from period to period instead.

    Parameters
    ----------
    preferences : Preferences
    when : iterable of shape (n_rows,)
        Dates, texts that begin with one (2024-12-31), or numbers.
    periods : int, optional
        How many periods, each with about as many rows. Without it dates are divided by day, month, quarter, year or
        decade, whichever is the first to give at most 12 periods; numbers by value, or into 12 periods.
    model, level, **fit
        As in `rank_by`.
    """
    times = list(when)
    same_length("when", times, len(preferences))
    labels, names = periods_of(times, periods)
    return _boards(preferences, np.array(labels, dtype=object), names, model, level, fit, over_time=True)


def _boards(
    preferences: Preferences,
    labels: Any,
    names: Sequence[str],
    model: WorthModel | None,
    level: float,
    fit: dict[str, Any],
    *,
    over_time: bool,
) -> Boards:
    if not isinstance(preferences, Preferences):
        raise InvalidInput.of(
            "preferences",
            "be a Preferences",
            type(preferences).__name__,
            "build one with Preferences.from_frame",
        )
    if len(names) < 2:
        what = "periods" if over_time else "categories"
        raise InvalidInput.of(what, "be at least two", len(names), "give a column that differs between rows")
    chosen = BradleyTerry() if model is None else model
    parts = [preferences[np.flatnonzero(labels == name)] for name in names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)  # the rankings have them as caveats
        overall = _fitted(chosen, preferences, fit).rank(level=level)
        rankings = tuple(_fitted(chosen, part, fit).rank(level=level) for part in parts)
        weak = chosen.get_params(deep=False).keys() & {"prior"}
        loose = _copy(chosen).set_params(prior=_WEAK_PRIOR) if weak else chosen
        estimates = [_Estimate.of(_fitted(loose, part, fit)) for part in parts]
        others: list[_Estimate | None]
        if over_time:
            others = [None, *estimates[:-1]]
        elif len(names) == 2:
            others = [estimates[1], estimates[0]]
        else:
            others = [
                _Estimate.of(
                    _fitted(loose, preferences[np.flatnonzero((labels != name) & (labels != ""))], fit)
                )
                for name in names
            ]
    mirrored = len(names) == 2 and not over_time
    shifts, p = _compared(names, estimates, others, mirrored=mirrored)
    tested = np.isfinite(p) & ~(np.arange(len(p)) == 1 if mirrored else np.zeros(len(p), dtype=bool))
    adjusted = np.full(len(p), np.nan)
    adjusted[tested] = holm(p[tested])
    if mirrored:
        adjusted[1] = adjusted[0]
    counts = tuple(part.n_answers for part in parts)
    trend = _trend(estimates) if over_time and len(names) > 2 else None
    return Boards(tuple(names), rankings, overall, counts, shifts, p, adjusted, over_time, trend)


def _copy(model: WorthModel) -> Any:
    return type(model)(**model.get_params(deep=False))


def _fitted(model: WorthModel, part: Preferences, fit: dict[str, Any]) -> Any:
    """Return a copy of ``model`` fitted to rows, about the items that they compare."""
    return _copy(model).fit(part.among(np.unique(part.statements.members).astype(np.int64)), **fit)


@dataclass(frozen=True, eq=False)
class _Estimate:
    items: tuple[str, ...]
    mean: Floats
    covariance: Floats

    @classmethod
    def of(cls, model: Any) -> _Estimate:
        return cls(model.items_, model.mean, model.covariance())

    def about(self, items: Sequence[str]) -> tuple[Floats, Floats]:
        """Return the mean and the covariance of the scores of some items, relative to their mean."""
        place = {item: number for number, item in enumerate(self.items)}
        chosen: Ints = np.array([place[item] for item in items], dtype=np.int64)
        centring = np.eye(len(items)) - 1 / len(items)
        covariance = centring @ self.covariance[np.ix_(chosen, chosen)] @ centring
        return centring @ self.mean[chosen], covariance


def _compared(
    names: Sequence[str],
    estimates: Sequence[_Estimate],
    others: Sequence[_Estimate | None],
    *,
    mirrored: bool,
) -> tuple[Shifts, Floats]:
    """Return the differences of each item on each board, and the p-value of each board as a whole."""
    from scipy.stats import chi2

    boards: list[str] = []
    items: list[str] = []
    found: list[tuple[Floats, Floats]] = []
    p = np.full(len(names), np.nan)
    for number, (name, estimate, other) in enumerate(zip(names, estimates, others, strict=True)):
        if other is None:
            continue
        both = [item for item in estimate.items if item in set(other.items)]
        if len(both) < 2:
            continue
        (mine, variance), (theirs, variance_of_other) = estimate.about(both), other.about(both)
        difference, covariance = mine - theirs, variance + variance_of_other
        statistic = float(difference @ np.linalg.pinv(covariance, rcond=1e-10, hermitian=True) @ difference)
        p[number] = float(chi2.sf(statistic, len(both) - 1))
        boards += [name] * len(both)
        items += both
        found.append((difference, np.sqrt(np.maximum(np.diag(covariance), 0.0))))
    none = np.zeros(0)
    difference = np.concatenate([none, *(part[0] for part in found)])
    error = np.concatenate([none, *(part[1] for part in found)])
    each = two_sided_p(np.divide(difference, error, out=np.zeros_like(error), where=error > 0))
    half = len(each) // 2
    adjusted = np.tile(holm(each[:half]), 2) if mirrored else holm(each)
    return Shifts(tuple(boards), tuple(items), difference, error, each, adjusted), p


def _trend(estimates: Sequence[_Estimate]) -> Shifts | None:
    """Return the change of each item from the first period to the last along the best straight line, weighted."""
    items = [item for item in estimates[0].items if all(item in other.items for other in estimates)]
    if len(items) < 2:
        return None
    found = [estimate.about(items) for estimate in estimates]
    scores, weight = np.array([mean for mean, _ in found]), 1 / np.array([np.diag(part) for _, part in found])
    time = np.arange(len(estimates))[:, None] - (weight.T @ np.arange(len(estimates)) / weight.sum(axis=0))
    information = (weight * time**2).sum(axis=0)
    length = len(estimates) - 1
    change, error = length * (weight * time * scores).sum(axis=0) / information, length / np.sqrt(information)
    p = two_sided_p(change / error)
    return Shifts((_TREND,) * len(items), tuple(items), change, error, p, holm(p))


def holm(p: Floats) -> Floats:
    """Return p-values that hold for all of them together, by Holm's step-down method (1979).

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(np.maximum.accumulate(p[order] * (len(p) - np.arange(len(p)))), 1.0)
    adjusted = np.empty_like(p)
    adjusted[order] = stepped
    return adjusted


def _finite(p: float) -> float | None:
    return float(p) if np.isfinite(p) else None
