"""Changes of items and settings while a study runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant.errors import InvalidInput, UnknownItem
from penchant.study import Study
from tests.study.coactive.simulated import made


def test_items_come_change_go_and_return(path: Path) -> None:
    """Each change is an event, and is there again."""
    with made(path) as study:
        study.add_items([{"id": "new", "title": "new", "x": 1.0}])
        study.edit_item("new", x=3.0)
        study.retire("i0", "i0")
        with pytest.raises(InvalidInput, match="candidate 'i0' must be an item that is not retired"):
            study.present(["i0", "new"])
        study.bring_back("i0")
        study.retire("i1")
        assert study.present(["i0", "new"]).order == ("i0", "new")
    with Study.open(path) as study:
        assert study.items["new"].fields["x"] == 3.0
        assert study.retired == ("i1",)
        with pytest.raises(UnknownItem, match="item 'gone' must be of this study"):
            study.edit_item("gone", x=1)
        with pytest.raises(InvalidInput, match="item must be an id, got int"):
            study.retire(3)
        with pytest.raises(InvalidInput, match="a study needs at least 1 new item"):
            study.add_items([])


def test_new_features_are_rejected_where_they_cannot_join(path: Path) -> None:
    """A learner whose features are named takes items with no others."""
    with made(path, learner="convex") as study:
        for change in (
            lambda: study.add_items([{"id": "new", "title": "new", "w": 1.0}]),
            lambda: study.edit_item("i0", w=1.0),
        ):
            with pytest.raises(InvalidInput, match="feature 'w' must be one that the study was made with"):
                change()
        study.add_items([{"id": "new", "title": "new", "x": 1.0}])
        assert study.present(["new", "i0"]).order


def test_settings_change_but_for_what_was_learned_with(path: Path) -> None:
    """Title, retention and a baseline that does not learn can be changed; learner and features cannot."""
    with made(path) as study:
        assert study.change(title="Search", retention=30)["retention"] == {"days": 30.0}
        assert study.change(baseline={"feature": "x"})["title"] == "Search"
        number = study.revision()
        study.change(title="Search")
        assert study.revision() == number
        for name, value in (("learner", "convex"), ("depth", 3), ("per_user", True)):
            with pytest.raises(InvalidInput, match=f"{name} must stay as the study was made"):
                study.change(**{name: value})
        with pytest.raises(
            InvalidInput, match="baseline must be changed only between orders that do not learn"
        ):
            study.change(baseline="perceptron")
    with Study.open(path) as study:
        assert study.title == "Search"
