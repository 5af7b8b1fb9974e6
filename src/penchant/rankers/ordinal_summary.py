"""The table of an ordinal regression: estimates, standard errors, tests and how well it fits."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from penchant.checks import Floats
from penchant.counts import counted
from penchant.text import text_table

if TYPE_CHECKING:
    from pandas import DataFrame

_LEAST_SHOWN = 1e-3


@dataclass(frozen=True, eq=False, repr=False)
class OrdinalSummary:
    """The estimates of `OrdinalRegression`, weights first and then the cuts, and how well they fit.

    Attributes
    ----------
    names : tuple of str
        Of the features, and of the two categories that each cut lies between: ``low|high``.
    estimate, error : arrays of shape (n,)
        Standard errors are those of the curvature at the optimum.
    log_likelihood : float
    n_observations : float
        The sum of the weights of the rows.
    alpha : float
        The ridge. Where it is above 0 the weights are shrunk, so that there are no tests.
    link : str
    """

    names: tuple[str, ...]
    estimate: Floats
    error: Floats
    log_likelihood: float
    n_observations: float
    alpha: float
    link: str

    @property
    def z(self) -> Floats | None:
        """Estimate over error, shape (n,); None with a ridge."""
        return None if self.alpha else self.estimate / self.error

    @property
    def p(self) -> Floats | None:
        """The probability of a |z| as large if the parameter were 0 (Wald's test), shape (n,); None with a ridge."""
        from scipy.special import ndtr

        return None if self.z is None else 2 * ndtr(-np.abs(self.z))

    @property
    def deviance(self) -> float:
        """Minus twice the log-likelihood."""
        return -2 * self.log_likelihood

    @property
    def aic(self) -> float:
        """The deviance and twice the number of parameters."""
        return self.deviance + 2 * len(self.names)

    def rows(self) -> list[dict[str, str]]:
        """Return what a table shows of each parameter, as text."""
        lines = []
        for place, name in enumerate(self.names):
            row = {"": name, "estimate": f"{self.estimate[place]:z.3f}", "error": f"{self.error[place]:.3f}"}
            if self.z is not None and self.p is not None:
                p = self.p[place]
                row |= {"z": f"{self.z[place]:z.3f}", "p": f"{p:.3f}" if p >= _LEAST_SHOWN else f"{p:.1e}"}
            lines.append(row)
        return lines

    def notes(self) -> list[str]:
        """Return the lines below the table: link, observations and fit, and why there are no p-values with a ridge."""
        number = self.n_observations
        observed = counted(int(number) if number.is_integer() else number, "observation")
        fit = f"log-likelihood {self.log_likelihood:.2f}, AIC {self.aic:.2f}"
        lines = [f"{self.link} link, {observed}, {fit}"]
        if self.alpha:
            lines.append(
                f"the ridge alpha={self.alpha:g} shrinks the weights: alpha=0 gives tests and p-values"
            )
        return lines

    def to_frame(self) -> DataFrame:
        """Return one row a parameter with the columns estimate, error, z and p; the last two NaN with a ridge."""
        from pandas import DataFrame

        missing = np.full(len(self.names), np.nan)
        columns = {
            "estimate": self.estimate,
            "error": self.error,
            "z": missing if self.z is None else self.z,
            "p": missing if self.p is None else self.p,
        }
        return DataFrame(columns, index=list(self.names))

    def to_json(self) -> str:
        """Return the table and the fit as JSON text."""
        rows = [
            {
                "name": name,
                "estimate": float(self.estimate[place]),
                "error": float(self.error[place]),
                "z": None if self.z is None else float(self.z[place]),
                "p": None if self.p is None else float(self.p[place]),
            }
            for place, name in enumerate(self.names)
        ]
        fit = {"log_likelihood": self.log_likelihood, "deviance": self.deviance, "aic": self.aic}
        about = {"observations": self.n_observations, "alpha": self.alpha, "link": self.link}
        return json.dumps({"parameters": rows, **fit, **about}, ensure_ascii=False)

    def __repr__(self) -> str:
        return "\n".join([*text_table(self.rows(), right={"estimate", "error", "z", "p"}), *self.notes()])

    def _repr_html_(self) -> str:
        """Return the table that a notebook shows."""
        from html import escape

        rows = self.rows()
        head = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row.values()) + "</tr>" for row in rows
        )
        notes = "".join(f"<p>{escape(line)}</p>" for line in self.notes())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"
