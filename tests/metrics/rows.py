"""Graded rows as Hypothesis draws them: few grades, few scores and few queries, so that ties abound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, permutations

from hypothesis import strategies as st

LABELS = [7, -3, "b", "a", ("a", 1)]


@dataclass(frozen=True)
class Rows:
    grades: list[int]
    scores: list[float]
    qid: list[object]

    def queries(self) -> list[tuple[list[int], list[float]]]:
        """The rows of each query, in their order: the obvious way."""
        labels = list(dict.fromkeys(self.qid))
        rows = [[i for i, label in enumerate(self.qid) if label == wanted] for wanted in labels]
        return [([self.grades[i] for i in some], [self.scores[i] for i in some]) for some in rows]


def by_falling_score(grades: list[int], scores: list[float]) -> list[int]:
    """The grades in the order of presentation: falling scores, lower index first among equals."""
    return [grades[i] for i in sorted(range(len(scores)), key=lambda i: (-scores[i], i))]


def in_every_order(grades: list[int], scores: list[float]) -> Iterator[list[int]]:
    """The grades in each order that the scores allow, tied rows permuted: every order equally often."""
    for order in permutations(range(len(scores))):
        if all(scores[a] >= scores[b] for a, b in pairwise(order)):
            yield [grades[row] for row in order]


@st.composite
def graded_rows(draw: st.DrawFn, max_size: int = 30) -> Rows:
    row = st.tuples(st.integers(0, 4), st.sampled_from([-1.5, 0.0, 0.25, 1e9]), st.sampled_from(LABELS))
    rows = draw(st.lists(row, min_size=1, max_size=max_size))
    return Rows([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])
