"""Bound the regret of each coactive learner from the slacks of its rounds.

Each bound is a curve: entry t bounds the regret averaged over the first t rounds. With the slacks ξ_t of a
run (`slack`) it bounds that run. With ``expected=True`` and the expected slacks ξ̄_t of many runs, of shape
(runs, T), it bounds the expected regret, which the mean of many runs estimates.

Three of the stated bounds are too small; ``form="stated"`` gives them as they stand in the paper, the
default what its proofs give once their slips are corrected:

* Theorem 5: the differences of φ are bounded by 2S, not by S, so that the last term is 2S/(α√T).
* Theorem 6: squared distances in the ball are bounded by |B|², not by |B|.
* Theorem 8: the same, halved since the sum is; and the squared slacks have lost their factor G.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, above_zero, check_number, one_of, whole
from penchant.coactive.analysis.losses import Loss
from penchant.coactive.analysis.regret import check_alpha, progressive_mean, rounds
from penchant.errors import InvalidInput

Form = Literal["corrected", "stated"]
_ROUNDING = 1e-9


def perceptron_bound(
    slack: ArrayLike, *, alpha: float, R: float, norm: float, batch: int = 1, expected: bool = False
) -> Floats:
    """Bound the utility regret of `PreferencePerceptron` (Theorem 1, Corollary 2; Lemma 4 with a batch).

    Σξ/(αt) + 2R‖w*‖√k/(α√t), for weights that start at 0. It also holds inside a batch.

    Parameters
    ----------
    slack : array-like of shape (T,) or (runs, T)
        ξ_t for the same α and w*.
    alpha : float
        In (0, 1].
    R : float
        No ‖φ(x, y)‖ is larger.
    norm : float
        ‖w*‖.
    batch : int
        k, the rounds between two updates.
    expected : bool
        Whether ``slack`` holds ξ̄_t, and the mean over runs is to be bounded.

    Returns
    -------
    ndarray of the shape of ``slack``, or (T,) if ``expected``

    Examples
    --------
    >>> perceptron_bound([0.0, 0.0, 0.0, 0.0], alpha=0.5, R=1.0, norm=1.0)
    array([4.        , 2.82842712, 2.30940108, 2.        ])
    """
    above_zero("R", R)
    whole("batch", batch, 1)
    check_number("norm", norm, least=0)
    given, t = _given(slack, alpha)
    return _of(progressive_mean(given) / alpha + 2 * R * norm * np.sqrt(batch / t) / alpha, expected)


def exponentiated_bound(
    slack: ArrayLike,
    *,
    alpha: float,
    S: float,
    N: int,
    norm: float = 1.0,
    horizon: int | None = None,
    form: Form = "corrected",
    expected: bool = False,
) -> Floats:
    """Bound the utility regret of `ExponentiatedPerceptron` with a horizon (Theorem 5).

    Σξ/(αT) + (2S·log N + 2S)‖w*‖₁/(α√T) at the horizon T; before it, the rate 1/(2S√T) gives
    Σξ/(αt) + (2S√T·log N + 2St/√T)‖w*‖₁/(αt). Nothing is known for a rate that changes.

    Parameters
    ----------
    slack, alpha, expected
        As in `perceptron_bound`.
    S : float
        No entry of φ(x, y) is larger in absolute value.
    N : int
        The number of features; twice that for signed weights.
    norm : float
        ‖w*‖₁. The theorem has 1.
    horizon : int, optional
        The T that sets the rate; the number of rounds unless given.
    form : {"corrected", "stated"}
        The paper states S/(2α√T) for the last term.

    Examples
    --------
    >>> float(exponentiated_bound([0.0], alpha=1.0, S=1.0, N=2, form="stated")[0])
    1.8862943611198906
    """
    given, t = _given(slack, alpha)
    last = {"corrected": 2.0, "stated": 0.5}[_checked(form)]
    learning = _exponentiated_term(t, S, N, norm, horizon, last)
    return _of((progressive_mean(given) + learning) / alpha, expected)


def exponentiated_convex_bound(
    slack: ArrayLike,
    *,
    alpha: float,
    S: float,
    N: int,
    loss: Loss,
    norm: float = 1.0,
    horizon: int | None = None,
    expected: bool = False,
) -> Floats:
    """Bound the convex regret of `ExponentiatedPerceptron` with a horizon (paper 1, third extension).

    2G·Σξ⁺/(αT) + 2GS(1 + log N)‖w*‖₁/(α√T) at the horizon; before it as in `exponentiated_bound`.

    Parameters
    ----------
    slack, alpha, S, N, norm, horizon, expected
        As in `exponentiated_bound`.
    loss : Loss

    Examples
    --------
    >>> from penchant.coactive.analysis.losses import LinearLoss
    >>> float(exponentiated_convex_bound([0.0], alpha=1.0, S=1.0, N=1, loss=LinearLoss())[0])
    2.0
    """
    given, t = _given(slack, alpha)
    learning = _exponentiated_term(t, S, N, norm, horizon, last=2.0)
    return _of(loss.slope * (2 * _clipped_mean(given) + learning) / alpha, expected)


def convex_bound(
    slack: ArrayLike,
    *,
    alpha: float,
    R: float,
    diameter: float,
    loss: Loss,
    form: Form = "corrected",
    expected: bool = False,
) -> Floats:
    """Bound the convex regret of `ConvexPerceptron` (Theorem 6, eq. 16 and 17).

    2G·Σξ⁺/(αt) + G/α·(|B|²/(2√t) + |B|²/t + 4R²/√t), for a w* in the ball B.

    Parameters
    ----------
    slack, alpha, R, expected
        As in `perceptron_bound`.
    diameter : float
        |B|, twice the learner's radius.
    loss : Loss
    form : {"corrected", "stated"}
        The paper states |B| for |B|².

    Examples
    --------
    >>> from penchant.coactive.analysis.losses import LinearLoss
    >>> ball = {"alpha": 1.0, "R": 1.0, "diameter": 20.0, "loss": LinearLoss()}
    >>> float(convex_bound([0.0] * 100, **ball)[-1].round(3))
    24.4
    >>> float(convex_bound([0.0] * 100, **ball, form="stated")[-1].round(3))
    1.6
    """
    above_zero("R", R)
    above_zero("diameter", diameter)
    given, t = _given(slack, alpha)
    ball = diameter**2 if _checked(form) == "corrected" else diameter
    learning = ball / (2 * np.sqrt(t)) + ball / t + 4 * R**2 / np.sqrt(t)
    return _of(loss.slope * (2 * _clipped_mean(given) + learning) / alpha, expected)


def second_order_bound(
    slack: ArrayLike,
    *,
    alpha: float,
    R: float,
    N: int,
    diameter: float,
    loss: Loss,
    gamma: float,
    epsilon: float = 1.0,
    form: Form = "corrected",
    expected: bool = False,
) -> Floats:
    """Bound the convex regret of `SecondOrderPerceptron` (Theorem 8, eq. 19 and 20).

    Gγ·Σξ⁺²/(2α²t) + 2G·Σξ⁺/(αt) + Gε|B|²/(2αt) + GN/(2γαt)·log(4R²tγ/ε + 1), for a w* in the ball B.

    The proof asks for G and λ wherever the learner's own scores may lead it, not only where utilities may.
    `second_order_gamma` is a γ for which it goes through; γ = λ/G alone is not enough where the ball is
    wider than ‖w*‖. In expectation the proof leaves out how much the answers of one round differ.

    Parameters
    ----------
    slack, alpha, R, expected
        As in `perceptron_bound`.
    N : int
        The number of features.
    diameter : float
        |B|, as in `convex_bound`.
    loss : Loss
        Strongly convex.
    gamma, epsilon : float
        The learner's; γ is at most λ/G.
    form : {"corrected", "stated"}
        The paper states ε|B| for ε|B|²/2, and no G in the first term.

    Examples
    --------
    >>> from penchant.coactive.analysis.losses import SquaredLoss
    >>> ball = {"alpha": 1.0, "R": 1.0, "N": 1, "diameter": 100.0, "gamma": 0.01, "epsilon": 0.2}
    >>> float(second_order_bound([0.0], **ball, loss=SquaredLoss(50.0), form="stated")[0].round())
    5823.0
    """
    whole("N", N, 1)
    for name, value in (("R", R), ("diameter", diameter), ("gamma", gamma), ("epsilon", epsilon)):
        above_zero(name, value)
    _check_curvature(gamma, loss)
    given, t = _given(slack, alpha)
    G = loss.slope
    if _checked(form) == "corrected":
        of_squares, of_ball = G, epsilon * diameter**2 / 2
    else:
        of_squares, of_ball = 1.0, epsilon * diameter
    squares = progressive_mean(np.maximum(given, 0.0) ** 2)
    learning = (of_ball + N / (2 * gamma) * np.log(4 * R**2 * t * gamma / epsilon + 1)) / t
    noise = of_squares * gamma * squares / (2 * alpha**2) + 2 * G * _clipped_mean(given) / alpha
    return _of(noise + G * learning / alpha, expected)


def second_order_gamma(
    loss: Loss, *, R: float, radius: float, norm: float, largest_slack: float = 0.0
) -> float:
    """Return the largest γ for which the proof of Theorem 8 goes through.

    A round's term d − γd²/2 with d = (w_t − w*)ᵀ(φ(x, y) − φ(x, ȳ)) + ξ⁺ must grow with d, that is γd ≤ 1;
    d is at most 2R(radius + ‖w*‖) + max ξ⁺. And γ ≤ λ/G.

    Parameters
    ----------
    loss : Loss
        Strongly convex.
    R : float
        As in `perceptron_bound`.
    radius : float
        That of the learner's ball.
    norm : float
        ‖w*‖, at most ``radius``.
    largest_slack : float
        max ξ⁺.

    Examples
    --------
    >>> from penchant.coactive.analysis.losses import QuadraticLoss
    >>> second_order_gamma(QuadraticLoss(1.0), R=1.0, radius=4.0, norm=1.0)
    0.1
    """
    above_zero("R", R)
    above_zero("radius", radius)
    check_number("norm", norm, least=0)
    if norm > radius * (1 + _ROUNDING):
        raise InvalidInput(f"norm must be at most the radius, {radius:g}, got {norm:g}: take a larger ball")
    check_number("largest_slack", largest_slack, least=0)
    return min(_curvature(loss), 1.0 / (2 * R * (radius + norm) + largest_slack))


def _exponentiated_term(t: Ints, S: float, N: int, norm: float, horizon: int | None, last: float) -> Floats:
    """Return (log N/η + last·S·t/√T)‖w*‖₁/t with η = 1/(2S√T); the proof has 4ηS²t for the last term."""
    above_zero("S", S)
    whole("N", N, 1)
    check_number("norm", norm, least=0)
    T = len(t) if horizon is None else whole("horizon", horizon, 1)
    if len(t) > T:
        raise InvalidInput(
            f"horizon must be at least the number of rounds, {len(t)}, got {T}: nothing is known after it"
        )
    return np.asarray(norm * S * (2 * np.sqrt(T) * np.log(N) / t + last / np.sqrt(T)))


def _given(slack: ArrayLike, alpha: float) -> tuple[Floats, Ints]:
    """Return the slacks and the numbers of their rounds, from 1."""
    check_alpha(alpha)
    given = rounds("slack", slack)
    return given, np.arange(1, given.shape[-1] + 1)


def _clipped_mean(slack: Floats) -> Floats:
    return progressive_mean(np.maximum(slack, 0.0))


def _of(curve: Floats, expected: bool) -> Floats:
    if expected and curve.ndim != 2:
        raise InvalidInput(
            f"slack must be of shape (runs, rounds) for an expected bound, got {curve.shape}: "
            "give the expected slacks of many runs"
        )
    return np.asarray(curve.mean(axis=0)) if expected else curve


def _checked(form: Form) -> Form:
    one_of("form", form, get_args(Form))
    return form


def _curvature(loss: Loss) -> float:
    if not loss.strength > 0:
        raise InvalidInput(
            f"loss must be strongly convex, got {loss!r} of strength {loss.strength:g}: "
            "take QuadraticLoss, or bound the convex perceptron"
        )
    return loss.strength / loss.slope


def _check_curvature(gamma: float, loss: Loss) -> None:
    largest = _curvature(loss)
    if gamma > largest * (1 + _ROUNDING):
        raise InvalidInput(
            f"gamma must be at most strength/slope of the loss, {largest:g}, got {gamma:g}: "
            "nothing is known above it"
        )
