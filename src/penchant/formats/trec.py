"""Runs and relevance judgements of TREC.

A line of a run is ``query Q0 document rank score name``, one of judgements ``query 0 document grade``; words are
separated by spaces or tabs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from penchant.checks import shown
from penchant.errors import InvalidInput
from penchant.formats.parsing.source import Limits, Source
from penchant.metrics import Qrels, Run
from penchant.progress import step_done

_RUN, _QRELS = 6, 4
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,9}", re.ASCII)
_LISTED = 60

Value = TypeVar("Value", int, float)


def read_run(path: str | Path, *, limits: Limits | None = None) -> Run:
    r"""Read a run; a line that cannot be used is an error that names it.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "run.txt"
    >>> _ = place.write_text("q1 Q0 GX-1 1 2.5 mine\nq1 Q0 GX-2 2 1.5 mine\n")
    >>> read_run(place).scores
    {'q1': {'GX-1': 2.5, 'GX-2': 1.5}}
    """
    source = Source.of(path, limits, step_done)
    name = source.first_lines[0].split()[-1]
    return Run(_read(source, _RUN, "query Q0 document rank score name", _score), name)


def read_qrels(path: str | Path, *, limits: Limits | None = None) -> Qrels:
    r"""Read judgements; a line that cannot be used is an error that names it.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = place.write_text("q1 0 GX-1 2\nq1 0 GX-2 0\n")
    >>> read_qrels(place).grades
    {'q1': {'GX-1': 2, 'GX-2': 0}}
    """
    return Qrels(_read(Source.of(path, limits, step_done), _QRELS, "query 0 document grade", _grade))


def looks_like_run(path: str | Path, *, limits: Limits | None = None) -> bool:
    """Whether the first line of a file is one of a run."""
    cells = Source.of(path, limits).first_lines[0].split()
    return len(cells) == _RUN and _NUMBER.fullmatch(cells[4]) is not None


def looks_like_qrels(path: str | Path, *, limits: Limits | None = None) -> bool:
    """Whether the first line of a file is one of judgements."""
    cells = Source.of(path, limits).first_lines[0].split()
    return len(cells) == _QRELS and _WHOLE.fullmatch(cells[3]) is not None


def _read(
    source: Source, width: int, form: str, value: Callable[[str], Value | None]
) -> dict[str, dict[str, Value]]:
    found: dict[str, dict[str, Value]] = {}
    place = 4 if width == _RUN else 3
    for number, line in _lines(source):
        cells = line.split()
        if not cells:
            continue
        if len(cells) != width:
            raise _wrong(source, number, f"a line must be like '{form}'", line)
        given = value(cells[place])
        if given is None:
            what = (
                "the score must be a finite number" if width == _RUN else "the grade must be a whole number"
            )
            raise _wrong(source, number, what, cells[place])
        documents = found.setdefault(cells[0], {})
        if cells[2] in documents:
            raise _wrong(source, number, f"query {cells[0]} must name a document once", cells[2])
        documents[cells[2]] = given
    return found


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    with source.open_text() as file:
        yield from enumerate(file, 1)


def _score(text: str) -> float | None:
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    return value if math.isfinite(value) else None


def _grade(text: str) -> int | None:
    return int(text) if _WHOLE.fullmatch(text) else None


def _wrong(source: Source, number: int, what: str, came: str) -> InvalidInput:
    return InvalidInput(
        f"{source.path}:{number}: {what}, got {shown(came.strip(), _LISTED)}: repair the line"
    )
