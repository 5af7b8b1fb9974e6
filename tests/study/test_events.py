"""Events that this version does not know are rejected with a clear error, never folded or raised raw."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from penchant.errors import CannotLoad
from penchant.preferences import Preferences
from penchant.store import SQLiteLog
from penchant.study import Study
from penchant.study.events import KINDS, newest
from penchant.study.settings import DEFAULTS, MODELS

FIRST = Path(__file__).parents[1] / "fixtures" / "study-schema-1.db"


def created(**changes: Any) -> dict[str, Any]:
    """The content of the event that makes a study, changed."""
    model = {"name": "thurstone", "settings": MODELS["thurstone"].load()().get_params()}
    asking = {"top": None, "forbidden": []}
    return {"kind": "compare", "title": "x", "model": model, "asking": asking, "seed": 1, **changes}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model": {"name": "elo", "settings": {}}}, "its setting 'model' must be one known here"),
        (
            {"model": {"name": "thurstone", "settings": {"z": 1}}},
            "its setting 'model' must be one known here",
        ),
        ({"model": {"name": "thurstone"}}, "settings must be there"),
        ({"kind": "rate"}, "kind of the study must be 'compare'"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"asking": {"top": None, "forbidden": [["a", "b", "c"]]}}, "its setting 'forbidden' must be"),
        ({"asking": {"top": None, "forbidden": [7]}}, "its setting 'forbidden' must be"),
        ({"asking": {"top": None, "forbidden": [["a", "z"]]}}, "two items and those that its settings name"),
        ({"asking": {"top": 2, "forbidden": []}}, "two items and those that its settings name"),
    ],
)
def test_unknown_settings_are_rejected(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    """Models, settings and pairs that this version does not know, or that name unknown items, are reported."""
    items = [{"id": name, "title": name, "text": ""} for name in "ab"]
    entries = [("created", "created", created(**changes), 2), ("items", "items", {"items": items})]
    SQLiteLog.create(tmp_path / "study.db", entries).close()
    with pytest.raises(CannotLoad, match=words):
        Study.open(tmp_path / "study.db")


def test_a_study_without_items_is_rejected(tmp_path: Path) -> None:
    """A log that ends before its items is not whole."""
    SQLiteLog.create(tmp_path / "study.db", [("created", "created", created(), 2)]).close()
    with pytest.raises(CannotLoad, match="at least two items"):
        Study.open(tmp_path / "study.db")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "study.db", ["tea", "coffee", "milk"], seed=1) as study:
        study.tell(study.ask("ann"), "left", event_id="a1")
    return tmp_path / "study.db"


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (("x", "judged", {}), "its kind must be one of"),
        (("x", "answered", {"question": "q", "choice": "left"}, 9), "its version must be at most 1, got 9"),
        (("x", "answered", {"question": "q"}), "choice must be there"),
        (("x", "answered", {"question": "q", "choice": "left", "mood": 1}), "got also 'mood'"),
        (("x", "answered", {"question": 7, "choice": "left"}), "question must be of type str, got int"),
        (("x", "answered", {"question": "none", "choice": "left"}), "a question that was asked"),
        (("x", "undone", {"event": "none"}), "an answer or an undo"),
        (("x", "undone", {"event": True}), "event must be of type str, got bool"),
        (
            ("x", "asked", {"left": "tea", "right": "wine", "judge": "ann"}),
            "both items must be of this study",
        ),
        (("x", "items", {"items": [7]}), "an item must have the parts known here"),
        (("x", "items", {"items": [{"id": "a", "name": "b"}]}), "an item must have the parts known here"),
        (("x", "created", {}), "version|kind must be there"),
        (("x", "created", created(), 2), "a study must be made once"),
    ],
)
def test_unknown_events_are_rejected(path: Path, entry: Any, words: str) -> None:
    """Another kind, version, field or type is reported with the event's number; stored content is not quoted."""
    with SQLiteLog.open(path) as log:
        log.append_all([entry])
    with pytest.raises(CannotLoad, match=rf"event 5 of the log cannot be read: .*{words}.*upgrade Penchant"):
        Study.open(path)


def test_every_event_is_written_in_its_newest_version(path: Path) -> None:
    """What is written today is what is read today."""
    with Study.open(path) as study:
        study.undo("a1")
        study.add_items(["water"])
        study.edit_item("water", title="Water")
        study.retire("water")
        study.bring_back("water")
        study.set_aside("ann")
        study.take_back("ann")
        study.change(title="Drinks")
        study.import_answers(Preferences.from_pairs([("tea", "coffee")]))
        events = list(study._log.events())
    assert {event.kind for event in events} == set(KINDS)
    assert all(event.version == newest(event.kind) for event in events if event.kind != "asked")


def test_the_log_keeps_every_setting_of_the_model(path: Path) -> None:
    """A default that changes later changes no study: all settings are in the log."""
    with SQLiteLog.open(path, write=False) as log:
        settings = next(iter(log.events())).content["settings"]
    model = settings["model"]
    assert settings.keys() == DEFAULTS.keys()
    assert model["settings"] == MODELS[model["name"]].load()().get_params()


def test_a_study_of_the_first_version_means_the_defaults_of_its_time(tmp_path: Path) -> None:
    """Events that hold no settings mean prior=0.1, whatever the default is now; answers and undos are as before."""
    path = tmp_path / "study.db"
    shutil.copyfile(FIRST, path)
    path.chmod(0o600)
    for write in (False, True):
        with Study.open(path, write=write) as study:
            assert study.model().get_params() == {"prior": 0.1, "errors": "auto", "feature_prior": 1.0}
            assert (study.title, list(study.items)) == ("Drinks", ["Tea", "Coffee", "Water", "Milk", "Juice"])
            assert [answer.id for answer in study.answers()] == [f"e{k}" for k in range(12) if k != 3]
    with Study.open(path) as study:
        study.tell(study.ask("ann"), "left")
        assert len(study.answers()) == 12
        assert "secret" not in json.dumps([event.content for event in study._log.events()])


def test_a_study_of_an_earlier_version_ranks_as_it_did(tmp_path: Path) -> None:
    """A study saved in November 2026, with all five answers and an undo, gives nearly the ranking that it gave then."""
    shutil.copyfile(FIRST.parent / "study-schema-2.db", tmp_path / "study.db")
    (tmp_path / "study.db").chmod(0o600)
    with Study.open(tmp_path / "study.db", write=False) as study:
        ranking = study.rank()
        assert study.progress() == "8 answers; every item seen at least 3 times"
    assert ranking.items[0] == "juice"
    assert ranking.bar == pytest.approx(3.22163, rel=0.01)
