"""Sixty short documents to search in, each with a topic, a kind, a year and the minutes that it takes to read."""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any

FIRST_YEAR, LAST_YEAR, LONGEST = 2012, 2026, 30
FEATURES = ("short", "recent", "kind", "topic")
"""The fields of `document_items` that a study can learn from: two numbers from 0 to 1, and two categories."""


@dataclass(frozen=True)
class Document:
    """A document of the collection.

    Examples
    --------
    >>> from penchant.examples import documents
    >>> first = documents()[0]
    >>> first.id, first.topic, first.minutes
    ('g1', 'gardening', 6)
    """

    id: str
    title: str
    text: str
    topic: str
    kind: str
    year: int
    minutes: int

    @property
    def recent(self) -> float:
        """How recent it is, from 0 for the first year to 1 for the last."""
        return round((self.year - FIRST_YEAR) / (LAST_YEAR - FIRST_YEAR), 4)

    @property
    def short(self) -> float:
        """How short it is, from 0 for half an hour to 1."""
        return round(1 - self.minutes / LONGEST, 4)


def documents() -> tuple[Document, ...]:
    """Return the documents.

    Examples
    --------
    >>> first, *others = documents()
    >>> first.title, first.kind, first.short, len(others)
    ('Pruning a pear tree in winter', 'guide', 0.8, 59)
    """
    with files("penchant.examples").joinpath("documents.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return tuple(
        Document(**{**row, "year": int(row["year"]), "minutes": int(row["minutes"])})  # type: ignore[arg-type]
        for row in rows
    )


def document_items() -> list[dict[str, Any]]:
    """Return the documents as the items of a study, with the fields of `FEATURES`.

    Examples
    --------
    >>> {name: document_items()[0][name] for name in FEATURES}
    {'short': 0.8, 'recent': 0.1429, 'kind': 'guide', 'topic': 'gardening'}
    """
    return [
        {**asdict(document), "short": document.short, "recent": document.recent} for document in documents()
    ]
