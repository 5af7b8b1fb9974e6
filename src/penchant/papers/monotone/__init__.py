"""Paper 4, Chin and others: Gaussian processes with monotonicity constraints."""

from penchant.papers.monotone.simulation import (
    COMPARISONS,
    LENGTHSCALE,
    RATING_NOISE,
    CaseStudy,
    Repetition,
    all_pairs,
    case_study,
    compared,
    fitted,
    grid,
    repeated,
    true_utility,
)

__all__ = [
    "COMPARISONS",
    "LENGTHSCALE",
    "RATING_NOISE",
    "CaseStudy",
    "Repetition",
    "all_pairs",
    "case_study",
    "compared",
    "fitted",
    "grid",
    "repeated",
    "true_utility",
]
