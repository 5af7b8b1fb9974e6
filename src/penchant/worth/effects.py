"""The effects of covariates on comparisons, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from penchant.checks import Floats, check_level
from penchant.schema import Array, Schema, Texts
from penchant.text import text_table

if TYPE_CHECKING:
    from pandas import DataFrame


def shown_p(p: float) -> str:
    """Return a p-value as text.

    Examples
    --------
    >>> shown_p(0.0211), shown_p(0.00002)
    ('0.021', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def two_sided_p(z: Floats) -> Floats:
    """Return the probability of a standard normal number at least as far from 0 as each of ``z``."""
    from scipy.special import ndtr

    p: Floats = 2 * ndtr(-np.abs(z))
    return p


@dataclass(frozen=True, eq=False, repr=False)
class Effects:
    """What each covariate adds to the worth of an item in a comparison, with its standard error and test.

    Attributes
    ----------
    names : tuple of str
        The covariates; "side" is standing on the left, where that was asked for.
    estimate, error : arrays of shape (k,)
        What one unit more than the other item adds, on the scale of the scores (log odds for Bradley–Terry), and its
        standard error.
    p : array of shape (k,)
        The two-sided p-value of no effect, from estimate / error as a standard normal number.
    spread : array of shape (k,)
        The root mean square of each covariate in the rows: estimate times this is what it usually adds.

    Examples
    --------
    >>> Effects(("length",), np.array([0.5]), np.array([0.1]), np.array([5.7e-7]), np.array([2.0]))
    effect  estimate  error  95 % interval  per sd        p
    length    0.5000  0.100  0.304 to 0.696   +1.00  < 0.001
    """

    __saved__: ClassVar = Schema(
        {
            "names": Texts("k"),
            "estimate": Array(("k",)),
            "error": Array(("k",), least=0),
            "p": Array(("k",), least=0, most=1),
            "spread": Array(("k",), least=0),
        }
    )

    names: tuple[str, ...]
    estimate: Floats
    error: Floats
    p: Floats
    spread: Floats

    @classmethod
    def of(cls, names: tuple[str, ...], estimate: Floats, covariance: Floats, spread: Floats) -> Effects:
        """Return effects with the tests that follow from their covariance."""
        error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        z = np.divide(estimate, error, out=np.full_like(estimate, np.inf), where=error > 0)
        return cls(names, estimate, error, two_sided_p(z), spread)

    def __len__(self) -> int:
        return len(self.names)

    def interval(self, level: float = 0.95) -> Floats:
        """Return the interval of each estimate at ``level``, shape (k, 2)."""
        width = NormalDist().inv_cdf((1 + check_level(level)) / 2) * self.error
        return np.column_stack([self.estimate - width, self.estimate + width])

    def to_frame(self, level: float = 0.95) -> DataFrame:
        """Return the effects as a pandas frame, one row a covariate."""
        from pandas import DataFrame

        lower, upper = self.interval(level).T
        return DataFrame(
            {
                "effect": self.names,
                "estimate": self.estimate,
                "error": self.error,
                "lower": lower,
                "upper": upper,
                "per_sd": self.estimate * self.spread,
                "p": self.p,
            }
        )

    def rows(self, level: float = 0.95) -> list[dict[str, str]]:
        """Return what a table shows of each effect, as text."""
        lines = []
        for k, (name, (lower, upper)) in enumerate(zip(self.names, self.interval(level), strict=True)):
            lines.append(
                {
                    "effect": name,
                    "estimate": f"{self.estimate[k]:#.4g}",
                    "error": f"{self.error[k]:#.3g}",
                    f"{100 * level:g} % interval": f"{lower:#.3g} to {upper:#.3g}",
                    "per sd": f"{self.estimate[k] * self.spread[k]:+z.2f}",
                    "p": shown_p(float(self.p[k])),
                }
            )
        return lines

    def __repr__(self) -> str:
        rows = self.rows()
        return "\n".join(text_table(rows, right=rows[0].keys() - {"effect"})) if rows else "no covariates"
