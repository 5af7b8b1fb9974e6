"""Whatever is done to a study, in whatever order, it is what a small plain model of it says."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from penchant.errors import Conflict, InvalidInput
from penchant.preferences import OUTCOMES
from penchant.study import Question, Study

RUNS, STEPS = (
    int(os.environ.get(f"PENCHANT_MACHINE_{name}", usual)) for name, usual in (("RUNS", 20), ("STEPS", 15))
)
ITEMS = ("a", "b", "c", "d")
JUDGES = ("ann", "bob")


class Loop(RuleBasedStateMachine):
    """Ask, answer, repeat, contradict, undo, change items and judges, reopen; beside it a dict of what should count."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "study.db"
        self.study = Study.create(self.path, ITEMS, seed=1)
        self.questions: dict[str, Question] = {}
        self.given: dict[str, tuple[str, str]] = {}  # event id -> question id, choice; never removed
        self.stands: dict[str, bool] = {}
        self.undos: list[tuple[str, str]] = []  # undo id, the answer it took back
        self.items = list(ITEMS)
        self.retired: set[str] = set()
        self.aside: set[str] = set()
        self.count = 0
        self.compared: object = None  # what counted when a second reader last learned the same

    def teardown(self) -> None:
        with Study.open(self.path, write=False) as other:
            assert other.rank().to_json() == self.study.rank().to_json()
        self.study.close()
        self.folder.cleanup()

    def answered(self, question: str) -> bool:
        return any(self.stands[event] and self.given[event][0] == question for event in self.given)

    def counting(self) -> list[tuple[str, str, str]]:
        """The answers that count: those that stand, of judges who are not set aside."""
        return [
            (event, *self.given[event])
            for event in self.given
            if self.stands[event] and self.questions[self.given[event][0]].judge not in self.aside
        ]

    @rule(judge=st.sampled_from(JUDGES))
    def ask(self, judge: str) -> None:
        question = self.study.ask(judge)
        assert question.judge == judge
        assert question.left != question.right
        assert not {question.left, question.right} & self.retired
        assert not self.answered(question.id)
        self.questions[question.id] = question

    @precondition(lambda self: any(not self.answered(question) for question in self.questions))
    @rule(choice=st.sampled_from(OUTCOMES), data=st.data())
    def answer(self, choice: str, data: st.DataObject) -> None:
        question = data.draw(st.sampled_from([q for q in self.questions if not self.answered(q)]))
        self.count += 1
        event = f"event-{self.count}"
        assert self.study.tell(question, choice, event_id=event).choice == choice
        self.given[event], self.stands[event] = (question, choice), True

    @precondition(lambda self: self.given)
    @rule(data=st.data())
    def repeat(self, data: st.DataObject) -> None:
        event = data.draw(st.sampled_from(sorted(self.given)))
        question, choice = self.given[event]
        assert self.study.tell(question, choice, event_id=event).id == event

    @precondition(lambda self: self.given)
    @rule(choice=st.sampled_from(OUTCOMES), data=st.data())
    def contradict(self, choice: str, data: st.DataObject) -> None:
        event = data.draw(st.sampled_from(sorted(self.given)))
        question, given = self.given[event]
        if choice != given:
            with pytest.raises(Conflict):
                self.study.tell(question, choice, event_id=event)
        if self.answered(question):
            with pytest.raises(Conflict, match="answered already"):
                self.study.tell(question, choice, event_id=f"late-{self.count}")

    @precondition(lambda self: self.counting())
    @rule()
    def undo_the_last(self) -> None:
        last = self.counting()[-1][0]
        self.undos.append((self.study.undo(), last))
        self.stands[last] = False

    @precondition(lambda self: any(self.stands.values()))
    @rule(data=st.data())
    def undo_any(self, data: st.DataObject) -> None:
        event = data.draw(st.sampled_from([event for event in self.given if self.stands[event]]))
        self.undos.append((self.study.undo(event), event))
        self.stands[event] = False

    @precondition(lambda self: self.undos)
    @rule()
    def undo_the_undo(self) -> None:
        undo, event = self.undos.pop()
        if self.answered(self.given[event][0]):
            with pytest.raises(Conflict, match="answered anew"):
                self.study.undo(undo)
        else:
            self.study.undo(undo)
            self.stands[event] = True

    @precondition(lambda self: len(self.items) < 8)
    @rule()
    def add_an_item(self) -> None:
        self.items.append(f"item {len(self.items)}")
        self.study.add_items(self.items[-1:])

    @rule(data=st.data())
    def retire_or_bring_back(self, data: st.DataObject) -> None:
        item = data.draw(st.sampled_from(self.items))
        if item in self.retired:
            self.study.bring_back(item)
            self.retired.remove(item)
        elif len(self.items) - len(self.retired) > 2:
            self.study.retire(item)
            self.retired.add(item)
        else:
            with pytest.raises(InvalidInput, match="at least 2 items must stay"):
                self.study.retire(item)

    @precondition(lambda self: self.questions)
    @rule(data=st.data())
    def set_aside_or_take_back(self, data: st.DataObject) -> None:
        judge = data.draw(st.sampled_from(sorted({question.judge for question in self.questions.values()})))
        if judge in self.aside:
            self.study.take_back(judge)
            self.aside.remove(judge)
        else:
            self.study.set_aside(judge)
            self.aside.add(judge)

    @rule()
    def reopen(self) -> None:
        self.study.close()
        self.study = Study.open(self.path)
        self.compared = None

    @invariant()
    def the_answers_that_count_are_those_of_the_plain_model(self) -> None:
        counted = [(answer.id, answer.question.id, answer.choice) for answer in self.study.answers()]
        assert counted == self.counting()
        assert (list(self.study.items), set(self.study.retired)) == (self.items, self.retired)

    @invariant()
    def the_belief_is_that_of_the_items_and_answers_alone(self) -> None:
        """Whoever opens the file has the same belief to the last bit, and so does a fold from zero."""
        standing = (self.counting(), list(self.items))
        if standing == self.compared:
            return
        self.compared = standing
        mine = self.study._current.belief(self.study._state)
        with Study.open(self.path, write=False) as other:
            theirs = other._current.belief(other._state)
            folded = other._current.folded(other._state)
        for belief in (theirs, folded):
            assert belief.mean.tobytes() == mine.mean.tobytes()
            assert belief.covariance().tobytes() == mine.covariance().tobytes()


Loop.TestCase.settings = settings(max_examples=RUNS, stateful_step_count=STEPS, deadline=None)


@pytest.mark.slow("plays twenty runs of fifteen steps, each checked against a second reader of the file")
class TestLoop(Loop.TestCase):
    """The state machine as a test."""
