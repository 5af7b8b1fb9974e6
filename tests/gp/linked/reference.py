"""The linked process as the paper writes it: dense matrices, one answer at a time (eq. 2, 3, 6, 22, 24)."""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr

from penchant.checks import Floats

N = 40


def feature_covariance(features: Floats, scale: float, lengthscale: float) -> Floats:
    """Eq. 2, pair by pair."""
    n = len(features)
    covariance = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            squared = sum((a - b) ** 2 for a, b in zip(features[i], features[j], strict=True))
            covariance[i, j] = scale**2 * np.exp(-squared / (2 * lengthscale**2))
    return covariance


def graph_covariance(links: Floats, beta: float, iota: float) -> Floats:
    """Eq. 3, by an inverse."""
    laplacian = np.diag(links.sum(axis=1)) - links
    return np.linalg.inv(beta * (laplacian + np.eye(len(links)) / iota**2))


class DenseBelief:
    """m and K as they stand in eq. 24, with the site of eq. 22 in its limit of rank one."""

    def __init__(self, covariance: Floats) -> None:
        self.mean = np.zeros(len(covariance))
        self.covariance = covariance.copy()

    def learn(self, better: int, worse: int) -> None:
        direction = np.zeros(len(self.mean))
        direction[better], direction[worse] = 1.0, -1.0
        spread = 1 + direction @ self.covariance @ direction
        z = direction @ self.mean / np.sqrt(spread)
        hazard = np.exp(-(z**2) / 2 - np.log(2 * np.pi) / 2 - log_ndtr(z))  # S / Z
        along = self.covariance @ direction
        self.mean = self.mean + hazard / np.sqrt(spread) * along
        self.covariance = self.covariance - (z * hazard + hazard**2) / spread * np.outer(along, along)


def random_graph(n: int, rng: np.random.Generator, degree: float = 3.0) -> Floats:
    """Return symmetric weights with about ``degree`` links an item."""
    upper = np.triu(rng.random((n, n)) < degree / n, 1) * rng.uniform(0.2, 2.0, (n, n))
    return upper + upper.T


def answers(n: int, count: int, seed: int) -> np.ndarray:
    """Pairs of different items, better first, as an undecided person would answer."""
    rng = np.random.default_rng(seed)
    return np.array([rng.choice(n, 2, replace=False) for _ in range(count)])
