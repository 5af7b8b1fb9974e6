"""The probabilities of answers about a pair, as the compiled kernels take them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import exp, inf, isfinite, log, sqrt

import numpy as np

from penchant.belief import LOGISTIC_NOISE
from penchant.checks import Floats
from penchant.errors import InvalidInput

LINKS = ("logistic", "probit")
_RULES = ((0.35, 7), (1.0, 11), (2.5, 21), (inf, 31))
"""The largest standard deviation of a difference, in units of the link's logit, at which so many points are used."""
_LARGEST_SHARE = 0.5


@dataclass(frozen=True)
class AnswerLikelihood:
    """The probabilities of the outcomes of a comparison, given the difference of two scores.

    Attributes
    ----------
    link : {"logistic", "probit"}
        "logistic": the odds are eᵈ, and ties follow Davidson (1970), as in `penchant.worth.BradleyTerry`. "probit": the
        first is preferred with probability Φ(d / (√2 · noise)), and ties follow Glenn and David (1960), as in
        `penchant.worth.Thurstone`.
    noise : float
        The standard deviation of the rating noise on each item, in units of the scores; 1.2 for "logistic".
    tie : float or None
        log ν of Davidson, or ε of Glenn and David in units of the noise; None while nothing was tied.
    """

    link: str
    noise: float
    tie: float | None = None

    def __post_init__(self) -> None:
        if self.link not in LINKS:
            raise InvalidInput.of("link", f"be one of {', '.join(LINKS)}", repr(self.link), "correct it")
        if not (isfinite(self.noise) and self.noise > 0):
            raise InvalidInput.of("noise", "be a number above 0", self.noise, "1 is usual")

    @classmethod
    def logistic(cls, tie: float | None = None) -> AnswerLikelihood:
        """Return that of Bradley and Terry."""
        return cls("logistic", LOGISTIC_NOISE, tie)

    @property
    def for_kernels(self) -> tuple[int, float, float, float]:
        """The number of the link, the noise, the link's logit and the tie parameter."""
        if self.link == "logistic":
            return 0, 1.0, 1.0, -inf if self.tie is None else float(self.tie)
        return 1, float(self.noise), 0.83 * self.noise, 0.0 if self.tie is None else float(self.tie)

    def with_first_tie(self, answers: float, weight: float) -> AnswerLikelihood:
        """Return the likelihood whose tie parameter is chosen at the first tie, after ``answers`` that were decided.

        Two equal items then tie with the share weight / (answers + weight) of the answers so far, at most one half. So
        little probability leaves what was learned from the decided answers nearly as it was.
        """
        share = min(weight / (answers + weight), _LARGEST_SHARE)
        if self.link == "logistic":
            return replace(self, tie=log(2 * share / (1 - share)))
        from scipy.special import ndtri

        return replace(self, tie=sqrt(2.0) * float(ndtri((1 + share) / 2)))

    @property
    def tied_share(self) -> float:
        """The probability that two equal items tie."""
        if self.tie is None:
            return 0.0
        if self.link == "logistic":
            return exp(self.tie) / (2 + exp(self.tie))
        from scipy.special import ndtr

        return float(2 * ndtr(self.tie / sqrt(2.0)) - 1)


@cache
def quadrature_rules() -> Floats:
    """Return the rules of Gauss–Hermite quadrature, shape (4, 3, 31), as the kernels take them.

    The rows of each rule are the largest standard deviation for it and its number of points, the points x, and the
    logarithms of weights w such that Σ w f(x) is ∫ f(x) dx / √(2π).
    """
    from numpy.polynomial.hermite_e import hermegauss

    rules = np.zeros((len(_RULES), 3, max(count for _, count in _RULES)))
    for rule, (largest, count) in zip(rules, _RULES, strict=True):
        x, weight = hermegauss(count)
        outwards = np.argsort(np.abs(x), kind="stable")  # the first value is nearly the largest
        x, weight = x[outwards], weight[outwards]
        rule[0, :2] = largest, count
        rule[1, :count] = x
        rule[2, :count] = np.log(weight / np.sqrt(2 * np.pi)) + x * x / 2
    rules.flags.writeable = False
    return rules
