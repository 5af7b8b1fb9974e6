"""The models of paired comparisons as their definitions say, one comparison at a time, and slow."""

from __future__ import annotations

from math import erf, exp, log, sqrt
from typing import Any

import numpy as np

from penchant import Preferences


def outcome_probabilities(model: str, d: float, tie: float | None) -> tuple[float, float, float]:
    """P(first), P(tie), P(second), written down from the definition."""
    if model == "BradleyTerry":
        both = 0.0 if tie is None else exp(tie)
        total = exp(d / 2) + exp(-d / 2) + both
        return exp(d / 2) / total, both / total, exp(-d / 2) / total

    def normal(x: float) -> float:
        return (1 + erf(x / sqrt(2))) / 2

    margin = 0.0 if tie is None else tie
    first, second = normal((d - margin) / sqrt(2)), normal((-d - margin) / sqrt(2))
    return first, 1 - first - second, second


def log_posterior(
    model: str, preferences: Preferences, scores: Any, tie: float | None, prior: float
) -> float:
    """The log posterior, up to a constant, as a plain sum over comparisons."""
    total = -prior / 2 * float(np.square(scores).sum())
    said = preferences.comparisons()
    for better, worse, equal, weight in zip(said.better, said.worse, said.tie, said.weight, strict=True):
        first, both, _ = outcome_probabilities(model, scores[better] - scores[worse], tie)
        total += weight * log(both if equal else first)
    return total


def gradient(model: str, preferences: Preferences, scores: Any, tie: float | None, prior: float) -> Any:
    """The gradient in scores and the tie parameter, by central differences."""
    point = np.append(scores, [] if tie is None else [tie])

    def value(at: Any) -> float:
        return log_posterior(model, preferences, at[: len(scores)], None if tie is None else at[-1], prior)

    return np.array([(value(point + h) - value(point - h)) / 2e-5 for h in 1e-5 * np.eye(len(point))])


def curvature(model: str, preferences: Preferences, scores: Any, tie: float | None, prior: float) -> Any:
    """The negative Hessian in scores and the tie parameter, by differences of differences."""
    point = np.append(scores, [] if tie is None else [tie])
    size, h = len(point), 1e-3

    def value(at: Any) -> float:
        return log_posterior(model, preferences, at[: len(scores)], None if tie is None else at[-1], prior)

    result = np.empty((size, size))
    steps = h * np.eye(size)
    for i in range(size):
        for j in range(size):
            corners = [value(point + a * steps[i] + b * steps[j]) * a * b for a in (1, -1) for b in (1, -1)]
            result[i, j] = -sum(corners) / (4 * h * h)
    return result
