"""A simulated reader with a hidden taste uses a copy of a coactive study; how much the orders lacked is measured.

The copy has the items and the settings of the study, a file and a log of its own, and nobody's clicks. So what is
simulated is never learned for people, and Theorem 1, which is about weights that start at 0, applies to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints, whole
from penchant.coactive import RankingMap, perceptron_bound, slack, utility_regret
from penchant.errors import InvalidInput
from penchant.simulate import Documents, Items, StrictItem, StrictRanking
from penchant.study.coactive import CoactiveStudy
from penchant.study.coactive.features import item_features

ALPHA = 0.5
"""The share of what is possible by which every answer of the reader improves the presented order, eq. 5."""
CANDIDATES = 12
"""How many items are presented in a round."""
MOST_ITEMS = 1000
"""So many items of a larger study are copied, drawn at random."""
MOST_ROUNDS = 300
WANTED = 4
"""How many features a hidden taste has."""


@dataclass(frozen=True)
class SimulatedRun:
    """What a simulated reader's rounds came to.

    Attributes
    ----------
    regret : ndarray of shape (rounds,)
        The average regret of the first t rounds, eq. 4.
    bound : ndarray of shape (rounds,) or None
        What Theorem 1 allows it to be; None for a learner that the theorem is not about.
    alpha, R, norm : float
        α, R and ‖w*‖ of the theorem.
    taste, learned : dict of str to float
        The hidden weights, and those that the study learned.
    """

    regret: Floats
    bound: Floats | None
    alpha: float
    R: float
    norm: float
    taste: dict[str, float]
    learned: dict[str, float]


def simulate(study: CoactiveStudy, rounds: int, seed: int) -> SimulatedRun:
    """Let a simulated reader use a copy of ``study``, which stays as it is.

    Parameters
    ----------
    study : CoactiveStudy
        With items that have features.
    rounds : int
        From 1 to `MOST_ROUNDS`.
    seed : int
        Of the taste and of what is presented: the first rounds of a longer run are those of a shorter one.

    Examples
    --------
    >>> import tempfile
    >>> from penchant.examples.documents import FEATURES, document_items
    >>> place = Path(tempfile.mkdtemp()) / "search.db"
    >>> with CoactiveStudy.create(place, document_items(), features=FEATURES) as study:
    ...     run = simulate(study, rounds=60, seed=1)
    ...     study.n_presentations, bool((run.regret <= run.bound).all()), bool(run.regret[-1] < run.regret[0])
    (0, True, True)
    """
    whole("rounds", rounds, 1, MOST_ROUNDS)
    random = np.random.default_rng(seed)
    with TemporaryDirectory(prefix="penchant-") as folder, _copy(study, Path(folder), random) as copy:
        reader = _Reader.of(copy, random)
        for done in copy.together([lambda: reader.use(copy, random) for _ in range(rounds)]):
            done.result()
        return reader.measured(copy)


def _copy(study: CoactiveStudy, folder: Path, random: np.random.Generator) -> CoactiveStudy:
    """Return a new study with the items and settings of another, and one model for all."""
    listed, retired = list(study.items.values()), set(study.retired)
    items = [item for item in listed if item.id not in retired]
    if len(items) > MOST_ITEMS:
        items = [items[place] for place in np.sort(random.permutation(len(items))[:MOST_ITEMS])]
    others = {"kind", "seed", "title", "retention", "per_user", "baseline"}
    settings = {name: value for name, value in study.settings.items() if name not in others}
    return CoactiveStudy.create(folder / "copy.db", items, seed=int(random.integers(2**32)), **settings)


@dataclass
class _Reader:
    """Somebody with a taste, what they can be shown, and the utilities of the rounds so far."""

    ids: list[str]
    X: Floats
    names: tuple[str, ...]
    taste: Floats
    presented: list[float] = field(default_factory=list)
    improved: list[float] = field(default_factory=list)
    best: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, copy: CoactiveStudy, random: np.random.Generator) -> _Reader:
        """Return a reader with a random taste for the features of the items."""
        learner, named = copy.learner(), copy.settings["features"]
        features = [item_features(item, named) for item in copy.items.values()]
        if len(features) < 2 or not any(features):
            raise InvalidInput.of(
                "the study", "have two items with features", "none", "add items, or name their features"
            )
        X: Any = learner.matrix(features)
        X = X if isinstance(X, np.ndarray) else X.toarray()
        return cls(list(copy.items), X, learner.names, _taste(X, random))

    def use(self, copy: CoactiveStudy, random: np.random.Generator) -> None:
        """Look at an order of some items, and give a better one back: one round."""
        rows = random.permutation(len(self.ids))[:CANDIDATES]
        ids = [self.ids[row] for row in rows]
        shown = copy.present(ids)
        order = np.array([ids.index(id) for id in shown.order])
        if copy.settings["map"] == "item":
            self._name_item(copy, shown.id, ids, rows, int(order[0]))
        else:
            self._improve_order(copy, shown.id, ids, rows, order)

    def _improve_order(
        self, copy: CoactiveStudy, shown: str, ids: list[str], rows: Ints, order: Ints
    ) -> None:
        utilities, feature_map = self.X[rows] @ self.taste, _ranking_map(copy)
        context = Documents(self.X[rows], utilities, np.zeros(len(ids)), feature_map)
        improved = StrictRanking(ALPHA).answer(context, order)
        copy.feedback(shown, order=[ids[place] for place in improved])
        self._count(context, order, improved)

    def _name_item(self, copy: CoactiveStudy, shown: str, ids: list[str], rows: Ints, first: int) -> None:
        context = Items(self.X[rows], self.X[rows] @ self.taste, np.zeros(len(ids)))
        better = StrictItem(ALPHA).answer(context, first)
        copy.feedback(shown, better=ids[better])
        self._count(context, first, better)

    def _count(self, context: Documents | Items, presented: Any, improved: Any) -> None:
        self.presented.append(context.utility(presented))
        self.improved.append(context.utility(improved))
        self.best.append(context.best_utility)

    def measured(self, copy: CoactiveStudy) -> SimulatedRun:
        """Return the regret after each round, beside the bound."""
        regret = utility_regret(self.presented, self.best)
        # An answer may be better than eq. 5 asks for. Without that, the bound is 2R‖w*‖/(α√t) alone.
        lacking = np.maximum(slack(self.presented, self.improved, self.best, alpha=ALPHA), 0.0)
        R, norm, bound = _radius(copy, self.X), float(np.linalg.norm(self.taste)), None
        if _is_plain_perceptron(copy.settings["learner"]) and R > 0:
            batch = copy.settings["learner"]["settings"].get("batch") or 1
            bound = perceptron_bound(lacking, alpha=ALPHA, R=R, norm=norm, batch=batch)
        taste = {
            name: float(value) for name, value in zip(self.names, self.taste, strict=False) if value != 0
        }
        return SimulatedRun(regret, bound, ALPHA, R, norm, taste, copy.weights())


def _taste(X: Floats, random: np.random.Generator) -> Floats:
    """Draw a taste of norm 1: a few of the features matter, those that differ more among the items rather."""
    spread = X.std(axis=0)
    drawn = np.asarray(random.standard_normal(X.shape[1]), dtype=np.float64)
    matters = np.argsort(-np.abs(drawn) * spread, kind="stable")[:WANTED]
    taste: Floats = np.zeros_like(drawn)
    taste[matters] = drawn[matters] / np.linalg.norm(drawn[matters])
    return taste


def _ranking_map(copy: CoactiveStudy) -> RankingMap:
    return RankingMap(copy.settings["depth"], log=copy.settings["log"])


def _radius(copy: CoactiveStudy, X: Floats) -> float:
    """Return R: no ‖φ(x, y)‖ is larger."""
    longest = float(np.linalg.norm(X, axis=1).max())
    if copy.settings["map"] == "item":
        return longest
    return longest * float(_ranking_map(copy).discounts[:CANDIDATES].sum())


def _is_plain_perceptron(learner: dict[str, Any]) -> bool:
    """Return whether Theorem 1 is about a learner: it starts at 0, forgets nothing and presents by its weights."""
    changed = [learner["settings"].get(name) for name in ("weights", "forget", "averaged")]
    return learner["name"] == "perceptron" and not any(changed)
