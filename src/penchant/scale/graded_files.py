"""Read the graded rows of one partition on its worker: from a file, a table, or arrays that stand side by side.

A file of graded documents is LETOR text, or a table (Parquet, CSV or TSV) with a column for each feature.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, shown, vector
from penchant.errors import InvalidInput
from penchant.formats.parsing.paths import PARQUET
from penchant.formats.parsing.source import NoRows
from penchant.metrics.queries import Queries
from penchant.rankers.ranker import known_features, training_features
from penchant.scale.partitions import named_errors

_BETWEEN = {".csv": ",", ".tsv": "\t"}
_LARGEST_QID = 2.0**53
"""Doubles above it are not told apart."""


@dataclass(frozen=True, eq=False)
class GradedChunk:
    """The checked rows of one partition.

    Attributes
    ----------
    name : str
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    grades : ndarray of shape (n_rows,)
        NaN where rows came without, which is enough to predict.
    qid : ndarray of shape (n_rows,), or None
        The label of each row's query; None: all rows are of one.
    weight : ndarray of shape (n_rows,)
    names : tuple of str, or None
        The names of the features.
    rejected : str
        About lines that could not be used.
    """

    name: str
    X: Any
    grades: Floats
    qid: NDArray[Any] | None
    weight: Floats
    names: tuple[str, ...] | None = None
    rejected: str = ""

    @property
    def queries(self) -> Queries:
        """The query of each row."""
        return Queries.of(self.qid, len(self.grades))

    def taken(self, rows: Any) -> GradedChunk:
        """Return some of the rows."""
        qid = None if self.qid is None else self.qid[rows]
        return replace(self, X=self.X[rows], grades=self.grades[rows], weight=self.weight[rows], qid=qid)


class Columns(NamedTuple):
    """The columns of a table that are no features: names, or None where there is none, or it stands beside it.

    Without names they are ``grade`` and ``qid``, where the table has them.
    """

    grade: str | None = None
    qid: str | None = None
    weight: str | None = None

    @classmethod
    def of(cls, y: Any, qid: Any, weight: Any) -> Columns:
        """Return the names among the arguments of `penchant.scale.fit`."""
        return cls(*(each if isinstance(each, str) else None for each in (y, qid, weight)))


def graded_chunk(
    name: str,
    parts: tuple[Any, ...],
    columns: Columns,
    estimator: Any,
    options: Mapping[str, Any],
    fitted: bool = False,
) -> GradedChunk:
    """Read and check a partition on a worker.

    Parameters
    ----------
    name : str
        By which errors call the partition.
    parts : tuple of X, grades, qid and weight
        X may be a path, a table, or a tuple of the four.
    estimator : RankSVM or RankBoost
        Says what features may be. Where it is ``fitted``, they are those that it was fitted to, and grades may lack.
    options : mapping
        How a LETOR file is read.
    """
    with named_errors(name):
        first, grades, qid, weight = (*parts, None, None, None)[:4]
        rejected = ""
        if isinstance(first, str):
            first, rejected = _read(Path(first), options)
        if isinstance(first, tuple | list):
            first, grades, qid, weight = (*first, None, None, None)[:4]
        if hasattr(first, "to_pandas"):
            first = first.to_pandas()
        if hasattr(first, "columns"):
            first, own = _split(first, columns, fitted)
            beside = zip((grades, qid, weight), own, strict=True)
            grades, qid, weight = (column if given is None else given for given, column in beside)
        X, names = _features(first, estimator, fitted)
        n_rows = X.shape[0]
        if grades is None and not fitted:
            raise InvalidInput.of("y", "be the grades of the rows", "none", "name their column, or give them")
        checked = (
            np.full(n_rows, np.nan) if grades is None else vector("grade", np.asarray(grades), length=n_rows)
        )
        weights = np.ones(n_rows) if weight is None else vector("weight", np.asarray(weight), length=n_rows)
        low = np.flatnonzero(weights < 0)
        if low.size:
            raise InvalidInput.of(
                f"weight of row {low[0]}", "be at least 0", f"{weights[low[0]]:g}", "correct the row"
            )
        return GradedChunk(
            name, X, checked, None if qid is None else _labels(qid, n_rows), weights, names, rejected
        )


def _read(path: Path, options: Mapping[str, Any]) -> tuple[Any, str]:
    """Return the table of a file, or features, grades and queries of LETOR text; and a text about lines left out."""
    from penchant.formats.parsing.source import ending_of

    ending = ending_of(path)
    if ending in PARQUET:
        import pandas as pd

        return pd.read_parquet(path, partitioning=None), ""  # folders called a=1 are no column
    if ending in _BETWEEN:
        import pandas as pd

        try:
            return pd.read_csv(path, sep=_BETWEEN[ending], low_memory=False), ""
        except pd.errors.EmptyDataError:
            return (np.zeros((0, 0)), np.zeros(0)), ""
    from penchant.formats import read_file
    from penchant.formats.parsing.reading import rejected_in_short

    try:
        reading = read_file(path, format="letor", ids=False, **options)
    except NoRows as error:
        return (np.zeros((0, 0)), np.zeros(0)), str(error) if error.rejected else ""
    rejected = rejected_in_short(reading.refusals) if reading.refusals else ""
    return (reading.features, reading.grades, reading.qid), rejected


def _split(table: Any, columns: Columns, fitted: bool) -> tuple[Any, tuple[Any, Any, Any]]:
    """Return the features of a table, and the columns that are none."""
    grade, qid, weight = columns
    inside = [
        name for name in getattr(table.index, "names", ()) if name in {*columns, "grade", "qid"} - {None}
    ]
    if inside:
        table = table.reset_index(level=inside)
    names = [str(name) for name in table.columns]
    if len(set(names)) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise InvalidInput.of(
            "columns of the table", "have different names", f"{twice!r} twice", "rename or drop one"
        )
    if grade is None and "grade" in table.columns:
        grade = "grade"
    if qid is None and "qid" in table.columns:
        qid = "qid"
    if fitted and grade not in table.columns:
        grade = None
    wanted = (grade, qid, weight)
    for column in wanted:
        if column is not None and column not in table.columns:
            listed = ", ".join(map(str, table.columns[:5])) + (", …" if len(table.columns) > 5 else "")
            raise InvalidInput.of("the table", f"have a column {column!r}", listed, "name another one")
    found = tuple(None if column is None else table[column] for column in wanted)
    return table.drop(columns=[column for column in wanted if column is not None]), found  # type: ignore[return-value]


def _features(X: Any, estimator: Any, fitted: bool) -> tuple[Any, tuple[str, ...] | None]:
    """Return features checked, and their names."""
    names = tuple(map(str, X.columns)) if hasattr(X, "columns") else None
    if not hasattr(X, "shape"):
        X = np.asarray(X)
    if len(X.shape) == 2 and not X.shape[0]:  # dask makes such partitions
        return np.zeros(X.shape), names
    _check_cells(X, names)
    if fitted:
        width = estimator.n_features_in_
        if hasattr(X, "tocsr") and X.shape[1] < width:  # LETOR text leaves out features that are 0
            X = _widened(X, width)
        if names is not None and hasattr(estimator, "feature_names_in_"):
            missing = [name for name in estimator.feature_names_in_ if name not in names]
            if not missing:
                X = X[list(estimator.feature_names_in_)]
        return known_features(estimator, X), names
    checker = copy(estimator)
    checked = training_features(checker, X)
    found = getattr(checker, "feature_names_in_", None)
    return checked, None if found is None else tuple(found.tolist())


def widened(chunk: GradedChunk, n_features: int) -> GradedChunk:
    """Return a chunk with features that are 0 in all its rows, which LETOR text leaves out."""
    return replace(chunk, X=_widened(chunk.X, n_features))


def _widened(X: Any, n_features: int) -> Any:
    if isinstance(X, np.ndarray):
        return np.zeros((0, n_features))  # of a partition without rows
    X = X.tocsr().copy()
    X.resize((X.shape[0], n_features))
    return X


def _check_cells(X: Any, names: tuple[str, ...] | None) -> None:
    """Raise for the first feature that is missing, infinite or no number, with its row."""
    if hasattr(X, "columns"):
        for name in X.columns:
            _check_column(X[name], name)
        X = X.to_numpy()
    matrix: Any = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
    values: Any = matrix.data if hasattr(X, "tocsr") else matrix
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return
    if hasattr(X, "tocsr"):
        place = int(np.flatnonzero(~np.isfinite(values))[0])
        row, column = int(np.searchsorted(matrix.indptr, place, side="right")) - 1, int(matrix.indices[place])
        value = values[place]
    else:
        row, column = (int(index[0]) for index in np.nonzero(~np.isfinite(values)))
        value = values[row, column]
    which = f"feature {column}" if names is None else f"feature {names[column]!r}"
    raise InvalidInput.of(f"{which} of row {row}", "be a finite number", f"{value:g}", "correct the row")


def _check_column(column: Any, name: Any) -> None:
    """Raise where a column of a table holds no numbers, or a cell is missing that numpy has no NaN for."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return
    import pandas as pd

    if column.dtype.kind in "mMc":
        raise InvalidInput.of(
            f"feature {str(name)!r}", "hold numbers", str(column.dtype), "convert it, or leave the column out"
        )
    wrong = np.flatnonzero(pd.to_numeric(column, errors="coerce").isna().to_numpy())
    if wrong.size:
        raise InvalidInput.of(
            f"feature {str(name)!r} of row {wrong[0]}",
            "be a number",
            shown(column.iloc[wrong[0]]),
            "correct the row, or leave the column out",
        )


def _labels(qid: Any, n_rows: int) -> NDArray[Any]:
    """Return labels of queries that are the same in every partition: all whole numbers, or all texts."""
    labels = np.asarray(qid)
    if labels.shape != (n_rows,):
        raise InvalidInput.of(
            "qid", f"have an entry for each of {n_rows:,} rows", f"shape {labels.shape}", "give as many"
        )
    if labels.dtype.kind in "iub":
        return labels.astype(np.int64)
    if labels.dtype.kind == "f":
        broken = np.flatnonzero(~((labels == np.floor(labels)) & (np.abs(labels) <= _LARGEST_QID)))
        if broken.size:
            row = int(broken[0])
            raise InvalidInput.of(
                f"qid of row {row}", "be a whole number or text", f"{labels[row]:g}", "correct the row"
            )
        return labels.astype(np.int64)
    import pandas as pd

    missing = np.flatnonzero(pd.isna(labels))
    if missing.size:
        raise InvalidInput.of(f"qid of row {missing[0]}", "be a label", "none", "correct the row")
    return np.array([str(label) for label in labels.tolist()], dtype=object)
