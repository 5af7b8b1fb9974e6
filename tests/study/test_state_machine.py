"""Whatever is done to a study, in whatever order, it knows what a small plain model of it knows."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from penchant.errors import Conflict
from penchant.preferences import OUTCOMES
from penchant.saving import to_bytes
from penchant.study import Question, Study

ITEMS = ("a", "b", "c", "d")
JUDGES = ("ann", "bob")


class Loop(RuleBasedStateMachine):
    """Ask, answer, repeat, contradict, undo, reopen; beside it a dict of what should stand."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "study.db"
        self.study = Study.create(self.path, ITEMS, seed=1)
        self.questions: dict[str, Question] = {}
        self.said: dict[str, tuple[str, str]] = {}  # event id -> question id, choice; never removed
        self.stands: dict[str, bool] = {}
        self.undos: list[tuple[str, str]] = []  # undo id, the answer it took back
        self.count = 0
        self.compared: dict[str, bool] | None = None  # what stood when a second reader last learned the same

    def teardown(self) -> None:
        with Study.open(self.path, write=False) as other:
            assert other.rank().to_json() == self.study.rank().to_json()
        self.study.close()
        self.folder.cleanup()

    def answered(self, question: str) -> bool:
        return any(self.stands[event] and self.said[event][0] == question for event in self.said)

    @rule(judge=st.sampled_from(JUDGES))
    def ask(self, judge: str) -> None:
        question = self.study.ask(judge)
        assert question.judge == judge
        assert question.left != question.right
        assert not self.answered(question.id)
        self.questions[question.id] = question

    @precondition(lambda self: any(not self.answered(question) for question in self.questions))
    @rule(choice=st.sampled_from(OUTCOMES), data=st.data())
    def answer(self, choice: str, data: st.DataObject) -> None:
        question = data.draw(st.sampled_from([q for q in self.questions if not self.answered(q)]))
        self.count += 1
        event = f"event-{self.count}"
        assert self.study.tell(question, choice, event_id=event).choice == choice
        self.said[event], self.stands[event] = (question, choice), True

    @precondition(lambda self: self.said)
    @rule(data=st.data())
    def repeat(self, data: st.DataObject) -> None:
        event = data.draw(st.sampled_from(sorted(self.said)))
        question, choice = self.said[event]
        assert self.study.tell(question, choice, event_id=event).id == event

    @precondition(lambda self: self.said)
    @rule(choice=st.sampled_from(OUTCOMES), data=st.data())
    def contradict(self, choice: str, data: st.DataObject) -> None:
        event = data.draw(st.sampled_from(sorted(self.said)))
        question, said = self.said[event]
        if choice != said:
            with pytest.raises(Conflict):
                self.study.tell(question, choice, event_id=event)
        if self.answered(question):
            with pytest.raises(Conflict, match="answered already"):
                self.study.tell(question, choice, event_id=f"late-{self.count}")

    @precondition(lambda self: any(self.stands.values()))
    @rule()
    def undo_the_last(self) -> None:
        last = [event for event in self.said if self.stands[event]][-1]
        self.undos.append((self.study.undo(), last))
        self.stands[last] = False

    @precondition(lambda self: any(self.stands.values()))
    @rule(data=st.data())
    def undo_any(self, data: st.DataObject) -> None:
        event = data.draw(st.sampled_from([event for event in self.said if self.stands[event]]))
        self.undos.append((self.study.undo(event), event))
        self.stands[event] = False

    @precondition(lambda self: self.undos)
    @rule()
    def undo_the_undo(self) -> None:
        undo, event = self.undos.pop()
        if self.answered(self.said[event][0]):
            with pytest.raises(Conflict, match="answered anew"):
                self.study.undo(undo)
        else:
            self.study.undo(undo)
            self.stands[event] = True

    @rule()
    def reopen(self) -> None:
        self.study.close()
        self.study = Study.open(self.path)
        self.compared = None

    @invariant()
    def the_answers_that_stand_are_those_of_the_plain_model(self) -> None:
        told = [(answer.id, answer.question.id, answer.choice) for answer in self.study.answers()]
        assert told == [(event, *self.said[event]) for event in self.said if self.stands[event]]

    @invariant()
    def what_is_learned_is_that_of_the_answers_alone(self) -> None:
        """Whoever opens the file learns the same to the last bit; the ranking, a function of that, is compared once."""
        standing = dict(self.stands)
        if standing == self.compared:
            return
        self.compared = standing
        with Study.open(self.path, write=False) as other:
            assert to_bytes(other.model()) == to_bytes(self.study.model())


Loop.TestCase.settings = settings(max_examples=20, stateful_step_count=15, deadline=None)


@pytest.mark.slow("plays twenty runs of fifteen steps, each checked against a second reader of the file")
class TestLoop(Loop.TestCase):
    """The state machine as a test."""
