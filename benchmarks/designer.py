"""How few questions would do for someone who knows the utilities: a bound for asking rules, in expectation."""

from __future__ import annotations

from typing import Any


def designed(
    utility: Any, sd: float, top: int | None = None, *, share: float = 0.05, width: float = 0.0
) -> int:
    """Return after how many well chosen questions the order, or the top, is expected to be right.

    The designer knows the utilities and asks, one after the other, about the pair whose answer lowers the expected
    number of wrong pairs Σ Φ(−|d|/s) most, s² being the variance of d that the Fisher information of the answers
    leaves. Whoever reads the answers does not know the utilities: only having to find out where to ask is left out.

    For a whole order all pairs count, and at most ``share`` of them may be wrong. For a top only pairs across its
    border count, with |d| + ``width`` in place of |d|, and their sum, which is at least the probability of a wrong
    top, may be at most ``share``.
    """
    import numpy as np
    from scipy.special import ndtr

    n_items = len(utility)
    apart = np.abs(utility[:, None] - utility)
    told = np.exp(-(apart**2)) / (2 * np.pi * ndtr(apart) * ndtr(-apart).clip(1e-300))
    inside = np.argsort(np.argsort(-utility)) < (n_items if top is None else top)
    counts = ~np.eye(n_items, dtype=bool) if top is None else inside[:, None] != inside
    allowed = share * (n_items * (n_items - 1) / 2 if top is None else 1.0)
    gap = apart + width
    covariance = sd**2 * np.eye(n_items)
    for asked in range(100_000):
        own = covariance.diagonal()
        variance = own[:, None] + own - 2 * covariance + np.eye(n_items)
        if (ndtr(-gap / np.sqrt(variance)) * counts).sum() / 2 <= allowed:
            return asked
        helps = counts * gap * np.exp(-(gap**2) / (2 * variance)) / variance**1.5
        lower = covariance @ (np.diag(helps.sum(axis=0)) - helps) @ covariance
        bend = told / (1 + told * variance)
        drop = bend * (lower.diagonal()[:, None] + lower.diagonal() - 2 * lower)
        i, j = np.unravel_index(np.argmax(drop), drop.shape)
        along = covariance[i] - covariance[j]
        covariance -= bend[i, j] * np.outer(along, along)
    raise RuntimeError("no end after 100,000 questions")
