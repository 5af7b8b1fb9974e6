"""The bundled documents: all there, with features that a study learns from."""

from __future__ import annotations

from pathlib import Path

from penchant.examples.documents import FEATURES, document_items, documents
from penchant.study.coactive import CoactiveStudy


def test_the_documents_are_whole() -> None:
    """Each has an id of its own, a title and a text; years and minutes become numbers from 0 to 1."""
    found = documents()
    assert len({document.id for document in found}) == len(found) == 60
    assert all(document.title and document.text and document.topic and document.kind for document in found)
    assert all(0 <= number <= 1 for document in found for number in (document.recent, document.short))
    newest, longest = max(found, key=lambda one: one.recent), min(found, key=lambda one: one.short)
    assert newest.year == max(document.year for document in found)
    assert longest.minutes == max(document.minutes for document in found)


def test_a_study_learns_from_their_features(tmp_path: Path) -> None:
    """A click on a short document raises the weight of short; categories have one column a value."""
    items = document_items()
    with CoactiveStudy.create(tmp_path / "search.db", items, features=FEATURES) as study:
        shown = study.present([item["id"] for item in items])
        short = max(items, key=lambda item: item["short"])
        study.feedback(shown, clicked=[short["id"]])
        weights = study.weights()
    assert weights["short"] > 0
    assert {"kind=guide", "kind=story", "topic=gardening"} <= weights.keys()
