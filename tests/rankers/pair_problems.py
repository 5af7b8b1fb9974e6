"""The slow way: the dual of RankSVM over a matrix of pairs × pairs, and pairs written out by two loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize


def implied(grades: Any, qid: Any, weight: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of a better and a worse row of one query, and the products of their weights."""
    n = len(grades)
    weight = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
    pairs = [(i, j) for i in range(n) for j in range(n) if qid[i] == qid[j] and grades[i] > grades[j]]
    rows = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return rows, weight[rows].prod(axis=1)


def objects_matrix(K: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """K(i, r) − K(i, s) − K(j, r) + K(j, s) for pairs (i, j) and (r, s)."""
    i, j = rows.T
    return K[np.ix_(i, i)] - K[np.ix_(i, j)] - K[np.ix_(j, i)] + K[np.ix_(j, j)]


def dual(Q: np.ndarray, weight: np.ndarray, C: float, loss: str) -> tuple[np.ndarray, float]:
    """The margins of the pairs at the solution, and the least objective.

    Maximises Σα − ½αᵀQα over 0 ≤ α ≤ Cw/|P| for the hinge, and Σα − ½αᵀQα − Σα²/(4Cw/|P|) over α ≥ 0 for
    the squared hinge.
    """
    scale = C * weight / weight.sum()
    bent = Q if loss == "hinge" else Q + np.diag(1 / (2 * scale))
    bounds = [(0, top if loss == "hinge" else None) for top in scale]
    start = np.zeros(len(scale))
    options = {"maxiter": 20_000, "maxfun": 200_000, "ftol": 1e-16, "gtol": 1e-10, "maxcor": 30}

    def cost(alpha: np.ndarray) -> tuple[float, np.ndarray]:
        bend = bent @ alpha
        return alpha @ bend / 2 - alpha.sum(), bend - 1

    found = minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return Q @ found.x, -found.fun


def apart(Q: np.ndarray, least: float) -> float:
    """How far margins may be apart if objectives are within 2·10⁻⁶: ½‖w − w*‖² is at most that difference."""
    return float(np.sqrt(2 * 2e-6 * least * Q.diagonal().max()))


def objective(
    coef: np.ndarray, X: np.ndarray, rows: np.ndarray, weight: np.ndarray, C: float, loss: str
) -> float:
    """½‖w‖² + C/|P| Σ w·loss, word by word."""
    total = 0.0
    for (better, worse), w in zip(rows, weight, strict=True):
        lack = max(0.0, 1 - (X[better] - X[worse]) @ coef)
        total += w * (lack if loss == "hinge" else lack**2)
    return float(coef @ coef / 2 + C / weight.sum() * total)
