"""The result of an experiment: data, charts, tables, numbers, and the verdict on each claim of the paper.

A claim is written down before a run, as limits on named numbers; its verdict is computed from the numbers of the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np

from penchant.checks import Floats, shown
from penchant.equality import EqualNaN
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd

Size = Literal["quick", "default", "full"]
Verdict = Literal["holds", "holds in part", "does not hold here"]
Whose = Literal["paper", "theorem", "ours"]
Setting = TypeVar("Setting")
_ROUNDING = 2e-7
_LIMIT = r"[-+]?[\d.]+(?:e[-+]?\d+)?"
_RULE = re.compile(rf"(?:(?P<low>{_LIMIT}) < )?(?P<name>.+) (?P<sign>[<>]) (?P<limit>{_LIMIT})")


class BySize(dict[Size, Setting]):
    """The value of a setting at each size; another size is an error.

    Examples
    --------
    >>> BySize(quick=1, default=20, full=200)["default"]
    20
    """

    def __missing__(self, size: Size) -> Setting:
        raise InvalidInput(
            f"size must be one of {', '.join(get_args(Size))}, got {shown(size)}: choose one of them"
        )


@dataclass(frozen=True, eq=False)
class Estimate(EqualNaN):
    """A number with its standard error over the runs, NaN where there is none.

    Examples
    --------
    >>> Estimate(0.5, 0.01)
    0.500 ± 0.01
    """

    value: float
    error: float = float("nan")

    @classmethod
    def of(cls, values: Floats) -> Estimate:
        """Return the mean of values with one entry per run."""
        return cls(float(values.mean()), _standard_error(values))

    @classmethod
    def ratio(cls, values: Floats, others: Floats) -> Estimate:
        """Return the ratio of two means of values that are paired by run.

        Examples
        --------
        >>> Estimate.ratio(np.array([2.0, 4.0]), np.array([1.0, 2.0]))
        2 ± 0
        """
        ratio = float(values.mean() / others.mean())
        return cls(ratio, _standard_error(values - ratio * others) / float(others.mean()))

    def __repr__(self) -> str:
        if not np.isfinite(self.value) or not self.error > 0:
            return f"{self.value:.4g}" + ("" if np.isnan(self.error) else f" ± {self.error:.2g}")
        decimals = int(np.clip(1 - np.floor(np.log10(self.error)), 0, 8))
        return f"{self.value:.{decimals}f} ± {self.error:.2g}"


@dataclass(frozen=True)
class Check:
    """Limits between which a named number must lie.

    Examples
    --------
    >>> Check("depth 25 / depth 10", above=1, below=2)
    1 < depth 25 / depth 10 < 2
    """

    quantity: str
    above: float = float("-inf")
    below: float = float("inf")

    @classmethod
    def of(cls, rule: str) -> Check:
        """Read a check from a rule: ``NAME > LIMIT``, ``NAME < LIMIT`` or ``LIMIT < NAME < LIMIT``.

        Examples
        --------
        >>> Check.of("0.5 < SVM / perceptron < 2")
        0.5 < SVM / perceptron < 2
        """
        found = _RULE.fullmatch(rule)
        if found is None or (found["low"] and found["sign"] == ">"):
            raise InvalidInput(
                f"rule must be NAME > LIMIT, NAME < LIMIT or LIMIT < NAME < LIMIT, got {shown(rule)}: correct it"
            )
        low, limit = float(found["low"] or "-inf"), float(found["limit"])
        if found["sign"] == ">":
            return cls(found["name"], above=limit)
        return cls(found["name"], above=low, below=limit)

    def passes(self, numbers: Mapping[str, Estimate]) -> bool:
        """Whether the number of a run lies between the limits."""
        return self.above < numbers[self.quantity].value < self.below

    def is_close(self, numbers: Mapping[str, Estimate]) -> bool:
        """Whether the number of a run is within two standard errors of a limit."""
        found = numbers[self.quantity]
        return any(abs(found.value - limit) < 2 * found.error for limit in (self.above, self.below))

    def __repr__(self) -> str:
        if np.isclose(self.above, self.below):
            return f"{self.quantity} = {_limit((self.above + self.below) / 2)[0]}"
        low, after = _limit(self.above)
        high, before = _limit(self.below)
        left, right = f"{low} {after} " if low else "", f" {before} {high}" if high else ""
        return f"{left}{self.quantity}{right}"


@dataclass(frozen=True)
class Claim:
    """A sentence of a text, or a consequence of a theorem, and the checks that judge it.

    The same claim is often tried on several sets of data, or with several settings; it then keeps its ``id``.

    Attributes
    ----------
    id : str
        PAPER.NAME, the same wherever the claim is tried.
    says : str
        The claim, in our words.
    checks : tuple of Check
        It holds if all pass, in part if some do.
    whose : {"paper", "theorem", "ours"}
        Whether a text states it, it follows from a theorem, or the text only suggests it, so that the question is ours.
    section, quote : str
        Where the text says it, and a few of its words.
    changed : str
        Why its limits were set or changed after a look at results; empty where they stood before the first run.
    setting : str
        With which setting of ours it is tried, where there are several and the verdict may depend on it.
    counted : bool
        False for what these data cannot test: it is shown and not counted.

    Examples
    --------
    >>> claim = Claim("2.weak", "weak feedback costs little", (Check("weak / strong", below=10),))
    >>> claim.verdict({"weak / strong": Estimate(2.0)})
    'holds'
    """

    id: str
    says: str
    checks: tuple[Check, ...]
    whose: Whose = "paper"
    section: str = ""
    quote: str = ""
    setting: str = ""
    counted: bool = True
    changed: str = ""

    @property
    def paper(self) -> int:
        """The number of the paper."""
        return int(self.id.partition(".")[0])

    def by(self, *rules: str, setting: str = "") -> Claim:
        """Return the same claim, judged by other rules; they may belong to one of several settings of ours.

        Examples
        --------
        >>> claim("2.par", "on par", "SVM / perceptron > 0.8").by("SVM, C/n / perceptron > 0.8", setting="C/n").setting
        'C/n'
        """
        return replace(self, checks=tuple(map(Check.of, rules)), setting=setting)

    @property
    def key(self) -> str:
        """The id, with the setting where there are several."""
        return f"{self.id}, {self.setting}" if self.setting else self.id

    def verdict(self, numbers: Mapping[str, Estimate]) -> Verdict:
        """Judge the claim by the numbers of a run."""
        return overall("holds" if check.passes(numbers) else "does not hold here" for check in self.checks)


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """Return "holds" if all verdicts are that, "does not hold here" if all are that, else "holds in part".

    Examples
    --------
    >>> overall(["holds", "does not hold here"])
    'holds in part'
    """
    found = set(verdicts)
    return found.pop() if len(found) == 1 else "holds in part"


def claim(
    id: str,
    says: str,
    *rules: str,
    whose: Whose = "paper",
    section: str = "",
    quote: str = "",
    counted: bool = True,
    changed: str = "",
) -> Claim:
    """Return a claim that is judged by rules, as `Check.of` reads them.

    Examples
    --------
    >>> claim("2.weak", "weak feedback costs little", "weak / strong < 10").checks
    (weak / strong < 10,)
    """
    checks = tuple(map(Check.of, rules))
    return Claim(id, says, checks, whose, section, quote, counted=counted, changed=changed)


@dataclass(frozen=True, eq=False)
class Measured:
    """What an experiment measured in one run, before it is judged.

    Attributes
    ----------
    data : str
        The data in one sentence, which names stand-ins as such.
    numbers : dict of name → Estimate or float
        All numbers that the claims refer to, and others; a plain number has no standard error.
    charts : dict of name → altair.Chart
    frame : DataFrame
        The data of the charts in tidy form, for instance one row for each name, run and round.
    seconds : dict of name → float
        CPU time of each player, all runs together.
    tables : dict of name → DataFrame
        Small tables to be read.
    """

    data: str
    numbers: Mapping[str, Estimate | float]
    charts: Mapping[str, Any]
    frame: pd.DataFrame
    seconds: Mapping[str, float]
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Result:
    """One experiment on one set of data, judged.

    Attributes
    ----------
    id : str
        Of the experiment.
    title : str
        What was compared, and the figure of the paper that shows it.
    data : str
    size : {"quick", "default", "full"}
    seed : int
    claims : tuple of Claim
    numbers : dict of name → Estimate
    charts, frame, seconds, tables
        As in `Measured`.
    """

    id: str
    title: str
    data: str
    size: Size
    seed: int
    claims: tuple[Claim, ...]
    numbers: Mapping[str, Estimate]
    charts: Mapping[str, Any] = field(repr=False)
    frame: pd.DataFrame = field(repr=False)
    seconds: Mapping[str, float]
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict, repr=False)

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict of the run on each claim, by its id, with the setting where there are several."""
        return {claim.key: claim.verdict(self.numbers) for claim in self.claims}

    def __repr__(self) -> str:
        lines = [f"{self.title}, {self.data}"]
        lines += [f"  {name}: {number!r}" for name, number in self.numbers.items()]
        verdicts = self.verdicts.values()
        lines += [f"  {verdict}: {claim.says}" for claim, verdict in zip(self.claims, verdicts, strict=True)]
        return "\n".join(lines)


def _limit(limit: float) -> tuple[str, str]:
    """Return a limit as text, and its sign: ≤ where the limit only leaves room for rounding, else <."""
    if np.isinf(limit):
        return "", ""
    near = round(limit, 5)
    apart = abs(limit - near)
    return f"{near + 0.0 if apart < _ROUNDING else limit:.4g}", "≤" if 1e-12 < apart < _ROUNDING else "<"


def _standard_error(values: Floats) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
