"""The documents, the queries, and the features of a document for a query."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from penchant.examples import Document, documents

QUERIES = (
    *("mend a wheel", "cut wood", "winter garden", "tune by ear", "stars at night", "table of sizes"),
    *(
        "bread and soup",
        "pear tree",
        "mirror telescope",
        "joint for a drawer",
        "sun and moon",
        "herbs in a jar",
    ),
    *(
        "first lessons",
        "rain on the road",
        "weights in one table",
        "clean and sharp",
        "cold morning",
        "sea and stars",
    ),
    *(
        "build a boat",
        "read notes",
        "keys and chords",
        "compost and soil",
        "light and camera",
        "tyre pressure",
    ),
)
MATCH = "text match"
"""The feature by which the baseline orders, the largest first."""
_WORD = re.compile(r"[a-z]+")
_STOP = frozenset(
    {
        *(
            "a",
            "an",
            "and",
            "at",
            "by",
            "for",
            "from",
            "how",
            "in",
            "it",
            "its",
            "not",
            "of",
            "on",
            "one",
            "or",
        ),
        *("that", "the", "their", "to", "what", "where", "which", "with"),
    }
)


@dataclass(frozen=True)
class Collection:
    """The documents, with the weights of their words."""

    documents: tuple[Document, ...]

    @classmethod
    def read(cls) -> Collection:
        """Read the documents that come with Penchant."""
        return cls(documents())

    @cached_property
    def _vectors(self) -> dict[str, dict[str, float]]:
        """For each document its words, weighted by how rare they are, with a norm of 1."""
        counts = {
            document.id: Counter(words(f"{document.title} {document.text}")) for document in self.documents
        }
        spread = Counter(word for found in counts.values() for word in found)
        vectors = {}
        for id, found in counts.items():
            vector = {word: count * math.log(1 + len(counts) / spread[word]) for word, count in found.items()}
            norm = math.sqrt(sum(value * value for value in vector.values()))
            vectors[id] = {word: value / norm for word, value in vector.items()}
        return vectors

    def match(self, query: str, document: Document) -> float:
        """Return how well the text of a document matches a query, from 0 to 1."""
        wanted = words(query)
        vector = self._vectors[document.id]
        return sum(vector.get(word, 0.0) for word in wanted) / math.sqrt(len(wanted))

    def candidates(self, query: str, count: int = 15) -> dict[str, dict[str, float | str]]:
        """Return the documents that match a query best, with their features; the best match first."""
        found = sorted(self.documents, key=lambda document: (-self.match(query, document), document.id))
        return {document.id: self.features(query, document) for document in found[:count]}

    def features(self, query: str, document: Document) -> dict[str, float | str]:
        """Return the features of a document for a query: numbers from 0 to 1, and categories."""
        title, wanted = set(words(document.title)), words(query)
        return {
            MATCH: round(self.match(query, document), 4),
            "title match": round(sum(word in title for word in wanted) / len(wanted), 4),
            "recent": document.recent,
            "short": document.short,
            "kind": document.kind,
            "topic": document.topic,
        }


def words(text: str) -> list[str]:
    """Return the words of a text that count, without a plural's s."""
    found = [word for word in _WORD.findall(text.lower()) if word not in _STOP]
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in found]
