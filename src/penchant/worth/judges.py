"""The reliability and bias of judges, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, check_level
from penchant.counts import Counts, as_counts, counted, shown_count
from penchant.errors import InvalidInput
from penchant.schema import Array, Maybe, Number, Schema, Text, Texts, counts
from penchant.text import percent, text_table

if TYPE_CHECKING:
    from pandas import DataFrame

_SHOWN = 20
_NAMED = 8


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
    agreement, agreement_error : arrays of shape (n,), optional
        How often a decided answer of the judge agrees with one of another person about the same pair, and its standard
        error; NaN where nobody else answered such a pair. None where it was not computed.
    shared : array of shape (n,), optional
        How many answers of each judge that rests on.
    seconds : array of shape (n,), optional
        The median time of an answer; NaN where no time is known. None where no times are known at all.
    programs : tuple of str
        The judges that are programs: their answers count as any others, and no agreement is with them.

    Examples
    --------
    >>> from penchant import Preferences
    >>> from penchant.worth import CrowdBradleyTerry
    >>> agreed = [("tea", "water"), ("tea", "coffee"), ("coffee", "water")] * 4
    >>> prefs = Preferences.from_pairs(agreed * 2, judge=["ann"] * 12 + ["bob"] * 12)
    >>> judges = CrowdBradleyTerry().fit(prefs).judges()
    >>> judges.judges, judges.answers.tolist()
    (('ann', 'bob'), [12, 12])
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
        },
        optional={
            "agreement": Maybe(Array(("n",), nan=True)),
            "agreement_error": Maybe(Array(("n",), nan=True)),
            "shared": Maybe(Array(("n",), least=0)),
            "seconds": Maybe(Array(("n",), nan=True)),
            "programs": Texts(),
        },
    )

    judges: tuple[str, ...]
    answers: Counts
    reliability: Floats
    reliability_error: Floats
    bias: Floats
    bias_error: Floats
    level: float
    model: str
    agreement: Floats | None = None
    agreement_error: Floats | None = None
    shared: Floats | None = None
    seconds: Floats | None = None
    programs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_level(self.level)
        unknown = [name for name in self.programs if name not in self.judges]
        if unknown:
            names = ", ".join(map(repr, self.judges[:5])) or "nobody"
            raise InvalidInput.of(
                "programs",
                f"name judges, of whom there are {len(self)} ({names})",
                repr(unknown[0]),
                "correct it",
            )

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

    @property
    def is_program(self) -> NDArray[np.bool_]:
        """Which judges are programs, shape (n,)."""
        return np.array([judge in self.programs for judge in self.judges], dtype=bool)

    @property
    def people_agreement(self) -> float:
        """How often people agree with one another about the same pair; NaN where no two answered one."""
        if self.agreement is None or self.shared is None:
            return float("nan")
        people = ~self.is_program & (self.shared > 0)
        return (
            float(np.average(self.agreement[people], weights=self.shared[people]))
            if people.any()
            else float("nan")
        )

    def notes(self) -> list[str]:
        """Return who to look at, and how each program agrees with people, in words."""
        doubtful = [
            f"{name} ({found})" for name, found in zip(self.judges, self.findings, strict=True) if found
        ]
        more = f" and {len(doubtful) - _NAMED:,} more" if len(doubtful) > _NAMED else ""
        lines = [f"Look at: {'; '.join(doubtful[:_NAMED])}{more}"] if doubtful else []
        return lines + [self._program_note(place) for place in np.flatnonzero(self.is_program).tolist()]

    def _program_note(self, place: int) -> str:
        name = self.judges[place]
        if self.agreement is None or self.shared is None or not self.shared[place] > 0:
            return f"{name}, a program, answered no pair that a person answered"
        error = "" if self.agreement_error is None else self.agreement_error[place]
        within = f" (± {percent(float(error))})" if error != "" and np.isfinite(error) else ""
        people = self.people_agreement
        among = f"; people agree with one another in {percent(people)}" if np.isfinite(people) else ""
        return (
            f"{name}, a program, agrees with people in {percent(float(self.agreement[place]))}{within} of "
            f"{counted(as_counts(self.shared)[place].item(), 'answer')} about the same pairs{among}"
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
            "program": self.is_program,
        }
        for name in ("agreement", "agreement_error", "shared", "seconds"):
            if getattr(self, name) is not None:
                columns[name] = getattr(self, name)
        return DataFrame(columns)

    def rows(self, most: int | None = None) -> list[dict[str, str]]:
        """Return the rows of a table of the judges (or of the first ``most``), as text."""
        return [self._row(k) for k in range(len(self.judges[:most]))]

    def _row(self, k: int) -> dict[str, str]:
        row = {"judge": self.judges[k]}
        if self.programs:
            row["kind"] = "program" if self.judges[k] in self.programs else "person"
        row |= {
            "answers": shown_count(self.answers[k]),
            "reliability": f"{self.reliability[k]:.2f} ± {self.reliability_error[k]:.2f}",
            "left bias": f"{self.bias[k]:+.2f} ± {self.bias_error[k]:.2f}",
            "left share": percent(self.left_share[k]),
        }
        if self.agreement is not None:
            row["agreement"] = percent(self.agreement[k]) if np.isfinite(self.agreement[k]) else "–"
        if self.seconds is not None:
            row["pace"] = f"{self.seconds[k]:.1f} s" if np.isfinite(self.seconds[k]) else "–"
        return {**row, "finding": self.findings[k]}

    def __repr__(self) -> str:
        if not self.judges:
            return "no judges were named"
        rows = self.rows(_SHOWN)
        lines = text_table(rows, right=rows[0].keys() - {"judge", "kind", "finding"})
        if len(self) > _SHOWN:
            found = sum(map(bool, self.findings[_SHOWN:]))
            lines.append(
                f"… and {len(self) - _SHOWN:,} more, {found:,} with a finding: to_frame() has them all"
            )
        return "\n".join(lines)
