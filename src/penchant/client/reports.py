"""Reports of a served study, with the attribute names that studies use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from penchant.client.results import Item


@dataclass(frozen=True)
class Check:
    """One check of a study.

    Attributes
    ----------
    name : str
    passed : bool or None
        None where there is not enough data to say.
    value, limit : float or None
        What was found and what it is compared with.
    message : str
    """

    name: str
    passed: bool | None
    value: float | None
    limit: float | None
    message: str


@dataclass(frozen=True)
class Checks:
    """All checks of a study, each whether it passed or not."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether no check failed; those without enough data do not count."""
        return all(check.passed is not False for check in self.checks)

    def __len__(self) -> int:
        return len(self.checks)

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def __getitem__(self, name: str) -> Check:
        """Return the check of this name."""
        return {check.name: check for check in self.checks}[name]


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
class Certainty:
    """How near the ranking was to its goal after some numbers of answers.

    Attributes
    ----------
    goal : str
    level : float
        What is enough.
    answers : tuple of int
    values, errors : tuples of float
    pending : int
        How many points are still to be computed.
    """

    goal: str
    level: float
    answers: tuple[int, ...]
    values: tuple[float, ...]
    errors: tuple[float, ...]
    pending: int = 0


@dataclass(frozen=True)
class Upcoming:
    """The pair that is asked next, unless something happens before.

    Attributes
    ----------
    left, right : str
        Ids.
    titles : (str, str)
    reason, words : str
        Why this pair, for programs and for people.
    probability : (float, float, float)
        Of left, right and tie.
    difference, sd : float
        The mean score of the left item less that of the right one, and its standard deviation.
    """

    left: str
    right: str
    titles: tuple[str, str]
    reason: str
    words: str
    probability: tuple[float, float, float]
    difference: float
    sd: float


@dataclass(frozen=True)
class Entry:
    """An event of the log in words.

    Attributes
    ----------
    number : int
    id, kind : str
    time : float
    who, words : str
        The judge or user whom it is about, and what happened.
    stands : bool or None
        Whether it counts; None for events that cannot be taken back.
    """

    number: int
    id: str
    kind: str
    time: float
    who: str
    words: str
    stands: bool | None = None


@dataclass(frozen=True)
class Activity:
    """What one judge did.

    Attributes
    ----------
    judge : str
    answers : int
    last : float
        When the last answer came.
    seconds : float or None
        The median time of an answer.
    decided : int
    left_share, agreement : float or None
    repeats, repeats_same : int
    aside : bool
    """

    judge: str
    answers: int
    last: float
    seconds: float | None
    decided: int
    left_share: float | None
    agreement: float | None
    repeats: int
    repeats_same: int
    aside: bool


@dataclass(frozen=True)
class Opponent:
    """How an item fared against another one."""

    item: str
    title: str
    won: int = 0
    lost: int = 0
    tied: int = 0
    both_bad: int = 0
    skipped: int = 0


@dataclass(frozen=True)
class ItemReport:
    """One item: whom it was compared with, its last answers, and when it was changed, the newest first."""

    item: Item
    retired: bool
    answers: int
    opponents: tuple[Opponent, ...]
    last: tuple[Entry, ...]
    changes: tuple[Entry, ...]
