"""LETOR and SVMlight: documents with grades, queries and features.

A line is ``grade qid:7 1:0.5 3:0.25 #docid = GX-01``; features count from 1, and those that a line leaves out are 0.
The label of a query is an integer or any text without spaces.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from penchant.counts import counted
from penchant.formats.parsing.letor_lines import REAL
from penchant.formats.parsing.letor_rows import GradedRows
from penchant.formats.parsing.reading import Findings, Reading, Written
from penchant.formats.parsing.source import Source, replaced_text
from penchant.formats.parsing.tabulated import has_shared_level, lost_columns
from penchant.preferences import Preferences
from penchant.progress import with_progress

NAME = "letor"
FIRST_LINES = re.compile(rf"(?:#.*\n)*[^\S\n]*{REAL}[^\S\n]+qid:\S", re.ASCII)


def read(source: Source, *, ids: bool = True) -> Reading:
    """Read graded documents; of two of one query, the one with the higher grade is better.

    Parameters
    ----------
    ids : bool
        Whether items are called by the document ids in the comments, where all lines have one. If not, the
        items are the rows of ``features``, which is what a model that takes an array wants.
    """
    findings = Findings(source, NAME)
    rows = GradedRows(findings)
    rows.read()
    if not len(rows):
        raise findings.no_rows()
    if rows.highest > source.limits.highest(rows.n_values):
        raise source.limits.reject("columns", f"the highest feature of {source.path}", rows.highest)
    grades, qid = rows.grades, rows.qid
    named = None if rows.documents is None else tuple(rows.documents)
    items = _items(named, qid, findings) if ids else None
    return findings.reading(
        Preferences.from_grades(grades, qid, items=items),
        rows.n_rows,
        features=rows.features,
        grades=grades,
        qid=qid,
        ids=named,
    )


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
        rows = zip(statements.starts[:-1], statements.starts[1:], strict=True)
        for row, (start, stop) in enumerate(with_progress(rows, len(statements)), 1):
            best = int(statements.levels[start:stop].max(initial=0))
            for member, level in zip(
                statements.members[start:stop], statements.levels[start:stop], strict=True
            ):
                file.write(f"{best - level} qid:{row} #docid = {_comment(preferences.items[member])}\n")
    return Written(path, NAME, len(statements.members), tuple(lost))


def _comment(name: str) -> str:
    return name if re.fullmatch(r"[\w./:-]+", name) else json.dumps(name)
