"""The players of paper 5, each a belief and a rule that chooses questions, and their precision by questions.

Answers follow the true utilities without error. Items are shuffled by the seed of the repetition first, so that ties,
which go to the smallest index, are broken by it. The first pair is random; no pair comes twice before all were asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import process_time
from typing import Literal

import numpy as np

from penchant.checks import Floats, Ints
from penchant.papers.linked.sets import Items
from penchant.simulate import DenseBelief, DiagonalPropagated, GlickoRated, ProbitBelief

Knows = Literal["features", "links", "both", "nothing"]
Learns = Literal["step by step", "all anew", "variances only", "Glicko"]
NUGGET = 0.3
LOGIT = 1.7
"""Of Glicko's ratings, so that an answer's noise is about 1 as in the other models."""
_NO_LINKS = np.empty((0, 0))


@dataclass(frozen=True)
class Player:
    """A model and a rule that chooses questions.

    Attributes
    ----------
    knows : {"features", "links", "both", "nothing"}
        The information in the prior covariance; nothing is K = I.
    tau : float or None
        τ of the largest expected loss; None chooses pairs at random.
    nugget : float
        The variance of an independent part of each item's utility.
    learns : {"step by step", "all anew", "variances only", "Glicko"}
        The incremental step, full expectation propagation after each answer, the incremental step without
        covariances, or Glickman's update; the last two use no prior information.
    """

    knows: Knows = "both"
    tau: float | None = 1.0
    nugget: float = 0.0
    learns: Learns = "step by step"

    def belief(self, items: Items, priors: Mapping[Knows, Floats]) -> ProbitBelief:
        """Return the belief before the first answer."""
        if self.learns == "Glicko":
            return CompiledGlicko(len(items))
        if self.learns == "variances only":
            return DiagonalPropagated(len(items))
        prior = priors[self.knows] + self.nugget * np.eye(len(items))
        return DenseBelief(prior) if self.learns == "step by step" else FullBelief(prior)


ACTIVE = "features and links"
PLAYERS = {
    ACTIVE: Player(),
    "features": Player("features"),
    "links": Player("links"),
    "Glicko": Player("nothing", learns="Glicko"),
    "K = I": Player("nothing"),
    "diagonal EP": Player("nothing", learns="variances only"),
    "random pairs": Player(tau=None),
    "features, random pairs": Player("features", tau=None),
    "τ = 20": Player(tau=20.0),
    "nugget": Player(nugget=NUGGET),
    "nugget, τ = 20": Player(nugget=NUGGET, tau=20.0),
    "nugget, random pairs": Player(nugget=NUGGET, tau=None),
}
"""The players of Figure 2; the first is the paper's AXPGP."""


class CompiledGlicko(GlickoRated):
    """`GlickoRated` with a compiled update, so that its CPU time can stand beside that of compiled steps."""

    def _update(self, better: int, worse: int) -> None:
        """Update both ratings by one game."""
        from penchant.papers.linked.kernels import rate

        rate(self.mean, self._variance, better, worse, LOGIT)


class FullBelief(DenseBelief):
    """Full expectation propagation over all answers after each one."""

    def __init__(self, prior: Floats) -> None:
        from penchant.gp import LinkedGP

        super().__init__(prior)
        self._model = LinkedGP().fit(covariance=prior)

    def _update(self, better: int, worse: int) -> None:
        """Add an answer and run expectation propagation over all of them."""
        self._model.update(better, worse).refresh()
        self.mean, self._covariance = self._model.mean, self._model.covariance()


@dataclass(frozen=True, eq=False)
class Followed:
    """The precision and CPU time of one player on one set of items.

    Attributes
    ----------
    precision : array of shape (points, queries)
        Average precision of each query after 0, ``every``, 2 · ``every`` … questions.
    seconds, learning : array of shape (points,)
        CPU time of all steps until then, and of learning alone, without choosing.
    """

    precision: Floats
    seconds: Floats
    learning: Floats


def follow(
    players: Mapping[str, Player], items: Items, *, questions: int, every: int, seed: tuple[int, ...]
) -> dict[str, Followed]:
    """Let players ask about the same items with the same true utilities, grade + U(−0.5, 0.5).

    Parameters
    ----------
    players : dict of name → Player
    items : Items
    questions, every : int
        How many are asked, and after how many the order is looked at.
    seed : tuple of int
        Of the repetition.

    Examples
    --------
    >>> from penchant.papers.linked.sets import collection
    >>> from penchant.papers.run import Run
    >>> query = collection("letor2-ohsumed", Run(size="quick")).queries[0]
    >>> found = follow({"Glicko": PLAYERS["Glicko"]}, query, questions=20, every=10, seed=(0,))
    >>> found["Glicko"].precision.shape
    (3, 1)
    """
    random = np.random.default_rng(seed)
    shuffled = items.shuffled(random)
    utility = shuffled.grades + random.uniform(-0.5, 0.5, len(shuffled))
    needed = sorted({player.knows for player in players.values()})
    priors = {knows: shuffled.prior(knows) for knows in needed}
    asking = random.integers(2**62)
    return {
        name: _followed(player, shuffled, priors, utility, questions, every, np.random.default_rng(asking))
        for name, player in players.items()
    }


def _followed(
    player: Player,
    items: Items,
    priors: Mapping[Knows, Floats],
    utility: Floats,
    questions: int,
    every: int,
    random: np.random.Generator,
) -> Followed:
    belief, asked = player.belief(items, priors), Asked(items.starts)
    precision, times, spent, learning = [items.precision(belief.mean)], [(0.0, 0.0)], 0.0, 0.0
    for question in range(1, questions + 1):
        began = process_time()
        first, second = asked.choose(belief, player.tau if question > 1 else None, random)
        better, worse = (first, second) if utility[first] > utility[second] else (second, first)
        chosen = process_time()
        belief.update(better, worse)
        done = process_time()
        spent, learning = spent + done - began, learning + done - chosen
        if question % every == 0:
            precision.append(items.precision(belief.mean))
            times.append((spent, learning))
    seconds, of_them = np.array(times).T
    return Followed(np.array(precision), seconds, of_them)


class Asked:
    """The pairs that were asked, and the choice of the next."""

    def __init__(self, starts: Ints) -> None:
        sizes = np.diff(starts)
        self._starts, self._each = starts, sizes * (sizes - 1) // 2
        self._seen = np.zeros((starts[-1], starts[-1]), dtype=np.uint8)
        self._left = int(self._each.sum())

    def choose(self, belief: ProbitBelief, tau: float | None, random: np.random.Generator) -> tuple[int, int]:
        """Return a pair that was not asked yet, at random if ``tau`` is None; after all pairs start again."""
        if not self._left:
            self._seen[:] = 0
            self._left = int(self._each.sum())
        i, j = self._at_random(random) if tau is None else self._by_loss(belief, tau)
        self._seen[i, j] = self._seen[j, i] = 1
        self._left -= 1
        return i, j

    def _by_loss(self, belief: ProbitBelief, tau: float) -> tuple[int, int]:
        from penchant.papers.linked.kernels import largest_loss

        covariance = belief.covariance() if isinstance(belief, DenseBelief) else _NO_LINKS
        return largest_loss(belief.mean, belief.variance(), covariance, self._seen, self._starts, tau)

    def _at_random(self, random: np.random.Generator) -> tuple[int, int]:
        while True:
            query = int(np.searchsorted(self._each.cumsum(), random.integers(self._each.sum()), side="right"))
            start, stop = self._starts[query : query + 2].tolist()
            i = int(random.integers(start, stop))
            j = int(random.integers(start, stop - 1))
            j += j >= i
            if not self._seen[i, j]:
                return min(i, j), max(i, j)
