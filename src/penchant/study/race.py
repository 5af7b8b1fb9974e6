"""Compare models by how well each predicts the same answers before it learns them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, check_level, check_number, vector
from penchant.counts import counted
from penchant.errors import InvalidInput
from penchant.text import text_table

if TYPE_CHECKING:
    from pandas import DataFrame

LEAST_ANSWERS = 50
"""Fewer answers give no interval: it holds for many answers, and simulated ones held from this number on."""
TIGHTEST = 1000
"""The number of answers at which intervals are narrowest; a race rarely has an order of magnitude more or fewer."""
ADDED = 2.0
"""How often the largest deviation is counted again in the variance. Differences of log losses are skewed, and before
the first large one their variance is underestimated: without this, simulated intervals of level 95 % missed the
truth in about 6 of 100 races, with it in at most 4. It does not help against differences that come only from rare
events, such as ties that one model calls impossible: where these were 1 % of answers, 61 of 100 races missed the truth
at some time, where 5 %, 10, and where 20 %, 3."""


@dataclass(frozen=True, eq=False, repr=False)
class Race:
    """Models that predicted the same answers, in order of their log loss, with intervals that hold at any time.

    Build one with `Race.of`. Each array has one entry a model, in the order of ``models``.

    Intervals of the mean difference of log losses hold at all times at once: a race may be looked at after every
    answer, and be ended as soon as an interval excludes 0, and each is wrong at any time in at most 1 − ``level`` of
    races. After t answers an interval is

        d ± s √( 2 (tρ² + 1) / (tρ)² · ln(√(tρ² + 1) / α) ),    ρ² = (−2 ln α + ln(−2 ln α) + 1) / `TIGHTEST`,

    where d is the mean of the paired differences and s their standard deviation, to which the largest deviation is
    added (see `ADDED`). That is the asymptotic confidence sequence by a normal mixture of Waudby-Smith et al.
    (2024) for means that may drift: what is estimated is the mean, up to now, of the differences
    that were to be expected. α is 1 − ``level``, divided by the number of pairs of models, so that it is allowed to
    compare with the one that came out best.

    Attributes
    ----------
    models : tuple of str
        Best first.
    losses : array of shape (n_models, n_answers)
        −ln of the probability that each model gave to each answer.
    level : float
    left_out : int
        Answers that models do not predict: both bad and skip.

    References
    ----------
    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence
    sequences", Annals of Statistics 52, 2024.

    Examples
    --------
    >>> losses = np.random.default_rng(0).exponential(0.5, 400)
    >>> better = np.random.default_rng(1).normal(0.05, 0.1, 400)
    >>> Race.of({"thurstone": losses + better, "bradley-terry": losses})
    400 answers, each predicted before it was learned
    model          log loss  difference  95 % interval at any time  verdict
    bradley-terry    0.5632                                         leads
    thurstone        0.6050      0.0418           0.0272 to 0.0564  behind
    bradley-terry is ahead of thurstone by 0.042 (0.027 to 0.056)
    """

    models: tuple[str, ...]
    losses: Floats
    level: float = 0.95
    left_out: int = 0

    @classmethod
    def of(cls, losses: Mapping[str, ArrayLike], *, level: float = 0.95, left_out: int = 0) -> Race:
        """Order models by their mean log loss; models of equal loss in the order in which they came.

        Parameters
        ----------
        losses : mapping of names to arrays of shape (n_answers,)
            −ln of the probability that the model of this name gave to each answer before it learned it.
        level : float
        left_out : int
            How many answers were not predicted.
        """
        if not losses:
            raise InvalidInput.of("models", "be at least one", "none", "name some")
        length = len(np.asarray(next(iter(losses.values()))))
        rows = np.stack([vector(f"loss of {name}", each, length=length) for name, each in losses.items()])
        order = np.argsort(rows.mean(axis=1), kind="stable") if length else np.arange(len(rows))
        names = tuple(losses)
        return cls(tuple(names[k] for k in order), rows[order], check_level(level), left_out)

    def __len__(self) -> int:
        return len(self.models)

    @property
    def answers(self) -> int:
        """How many answers were predicted."""
        return int(self.losses.shape[1])

    @cached_property
    def log_loss(self) -> Floats:
        """The mean log loss of each model, shape (n_models,); NaN without answers."""
        mean: Floats = self.losses.mean(axis=1) if self.answers else np.full(len(self), np.nan)
        return mean

    @property
    def difference(self) -> Floats:
        """The log loss of each model less that of the first, shape (n_models,)."""
        difference: Floats = self.log_loss - self.log_loss[0]
        return difference

    @cached_property
    def intervals(self) -> Floats:
        """The limits of each difference that hold at any time, shape (n_models, 2); NaN for fewer than 50 answers."""
        pairs = max(len(self) * (len(self) - 1) // 2, 1)
        found = [anytime_interval(row - self.losses[0], (1 - self.level) / pairs) for row in self.losses]
        return np.array(found).reshape(-1, 2)

    @property
    def behind(self) -> tuple[bool, ...]:
        """Whether it is certain at ``level`` that a model predicts worse than the first one, one entry a model."""
        return tuple(bool(low > 0) for low in self.intervals[:, 0])

    @property
    def verdict(self) -> str:
        """Which model is ahead of which, by how much, or that no difference is to be seen yet."""
        if len(self) < 2:
            return "one model only: name another to compare it with"
        if self.answers < LEAST_ANSWERS:
            return f"not enough answers for a verdict: {self.answers} of {LEAST_ANSWERS}"
        ahead = [
            f"of {self.models[k]} by {self.difference[k]:.3f} ({low:.3f} to {high:.3f})"
            for k, (low, high) in enumerate(self.intervals)
            if self.behind[k]
        ]
        return f"{self.models[0]} is ahead {', '.join(ahead)}" if ahead else "no difference yet"

    def _columns(self) -> dict[str, Any]:
        return {
            "model": self.models,
            "log_loss": self.log_loss,
            "difference": self.difference,
            "lower": self.intervals[:, 0],
            "upper": self.intervals[:, 1],
            "behind": self.behind,
        }

    def to_frame(self) -> DataFrame:
        """Return the models as a pandas frame, one row a model, best first."""
        from pandas import DataFrame

        return DataFrame(self._columns())

    def to_json(self) -> str:
        """Return the race as JSON text, one object a model, best first; null where a figure does not exist."""
        columns = {
            name: [value if value == value else None for value in np.asarray(column).tolist()]
            for name, column in self._columns().items()
        }
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        state = {
            "answers": self.answers,
            "left_out": self.left_out,
            "level": self.level,
            "verdict": self.verdict,
            "models": rows,
        }
        return json.dumps(state, ensure_ascii=False, indent=2, allow_nan=False)

    def rows(self) -> list[dict[str, str]]:
        """Return the rows of a table of the models, as text."""
        interval = f"{100 * self.level:g} % interval at any time"
        return [
            {
                "model": model,
                "log loss": _shown(self.log_loss[k]),
                "difference": _shown(self.difference[k]) if k else "",
                interval: " to ".join(map(_shown, self.intervals[k])) if k else "",
                "verdict": self._standing(k),
            }
            for k, model in enumerate(self.models)
        ]

    def __repr__(self) -> str:
        rows = self.rows()
        left_out = f", {self.left_out:,} left out" if self.left_out else ""
        return "\n".join(
            [
                f"{counted(self.answers, 'answer')}, each predicted before it was learned{left_out}",
                *text_table(rows, right=rows[0].keys() - {"model", "verdict"}),
                self.verdict,
            ]
        )

    def _standing(self, k: int) -> str:
        if self.answers < LEAST_ANSWERS:
            return "not enough answers"
        if k:
            return "behind" if self.behind[k] else "no difference yet"
        return "leads" if any(self.behind) else ""


def anytime_interval(differences: ArrayLike, alpha: float) -> tuple[float, float]:
    """Return limits of the mean of differences that hold at all times at once; NaN for fewer than 50 of them.

    The formula and its source are those of `Race`.

    Parameters
    ----------
    differences : array-like of shape (t,)
        All until now, in the order in which they came.
    alpha : float
        The probability that the limits are wrong at any time, from the 50th difference on.

    Examples
    --------
    >>> low, high = anytime_interval(np.random.default_rng(0).normal(0.3, 1.0, 500), 0.05)
    >>> round(low, 3), round(high, 3)
    (0.13, 0.416)
    """
    check_number("alpha", alpha, above=0, below=1, remedy="0.05 is usual")
    values = vector("difference", differences)
    t = len(values)
    if t < LEAST_ANSWERS:
        return float("nan"), float("nan")
    mean = float(values.mean())
    squares = (values - mean) ** 2
    deviation = np.sqrt((squares.sum() + ADDED * squares.max()) / (t - 1))
    certainty = -2 * np.log(alpha)
    rho2 = (certainty + np.log(certainty) + 1) / TIGHTEST if certainty > 1 else 1 / TIGHTEST
    spread = t * rho2 + 1
    width = float(deviation * np.sqrt(2 * spread / (t * t * rho2) * np.log(np.sqrt(spread) / alpha)))
    return mean - width, mean + width


def _shown(value: float) -> str:
    return "–" if value != value else f"{value:z.4f}"
