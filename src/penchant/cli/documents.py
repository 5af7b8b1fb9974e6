"""Graded documents, read from LETOR or a table with features."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from penchant.cli.command import limits, report
from penchant.cli.inputs import (
    STANDARD_INPUT,
    columns_of_numbers,
    file_or_input,
    is_table,
    read_reported,
    read_table,
)
from penchant.errors import InvalidInput

_LETOR = re.compile(rb"\S+\s+(qid:\S+\s+)?\d+:")
_NAMED = 5
_MOST_LEVELS = 100
_IS = "="  # between a column and one of its words

Graded = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Graded documents: LETOR (SVMlight with qid), or a table (.csv, .tsv) with a column a feature.",
        show_default=False,
    ),
]
Grade = Annotated[str, typer.Option(metavar="COLUMN", help="The column of grades, in a table.")]
Query = Annotated[
    str, typer.Option(metavar="COLUMN", help="The column of queries, in a table; without it all are one.")
]


@dataclass(frozen=True, eq=False)
class Documents:
    """Documents with features.

    Attributes
    ----------
    features : sparse array or DataFrame of shape (n, n_features)
    grades : array of shape (n,) or None
        None where a table holds none, which is enough to predict.
    qid : array of shape (n,) or None
        None: all are of one query.
    """

    features: Any
    grades: Any
    qid: Any

    @property
    def n_queries(self) -> int:
        """How many queries there are."""
        return 1 if self.qid is None else len(set(self.qid.tolist()))


def read_documents(
    file: Path, grade: str, query: str, without: list[str] | None = None, *, graded: bool = True
) -> Documents:
    """Read documents, and report on the error output what of the file is not used.

    The standard input holds LETOR where its first line does, else a table.
    """
    if file == STANDARD_INPUT:
        with file_or_input(file) as place:
            with place.open("rb") as opened:
                table = place.with_suffix(".csv" if _LETOR.match(opened.readline(4096)) is None else ".txt")
            return read_documents(place.rename(table), grade, query, without, graded=graded)
    if is_table(file):
        return _read_table(file, grade, query, without or [], graded=graded)
    reading = read_reported(file, format="letor", columns={"ids": False})
    return Documents(reading.features, reading.grades, reading.qid)


def columns_typed(file: Path, grade: str, query: str) -> list[str]:
    """Return the options with which another command reads the same table in the same way."""
    if not is_table(file):
        return []
    words = [] if grade == "grade" else ["--grade", grade]
    return words if query == "qid" else [*words, "--query", query]


def features_for(ranker: Any, documents: Documents, file: Path, encode: list[str] | None = None) -> Any:
    """Return the features as a fitted or fresh ranker takes them: its own columns, written out if it must be.

    Each of the columns ``encode`` becomes one column of 0 and 1 for each of its words but the first.
    """
    features, wanted = documents.features, getattr(ranker, "n_features_in_", None)
    if hasattr(features, "columns"):
        if wanted is not None:
            return _own_columns(ranker, features, file)
        return _usable_columns(_encoded(features, encode or [], file), file)
    if wanted is not None:
        if hasattr(ranker, "feature_names_in_"):
            raise InvalidInput(
                f"{file} must be a table with the columns that the model was fitted to, got LETOR: "
                "give a .csv or .tsv file"
            )
        if features.shape[1] > wanted:
            raise InvalidInput(
                f"documents must have at most {wanted} features, got {features.shape[1]}: fit on the same ones"
            )
        features = features.copy()
        features.resize((features.shape[0], wanted))  # the last ones may be 0 in every document
    if ranker.__sklearn_tags__().input_tags.sparse:
        return features
    size = 8 * features.shape[0] * features.shape[1]
    if size > limits().bytes:
        what = f"bytes of the features of {file}, written out as {type(ranker).__name__} needs them,"
        raise limits().reject("bytes", what, size)
    return features.toarray()


def _read_table(file: Path, grade: str, query: str, without: list[str], *, graded: bool) -> Documents:
    table = read_table(file)
    missing = [name for name in (*without, *([grade] if graded else [])) if name not in table]
    if missing:
        columns = ", ".join(map(str, table.columns[:_NAMED])) + (", …" if table.shape[1] > _NAMED else "")
        raise InvalidInput(
            f"{file} must have a column {missing[0]!r}, got {columns}: name columns with --grade and --query"
        )
    if query not in table:
        report(f"Note: no column {query!r}: all rows are taken for one query (--query names the column)")
    return Documents(
        table.drop(columns=[name for name in (grade, query, *without) if name in table]),
        table[grade].to_numpy() if grade in table else None,
        table[query].to_numpy() if query in table else None,
    )


def _encoded(table: Any, names: list[str], file: Path) -> Any:
    """Return a table in which columns of words are columns of 0 and 1, called COLUMN=WORD, all words but the first."""
    for name in names:
        if name not in table:
            raise InvalidInput.of("--encode", f"name a column of {file}", repr(name), "correct it")
        words = table[name].astype(str)
        levels = sorted(words.unique())
        if len(levels) > _MOST_LEVELS:
            raise InvalidInput.of(
                f"column {name!r} of {file}",
                f"hold at most {_MOST_LEVELS} different words to be encoded",
                f"{len(levels):,}",
                "leave it out",
            )
        place = table.columns.get_loc(name)
        table = table.drop(columns=name)
        for offset, level in enumerate(levels[1:]):
            table.insert(place + offset, f"{name}{_IS}{level}", (words == level).astype(float))
    return table


def _usable_columns(table: Any, file: Path) -> Any:
    """Return the columns that a model can be fitted to."""
    features = columns_of_numbers(table)
    if 0 in features.shape:
        raise InvalidInput(
            f"{file} must have rows and at least one column of numbers that is a feature, "
            f"got shape {features.shape}: add features, or give --encode with a column of words"
        )
    return features


def _own_columns(ranker: Any, table: Any, file: Path) -> Any:
    """Return the columns that the ranker was fitted to, in its order."""
    names = getattr(ranker, "feature_names_in_", None)
    if names is None:
        raise InvalidInput(
            f"{file} must be LETOR, as what the model was fitted to, got a table: give such a file"
        )
    for name in names:
        column, found, word = str(name).partition(_IS)
        if found and name not in table and column in table:
            table = table.assign(**{name: (table[column].astype(str) == word).astype(float)})
    missing = [name for name in names if name not in table]
    if missing:
        raise InvalidInput(
            f"{file} must have the columns that the model was fitted to, got none called {missing[0]!r}: add it"
        )
    return table[list(names)]
