"""The proof that a blended utility is monotone in a box: bounds on its slopes, the derivatives by single features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.gp.inference.smooth_part import SmoothPart
from penchant.schema import Array, Flag, Number, Schema, Texts, TupleOf, require

if TYPE_CHECKING:
    from pandas import DataFrame

GAP = 1e-4
"""The largest allowed gap between a bound and the least slope found, in parts of the slope's scale."""
MOST_VISITS = {True: 1_000_000_000, False: 50_000_000}
"""The largest number of evaluations of an item for one feature: in up to three dimensions, and in more."""
_MOST_BOXES = 2_000_000
_MOST_SEEN = 500


def _check_proof(state: Mapping[str, Any]) -> None:
    require(len(state["features"]), "features must be at least one")
    require((state["bound"] <= state["value"]).all(), "bound must not be above value, which was seen")
    alpha, weight, bound = state["alpha"], state["weight"], state["bound"]
    proven = np.allclose(state["slope"], alpha * weight + (1 - alpha) * bound, rtol=1e-6, atol=1e-12)
    require(proven, "slope must be the blend of weight and bound")


@dataclass(frozen=True, eq=False)
class Certificate:
    """Proven bounds of the slopes of f_MAP and of the blended utility, everywhere in the box.

    Arrays have one entry for each constrained feature. A slope is the derivative by the feature, times −1 where
    the utility must decrease.

    Attributes
    ----------
    features : tuple of str
        Their names.
    bound : ndarray of shape (k,)
        No slope of f_MAP is lower anywhere in the box. This is a proof by branch and bound, not a search on a
        grid, and an allowance for rounding is included.
    value, point : ndarray of shape (k,) and (k, n_features)
        The lowest slope of f_MAP that was found, and where.
    scale : ndarray of shape (k,)
        The largest slope among the items, or β̂ if that is larger.
    n_boxes : ndarray of shape (k,)
        The number of boxes into which the whole was divided.
    weight : ndarray of shape (k,)
        The slope of f_lin, |β̂|.
    alpha_star, alpha : float
        Above ``alpha_star`` the blend is monotone; ``alpha`` is the blend that is used.
    slope : ndarray of shape (k,)
        No slope of that blend is lower anywhere in the box; above 0.
    decreasing : tuple of bool
        In which of them the utility falls; empty in files of earlier versions, which do not hold it.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.gp import MonotoneGP
    >>> X = np.array([[0.0, 0.2], [0.4, 0.9], [1.0, 0.4], [0.6, 0.1]])
    >>> model = MonotoneGP(increasing=[0]).fit_pairs(X, [(2, 0), (1, 0), (0, 1), (2, 3), (3, 2)])
    >>> certificate = model.certificate_
    >>> certificate.features, bool(certificate.slope[0] > 0)
    (('feature 0',), True)
    """

    __saved__: ClassVar = Schema(
        {
            "features": Texts("k", distinct=False),
            "bound": Array(("k",)),
            "value": Array(("k",)),
            "point": Array(("k", None)),
            "scale": Array(("k",), least=0),
            "n_boxes": Array(("k",), "int64", least=0),
            "weight": Array(("k",), above=0),
            "alpha_star": Number(-1e-9, 1 + 1e-9),
            "alpha": Number(0, 1),
            "slope": Array(("k",), above=0),
        },
        optional={"decreasing": TupleOf(Flag())},
        rules=(_check_proof,),
    )

    features: tuple[str, ...]
    bound: Floats
    value: Floats
    point: Floats
    scale: Floats
    n_boxes: Ints
    weight: Floats
    alpha_star: float
    alpha: float
    slope: Floats
    decreasing: tuple[bool, ...] = ()

    @property
    def gap(self) -> Floats:
        """By how much the true least slope may lie below the lowest that was found, shape (k,)."""
        return self.value - self.bound

    @property
    def gamma(self) -> Floats:
        """γ_j: the proven least slope of f_MAP, β̂_j included, cut at 0, shape (k,)."""
        return np.minimum(0.0, self.bound)

    @property
    def closed(self) -> bool:
        """Whether each gap is at most 1e-4 of the scale; else the budget ran out, and α̃ may be too large."""
        return bool((self.gap <= GAP * self.scale).all())

    @property
    def hardest(self) -> str:
        """The feature that needs the largest α."""
        return self.features[int(np.argmax(self.weight / (self.gamma - self.weight)))]

    def to_frame(self) -> DataFrame:
        """Return a table with a row for each constrained feature."""
        from pandas import DataFrame

        columns = ("bound", "value", "gap", "scale", "n_boxes", "slope")
        return DataFrame({name: getattr(self, name) for name in columns}, index=list(self.features))

    def __repr__(self) -> str:
        lines = [f"alpha {self.alpha:.3g}, more than the {self.alpha_star:.3g} that monotonicity needs"]
        ways = ["falls" if falls else "rises" for falls in self.decreasing] or ["changes"] * len(
            self.features
        )
        lines += [
            f"{name}: the utility {way} by at least {slope:.3g} a unit; "
            f"f_MAP by at least {bound:.3g} (seen {value:.3g})"
            for name, way, bound, value, slope in zip(
                self.features, ways, self.bound, self.value, self.slope, strict=True
            )
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from penchant.plots.notebook import certificate_view

        return certificate_view(self)


def certified(
    smooth: SmoothPart, beta: Floats, direction: Ints, box: Floats, epsilon: float, labels: Sequence[str]
) -> Certificate:
    """Bound the slopes of f_MAP over the box, and return the smallest blend with f_lin that is monotone.

    Parameters
    ----------
    smooth : SmoothPart
        f_MAP − f_lin.
    beta : ndarray of shape (d,)
    direction : ndarray of shape (d,)
        1, −1 or 0 (free) for each feature.
    box : ndarray of shape (d, 2)
    epsilon : float
        By how much α̃ exceeds what is necessary; more where the slopes would otherwise be lost in rounding.
    labels : sequence of str
        The names of the features.
    """
    constrained = np.flatnonzero(direction).tolist()
    lengthscale = np.broadcast_to(smooth.kernel.lengthscale, len(beta))
    dual = smooth.dual * smooth.kernel.variance
    bounds = [
        slope_bound(smooth.items, dual, lengthscale, beta[j], box, j, sign=int(direction[j]))
        for j in constrained
    ]
    bound = np.array([slope.bound for slope in bounds])
    for j, least in zip(constrained, bound.tolist(), strict=True):
        if not np.isfinite(least):
            raise InvalidInput(
                f"the slope of f_MAP in {labels[j]} must have a finite bound, got {least}: give a longer "
                "lengthscale or a smaller scale"
            )
    weight = np.abs(beta[constrained])
    gamma = np.minimum(0.0, bound)
    alpha_star = float(np.max(weight / (gamma - weight)) + 1)
    alpha = min(alpha_star + epsilon, 1.0)
    while (_blended(alpha, weight, bound) <= 0).any():
        epsilon *= 2
        alpha = min(alpha_star + epsilon, 1.0)
    return Certificate(
        features=tuple(labels[j] for j in constrained),
        **{name: np.array([getattr(slope, name) for slope in bounds]) for name in SlopeBound._fields},
        weight=weight,
        alpha_star=alpha_star,
        alpha=alpha,
        slope=_blended(alpha, weight, bound),
        decreasing=tuple(bool(direction[j] < 0) for j in constrained),
    )


def _blended(alpha: float, weight: Floats, bound: Floats) -> Floats:
    """Return α|β̂| + (1 − α) bound, less its rounding error; above 0 where α is 1."""
    linear, smooth = alpha * weight, (1 - alpha) * bound
    return np.asarray(linear + smooth - 4 * np.finfo(float).eps * (linear + np.abs(smooth)))


class SlopeBound(NamedTuple):
    """The least slope in one feature: a proven ``bound``, the least ``value`` found and its ``point`` (d,)."""

    bound: float
    value: float
    point: Floats
    scale: float
    n_boxes: int


def slope_bound(
    items: Floats,
    dual: Floats,
    lengthscale: Floats,
    beta: float,
    box: Floats,
    feature: int,
    *,
    sign: int = 1,
    most_visits: int | None = None,
) -> SlopeBound:
    """Bound sign · ∂/∂x_j [βx_j + Σᵢ dualᵢ exp(−½ Σₖ (x_k − xᵢₖ)²/ℓₖ²)] from below over a box.

    Parameters
    ----------
    items : ndarray of shape (n, d)
    dual : ndarray of shape (n,)
        The weight of each item's Gaussian, the kernel's variance included.
    lengthscale : ndarray of shape (d,)
    beta : float
        The weight of the feature in the linear part.
    box : ndarray of shape (d, 2)
        Lower and upper corners.
    feature : int
        j.
    sign : {1, −1}
        Whether the utility must increase or decrease in the feature.
    most_visits : int, optional
        The largest number of evaluations of an item; None: that of `MOST_VISITS`.

    Examples
    --------
    >>> item = np.array([[0.5]])
    >>> found = slope_bound(item, np.array([1.0]), np.ones(1), 0.0, np.array([[-3.0, 3.0]]), 0)
    >>> bool(found.bound <= -np.exp(-0.5) <= found.value), round(found.value, 4), found.point.round(2)
    (True, -0.6065, array([1.5]))
    """
    from penchant.gp._slope_kernels import largest_slope, least_slope

    n, d = items.shape
    low = box[:, 0]
    places = np.ascontiguousarray((items - low) / lengthscale)
    weight = sign * dual / lengthscale[feature]
    base = sign * beta
    some = places[:: -(-n // _MOST_SEEN)]
    scale = max(largest_slope(some, places, weight, base, feature), abs(beta))
    budget = MOST_VISITS[d <= 3] if most_visits is None else most_visits
    bound, value, point, n_boxes = least_slope(
        places,
        weight,
        base,
        feature,
        (box[:, 1] - low) / lengthscale * (1 + 1e-15),
        GAP * scale,
        min(max(budget // n, 2), _MOST_BOXES),
    )
    return SlopeBound(bound, value, np.clip(low + point * lengthscale, *box.T), scale, n_boxes)
