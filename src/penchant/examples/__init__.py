"""Bundled comparisons, items and documents for first trials. All of them are invented."""

from __future__ import annotations

import csv
from importlib.resources import files

from penchant.examples.documents import Document, document_items, documents
from penchant.preferences import Preferences

__all__ = ["EXAMPLES", "Document", "document_items", "documents", "pleasures"]

EXAMPLES = ("pleasures.csv", "cars.csv", "papers.csv", "citations.csv", "documents.csv")
"""The files: answers about pleasant things, cars with features, papers, which paper cites which, and documents."""


def pleasures() -> Preferences:
    """Return 240 answers of four simulated judges about twelve pleasant things, one judge less careful.

    Examples
    --------
    >>> pleasures()
    Preferences: 235 rows of 12 items implying 221 pairs and 20 ties by 4 judges, connected
    """
    with files("penchant.examples").joinpath("pleasures.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return Preferences.from_answers(
        columns["left"], columns["right"], columns["outcome"], judge=columns["judge"]
    )
