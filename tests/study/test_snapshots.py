"""Snapshots are caches: what they restore is what the log gives, and where anything differs they are not used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.preferences import Preferences
from penchant.study import Study, snapshots
from penchant.study.answers import Answer, Question
from penchant.study.encoding import Encoder
from penchant.study.items import Item
from penchant.study.learning import Predicted
from penchant.study.snapshots import Snapshot, digest_of, fingerprint, pack, unpack
from penchant.worth import BradleyTerry


def test_a_snapshot_is_restored_to_the_bit() -> None:
    """The belief that comes out continues as the one that went in."""
    belief = BradleyTerry().live(Preferences.from_pairs([("a", "b"), ("b", "c"), ("a", "c")] * 3))
    predicted = Predicted(np.array([[0.5, 0.5, 0.0]]), np.array([1]))
    again = unpack(pack(Snapshot(belief, 9, 8, predicted)))
    assert again is not None
    assert (again.count, again.base) == (9, 8)
    assert again.predicted is not None
    assert again.predicted.probability.tolist() == [[0.5, 0.5, 0.0]]
    for one in (belief, again.belief):
        one.answer(0, 2, 1)
    assert belief.mean.tobytes() == again.belief.mean.tobytes()
    assert belief.covariance().tobytes() == again.belief.covariance().tobytes()


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04"])
def test_what_cannot_be_read_is_none(content: bytes) -> None:
    """A snapshot of something else is no error: the log has everything."""
    assert unpack(content) is None


def test_a_foreign_class_is_not_loaded() -> None:
    """Only classes of this package are named in a snapshot."""

    class Foreign:
        def state(self) -> dict[str, int]:
            return {}

    assert unpack(pack(Snapshot(Foreign(), 0, 0, None))) is None  # type: ignore[arg-type]


def test_the_fingerprint_depends_on_everything() -> None:
    """Settings, items, answers, weights, code and arithmetic."""
    answer = Answer("a", Question("q", "x", "y", "me"), "left")
    others = (answer._replace(choice="right"), answer._replace(weight=2.0))
    encode = Encoder({"x": 0, "y": 1})
    prints = {
        fingerprint("one", encode([answer])),
        fingerprint("two", encode([answer])),
        fingerprint("one", encode([])),
        *(fingerprint("one", encode([other])) for other in others),
        fingerprint("one", encode([answer, answer])),
    }
    assert len(prints) == 6
    assert fingerprint("one", encode([answer._replace(id="b", time=5.0)])) in prints


def test_the_digest_depends_on_what_models_take() -> None:
    """Settings, and the ids, fields and links of the items in their order; no title, which may be corrected."""
    first, second = Item("a", "A", fields={"x": 1.0}), Item("b", "B", links={"a": 1.0})
    digests = {
        digest_of({"model": 1}, [first, second]),
        digest_of({"model": 2}, [first, second]),
        digest_of({"model": 1}, [second, first]),
        digest_of({"model": 1}, [first]),
        digest_of({"model": 1}, [Item("a", "A", fields={"x": 2.0}), second]),
        digest_of({"model": 1}, [first, Item("b", "B", links={"a": 2.0})]),
    }
    assert len(digests) == 6
    assert digest_of({"model": 1}, [Item("a", "Other", fields={"x": 1.0}), second]) in digests


def test_a_study_continues_from_its_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opened again it restores the snapshot; with another fingerprint it folds; both give the same bytes."""
    place = tmp_path / "s.db"
    with Study.create(place, list("abcdef"), seed=1) as study:
        for number in range(40):
            study.tell(study.ask(), ("left", "right", "tie")[number % 3])
        expected = study.rank().to_json(), study.predictions(last=None).probabilities.tobytes()
    with Study.open(place) as study:
        assert study._log.snapshots.get(snapshots.NAME) is not None
        study.belief()
        assert study._current._learning is not None
        assert study._current._learning.predicted() is not None  # restored, not computed anew
        assert expected == (
            study.rank().to_json(),
            study.predictions(last=None).probabilities.tobytes(),
        )
    monkeypatch.setattr(snapshots, "code", lambda: "another version")
    with Study.open(place, write=False) as study:
        study.belief()
        assert study._current._learning is not None
        assert study._current._learning.predicted() is None
        assert expected == (
            study.rank().to_json(),
            study.predictions(last=None).probabilities.tobytes(),
        )


@pytest.mark.parametrize("change", ["undo", "model", "items"])
def test_no_snapshot_is_stored_of_what_changed_since(tmp_path: Path, change: str) -> None:
    """A change after the belief was last read, and then the end: the next reader has the belief of the log."""
    place = tmp_path / "s.db"
    with Study.create(place, list("abcd"), seed=1) as study:
        for _ in range(6):
            study.tell(study.ask(), "left")
        question = study.ask()
        if change == "undo":
            study.undo(study.answers()[0].id)
            study.tell(question, "right")
        elif change == "model":
            study.change(model="thurstone")
        else:
            study.add_items(["new"])
    with Study.open(place) as study:
        found = study._current.belief(study._state).mean
        assert found.tobytes() == study._current.folded(study._state).mean.tobytes()
        assert set(study.rank().items) == set(study.items)
