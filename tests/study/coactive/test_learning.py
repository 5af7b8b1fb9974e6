"""The models: a user's own starts as the shared one, copies are few, and bytes come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant.errors import Damaged
from penchant.study import Study
from penchant.study.coactive import CoactiveStudy
from penchant.study.coactive import learning as module
from penchant.study.coactive.learning import baseline_names
from tests.study.coactive.simulated import clicks, made


def test_a_users_own_model_starts_as_the_shared_one(path: Path) -> None:
    """Before the first feedback the user has the shared weights, then the user's own feedback on top of them."""
    with made(path, per_user=True) as study:
        clicks(study, 5)
        study.present(["i0", "i1"], user="ann")
        before = study.weights()
        assert study.weights("ann") == before
        shown = study.present(["i0", "i1", "i2"], user="ann")
        study.feedback(shown, better=shown.order[2])
        own = study.weights("ann")
        assert own == study.weights()
        assert own != before
        other = study.present(["i0", "i1", "i2"])
        study.feedback(other, better=other.order[2])
        assert study.weights("ann") == own
        assert study.weights() != own


def test_without_per_user_all_share_a_model(path: Path) -> None:
    """Users are then only names."""
    with made(path) as study:
        clicks(study, 4, users=2)
        assert study.weights("user 0") == study.weights() == study.weights("user 1")
        assert study._models.users == {}


def test_few_copies_are_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many rounds there are, a bounded number of copies is kept, and the first one always."""
    monkeypatch.setattr(module, "EVERY", 1)
    monkeypatch.setattr(module, "COPIES", 5)
    with made(path) as study:
        clicks(study, 40)
        study.weights()
        counts = [copy.count for copy in study._models._copies]
        assert len(counts) <= 5
        assert counts[0] == 0
        assert counts[-1] == 40
        study.undo(next(iter(study._state.feedback)))
        assert study.check().ok


def test_bytes_that_are_no_models_are_reported(path: Path) -> None:
    """A checkpoint of something else raises, and quotes nothing."""
    with made(path) as study:
        clicks(study, 2)
        study.weights()
        for content in (b"", b"PK", study._models.pack()[:-50]):
            with pytest.raises(Damaged, match="the checkpoint must hold the models"):
                study._models.load(content)


def test_rounds_that_would_not_stay_finite_change_nothing(path: Path) -> None:
    """Such a round is counted, and folded the same again."""
    huge = {"a": {"x": 1e100}, "b": {"x": -1e100}}
    with CoactiveStudy.create(path, learner={"name": "second-order"}, names=["x"], seed=1) as study:
        for _ in range(3):
            shown = study.present(huge)
            study.feedback(shown, better=shown.order[1])
        assert np.isfinite(list(study.weights().values())).all()
        assert study.check().ok


def test_users_take_the_memory_of_their_rows(path: Path) -> None:
    """Two numbers and two a feature for each user, and nothing for one without feedback."""
    with made(path, per_user=True) as study:
        for k in range(20):
            shown = study.present(["i0", "i1"], user=f"user {k}")
            if k < 10:
                study.feedback(shown, better=shown.order[1])
        study.weights()
        assert study._models.memory() == 10 * 8 * (2 + 2 * 3)
    with Study.open(path) as study:
        assert study.weights("user 0") != study.weights("user 1")
        assert study.weights("user 15") == study.weights()


def test_features_join_in_the_order_of_the_log(path: Path) -> None:
    """Columns depend on the log alone: those of a study that was opened again are those of the one that ran."""
    with made(path) as study:
        study.feedback(study.present({"a": {"new": 1.0}, "b": {}}), better="b")
        study.add_items([{"id": "late", "title": "late", "later": 1.0}])
        study.feedback(study.present({"a": {"newest": 1.0}, "b": {}}), better="b")
        names = list(study.weights())
        assert names == ["x", "y", "z", "new", "later", "newest"]
        study._log.snapshots.delete("models")
        assert study.check().ok


def test_baselines_name_their_features() -> None:
    """They have columns from the beginning, so that unseen candidates are ordered by them."""
    assert baseline_names("given") == baseline_names({"name": "perceptron"}) == []
    assert baseline_names({"feature": "price"}) == ["price"]
    assert baseline_names({"weights": {"price": 1.0, "stars": 2.0}}) == ["price", "stars"]


def test_a_changed_baseline_is_there_at_once_and_folds_again(path: Path) -> None:
    """Its features join where the log changed it, whether contexts have named them before or not."""
    with CoactiveStudy.create(path, seed=1) as study:
        films = {"a": {"x": 1.0, "age": 1.0}, "b": {"x": 2.0, "age": 2.0}}
        study.present(films)
        study.change(baseline={"feature": "age"})
        shown = study.present(films, interleave="baseline")
        assert study._state.presentations[shown.id].opponent.tolist() == [1, 0]
        study.feedback(shown, clicked=["a"])
        study.add_items([{"id": "c", "title": "c", "new": 1.0}])
        study.present(["c"])
        study.change(baseline={"weights": {"old": -1.0}})
        last = study.feedback(study.present({**films, "c": {"old": 1.0}}), clicked=["c"])
        names = list(study.weights())
        assert all(check.passed for check in study.check().checks)
        study.undo(last.id)
        assert all(check.passed for check in study.check().checks)
    with Study.open(path) as study:
        assert list(study.weights()) == names
        assert all(check.passed for check in study.check().checks)


@pytest.mark.parametrize(
    ("learner", "names"),
    [("perceptron", []), ({"name": "perceptron", "weights": {"z": 1.0}}, []), ("convex", ["x", "z"])],
)
@pytest.mark.parametrize("baseline", ["perceptron", "convex"])
def test_a_second_learner_starts_from_weights_by_name(
    path: Path, learner: Any, names: list[str], baseline: str
) -> None:
    """Its columns may be others than those of the learner, fewer, or in another order."""
    chosen = {"name": baseline, "weights": {"late": 2.0, "z": 3.0}}
    rows = [{"id": "a", "title": "a", "x": 1.0}, {"id": "b", "title": "b", "z": 1.0}]
    settings: dict[str, Any] = {"learner": learner, "names": names or ["x"] * (baseline == "convex")}
    with CoactiveStudy.create(path, rows, seed=1, baseline=chosen, **settings) as study:

        def opponent(context: Any) -> list[int]:
            shown = study.present(context, interleave="baseline", learn=False)
            return study._state.presentations[shown.id].opponent.tolist()

        assert opponent(["a", "b"]) == [1, 0]
        if learner == "convex":
            return
        sparse = {"c": {"other": 9.0}, "d": {"late": 1.0}, "e": {"z": 1.0}}
        study.feedback(study.present(sparse), clicked=[])
        given = study.feedback(study.present({"f": {"more": 1.0}}), clicked=["f"])
        assert opponent(sparse) == [2, 1, 0]
        study.undo(given.id)
        assert opponent(sparse) == [2, 1, 0]
        assert all(check.passed for check in study.check().checks)


def test_feedback_that_counts_again_joins_its_features_at_its_place(path: Path) -> None:
    """Columns follow the log: those of items that came later stand behind, also after opening in between."""
    for again in (False, True):
        place = path.with_name(f"{again}.db")
        study = made(place)
        undo = study.undo(study.feedback(study.present({"a": {"early": 1.0}}), clicked=["a"]).id)
        study.add_items([{"id": "new", "title": "new", "late": 1.0}])
        study.present(["new"])
        if again:
            study.close()
            study = CoactiveStudy.open(place)
        study.undo(undo)
        assert list(study.weights()) == ["x", "y", "z", "early", "late"]
        assert all(check.passed for check in study.check().checks)
        study.close()
