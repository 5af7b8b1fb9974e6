"""Fit paired comparisons from counts that are read block by block, in memory that does not grow with the pairs.

`StreamedLogPosterior` is the log posterior of `newton` for counts on disk. Each evaluation reads all pairs once, and
leaves the curvature of each pair (in single precision, since it only directs the steps) in a temporary file, from which
products with the Hessian are computed. What stays in memory has one number an item, or a few.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.preferences import PairCounts
from penchant.preferences.graph import connected_labels
from penchant.preferences.pair_counts import PairBlock
from penchant.worth.inference.learned_scale import SCALE, SMALL_ERROR, START, PriorOf, precision_at_mode
from penchant.worth.inference.newton import Derivatives, Hessian, Link, LogPosterior, Mode, Point, maximise
from penchant.worth.inference.pairs import parts
from penchant.worth.inference.posterior import Posterior, sampled_posterior
from penchant.worth.inference.prior import Prior

_TINY = float(np.finfo(float).tiny)
_BLOCK = 1 << 20
_NEARLY_ALL = 0.99
_MOST_COLUMNS, _COLUMN_NUMBERS = 16, 1 << 24
_MOST_DRAWS = 64


class StreamedLogPosterior(LogPosterior):
    """The log posterior of scores and tie parameter, from counts that are read anew at each point.

    Parameters
    ----------
    link : Link
    counts : PairCounts
    prior : Prior
    """

    def __init__(self, link: Link, counts: PairCounts, prior: Prior) -> None:
        self.link, self.counts, self.prior = link, counts, prior
        n_items = counts.n_items
        self.won, self.lost = np.zeros(n_items), np.zeros(n_items)
        for block in counts.blocks(_BLOCK):
            for won, lost, weight in (
                (block.first, block.second, block.weight[0]),
                (block.second, block.first, block.weight[1]),
            ):
                self.won += np.bincount(won, weight, n_items)
                self.lost += np.bincount(lost, weight, n_items)
        self.tied, self.n_pairs = counts.outcomes[2], counts.n_pairs
        self.opponents = self._opponents
        self._curvature = counts.scratch(np.float32)

    def with_prior(self, prior: Prior) -> Self:
        """Return the same with another prior; the Hessians of both use one file."""
        other = copy(self)
        other.prior = prior
        return other

    def _opponents(self, scores: Floats) -> Floats:
        result = np.zeros(len(scores))
        for block in self.counts.blocks(_BLOCK):
            _kernels().add_product(
                *_place(self.counts, block), block.weight[0] + block.weight[1], scores, result
            )
        return result

    def widest(self, move: Floats) -> float:
        """Return the most by which a step changes the difference of two compared items."""
        return max(
            float(np.abs(move[block.first] - move[block.second]).max())
            for block in self.counts.blocks(_BLOCK)
        )

    def at(self, scores: Floats, tie: float | None) -> Point:
        """Return the point with these scores; the Hessian of the point before becomes invalid."""
        kernels, n_items = _kernels(), self.counts.n_items
        net, across, pull = np.zeros(n_items), np.zeros(n_items), np.zeros(n_items)
        tie_gradient, tie_curvature = 0.0, 0.0
        for block, derivatives in self.derivatives(scores, tie):
            place = _place(self.counts, block)
            kernels.add_flow(*place, derivatives.gradient, -1.0, net)
            curvature = derivatives.curvature.astype(np.float32)
            kernels.add_flow(*place, curvature, 1.0, pull)
            self._curvature.write(block.start, curvature)
            if derivatives.cross is not None:
                kernels.add_flow(*place, derivatives.cross, -1.0, across)
                tie_gradient += float(derivatives.tie_gradient.sum())  # type: ignore[union-attr]
                tie_curvature += float(derivatives.tie_curvature.sum())  # type: ignore[union-attr]
        gradient = net - self.prior.product(scores)
        if tie is not None:
            tie_gradient -= self.prior.tie_precision * tie
            tie_curvature = max(tie_curvature + self.prior.tie_precision, _TINY)
        else:
            tie_curvature = 1.0
        return Point(
            scores,
            tie,
            gradient,
            tie_gradient,
            lambda: StreamedHessian(self, scores, tie, pull, across, tie_curvature),
        )

    def derivatives(self, scores: Floats, tie: float | None) -> Iterator[tuple[PairBlock, Derivatives]]:
        """Yield the pairs in blocks, with the derivatives of each pair; they are valid until the next block."""
        memory = np.empty((2 if tie is None else 5, _BLOCK))
        for block in self.counts.blocks(_BLOCK):
            columns = memory[:, : len(block.first)]
            for part in parts(len(block.first)):
                difference = scores.take(block.first[part]) - scores.take(block.second[part])
                weight = block.weight[:, part]
                found = (
                    self.link.decided(difference, weight)
                    if tie is None
                    else self.link.tied(difference, weight, tie)
                )
                for column, values in zip(columns, found, strict=False):
                    column[part] = values
            yield block, Derivatives(*columns)

    def multiply(self, values: Floats) -> Floats:
        """Return for each item the sum over its pairs of their curvature times the others' values."""
        wide = np.ascontiguousarray(values)
        result = np.zeros_like(wide)
        add = _kernels().add_product if wide.ndim == 1 else _kernels().add_products
        for start in range(0, self.n_pairs, _BLOCK):
            stop = min(start + _BLOCK, self.n_pairs)
            second, curvature = self.counts.second(start, stop), self._curvature.read(start, stop)
            add(_row(self.counts, start), self.counts.starts, start, second, curvature, wide, result)
        return result


class StreamedHessian(Hessian):
    """The Hessian at the point that was evaluated last."""

    def __init__(
        self,
        log_posterior: StreamedLogPosterior,
        scores: Floats,
        tie: float | None,
        information: Floats,
        across: Floats,
        tie_curvature: float,
    ) -> None:
        self._at, self._scores, self._tie = log_posterior, scores, tie
        self.prior, self.information = log_posterior.prior, information
        self.across, self.tie_curvature = across, tie_curvature
        self._pull = information + self.prior.own
        self.diagonal = self._pull - across**2 / tie_curvature

    def damped(self, damping: Floats, tie_damping: float) -> Self:
        """Return the Hessian with ``damping`` added to the diagonal, and ``tie_damping`` to ``tie_curvature``."""
        damped = copy(self)
        damped.is_damped = True
        damped._pull, damped.tie_curvature = self._pull + damping, self.tie_curvature + tie_damping
        damped.diagonal = damped._pull - self.across**2 / damped.tie_curvature
        return damped

    def product(self, values: Floats) -> Floats:
        """Multiply with an array of shape (n_items,) or (n_items, k)."""
        narrow = values.ndim == 1
        pull, across = (self._pull, self.across) if narrow else (self._pull[:, None], self.across[:, None])
        result: Floats = pull * values
        result -= self._at.multiply(values)
        result -= across / self.tie_curvature * (self.across @ values)
        return result

    def noises(self, rng: np.random.Generator, count: int) -> Floats:
        """Draw ``count`` columns with the covariance H, shape (n_items, count).

        Each pair has a random sign instead of a normal number, which gives the same covariance at a fraction of the
        cost; the sums over the pairs of an item are nearly normal where it has many.
        """
        kernels, n_items = _kernels(), len(self.diagonal)
        noise, along, squares = np.zeros((n_items, count)), np.zeros(count), 0.0
        for block, derivatives in self._at.derivatives(self._scores, self._tie):
            bits = rng.integers(0, 1 << 32, size=len(block.first), dtype=np.uint32)
            root = np.sqrt(derivatives.curvature)
            row, starts, begin, second = _place(self._at.counts, block)
            kernels.add_signed(row, starts, begin, second, bits, root, noise)
            if derivatives.cross is not None:
                ratio = np.divide(derivatives.cross, root, out=np.zeros_like(root), where=root > 0)
                kernels.sum_signed(bits, ratio, along)
                squares += float(ratio @ ratio)
        if self._tie is not None:
            rest = max(self.tie_curvature - squares, 0.0)
            along += np.sqrt(rest) * rng.standard_normal(count)
            noise -= np.outer(self.across / self.tie_curvature, along)
        noise += np.sqrt(self.prior.own)[:, None] * rng.standard_normal((n_items, count))
        return noise

    def noise(self, rng: np.random.Generator) -> Floats:
        """Draw from N(0, H), shape (n_items,)."""
        return self.noises(rng, 1)[:, 0]

    def posterior(self, centre: NDArray[np.bool_]) -> Posterior:
        """Return the normal posterior with this precision, without a matrix of all items."""
        n_items = len(self.diagonal)
        return sampled_posterior(
            self.product,
            self.diagonal,
            self.noise,
            n_items,
            centre=centre,
            noises=self.noises,
            batch=int(np.clip(_COLUMN_NUMBERS // n_items, 1, _MOST_COLUMNS)),
            most_draws=_MOST_DRAWS,
        )


@dataclass(frozen=True, eq=False)
class StreamedFit:
    """The mode of the log posterior of counts on disk.

    Attributes
    ----------
    mode : Mode
    prior : Prior
        Its precision is the given one, or the most probable one where it is learned.
    log_posterior : StreamedLogPosterior
    nearly_normal : bool
        Whether the differences of nearly all compared items vary so little that their posterior is nearly normal.
    """

    mode: Mode
    prior: Prior
    log_posterior: StreamedLogPosterior
    nearly_normal: bool

    def hessian(self) -> StreamedHessian:
        """Return the Hessian at the mode."""
        return _hessian(self.log_posterior, self.mode)


def fit_streamed(counts: PairCounts, link: Link, prior_of: PriorOf, precision: float | None) -> StreamedFit:
    """Return the mode of the scores at a given precision of the prior, or at the most probable one.

    Parameters
    ----------
    counts : PairCounts
    link : Link
    prior_of : callable
        From a precision to the prior.
    precision : float or None
        None: the most probable one, from the mode and its curvature, as `learned_scale` finds it for many items that
        were compared often.
    """
    at = StreamedLogPosterior(link, counts, prior_of(START if precision is None else precision))
    mode = maximise(at, link, at.prior)
    hessian = _hessian(at, mode)
    normal = _is_nearly_normal(counts, hessian, SMALL_ERROR * link.logit)
    if precision is None:
        found = precision_at_mode(mode.scores, hessian.information, prior_of, SCALE * link.logit)
        at = at.with_prior(prior_of(found))
        mode = maximise(at, link, at.prior)
    return StreamedFit(mode, at.prior, at, normal)


def _hessian(at: StreamedLogPosterior, mode: Mode) -> StreamedHessian:
    hessian = at.at(mode.scores, mode.tie).hessian()
    assert isinstance(hessian, StreamedHessian)  # noqa: S101 - for the type checker
    return hessian


def _is_nearly_normal(counts: PairCounts, hessian: StreamedHessian, limit: float) -> bool:
    """Whether the differences of nearly all compared pairs have an error of at most ``limit``."""
    variance = 1 / (hessian.information + hessian.prior.precision)
    within = sum(
        int(np.count_nonzero(variance[block.first] + variance[block.second] <= limit**2))
        for block in counts.blocks(_BLOCK)
    )
    return within >= _NEARLY_ALL * counts.n_pairs


def group_labels(counts: PairCounts) -> Ints:
    """Return for each item the group of items that comparisons connect it with, shape (n_items,)."""
    labels = np.arange(counts.n_items)
    for block in counts.blocks(_BLOCK):
        source, target = labels[block.first], labels[block.second]
        new = source != target
        if new.any():
            labels = connected_labels(source[new], target[new], int(labels.max()) + 1, strong=False)[labels]
    return labels


def _place(counts: PairCounts, block: PairBlock) -> tuple[int, Ints, int, NDArray[np.int32]]:
    """Return where a block is, as the kernels take it."""
    return _row(counts, block.start), counts.starts, block.start, block.second


def _row(counts: PairCounts, start: int) -> int:
    return int(np.searchsorted(counts.starts, start, side="right")) - 1


def _kernels() -> Any:
    from penchant.worth.inference import _streamed_kernels

    return _streamed_kernels
