"""The data sets of the experiments of paper 5: queries of documents with features and links.

OHSUMED is the paper's. Its file of similarities is not public, so links are made from the features. For TREC, whose
links are not public either, citation graphs stand: a class is a query, its papers are relevant. The words of three of
its papers, which are not ranked, are the query's text; the papers to rank are found by following links from others of
the class. What differs: about a quarter of them is relevant instead of a few in a hundred, links have no direction, and
a few plain features say how a paper matches the query.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints, one_of
from penchant.metrics import average_precision
from penchant.papers.result import BySize, Size
from penchant.papers.run import Run
from penchant.papers.sources import unpacked

SETS = ("letor2-ohsumed", "citation-graphs")
RELEVANT = 1.0
NEAR = 0.5
"""The lengthscale of a similarity that makes a link, where that of the features is 1."""
# queries, documents a query and features of the stand-in for OHSUMED; of the real set, how many queries are read
OHSUMED: BySize[tuple[int, int, int]] = BySize(
    quick=(6, 40, 25),
    default=(106, 152, 25),
    full=(106, 152, 25),
)
# papers a query, and papers of a made-up graph
CRAWLED: BySize[int] = BySize(quick=120, default=1_000, full=1_000)
MADE_UP_PAPERS: BySize[int] = BySize(quick=400, default=2_700, full=2_700)
MADE_UP_WORDS, MADE_UP_CLASSES = 400, 7
EXAMPLES = 3
"""How many papers of a class give the query its words."""


@dataclass(frozen=True, eq=False)
class Items:
    """Documents of one query, or of several that are learned together.

    Attributes
    ----------
    features : array of shape (n, n_features)
        Scaled so that two documents are √2 apart on average; the lengthscale is then 1.
    links : array of shape (n, n)
        Weights of an undirected graph, scaled so that the mean degree is 1; β and ι are then 1.
    grades : array of shape (n,)
    starts : int array
        Where the documents of each query begin, and n.
    """

    features: Floats
    links: Floats
    grades: Floats
    starts: Ints

    @classmethod
    def of(cls, features: Floats, links: Floats, grades: Floats) -> Items:
        """Return the documents of one query; links are scaled."""
        degree = float(links.sum(axis=1).mean())
        return cls(features, links / degree if degree else links, grades, np.array([0, len(grades)]))

    @classmethod
    def pooled(cls, queries: Sequence[Items]) -> Items:
        """Return the documents of several queries in one, without links."""
        starts = np.cumsum([0, *map(len, queries)])
        features, grades = (
            np.concatenate([getattr(query, part) for query in queries]) for part in ("features", "grades")
        )
        return cls(features, np.empty((0, 0)), grades, starts)

    def __len__(self) -> int:
        return len(self.grades)

    def prior(self, knows: str) -> Floats:
        """Return the covariance before any answer that "features", "links", "both" or "nothing" give."""
        from penchant.gp import LinkedGP

        if knows == "nothing":
            return np.eye(len(self))
        model = LinkedGP().fit(
            self.features if knows != "links" else None, self.links if knows != "features" else None
        )
        return model.covariance()

    def shuffled(self, random: np.random.Generator) -> Items:
        """Return the documents in another order inside each query."""
        order = np.concatenate(
            [start + random.permutation(stop - start) for start, stop in self._parts()],
        )
        links = self.links[np.ix_(order, order)] if len(self.links) else self.links
        return replace(self, features=self.features[order], links=links, grades=self.grades[order])

    def first(self, most: int) -> Items:
        """Return the first documents of one query."""
        links = self.links[:most, :most]
        return Items.of(self.features[:most], links, self.grades[:most])

    def precision(self, scores: Floats) -> Floats:
        """Return the average precision of each query, shape (queries,); equal scores rank by index.

        The experiments shuffle the documents, so that this is one of the random orders of equal scores.
        """
        rows = [slice(start, stop) for start, stop in self._parts()]
        return np.array(
            [average_precision(self.grades[r], scores[r], relevant=RELEVANT, ties="order") for r in rows]
        )

    def _parts(self) -> list[tuple[int, int]]:
        return list(pairwise(self.starts.tolist()))


@dataclass(frozen=True, eq=False)
class Collection:
    """The queries of a set.

    Attributes
    ----------
    name, description : str
        The set, and its shape in one sentence.
    queries : tuple of Items
    skipped : int
        How many queries had nothing relevant.
    """

    name: str
    description: str
    queries: tuple[Items, ...]
    skipped: int

    @property
    def label(self) -> str:
        """The set, or the set that a stand-in replaces."""
        return self.description.partition(":")[0]

    def drawn(self, most: int, *seed: int) -> tuple[Items, ...]:
        """Return at most so many queries, at random."""
        if most >= len(self.queries):
            return self.queries
        chosen = np.random.default_rng((*seed, most)).choice(len(self.queries), most, replace=False)
        return tuple(self.queries[query] for query in np.sort(chosen))


def collection(name: str, run: Run) -> Collection:
    """Prepare one of `SETS`.

    Examples
    --------
    >>> collection("letor2-ohsumed", Run(size="quick")).description
    'a made-up stand-in for letor2-ohsumed: 6 queries of 40 documents, 25 features, all linked by similarity'
    """
    one_of("name", name, SETS)
    return _prepared(name, run.size, run.seed, run.folder)


@lru_cache(maxsize=2)  # three experiments in a row use the same set
def _prepared(name: str, size: Size, seed: int, data: Path | None) -> Collection:
    found = _ohsumed(size, seed, data) if name == "letor2-ohsumed" else _citations(size, seed, data)
    queries = tuple(query for query in found if (query.grades >= RELEVANT).any())
    skipped = len(found) - len(queries)
    what = name if data is not None else f"a made-up stand-in for {name}"
    of = "documents" if name == "letor2-ohsumed" else "papers"
    mean = np.mean([len(query) for query in queries])
    shape = f"{len(queries)} queries of {mean:.0f} {of}, {queries[0].features.shape[1]:,} features"
    if name == "letor2-ohsumed":
        linked = "all linked by similarity"
    else:
        links = np.mean([np.count_nonzero(query.links) / 2 for query in queries])
        share = np.mean([(query.grades >= RELEVANT).mean() for query in queries])
        linked = f"{links:,.0f} links of citations, {100 * share:.0f} % relevant"
    gone = f"; {skipped} more had nothing relevant" if skipped else ""
    return Collection(name, f"{what}: {shape}, {linked}{gone}", queries, skipped)


def _ohsumed(size: Size, seed: int, data: Path | None) -> list[Items]:
    if data is None:
        n_queries, n_documents, n_features = OHSUMED[size]
        random = np.random.default_rng(seed)
        return [_made_up_query(n_documents, n_features, random) for _ in range(n_queries)]
    from penchant.formats import read_file

    queries: list[Items] = []
    most = OHSUMED[size][0]
    with unpacked(data, "letor2-ohsumed") as folder:
        for path in sorted(folder.glob("*.txt")):
            reading: Any = read_file(path, format="letor", strict=True, ids=False)
            features = reading.features.toarray()
            for qid in dict.fromkeys(reading.qid.tolist()):
                rows = reading.qid == qid
                queries.append(_similar(features[rows], reading.grades[rows]))
            if len(queries) >= most:
                break
    return queries[:most]


def _made_up_query(n_documents: int, n_features: int, random: np.random.Generator) -> Items:
    """Return documents whose features are correlated with their grades: 70 % of them 0, 16 % 1, 14 % 2."""
    worth = random.standard_normal(n_documents)
    direction = 0.4 * random.standard_normal(n_features)
    features = np.outer(worth, direction) + random.standard_normal((n_documents, n_features))
    return _similar(features, np.searchsorted(np.quantile(worth, [0.7, 0.86]), worth).astype(np.float64))


def _similar(features: Floats, grades: Floats) -> Items:
    """Return documents with standardised features, linked by how near they are."""
    points = standardised(features)
    squares = (points**2).sum(axis=1)
    apart = np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0.0)
    links = np.exp(-apart / (2 * NEAR**2))
    np.fill_diagonal(links, 0.0)
    return Items.of(points, links, np.asarray(grades, dtype=np.float64))


def standardised(features: Floats) -> Floats:
    """Return features of mean 0 and of one variance, so large that two rows are √2 apart on average.

    Examples
    --------
    >>> standardised(np.array([[1.0, 5.0], [3.0, 5.0]]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    deviation = features.std(axis=0)
    varies = deviation > 0
    scaled = (features - features.mean(axis=0)) / np.where(varies, deviation, 1.0)
    scaled[:, ~varies] = 0.0
    found: Floats = scaled / np.sqrt(max(int(varies.sum()), 1))
    return found


@dataclass(frozen=True, eq=False)
class _Graph:
    """Papers with words, a class each (−1: none), and links."""

    words: Any
    classes: Ints
    links: Any

    @classmethod
    def of(cls, rows: Ints, words: Ints, classes: Ints, edges: Ints) -> _Graph:
        from scipy.sparse import csr_array

        n = len(classes)
        table = csr_array((np.ones(len(rows)), (rows, words)), shape=(n, int(words.max()) + 1))
        first, second = edges.T
        links = csr_array(
            (np.ones(2 * len(edges)), (np.concatenate([first, second]), np.concatenate([second, first]))),
            shape=(n, n),
        )
        return cls(table, classes, links)

    @classmethod
    def read(cls, nodes: Path, edges: Path) -> _Graph:
        papers = [np.array(line.split(), dtype=np.int64) for line in nodes.read_text().splitlines()]
        rows = np.repeat(np.arange(len(papers)), [len(paper) - 1 for paper in papers])
        words = np.concatenate([paper[1:] for paper in papers])
        classes = np.array([paper[0] for paper in papers])
        return cls.of(rows, words, classes, np.loadtxt(edges, dtype=np.int64))

    def queries(self, papers: int, random: np.random.Generator) -> list[Items]:
        return [self._query(kind, papers, random) for kind in np.unique(self.classes[self.classes >= 0])]

    def _query(self, kind: int, papers: int, random: np.random.Generator) -> Items:
        examples, *_ = np.split(random.permutation(np.flatnonzero(self.classes == kind)), [EXAMPLES])
        found = self._crawled(kind, papers, random, set(examples.tolist()))
        links = self.links[found][:, found].toarray()
        grades = (self.classes[found] == kind).astype(np.float64)
        return Items.of(standardised(self._match(examples)[found]), links, grades)

    def _match(self, examples: Ints) -> Floats:
        """Return how each paper matches the words of the examples, how long and how linked it is, shape (n, 7)."""
        counts = np.asarray(self.words.sum(axis=0)).ravel()
        rare = np.log(len(self.classes) / np.maximum(counts, 1))
        asked = np.asarray(self.words[examples].sum(axis=0)).ravel()
        squares, length = self.words @ rare**2, self.words.sum(axis=1)
        shared, rarely = self.words @ (asked > 0), self.words @ (rare * (asked > 0))
        cosine = (self.words @ asked) / np.sqrt(np.maximum(length, 1))
        weighed = (self.words @ (asked * rare**2)) / np.sqrt(np.maximum(squares, 1e-12))
        degree = self.links.sum(axis=1)
        nearby = (self.links @ weighed) / np.maximum(degree, 1)
        return np.column_stack([shared, rarely, cosine, weighed, nearby, length, degree])

    def _crawled(self, kind: int, papers: int, random: np.random.Generator, kept_out: set[int]) -> Ints:
        """Return papers found by following links from papers of the class, nearest first."""
        left = random.permutation(np.flatnonzero(self.classes == kind)).tolist()
        left += random.permutation(np.flatnonzero((self.classes >= 0) & (self.classes != kind))).tolist()
        waiting: deque[int] = deque()
        found: dict[int, None] = {}
        while len(found) < papers and (waiting or left):
            paper = waiting.popleft() if waiting else left.pop(0)
            if paper in found or paper in kept_out or self.classes[paper] < 0:
                continue
            found[paper] = None
            start, stop = self.links.indptr[paper : paper + 2]
            waiting.extend(random.permutation(self.links.indices[start:stop]).tolist())
        return np.array([*found])


def _citations(size: Size, seed: int, data: Path | None) -> list[Items]:
    random = np.random.default_rng(seed)
    if data is None:
        graphs = [_made_up_graph(MADE_UP_PAPERS[size], random) for _ in range(2)]
    else:
        with unpacked(data, "citation-graphs") as folder:
            graphs = [
                _Graph.read(nodes, nodes.with_name(nodes.name.replace("nodes", "edges")))
                for nodes in sorted(folder.glob("*.nodes.txt"))
            ]
    return [query for graph in graphs for query in graph.queries(CRAWLED[size], random)]


def _made_up_graph(papers: int, random: np.random.Generator) -> _Graph:
    """Return papers of which eight links in ten stay within a class, and a third of the words are its own."""
    classes = random.integers(MADE_UP_CLASSES, size=papers)
    one = random.integers(papers, size=2 * papers)
    other = random.integers(papers, size=2 * papers)
    stays = random.random(2 * papers) < 0.8
    by_class = [np.flatnonzero(classes == kind) for kind in range(MADE_UP_CLASSES)]
    other[stays] = [random.choice(by_class[kind]) for kind in classes[one[stays]]]
    edges = np.unique(np.sort(np.column_stack([one, other])[one != other], axis=1), axis=0)
    rows = np.repeat(np.arange(papers), 18)
    words = random.integers(MADE_UP_WORDS, size=len(rows))
    own = random.random(len(rows)) < 1 / 3
    block = MADE_UP_WORDS // MADE_UP_CLASSES
    words[own] = words[own] % block + block * classes[rows[own]]
    table = np.unique(np.column_stack([rows, words]), axis=0)
    return _Graph.of(table[:, 0], table[:, 1], classes, edges)
