"""Whatever is done to a coactive study, in whatever order, it has learned what a small plain model of it has."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from penchant.errors import Conflict, InvalidInput
from penchant.study import Study
from penchant.study.coactive import CoactiveStudy, Presentation
from tests.study.coactive.kinds import STUDIES
from tests.study.coactive.oracle import Oracle, Shown, nonzero

RUNS, STEPS = (
    int(os.environ.get(f"PENCHANT_MACHINE_{name}", usual)) for name, usual in (("RUNS", 20), ("STEPS", 15))
)
USERS = ("ann", "bob", None)
VALUES = st.integers(-3, 3).map(float)
FEATURES = st.dictionaries(st.sampled_from(("x", "y", "z")), VALUES, max_size=3)


class Loop(RuleBasedStateMachine):
    """Present, give feedback late, in parts and twice, undo, edit, forget, erase, reopen; beside it the plain model."""

    @initialize(kind=st.sampled_from(sorted(STUDIES)), first=st.lists(FEATURES, min_size=4, max_size=4))
    def create(self, kind: str, first: list[dict[str, float]]) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "study.db"
        items = [{"id": f"i{k}", "title": "item", **row} for k, row in enumerate(first)]
        self.items = {f"i{k}": row for k, row in enumerate(first)}
        self.study: CoactiveStudy = Study.create(self.path, items, kind="coactive", seed=3, **STUDIES[kind])
        self.oracle = Oracle(self.study.settings)
        self.presented: dict[str, tuple[Presentation, list[str], dict[str, Any]]] = {}
        self.requests: dict[str, dict[str, Any]] = {}
        self.undos: list[tuple[str, str]] = []
        self.erased: set[str] = set()
        self.count = 0

    def teardown(self) -> None:
        if hasattr(self, "study"):
            assert self.study.check().ok
            with Study.open(self.path, write=False) as other:
                assert other.weights() == self.study.weights()
            self.study.close()
            self.folder.cleanup()

    def open_ones(self) -> list[str]:
        return [id for id in self.presented if id not in self.erased]

    @rule(
        data=st.data(),
        user=st.sampled_from(USERS),
        learn=st.sampled_from((True, True, True, False)),
        interleave=st.booleans(),
    )
    def present(self, data: st.DataObject, user: str | None, learn: bool, interleave: bool) -> None:
        form = data.draw(st.sampled_from(("ids", "named", "dense")))
        context: Any
        if form == "ids":
            context = data.draw(st.lists(st.sampled_from(sorted(self.items)), min_size=1, unique=True))
            ids, features = context, [self.items[id] for id in context]
        else:
            rows = data.draw(st.lists(FEATURES, min_size=1, max_size=5))
            ids = [f"c{k}" for k in range(len(rows))]
            features = rows
            context = dict(zip(ids, rows, strict=True))
            if form == "dense" and self.study.settings["names"]:
                names = self.study.settings["names"]
                matrix = np.array([[row.get(name, 0.0) for name in names] for row in rows])
                context = matrix
                ids = [str(k) for k in range(len(rows))]
        self.count += 1
        request = {
            "context": context,
            "user": user,
            "learn": learn,
            "interleave": "baseline" if interleave else None,
            "event_id": f"p{self.count}",
        }
        found = self.study.present(**request)
        assert sorted(found.order) == sorted(ids)
        assert (found.teams is not None) == interleave
        place = {id: k for k, id in enumerate(ids)}
        self.oracle.shown[found.id] = Shown(list(features), [place[id] for id in found.order], user, learn)
        self.presented[found.id] = found, list(ids), request

    @precondition(lambda self: self.open_ones())
    @rule(data=st.data())
    def present_again(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(self.open_ones()))
        found, _, request = self.presented[id]
        if request["user"] in self.study.users or request["user"] is None:
            assert self.study.present(**request) == found
            with pytest.raises(Conflict):
                self.study.present(**{**request, "learn": not request["learn"]})

    @precondition(lambda self: self.open_ones())
    @rule(
        data=st.data(), what=st.sampled_from(("clicked", "clicked", "order", "better")), twice=st.booleans()
    )
    def feedback(self, data: st.DataObject, what: str, twice: bool) -> None:
        id = data.draw(st.sampled_from(self.open_ones()))
        ids = self.presented[id][1]
        least = 1 if what == "better" else 0
        chosen = data.draw(
            st.lists(st.sampled_from(ids), unique=True, min_size=least, max_size=1 if what == "better" else 3)
        )
        self.count += 1
        event = f"f{self.count}"
        given = {what: chosen[0] if what == "better" else chosen}
        found = self.study.feedback(id, event_id=event, **given)
        shown = self.oracle.shown[id]
        shown.given.append((event, what, [ids.index(chosen_id) for chosen_id in chosen]))
        self.oracle.log.append((event, id))
        _, after = self.oracle.step(shown, event)
        assert found.improved == tuple(ids[index] for index in after)
        assert found.learned == shown.learn
        if twice:
            assert self.study.feedback(id, event_id=event, **given).id == event
            other = {"clicked": []} if what != "clicked" or chosen else {"better": ids[0]}
            with pytest.raises(Conflict):
                self.study.feedback(id, event_id=event, **other)

    @precondition(lambda self: any(id not in self.oracle.undone for id, _ in self.oracle.log))
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        event = data.draw(st.sampled_from([id for id, _ in self.oracle.log if id not in self.oracle.undone]))
        if event in self.oracle.frozen:
            with pytest.raises(InvalidInput, match="must be newer than what was erased"):
                self.study.undo(event)
            return
        undo = self.study.undo(event)
        assert self.study.undo(undo_id=undo) == undo
        self.undos.append((undo, event))
        self.oracle.undone.add(event)

    @precondition(lambda self: any(event not in self.oracle.frozen for _, event in self.undos))
    @rule(data=st.data())
    def undo_an_undo(self, data: st.DataObject) -> None:
        last = {event: undo for undo, event in self.undos}
        undo, event = data.draw(st.sampled_from([pair for pair in self.undos if last[pair[1]] == pair[0]]))
        if event in self.oracle.frozen or event not in self.oracle.undone:
            return
        self.study.undo(undo)
        self.oracle.undone.discard(event)

    @rule(row=FEATURES, which=st.integers(0, 3))
    def edit(self, row: dict[str, float], which: int) -> None:
        changes = {
            name: row.get(name) for name in ("x", "y", "z") if name in row or name in self.items[f"i{which}"]
        }
        self.study.edit_item(f"i{which}", **changes)
        self.items[f"i{which}"] = row

    @precondition(lambda self: any(request["user"] for _, _, request in self.presented.values()))
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        user = data.draw(st.sampled_from(("ann", "bob")))
        if user not in self.study.users:
            with pytest.raises(InvalidInput, match="user must be one to whom something was presented"):
                self.study.forget(user)
            return
        self.oracle.freeze(user)
        self.study.forget(user)
        for id, (_, _, request) in self.presented.items():
            if request["user"] == user:
                self.erased.add(id)
                request["user"] = f"forgotten {user}"
        assert user not in self.study.users

    @precondition(lambda self: self.presented)
    @rule(data=st.data())
    def erase(self, data: st.DataObject) -> None:
        ids = list(self.presented)
        last = data.draw(st.integers(0, len(ids) - 1))
        number = self.study._state.presentations[ids[last]].number + 1
        old = {id for id in ids[: last + 1] if id not in self.erased}
        if old:
            self.oracle.freeze()
        assert self.study.erase(number) == len(old)
        self.erased |= old

    @precondition(lambda self: self.erased)
    @rule(data=st.data())
    def late_feedback_is_rejected(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(sorted(self.erased)))
        with pytest.raises(InvalidInput, match="erased"):
            self.study.feedback(id, clicked=[])

    @rule()
    def reopen(self) -> None:
        self.study.close()
        self.study = Study.open(self.path)

    @invariant()
    def learned_what_stands(self) -> None:
        if not hasattr(self, "study"):
            return
        assert nonzero(self.study.weights()) == self.oracle.weights()
        for user in self.study.users:
            assert nonzero(self.study.weights(user)) == self.oracle.weights(user)


TestLoop = Loop.TestCase
TestLoop.settings = settings(max_examples=RUNS, stateful_step_count=STEPS, deadline=None)
