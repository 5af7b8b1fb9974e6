"""Run query selection against simulated judges until a goal is reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from penchant.ask import settled
from penchant.ask.remaining_answers import worst_miss
from penchant.belief import OnlineBelief
from penchant.checks import Floats
from penchant.errors import InvalidInput
from penchant.simulate.asking_rules import AskingRule
from penchant.simulate.judges import ProbitJudge

Goal = Callable[[OnlineBelief, int], bool]
"""A function of the belief and the number of answers that returns whether the goal is reached."""


@dataclass(frozen=True, eq=False)
class Asked:
    """How a run of questions ended.

    Attributes
    ----------
    questions : int
        How many were asked.
    reached : bool
        Whether the goal was reached; otherwise the questions ran out.
    order : tuple of int
        The items in the order of their means, best first.

    Examples
    --------
    >>> Asked(questions=34, reached=True, order=(2, 0, 1)).order
    (2, 0, 1)
    """

    questions: int
    reached: bool
    order: tuple[int, ...]


def ask_until(
    goal: Goal,
    rule: AskingRule,
    belief: OnlineBelief,
    judges: Sequence[ProbitJudge],
    *,
    most: int = 10_000,
    seed: int = 0,
) -> Asked:
    """Ask judges in turn until the goal is reached.

    Sides are random for the first question about a pair, and swapped each time it is repeated.

    Parameters
    ----------
    goal : callable
        `KendallReached` or `TopSettled`, or any function of the belief and the number of answers.
    rule : AskingRule
    belief : OnlineBelief
    judges : sequence of ProbitJudge
    most : int
        The most questions.
    seed : int

    Examples
    --------
    >>> from penchant.simulate import ByWorth, KendallReached, ProbitJudge, Propagated
    >>> utility = np.linspace(3, -3, 8)
    >>> judge = ProbitJudge(utility, noise=0.5**0.5, seed=2)
    >>> ended = ask_until(KendallReached(utility, 0.9), ByWorth(), Propagated(8), [judge])
    >>> ended.reached
    True
    """
    if not judges or most < 1:
        raise InvalidInput(f"asking needs judges and questions, got {len(judges)} and {most}: give some")
    random = np.random.default_rng(seed)
    shown: dict[tuple[int, int], tuple[int, int]] = {}
    asked, enough = 0, False
    while asked < most and not enough:
        for first, second in rule.pairs(belief, int(random.integers(2**62))):
            pair = min(first, second), max(first, second)
            left, right = shown[pair][::-1] if pair in shown else random.permutation(pair).tolist()
            shown[pair] = left, right
            won = judges[asked % len(judges)].prefers_left(left, right)
            better, worse = (left, right) if won else (right, left)
            belief.update(better, worse)
            rule.hear(better, worse)
            asked += 1
            enough = goal(belief, asked)
            if enough or asked == most:
                break
    return Asked(asked, enough, tuple(np.argsort(-belief.mean, kind="stable").tolist()))


class KendallReached:
    """Whether the order of the means has this Kendall correlation with the true one, in which no two are equal.

    Examples
    --------
    >>> from penchant.simulate import ByWorth, ProbitJudge, Propagated
    >>> utility = np.linspace(3, -3, 5)
    >>> judge = ProbitJudge(utility, noise=0.1, seed=2)
    >>> ask_until(KendallReached(utility, 0.9), ByWorth(), Propagated(5), [judge]).reached
    True
    """

    def __init__(self, utility: Floats, least: float = 0.9) -> None:
        self.least = least
        self._first, self._second = np.triu_indices(len(utility), k=1)
        self._truth = np.sign(utility[self._first] - utility[self._second])

    def __call__(self, belief: OnlineBelief, asked: int) -> bool:
        """Return whether the correlation is reached."""
        order = np.sign(belief.mean[self._first] - belief.mean[self._second])
        return float(order @ self._truth) >= self.least * len(order)


class TopSettled:
    """Whether the top (None: the whole order) is settled by the belief, after a full refresh.

    It is evaluated whenever the answers have grown by ``growth``, from one answer an item on.

    Examples
    --------
    >>> from penchant.simulate import ByWorth, ProbitJudge, Propagated
    >>> utility = np.linspace(3, -3, 5)
    >>> ask_until(TopSettled(1), ByWorth(), Propagated(5), [ProbitJudge(utility, noise=0.1, seed=2)]).order[0]
    0
    """

    def __init__(
        self, top: int | None, *, level: float = 0.95, width: float | None = None, growth: float = 0.05
    ) -> None:
        self.top, self.level, self.width, self.growth = top, level, width, growth
        self._next = 0

    def __call__(self, belief: OnlineBelief, asked: int) -> bool:
        """Evaluate the belief when it is due."""
        if asked < max(self._next, len(belief.mean)):
            return False
        self._next = max(asked + 1, int(asked * (1 + self.growth)))
        belief.refresh()
        return settled(
            belief,
            goal="exact" if self.top is None else "top",
            top=self.top,
            level=self.level,
            width=self.width,
            draws=2000,
            seed=asked,
            remaining=False,
        ).enough


def is_right(order: Sequence[int], utility: Floats, *, top: int | None = None, width: float) -> bool:
    """Return whether an order, or the set of its first ``top`` items, is right up to ties.

    Examples
    --------
    >>> is_right([0, 2, 1], np.array([3.0, 2.1, 2.0]), width=0.2)
    True
    """
    return bool(worst_miss(np.asarray(utility)[list(order)][None, :], top)[0] <= width)
