"""Step three: when it is enough. A belief about scores in; how sure the order is, and how many answers are left, out.

Two items that lie within an indifference width of one another count as tied: without one, equal items would have
to be asked about for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from penchant.ask.belief import Belief, Drawable, variance_of
from penchant.ask.foreseen import Foreseen
from penchant.ask.rules import check_top
from penchant.checks import Floats, Ints, shown
from penchant.errors import InvalidInput
from penchant.schema import Maybe, Number, Schema, TupleOf, Whole
from penchant.threads import one_thread
from penchant.worth.roots import root_of

MOST_ITEMS = 2000
"""Up to this many items are drawn together."""
WIDEST = 5
"""A range of answers left that spans more than this factor says too little to be shown."""
EQUAL_ENOUGH = 0.6
"""Two items are as good as tied when the better one gets fewer than this share of the answers."""


@dataclass(frozen=True)
class Settled:
    """How sure it is that the top, or the whole order, is right up to ties.

    Attributes
    ----------
    probability : float
    error : float
        The standard error of the probability, which comes from draws.
    level : float
        How sure one wants to be.
    left : int
        About how many answers more that takes; 0 when it is settled.
    left_range : (int, int)
        Between these with a probability of about 0.9, as simulations showed.
    top : int or None
        How many items are meant; None is the whole order.
    width : float
        Scores that differ by less count as tied.
    """

    __saved__: ClassVar = Schema(
        {
            "probability": Number(0, 1),
            "error": Number(0),
            "level": Number(0, 1),
            "left": Whole(0),
            "left_range": TupleOf(Whole(0), 2),
            "top": Maybe(Whole(1)),
            "width": Number(0),
        }
    )

    probability: float
    error: float
    level: float
    left: int
    left_range: tuple[int, int]
    top: int | None
    width: float

    @property
    def enough(self) -> bool:
        """Whether it is settled: the probability reaches the level by more than its standard error."""
        return self.probability - self.error >= self.level

    def __str__(self) -> str:
        what = "the order" if self.top is None else "the best" if self.top == 1 else f"the top {self.top}"
        sure = f"{what} is {self.probability:.0%} sure"
        if self.enough:
            return f"{sure}: it is enough"
        fewest, most = self.left_range
        if most > WIDEST * fewest:
            far = self.probability < 0.5
            return f"{sure}: {'far from settled' if far else 'not settled yet, and not clear how soon'}"
        return f"{sure}: about {self.left} more answers ({fewest} to {most}) for {self.level:.0%}"


def settled(
    belief: Belief,
    *,
    top: int | None = None,
    order: ArrayLike | None = None,
    noise: float = 1.0,
    width: float | None = None,
    level: float = 0.95,
    draws: int = 4000,
    seed: int = 0,
) -> Settled:
    """Return how sure the believed order is, and about how many answers more would settle it.

    The probability is the share of joint draws from the belief in which no item of the believed top k lies
    more than ``width`` below one that is not (for the whole order: below one that is believed to be worse). It is
    as honest as the belief. Looking often does no harm to it, but a prior that is too narrow or too wide does,
    and so do the shortcuts of incremental updates: call ``tune()`` of a `LinkedGP`, which ends with a full
    refresh, before this.

    Parameters
    ----------
    belief : Belief
    top : int, optional
        How many items are to be found; None: the whole order.
    order : int array-like of shape (n_items,), optional
        The order that is meant, best first, where it is not that of the means.
    noise : float
        The sd of the rating noise on each item, as in `next_pair`.
    width : float, optional
        The indifference width, in units of the scores. Default: that at which the better one of two items
        gets 60 % of the answers.
    level : float
        How sure one wants to be.
    draws, seed : int

    Examples
    --------
    >>> from penchant.gp import LinkedGP
    >>> model = LinkedGP(scale=3.0).fit(n_items=3).update([0, 1], [1, 2])
    >>> found = settled(model, top=1, noise=0.5**0.5)
    >>> found.enough, round(found.probability, 1)
    (False, 0.8)
    """
    _check(len(belief.mean), top, width, level, draws)
    now = _drawn(belief, top, order, noise, width, draws, seed)
    left, fewest, most = 0, 0, 0
    if now.probability - now.error < level:
        # The estimate was adjusted to normal beliefs. In a mixture, scales that more answers rule out weigh too much.
        foreseen = _drawn(belief, top, order, noise, width, draws, seed, normal=True)
        left, fewest, most = foreseen.answers_left(level)
    return Settled(now.probability, now.error, level, left, (fewest, most), top, now.width)


def is_settled(
    belief: Belief,
    *,
    top: int | None = None,
    noise: float = 1.0,
    width: float | None = None,
    level: float = 0.95,
    draws: int = 4000,
    seed: int = 0,
) -> bool:
    """Return what `settled` says of ``enough``, without working out how many answers are left."""
    _check(len(belief.mean), top, width, level, draws)
    now = _drawn(belief, top, None, noise, width, draws, seed)
    return now.probability - now.error >= level


def _drawn(
    belief: Belief,
    top: int | None,
    order: ArrayLike | None,
    noise: float,
    width: float | None,
    draws: int,
    seed: int,
    *,
    normal: bool = False,
) -> Foreseen:
    """Draw the scores of the items in their order; if ``normal``, by their covariance in any case."""
    mean, noise_sd = belief.mean, float(np.sqrt(2) * noise)
    rows = _contenders(belief, mean, top, _checked_order(order, mean))
    apart = _usual_width(noise_sd) if width is None else float(width)
    with one_thread():
        deviations = _deviations(belief, rows, draws, seed, normal=normal)
    return Foreseen(mean[rows], deviations, top, apart, noise_sd)


def _usual_width(noise_sd: float) -> float:
    from scipy.special import ndtri

    return float(noise_sd * ndtri(EQUAL_ENOUGH))


def _checked_order(order: ArrayLike | None, mean: Floats) -> Ints:
    if order is None:
        return np.argsort(-mean, kind="stable")
    given = np.asarray(order)
    if given.shape != mean.shape or (np.sort(given) != np.arange(len(mean))).any():
        raise InvalidInput(
            f"order must hold each of the {len(mean)} items once, got {shown(order)}: correct it"
        )
    return given.astype(np.int64)


def _contenders(belief: Belief, mean: Floats, top: int | None, order: Ints) -> Ints:
    """Return the items in their order; of very many, the top and those that may reach it."""
    if len(order) <= MOST_ITEMS:
        return order
    if top is None or top >= MOST_ITEMS:
        raise InvalidInput(
            f"the whole order of {len(order):,} items is too much to draw: give top, below {MOST_ITEMS:,}"
        )
    reach = mean + 4 * np.sqrt(variance_of(belief))
    reach[order[:top]] = np.inf
    kept = np.zeros(len(order), dtype=bool)
    kept[np.argsort(-reach, kind="stable")[:MOST_ITEMS]] = True
    return order[kept[order]]


def _deviations(belief: Belief, rows: Ints, draws: int, seed: int, *, normal: bool) -> Floats:
    """Draw scores around their means together, shape (draws, len(rows)); from a normal belief by its covariance."""
    if isinstance(belief, Drawable) and not normal:
        drawn: Floats = belief.sample(draws, seed, rows=rows) - belief.mean[rows]
        return drawn
    covariance = belief.covariance(rows, rows)
    # What sums to 0 is singular up to rounding.
    rounding = 1e-10 * covariance.diagonal().mean() + np.finfo(np.float64).tiny
    try:
        root: Floats = np.linalg.cholesky(covariance + rounding * np.eye(len(rows)))
    except np.linalg.LinAlgError:
        root = root_of(covariance)
    noise = np.random.default_rng(seed).standard_normal((draws, root.shape[1]))
    deviations: Floats = noise @ root.T
    return deviations


def _check(n_items: int, top: int | None, width: float | None, level: float, draws: int) -> None:
    if n_items < 2:
        raise InvalidInput(f"an order needs at least 2 items, got {n_items}: add some")
    check_top(top, n_items)
    if width is not None and not 0 <= width < np.inf:
        raise InvalidInput(
            f"width must be at least 0 and finite, got {width}: leave it out for the usual one"
        )
    if not 0 < level < 1:
        raise InvalidInput(f"level must be between 0 and 1, got {level}: use 0.95, for instance")
    if draws < 1:
        raise InvalidInput(f"draws must be at least 1, got {draws}: 4000 is usual")
