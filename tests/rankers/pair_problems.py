"""The slow way: the dual of RankSVM over a matrix of pairs × pairs, and pairs written out by two loops."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True)
class Reference:
    """What a slow solver found: margins of the pairs, the objective there, and the dual objective."""

    margins: np.ndarray
    objective: float
    bound: float

    @property
    def reach(self) -> float:
        """How far w may be from the w of least objective."""
        return float(np.sqrt(2 * max(0.0, self.objective - self.bound) + 2e-14 * self.objective))


def dual(Q: np.ndarray, weight: np.ndarray, C: float, loss: str) -> Reference:
    """Solve the dual: whatever its accuracy, the least objective is from ``bound`` to ``objective``.

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
    margins = Q @ found.x
    lack = np.maximum(0, 1 - margins)
    primal = found.x @ margins / 2 + scale @ (lack if loss == "hinge" else lack**2)
    return Reference(margins, float(primal), float(-found.fun))


def reach(model: Any) -> float:
    """How far the w of a model may be from the w of least objective, by its gap and by rounding."""
    return float(np.sqrt((2 * model.gap_ + 2e-14) * model.objective_))


def assert_solves(model: Any, reference: Reference) -> None:
    """The objective is below the reference's by ``tol``, and the gap bounds how far it is above the least one."""
    assert model.gap_ <= model.tol
    assert reference.bound * (1 - 1e-12) <= model.objective_ <= reference.objective / (1 - model.tol)
    assert model.objective_ * (1 - model.gap_) <= reference.objective * (1 + 1e-12)


def assert_same_weights(model: Any, other: Any, *, rounding: float = 0.0) -> None:
    """Two fits of one problem agree as far as their gaps promise: ½‖w − w*‖² is at most the gap."""
    assert model.gap_ <= model.tol
    assert other.gap_ <= other.tol
    below = max(each.gap_ * each.objective_ for each in (model, other))
    assert abs(model.objective_ - other.objective_) <= below + (rounding + 1e-12) * other.objective_
    apart = np.linalg.norm(model.coef_ - other.coef_)
    assert apart <= reach(model) + reach(other) + np.sqrt(2 * rounding * other.objective_)


def objective(
    coef: np.ndarray, X: np.ndarray, rows: np.ndarray, weight: np.ndarray, C: float, loss: str
) -> float:
    """½‖w‖² + C/|P| Σ w·loss, word by word."""
    total = 0.0
    for (better, worse), w in zip(rows, weight, strict=True):
        lack = max(0.0, 1 - (X[better] - X[worse]) @ coef)
        total += w * (lack if loss == "hinge" else lack**2)
    return float(coef @ coef / 2 + C / weight.sum() * total)
