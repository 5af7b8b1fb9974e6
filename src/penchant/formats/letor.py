"""LETOR and SVMlight: documents with grades, queries and features.

A line is ``grade qid:7 1:0.5 3:0.25 #docid = GX-01``; features count from 1.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from functools import cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from penchant.checks import Ints, shown
from penchant.counts import counted
from penchant.formats.parsing.comparisons import is_text
from penchant.formats.parsing.reading import Bools, Findings, Reading, Sieve, Written, Wrong
from penchant.formats.parsing.source import Limits, Source, replaced_text
from penchant.formats.parsing.tabulated import has_shared_level, lost_columns
from penchant.preferences import Preferences

NAME = "letor"
_REAL = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_LINE = re.compile(rf"\s*{_REAL}\s+qid:\d{{1,18}}(?:\s+\d{{1,9}}:{_REAL})*\s*", re.ASCII)
FIRST_LINES = re.compile(rf"(?:#.*\n)*[^\S\n]*{_REAL}[^\S\n]+qid:\d", re.ASCII)
_FEATURE = re.compile(r"\s(\d+):", re.ASCII)
_ID = re.compile(r'\bdoc(?:id)?\s*[=:]\s*("(?:[^"\\]|\\.)*"|.+?)(?=\s+\w+\s*=|\s*$)')
_LONGEST_COMMENT = 2000


def read(source: Source, *, ids: bool = True) -> Reading:
    """Read graded documents; of two of one query, the one with the higher grade is better.

    Parameters
    ----------
    ids : bool
        Whether items are called by the document ids in the comments, where all lines have one. If not, the
        items are the rows of ``features``, which is what a model that takes an array wants.
    """
    findings = Findings(source, NAME)
    lines: list[str] = []
    numbers: list[int] = []
    documents: list[str | None] = []
    n_rows = highest = n_values = 0
    with source.open_text() as file:
        for number, line in enumerate(file, 1):
            values, _, comment = line.partition("#")
            if not values.strip():
                continue
            n_rows += 1
            try:
                places = _features(values, source.limits)
            except Wrong as reason:
                findings.reject(number, reason.args[0])
                continue
            n_values += len(places) + 1
            highest = max([highest, *places[-1:]])
            lines.append(values)
            numbers.append(number)
            documents.append(_document(comment))
    if highest > source.limits.highest(n_values):
        raise source.limits.reject("columns", f"the highest feature of {source.path}", highest)
    if not len(lines):
        raise findings.no_rows()
    features, grades, qid = _loaded(lines)
    finite = _finite(features, grades, np.array(numbers), findings)
    if not finite.all():
        if not finite.any():
            raise findings.no_rows()
        features, grades, qid = features[finite], grades[finite], qid[finite]
        documents = [document for document, kept in zip(documents, finite, strict=True) if kept]
    named = None if None in documents else tuple(map(str, documents))
    items = _items(named, qid, findings) if ids else None
    return findings.reading(
        Preferences.from_grades(grades, qid, items=items),
        n_rows,
        features=features,
        grades=grades,
        qid=qid,
        ids=named,
    )


def _features(values: str, limits: Limits) -> list[int]:
    """Return the numbers of the features of a line, or raise `Wrong`."""
    if len(values) > limits.digits and _too_long(limits.digits).search(values):
        raise Wrong(limits.excess("digits", "digits of a number"))
    if not _LINE.fullmatch(values):
        if "qid:" not in values:
            raise Wrong(f"a line must have a query like qid:7, got {shown(values.strip())}")
        cells = values.split()
        usable = (_LINE.fullmatch(f"0 qid:1 {cell}") for cell in cells[2:])
        bad = next((cell for cell, fits in zip(cells[2:], usable, strict=True) if not fits), values.strip())
        raise Wrong(f"a line must be like '2 qid:7 1:0.5 3:0.25', got {shown(bad)}")
    places = [int(place) for place in _FEATURE.findall(values)]
    if places and places[0] < 1:
        raise Wrong("features must count from 1, got 0")
    if any(after <= before for before, after in pairwise(places)):
        raise Wrong("features must be in rising order, each once")
    return places


@cache
def _too_long(digits: int) -> re.Pattern[str]:
    return re.compile(rf"(?<!\d)\d{{{digits + 1}}}", re.ASCII)


def _finite(features: Any, grades: Any, lines: Ints, findings: Findings) -> Bools:
    """Return which rows have finite numbers only; the others, such as 1e999, are rejected."""
    rows = np.repeat(np.arange(len(grades)), np.diff(features.indptr))
    wrong = np.zeros(len(grades), dtype=bool)
    wrong[rows[~np.isfinite(features.data)]] = True
    sieve = Sieve(lines, findings)
    sieve.reject(~np.isfinite(grades), lambda row: f"the grade must be a finite number, got {grades[row]}")
    sieve.reject(wrong, "features must be finite numbers, got one that is too large")
    return sieve.kept


def _loaded(lines: list[str]) -> tuple[Any, Any, Any]:
    from scipy.sparse import csr_array
    from sklearn.datasets import load_svmlight_file

    text = BytesIO("\n".join(line.rstrip() for line in lines).encode())
    matrix, grades, qid = load_svmlight_file(text, zero_based=False, query_id=True)
    return csr_array(matrix), grades, qid


def _document(comment: str) -> str | None:
    found = _ID.search(comment[:_LONGEST_COMMENT])
    if found is None:
        return None
    name: str = found[1].strip()
    if name.startswith('"'):
        with suppress(ValueError):  # a quote that is part of the id
            name = json.loads(name)
    return name if name.strip() and is_text(name) else None


def _items(named: tuple[str, ...] | None, qid: Any, findings: Findings) -> tuple[str, ...] | None:
    if named is None or len(set(named)) == len(named):
        return named
    both = tuple(f"{query}/{name}" for query, name in zip(qid, named, strict=True))
    if len(set(both)) < len(both):
        findings.note("documents stand in one query several times: their items are called by row number")
        return None
    findings.note("documents stand in several queries: their items are called query/document")
    return both


def write(preferences: Preferences, path: Path) -> Written:
    """Write each row as a query without features, its levels as grades."""
    statements = preferences.statements
    lost = lost_columns(preferences)
    if (has_shared_level(preferences) & statements.tied).any():
        lost.append("ties: equal grades say nothing")
    seen = np.bincount(statements.members, minlength=preferences.n_items)
    if (seen > 1).any():
        lost.append(f"that rows share items: {counted(int((seen > 1).sum()), 'item')} become one in each row")
    if (seen == 0).any():
        lost.append(f"{counted(int((seen == 0).sum()), 'item')} that no row mentions")
    if (statements.sizes == 0).any():
        lost.append(f"rows that name no item: {int((statements.sizes == 0).sum()):,}")
    lost.append("the order of the items, and the numbers of the rows")
    with replaced_text(path) as file:
        for row, (start, stop) in enumerate(
            zip(statements.starts[:-1], statements.starts[1:], strict=True), 1
        ):
            best = int(statements.levels[start:stop].max(initial=0))
            for member, level in zip(
                statements.members[start:stop], statements.levels[start:stop], strict=True
            ):
                file.write(f"{best - level} qid:{row} #docid = {_comment(preferences.items[member])}\n")
    return Written(path, NAME, len(statements.members), tuple(lost))


def _comment(name: str) -> str:
    return name if re.fullmatch(r"[\w./:-]+", name) else json.dumps(name)
