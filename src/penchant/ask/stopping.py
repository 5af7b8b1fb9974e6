"""Stopping rules: the expected quality of the order of the means, and the estimated number of remaining answers.

A goal is a number computed from joint draws of the scores, and the level that it has to reach. Two items within an
indifference width of one another count as tied: without one, equal items would need answers for ever.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from penchant.ask.remaining_answers import RemainingAnswers
from penchant.ask.value import check_top, indifference_width
from penchant.belief import Belief, Moments, deviations, noise_of, to_choose_by, upper_variance
from penchant.checks import Floats, Ints, check_level, check_number, one_of, shown, whole
from penchant.errors import InvalidInput
from penchant.linalg import draw_normal
from penchant.schema import Flag, Maybe, Number, OneOf, Schema, TupleOf, Whole
from penchant.threads import one_thread

MOST_ITEMS = 2000
"""Up to this many items are drawn together."""
WIDEST = 5
"""A range of answers left that spans more than this factor says too little to be shown."""
_LEAST_DRAWS = 10
MARGIN = 2.0
"""By how many standard errors of the draws the value must exceed the level."""
GROWTH = 0.05
"""Between two evaluations of a stopping rule, the answers grow by this share."""
GOALS = {"order": 0.9, "exact": 0.95, "top": 0.95}
"""The goals and their usual levels."""


@dataclass(frozen=True)
class Settled:
    """How near a ranking is to its goal.

    Attributes
    ----------
    goal : {"order", "exact", "top"}
        "order": the expected Kendall correlation of the order of the means with the true one. "exact": the probability
        that the whole order is right. "top": the probability that the first ``top`` items are. Pairs of items that
        differ by less than ``width`` are right either way round.
    value : float
        The correlation or probability.
    error : float
        Its standard error, since it comes from draws.
    level : float
        The level that it has to reach.
    left : int
        The estimated number of answers until then; 0 when it is settled, or not estimated.
    left_range : (int, int)
        An interval of about 90 % for ``left``, as simulations showed.
    top : int or None
        How many items are to be found; None is the whole order.
    width : float
        Scores that differ by less count as tied.
    answers : int or None
        The number of answers that the belief has learned; None where it is not known.
    only_ties : bool
        Whether all of them are ties. These leave it open how far apart two items may be and still be called equal, so
        that more of them do not settle anything, and ``left`` is not estimated.

    Examples
    --------
    >>> from penchant.gp import LinkedGP
    >>> found = settled(LinkedGP(scale=3.0).fit(n_items=3).update([0, 1] * 9, [1, 2] * 9), top=1)
    >>> found.goal, found.enough, round(found.value, 2) >= found.level
    ('top', True, True)
    >>> print(found)
    the best is 99 % sure: it is enough
    """

    __saved__: ClassVar = Schema(
        {
            "goal": OneOf(tuple(GOALS)),
            "value": Number(-1, 1),
            "error": Number(0),
            "level": Number(0, 1),
            "left": Whole(0),
            "left_range": TupleOf(Whole(0), 2),
            "top": Maybe(Whole(1)),
            "width": Number(0),
        },
        optional={"answers": Maybe(Whole(0)), "only_ties": Flag()},
    )

    goal: str
    value: float
    error: float
    level: float
    left: int
    left_range: tuple[int, int]
    top: int | None
    width: float
    answers: int | None = None
    only_ties: bool = False

    @property
    def enough(self) -> bool:
        """Whether it is settled: the value reaches the level by more than two standard errors.

        The rule is evaluated many times, and one favourable set of draws must not end the questions.
        """
        return self.value - MARGIN * self.error >= self.level

    @property
    def estimate(self) -> str:
        """The value in words."""
        if self.goal == "order":
            return (
                f"{_percent((1 + self.value) / 2)} of pairs are expected in the right order or nearly equal"
            )
        what = "the order" if self.top is None else "the best" if self.top == 1 else f"the top {self.top}"
        return f"{what} is {_percent(self.value)} sure"

    def __str__(self) -> str:
        sure = self.estimate
        wanted = _percent((1 + self.level) / 2 if self.goal == "order" else self.level)
        if self.enough:
            return f"{sure}: it is enough"
        if self.value >= self.level:
            return f"{sure}: on the border of enough, a few more answers will tell"
        if self.only_ties:
            why = "all answers are ties, which do not show how far apart items are"
            return f"{sure}, {wanted} is enough: {why}; decided answers would"
        fewest, most = self.left_range
        if not most:
            return f"{sure}, {wanted} is enough: not settled yet"
        if most > WIDEST * fewest:
            far = self.value < self.level / 2
            how = "far from settled" if far else "not settled yet, and not clear how soon"
            return f"{sure}, {wanted} is enough: {how}"
        return f"{sure}: about {self.left} more answers ({fewest} to {most}) for {wanted}"


def _percent(share: float) -> str:
    """Return a share in whole percent, rounded down, so that a level is never shown before it is reached."""
    return f"{int(100 * share + 1e-9)} %"


def settled(
    belief: Belief,
    *,
    goal: str | None = None,
    top: int | None = None,
    order: ArrayLike | None = None,
    noise: float | None = None,
    width: float | None = None,
    level: float | None = None,
    draws: int = 4000,
    seed: int = 0,
    remaining: bool = True,
    answers: int | None = None,
) -> Settled:
    """Return how near the order of the means is to a goal, and the estimated number of answers until it is reached.

    It is as well calibrated as the belief. Evaluating it often does no harm, but a prior that is too narrow or too wide
    does, and so do the approximations of incremental updates: a `BradleyTerry` learns its prior; call ``tune()`` of a
    `LinkedGP`, which ends with a full refresh, before this.

    Parameters
    ----------
    belief : Belief
    goal : {"order", "exact", "top"}, optional
        "order": an expected Kendall correlation with the true order. "exact": that the whole order is right. "top":
        that the first ``top`` items are. Default: "top" where ``top`` is given, else "order".
    top : int, optional
        How many items are to be found.
    order : int array-like of shape (n_items,), optional
        The order to evaluate, best first; by default that of the means.
    noise : float, optional
        The sd of the rating noise on each item, as in `next_pair`. Default: ``belief.noise_``.
    width : float, optional
        The indifference width, in units of the scores: pairs that differ by less are right either way round. Default:
        that at which the better one of two items gets 60 % of the answers.
    level : float, optional
        The level to reach. Default: a correlation of 0.9, a probability of 0.95.
    draws, seed : int
    remaining : bool
        Whether to estimate how many answers are left, which takes most of the time.
    answers : int, optional
        The number of answers that the belief has learned. Default: half of the sum of ``belief.counts_``, rounded.

    Examples
    --------
    >>> from penchant.gp import LinkedGP
    >>> model = LinkedGP(scale=3.0).fit(n_items=3).update([0, 1], [1, 2])
    >>> found = settled(model, top=1)
    >>> found.enough, round(found.value, 1)
    (False, 0.8)
    >>> round(settled(model).value, 1)
    0.8
    """
    noise = noise_of(belief) if noise is None else noise
    wanted, reached = _check(len(belief.mean), goal, top, noise, width, level, draws)
    rows = _contenders(belief, top, _checked_order(order, belief.mean))
    noise_sd = float(np.sqrt(2) * noise)
    apart = indifference_width(noise_sd) if width is None else float(width)
    task = partial(RemainingAnswers, goal=wanted, top=top, width=apart, noise_sd=noise_sd)
    mean = belief.mean[rows]
    with one_thread():
        now = task(mean, deviations(belief, rows, draws, seed))
    known = _answers_of(belief) if answers is None else whole("answers", answers, 0)
    only_ties = bool(getattr(belief, "only_ties_", False))
    found = Settled(wanted, now.value, now.error, reached, 0, (0, 0), top, apart, known, only_ties)
    if found.enough or only_ties or not remaining:
        return found
    # The estimate was fitted to normal beliefs. In a mixture, scales that more answers rule out weigh too much.
    component = to_choose_by(belief)
    rows = _contenders(component, top, _checked_order(order, component.mean))
    with one_thread():
        around = draw_normal(component.covariance(rows, rows), draws, seed)
    left, fewest, most = task(component.mean[rows], around).answers_left(reached)
    return replace(found, left=left, left_range=(fewest, most))


def _answers_of(belief: Belief) -> int | None:
    """Return the number of answers of a belief that counts them."""
    counts = getattr(belief, "counts_", None)
    return None if counts is None else round(float(np.sum(counts)) / 2)


def _checked_order(order: ArrayLike | None, mean: Floats) -> Ints:
    if order is None:
        return np.argsort(-mean, kind="stable")
    given = np.asarray(order)
    if given.shape != mean.shape or (np.sort(given) != np.arange(len(mean))).any():
        raise InvalidInput(
            f"order must hold each of the {len(mean)} items once, got {shown(order)}: correct it"
        )
    return given.astype(np.int64)


def _contenders(belief: Moments, top: int | None, order: Ints) -> Ints:
    """Return the items in their order; of very many, the top and those that may reach it."""
    if len(order) <= MOST_ITEMS:
        return order
    if top is None or top >= MOST_ITEMS:
        raise InvalidInput(
            f"the whole order of {len(order):,} items is too much to draw: give top, below {MOST_ITEMS:,}"
        )
    reach = belief.mean + 4 * np.sqrt(upper_variance(belief))
    reach[order[:top]] = np.inf
    kept = np.zeros(len(order), dtype=bool)
    kept[np.argsort(-reach, kind="stable")[:MOST_ITEMS]] = True
    return order[kept[order]]


def _check(
    n_items: int,
    goal: str | None,
    top: int | None,
    noise: float,
    width: float | None,
    level: float | None,
    draws: int,
) -> tuple[str, float]:
    """Return the goal and its level."""
    if n_items < 2:
        raise InvalidInput(f"an order needs at least 2 items, got {n_items}: add some")
    check_top(top, n_items)
    wanted = ("order" if top is None else "top") if goal is None else goal
    one_of("goal", wanted, GOALS)
    if (wanted == "top") != (top is not None):
        raise InvalidInput(
            f"top must be given with the goal 'top' and no other, got {top} with {wanted!r}: correct it"
        )
    if width is not None:
        check_number("width", width, least=0, remedy="leave it out for the usual one")
    whole("draws", draws, _LEAST_DRAWS, remedy="4000 is usual")
    check_number("noise", noise, above=0, remedy="1 is usual")
    return wanted, check_level(GOALS[wanted] if level is None else level, usual=GOALS[wanted])


def last_look(n_items: int, n_answers: int) -> int:
    """Return the number of answers at which a stopping rule that is evaluated now and then was evaluated last.

    The first time is at one answer an item (0 before), and then each time the answers have grown by a twentieth: the
    result depends on the answers alone, and costs little on the whole.

    Examples
    --------
    >>> last_look(40, 39), last_look(40, 41), last_look(40, 43)
    (0, 40, 42)
    """
    if n_answers < n_items:
        return 0
    look = n_items
    while (later := max(look + 1, int(look * (1 + GROWTH)))) <= n_answers:
        look = later
    return look
