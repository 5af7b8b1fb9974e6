"""Warn where graded rows look like several queries, but nothing says which row belongs to which."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable
from warnings import warn

import numpy as np

from penchant.checks import Floats
from penchant.errors import PenchantWarning

# A person grades hundreds of rows, and search engines cut their lists at 1,000: more rows in a few grades are
# mostly the pooled rows of several queries. Finer targets, such as sales, are those of one list.
MOST_ROWS, MOST_GRADES = 1_000, 20
_LIBRARIES = {"penchant", "sklearn", "joblib"}
_warned: set[tuple[str, int]] = set()


def warn_of_missing_queries(grades: Floats, qid: Iterable[Hashable] | None) -> None:
    """Warn that many rows in few grades came without ``qid``, once for each line of the caller.

    A search fits many times behind one line, and scikit-learn makes Python forget what it has warned of.

    Parameters
    ----------
    grades : ndarray of shape (n_rows,)
    qid : array-like of shape (n_rows,), optional
    """
    if qid is not None or len(grades) <= MOST_ROWS or len(np.unique(grades)) > MOST_GRADES:
        return
    line, stacklevel = _line_of_the_caller()
    if line in _warned:
        return
    warn(
        f"qid must name the query of each row, got none for more than {MOST_ROWS:,} rows in at most {MOST_GRADES} "
        "grades, and all rows are compared as one list: pass qid=qid, also to a pipeline or a search, after "
        "sklearn.set_config(enable_metadata_routing=True); groups is for the folds only. "
        "If the rows are one list, pass qid=np.zeros(len(y))",
        PenchantWarning,
        stacklevel=stacklevel,
    )
    _warned.add(line)


def _line_of_the_caller() -> tuple[tuple[str, int], int]:
    """Return the line outside of the libraries that led here, and its stack level as seen by my caller."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in _LIBRARIES:
        frame, level = frame.f_back, level + 1
    return (frame.f_code.co_filename, frame.f_lineno), level
