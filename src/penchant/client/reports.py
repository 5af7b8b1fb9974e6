"""Reports that a client has of its own, with the attribute names of a study's; others are `penchant.study_reports`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from penchant.client.results import Item
from penchant.study_reports import Entry, Opponent


@dataclass(frozen=True)
class Predictions:
    """How well the last answers were predicted, each before it was learned; NaN where a figure does not exist.

    Attributes
    ----------
    answers, both_bad, skips : int
        How many were predicted, and how many left out.
    log_loss, standard_error, expected, coin, shares, calibration_z : float
        As in `penchant.study.Predictions`.
    impossible : int
    level : float
    verdict : str
    calibration : tuple of dict
        One a bin: low, high, probability, share, share_low, share_high, count.

    Examples
    --------
    >>> found = Predictions(90, 0, 2, 0.52, 0.03, 0.51, 0.69, 0.66, 0, 0.4, 0.95, "predicts better than a coin", ())
    >>> found.log_loss < found.coin
    True
    """

    answers: int
    both_bad: int
    skips: int
    log_loss: float
    standard_error: float
    expected: float
    coin: float
    shares: float
    impossible: int
    calibration_z: float
    level: float
    verdict: str
    calibration: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Race:
    """Models that predicted the same answers, the best first; NaN where a figure does not exist.

    Attributes
    ----------
    models : tuple of str
    log_loss, difference : tuples of float
    intervals : tuple of (float, float)
        Limits of each difference that hold at any time.
    behind : tuple of bool
    answers, left_out : int
    level : float
    verdict : str

    Examples
    --------
    >>> losses, differences, intervals = (0.52, 0.58), (0.0, 0.06), ((0.0, 0.0), (0.02, 0.1))
    >>> race = Race(("bradley-terry", "elo"), losses, differences, intervals, (False, True), 90, 0, 0.95, "")
    >>> race.models[0], race.behind[1]
    ('bradley-terry', True)
    """

    models: tuple[str, ...]
    log_loss: tuple[float, ...]
    difference: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...]
    behind: tuple[bool, ...]
    answers: int
    left_out: int
    level: float
    verdict: str


@dataclass(frozen=True)
class ItemReport:
    """One item: whom it was compared with, its last answers, and when it was changed, the newest first.

    Examples
    --------
    >>> report = ItemReport(Item("tea", "Tea"), False, 2, (Opponent("water", "Water", won=2),), (), ())
    >>> [(other.item, other.won) for other in report.opponents]
    [('water', 2)]
    """

    item: Item
    retired: bool
    answers: int
    opponents: tuple[Opponent, ...]
    last: tuple[Entry, ...]
    changes: tuple[Entry, ...]
