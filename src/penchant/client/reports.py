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

    Examples
    --------
    >>> Check("left share", True, 0.52, 0.65, "judges take the left item in 52 % of answers").passed
    True
    """

    name: str
    passed: bool | None
    value: float | None
    limit: float | None
    message: str


@dataclass(frozen=True)
class Checks:
    """All checks of a study, each whether it passed or not.

    Examples
    --------
    >>> checks = Checks((Check("left share", True, 0.52, 0.65, "52 % of answers are left"),))
    >>> [check.name for check in checks.checks]
    ['left share']
    """

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

    Examples
    --------
    >>> curve = Certainty("order", 0.9, answers=(10, 20), values=(0.6, 0.8), errors=(0.02, 0.01))
    >>> curve.values[-1] >= curve.level
    False
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

    Examples
    --------
    >>> pair = Upcoming("tea", "water", ("Tea", "Water"), "order", "least certain", (0.5, 0.4, 0.1), 0.2, 0.9)
    >>> pair.left, pair.probability[0]
    ('tea', 0.5)
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

    Examples
    --------
    >>> Entry(4, "a-1", "answered", 1.7e9, "ann", "prefers tea to water", stands=True).words
    'prefers tea to water'
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

    Examples
    --------
    >>> Activity("ann", 12, 1.7e9, 3.5, 11, 0.55, 0.9, 2, 2, aside=False).agreement
    0.9
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
    """How an item fared against another one.

    Examples
    --------
    >>> Opponent("water", "Water", won=3, lost=1).won
    3
    """

    item: str
    title: str
    won: int = 0
    lost: int = 0
    tied: int = 0
    both_bad: int = 0
    skipped: int = 0


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
