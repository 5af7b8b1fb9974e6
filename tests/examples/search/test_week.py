"""The search example: a short week runs, and its figures are what they say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from examples.search.__main__ import main
from examples.search.collection import QUERIES, Collection, words
from examples.search.people import TASTES, population
from examples.search.week import World, play
from penchant.study.coactive import CoactiveStudy


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two days of twelve searches, by the command, over HTTP."""
    place = tmp_path_factory.mktemp("week")
    assert main(["--days", "2", "--searches", "12", "--out", str(place)]) == 0
    return place


def test_a_short_week_leaves_studies_figures_and_pictures(folder: Path) -> None:
    """Both studies hold all searches and fold to what they are; the pictures are there."""
    figures = json.loads((folder / "figures.json").read_text())
    assert figures["searches"] == 24
    with CoactiveStudy.open(folder / "plain.db", write=False) as plain:
        assert plain.progress() == "24 presentations, 24 with feedback; 24 rounds learned"
        assert plain.check().ok
    with CoactiveStudy.open(folder / "search.db", write=False) as live:
        assert live.progress() == "24 presentations, 24 with feedback; 16 rounds learned"
        found = live.interleaving()
        last = figures["interleaving"][-1]
        assert (found.wins, found.losses, found.ties) == (last["wins"], last["losses"], last["ties"])
        assert sum((found.wins, found.losses, found.ties)) == 8
        assert live.check().ok
    for name in ("wins", "regret", "people"):
        assert (folder / f"search-{name}.png").read_bytes().startswith(b"\x89PNG")


def test_regret_keeps_the_bound(folder: Path) -> None:
    """Theorem 1 holds after every round that is kept."""
    found = json.loads((folder / "figures.json").read_text())["regret"]
    assert found["rounds"][-1] == 24
    assert all(np.array(found["regret"]) <= np.array(found["bound"]))


def test_the_same_seed_gives_the_same_week(folder: Path, tmp_path: Path) -> None:
    """Also without a server; and studies that are there are not overwritten."""
    again = play(tmp_path, days=2, searches=12, in_process=True)
    assert again == json.loads((folder / "figures.json").read_text())
    assert main(["--out", str(folder)]) == 2


def test_the_collection_is_whole() -> None:
    """Sixty documents on six topics, of three kinds; each query matches some, and features are within bounds."""
    collection = Collection.read()
    assert len({document.id for document in collection.documents}) == 60
    assert len({document.topic for document in collection.documents}) == 6
    assert {document.kind for document in collection.documents} == {"guide", "story", "reference"}
    assert words("The wheels of a bus") == ["wheel", "bus"]
    for query in QUERIES:
        candidates = collection.candidates(query)
        matches = [features["text match"] for features in candidates.values()]
        assert len(candidates) == 15
        assert matches == sorted(matches, reverse=True)
        assert matches[0] > 0
        for features in candidates.values():
            assert all(0 <= value <= 1 for value in features.values() if not isinstance(value, str))


def test_people_click_what_they_look_at() -> None:
    """One or two of the first six places, the better the likelier; the radius bounds every joint feature vector."""
    world, random = World.of(Collection.read()), np.random.default_rng(0)
    for taste in (*TASTES, population()):
        for query, context in world.contexts.items():
            order = list(context)
            clicked = taste.clicks(order, context, random)
            assert 1 <= len(clicked) <= 2
            assert set(clicked) <= set(order[:6])
            assert world.utility(taste, query, order) <= world.largest(taste, query) + 1e-12
            norm = np.linalg.norm(list(taste.weights.values()))
            assert abs(world.utility(taste, query, order)) <= world.radius() * norm
