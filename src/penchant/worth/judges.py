"""The reliability and bias of judges, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from penchant.checks import Floats, check_level
from penchant.counts import Counts, shown_count
from penchant.schema import Array, Number, Schema, Text, Texts, counts
from penchant.text import percent, text_table

if TYPE_CHECKING:
    from pandas import DataFrame

_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class Judges:
    """The reliability and the left bias of each judge, least reliable first.

    Each array has one entry a judge, in the order of ``judges``.

    Attributes
    ----------
    judges : tuple of str
    answers : int array of shape (n,)
        The number of comparisons of each judge, weights counting repetitions; floats where a weight is not whole.
    reliability, reliability_error : arrays of shape (n,)
        1 is the average of these judges, 0 answers at random, below 0 answers upside down; and its standard
        error.
    bias, bias_error : arrays of shape (n,)
        Log odds for the left one of two equal items, and its standard error.
    level : float
        The confidence level of `findings`, for each judge separately.
    model : str
        The model that made it, with its settings.
    """

    __saved__: ClassVar = Schema(
        {
            "judges": Texts("n"),
            "answers": counts("n"),
            "reliability": Array(("n",)),
            "reliability_error": Array(("n",), least=0),
            "bias": Array(("n",)),
            "bias_error": Array(("n",), least=0),
            "level": Number(above=0, below=1),
            "model": Text(),
        }
    )

    judges: tuple[str, ...]
    answers: Counts
    reliability: Floats
    reliability_error: Floats
    bias: Floats
    bias_error: Floats
    level: float
    model: str

    def __post_init__(self) -> None:
        check_level(self.level)

    def __len__(self) -> int:
        return len(self.judges)

    @property
    def left_share(self) -> Floats:
        """The share of left among the decided answers about two equal items, shape (n,)."""
        share: Floats = 1 / (1 + np.exp(-self.bias))
        return share

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """What is significant about each judge at ``level``; empty where nothing is.

        "upside down" is a reliability below 0; "at random" one that does not differ from 0 but is below 1;
        "less reliable" one between 0 and 1; "leans left" and "leans right" a bias other than 0.
        """
        width = NormalDist().inv_cdf((1 + self.level) / 2)
        low, high = (self.reliability + sign * width * self.reliability_error for sign in (-1, 1))
        doubt = np.select(
            [high < 0, (high < 1) & (low <= 0), high < 1], ["upside down", "at random", "less reliable"], ""
        )
        sure = np.abs(self.bias) > width * self.bias_error
        lean = np.where(sure, np.where(self.bias > 0, "leans left", "leans right"), "")
        return tuple(
            ", ".join(filter(None, both)) for both in zip(doubt.tolist(), lean.tolist(), strict=True)
        )

    def to_frame(self) -> DataFrame:
        """Return the judges as a pandas frame, one row a judge."""
        from pandas import DataFrame

        columns: dict[str, Any] = {
            "judge": self.judges,
            "answers": self.answers,
            "reliability": self.reliability,
            "reliability_error": self.reliability_error,
            "bias": self.bias,
            "bias_error": self.bias_error,
            "left_share": self.left_share,
            "finding": self.findings,
        }
        return DataFrame(columns)

    def rows(self, most: int | None = None) -> list[dict[str, str]]:
        """Return the rows of a table of the judges (or of the first ``most``), as text."""
        return [
            {
                "judge": judge,
                "answers": shown_count(self.answers[k]),
                "reliability": f"{self.reliability[k]:.2f} ± {self.reliability_error[k]:.2f}",
                "left bias": f"{self.bias[k]:+.2f} ± {self.bias_error[k]:.2f}",
                "left share": percent(self.left_share[k]),
                "finding": self.findings[k],
            }
            for k, judge in enumerate(self.judges[:most])
        ]

    def __repr__(self) -> str:
        if not self.judges:
            return "no judges were named"
        rows = self.rows(_SHOWN)
        lines = text_table(rows, right=rows[0].keys() - {"judge", "finding"})
        if len(self) > _SHOWN:
            found = sum(map(bool, self.findings[_SHOWN:]))
            lines.append(
                f"… and {len(self) - _SHOWN:,} more, {found:,} with a finding: to_frame() has them all"
            )
        return "\n".join(lines)
