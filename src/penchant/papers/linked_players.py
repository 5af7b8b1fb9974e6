"""Who plays in paper 5: what is believed, and what is asked. Items, true utilities and a seed in; precision out.

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
from penchant.papers.linked_sets import Items
from penchant.simulate import DenseBelief, DiagonalPropagated, GlickoRated, ProbitBelief

Knows = Literal["features", "links", "both", "nothing"]
Learns = Literal["step by step", "all anew", "variances only", "Glicko"]
NUGGET = 0.3
_NO_LINKS = np.empty((0, 0))


@dataclass(frozen=True)
class Player:
    """A model and a way to ask.

    Attributes
    ----------
    knows : {"features", "links", "both", "nothing"}
        What its prior is made of; nothing is K = I.
    tau : float or None
        Of the largest expected loss; None asks at random.
    nugget : float
        The variance of what each item has for itself.
    learns : {"step by step", "all anew", "variances only", "Glicko"}
        The incremental step, full expectation propagation after each answer, the incremental step without
        covariances, or Glickman's update; the last two know nothing.
    """

    knows: Knows = "both"
    tau: float | None = 1.0
    nugget: float = 0.0
    learns: Learns = "step by step"

    def belief(self, items: Items, priors: Mapping[Knows, Floats]) -> ProbitBelief:
        """Return what is believed before the first answer."""
        if self.learns == "Glicko":
            return GlickoRated(len(items))
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
"""Those of Figure 2; the first is the paper's AXPGP."""


class FullBelief(DenseBelief):
    """All answers worked out anew after each one, by full expectation propagation."""

    def __init__(self, prior: Floats) -> None:
        from penchant.gp import LinkedGP

        super().__init__(prior)
        self._model = LinkedGP().fit(covariance=prior)

    def _update(self, better: int, worse: int) -> None:
        """Learn one answer and infer the posterior from all of them anew."""
        self._model.update(better, worse).refresh()
        self.mean, self._covariance = self._model.mean, self._model.covariance()


@dataclass(frozen=True, eq=False)
class Followed:
    """What one player reached on one set of items.

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
    >>> from penchant.papers.linked_sets import collection
    >>> query = collection("letor2-ohsumed", size="quick").queries[0]
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
    belief, asked = player.belief(items, priors), _Asked(items.starts)
    precision, times, spent, learning = [items.precision(belief.mean)], [(0.0, 0.0)], 0.0, 0.0
    for question in range(1, questions + 1):
        began = process_time()
        one, other = asked.choose(belief, player.tau if question > 1 else None, random)
        better, worse = (one, other) if utility[one] > utility[other] else (other, one)
        chosen = process_time()
        belief.update(better, worse)
        done = process_time()
        spent, learning = spent + done - began, learning + done - chosen
        if question % every == 0:
            precision.append(items.precision(belief.mean))
            times.append((spent, learning))
    seconds, of_them = np.array(times).T
    return Followed(np.array(precision), seconds, of_them)


class _Asked:
    """Which pairs were asked, and which comes next."""

    def __init__(self, starts: Ints) -> None:
        sizes = np.diff(starts)
        self._starts, self._each = starts, sizes * (sizes - 1) // 2
        self._seen = np.zeros((starts[-1], starts[-1]), dtype=np.uint8)
        self._left = int(self._each.sum())

    def choose(self, belief: ProbitBelief, tau: float | None, random: np.random.Generator) -> tuple[int, int]:
        """Return a pair that was not asked yet, at random where ``tau`` is None; when none is left, all are."""
        if not self._left:
            self._seen[:] = 0
            self._left = int(self._each.sum())
        i, j = self._at_random(random) if tau is None else self._by_loss(belief, tau)
        self._seen[i, j] = self._seen[j, i] = 1
        self._left -= 1
        return i, j

    def _by_loss(self, belief: ProbitBelief, tau: float) -> tuple[int, int]:
        from penchant.papers.linked_kernels import largest_loss

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
