"""The log-likelihood of weak orders under Plackett–Luce, with its gradient and curvature.

An order is a sequence of choices: the best of all, the best of the rest, and so on, each a stage. Members
of one level that is not the last follow Efron's approximation: with level sum S_D and sum S_B of all below,
the t-th of d stages of that level has the denominator S_B + (1 − t/d)·S_D. The last level is chosen from
nothing, so it has no stages. Time and memory are in proportion to the members of the orders, except for the dense
matrix of the curvature.

Orders of about the same length are the columns of a matrix, position by position, so that
sums over "this and all below" are running sums down the columns; all terms are positive and nothing cancels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.preferences import Preferences
from penchant.preferences.statements import Statements

_TINY = 1e-150  # its square is still a number
_CACHED_CELLS = 1 << 15
_SQUARED_CELLS = 2_000_000
_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Ties:
    """Where the level of each member begins and ends, and the share 1 − t/d with which it enters its stage.

    All are of shape (width, n_orders); ``first`` and ``last`` index the flattened running sums, which have
    one position more.
    """

    first: Ints
    last: Ints
    share: Floats
    level: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Block:
    """Orders of about the same length, one a column.

    Parameters
    ----------
    members : int array of shape (width, n_orders)
        Item indices, best first; the number of items where an order is shorter than the block.
    weight : array of shape (width, n_orders)
        The weight of the order where a stage belongs to the member, else 0.
    ties : Ties, optional
        None where no level but the last has several members.
    """

    members: Ints
    weight: Floats
    ties: Ties | None

    def below(self, values: Floats) -> Floats:
        """Return for each stage the sum of ``values`` over the members that it chose from."""
        sums = running(values[::-1])[::-1]
        if self.ties is None:
            return sums
        flat, share = np.append(sums, np.zeros(sums.shape[1])), self.ties.share
        return share * flat[self.ties.first] + (1 - share) * flat[self.ties.last]

    def above(self, values: Floats, power: int = 1) -> Floats:
        """Return for each member the sum of ``values`` over the stages that could choose it.

        Stages of its own level enter with their share to the ``power``.
        """
        if self.ties is None:
            return running(values)
        nothing, first, last = np.zeros(values.shape[1]), self.ties.first, self.ties.last
        before = np.append(nothing, running(values))
        own = np.append(nothing, running(values * self.ties.share**power))
        return before[first] + (own[last] - own[first])


def running(values: Floats) -> Floats:
    """Return the running sums down each column, row by row where that is faster; the bits are the same."""
    if values.shape[1] < 4 * len(values):
        return np.cumsum(values, axis=0)
    sums = values.copy()
    for above, here in pairwise(sums):
        here += above
    return sums


class Stages:
    """The log-likelihood of some orders as a function of the scores of ``n_items`` items.

    Examples
    --------
    >>> curve = Stages(Preferences.from_rankings([["a", "b", "c"]])).at(np.zeros(3))
    >>> round(curve.value, 3), curve.gradient.round(2).tolist()
    (-1.792, [0.67, 0.17, -0.83])
    """

    def __init__(self, preferences: Preferences) -> None:
        statements = preferences.statements
        weight = np.ones(len(statements)) if preferences.weight is None else preferences.weight
        self.n_items = preferences.n_items
        self.blocks = [
            _block(statements, rows, width, weight, self.n_items)
            for width, rows in _by_width(statements.sizes)
        ]
        self.chosen = self.totals([block.weight for block in self.blocks])
        """How often each item was chosen at a stage, weighted, shape (n_items,)."""

    def totals(self, values: list[Floats]) -> Floats:
        """Return the sum of ``values``, one array a block, of each item, shape (n_items,)."""
        total = np.zeros(self.n_items + 1)
        for block, value in zip(self.blocks, values, strict=True):
            total += np.bincount(block.members.ravel(), value.ravel(), self.n_items + 1)
        return total[:-1]

    @property
    def n_cells(self) -> int:
        """The number of terms that `Curve.matrix` sums."""
        return sum(block.members.shape[0] * block.members.size for block in self.blocks)

    def at(self, scores: Floats) -> Curve:
        """Return the value, gradient and curvature at ``scores``, shape (n_items,)."""
        return Curve(self, scores)


class Curve:
    """The log-likelihood of `Stages` at one point: its value, gradient and curvature."""

    def __init__(self, stages: Stages, scores: Floats) -> None:
        self.stages = stages
        self.value = float((stages.chosen * scores).sum())
        self.worths: list[Floats] = []
        self.sums: list[Floats] = []
        padded = np.append(scores, -np.inf)
        for block in stages.blocks:
            members = padded[block.members]
            most = members.max(axis=0)
            worth = np.exp(members - most)
            below = np.maximum(block.below(worth), _TINY)
            self.value -= float((block.weight * (most + np.log(below))).sum())
            self.worths.append(worth)
            self.sums.append(below)

    @cached_property
    def _expected(self) -> list[Floats]:
        """How often each member was expected to be chosen, for each block."""
        parts = zip(self.stages.blocks, self.worths, self.sums, strict=True)
        return [worth * block.above(block.weight / below) for block, worth, below in parts]

    @cached_property
    def gradient(self) -> Floats:
        """How often each item was chosen less how often that was expected, shape (n_items,)."""
        return self.stages.chosen - self.stages.totals(self._expected)

    def product(self, direction: Floats) -> Floats:
        """Return the negative curvature, a positive semidefinite matrix, times ``direction``."""
        padded = np.append(direction, 0.0)
        values = []
        for block, worth, below, expected in zip(
            self.stages.blocks, self.worths, self.sums, self._expected, strict=True
        ):
            along = padded[block.members]
            mean = block.below(worth * along) / below
            values.append(expected * along - worth * block.above(block.weight * mean / below))
        return self.stages.totals(values)

    def diagonal(self) -> Floats:
        """Return the diagonal of the negative curvature, shape (n_items,)."""
        values = []
        for block, worth, below, expected in zip(
            self.stages.blocks, self.worths, self.sums, self._expected, strict=True
        ):
            values.append(expected - worth**2 * block.above(block.weight / below**2, power=2))
        return np.maximum(self.stages.totals(values), 0.0)

    def matrix(self) -> Floats:
        """Return the negative curvature, shape (n_items, n_items), in time of the squared lengths of orders."""
        n_items = self.stages.n_items
        total = np.zeros((n_items + 1) ** 2)
        for block, worth, below in zip(self.stages.blocks, self.worths, self.sums, strict=True):
            _subtract_shared(total, block, worth, below)
        matrix = total.reshape(n_items + 1, n_items + 1)[:-1, :-1]
        matrix += matrix.T
        matrix[np.diag_indices(n_items)] = self.diagonal()
        return matrix

    def noise(self, rng: np.random.Generator) -> Floats:
        """Draw a normal vector whose covariance is the negative curvature, shape (n_items,)."""
        parts = zip(self.stages.blocks, self._factors, strict=True)
        return self.stages.totals(
            [factor.times(rng.standard_normal(block.members.shape), block) for block, factor in parts]
        )

    @cached_property
    def _factors(self) -> list[Factor]:
        parts = zip(self.stages.blocks, self.worths, self.sums, self._expected, strict=True)
        return [_factor(*part) for part in parts]


def _by_width(sizes: Ints) -> Iterator[tuple[int, Ints]]:
    """Yield the rows of each width, in parts that stay in the processor's cache.

    Lengths up to 16 are widths of their own, longer ones are rounded up by at most an eighth.
    """
    exponent = np.frexp(sizes)[1]
    step = 2 ** np.maximum(exponent - 4, 0)
    widths = -(-sizes // step) * step
    for width in np.unique(widths[sizes > 1]).tolist():
        rows = np.flatnonzero(widths == width)
        some = max(_CACHED_CELLS // width, 1)
        for start in range(0, len(rows), some):
            yield width, rows[start : start + some]


def _block(statements: Statements, rows: Ints, width: int, weight: Floats, n_items: int) -> Block:
    places = np.arange(width)[:, None]
    inside = places < statements.sizes[rows]
    where = np.minimum(statements.starts[rows] + places, statements.starts[rows + 1] - 1)
    members = np.where(inside, statements.members[where], n_items)
    level = np.where(inside, statements.levels[where], statements.levels[where[-1]])
    inner = level < level[-1]
    return Block(members, np.where(inner, weight[rows], 0.0), _ties(level, inner))


def _ties(level: NDArray[np.int32], inner: NDArray[np.bool_]) -> Ties | None:
    new = np.ones(level.shape, dtype=bool)
    new[1:] = level[1:] != level[:-1]
    if (new | ~inner).all():
        return None
    width, n_orders = level.shape
    places = np.arange(width)[:, None]
    first = np.maximum.accumulate(np.where(new, places, 0), axis=0)
    ends = np.where(np.vstack([new[1:], np.ones((1, n_orders), dtype=bool)]), places + 1, width)
    last = np.minimum.accumulate(ends[::-1], axis=0)[::-1]
    columns = np.arange(n_orders)
    share = 1 - (places - first) / (last - first)
    return Ties(first * n_orders + columns, last * n_orders + columns, share, level)


def _subtract_shared(total: Floats, block: Block, worth: Floats, below: Floats) -> None:
    """Subtract Σ w p_i p_j over stages, for all i above j, from ``total``, a flattened square of n_items + 1 rows."""
    side = round(np.sqrt(total.size))
    width, n_orders = worth.shape
    squares = block.weight / below**2
    apart, alike = block.above(squares), block.above(squares, power=2)
    upper, lower = np.triu_indices(width, 1)
    step = max(1, _SQUARED_CELLS // len(upper))
    for start in range(0, n_orders, step):
        some = slice(start, start + step)
        coefficient = apart[upper, some]
        if block.ties is not None:
            same = block.ties.level[upper, some] == block.ties.level[lower, some]
            coefficient = np.where(same, alike[upper, some], coefficient)
        pairs = block.members[upper, some] * side + block.members[lower, some]
        values = coefficient * worth[upper, some] * worth[lower, some]
        np.subtract.at(total, pairs.ravel(), values.ravel())


@dataclass(frozen=True, eq=False)
class Factor:
    """The Cholesky factor of the curvature of each order of a block, by its generators.

    All are of shape (width, n_orders). Below the diagonal, the entry (i, j) is ``worth[i] * alike[j]`` where the two
    are on one level and ``worth[i] * apart[j]`` elsewhere.
    """

    diagonal: Floats
    worth: Floats
    alike: Floats
    apart: Floats

    def times(self, values: Floats, block: Block) -> Floats:
        """Return the factor times ``values``, order by order."""
        earlier = running(self.apart * values) - self.apart * values
        if block.ties is not None:
            n_orders = values.shape[1]
            own = running(self.alike * values) - self.alike * values
            first = block.ties.first // n_orders, block.ties.first % n_orders
            earlier = earlier[first] + own - own[first]
        return self.diagonal * values + self.worth * earlier


def _factor(block: Block, worth: Floats, below: Floats, expected: Floats) -> Factor:
    """Factor the curvature of each order in time of its length.

    Off the diagonal the curvature is −worth[i] worth[j] c[j] for i below j, with one c for members of the
    level of j and another for all lower ones. Elimination keeps that form, so that each position needs only three
    sums over those above it.
    """
    squares = block.weight / below**2
    apart, alike = block.above(squares), block.above(squares, power=2)
    diagonal, own, lower = np.zeros((3, *worth.shape))
    both, across, beyond = np.zeros((3, worth.shape[1]))
    for j, (size, pivot) in enumerate(zip(worth, expected - worth**2 * alike, strict=True)):
        new = True if block.ties is None or j == 0 else block.ties.level[j] != block.ties.level[j - 1]
        both, across = np.where(new, beyond, both), np.where(new, beyond, across)
        rest = pivot - size**2 * both
        # An order determines worth up to a constant, so that its last pivot is 0 up to rounding.
        sound = rest > _ROUNDING * pivot
        root = np.sqrt(np.where(sound, rest, 1.0))
        diagonal[j] = np.where(sound, root, 0.0)
        own[j] = np.where(sound, -size * (alike[j] + both) / root, 0.0)
        lower[j] = np.where(sound, -size * (apart[j] + across) / root, 0.0)
        both, across, beyond = both + own[j] ** 2, across + own[j] * lower[j], beyond + lower[j] ** 2
    return Factor(diagonal, worth, own, lower)
