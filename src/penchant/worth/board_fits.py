"""Fit a model to each part of the rows, by category or over time, and compare what it finds."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints, same_length
from penchant.errors import InvalidInput, PenchantWarning, Text
from penchant.preferences import Preferences
from penchant.progress import part, step_done
from penchant.ranking import Ranking
from penchant.worth.boards import TREND, Boards, Shifts, holm
from penchant.worth.bradley_terry import BradleyTerry
from penchant.worth.effects import Effects, two_sided_p
from penchant.worth.periods import is_unlabelled, periods_of
from penchant.worth.worth_model import WorthModel

_WEAK_PRIOR = 0.01
"""The precision of the prior under which boards are compared: a stronger one draws the smaller board to 0."""

_MOST_BOARDS = 200
_MOST_COMPARED = 500
"""Items of a board that are compared with it elsewhere: their covariance is written out and inverted."""

_COLUMNS = 50
"""Columns of a covariance between two reports of progress: of thousands of items each column takes a solution."""


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
    for the number of comparisons (Holm 1979). Of more than 500 items on two boards the 500 with the most answers are
    compared; `Boards.not_compared` says so.

    Parameters
    ----------
    preferences : Preferences
    labels : iterable of shape (n_rows,)
        The category of each row; rows with None, NaN or "" are on no board.
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
    _check_preferences(preferences)
    texts = ["" if is_unlabelled(label) else _category(label) for label in labels]
    same_length("labels", texts, len(preferences))
    sizes: dict[str, float] = {}
    weights = np.ones(len(texts)) if preferences.weight is None else preferences.weight
    for name, weight in zip(texts, weights.tolist(), strict=True):
        sizes[name] = sizes.get(name, 0.0) + weight
    names = sorted(sizes.keys() - {""}, key=lambda name: (-sizes[name], name))
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
        Dates, texts that begin with one (2024-12-31), or numbers; rows with None, NaN or "" are on no board.
    periods : int, optional
        How many periods, each with about as many rows. Without it dates are divided by day, month, quarter, year or
        decade, whichever is the first to give at most 12 periods; numbers by value, or into 12 periods.
    model, level, **fit
        As in `rank_by`.

    Examples
    --------
    >>> prefs = Preferences.from_pairs([("a", "b")] * 80 + [("b", "a")] * 20 + [("b", "a")] * 70 + [("a", "b")] * 30)
    >>> rank_over(prefs, [2024] * 100 + [2025] * 100, periods=2)
    item    all   2024     2025
    a      0.09   0.69  -0.41 ▼
    b     -0.09  -0.69   0.41 ▲
    2025 (100 answers) differs from the period before: p < 0.001
    a in 2025: -1.12 (-1.44 to -0.79), p < 0.001
    b in 2025: +1.12 (+0.79 to +1.44), p < 0.001
    """
    _check_preferences(preferences)
    times = list(when)
    same_length("when", times, len(preferences))
    labels, names = periods_of(times, periods)
    return _boards(preferences, np.array(labels, dtype=object), names, model, level, fit, over_time=True)


def _category(label: Any) -> str:
    """Return a category as text; whole numbers, which are floats in a column where some are missing, as such."""
    if isinstance(label, float | np.floating) and float(label).is_integer():
        return str(int(label))
    return str(label).strip()


def _check_preferences(preferences: Any) -> None:
    if not isinstance(preferences, Preferences):
        raise InvalidInput.of(
            "preferences",
            "be a Preferences",
            type(preferences).__name__,
            "build one with Preferences.from_frame",
        )


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
    if len(names) < 2:
        what = "periods" if over_time else "categories"
        raise InvalidInput.of(what, "be at least two", len(names), "give a column that differs between rows")
    if len(names) > _MOST_BOARDS:
        what, limit = ("periods" if over_time else "categories"), f"be at most {_MOST_BOARDS}"
        raise InvalidInput.of(what, limit, f"{len(names):,}", "put some together, or leave rows out")
    chosen = BradleyTerry() if model is None else model
    parts = [preferences[np.flatnonzero(labels == name)] for name in names]
    n_others = len(names) if len(names) > 2 and not over_time else 0
    has_trend = over_time and len(names) > 2
    fits = _Fits(fit, total=1 + 3 * len(names) + n_others + has_trend)
    with fits.step():
        found = fits.fitted(chosen, preferences)
        overall, overall_effects = found.rank(level=level), _effects(found)
    rankings: list[Ranking] = []
    effects: list[Effects] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)  # the rankings have them as caveats
        for name, rows in zip(names, parts, strict=True):
            with fits.step():
                found = fits.fitted(chosen, rows, name)
                rankings.append(found.rank(level=level))
                if (effect := _effects(found)) is not None:
                    effects.append(effect)
        weak = chosen.get_params(deep=False).keys() & {"prior"}
        loose = _copy(chosen).set_params(prior=_WEAK_PRIOR) if weak else chosen
        estimates = []
        for name, rows in zip(names, parts, strict=True):
            with fits.step():
                estimates.append(_Estimate(fits.fitted(loose, rows, name)))
        others: list[_Estimate | None]
        if over_time:
            others = [None, *estimates[:-1]]
        elif len(names) == 2:
            others = [estimates[1], estimates[0]]
        else:
            others = []
            for name in names:
                rest = preferences[np.flatnonzero((labels != name) & (labels != ""))]
                with fits.step():
                    others.append(_Estimate(fits.fitted(loose, rest, f"all boards but {name}")))
    mirrored = len(names) == 2 and not over_time
    answers = {} if overall.answers is None else dict(zip(overall.items, overall.answers, strict=True))
    shifts, p, left_out = _compared(names, estimates, others, answers, fits, mirrored=mirrored)
    tested = np.isfinite(p) & ~(np.arange(len(p)) == 1 if mirrored else np.zeros(len(p), dtype=bool))
    adjusted = np.full(len(p), np.nan)
    adjusted[tested] = holm(p[tested])
    if mirrored:
        adjusted[1] = adjusted[0]
    counts = tuple(rows.n_answers for rows in parts)
    trend = None
    if has_trend:
        with fits.step():
            trend = _trend(estimates, answers)
    return Boards(
        tuple(names),
        tuple(rankings),
        overall,
        counts,
        shifts,
        p,
        adjusted,
        over_time,
        trend,
        tuple(effects),
        overall_effects,
        left_out,
    )


def _copy(model: WorthModel) -> Any:
    return type(model)(**model.get_params(deep=False))


def _effects(fitted: Any) -> Effects | None:
    """Return the effects of covariates, or None from a model that was fitted without any."""
    return fitted.effects_ if getattr(fitted, "_adjusts", False) else None


class _Fits:
    """Fits of one model to parts of the rows, and what follows from them, in ``total`` steps that are reported."""

    def __init__(self, options: dict[str, Any], total: int) -> None:
        self._options, self._done, self._total = options, 0, total

    @contextmanager
    def step(self) -> Iterator[None]:
        """Report what is done in this block as one step."""
        with part(self._done, self._total):
            yield
        self._done += 1
        step_done(self._done, self._total)

    def fitted(self, model: WorthModel, rows: Preferences, board: str = "") -> Any:
        """Return a copy of ``model`` fitted to rows, about the items that they compare.

        An error names the ``board`` that the rows are of.
        """
        among = rows.among(np.unique(rows.statements.members).astype(np.int64))
        try:
            return _copy(model).fit(among, **self._options)
        except InvalidInput as error:
            if not (board and error.argument.startswith("covariate")):
                raise
            remedy = Text(error.remedy, ", or leave out the rows of this board")
            raise InvalidInput.of(
                f"{error.argument} on {board}", error.limit, error.received, remedy
            ) from None


class _Estimate:
    """The scores of one fit, and how sure they are."""

    def __init__(self, model: Any) -> None:
        self.items: tuple[str, ...] = model.items_
        self._model, self._mean = model, model.mean
        self._place = {item: number for number, item in enumerate(self.items)}

    def also_in(self, other: _Estimate) -> list[str]:
        """Return the items that another fit has too."""
        return [item for item in self.items if item in other._place]

    def about(self, items: Sequence[str]) -> tuple[Floats, Floats]:
        """Return the mean and the covariance of the scores of some items, relative to their mean."""
        chosen: Ints = np.array([self._place[item] for item in items], dtype=np.int64)
        centring = np.eye(len(items)) - 1 / len(items)
        columns = np.array_split(chosen, -(-len(chosen) // _COLUMNS))
        covariances = []
        for number, some in enumerate(columns):
            covariances.append(self._model.covariance(chosen, some))
            step_done(number + 1, len(columns))
        return centring @ self._mean[chosen], centring @ np.hstack(covariances) @ centring


def _most_answered(items: Sequence[str], answers: dict[str, float]) -> list[str]:
    """Return the items that are compared: all, or those with the most answers, in the order in which they came."""
    if len(items) <= _MOST_COMPARED:
        return list(items)
    chosen = set(sorted(items, key=lambda item: -answers.get(item, 0))[:_MOST_COMPARED])
    return [item for item in items if item in chosen]


def _compared(
    names: Sequence[str],
    estimates: Sequence[_Estimate],
    others: Sequence[_Estimate | None],
    answers: dict[str, float],
    fits: _Fits,
    *,
    mirrored: bool,
) -> tuple[Shifts, Floats, int]:
    """Return the differences of each item on each board, the p-value of each board, and the most items left out."""
    from scipy.stats import chi2

    boards: list[str] = []
    items: list[str] = []
    found: list[tuple[Floats, Floats]] = []
    p = np.full(len(names), np.nan)
    left_out = 0
    for number, (name, estimate, other) in enumerate(zip(names, estimates, others, strict=True)):
        with fits.step():
            common = [] if other is None else estimate.also_in(other)
            if other is None or len(common) < 2:
                continue
            both = _most_answered(common, answers)
            left_out = max(left_out, len(common) - len(both))
            with part(0, 2):
                mine, variance = estimate.about(both)
            with part(1, 2):
                theirs, variance_of_other = other.about(both)
            difference, covariance = mine - theirs, variance + variance_of_other
            inverse = np.linalg.pinv(covariance, rcond=1e-10, hermitian=True)
            p[number] = float(chi2.sf(float(difference @ inverse @ difference), len(both) - 1))
            boards += [name] * len(both)
            items += both
            found.append((difference, np.sqrt(np.maximum(np.diag(covariance), 0.0))))
    none = np.zeros(0)
    difference = np.concatenate([none, *(pair[0] for pair in found)])
    error = np.concatenate([none, *(pair[1] for pair in found)])
    each = two_sided_p(np.divide(difference, error, out=np.zeros_like(error), where=error > 0))
    half = len(each) // 2
    adjusted = np.tile(holm(each[:half]), 2) if mirrored else holm(each)
    return Shifts(tuple(boards), tuple(items), difference, error, each, adjusted), p, left_out


def _trend(estimates: Sequence[_Estimate], answers: dict[str, float]) -> Shifts | None:
    """Return the change of each item from the first period to the last along the best straight line, weighted."""
    lasting = set(estimates[0].items).intersection(*(other.items for other in estimates[1:]))
    items = _most_answered([item for item in estimates[0].items if item in lasting], answers)
    if len(items) < 2:
        return None
    found = []
    for number, estimate in enumerate(estimates):
        with part(number, len(estimates)):
            found.append(estimate.about(items))
    scores, weight = (
        np.array([mean for mean, _ in found]),
        1 / np.array([np.diag(covariance) for _, covariance in found]),
    )
    time = np.arange(len(estimates))[:, None] - (weight.T @ np.arange(len(estimates)) / weight.sum(axis=0))
    information = (weight * time**2).sum(axis=0)
    length = len(estimates) - 1
    change, error = length * (weight * time * scores).sum(axis=0) / information, length / np.sqrt(information)
    p = two_sided_p(change / error)
    return Shifts((TREND,) * len(items), tuple(items), change, error, p, holm(p))
