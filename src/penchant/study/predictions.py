"""How well a study predicted each answer before it learned it: log loss, calibration and a verdict."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, Ints, check_level, numbers
from penchant.counts import counted
from penchant.errors import InvalidInput
from penchant.metrics import CalibrationTable, calibration_table
from penchant.preferences import OUTCOMES
from penchant.text import percent, text_table

if TYPE_CHECKING:
    from pandas import DataFrame

PREDICTED = OUTCOMES[:3]
"""The outcomes that have a predicted probability: left, right, tie."""
LEAST_PROBABILITY = 1e-4
"""What an outcome of a smaller predicted probability counts as: a model without a tie parameter gives a tie 0, and one
such tie would make the log loss infinite, whatever the other answers say."""
LEAST_ANSWERS = 20
"""Fewer answers give no verdict: the standard error of a log loss is itself not known then."""
LARGE_Z = 2.0
"""A difference of so many standard errors is reported as one: a level of about 95 %."""
_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """The probabilities that were predicted for answers, each before it was learned, and the answers.

    Build one with `Predictions.of`. Since each probability was stated before its answer, the standard errors and the
    test of calibration hold although the study learned in between (Seillier-Moiseiwitsch and Dawid 1993).

    Attributes
    ----------
    probabilities : array of shape (m, 3)
        Of left, right and tie.
    outcomes : int array of shape (m,)
        0 left, 1 right, 2 tie.
    both_bad, skips : int
        How many answers were left out: they are not outcomes of a comparison of two items.
    level : float
        The level of the intervals in `calibration`.

    Examples
    --------
    >>> stated = [[0.8, 0.2, 0.0], [0.3, 0.7, 0.0], [0.5, 0.5, 0.0], [0.8, 0.2, 0.0]] * 20
    >>> Predictions.of(stated, ["left", "right", "skip", "right"] * 20)
    60 predicted answers, without 20 skips
    not yet better than a coin: log loss 0.730 ± 0.081, expected 0.537, coin 0.693
    predicted  happened  95 % interval  answers
         70 %     100 %  84 % to 100 %       20
         80 %      50 %   35 % to 65 %       40
    """

    probabilities: Floats
    outcomes: Ints
    both_bad: int = 0
    skips: int = 0
    level: float = 0.95

    @classmethod
    def of(cls, probabilities: ArrayLike, outcomes: ArrayLike, *, level: float = 0.95) -> Predictions:
        """Take predictions and the answers that came.

        Parameters
        ----------
        probabilities : array-like of shape (m, 3)
            Of left, right and tie; not read where the answer is both_bad or skip.
        outcomes : array-like of shape (m,)
            Names, or their indices in `penchant.preferences.OUTCOMES`.
        level : float
            The level of the intervals.
        """
        codes = _codes(outcomes)
        stated = np.asarray(probabilities, dtype=np.float64).reshape(-1, 3)
        if len(stated) != len(codes):
            raise InvalidInput.of(
                "probabilities", f"have {len(codes)} rows, one an answer", len(stated), "give one for each"
            )
        kept = codes < len(PREDICTED)
        return cls(
            _distributions(stated[kept], np.flatnonzero(kept)),
            codes[kept],
            both_bad=int((codes == OUTCOMES.index("both_bad")).sum()),
            skips=int((codes == OUTCOMES.index("skip")).sum()),
            level=check_level(level),
        )

    def __len__(self) -> int:
        return len(self.outcomes)

    @cached_property
    def losses(self) -> Floats:
        """−ln of the probability of what happened, at least that of `LEAST_PROBABILITY`, shape (m,)."""
        stated = self.probabilities[np.arange(len(self)), self.outcomes]
        losses: Floats = -np.log(np.maximum(stated, LEAST_PROBABILITY))
        return losses

    @property
    def log_loss(self) -> float:
        """The mean of `losses`; 0 is best, NaN without answers."""
        return float(self.losses.mean()) if len(self) else float("nan")

    @property
    def standard_error(self) -> float:
        """The standard error of `log_loss`; NaN for fewer than two answers."""
        return float(self.losses.std(ddof=1) / np.sqrt(len(self))) if len(self) > 1 else float("nan")

    @property
    def coin(self) -> float:
        """The log loss of a coin: left and right equally probable, ties as probable as their share."""
        ties = self._shares[2]
        return _entropy(np.array([(1 - ties) / 2, (1 - ties) / 2, ties]))

    @property
    def shares(self) -> float:
        """The log loss of the best constant prediction: the shares of left, right and tie in these answers."""
        return _entropy(self._shares)

    @property
    def expected(self) -> float:
        """The log loss that is to be expected if the probabilities are right: the mean of their entropies.

        A study asks about close pairs, which nothing predicts well: it is then near that of a coin.
        """
        entropies = -np.sum(self.probabilities * np.log(np.maximum(self.probabilities, 1e-300)), axis=1)
        return float(entropies.mean()) if len(self) else float("nan")

    @property
    def impossible(self) -> int:
        """How many answers had a probability below `LEAST_PROBABILITY`."""
        return int((self.probabilities[np.arange(len(self)), self.outcomes] < LEAST_PROBABILITY).sum())

    @property
    def calibration_z(self) -> float:
        """Spiegelhalter's z of the decided answers: above 0 where predictions are too sure, below where too cautious.

        It is (B − E B) / sd B of the Brier score B; standard normal where the probabilities are right. NaN where all
        predictions are one half, which say nothing that could be wrong.
        """
        happened, stated = self._favourite
        lean = 2 * stated - 1
        spread = np.sqrt(np.sum(lean**2 * stated * (1 - stated)))
        return float(np.sum((stated - happened) * lean) / spread) if spread > 0 else float("nan")

    def calibration(self, *, n_bins: int = 10) -> CalibrationTable | None:
        """Compare the probability of the favourite of each decided answer with how often it won, in bins.

        The favourite is the item of the larger probability, so that bins below one half stay empty; a tie is not a
        decided answer. None where there is none.
        """
        happened, stated = self._favourite
        if not len(happened):
            return None
        return calibration_table(happened, stated, n_bins=n_bins, level=self.level)

    @property
    def verdict(self) -> str:
        """What the predictions are worth, in one line."""
        if len(self) < LEAST_ANSWERS:
            return f"not enough answers for a verdict: {len(self)} of {LEAST_ANSWERS}"
        figures = (
            f"log loss {self.log_loss:.3f} ± {self.standard_error:.3f}, expected {self.expected:.3f}, "
            f"coin {self.coin:.3f}"
        )
        if self._shares[2] == 1:  # a coin that knows this is never wrong
            return f"not to be compared with a coin, all answers are ties: {figures}"
        gain = self.coin - self.log_loss
        if abs(gain) <= max(LARGE_Z * self.standard_error, _TOLERANCE):
            return f"not yet better than a coin: {figures}"
        return f"{'better' if gain > 0 else 'worse'} than a coin: {figures}; {self._calibrated}"

    def to_frame(self) -> DataFrame:
        """Return the answers as a pandas frame, one row an answer: the probabilities, what came and its loss."""
        from pandas import DataFrame

        columns: dict[str, Any] = {name: self.probabilities[:, place] for place, name in enumerate(PREDICTED)}
        return DataFrame({**columns, "outcome": np.array(PREDICTED)[self.outcomes], "loss": self.losses})

    def to_json(self) -> str:
        """Return the figures and the bins of `calibration` as JSON text; null where a figure does not exist."""
        table = self.calibration()
        state = {
            "answers": len(self),
            "both_bad": self.both_bad,
            "skips": self.skips,
            "log_loss": _number(self.log_loss),
            "standard_error": _number(self.standard_error),
            "expected": _number(self.expected),
            "coin": _number(self.coin),
            "shares": _number(self.shares),
            "impossible": self.impossible,
            "calibration_z": _number(self.calibration_z),
            "level": self.level,
            "verdict": self.verdict,
            "calibration": [] if table is None else table.to_frame().to_dict("records"),
        }
        return json.dumps(state, ensure_ascii=False, indent=2, allow_nan=False)

    def __repr__(self) -> str:
        left_out = [
            counted(number, noun)
            for number, noun in ((self.both_bad, "both-bad answer"), (self.skips, "skip"))
            if number
        ]
        without = f", without {' and '.join(left_out)}" if left_out else ""
        lines = [f"{counted(len(self), 'predicted answer')}{without}", self.verdict]
        table = self.calibration()
        if table is not None:
            rows = _bins(table)
            lines += text_table(rows, right=rows[0].keys())
        return "\n".join(lines)

    @cached_property
    def _shares(self) -> Floats:
        counts = np.bincount(self.outcomes, minlength=3)
        return counts / len(self) if len(self) else np.full(3, np.nan)

    @cached_property
    def _favourite(self) -> tuple[Floats, Floats]:
        """Of each decided answer: whether the favourite won (1 or 0), and its probability given a decision."""
        left, right, _ = self.probabilities.T
        decided = (self.outcomes < 2) & (left + right > 0)
        share, left_won = (left[decided] / (left + right)[decided]), self.outcomes[decided] == 0
        ahead = share >= 0.5
        return (left_won == ahead).astype(np.float64), np.where(ahead, share, 1 - share)

    @property
    def _calibrated(self) -> str:
        z = self.calibration_z
        if not abs(z) > LARGE_Z:
            return "calibrated, as far as the answers show"
        return f"{'too sure' if z > 0 else 'too cautious'} (calibration z {z:+.1f})"


def _codes(outcomes: ArrayLike) -> Ints:
    """Return indices into `OUTCOMES` of names or of such indices, each checked."""
    given = np.asarray(outcomes)
    names: NDArray[np.str_] = np.array(OUTCOMES)
    if given.size and given.dtype.kind not in "iu":
        matches = given.astype(str)[:, None] == names
        codes = np.where(matches.any(axis=1), matches.argmax(axis=1), -1)
    else:
        codes = given.astype(np.int64).reshape(-1)
    bad = np.flatnonzero((codes < 0) | (codes >= len(OUTCOMES)))
    if bad.size:
        limit = f"be one of {', '.join(OUTCOMES)}, or its index"
        raise InvalidInput.of(
            f"outcome of row {bad[0]}", limit, repr(given[bad[0]].item()), "correct the row"
        )
    return codes.astype(np.int64)


def _distributions(stated: Floats, rows: Ints) -> Floats:
    """Return rows of three probabilities that add up to 1, each checked."""
    numbers("probability", stated)
    wrong = (stated < 0).any(axis=1) | (np.abs(stated.sum(axis=1) - 1) > _TOLERANCE)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        received = ", ".join(f"{value:g}" for value in stated[row])
        remedy = "give those of left, right and tie"
        raise InvalidInput.of(
            f"probabilities of row {rows[row]}", "be from 0 and add up to 1", received, remedy
        )
    return stated


def _entropy(shares: Floats) -> float:
    """Return −Σ p ln p, which is the log loss of the constant prediction p where shares are p."""
    positive = shares[shares != 0]
    return float(0.0 - (positive * np.log(positive)).sum())


def _bins(table: CalibrationTable) -> list[dict[str, str]]:
    """Return the bins as text."""
    interval = f"{100 * table.level:g} % interval"
    columns = (table.probability, table.share, table.share_low, table.share_high, table.count)
    return [
        {
            "predicted": percent(probability),
            "happened": percent(share),
            interval: f"{percent(low)} to {percent(high)}",
            "answers": f"{count:,}",
        }
        for probability, share, low, high, count in zip(*columns, strict=True)
    ]


def _number(value: float) -> float | None:
    return value if np.isfinite(value) else None
