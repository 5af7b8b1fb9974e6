"""Parse lines of LETOR one by one: a grade, a query, features and a comment; say what is wrong with a line."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from functools import cache
from itertools import pairwise
from math import isfinite
from typing import NamedTuple

from penchant.checks import shown
from penchant.formats.parsing.comparisons import is_text
from penchant.formats.parsing.reading import Wrong
from penchant.formats.parsing.source import Limits

REAL = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_LINE = re.compile(rf"\s*({REAL})\s+qid:(\S+)((?:\s+\d{{1,9}}:{REAL})*)\s*", re.ASCII)
_INTEGER = re.compile(r"\d{1,18}", re.ASCII)
_ID = re.compile(r'\bdoc(?:id)?\s*[=:]\s*("(?:[^"\\]|\\.)*"|.+?)(?=\s+\w+\s*=|\s*$)')
_LONGEST_COMMENT = 2000


class Line(NamedTuple):
    """A graded document.

    Attributes
    ----------
    grade : float
    query : int or str
        An integer where the label is one of at most 18 digits.
    columns : list of int
        The features that the line gives, counted from 0, in rising order.
    values : list of float
    """

    grade: float
    query: int | str
    columns: list[int]
    values: list[float]


def parsed_line(text: str, limits: Limits) -> Line:
    """Parse a line without its comment, or raise `Wrong`.

    Examples
    --------
    >>> parsed_line("2 qid:7 3:0.25 1:.5", Limits())
    Line(grade=2.0, query=7, columns=[0, 2], values=[0.5, 0.25])
    >>> parsed_line("2 qid:tea", Limits()).query
    'tea'
    """
    if len(text) > limits.digits and _too_long(limits.digits).search(text):
        raise Wrong(limits.excess("digits", "digits of a number"))
    match = _LINE.fullmatch(text)
    if match is None:
        raise Wrong(_reason(text))
    grade, query = float(match[1]), match[2]
    if not isfinite(grade):
        raise Wrong(f"the grade must be a finite number, got {grade}")
    cells = (cell.partition(":") for cell in match[3].split())
    features = sorted((int(column), float(value)) for column, _, value in cells)
    if features and features[0][0] < 1:
        raise Wrong("features must count from 1, got 0")
    for (before, _), (column, _) in pairwise(features):
        if before == column:
            raise Wrong(f"feature {column} must stand once in a line, got it twice")
    values = [value for _, value in features]
    if not all(map(isfinite, values)):
        raise Wrong("features must be finite numbers, got one that is too large")
    return Line(grade, label(query, limits), [column - 1 for column, _ in features], values)


def label(text: str, limits: Limits) -> int | str:
    """Return the query that a label names: an integer if it is one, or raise `Wrong`."""
    if _INTEGER.fullmatch(text):
        return int(text)
    if len(text) > limits.field or not is_text(text):
        raise Wrong(limits.excess("field", "characters of a query", len(text)))
    return text


def document(comment: str) -> str | None:
    """Return the id that a comment gives the document, if it does.

    Examples
    --------
    >>> document("docid = GX-01 inc = 1"), document("no id here")
    ('GX-01', None)
    """
    found = _ID.search(comment[:_LONGEST_COMMENT])
    if found is None:
        return None
    name: str = found[1].strip()
    if name.startswith('"'):
        with suppress(ValueError):  # a quote that is part of the id
            name = json.loads(name)
    return name if name.strip() and is_text(name) else None


@cache
def _too_long(digits: int) -> re.Pattern[str]:
    return re.compile(rf"(?<!\d)\d{{{digits + 1}}}", re.ASCII)


def _reason(text: str) -> str:
    if "qid:" not in text:
        return f"a line must have a query like qid:7, got {shown(text.strip())}"
    cells = text.split()
    usable = (_LINE.fullmatch(f"0 qid:1 {cell}") for cell in cells[2:])
    bad = next((cell for cell, fits in zip(cells[2:], usable, strict=True) if not fits), text.strip())
    return f"a line must be like '2 qid:7 1:0.5 3:0.25', got {shown(bad)}"
