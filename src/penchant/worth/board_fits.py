"""Fit a model to each part of the rows, by category or over time, and compare what it finds."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints, same_length
from penchant.errors import InvalidInput, PenchantWarning, Text
from penchant.preferences import Preferences
from penchant.progress import reported_to, step_done
from penchant.worth.boards import TREND, Boards, Shifts, holm
from penchant.worth.bradley_terry import BradleyTerry
from penchant.worth.effects import Effects, two_sided_p
from penchant.worth.periods import is_unlabelled, periods_of
from penchant.worth.worth_model import WorthModel

_WEAK_PRIOR = 0.01
"""The precision of the prior under which boards are compared: a stronger one draws the smaller board to 0."""

_MOST_BOARDS = 200


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
    fits = _Fits(fit, total=1 + 2 * len(names) + n_others)
    found = fits.fitted(chosen, preferences)
    overall, overall_effects = found.rank(level=level), _effects(found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)  # the rankings have them as caveats
        fitted = [fits.fitted(chosen, part, name) for name, part in zip(names, parts, strict=True)]
        rankings = tuple(model.rank(level=level) for model in fitted)
        effects = tuple(found for model in fitted if (found := _effects(model)) is not None)
        weak = chosen.get_params(deep=False).keys() & {"prior"}
        loose = _copy(chosen).set_params(prior=_WEAK_PRIOR) if weak else chosen
        estimates = [
            _Estimate.of(fits.fitted(loose, part, name)) for name, part in zip(names, parts, strict=True)
        ]
        others: list[_Estimate | None]
        if over_time:
            others = [None, *estimates[:-1]]
        elif len(names) == 2:
            others = [estimates[1], estimates[0]]
        else:
            others = [
                _Estimate.of(
                    fits.fitted(
                        loose,
                        preferences[np.flatnonzero((labels != name) & (labels != ""))],
                        f"all boards but {name}",
                    )
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
    return Boards(
        tuple(names),
        rankings,
        overall,
        counts,
        shifts,
        p,
        adjusted,
        over_time,
        trend,
        effects,
        overall_effects,
    )


def _copy(model: WorthModel) -> Any:
    return type(model)(**model.get_params(deep=False))


def _effects(fitted: Any) -> Effects | None:
    """Return the effects of covariates, or None from a model that was fitted without any."""
    return fitted.effects_ if getattr(fitted, "_adjusts", False) else None


class _Fits:
    """Fits of one model to parts of the rows, each reported as a step of ``total``."""

    def __init__(self, options: dict[str, Any], total: int) -> None:
        self._options, self._done, self._total = options, 0, total

    def fitted(self, model: WorthModel, part: Preferences, board: str = "") -> Any:
        """Return a copy of ``model`` fitted to rows, about the items that they compare.

        An error names the ``board`` that the rows are of.
        """
        among = part.among(np.unique(part.statements.members).astype(np.int64))
        try:
            with reported_to(None):
                fitted = _copy(model).fit(among, **self._options)
        except InvalidInput as error:
            if not (board and error.argument.startswith("covariate")):
                raise
            remedy = Text(error.remedy, ", or leave out the rows of this board")
            raise InvalidInput.of(
                f"{error.argument} on {board}", error.limit, error.received, remedy
            ) from None
        self._done += 1
        step_done(self._done, self._total)
        return fitted


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
    return Shifts((TREND,) * len(items), tuple(items), change, error, p, holm(p))
