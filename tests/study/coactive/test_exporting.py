"""A coactive study as files, and back: the same weights to the bit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from penchant.coactive import replay
from penchant.errors import InvalidInput, PenchantWarning
from penchant.formats import read_presentations
from penchant.study import Study
from penchant.study.coactive import CoactiveStudy
from penchant.study.coactive.settings import make_learner
from tests.study.coactive.kinds import STUDIES
from tests.study.coactive.oracle import nonzero
from tests.study.coactive.simulated import clicks, made


def busy(study: CoactiveStudy) -> None:
    """All forms of contexts and feedback, an undo, and a round that is not learned."""
    clicks(study, 6, users=2)
    clicks(study, 2, seed=3, learn=False)
    study.edit_item("i0", x=5.0)
    clicks(study, 3, seed=1)
    shown = study.present({"a": {"x": 1.5}, "b": {"y": -2.0, "z": 1.0}, "c": {"x": 0.25, "z": 3.0}})
    study.feedback(shown, clicked=["c"])
    study.feedback(shown, clicked=["b"])
    study.feedback(shown, order=["a"])
    study.undo()
    study.feedback(shown, better="a")
    study.feedback(study.present(["i1", "i2"]), clicked=[])
    if study.settings["names"]:
        study.feedback(study.present(np.eye(3)), better="2")


@pytest.mark.parametrize("kind", STUDIES)
def test_a_replayed_log_gives_the_same_weights(path: Path, kind: str) -> None:
    """The exported rounds, learned by a new learner with the same settings, give the same weights to the bit."""
    with made(path, **STUDIES[kind]) as study:
        busy(study)
        log = path.with_name("log.jsonl")
        study.export(log, "presentations")
        fresh = make_learner(study.settings, seed=study.settings["seed"])
        found = replay(read_presentations(log, strict=True), fresh)
        assert nonzero(found.learner.weights) == nonzero(study.weights())
        assert len(found) == study._state.n_rounds


@pytest.mark.parametrize("kind", ["averaged", "second-order", "perturbed", "item"])
def test_a_log_is_imported_and_learned(path: Path, kind: str) -> None:
    """Another study that imports the log has the same weights, and exports the same rounds."""
    settings = {**STUDIES[kind], "per_user": False}
    log, again = path.with_name("log.jsonl"), path.with_name("again.jsonl")
    with (
        made(path, **settings) as study,
        CoactiveStudy.create(
            path.with_name("other.db"), seed=1, **{**settings, "names": study.settings["names"]}
        ) as other,
    ):
        busy(study)
        study.export(log, "presentations")
        assert other.import_presentations(read_presentations(log), user="ann") == study._state.n_rounds
        assert nonzero(other.weights()) == nonzero(study.weights())
        assert other.users == ("ann",)
        assert other.check().ok
        other.export(again, "presentations")
        first, second = (
            [json.loads(line) for line in file.read_text().splitlines()] for file in (log, again)
        )
        for one, two in zip(first, second, strict=True):
            assert one["presented"] == two["presented"]


def test_rounds_name_their_users(path: Path) -> None:
    """Imported again, each user's own model is the same, and `learner` is a copy of it."""
    log = path.with_name("log.jsonl")
    with (
        made(path, per_user=True) as study,
        CoactiveStudy.create(path.with_name("other.db"), seed=1, per_user=True) as other,
    ):
        clicks(study, 8, users=3)
        study.export(log, "presentations")
        assert {json.loads(line)["user"] for line in log.read_text().splitlines()} == set(study.users)
        other.import_presentations(read_presentations(log))
        assert set(other.users) == set(study.users)
        for user in (None, *study.users):
            assert nonzero(other.weights(user)) == nonzero(study.weights(user))
            copy = study.learner(user)
            assert copy.weights == study.weights(user)
        copy.update([{"x": 1.0}, {"x": 2.0}], [0, 1], [1])
        assert copy.weights != study.weights(user)


@pytest.mark.parametrize("kind", ["averaged", "second-order", "rival"])
def test_a_study_of_exported_events_is_equal(path: Path, kind: str) -> None:
    """Events, contexts and names are all that a study is; it goes on where the other was, over an erasure too."""
    whole = path.with_name("whole.jsonl.gz")
    with made(path, **STUDIES[kind]) as study:
        busy(study)
        for turn in range(2):
            study.export(whole)
            with Study.from_events(path.with_name(f"copy {turn}.db"), whole) as copy:
                assert copy.weights() == study.weights()
                assert copy.users == study.users
                assert copy.check().ok
                assert list(copy._log.events()) == list(study._log.events())
            study.forget("user 0")
            clicks(study, 2, users=2, seed=9)


def test_events_alone_are_no_study(path: Path) -> None:
    """Contexts that are cited must be there; a study without presentations needs none."""
    with made(path) as study:
        events = list(study._log.events())
        study.present(["i0"])
        more = list(study._log.events())
    with Study.from_events(path.with_name("copy.db"), events) as copy:
        assert copy.progress() == "0 presentations, 0 with feedback; 0 rounds learned"
    with pytest.raises(InvalidInput, match="must come with the contexts that they cite, got 1 without"):
        Study.from_events(path.with_name("other.db"), more)


@pytest.mark.parametrize(
    "line",
    ['{"side":"salt","value":3}', '{"side":"context","hash":"a","content":"?"}', '{"side":"user"}', "[]"],
)
def test_damaged_lines_are_named(path: Path, line: str) -> None:
    """A line that was not exported is named by its number, and no file is made."""
    whole = path.with_name("whole.jsonl")
    with made(path) as study:
        study.export(whole)
    lines = whole.read_text().splitlines()
    whole.write_text("\n".join([lines[0], line, *lines[1:]]))
    with pytest.raises(InvalidInput, match=r"whole\.jsonl:2: "):
        Study.from_events(path.with_name("copy.db"), whole)
    assert not path.with_name("copy.db").exists()


def test_erased_rounds_are_left_out_with_a_warning(path: Path) -> None:
    """What can no longer be exported is counted."""
    with made(path) as study:
        clicks(study, 3)
        study.erase(5)
        with pytest.warns(PenchantWarning, match="1 rounds are left out"):
            study.export(path.with_name("log.jsonl"), "presentations")


def test_other_files_and_parts_are_rejected(path: Path) -> None:
    """Only JSONL, and only what there is."""
    with made(path) as study:
        with pytest.raises(InvalidInput, match="the ending of"):
            study.export(path.with_name("log.csv"))
        with pytest.raises(InvalidInput, match="what must be one of"):
            study.export(path.with_name("log.jsonl"), "answers")
        log = path.with_name("log.jsonl")
        log.write_text('{"candidates":[{"id":"a","features":{"x":1}}],"presented":["a"],"clicked":["a"]}\n')
    with (
        made(path.with_name("named.db"), learner="convex", names=["y"], features=["y"]) as study,
        pytest.raises(InvalidInput, match="presentation '1': feature 'x' must be one of the 1"),
    ):
        study.import_presentations(read_presentations(log))
