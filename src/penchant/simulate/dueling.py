"""Dueling bandit gradient descent, the papers' baseline (paper 2, section 6.2.6).

A learner that compares its weights with a step in a random direction and goes that way if it wins. It presents and
learns as the coactive learners do, so that the engine plays it against any user.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, above_zero, shown, whole
from penchant.coactive import ItemMap, RankingMap
from penchant.coactive.analysis.regret import utility_regret
from penchant.coactive.learner import child_seed
from penchant.errors import InvalidInput
from penchant.orders import team_draft
from penchant.orders.ranks import check_order
from penchant.simulate.contexts import Items, refuse_other_than
from penchant.simulate.engine import Setting, play
from penchant.simulate.record import Record
from penchant.simulate.user import Deterministic, User

GAMMAS = (1.0,)
DELTAS = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
"""The grid. Weights start at 0, so that a larger γ with a δ as much larger presents the same: ratios are enough."""
ROUNDS_DRAWN = 64  # rounds whose random numbers are drawn together
COINS = 256  # of a round; a longer draft throws them again from the first


class DuelingBandit:
    """Have w and w + γu draw a ranking together, as captains draw teams, and step to w + δu if the second wins.

    u is a random direction of length 1, another in each round. The team of a document is the one whose ranking
    brought it in; the votes are the documents that the feedback puts on top, as many as count. On a tie w stays.

    Parameters
    ----------
    n_features : int
    gamma : float
        γ, how far the other weights are.
    delta : float
        δ, how far a step goes.
    feature_map : RankingMap, optional
        Its depth is the number of votes; None: five, those that count in eq. 21.
    seed : int, default 0

    References
    ----------
    Yue and Joachims, Interactively optimizing information retrieval systems as a dueling bandits problem, ICML 2009.
    Radlinski, Kurup and Joachims, How does clickthrough data reflect retrieval quality?, CIKM 2008.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    >>> bandit = DuelingBandit(2, gamma=1.0, delta=0.1, feature_map=RankingMap(1), seed=9)
    >>> presented = bandit.present(X)
    >>> presented
    array([1, 0, 2])
    >>> bandit.update(X, presented, [1, 2, 0]).weights.round(3)
    array([-0.096,  0.029])
    """

    def __init__(
        self,
        n_features: int,
        *,
        gamma: float,
        delta: float,
        feature_map: RankingMap | None = None,
        seed: int = 0,
    ) -> None:
        self.feature_map = RankingMap() if feature_map is None else feature_map
        self._start(n_features, gamma, delta, seed)

    def _start(self, n_features: int, gamma: float, delta: float, seed: int) -> None:
        self.n_features = whole("n_features", n_features, 1)
        self.gamma, self.delta = above_zero("gamma", gamma), above_zero("delta", delta)
        self.seed = whole("seed", seed, 0)
        self._weights = np.zeros(self.n_features)
        self._rounds = 0
        self._block: tuple[int, Floats, Ints] | None = None
        self._duel: tuple[Any, Any, Floats] | None = None

    @property
    def weights(self) -> Floats:
        """The weights w, shape (n_features,)."""
        return self._weights.copy()

    @property
    def rounds(self) -> int:
        """How many rounds the bandit has learned from."""
        return self._rounds

    @classmethod
    def for_setting(cls, setting: Setting, **settings: Any) -> Self:
        """Return a bandit with the features of a setting and as many votes as documents count there.

        Parameters
        ----------
        setting : Setting
        **settings
            ``gamma``, ``delta`` and ``seed``.
        """
        feature_map = getattr(setting, "feature_map", None)
        return cls(setting.n_features, feature_map=feature_map, **settings)

    def copy(self) -> Self:
        """Return a bandit in the same state, which then goes its own way."""
        return deepcopy(self)

    def seeded(self, seed: int) -> Self:
        """Return a copy whose directions and coins are those of this one's seed and of ``seed`` together."""
        other = self.copy()
        other.seed, other._duel, other._block = child_seed(self.seed, seed), None, None
        return other

    def present(self, context: Any) -> Any:
        """Return what w and w + γu bring in together; the same until the next `update`."""
        block, place = divmod(self._rounds, ROUNDS_DRAWN)
        if self._block is None or self._block[0] != block:
            self._block = block, *directions_and_coins(self.seed, block, self.n_features)
        direction, coins = self._block[1][place], self._block[2][place]
        other = self._weights + self.gamma * direction
        presented, teams = self._drawn(context, other, coins)
        self._duel = presented, teams, direction
        return presented.copy()

    def update(self, context: Any, presented: ArrayLike, feedback: Any) -> Self:
        """Step to w + δu if the feedback on what was presented last votes for w + γu."""
        if self._duel is None or not np.array_equal(presented, self._duel[0]):
            raise InvalidInput(
                f"presented must be what the bandit presented last, got {shown(presented)}: "
                "present before each update"
            )
        _, teams, direction = self._duel
        votes = self._votes(teams, feedback)
        if votes[1] > votes[0]:
            self._weights = self._weights + self.delta * direction
        self._rounds += 1
        self._duel = None
        return self

    def _drawn(self, context: Any, other: Floats, coins: Ints) -> tuple[Ints, Ints]:
        mine, theirs = (self.feature_map.argmax(weights, context) for weights in (self._weights, other))
        return team_draft(mine, theirs, np.resize(coins, -(-len(mine) // 2)).astype(bool))

    def _votes(self, teams: Ints, feedback: ArrayLike) -> Ints:
        order = check_order("feedback", feedback, length=len(teams))
        return np.bincount(teams[order[: self.feature_map.depth]], minlength=2)


class DuelingItems(DuelingBandit):
    """Have w and w + γu each name an item, and step to w + δu if the user prefers the second.

    An object is a pair of indices, which are the same if both name one item; feedback is one of the two.

    Parameters
    ----------
    n_features, gamma, delta, seed
        As of `DuelingBandit`.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    >>> bandit = DuelingItems(2, gamma=1.0, delta=0.1, seed=4)
    >>> pair = bandit.present(X)
    >>> pair, bandit.update(X, pair, 1).weights.round(3)
    (array([0, 1]), array([-0.097, -0.026]))
    """

    shown_together = 2

    def __init__(self, n_features: int, *, gamma: float, delta: float, seed: int = 0) -> None:
        self._items = ItemMap()
        self._start(n_features, gamma, delta, seed)

    @classmethod
    def for_setting(cls, setting: Setting, **settings: Any) -> Self:
        """Return a bandit with the features of a setting."""
        return cls(setting.n_features, **settings)

    def _drawn(self, context: Any, other: Floats, coins: Ints) -> tuple[Ints, Ints]:
        pair = np.array([self._items.argmax(weights, context) for weights in (self._weights, other)])
        return pair, pair

    def _votes(self, teams: Ints, feedback: Any) -> Ints:
        votes: Ints = (teams == feedback).astype(np.int64)
        if not votes.any():
            raise InvalidInput(f"feedback must be one of {teams.tolist()}, got {shown(feedback)}: name one")
        return votes


def directions_and_coins(seed: int, block: int, n_features: int) -> tuple[Floats, Ints]:
    """Return the directions, each of length 1, and the coins of a block of rounds, a row for each of them.

    Examples
    --------
    >>> directions, coins = directions_and_coins(0, 0, 3)
    >>> directions.shape, coins.shape, sorted(set(coins.ravel().tolist()))
    ((64, 3), (64, 256), [0, 1])
    """
    random = np.random.default_rng((seed, block))
    directions = random.standard_normal((ROUNDS_DRAWN, n_features))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    coins = np.unpackbits(random.integers(0, 256, (ROUNDS_DRAWN, COINS // 8), dtype=np.uint8), axis=1)
    return directions, coins.astype(np.int64)


@dataclass(frozen=True)
class PreferredOfTwo(Deterministic):
    """Say which of two items is better, the first if they are alike.

    Parameters
    ----------
    by : {"utilities", "grades"}, default "utilities"
        What counts: w*ᵀx, or the actual or rounded rating.

    Examples
    --------
    >>> offer = Items(np.zeros((3, 1)), [1.0, 1.2, 3.0], [1, 1, 3])
    >>> PreferredOfTwo().answer(offer, [0, 1]), PreferredOfTwo("grades").answer(offer, [0, 1])
    (1, 0)
    """

    by: Literal["utilities", "grades"] = "utilities"

    def __post_init__(self) -> None:
        """Check what counts."""
        if self.by not in ("utilities", "grades"):
            raise InvalidInput(f"by must be 'utilities' or 'grades', got {shown(self.by)}: choose one")

    def answer(self, context: Items, presented: Sequence[int]) -> int:
        """Return the better of the two."""
        refuse_other_than(Items, context, self)
        if np.shape(presented) != (2,):
            raise InvalidInput(f"presented must be two items, got {shown(presented)}: play DuelingItems")
        first, second = (context.known(item) for item in presented)
        values = context.utilities if self.by == "utilities" else context.grades
        return second if values[second] > values[first] else first


@dataclass(frozen=True, eq=False)
class Hindsight:
    """The best of a grid of bandits, chosen when all was over.

    Attributes
    ----------
    gamma, delta : float
    record : Record
        What the best one did.
    regrets : dict
        The mean average regret at the end for each (γ, δ).

    Examples
    --------
    >>> from penchant.simulate import StrictRanking, WebSearch
    >>> web = WebSearch.synthetic(n_queries=20, n_documents=5, n_features=3, seed=0)
    >>> best = best_dueling_bandit(DuelingBandit, StrictRanking(0.5), web, deltas=(0.1, 1.0), runs=1)
    >>> best.gamma, sorted(best.regrets)
    (1.0, [(1.0, 0.1), (1.0, 1.0)])
    """

    gamma: float
    delta: float
    record: Record
    regrets: dict[tuple[float, float], float]


def best_dueling_bandit(
    kind: type[DuelingBandit],
    user: User,
    setting: Setting,
    *,
    gammas: Sequence[float] = GAMMAS,
    deltas: Sequence[float] = DELTAS,
    seed: int = 0,
    **settings: Any,
) -> Hindsight:
    """Play a grid of bandits with the same random numbers, and return the one with the least regret at the end.

    Parameters
    ----------
    kind : type
        `DuelingBandit` for rankings, `DuelingItems` for items.
    user, setting
        As `play` takes them; of items, `PreferredOfTwo`.
    gammas, deltas : sequences of float
    seed : int
        Of the bandits' directions and of the runs.
    **settings
        ``runs``, ``rounds`` and ``progress`` of `play`.

    Examples
    --------
    >>> from penchant.simulate import StrictRanking, WebSearch
    >>> web = WebSearch.synthetic(n_queries=20, n_documents=5, n_features=3, seed=0)
    >>> best_dueling_bandit(DuelingBandit, StrictRanking(0.5), web, deltas=(0.1, 1.0), runs=1).delta in (0.1, 1.0)
    True
    """
    best: tuple[float, float, Record] | None = None
    regrets: dict[tuple[float, float], float] = {}
    for gamma, delta in product(gammas, deltas):
        bandit = kind.for_setting(setting, gamma=gamma, delta=delta, seed=seed)
        record = play(bandit, user, setting, seed=seed, **settings)
        regret = float(utility_regret(record.presented_utility, record.best_utility)[:, -1].mean())
        if not regrets or regret < min(regrets.values()):
            best = gamma, delta, record
        regrets[gamma, delta] = regret
    if best is None:
        raise InvalidInput("gammas and deltas must hold at least 1 each, got none: give a grid")
    return Hindsight(*best, regrets)
