"""Evaluate runs of a search engine against relevance judgements, as trec_eval does.

Documents are ranked by falling score, which is rounded to single precision, and equal ones by falling id; the rank in
the file counts nothing. Documents that were not judged are not relevant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Floats, Ints, whole
from penchant.errors import InvalidInput
from penchant.metrics.comparison import Comparison, difference

if TYPE_CHECKING:
    from pandas import DataFrame

CUTS = (5, 10, 20, 100, 1000)
COUNTED = ("num_ret", "num_rel", "num_rel_ret")
"""The measures that are added up over queries instead of averaged."""
_UNJUDGED = -1


@dataclass(frozen=True, eq=False)
class Run:
    """What a search engine found: for each query the score of each document.

    Examples
    --------
    >>> Run({"q1": {"a": 2.5, "b": 1.0}}).n_documents
    2
    """

    scores: Mapping[str, Mapping[str, float]]
    name: str = ""

    @property
    def n_documents(self) -> int:
        """The number of lines: documents of all queries."""
        return sum(map(len, self.scores.values()))


@dataclass(frozen=True, eq=False)
class Qrels:
    """Relevance judgements: for each query the grade of each judged document; below 0 is as good as not judged.

    Examples
    --------
    >>> Qrels({"q1": {"d1": 2, "d2": 0}}).grades["q1"]["d1"]
    2
    """

    grades: Mapping[str, Mapping[str, int]]

    @property
    def n_documents(self) -> int:
        """The number of judgements."""
        return sum(map(len, self.grades.values()))


@dataclass(frozen=True, eq=False)
class RunEvaluation:
    """The measures of a run in each query, under trec_eval's names.

    Attributes
    ----------
    queries : tuple of str
        Sorted.
    values : dict
        For each measure its values, shape (n_queries,).
    without_judgements, not_found : tuple of str
        Queries of the run that the judgements do not have, and the other way round; neither is evaluated.

    Examples
    --------
    >>> from penchant.metrics import Run
    >>> found = evaluate_run(Run({"q1": {"d1": 1.5, "d2": 0.5}}), Qrels({"q1": {"d1": 2, "d2": 0}}))
    >>> found.queries, found.values["map"].tolist()
    (('q1',), [1.0])
    """

    queries: tuple[str, ...]
    values: Mapping[str, Floats]
    without_judgements: tuple[str, ...] = ()
    not_found: tuple[str, ...] = ()

    def __getitem__(self, measure: str) -> float:
        values = self.values[measure]
        return float(values.sum() if measure in COUNTED else values.mean())

    def to_frame(self) -> DataFrame:
        """Return the values as a pandas frame, one row a query."""
        from pandas import DataFrame

        return DataFrame({"query": self.queries, **self.values})

    def __repr__(self) -> str:
        """Return the lines that trec_eval prints."""
        lines = [f"{'num_q':<22}\tall\t{len(self.queries)}"]
        for measure in self.values:
            mean = self[measure]
            lines.append(f"{measure:<22}\tall\t{int(mean) if measure in COUNTED else format(mean, '.4f')}")
        return "\n".join(lines)


def evaluate_run(
    run: Run, qrels: Qrels, *, k: Sequence[int] = CUTS, relevant: int = 1, complete: bool = False
) -> RunEvaluation:
    """Compute what trec_eval prints of a run.

    Parameters
    ----------
    run : Run
    qrels : Qrels
    k : sequence of int
        Where precision, recall and NDCG are cut.
    relevant : int
        The lowest grade that counts as relevant, trec_eval's ``-l``.
    complete : bool
        Whether queries that the run lacks count as 0, trec_eval's ``-c``; otherwise they are left out.

    Examples
    --------
    >>> run = Run({"q": {"a": 3.0, "b": 2.0, "c": 1.0}})
    >>> found = evaluate_run(run, Qrels({"q": {"a": 0, "b": 2, "z": 1}}), k=[2])
    >>> found["map"], found["recip_rank"], found["P_2"], found["recall_2"]
    (0.25, 0.5, 0.5, 0.5)
    >>> round(found["ndcg"], 4)
    0.4796
    """
    whole("relevant", relevant, 1, remedy="give the lowest relevant grade")
    for cut in k:
        whole("k", cut, 1, remedy="give the number of positions that count")
    queries = sorted(qrels.grades if complete else qrels.grades.keys() & run.scores.keys())
    if not queries:
        raise InvalidInput(
            f"run and judgements must share a query, got {_some(run.scores)} and {_some(qrels.grades)}: "
            "give the judgements of the same queries"
        )
    rows = [_measured(run.scores.get(query, {}), qrels.grades[query], k, relevant) for query in queries]
    values = {measure: np.array([row[measure] for row in rows], dtype=np.float64) for measure in rows[0]}
    return RunEvaluation(
        tuple(queries),
        values,
        tuple(sorted(run.scores.keys() - qrels.grades.keys())),
        tuple(sorted(qrels.grades.keys() - run.scores.keys())),
    )


def compare_runs(
    run: Run,
    other: Run,
    qrels: Qrels,
    *,
    measures: Sequence[str] = ("map", "ndcg", "recip_rank", "P_10"),
    k: Sequence[int] = CUTS,
    relevant: int = 1,
    level: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Compare two runs by paired tests over the judged queries that either of them has.

    A query that one run lacks counts as 0 there. The other arguments are those of `evaluate_run` and `compare`.

    Examples
    --------
    >>> qrels = Qrels({f"q{number}": {"a": 1} for number in range(4)})
    >>> good, bad = (Run({q: {"a": score, "b": 1.0} for q in qrels.grades}) for score in (2.0, 0.5))
    >>> found = compare_runs(good, bad, qrels, measures=["map"])["map"]
    >>> found.difference, found.p_randomisation
    (0.5, 0.125)
    """
    shared = qrels.grades.keys() & (run.scores.keys() | other.scores.keys())
    judged = Qrels({query: qrels.grades[query] for query in shared})
    first, second = (
        evaluate_run(each, judged, k=k, relevant=relevant, complete=True) for each in (run, other)
    )
    unknown = [measure for measure in measures if measure not in first.values]
    if unknown:
        raise InvalidInput(
            f"measures must be among {', '.join(first.values)}, got {unknown[0]!r}: choose of these"
        )
    return Comparison(
        tuple(
            difference(measure, first.values[measure], second.values[measure], level=level, seed=seed)
            for measure in measures
        )
    )


def _measured(
    scores: Mapping[str, float], grades: Mapping[str, int], k: Sequence[int], relevant: int
) -> dict[str, float]:
    """Return the measures of one query."""
    with np.errstate(over="ignore"):
        sims = np.array(list(scores.values()), dtype=np.float64).astype(np.float32).tolist()
    ranked = sorted(zip(sims, scores, strict=True), reverse=True)
    found = np.array([grades.get(document, _UNJUDGED) for _, document in ranked], dtype=np.int64)
    judged = np.array([grade for grade in grades.values() if grade >= 0], dtype=np.int64)
    n_relevant, hits = int((judged >= relevant).sum()), found >= relevant
    n_hits = np.concatenate([[0], np.cumsum(hits)])
    share = 1.0 / n_relevant if n_relevant else 0.0
    first = int(np.argmax(hits)) + 1 if hits.any() else 0
    return {
        "num_ret": float(len(found)),
        "num_rel": float(n_relevant),
        "num_rel_ret": float(n_hits[-1]),
        "map": _total(n_hits[1:][hits] / (np.flatnonzero(hits) + 1)) * share,
        "Rprec": float(n_hits[min(n_relevant, len(found))]) * share,
        "bpref": _bpref(found, judged, relevant, n_relevant),
        "recip_rank": 1.0 / first if first else 0.0,
        "ndcg": _ndcg(found, judged, None),
        **{f"P_{cut}": float(n_hits[min(cut, len(found))]) / cut for cut in k},
        **{f"recall_{cut}": float(n_hits[min(cut, len(found))]) * share for cut in k},
        **{f"ndcg_cut_{cut}": _ndcg(found, judged, cut) for cut in k},
    }


def _ndcg(found: Ints, judged: Ints, cut: int | None) -> float:
    ideal = _dcg(np.sort(judged)[::-1][:cut])
    return _dcg(found[:cut]) / ideal if ideal > 0 else 0.0


def _dcg(grades: Ints) -> float:
    return _total(np.maximum(grades, 0) / np.log2(np.arange(len(grades)) + 2.0))


def _bpref(found: Ints, judged: Ints, relevant: int, n_relevant: int) -> float:
    """Return how rarely judged documents that are not relevant stand above relevant ones (Buckley, Voorhees 2004)."""
    if not n_relevant:
        return 0.0
    hits = found >= relevant
    above = np.cumsum((found >= 0) & ~hits)[hits]
    most = min(n_relevant, int((judged < relevant).sum()))
    return _total(1.0 - np.minimum(above, n_relevant) / max(most, 1)) / n_relevant


def _total(values: Any) -> float:
    """Return the sum in the order of the values, as trec_eval adds."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def _some(queries: Iterable[str]) -> str:
    listed = sorted(queries)
    return ", ".join(listed[:3]) + (", …" if len(listed) > 3 else "")
