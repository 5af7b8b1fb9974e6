"""A few weighted settings that stand for the posterior of the hyperparameters, for beliefs that are mixtures.

Features and links leave something of each item unexplained. Where a prior cannot admit that, further answers make the
belief ever surer of a wrong order; so the nugget is learned with the others. And few answers hardly tell how smooth the
utility is: at the most probable lengthscale alone, intervals are far too narrow. So the points lie around the mode of
all hyperparameters, and at other modes that hold some of the mass. They are placed as in
`penchant.gp.inference.hyperposterior`. Where there is no room for all directions, the first one is that along which the
spread of the utilities is least certain (`penchant.gp.inference.kernel_points`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from penchant.checks import Floats
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.hyperposterior import design, inverse_root, weights_of
from penchant.gp.inference.kernel_points import directions
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.gp.linked.tuning import LogPosterior, first_points

_SEARCHES, _MOST_STEPS = 2, 30
_NEAR = 1e-3
"""The change of a site at which EP ends."""
_UNSOUND = 1e10
_STEP = 0.25
"""Of the differences of the gradient that give the curvature, in logarithms."""
_LEAST_ROOM = 2 * _STEP
"""A hyperparameter that is nearer to a bound than this stays as it is."""
_APART = 0.5
"""Ends of searches that differ by more in the logarithm of a hyperparameter are different modes."""
_LEAST_WEIGHT = 0.01


class SettingsPoints(NamedTuple):
    """Settings, the most probable first; their probabilities, and the log evidence of the answers under each.

    ``log_mass`` is the log evidence of the answers under all settings together, each weighed by its prior density.
    """

    settings: tuple[Settings, ...]
    weights: Floats
    log_evidence: Floats
    log_mass: float


class _Mode(NamedTuple):
    """A mode of the log density: where, how high, and the hyperparameters that have room to both sides."""

    logs: Floats
    height: float
    moved: Any
    root: Floats

    @property
    def log_mass(self) -> float:
        """The logarithm of the integral of the density around the mode, by Laplace's method.

        Beyond a bound the density falls as the hyperparameter does: the integral over one that is there is about 1.
        """
        return self.height + float(np.linalg.slogdet(self.root)[1] + len(self.root) * np.log(2 * np.pi) / 2)


def settings_points(
    item_prior: ItemPrior,
    answers: Answers,
    start: Settings,
    likelihood: Probit,
    most: int,
    also: Sequence[Settings] = (),
    earlier: Sequence[Settings] = (),
) -> SettingsPoints:
    """Return at most ``most`` settings (at least 3) with their weights.

    Parameters
    ----------
    item_prior : ItemPrior
        With features, links or both.
    answers : Answers
        Between items.
    start : Settings
        Gives those that are not learned: mix, threshold and limits.
    likelihood : Probit
    most : int
    also : sequence of Settings
        From which modes are searched too.
    earlier : sequence of Settings
        Those that fewer answers gave: then there is one search, from the most probable of them.
    """
    density = LogPosterior(item_prior, answers, start, likelihood, own=True, near=_NEAR)
    modes = _modes(density, [_best(density, earlier)] if earlier else also, 0 if earlier else _SEARCHES)
    logs, weights = _around(density, modes[0], most)
    logs += [mode.logs for mode in modes[1:]]
    shares = np.exp([mode.log_mass - modes[0].log_mass for mode in modes[1:]])
    weights = np.concatenate([weights, shares])
    weights[weights < _LEAST_WEIGHT * weights.sum()] = 0.0
    kept = np.argsort(-weights, kind="stable")[: min(most, np.count_nonzero(weights))]
    points = [_rounded(density, logs[place]) for place in kept]
    log_evidence = np.array([density.parts_at(density.logs(point))[1] for point in points])
    log_mass = modes[0].log_mass + float(np.log1p(shares.sum())) + density.log_constant
    return SettingsPoints(tuple(points), weights[kept] / weights[kept].sum(), log_evidence, log_mass)


def _best(density: LogPosterior, settings: Sequence[Settings]) -> Settings:
    """Return the most probable of some settings."""
    return max(settings, key=lambda one: _finite(sum(density.parts_at(density.logs(one)))))


def _modes(density: LogPosterior, also: Sequence[Settings], searches: int) -> list[_Mode]:
    """Return the different modes that searches find, that with the largest mass first.

    Answers to questions whose outcome is least certain can be explained by items that differ, and nearly as well by
    items that are all equal: one search may end at the lesser of the two modes. There are two, from the best of the
    first points and from the best of those of another scale; settings that are given replace the latter. With no
    searches there are those from the given settings alone.
    """
    low, high = np.array(density.bounds()).T
    ends: list[tuple[float, Floats]] = []
    given = [np.clip(density.logs(settings), low, high) for settings in also]
    first_ones = _starts(density)[: searches - len(given)] if searches else []
    for first in [*first_ones, *given]:
        height, logs = _search(density, first)
        if all(np.abs(logs - other).max() > _APART for _, other in ends):
            ends.append((height, logs))
    best = max(height for height, _ in ends)
    modes = []
    for height, logs in ends:
        if height < best + np.log(_LEAST_WEIGHT):
            continue
        moved = (logs - low > _LEAST_ROOM) & (high - logs > _LEAST_ROOM)
        modes.append(_Mode(logs, height, moved, inverse_root(_curvature(density, logs, moved))))
    return sorted(modes, key=lambda mode: -mode.log_mass)


def _starts(density: LogPosterior) -> list[Floats]:
    """Return the most probable one of the first points, and that of those of another scale."""
    scales: dict[float, tuple[float, Floats]] = {}
    for point in first_points(density.names, density.bounds()):
        height = _finite(density.at(point)[0])
        scale = float(point[density.names.index("scale")]) if "scale" in density.names else 0.0
        if scale not in scales or height > scales[scale][0]:
            scales[scale] = height, point
    ordered = sorted(scales.values(), key=lambda found: -found[0])
    return [point for _, point in ordered[:_SEARCHES]]


def _search(density: LogPosterior, first: Floats) -> tuple[float, Floats]:
    """Return the height and the logarithms of the mode that L-BFGS finds from a point."""
    from scipy.optimize import minimize

    def loss(logs: Floats) -> tuple[float, Floats]:
        value, gradient = density.at(logs)
        return (-value, -gradient) if np.isfinite(value) else (_UNSOUND, np.zeros(len(logs)))

    limits: Any = {"maxfun": _MOST_STEPS, "ftol": 3e-5, "gtol": 1e-2}
    end = minimize(loss, first, jac=True, method="L-BFGS-B", bounds=density.bounds(), options=limits)
    return -float(end.fun), np.asarray(end.x)


def _around(density: LogPosterior, mode: _Mode, most: int) -> tuple[list[Floats], Floats]:
    """Return the mode and points around it, and their weights."""
    low, high = np.array(density.bounds()).T
    size = len(mode.root)
    while (1 << size.bit_length()) + 1 > most:
        size -= 1
    offsets, base = design(size)
    moves = np.zeros((len(offsets), len(mode.logs)))
    if size:
        slope = np.zeros(len(mode.root))
        if size < len(mode.root):
            slope = density.spread_slope(mode.logs)[mode.moved]
        moves[:, mode.moved] = offsets @ directions(mode.root, slope, size).T
    points = list(np.clip(mode.logs + moves, low, high))
    heights = np.array([sum(density.parts_at(point)) for point in points])
    return points, weights_of(heights, offsets, base)


def _finite(value: float) -> float:
    return value if np.isfinite(value) else -np.inf


def _curvature(density: LogPosterior, mode: Floats, moved: Any) -> Floats:
    """Return minus the second derivatives by the hyperparameters of the mask ``moved``, by central differences."""
    rows = []
    for place in np.flatnonzero(moved):
        step = np.zeros(len(mode))
        step[place] = _STEP
        ahead, behind = density.at(mode + step)[1], density.at(mode - step)[1]
        rows.append(((behind - ahead) / (2 * _STEP))[moved])
    matrix = np.array(rows).reshape(len(rows), len(rows))
    return np.asarray((matrix + matrix.T) / 2)


def _rounded(density: LogPosterior, logs: Floats) -> Settings:
    """Return settings without the digits that are noise, which differ from one processor to another."""
    settings = density.settings(logs)
    rounded: dict[str, Any] = {name: float(f"{getattr(settings, name):.3g}") for name in density.names}
    return settings._replace(**rounded)
