"""Rankings of parts of the rows side by side, by category or over time, and what differs between them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Floats, check_level
from penchant.counts import Count, counted
from penchant.ranking import ELO, ELO_POINTS, Ranking
from penchant.text import text_table
from penchant.worth.effects import Effects, shown_p

if TYPE_CHECKING:
    from pandas import DataFrame

_SHOWN = 20
_NAMED = 5
ALL = "all"
"""What stands for the board of all rows."""
TREND = "trend"
"""What stands for the board of a change over all periods."""


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
    effects : tuple of Effects
        One a board, where the model was fitted with covariates or a side, and empty otherwise.
    overall_effects : Effects, optional
        Those of all rows.
    not_compared : int
        How many items of a board, at most, are not compared with those elsewhere: of many, those with the most answers
        are.

    Examples
    --------
    >>> from penchant import Preferences
    >>> from penchant.worth import rank_by
    >>> prefs = Preferences.from_pairs([("a", "b")] * 60 + [("b", "a")] * 40 + [("b", "a")] * 80 + [("a", "b")] * 20)
    >>> boards = rank_by(prefs, ["code"] * 100 + ["maths"] * 100)
    >>> boards.names, [board.items for board in boards.rankings], boards.answers
    (('code', 'maths'), [('a', 'b'), ('b', 'a')], (100, 100))
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
    effects: tuple[Effects, ...] = ()
    overall_effects: Effects | None = None
    not_compared: int = 0

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

        Differences between boards are multiplied on the scale of Elo, and stay log odds beside probabilities. An
        anchor has its rating in the ranking of all rows; boards move by as much, so that differences between them stay
        what they are, and an anchor may be absent from some of them.
        """
        factor = ELO_POINTS if scale == ELO else 1.0
        shifts, trend = self.shifts.times(factor), None if self.trend is None else self.trend.times(factor)
        overall = self.overall.on_scale(scale, anchor=anchor)
        up = float(overall.scores[0] - self.overall.on_scale(scale).scores[0])
        rankings = tuple(_moved(ranking.on_scale(scale), up) for ranking in self.rankings)
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

    def effects_frame(self) -> DataFrame:
        """Return one row for each board and effect of a covariate, those of all rows first; none without covariates.

        Effects are on the scale that the model has, also where scores are put on another one.
        """
        from pandas import DataFrame, concat

        parts = [DataFrame({"board": []})]
        for name, effects in self._effects():
            part = effects.to_frame(self.level)
            part.insert(0, "board", name)
            parts.append(part)
        return concat(parts[1:] or parts, ignore_index=True)

    def effect_rows(self) -> list[dict[str, str]]:
        """Return what a table shows of the effects of covariates on each board, effect by effect, as text."""
        rows = [
            {"effect": row["effect"], "board": name, **row}
            for name, effects in self._effects()
            for row in effects.rows(self.level)
        ]
        order = [] if self.overall_effects is None else list(self.overall_effects.names)
        return sorted(rows, key=lambda row: order.index(row["effect"]))

    def _effects(self) -> list[tuple[str, Effects]]:
        if self.overall_effects is None:
            return []
        return [(ALL, self.overall_effects), *zip(self.names, self.effects, strict=True)]

    def _effects_json(self, effects: Effects | None) -> dict[str, Any]:
        if effects is None:
            return {}
        return {"effects": effects.to_frame(self.level).to_dict(orient="records")}

    def to_json(self) -> str:
        """Return the boards as JSON text: the ranking of all rows, one object a board, and one a difference."""
        effects = self.effects or (None,) * len(self.names)
        tests = zip(self.names, self.answers, self.rankings, self.p, self.p_adjusted, effects, strict=True)
        boards = [
            {
                "board": name,
                "answers": answers,
                "p": _finite(p),
                "p_adjusted": _finite(adjusted),
                **json.loads(ranking.to_json()),
                **self._effects_json(found),
            }
            for name, answers, ranking, p, adjusted, found in tests
        ]
        state = {
            "over_time": self.over_time,
            "compared_with": self.against,
            "not_compared": self.not_compared,
            "all": json.loads(self.overall.to_json()) | self._effects_json(self.overall_effects),
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
            row = {"item": item, ALL: self.overall.shown_score(self.overall.scores[place])}
            for name, ranking, at in zip(self.names, self.rankings, places, strict=True):
                score = "–" if item not in at else ranking.shown_score(ranking.scores[at[item]])
                row[name] = score + marks.get((name, item), "")
            if self.trend is not None:
                at = {name: k for k, name in enumerate(self.trend.item)}
                change = f"{self._signed(self.trend.difference[at[item]])}" if item in at else "–"
                row["trend"] = change + marks.get((TREND, item), "")
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
        lines, unsure, limit = [], 0, None if most is None else min(most, _NAMED)
        for name, answers, p in zip(self.names, self.answers, self.p_adjusted, strict=True):
            if np.isfinite(p):
                surely = p < 1 - self.level
                unsure += not surely
                if surely or limit is None or unsure <= limit:
                    differs = "differs from" if surely else "does not differ for sure from"
                    lines.append(
                        f"{name} ({counted(answers, 'answer')}) {differs} {self.against}: p {shown_p(p)}"
                    )
        if limit is not None and unsure > limit:
            lines.append(f"… and {unsure - limit:,} more do not differ for sure from {self.against}")
        if self.not_compared:
            lines.append(
                f"compared are the items with the most answers, not up to {self.not_compared:,} others of a board"
            )
        doubtful = [name for name, ranking in zip(self.names, self.rankings, strict=True) if ranking.caveats]
        if doubtful:
            more = f" and {len(doubtful) - _NAMED:,} more" if len(doubtful) > _NAMED else ""
            names = ", ".join(doubtful[:_NAMED]) + more
            lines.append(
                f"on {names} some items meet only in the prior, and their scores there cannot be compared"
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
        where = "from the first period to the last" if part.board[k] == TREND else f"in {part.board[k]}"
        difference = self._signed(part.difference[k])
        return f"{part.item[k]} {where}: {difference} ({low} to {high}), p {shown_p(part.p_adjusted[k])}"

    def __repr__(self) -> str:
        rows = self.rows(_SHOWN)
        lines = text_table(rows, right=rows[0].keys() - {"item"})
        if len(self.overall) > _SHOWN:
            lines.append(f"… and {len(self.overall) - _SHOWN:,} more: to_frame() has them all")
        lines += self.findings(_SHOWN)
        if effects := self.effect_rows():
            lines += text_table(effects, right=effects[0].keys() - {"board", "effect"})
        return "\n".join(lines)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return the text that a notebook shows."""
        return {"text/plain": repr(self)}


def _moved(ranking: Ranking, up: float) -> Ranking:
    """Return a ranking with ``up`` added to its scores."""
    bar = ranking.threshold
    ends = {} if bar is None else {"lower": _plus(bar.lower, up), "upper": _plus(bar.upper, up)}
    return replace(
        ranking,
        scores=ranking.scores + up,
        lower=_plus(ranking.lower, up),
        upper=_plus(ranking.upper, up),
        threshold=None if bar is None else replace(bar, score=bar.score + up, **ends),
    )


def _plus(value: Any, up: float) -> Any:
    return None if value is None else value + up


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
