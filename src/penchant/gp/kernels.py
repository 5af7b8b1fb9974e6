"""Kernels: covariances of the utilities of rows of features.

A kernel is immutable, and `Kernel.with_theta` returns another one. ``theta`` holds the logarithms of its
hyperparameters. Gradients are contracted with a matrix of weights, Σ M ∘ ∂K/∂θ, which is all that the evidence needs;
the n × n × p array of derivatives is never formed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from penchant.checks import Floats, shown
from penchant.errors import InvalidInput
from penchant.gp.inference.hyperprior import (
    RESIDUAL,
    Hyperprior,
    Units,
    lengthscales,
    variances,
    weight_variances,
)
from penchant.gp.inference.settings import (
    LEAST,
    MOST,
    Bounds,
    Scale,
    check_bounds,
    check_features,
    log_bounds,
    scale_of,
)
from penchant.schema import Either, Instance, Kind, Number, Plain, Schema, TupleOf

_ONE = Number(LEAST, MOST)
_SCALE = Either((TupleOf(_ONE), _ONE))


def _saved(**scales: Kind) -> Schema:
    """Return the schema of a kernel with these hyperparameters, each with bounds."""

    def check(state: Mapping[str, Any]) -> None:
        for name in scales:
            scale_of(name, state[name])
            check_bounds(f"{name}_bounds", state[f"{name}_bounds"], state[name])

    return Schema({**scales, **{f"{name}_bounds": Plain() for name in scales}}, rules=(check,))


class Kernel(ABC):
    """A positive semidefinite function of two rows of features.

    ``kernel(X)`` and ``kernel(X, Z)`` are its matrices; kernels add and multiply.

    Examples
    --------
    >>> kernel = SquaredExponential(0.5) + Linear()
    >>> kernel(np.array([[0.0], [1.0]])).round(3)
    array([[1.   , 0.135],
           [0.135, 2.   ]])
    """

    @abstractmethod
    def __call__(self, X: Floats, Z: Floats | None = None) -> Floats:
        """Return the matrix between the rows of X (n, d) and of Z (k, d), shape (n, k); Z None: X itself."""

    @abstractmethod
    def diagonal(self, X: Floats) -> Floats:
        """Return the kernel of each row with itself, shape (n,)."""

    @property
    @abstractmethod
    def theta(self) -> Floats:
        """The logarithms of the hyperparameters, shape (p,)."""

    @property
    @abstractmethod
    def bounds(self) -> Floats:
        """The least and the most of each entry of ``theta``, shape (p, 2); equal where it is kept."""

    @abstractmethod
    def with_theta(self, theta: Floats) -> Self:
        """Return the same kernel with other hyperparameters."""

    @abstractmethod
    def gradient(self, X: Floats, weight: Floats) -> Floats:
        """Return Σ weight ∘ ∂K/∂θ of ``K = kernel(X)``, shape (p,); ``weight`` is (n, n)."""

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each entry of ``theta`` in messages."""
        return _numbered("hyperparameter", len(self.theta), type(self).__name__)

    def prior(self, units: Units) -> Hyperprior:
        """Return the weak prior of ``theta`` that is used when it is learned; by default a flat one.

        Kernels with lengthscales and variances have one in the units of the data.
        """
        return Hyperprior.flat(len(self.theta))

    def __repr__(self) -> str:
        parts: Any = fields(self)  # type: ignore[arg-type]
        shown_parts = (f"{part.name}={_short(getattr(self, part.name))}" for part in parts if part.repr)
        return f"{type(self).__name__}({', '.join(shown_parts)})"

    @classmethod
    def __load_state__(cls, state: dict[str, Any]) -> Self:
        return cls(**state)

    def __add__(self, other: Kernel) -> Sum:
        return Sum(self, other)

    def __mul__(self, other: Kernel) -> Product:
        return Product(self, other)


class _Parametrised(Kernel):
    """A kernel whose hyperparameters are fields, each with its bounds in another field."""

    _SCALES: ClassVar[tuple[str, ...]] = ("variance",)
    _SINGLE: ClassVar[tuple[str, ...]] = ("variance",)
    """The fields that are hyperparameters, in the order of ``theta``, and those of them that are one number."""

    def __post_init__(self) -> None:
        for name in self._SCALES:
            value = scale_of(name, getattr(self, name), single=name in self._SINGLE)
            object.__setattr__(self, name, value)
            check_bounds(f"{name}_bounds", getattr(self, f"{name}_bounds"), value)

    @property
    def theta(self) -> Floats:
        """The logarithms of the hyperparameters."""
        values = [np.atleast_1d(getattr(self, name)) for name in self._SCALES]
        return np.asarray(np.log(np.concatenate(values)))

    @property
    def bounds(self) -> Floats:
        """The least and the most of each entry of ``theta``."""
        return np.vstack(
            [log_bounds(getattr(self, f"{name}_bounds"), getattr(self, name)) for name in self._SCALES]
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each entry of ``theta`` in messages."""
        kind = type(self).__name__
        parts = (_numbered(name, np.size(getattr(self, name)), kind) for name in self._SCALES)
        return tuple(label for part in parts for label in part)

    def with_theta(self, theta: Floats) -> Self:
        """Return the same kernel with other hyperparameters."""
        values, changes = np.exp(theta).tolist(), {}
        for name in self._SCALES:
            before = getattr(self, name)
            part, values = values[: np.size(before)], values[np.size(before) :]
            changes[name] = part[0] if isinstance(before, float) else tuple(part)
        return replace(self, **changes)  # type: ignore[type-var]


@dataclass(frozen=True, repr=False)
class _Stationary(_Parametrised):
    """variance · profile(r²), with r² = Σ_j (x_j − z_j)² / lengthscale_j²."""

    __saved__: ClassVar = _saved(lengthscale=_SCALE, variance=_ONE)
    _SCALES = ("lengthscale", "variance")

    lengthscale: Scale = 1.0
    variance: float = 1.0
    lengthscale_bounds: Bounds = field(default=(1e-2, 1e2), repr=False)
    variance_bounds: Bounds = field(default=(1e-3, 1e3), repr=False)

    def __call__(self, X: Floats, Z: Floats | None = None) -> Floats:
        """Return the matrix between the rows of X and of Z, or of X and itself."""
        K = self._profile(self._squares(X, Z))
        K *= self.variance
        return K

    def diagonal(self, X: Floats) -> Floats:
        """Return the kernel of each row with itself."""
        return np.full(len(X), self.variance)

    def prior(self, units: Units) -> Hyperprior:
        """Return the weak priors of the lengthscales and of the variance."""
        *lengthscale, variance = self.theta
        return Hyperprior.joined(
            lengthscales(np.array(lengthscale), units), variances(variance, units.variance)
        )

    def gradient(self, X: Floats, weight: Floats) -> Floats:
        """Return Σ weight ∘ ∂K/∂θ."""
        squares = self._squares(X, None)
        by_variance = self.variance * np.vdot(weight, self._profile(squares.copy()))
        weighted = self._steepness(squares)
        weighted *= weight
        weighted *= self.variance
        # Σ pull_ik (x_i − x_k)², feature by feature, without the differences themselves.
        scaled = (X - X.mean(axis=0)) / self.lengthscale
        sums = weighted.sum(axis=1) + weighted.sum(axis=0)
        by_feature = sums @ scaled**2 - 2 * np.einsum("ij,ij->j", scaled, weighted @ scaled)
        if isinstance(self.lengthscale, float):
            by_feature = by_feature.sum(keepdims=True)
        return np.append(by_feature, by_variance)

    def _squares(self, X: Floats, Z: Floats | None) -> Floats:
        from scipy.spatial.distance import cdist

        check_features("lengthscale", self.lengthscale, X)
        scaled = X / self.lengthscale
        other = scaled if Z is None else Z / self.lengthscale
        return np.asarray(cdist(scaled, other, "sqeuclidean"))

    @staticmethod
    @abstractmethod
    def _profile(squares: Floats) -> Floats:
        """Return the kernel with variance 1 at r²; may overwrite its argument."""

    @staticmethod
    @abstractmethod
    def _steepness(squares: Floats) -> Floats:
        """Return −2 times the derivative of the profile by r²; may overwrite its argument."""


@dataclass(frozen=True, repr=False)
class SquaredExponential(_Stationary):
    """variance · exp(−r²/2): very smooth utilities.

    Parameters
    ----------
    lengthscale : float or tuple of float, default 1.0
        The distance over which utilities are correlated; one for all features, or one for each (automatic
        relevance determination).
    variance : float, default 1.0
        The prior variance of a utility.
    lengthscale_bounds, variance_bounds : pair of float or None
        Between which they are learned; None keeps them. ``lengthscale_bounds`` may be a pair a feature.

    Examples
    --------
    >>> kernel = SquaredExponential(lengthscale=(1.0, 2.0))
    >>> kernel(np.array([[0.0, 0.0], [0.0, 2.0]])).round(3)
    array([[1.   , 0.607],
           [0.607, 1.   ]])
    >>> kernel.theta
    array([0.        , 0.69314718, 0.        ])
    """

    @staticmethod
    def _profile(squares: Floats) -> Floats:
        squares *= -0.5
        return np.exp(squares, out=squares)

    _steepness = _profile

    def input_gradient(self, X: Floats, Z: Floats, weight: Floats) -> Floats:
        """Return the gradient of x ↦ Σ_k weight_k · kernel(x, z_k) at each row of X, shape (n, d).

        Parameters
        ----------
        X : ndarray of shape (n, d)
        Z : ndarray of shape (k, d)
        weight : ndarray of shape (k,)
        """
        K = self(X, Z)
        middle = Z.mean(axis=0)  # far from 0 the two parts would cancel
        weighted = K @ (weight[:, None] * (Z - middle)) - (X - middle) * (K @ weight)[:, None]
        return np.asarray(weighted / np.square(self.lengthscale))


@dataclass(frozen=True, repr=False)
class Matern12(_Stationary):
    """variance · exp(−r): continuous utilities with kinks everywhere. Parameters as `SquaredExponential`.

    Examples
    --------
    >>> Matern12()(np.array([[0.0], [1.0]])).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """

    @staticmethod
    def _profile(squares: Floats) -> Floats:
        return np.asarray(np.exp(-np.sqrt(squares)))

    @staticmethod
    def _steepness(squares: Floats) -> Floats:
        r = np.sqrt(squares)
        return np.divide(np.exp(-r), r, out=np.zeros_like(r), where=r > 0)


@dataclass(frozen=True, repr=False)
class Matern32(_Stationary):
    """variance · (1 + √3 r) exp(−√3 r): differentiable utilities. Parameters as `SquaredExponential`.

    Examples
    --------
    >>> Matern32()(np.array([[0.0], [1.0]])).round(3)
    array([[1.   , 0.483],
           [0.483, 1.   ]])
    """

    @staticmethod
    def _profile(squares: Floats) -> Floats:
        a = np.sqrt(3 * squares)
        return np.asarray((1 + a) * np.exp(-a))

    @staticmethod
    def _steepness(squares: Floats) -> Floats:
        return np.asarray(3 * np.exp(-np.sqrt(3 * squares)))


@dataclass(frozen=True, repr=False)
class Matern52(_Stationary):
    """variance · (1 + a + a²/3) exp(−a), a = √5 r: twice differentiable utilities. As `SquaredExponential`.

    Examples
    --------
    >>> Matern52()(np.array([[0.0], [1.0]])).round(3)
    array([[1.   , 0.524],
           [0.524, 1.   ]])
    """

    @staticmethod
    def _profile(squares: Floats) -> Floats:
        a = np.sqrt(5 * squares)
        return np.asarray((1 + a + a**2 / 3) * np.exp(-a))

    @staticmethod
    def _steepness(squares: Floats) -> Floats:
        a = np.sqrt(5 * squares)
        return np.asarray(5 / 3 * (1 + a) * np.exp(-a))


@dataclass(frozen=True, repr=False)
class Linear(_Parametrised):
    """Σ_j variance_j · x_j z_j: utilities that are weighted sums of the features.

    There is no constant: no difference of utilities would show it.

    Parameters
    ----------
    variance : float or tuple of float, default 1.0
        The prior variance of the weights; one for all features, or one for each.
    variance_bounds : pair of float or None
        Between which it is learned; None keeps it.

    Examples
    --------
    >>> Linear(2.0)(np.array([[1.0], [3.0]]))
    array([[ 2.,  6.],
           [ 6., 18.]])
    """

    __saved__: ClassVar = _saved(variance=_SCALE)
    _SINGLE = ()

    variance: Scale = 1.0
    variance_bounds: Bounds = field(default=(1e-3, 1e3), repr=False)

    def __call__(self, X: Floats, Z: Floats | None = None) -> Floats:
        """Return the matrix between the rows of X and of Z, or of X and itself."""
        check_features("variance", self.variance, X)
        return np.asarray((X * self.variance) @ (X if Z is None else Z).T)

    def diagonal(self, X: Floats) -> Floats:
        """Return the kernel of each row with itself."""
        check_features("variance", self.variance, X)
        return np.asarray((X**2 * self.variance).sum(axis=1))

    def prior(self, units: Units) -> Hyperprior:
        """Return the weak prior of the variances of the weights."""
        return weight_variances(self.theta, units)

    def gradient(self, X: Floats, weight: Floats) -> Floats:
        """Return Σ weight ∘ ∂K/∂θ."""
        by_feature = np.einsum("ij,ij->j", X, weight @ X) * self.variance
        summed = by_feature.sum(keepdims=True) if isinstance(self.variance, float) else by_feature
        return np.asarray(summed)


@dataclass(frozen=True, repr=False)
class WhiteNoise(_Parametrised):
    """variance for a row with itself, 0 between rows: the part of a utility that features do not explain.

    Between X and another Z it is 0 everywhere: a row that comes later is a new item, whatever its features.

    Examples
    --------
    >>> WhiteNoise(0.5)([[0.0], [1.0]])
    array([[0.5, 0. ],
           [0. , 0.5]])
    """

    __saved__: ClassVar = _saved(variance=_ONE)

    variance: float = 1.0
    variance_bounds: Bounds = field(default=(1e-5, 1e3), repr=False)

    def __call__(self, X: Floats, Z: Floats | None = None) -> Floats:
        """Return the matrix between the rows of X and of Z, or of X and itself."""
        return self.variance * np.eye(len(X)) if Z is None else np.zeros((len(X), len(Z)))

    def diagonal(self, X: Floats) -> Floats:
        """Return the kernel of each row with itself."""
        return np.full(len(X), self.variance)

    def prior(self, units: Units) -> Hyperprior:
        """Return the weak prior of the variance: a small part of that of a utility."""
        return variances(self.theta, RESIDUAL * units.variance)

    def gradient(self, X: Floats, weight: Floats) -> Floats:
        """Return Σ weight ∘ ∂K/∂θ."""
        return np.array([self.variance * np.trace(weight)])


@dataclass(frozen=True, repr=False)
class _Pair(Kernel):
    """A combination of two kernels."""

    __saved__: ClassVar = Schema({"left": Instance(Kernel), "right": Instance(Kernel)})

    left: Kernel
    right: Kernel

    _sign: ClassVar[str]
    _combined: ClassVar[np.ufunc]

    def __post_init__(self) -> None:
        for part in (self.left, self.right):
            if not isinstance(part, Kernel):
                raise InvalidInput(
                    f"both sides of {self._sign} must be kernels of penchant.gp, got {shown(part)}: "
                    "give one, for instance WhiteNoise()"
                )

    def __call__(self, X: Floats, Z: Floats | None = None) -> Floats:
        """Return the matrix between the rows of X and of Z, or of X and itself."""
        return np.asarray(self._combined(self.left(X, Z), self.right(X, Z)))

    def diagonal(self, X: Floats) -> Floats:
        """Return the kernel of each row with itself."""
        return np.asarray(self._combined(self.left.diagonal(X), self.right.diagonal(X)))

    @property
    def theta(self) -> Floats:
        """The logarithms of the hyperparameters."""
        return np.concatenate([self.left.theta, self.right.theta])

    @property
    def bounds(self) -> Floats:
        """The least and the most of each entry of ``theta``."""
        return np.concatenate([self.left.bounds, self.right.bounds])

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each entry of ``theta`` in messages."""
        return self.left.names + self.right.names

    def prior(self, units: Units) -> Hyperprior:
        """Return the priors of both."""
        return Hyperprior.joined(self.left.prior(units), self.right.prior(units))

    def with_theta(self, theta: Floats) -> Self:
        """Return the same kernel with other hyperparameters."""
        n_left = len(self.left.theta)
        left, right = self.left.with_theta(theta[:n_left]), self.right.with_theta(theta[n_left:])
        return replace(self, left=left, right=right)

    def __repr__(self) -> str:
        return f"({self.left!r} {self._sign} {self.right!r})"


@dataclass(frozen=True, repr=False)
class Sum(_Pair):
    """The sum of two kernels: a utility that is the sum of two, each with its own kernel.

    Examples
    --------
    >>> (SquaredExponential() + WhiteNoise(0.1))(np.array([[0.0], [1.0]])).round(3)
    array([[1.1  , 0.607],
           [0.607, 1.1  ]])
    """

    _sign, _combined = "+", np.add

    def gradient(self, X: Floats, weight: Floats) -> Floats:
        """Return Σ weight ∘ ∂K/∂θ."""
        return np.concatenate([self.left.gradient(X, weight), self.right.gradient(X, weight)])


@dataclass(frozen=True, repr=False)
class Product(_Pair):
    """The product of two kernels: rows are similar where they are in both.

    Examples
    --------
    >>> (SquaredExponential() * Linear())(np.array([[1.0], [2.0]])).round(3)
    array([[1.   , 1.213],
           [1.213, 4.   ]])
    """

    _sign, _combined = "*", np.multiply

    def gradient(self, X: Floats, weight: Floats) -> Floats:
        """Return Σ weight ∘ ∂K/∂θ."""
        by_left = self.left.gradient(X, weight * self.right(X))
        return np.concatenate([by_left, self.right.gradient(X, weight * self.left(X))])

    def prior(self, units: Units) -> Hyperprior:
        """Return the priors of both; the first that learns a variance takes the scale, others are near 1."""
        right = replace(units, variance=1.0) if _learns_scale(self.left, units) else units
        return Hyperprior.joined(self.left.prior(units), self.right.prior(right))


def _learns_scale(kernel: Kernel, units: Units) -> bool:
    """Return whether a hyperparameter that is learned is expected to grow with the variance of utilities."""
    wider = replace(units, variance=2 * units.variance)
    grows = kernel.prior(wider).centre != kernel.prior(units).centre
    low, high = kernel.bounds.T
    return bool((grows & (low < high)).any())


def _numbered(name: str, count: int, kind: str) -> tuple[str, ...]:
    """Return the names of ``count`` hyperparameters of a kernel: with their places where there are several."""
    if count == 1:
        return (f"{name} of {kind}",)
    return tuple(f"{name}[{place}] of {kind}" for place in range(count))


def _short(value: Any) -> str:
    """Return a hyperparameter with three digits."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_short, value))}{',' if len(value) == 1 else ''})"
    return f"{value:.3g}" if isinstance(value, float) else repr(value)
