"""Kernels. Rows of features in, how alike their utilities are out.

A kernel is a value: it never changes, and `Kernel.with_theta` gives another one. ``theta`` holds the
logarithms of its hyperparameters. Gradients come contracted with a matrix of weights, Σ M ∘ ∂K/∂θ, which is
all that the evidence needs; the n × n × p array of derivatives is never made.
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
        """What to call each entry of ``theta`` in messages."""
        return _numbered("hyperparameter", len(self.theta), type(self).__name__)

    def prior(self, units: Units) -> Hyperprior:
        """Return the weak prior of ``theta`` that is used when it is learned; here none but the bounds.

        Kernels with lengthscales and variances have one in the units of the data.
        """
        return Hyperprior.flat(len(self.theta))

    def __repr__(self) -> str:
        told = (f"{part.name}={_short(getattr(self, part.name))}" for part in fields(self) if part.repr)  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(told)})"

    @classmethod
    def __load_state__(cls, state: dict[str, Any]) -> Self:
        return cls(**state)

    def __add__(self, other: Kernel) -> Sum:
        return Sum(self, other)

    def __mul__(self, other: Kernel) -> Product:
        return Product(self, other)


@dataclass(frozen=True, repr=False)
class _Stationary(Kernel):
    """variance · profile(r²), with r² = Σ_j (x_j − z_j)² / lengthscale_j²."""

    __saved__: ClassVar = _saved(lengthscale=_SCALE, variance=_ONE)

    lengthscale: Scale = 1.0
    variance: float = 1.0
    lengthscale_bounds: Bounds = field(default=(1e-2, 1e2), repr=False)
    variance_bounds: Bounds = field(default=(1e-3, 1e3), repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengthscale", scale_of("lengthscale", self.lengthscale))
        object.__setattr__(self, "variance", scale_of("variance", self.variance, single=True))
        check_bounds("lengthscale_bounds", self.lengthscale_bounds, self.lengthscale)
        check_bounds("variance_bounds", self.variance_bounds, self.variance)

    def __call__(self, X: Floats, Z: Floats | None = None) -> Floats:
        """Return the matrix between the rows of X and of Z, or of X and itself."""
        K = self._profile(self._squares(X, Z))
        K *= self.variance
        return K

    def diagonal(self, X: Floats) -> Floats:
        """Return the kernel of each row with itself."""
        return np.full(len(X), self.variance)

    @property
    def theta(self) -> Floats:
        """The logarithms of the hyperparameters."""
        return np.asarray(np.log(np.append(self.lengthscale, self.variance)))

    @property
    def bounds(self) -> Floats:
        """The least and the most of each entry of ``theta``."""
        return np.vstack(
            [
                log_bounds(self.lengthscale_bounds, self.lengthscale),
                log_bounds(self.variance_bounds, self.variance),
            ]
        )

    @property
    def names(self) -> tuple[str, ...]:
        """What to call each entry of ``theta`` in messages."""
        kind = type(self).__name__
        return *_numbered("lengthscale", np.size(self.lengthscale), kind), f"variance of {kind}"

    def prior(self, units: Units) -> Hyperprior:
        """Return the weak priors of the lengthscales and of the variance."""
        *lengthscale, variance = self.theta
        return Hyperprior.joined(
            lengthscales(np.array(lengthscale), units), variances(variance, units.variance)
        )

    def with_theta(self, theta: Floats) -> Self:
        """Return the same kernel with other hyperparameters."""
        *lengthscale, variance = np.exp(theta).tolist()
        single = isinstance(self.lengthscale, float)
        return replace(self, lengthscale=lengthscale[0] if single else tuple(lengthscale), variance=variance)

    def gradient(self, X: Floats, weight: Floats) -> Floats:
        """Return Σ weight ∘ ∂K/∂θ."""
        squares = self._squares(X, None)
        by_variance = self.variance * np.vdot(weight, self._profile(squares.copy()))
        pull = self._steepness(squares)
        pull *= weight
        pull *= self.variance
        # Σ pull_ik (x_i − x_k)², feature by feature, without the differences themselves.
        scaled = (X - X.mean(axis=0)) / self.lengthscale
        sums = pull.sum(axis=1) + pull.sum(axis=0)
        by_feature = sums @ scaled**2 - 2 * np.einsum("ij,ij->j", scaled, pull @ scaled)
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
        How far apart rows are that still say something about each other; one for all features, or one for
        each (automatic relevance determination).
    variance : float, default 1.0
        The prior variance of a utility.
    lengthscale_bounds, variance_bounds : pair of float or None
        Between what they may be learned; None keeps them. ``lengthscale_bounds`` may be a pair a feature.

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
        pull = K @ (weight[:, None] * (Z - middle)) - (X - middle) * (K @ weight)[:, None]
        return np.asarray(pull / np.square(self.lengthscale))


@dataclass(frozen=True, repr=False)
class Matern12(_Stationary):
    """variance · exp(−r): continuous utilities with kinks everywhere. Parameters as `SquaredExponential`."""

    @staticmethod
    def _profile(squares: Floats) -> Floats:
        return np.asarray(np.exp(-np.sqrt(squares)))

    @staticmethod
    def _steepness(squares: Floats) -> Floats:
        r = np.sqrt(squares)
        return np.divide(np.exp(-r), r, out=np.zeros_like(r), where=r > 0)


@dataclass(frozen=True, repr=False)
class Matern32(_Stationary):
    """variance · (1 + √3 r) exp(−√3 r): utilities with a slope. Parameters as `SquaredExponential`."""

    @staticmethod
    def _profile(squares: Floats) -> Floats:
        a = np.sqrt(3 * squares)
        return np.asarray((1 + a) * np.exp(-a))

    @staticmethod
    def _steepness(squares: Floats) -> Floats:
        return np.asarray(3 * np.exp(-np.sqrt(3 * squares)))


@dataclass(frozen=True, repr=False)
class Matern52(_Stationary):
    """variance · (1 + a + a²/3) exp(−a), a = √5 r: utilities with a curvature. As `SquaredExponential`."""

    @staticmethod
    def _profile(squares: Floats) -> Floats:
        a = np.sqrt(5 * squares)
        return np.asarray((1 + a + a**2 / 3) * np.exp(-a))

    @staticmethod
    def _steepness(squares: Floats) -> Floats:
        a = np.sqrt(5 * squares)
        return np.asarray(5 / 3 * (1 + a) * np.exp(-a))


@dataclass(frozen=True, repr=False)
class Linear(Kernel):
    """Σ_j variance_j · x_j z_j: utilities that are weighted sums of the features.

    There is no constant: no difference of utilities would show it.

    Parameters
    ----------
    variance : float or tuple of float, default 1.0
        The prior variance of the weights; one for all features, or one for each.
    variance_bounds : pair of float or None
        Between what it may be learned; None keeps it.
    """

    __saved__: ClassVar = _saved(variance=_SCALE)

    variance: Scale = 1.0
    variance_bounds: Bounds = field(default=(1e-3, 1e3), repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", scale_of("variance", self.variance))
        check_bounds("variance_bounds", self.variance_bounds, self.variance)

    def __call__(self, X: Floats, Z: Floats | None = None) -> Floats:
        """Return the matrix between the rows of X and of Z, or of X and itself."""
        check_features("variance", self.variance, X)
        return np.asarray((X * self.variance) @ (X if Z is None else Z).T)

    def diagonal(self, X: Floats) -> Floats:
        """Return the kernel of each row with itself."""
        check_features("variance", self.variance, X)
        return np.asarray((X**2 * self.variance).sum(axis=1))

    @property
    def theta(self) -> Floats:
        """The logarithms of the hyperparameters."""
        return np.asarray(np.log(np.atleast_1d(self.variance)))

    @property
    def bounds(self) -> Floats:
        """The least and the most of each entry of ``theta``."""
        return log_bounds(self.variance_bounds, self.variance)

    @property
    def names(self) -> tuple[str, ...]:
        """What to call each entry of ``theta`` in messages."""
        return _numbered("variance", np.size(self.variance), type(self).__name__)

    def prior(self, units: Units) -> Hyperprior:
        """Return the weak prior of the variances of the weights."""
        return weight_variances(self.theta, units)

    def with_theta(self, theta: Floats) -> Self:
        """Return the same kernel with other hyperparameters."""
        variance = np.exp(theta).tolist()
        return replace(self, variance=variance[0] if isinstance(self.variance, float) else tuple(variance))

    def gradient(self, X: Floats, weight: Floats) -> Floats:
        """Return Σ weight ∘ ∂K/∂θ."""
        by_feature = np.einsum("ij,ij->j", X, weight @ X) * self.variance
        summed = by_feature.sum(keepdims=True) if isinstance(self.variance, float) else by_feature
        return np.asarray(summed)


@dataclass(frozen=True, repr=False)
class WhiteNoise(Kernel):
    """variance for a row with itself, 0 between rows: what an item has that its features do not tell.

    Between X and another Z it is 0 everywhere: a row that comes later is a new item, whatever its features.
    """

    __saved__: ClassVar = _saved(variance=_ONE)

    variance: float = 1.0
    variance_bounds: Bounds = field(default=(1e-5, 1e3), repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", scale_of("variance", self.variance, single=True))
        check_bounds("variance_bounds", self.variance_bounds, self.variance)

    def __call__(self, X: Floats, Z: Floats | None = None) -> Floats:
        """Return the matrix between the rows of X and of Z, or of X and itself."""
        return self.variance * np.eye(len(X)) if Z is None else np.zeros((len(X), len(Z)))

    def diagonal(self, X: Floats) -> Floats:
        """Return the kernel of each row with itself."""
        return np.full(len(X), self.variance)

    @property
    def theta(self) -> Floats:
        """The logarithms of the hyperparameters."""
        return np.log([self.variance])

    @property
    def bounds(self) -> Floats:
        """The least and the most of each entry of ``theta``."""
        return log_bounds(self.variance_bounds, self.variance)

    @property
    def names(self) -> tuple[str, ...]:
        """What to call each entry of ``theta`` in messages."""
        return _numbered("variance", 1, type(self).__name__)

    def prior(self, units: Units) -> Hyperprior:
        """Return the weak prior of the variance: a small part of a utility's."""
        return variances(self.theta, RESIDUAL * units.variance)

    def with_theta(self, theta: Floats) -> Self:
        """Return the same kernel with other hyperparameters."""
        return replace(self, variance=float(np.exp(theta[0])))

    def gradient(self, X: Floats, weight: Floats) -> Floats:
        """Return Σ weight ∘ ∂K/∂θ."""
        return np.array([self.variance * np.trace(weight)])


@dataclass(frozen=True, repr=False)
class _Pair(Kernel):
    """Two kernels made one."""

    __saved__: ClassVar = Schema({"left": Instance(Kernel), "right": Instance(Kernel)})

    left: Kernel
    right: Kernel

    _sign: ClassVar[str]

    def __post_init__(self) -> None:
        for part in (self.left, self.right):
            if not isinstance(part, Kernel):
                raise InvalidInput(
                    f"both sides of {self._sign} must be kernels of penchant.gp, got {shown(part)}: "
                    "give one, for instance WhiteNoise()"
                )

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
        """What to call each entry of ``theta`` in messages."""
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
    """The sum of two kernels: a utility that is the sum of two, each with its own kernel."""

    _sign = "+"

    def __call__(self, X: Floats, Z: Floats | None = None) -> Floats:
        """Return the matrix between the rows of X and of Z, or of X and itself."""
        return self.left(X, Z) + self.right(X, Z)

    def diagonal(self, X: Floats) -> Floats:
        """Return the kernel of each row with itself."""
        return self.left.diagonal(X) + self.right.diagonal(X)

    def gradient(self, X: Floats, weight: Floats) -> Floats:
        """Return Σ weight ∘ ∂K/∂θ."""
        return np.concatenate([self.left.gradient(X, weight), self.right.gradient(X, weight)])


@dataclass(frozen=True, repr=False)
class Product(_Pair):
    """The product of two kernels: rows are alike where both say so."""

    _sign = "*"

    def __call__(self, X: Floats, Z: Floats | None = None) -> Floats:
        """Return the matrix between the rows of X and of Z, or of X and itself."""
        return self.left(X, Z) * self.right(X, Z)

    def diagonal(self, X: Floats) -> Floats:
        """Return the kernel of each row with itself."""
        return self.left.diagonal(X) * self.right.diagonal(X)

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
    """Return a hyperparameter as far as anybody wants to read it."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_short, value))}{',' if len(value) == 1 else ''})"
    return f"{value:.3g}" if isinstance(value, float) else repr(value)
