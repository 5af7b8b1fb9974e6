"""The case study of paper 4: how often three utilities order pairs of points correctly.

The paper leaves some things open, which are settled here: of the 300 pairs of a 5 × 5 grid, 90 different ones are
drawn until each point appears; each of the two ratings of a comparison has its own noise; "dominated" is meant
weakly, so that pairs inside a row or a column belong to it; the noise is that of the linear utility after β̂
was divided by its sum, and the kernel's sd is the same.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints, whole
from penchant.errors import InvalidInput, PenchantWarning

if TYPE_CHECKING:
    from penchant.gp import MonotoneGP, PreferenceGP

Hyperparameters = Literal["paper", "evidence"]

RATING_NOISE = 0.1
COMPARISONS = 90
LENGTHSCALE = 1 / 5
MOST_DRAWS = 1_000
"""The most draws of comparisons until each item is among them."""
PAPER = {"f_MAP": (98.43, 89.32, 94.79), "y": (100.0, 85.93, 94.37), "f_lin": (100.0, 76.76, 90.70)}
"""The paper's table: dominated pairs, other pairs and all, in percent."""
KINDS = ("dominated", "not dominated", "overall")
ZERO = "zero mean"
"""A process with the same kernel and noise whose prior mean is 0, as Chu and Ghahramani's."""


def true_utility(X: Floats) -> Floats:
    """Return u(x) = Φ((x₁ − 0.2)/√0.07)·Φ((x₂ − 0.4)/√0.05) of rows (n, 2), shape (n,)."""
    from scipy.special import ndtr

    first, second = X.T
    return np.asarray(ndtr((first - 0.2) / np.sqrt(0.07)) * ndtr((second - 0.4) / np.sqrt(0.05)))


def grid(side: int) -> Floats:
    """Return the points of a grid on the unit square, shape (side², 2)."""
    ticks = np.linspace(0, 1, side)
    return np.stack(np.meshgrid(ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 2)


def all_pairs(n: int) -> Ints:
    """Return each pair of n items once, shape (n(n−1)/2, 2)."""
    return np.column_stack(np.triu_indices(n, 1))


def compared(
    X: Floats, rng: np.random.Generator, *, count: int = COMPARISONS, noise: float = RATING_NOISE
) -> Ints:
    """Return comparisons of the rows of X (n, 2) by a person with rating noise, better first, shape (count, 2).

    The pairs are different, and drawn anew until each row is among them.
    """
    pairs = _drawn(len(X), rng, count)
    ratings = true_utility(X)[pairs] + rng.normal(0, noise, pairs.shape)
    return np.where(ratings[:, :1] > ratings[:, 1:], pairs, pairs[:, ::-1])


def _drawn(n: int, rng: np.random.Generator, count: int) -> Ints:
    """Return ``count`` different pairs of n items, each of which is among them."""
    every = all_pairs(n)
    if not n / 2 <= count <= len(every):
        raise InvalidInput(
            f"count must be from {-(-n // 2)}, with which each of {n} rows can be compared, to the "
            f"{len(every):,} different pairs, got {count}: correct it"
        )
    for _ in range(MOST_DRAWS):
        pairs = every[rng.choice(len(every), count, replace=False)]
        if len(np.unique(pairs)) == n:
            return pairs
    raise InvalidInput(
        f"count must be so large that each of {n} rows is drawn by chance, got {count}, of which {MOST_DRAWS:,} "
        "draws left a row out each: raise it"
    )


def fitted(
    X: Floats,
    pairs: Ints,
    *,
    hyperparameters: Hyperparameters = "paper",
    lengthscale: float = LENGTHSCALE,
) -> MonotoneGP:
    """Return the paper's model, or the same with hyperparameters that the evidence chose."""
    from penchant.gp import MonotoneGP
    from penchant.gp.inference.linear_utility import linear_utility

    unit = [(0.0, 1.0), (0.0, 1.0)]
    if hyperparameters == "evidence":
        return MonotoneGP(increasing=[0, 1], bounds=unit).fit_pairs(X, pairs)
    if hyperparameters != "paper":
        raise InvalidInput(
            f"hyperparameters must be 'paper' or 'evidence', got {hyperparameters!r}: correct it"
        )
    apart = X[pairs[:, 0]] - X[pairs[:, 1]]
    noise = linear_utility(apart, np.ones(len(pairs)), np.ones(2, dtype=np.int64), np.ones(2)).noise
    model = MonotoneGP(increasing=[0, 1], lengthscale=lengthscale, scale=noise, noise=noise, bounds=unit)
    return model.fit_pairs(X, pairs)


def zero_mean(X: Floats, pairs: Ints, model: MonotoneGP, hyperparameters: Hyperparameters) -> PreferenceGP:
    """Return a process with mean 0 and the kernel and noise of ``model``, or with what the evidence chose."""
    from penchant.gp import PreferenceGP
    from penchant.gp.kernels import SquaredExponential

    if hyperparameters == "evidence":
        return PreferenceGP(inference="laplace").fit_pairs(X, pairs)
    kernel = SquaredExponential(tuple(model.lengthscale_.tolist()), model.scale_**2)
    process = PreferenceGP(kernel, noise=model.noise_, inference="laplace", optimizer=None)
    return process.fit_pairs(X, pairs)


@dataclass(frozen=True, eq=False)
class CaseStudy:
    """How often the three utilities order the pairs of a 9 × 9 grid as the true one does.

    Attributes
    ----------
    accuracy : ndarray of shape (repetitions, 3, 3)
        Of f_MAP, y and f_lin on dominated pairs, on the others and on all.
    alpha : ndarray of shape (repetitions,)
        α̃.
    disordered : int
        In how many repetitions −log L(f_MAP) < −log L(y) < −log L(f_lin) did not hold (y may be f_lin).
    hyperparameters : str
        "paper" or "evidence".
    """

    accuracy: Floats
    alpha: Floats
    disordered: int
    hyperparameters: str

    @property
    def percent(self) -> Floats:
        """The table, shape (3, 3): rows f_MAP, y, f_lin; columns as `KINDS`."""
        return np.asarray(100 * self.accuracy.mean(axis=0))

    def __repr__(self) -> str:
        lines = [f"{'':8}" + "".join(f"{kind:>15}" for kind in KINDS) + "     the paper"]
        for (name, cells), row in zip(PAPER.items(), self.percent, strict=True):
            paper = " / ".join(f"{share:.2f}" for share in cells)
            lines.append(f"{name:8}" + "".join(f"{share:15.2f}" for share in row) + f"     {paper}")
        lines.append(
            f"{len(self.accuracy):,} repetitions, hyperparameters of the {self.hyperparameters}; "
            f"mean alpha {self.alpha.mean():.2f}; likelihoods out of order: {self.disordered}"
        )
        return "\n".join(lines)


def case_study(
    repetitions: int = 1000, *, seed: int = 0, hyperparameters: Hyperparameters = "paper"
) -> CaseStudy:
    """Repeat the paper's simulation.

    Parameters
    ----------
    repetitions : int
    seed : int
    hyperparameters : {"paper", "evidence"}
        The paper's lengthscale 1/5 with the kernel's sd and the noise of the linear utility, or what the
        evidence chooses.

    Examples
    --------
    >>> case_study(20).percent.round(1)
    array([[ 98.4,  89.3,  94.8],
           [100. ,  85.2,  94.1],
           [100. ,  76.9,  90.8]])
    """
    whole("repetitions", repetitions, 1, remedy="raise it")
    runs = [repeated(repetition, seed, hyperparameters) for repetition in range(repetitions)]
    disordered = sum(not run.in_order for run in runs)
    accuracy, alpha = np.array([run.accuracy for run in runs]), np.array([run.alpha for run in runs])
    return CaseStudy(accuracy, alpha, disordered, hyperparameters)


@dataclass(frozen=True, eq=False)
class Repetition:
    """The outcome of one draw of comparisons.

    Attributes
    ----------
    accuracy, seen, unseen : ndarray of shape (3, 3)
        Of f_MAP, y and f_lin on dominated pairs, on the others and on all: of all pairs, of those that were compared,
        and of those that were not. NaN where there is none.
    zero : ndarray of shape (3,)
        Accuracy of a process with mean 0 on all pairs, by kind; NaN unless asked for.
    alpha : float
        α̃.
    in_order : bool
        Whether −log L(f_MAP) < −log L(y) < −log L(f_lin), or y is f_lin.
    lowest : float
        The lowest slope of f_MAP that was seen.
    proven : float
        The slope of y that is proven everywhere.
    """

    accuracy: Floats
    seen: Floats
    unseen: Floats
    zero: Floats
    alpha: float
    in_order: bool
    lowest: float
    proven: float


def repeated(
    repetition: int,
    seed: int,
    hyperparameters: Hyperparameters = "paper",
    *,
    count: int = COMPARISONS,
    noise: float = RATING_NOISE,
    lengthscale: float = LENGTHSCALE,
    with_zero: bool = False,
) -> Repetition:
    """Draw comparisons, fit the model and evaluate it on all pairs of the 9 × 9 grid.

    Parameters
    ----------
    repetition, seed : int
        Of the draw.
    hyperparameters : {"paper", "evidence"}
    count : int
        How many comparisons.
    noise : float
        sd of the noise of each rating.
    lengthscale : float
        Of the kernel, with hyperparameters of the paper.
    with_zero : bool
        Whether to fit a process with mean 0 as well.

    Examples
    --------
    >>> repeated(0, 0).accuracy[1].round(3)
    array([1.   , 0.852, 0.941])
    """
    X, trial = grid(5), _trial()
    pairs = compared(X, np.random.default_rng((seed, repetition)), count=count, noise=noise)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)  # a rare draw contradicts monotonicity altogether
        model = fitted(X, pairs, hyperparameters=hyperparameters, lengthscale=lengthscale)
        utilities = [model.predict(trial.points, alpha=alpha) for alpha in (0, None, 1)]
        if with_zero:
            utilities.append(zero_mean(X, pairs, model, hyperparameters).predict(trial.points))
    right = [_lead(utility, trial.pairs) == trial.truth for utility in utilities]
    seen = trial.compared(pairs)
    overall, of_seen, of_unseen = (
        np.array([trial.by_kind(each, among) for each in right])
        for among in (np.ones_like(seen), seen, ~seen)
    )
    proof = model.certificate_
    return Repetition(
        accuracy=overall[:3],
        seen=of_seen[:3],
        unseen=of_unseen[:3],
        zero=overall[3] if with_zero else np.full(3, np.nan),
        alpha=model.alpha_,
        in_order=_in_order(model, pairs),
        lowest=float(proof.value.min()),
        proven=float(proof.slope.min()),
    )


@dataclass(frozen=True, eq=False)
class _Trial:
    """The test pairs, which of them are dominated, and the sign of their true difference in utility."""

    points: Floats
    pairs: Ints
    dominated: NDArray[np.bool_]
    truth: Floats

    def compared(self, pairs: Ints) -> NDArray[np.bool_]:
        """Return which test pairs are among pairs of points of the 5 × 5 grid, every second one of this grid."""
        place = np.array([18 * (item // 5) + 2 * (item % 5) for item in range(25)])
        asked = np.sort(place[pairs], axis=1)
        return np.isin(self.pairs @ [81, 1], asked @ [81, 1])

    def by_kind(self, right: NDArray[np.bool_], among: NDArray[np.bool_]) -> list[float]:
        """Return the share of pairs put right for each of `KINDS`, of those in ``among``; NaN where there is none."""
        groups = (self.dominated & among, ~self.dominated & among, among)
        return [float(right[group].mean()) if group.any() else float("nan") for group in groups]


@cache
def _trial() -> _Trial:
    points = grid(9)
    pairs = all_pairs(len(points))
    first, second = points[pairs[:, 0]], points[pairs[:, 1]]
    dominated = (first <= second).all(axis=1) | (first >= second).all(axis=1)
    return _Trial(points, pairs, np.asarray(dominated), _lead(true_utility(points), pairs))


def _lead(utility: Floats, pairs: Ints) -> Floats:
    return np.sign(utility[pairs[:, 0]] - utility[pairs[:, 1]])


def _in_order(model: MonotoneGP, pairs: Ints) -> bool:
    """Whether the comparisons are likeliest under f_MAP and least likely under f_lin (second theorem)."""
    from penchant.gp.inference.likelihood import Probit

    probit = Probit(float(np.sqrt(2) * model.noise_))

    def log_likelihood(alpha: float) -> float:
        utility = alpha * model.f_lin_ + (1 - alpha) * model.f_map_
        return float(probit.derivatives(utility[pairs[:, 0]] - utility[pairs[:, 1]]).log.sum())

    best, blended, linear = map(log_likelihood, (0.0, model.alpha_, 1.0))
    return best > blended > linear if model.alpha_ < 1 else best > linear
