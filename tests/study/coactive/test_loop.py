"""The loop: what is acknowledged is on disk, counts once, and changes the next order."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant.errors import CannotStore, Conflict, InvalidInput, UnknownItem
from penchant.store import SQLiteLog
from penchant.store.sqlite import database
from penchant.study import Study
from penchant.study.coactive import CoactiveStudy, Feedback, Presentation
from tests.study.coactive.kinds import STUDIES
from tests.study.coactive.simulated import clicks, made

FILMS = {"Up": {"funny": 1.0}, "Heat": {"long": 2.0}, "Alien": {"dark": 1.0}}


def test_a_click_changes_the_next_order_and_is_there_again(path: Path) -> None:
    """What was clicked stands first in the next presentation, also after opening again."""
    with CoactiveStudy.create(path, seed=1) as study:
        shown = study.present(FILMS)
        assert shown.order == ("Up", "Heat", "Alien")
        found = study.feedback(shown, clicked=["Alien"])
        assert found == Feedback(found.id, shown.id, ("Alien", "Up", "Heat"), changed=True, learned=True)
        assert study.present(FILMS).order[0] == "Alien"
        weights = study.weights()
    with Study.open(path) as study:
        assert study.present(FILMS).order[0] == "Alien"
        assert study.weights() == weights


def test_every_form_of_feedback_is_learned(path: Path) -> None:
    """Clicks, an order or its top, one better item, nothing clicked; a round in which nothing changed counts."""
    with made(path) as study:
        ids = ["i0", "i1", "i2"]
        for number, given in enumerate(
            [{"clicked": ["i2", "i1"]}, {"order": ["i1"]}, {"better": "i0"}, {"clicked": []}, {"order": ids}],
            1,
        ):
            study.feedback(study.present(ids), **given)
            study._follow()
            assert study._models.shared.rounds == number
        assert study.progress() == "5 presentations, 5 with feedback; 5 rounds learned"


def test_presentations_without_learning_teach_nothing(path: Path) -> None:
    """Feedback on them is recorded and not learned; no feedback at all is no round."""
    with made(path) as study:
        shown = study.present(["i0", "i1"], learn=False)
        assert not shown.learn
        assert not study.feedback(shown, better="i1").learned
        study.present(["i0", "i1"])
        assert not any(study.weights().values())
        assert study.progress() == "2 presentations, 1 with feedback; 0 rounds learned"


def test_a_stream_of_clicks_adds_up_to_all_of_them(path: Path) -> None:
    """The rounds of one click after the other sum to the one round of all of them, for an additive learner."""
    with made(path) as study, made(path.with_name("other.db")) as other:
        first, second = study.present([f"i{k}" for k in range(6)]), other.present([f"i{k}" for k in range(6)])
        for id in ("i4", "i2", "i4", "i5"):
            study.feedback(first, clicked=[id])
        other.feedback(second, clicked=["i4", "i2", "i5"])
        for name, weight in study.weights().items():
            assert weight == pytest.approx(other.weights()[name], abs=1e-12)


@pytest.mark.parametrize("count", [1, 1000])
def test_one_candidate_and_a_thousand_are_fine(path: Path, count: int) -> None:
    """The order holds each of them once, and feedback on it is learned."""
    X = np.random.default_rng(0).standard_normal((count, 4))
    with CoactiveStudy.create(path, seed=1) as study:
        shown = study.present(X, interleave="baseline")
        assert sorted(shown.order, key=int) == [str(k) for k in range(count)]
        study.feedback(shown, order=list(reversed(shown.order)))
        study.feedback(shown, better=shown.order[0])
        assert study.check().ok


def test_what_is_sent_twice_counts_once(path: Path) -> None:
    """The same id and request return the first result, whatever was learned meanwhile; another one is a conflict."""
    with made(path) as study:
        ids = ["i0", "i1", "i2"]
        shown = study.present(ids, user="ann", event_id="p")
        found = study.feedback(shown, clicked=["i2"], event_id="f")
        assert study.present(ids, user="ann", event_id="p") == shown
        assert study.feedback("p", clicked=["i2"], event_id="f") == found
        assert study.revision() == 4
        for other in (
            {"context": ids[:2], "user": "ann"},
            {"context": ids, "user": "bob"},
            {"context": ids},
            {"context": ids, "user": "ann", "learn": False},
            {"context": ids, "user": "ann", "interleave": "baseline"},
        ):
            with pytest.raises(Conflict):
                study.present(**other, event_id="p")
        for given in ({"clicked": ["i1"]}, {"clicked": []}, {"better": "i2"}, {"order": ["i2"]}):
            with pytest.raises(Conflict):
                study.feedback("p", **given, event_id="f")
        second = study.present(ids, user="ann")
        for used in ("p", "created"):
            with pytest.raises(Conflict):
                study.feedback(second, clicked=["i2"], event_id=used)
        with pytest.raises(Conflict):
            study.present(ids, event_id="f")
        assert study.revision() == 5


def test_the_opponent_is_part_of_the_request(path: Path) -> None:
    """The same id with the same other order returns the first presentation; with another one it is a conflict."""
    with made(path) as study:
        ids = ["i0", "i1", "i2"]
        shown = study.present(ids, interleave=["i2", "i1", "i0"], event_id="p")
        assert shown.teams is not None
        assert study.present(ids, interleave=["i2", "i1", "i0"], event_id="p") == shown
        with pytest.raises(Conflict):
            study.present(ids, interleave=["i1", "i2", "i0"], event_id="p")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, InvalidInput, "feedback must be one of clicked, order and better, got none"),
        ({"clicked": [], "better": "i0"}, InvalidInput, "got clicked, better: give just one"),
        ({"clicked": ["i7"]}, UnknownItem, "clicked must name candidates of the presentation, got 'i7'"),
        ({"clicked": [3]}, UnknownItem, "clicked must name candidates of the presentation, got 3"),
        ({"order": ["i0", "i0"]}, InvalidInput, "order must hold each candidate once"),
        ({"better": ["i0", "i1"]}, InvalidInput, "better must be one candidate, got 2"),
    ],
)
def test_feedback_about_others_is_rejected(
    path: Path, given: dict[str, Any], error: Any, message: str
) -> None:
    """Candidates that were not presented, repeats, and none or two forms are named; nothing is written."""
    with made(path) as study:
        shown = study.present(["i0", "i1"])
        with pytest.raises(error, match=message):
            study.feedback(shown, **given)
        assert study.revision() == 3


def test_unknown_presentations_and_users_are_rejected(path: Path) -> None:
    """Nothing is written before everything was checked."""
    with made(path) as study:
        with pytest.raises(InvalidInput, match="presentation 'p' must be one of this study"):
            study.feedback("p", clicked=[])
        with pytest.raises(InvalidInput, match="presentation must be a Presentation or its id, got int"):
            study.feedback(3, clicked=[])  # type: ignore[arg-type]
        for user in ("", " ", "a" * 201, 3, "a\nb", "\ud800"):
            with pytest.raises(InvalidInput, match="user must be a name of"):
                study.present(["i0"], user=user)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="interleave must be an order of the candidates or 'baseline'"):
            study.present(["i0"], interleave="best")
        with pytest.raises(InvalidInput, match="interleave must hold each of the 2 candidates once"):
            study.present(["i0", "i1"], interleave=["i0"])
        with pytest.raises(UnknownItem, match="interleave must name candidates of the presentation, got 'z'"):
            study.present(["i0", "i1"], interleave=["i0", "z"])
        with pytest.raises(InvalidInput, match="lone surrogates"):
            study.present({"\ud800": {"x": 1.0}})
        assert study.revision() == 2
        assert study.users == ()


def test_features_are_rejected_by_name(path: Path) -> None:
    """A learner that features cannot join names the one that is new; a number that is none is named everywhere."""
    with made(path, learner="convex") as study:
        with pytest.raises(InvalidInput, match="feature 'w' must be one of the 3"):
            study.present({"a": {"w": 1.0}})
        with pytest.raises(InvalidInput, match="feature 'y' of candidate '1' must be a number within"):
            study.present(np.array([[1.0, 2.0, 3.0], [1.0, np.inf, 2.0]]))
        with pytest.raises(InvalidInput, match="context must have 3 columns"):
            study.present(np.ones((2, 2)))
        assert study.revision() == 2


def test_undo_is_exact(path: Path) -> None:
    """After an undo the study is as if the feedback had never come; an undo can be undone; each counts once."""
    with made(path) as study:
        shown = study.present(["i0", "i1", "i2", "i3"])
        study.feedback(shown, clicked=["i2"], event_id="f1")
        before = study.weights()
        study.feedback(shown, clicked=["i3"], event_id="f2")
        after = study.weights()
        undo = study.undo()
        assert study.weights() == before
        assert not study.feedback(shown, clicked=["i3"], event_id="f2").learned
        assert study.undo("f2", undo_id=undo) == undo
        with pytest.raises(Conflict, match="already took back another event"):
            study.undo("f1", undo_id=undo)
        with pytest.raises(Conflict, match="taken back already"):
            study.undo("f2")
        study.undo(undo)
        assert study.weights() == after
        study.undo("f1")
        study.undo("f2")
        assert not any(study.weights().values())
        with pytest.raises(InvalidInput, match="undo needs feedback that stands"):
            study.undo()
        with pytest.raises(InvalidInput, match="event must be the id of feedback or of an undo"):
            study.undo(shown.id)


def test_undo_of_a_users_own_feedback(path: Path) -> None:
    """With a user only that user's feedback is taken back."""
    with made(path) as study:
        for user in ("ann", "bob"):
            study.feedback(study.present(["i0", "i1"], user=user), better="i1", event_id=user)
        with pytest.raises(InvalidInput, match="must be the user's own"):
            study.undo("bob", user="ann")
        study.undo(user="ann")
        assert [given.id for given in study._state.feedback.values() if given.standing] == ["bob"]


@pytest.mark.parametrize("kind", STUDIES)
def test_an_old_undo_is_a_fold_without_it(path: Path, kind: str) -> None:
    """Copies along the log change nothing: the models are those of the log folded from zero, whatever the learner."""
    with made(path, **STUDIES[kind]) as study:
        clicks(study, 70, users=4)
        feedback = list(study._state.feedback)
        for place in (2, 67, 33, 34):
            study.undo(feedback[place])
        assert study.check().ok
        study.undo(next(iter(study._state.undos)))
        assert study.check().ok
    with Study.open(path) as again:
        assert again.check().ok


def test_many_threads_share_a_study(path: Path) -> None:
    """What many threads present and feed back counts once each, and the state is the fold of the log."""
    with made(path, per_user=True) as study:

        def work(number: int) -> None:
            for _ in range(6):
                shown = study.present(["i0", "i1", "i2"], user=f"user {number % 3}")
                study.feedback(shown, clicked=[shown.order[-1]])

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(work, range(8)))
        assert study.progress() == "48 presentations, 48 with feedback; 48 rounds learned"
        assert sorted(study.users) == ["user 0", "user 1", "user 2"]
        assert study.check().ok


def test_a_crowd_that_sends_the_same_gets_the_same(path: Path) -> None:
    """Of many threads that present and feed back under the same ids, all get the first result."""
    with made(path) as study, ThreadPoolExecutor(8) as threads:
        for turn in range(5):
            ids = [f"i{k}" for k in range(5)]
            shown = set(
                threads.map(lambda _, t=turn, i=ids: study.present(i, user="ann", event_id=f"p{t}"), range(8))
            )
            assert len(shown) == 1
            found = set(
                threads.map(
                    lambda _, t=turn: study.feedback(f"p{t}", clicked=["i3"], event_id=f"f{t}"), range(8)
                )
            )
            assert len(found) == 1
        assert study.progress() == "5 presentations, 5 with feedback; 5 rounds learned"
        assert study.check().ok


def test_after_a_failed_commit_it_goes_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A presentation that could not be written is none; the same again is written once the cause is gone."""
    with made(path) as study:

        def fail(self: database.Transaction, *error: object) -> None:
            self._driver.rollback()
            raise sqlite3.OperationalError("disk I/O error")

        with monkeypatch.context() as patch:
            patch.setattr(database.Transaction, "__exit__", fail)
            study._log.last()
            study._log._committer.last = 2  # type: ignore[union-attr]
            with pytest.raises(CannotStore):
                study.present(["i0", "i1"], user="ann", event_id="p")
        assert study.users == ()
        shown = study.present(["i0", "i1"], user="ann", event_id="p")
        study.feedback(shown, better="i1")
        assert study.users == ("ann",)
        assert study.check().ok
    with Study.open(path) as again:
        assert again.users == ("ann",)


def test_a_reader_follows_the_writer(path: Path) -> None:
    """A study that is open for reading learns what another one writes, over an erasure too, and cannot write."""
    with made(path, per_user=True) as study, Study.open(path, write=False) as reader:
        for _ in range(2):
            clicks(study, 5, users=2)
            assert reader.weights() == study.weights()
            assert reader.users == study.users
            assert reader.weights(study.users[0]) == study.weights(study.users[0])
            study.forget(study.users[0])
            assert reader.weights() == study.weights()
            assert reader.users == study.users
        with pytest.raises(CannotStore):
            reader.present(["i0"])
        with pytest.raises(CannotStore):
            reader.forget(study.users[0])


def test_a_snapshot_is_a_cache(path: Path) -> None:
    """Opening with it, without it and after an undo behind it gives the same weights."""
    with made(path, per_user=True) as study:
        clicks(study, 40, users=3)
        weights, first = study.weights(), next(iter(study._state.feedback))
    with Study.open(path) as again:
        assert again._models.count == 40
        assert again.weights() == weights
        again.undo(first)
        assert again.check().ok
        weights = again.weights()
    with SQLiteLog.open(path) as log:
        assert log.snapshots.get("models") is not None
        log.snapshots.delete("models")
    with Study.open(path) as again:
        assert again._models.count == 0
        assert again.weights() == weights


def test_ids_may_be_given_as_objects(path: Path) -> None:
    """A presentation may be named by itself or by its id."""
    with made(path) as study:
        shown = study.present(("i0", "i1"))
        assert isinstance(shown, Presentation)
        assert (
            study.feedback(shown.id, better="i1").presentation
            == study.feedback(shown, clicked=[]).presentation
        )


def test_closing_after_a_failed_commit_stores_only_what_is_on_disk(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A snapshot never holds feedback that was dropped: another event may have its number later."""
    films = {"a": {"x": 1.0}, "b": {"y": 2.0}, "c": {"z": 3.0}}
    study = Study.create(path, kind="coactive", seed=1)
    shown = study.present(films)
    study.feedback(shown, clicked=["c"])
    with monkeypatch.context() as patched:
        patched.setattr(
            study._log, "append_all", lambda *_, **__: (_ for _ in ()).throw(CannotStore("no disk"))
        )
        with pytest.raises(CannotStore):
            study.feedback(shown, clicked=["b"])
    study.close()
    study = Study.open(path)
    study.feedback(study.present(films), clicked=["a"])
    weights = study.weights()
    study._log.close()  # as if the process had been killed: the snapshot of before stays
    with Study.open(path) as study:
        assert study.weights() == weights


@pytest.mark.parametrize("learn", [1, "no", None])
def test_whether_to_learn_is_true_or_false(path: Path, learn: Any) -> None:
    """Anything else is rejected."""
    with made(path) as study, pytest.raises(InvalidInput, match="learn must be true or false"):
        study.present({"a": {"x": 1.0}}, learn=learn)


def test_a_retired_item_is_not_presented_though_its_ids_came_last_time(path: Path) -> None:
    """Also where as many items are retired as then."""
    with made(path) as study:
        study.retire("i0")
        study.present(["i1", "i2"])
        study.bring_back("i0")
        study.retire("i1")
        with pytest.raises(InvalidInput, match="candidate 'i1' must be an item that is not retired"):
            study.present(["i1", "i2"])


def test_a_request_again_returns_its_presentation_though_an_item_was_retired_since(path: Path) -> None:
    """The event is in the log; another content under its id is a conflict as before."""
    with made(path) as study:
        first = study.present(["i1", "i2"], event_id="first")
        study.retire("i1")
        assert study.present(["i1", "i2"], event_id="first") == first
        with pytest.raises(Conflict):
            study.present(["i2", "i1"], event_id="first")


@pytest.mark.parametrize(
    ("order", "received"),
    [(["i1"], "1 of them"), (["i1", "i1"], "1 of them"), (["i1", "i2", "i2"], "3, some of them again")],
)
def test_another_order_names_each_candidate_once(path: Path, order: list[str], received: str) -> None:
    """One too few or twice is rejected, and nothing is recorded."""
    with made(path) as study:
        number = study.revision()
        with pytest.raises(
            InvalidInput, match=f"interleave must hold each of the 2 candidates once, got {received}"
        ):
            study.present(["i1", "i2"], interleave=order)
        assert study.revision() == number


def test_feedback_after_an_hour_is_late(path: Path) -> None:
    """It is learned all the same; a minute earlier it is not late, and the same again says what the first said."""
    now = [1e9]
    with CoactiveStudy.create(path, clock=lambda: now[0]) as study:
        shown = study.present({"a": {"x": 1.0}, "b": {"y": 1.0}})
        now[0] += 3540
        assert not study.feedback(shown, clicked=["b"], event_id="f1").late
        now[0] += 60
        assert study.feedback(shown, clicked=["a"], event_id="f2").late
        assert not study.feedback(shown, clicked=["b"], event_id="f1").late


def test_what_was_presented_is_known_and_counted(path: Path) -> None:
    """By its id, of which no other event is one; rounds are the feedback that is learned from."""
    with CoactiveStudy.create(path) as study:
        assert (study.n_presentations, study.n_rounds) == (0, 0)
        shown = study.present({"a": {"x": 1.0}, "b": {"y": 1.0}}, event_id="p")
        study.feedback(shown, clicked=["b"], event_id="f")
        assert (study.has_presentation("p"), study.has_presentation("f")) == (True, False)
        assert (study.n_presentations, study.n_rounds) == (1, 1)
        study.undo("f")
        assert study.n_rounds == 0


def test_an_undo_that_comes_again_for_another_user_is_a_conflict(path: Path) -> None:
    """The id of an undo stands for one request."""
    with CoactiveStudy.create(path) as study:
        for user in ("ann", "bob"):
            study.feedback(study.present({"a": {"x": 1.0}, "b": {"y": 1.0}}, user=user), clicked=["b"])
        study.undo(user="ann", undo_id="u")
        assert study.undo(user="ann", undo_id="u") == "u"
        with pytest.raises(Conflict, match="undo 'u' already took back another event"):
            study.undo(user="bob", undo_id="u")
