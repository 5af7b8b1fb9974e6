"""What a study reports, the same where it is opened and where a client reads it over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from penchant.text import text_table

if TYPE_CHECKING:
    from pandas import DataFrame


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
        What was found, in words, and what to do where the check failed.

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

    @property
    def result(self) -> str:
        """Whether it passed, as text: "pass", "FAIL", or "–" where there is not enough data."""
        return "–" if self.passed is None else "pass" if self.passed else "FAIL"


@dataclass(frozen=True, repr=False)
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

    def to_frame(self) -> DataFrame:
        """Return the checks as a pandas frame, one row a check."""
        from pandas import DataFrame

        return DataFrame([asdict(check) for check in self.checks])

    def to_json(self) -> str:
        """Return the checks as JSON text."""
        state: dict[str, Any] = {"ok": self.ok, "checks": [asdict(check) for check in self.checks]}
        return json.dumps(state, ensure_ascii=False, indent=2, allow_nan=False)

    def __repr__(self) -> str:
        rows = [
            {"result": check.result, "check": check.name, "found": check.message} for check in self.checks
        ]
        return "\n".join(text_table(rows)) if rows else "no checks"


@dataclass(frozen=True)
class Certainty:
    """How near the ranking was to its goal after some numbers of answers.

    Attributes
    ----------
    goal : {"order", "exact", "top"}
    level : float
        What is enough.
    answers : tuple of int
        Numbers of answers, skips left out, the last one all of them.
    values, errors : tuples of float
        The expected Kendall correlation or the probability after so many answers, and its standard error.
    pending : int
        How many points are still to be computed; 0 unless the time for them was limited.

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

    def to_frame(self) -> DataFrame:
        """Return the curve as a pandas frame, one row a number of answers."""
        from pandas import DataFrame

        return DataFrame({"answers": self.answers, "value": self.values, "error": self.errors})

    def to_json(self) -> str:
        """Return the curve as JSON text."""
        return json.dumps(asdict(self), allow_nan=False, indent=2)


@dataclass(frozen=True)
class Activity:
    """What one judge did, from their answers that stand.

    Attributes
    ----------
    judge : str
    answers : int
        Skips included.
    last : float
        When the last one came, in seconds since 1970.
    seconds : float or None
        The median time from a question to its answer; None where no time is known.
    decided : int
        How many answers are left or right.
    left_share : float or None
        The share of left among those whose sides are known.
    agreement : float or None
        The share of decided answers that prefer the item that the ranking puts higher.
    repeats, repeats_same : int
        How many pairs were asked again with sides swapped, and how many of these were answered the same.
    aside : bool
        Whether the answers of this judge are left out.

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
class Entry:
    """An event of the log in words.

    Attributes
    ----------
    number : int
        Its place in the log, from 1.
    id, kind : str
    time : float
        In seconds since 1970.
    who : str
        The judge or user whom it is about; empty where there is none.
    words : str
        What happened.
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
class Opponent:
    """How an item fared against another one.

    Attributes
    ----------
    item, title : str
        The other one.
    won, lost, tied, both_bad, skipped : int
        How many answers that count preferred the item, the other one, both alike, neither, or nothing at all.

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
class Upcoming:
    """The pair that is asked next, unless something happens before.

    Attributes
    ----------
    left, right : str
        Ids.
    titles : (str, str)
    reason : {"repeat", "few_answers", "not_connected", "top", "close"}
    words : str
        The reason as a sentence.
    probability : (float, float, float)
        Of left, right and tie.
    difference, sd : float
        The mean score of the left item less that of the right one, and its standard deviation.

    Examples
    --------
    >>> pair = Upcoming("tea", "water", ("Tea", "Water"), "close", "the two are close", (0.5, 0.4, 0.1), 0.2, 0.9)
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
