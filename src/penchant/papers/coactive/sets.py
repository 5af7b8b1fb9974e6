"""The data sets of the experiments of papers 1 and 2.

The web-search set of the papers is not public. MQ2008, a sample of MSLR and a made-up set of its shape replace it;
the queries of a small set are repeated, one random order after another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from penchant.checks import Floats, one_of, shown
from penchant.coactive import ItemMap, RankingMap
from penchant.errors import InvalidInput
from penchant.papers.result import BySize, Claim, Size
from penchant.papers.run import Run
from penchant.papers.sources import unpacked
from penchant.simulate import (
    BetterItem,
    Movies,
    NoisyRanking,
    Ratings,
    StrictItem,
    StrictRanking,
    User,
    WebSearch,
)

WEB = ("letor4-mq2008", "mslr-sample", "synthetic-web")
MOVIES = ("ml-1m",)
SETS = WEB + MOVIES

# runs and rounds of each size; None: all users, all queries once
PLAYED: dict[str, BySize[tuple[int | None, int | None]]] = {
    "letor4-mq2008": BySize(quick=(20, 784), default=(20, 3_920), full=(20, 28_224)),
    "mslr-sample": BySize(quick=(5, 270), default=(20, 1_800), full=(20, 9_000)),
    "synthetic-web": BySize(quick=(5, None), default=(20, None), full=(20, None)),
    "ml-1m": BySize(quick=(40, 300), default=(300, 1_000), full=(None, 1_000)),
    **dict.fromkeys(
        ("ml-1m-d5", "ml-1m-d20", "ml-1m-d50"), BySize(quick=(2, 40), default=(20, 300), full=(300, 1_000))
    ),
}
# queries, documents a query and features of the stand-in for a web set
SHAPES: dict[str, BySize[tuple[int, int, int]]] = {
    "letor4-mq2008": BySize(quick=(784, 19, 46), default=(784, 19, 46), full=(784, 19, 46)),
    "mslr-sample": BySize(quick=(90, 102, 136), default=(90, 102, 136), full=(90, 102, 136)),
    "synthetic-web": BySize(quick=(600, 25, 40), default=(4_000, 25, 200), full=(28_000, 25, 700)),
}
# users, movies and ratings a user of the stand-in for MovieLens; of the real set, how many users are kept
CROWDS: BySize[tuple[int, int, int]] = BySize(
    quick=(600, 800, 60),
    default=(1_200, 2_400, 165),
    full=(6_040, 3_706, 165),
)
KEPT: BySize[int | None] = BySize(quick=600, default=None, full=None)
EMBEDDINGS: dict[str, tuple[int, float]] = {
    "ml-1m": (5, 3.0),
    "ml-1m-d5": (5, 3.0),
    "ml-1m-d20": (20, 10.0),
    "ml-1m-d50": (50, 10.0),
}
"""Rank and ridge of the movies' features. Cross-validation on the first half of the users of ml-1m, run once, has the
least squared error at rank 5 (0.772); at ranks 20 (0.805) and 50 (0.851), of the ridges 3, 10 and 30, with 10. The
names with a rank are played with fewer users."""


def by_task(web: tuple[Claim, ...], movies: tuple[Claim, ...]) -> dict[str, tuple[Claim, ...]]:
    """Return the claims for each set: those about web search, or those about movies."""
    return dict.fromkeys(WEB, web) | dict.fromkeys(MOVIES, movies)


@dataclass(frozen=True, eq=False)
class Scene:
    """A simulation setting with the number of runs and rounds.

    Attributes
    ----------
    name : str
        One of `SETS`, or of `EMBEDDINGS`.
    what : str
        Which set it is, and its shape.
    setting : WebSearch or Movies
    runs, rounds : int
    size : {"quick", "default", "full"}
    seed : int
    cut : bool
        Whether fewer or shorter runs are played than the size has, since they take long.
    """

    name: str
    what: str
    setting: WebSearch | Movies
    runs: int
    rounds: int
    size: Size
    seed: int
    cut: bool = False

    @property
    def description(self) -> str:
        """The set in one sentence."""
        return self.what + _turns(self.setting, self.rounds)

    @property
    def length(self) -> str:
        """The number of runs and rounds."""
        cut = ", cut since they take long" if self.cut else ""
        return f"{self.runs:,} runs of {self.rounds:,} rounds{cut}"

    @property
    def feature_map(self) -> RankingMap | ItemMap:
        """The feature map of rankings or of items."""
        return self.setting.feature_map if isinstance(self.setting, WebSearch) else ItemMap()

    @property
    def label(self) -> str:
        """The set, or the set that a stand-in replaces."""
        return self.what.partition(":")[0]

    @property
    def on_web(self) -> bool:
        """Whether the task is web search; else it is movies."""
        return isinstance(self.setting, WebSearch)

    @property
    def n_features(self) -> int:
        """The number of weights of a learner."""
        return self.setting.n_features

    @cached_property
    def R(self) -> float:  # noqa: N802
        """A bound on ‖φ(x, y)‖, eq. 9: the longest documents of a query in its first places."""
        lengths = np.linalg.norm(self.setting.features, axis=1)
        return self._largest(lengths)

    @cached_property
    def S(self) -> float:  # noqa: N802
        """A bound on each entry of φ(x, y), section 5.1."""
        return self._largest(np.abs(self.setting.features).max(axis=1))

    @property
    def norms(self) -> Floats:
        """‖w*‖ of each run, shape (runs,)."""
        return self._norms(2)

    @property
    def sums(self) -> Floats:
        """‖w*‖₁ of each run, shape (runs,)."""
        return self._norms(1)

    def learner(self, kind: type[Any], **settings: Any) -> Any:
        """Return a learner of the given kind for this scene."""
        return kind(self.feature_map, self.n_features, **settings)

    def strict(self, alpha: float = 0.5) -> User:
        """Return the strictly α-informative user."""
        return StrictRanking(alpha) if self.on_web else StrictItem(alpha)

    def noisy(self) -> User:
        """Return the noisy user of the papers: labels at depth ten, a better rating."""
        return NoisyRanking(10) if self.on_web else BetterItem()

    def user(self, feedback: str) -> User:
        """Return the strict or the noisy user."""
        if feedback not in ("strict", "noisy"):
            raise InvalidInput(f"feedback must be 'strict' or 'noisy', got {shown(feedback)}: choose one")
        return self.strict() if feedback == "strict" else self.noisy()

    def capped(self, **most: tuple[int, int]) -> Scene:
        """Return a scene with at most the given (runs, rounds) of its size, for experiments that take long."""
        if self.size not in most:
            return self
        runs, rounds = most[self.size]
        fewer, shorter = min(runs, self.runs), min(rounds, self.rounds)
        cut = self.cut or (fewer, shorter) != (self.runs, self.rounds)
        return replace(self, runs=fewer, rounds=shorter, cut=cut)

    def _norms(self, order: int) -> Floats:
        norms = np.linalg.norm(np.atleast_2d(self.setting.weights), ord=order, axis=1)
        return np.broadcast_to(norms, max(self.runs, len(norms)))[: self.runs]

    def _largest(self, values: Floats) -> float:
        if isinstance(self.setting, Movies):
            return float(values.max())
        starts, discounts = self.setting.starts, np.array(self.setting.feature_map.discounts)
        tops = (
            np.sort(part)[::-1][: len(discounts)]
            for part in np.split(values.astype(np.float64), starts[1:-1])
        )
        return max(float(top @ discounts[: len(top)]) for top in tops)


def scene(name: str, run: Run) -> Scene:
    """Prepare one of `SETS`, or movies with another rank of their features.

    Examples
    --------
    >>> scene("synthetic-web", Run(size="quick")).description
    'made-up queries: 600 queries of 25 documents, 40 features; each once'
    """
    one_of("name", name, (*WEB, *EMBEDDINGS))
    return _prepared(name, run.size, run.seed, run.folder)


@lru_cache(maxsize=4)  # several experiments in a row use the same set
def _prepared(name: str, size: Size, seed: int, data: Path | None) -> Scene:
    real = data is not None and name != "synthetic-web"
    setting: WebSearch | Movies
    source = "ml-1m" if name in EMBEDDINGS else name
    if name in EMBEDDINGS:
        setting = _movies(name, size, seed, data)
        shape = f"{setting.n_users:,} users to choose for, {setting.n_items:,} movies, {setting.n_features} features"
    else:
        setting = _web(name, size, seed, data)
        shape = (
            f"{setting.n_queries:,} queries of {len(setting.grades) / setting.n_queries:.0f} documents, "
            f"{setting.n_features} features"
        )
    runs, rounds = PLAYED[name][size]
    runs, rounds = setting.n_runs(runs), setting.n_rounds(rounds)
    which = (
        source
        if real
        else "made-up queries"
        if name == "synthetic-web"
        else f"a made-up stand-in for {source}"
    )
    return Scene(name, f"{which}: {shape}", setting, runs, rounds, size, seed)


def _turns(setting: WebSearch | Movies, rounds: int) -> str:
    if isinstance(setting, Movies):
        return ""
    turns = rounds / setting.n_queries
    if turns < 1:
        return f"; {rounds:,} of them once"
    return "; each once" if turns == 1 else f"; each {turns:.3g} times over"


def _web(name: str, size: Size, seed: int, data: Path | None) -> WebSearch:
    if name == "synthetic-web" or data is None:
        queries, documents, features = SHAPES[name][size]
        return WebSearch.synthetic(
            n_queries=queries, n_documents=documents, n_features=features, redundant=True, seed=seed
        )
    with unpacked(data, name) as folder:
        return WebSearch.read(sorted(folder.glob("*.txt")), seed=seed)


def _movies(name: str, size: Size, seed: int, data: Path | None) -> Movies:
    if data is None:
        ratings = made_up_ratings(*CROWDS[size], seed=seed)
    else:
        with unpacked(data, "ml-1m") as folder:
            ratings = Ratings.read(min(folder.glob("ratings.*")))
    kept = KEPT[size]
    if data is not None and kept is not None:
        ratings = ratings.of_users(np.random.default_rng(seed).permutation(ratings.n_users)[:kept])
    dimension, ridge = EMBEDDINGS[name]
    return Movies.from_ratings(ratings, dimension=dimension, ridge=ridge, seed=seed)


def made_up_ratings(n_users: int, n_items: int, each: int, *, seed: int) -> Ratings:
    """Return ratings from 1 to 5 by users and of items that differ in level, popularity and eight tastes.

    Parameters
    ----------
    n_users, n_items : int
    each : int
        How many ratings a user gives on average, at least 20.
    seed : int

    Examples
    --------
    >>> given = made_up_ratings(50, 100, 30, seed=0)
    >>> given.n_users, sorted(set(given.rating.tolist())), round(float(given.rating.mean()), 1)
    (50, [1.0, 2.0, 3.0, 4.0, 5.0], 3.6)
    """
    random = np.random.default_rng(seed)
    counts = np.clip(20 + random.exponential(each - 20, n_users).astype(np.int64), 20, n_items)
    popular = 1 / (10 + np.arange(n_items))
    user = np.repeat(np.arange(n_users), counts)
    item = np.concatenate(
        [random.choice(n_items, n, replace=False, p=popular / popular.sum()) for n in counts]
    )
    tastes, kinds = random.standard_normal((n_users, 8)), random.standard_normal((n_items, 8)) / 4
    level = random.normal(0, 0.4, n_users)[user] + random.normal(0, 0.5, n_items)[item]
    liked = 3.6 + level + (tastes[user] * kinds[item]).sum(axis=1) + random.normal(0, 0.8, len(user))
    return Ratings.of(user, item, np.clip(np.floor(liked + 0.5), 1, 5))
