"""Questions, answers and undo."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from fastapi import APIRouter

from penchant.errors import Conflict, InvalidInput
from penchant.serve.access import Access, Judge, Undoer, compare_study
from penchant.serve.errors import ErrorReply, taken
from penchant.serve.messages import (
    AnswerIn,
    AnswerOut,
    ItemOut,
    KeptAnswerOut,
    QuestionOut,
    QuestionsIn,
    QuestionsOut,
    UndoIn,
    UndoOut,
)
from penchant.serve.queries import StrictRoute
from penchant.serve.replies import ANSWERED, replies
from penchant.study import CompareStudy, Item, Question
from penchant.study.pictures import Citation
from penchant.text import visible, visible_lines

router = APIRouter(route_class=StrictRoute)
SHORT = 1000
"""Characters up to which the text of an item is kept as it is shown: looking at each of them takes a while."""


@router.post("/questions", responses=replies(body=True, writes=True))
async def questions(body: QuestionsIn, judge: Judge) -> QuestionsOut:
    """Ask the next question of the judge whose token it is: an open one again, or a new one."""
    study = judge.compare

    def work() -> QuestionsOut:
        next, *others = study.ask_ahead(judge.name, 1 + body.ahead)
        return QuestionsOut(**dict(shown(study, next)), ahead=[shown(study, asked) for asked in others])

    return await judge.call(work)


@router.post("/answers", responses={**replies(404, body=True, writes=True), **ANSWERED})
async def answers(body: AnswerIn, judge: Judge) -> AnswerOut:
    """Keep an answer and ask the next question.

    The same id and content again gets the first answer again, and whatever question is open now. A question that was
    answered already is 409, with the next question beside the error.
    """
    study, event = judge.compare, judge.own_id(body.id)

    def work() -> AnswerOut:
        asked = _own(judge, study, body.question)
        duplicate = study.has_answer(event)
        try:
            turn = study.turn(asked, body.choice, event_id=event, ahead=body.ahead)
        except Conflict:
            if duplicate or not study.is_answered(asked):
                raise taken(body.id) from None
            raise _answered(_next(study, judge.name)) from None
        following = None if turn.question is None else shown(study, turn.question)
        kept = KeptAnswerOut(id=body.id, question=asked.id, choice=body.choice)
        ahead = [shown(study, asked) for asked in turn.ahead]
        return AnswerOut(answer=kept, duplicate=duplicate, next=following, ahead=ahead)

    return await judge.call(work)


@router.post("/undo", responses=replies(404, 409, body=True, writes=True))
async def undo(body: UndoIn, somebody: Undoer) -> UndoOut:
    """Take back an answer, feedback or an earlier undo. The same id again changes nothing.

    A judge takes back their own last answer, or the one that they name, and its question is open again; where
    they take back an undo, the answer stands again. An app takes back feedback, the owner anything.
    """
    event = somebody.own_id(body.id)

    def work() -> UndoOut:
        study = somebody.served.study
        duplicate = study.has_event(event)
        try:
            undone = _undo(somebody, body, event)
        except Conflict:
            raise taken(body.id) if duplicate else _taken_back() from None
        question = None
        if isinstance(study, CompareStudy) and somebody.token.role == "judge":
            behind = study.question_behind(undone)
            question = None if study.is_answered(behind) else shown(study, behind)
        return UndoOut(undo=body.id, duplicate=duplicate, question=question)

    return await somebody.call(work)


def _undo(somebody: Access, body: UndoIn, undo_id: str) -> str:
    study, role = somebody.served.study, somebody.token.role
    event = body.event if role == "owner" or body.event is None else somebody.own_id(body.event)
    if role == "judge":
        compare_study(somebody.served)
    if event is not None and not study.has_event(event):
        raise ErrorReply(
            404, "unknown", "There is no such event of yours", "name what is to be taken back by its id"
        )
    if not isinstance(study, CompareStudy):
        return study.undo(event, user=body.user, undo_id=undo_id)
    if body.user is not None:
        raise InvalidInput.of("user", "be left out where items are compared", "one", "leave it out")
    judge = somebody.name if role == "judge" else None
    if judge is None and event is None:
        raise InvalidInput.of("event", "be given", "nothing", "name the event that is to be taken back")
    try:
        return study.undo(event, judge=judge, undo_id=undo_id)
    except Conflict:
        raise
    except InvalidInput:
        if judge is None:
            raise
        raise ErrorReply(
            422, "invalid", "There is no such answer of yours to take back", "answer first"
        ) from None


def _own(judge: Access, study: CompareStudy, question_id: str) -> Question:
    """Stop one judge from answering for another: somebody else's question is as unknown as none at all."""
    question = study.find_question(question_id)
    if question is None or question.judge != judge.name:
        raise ErrorReply(404, "unknown", "This question is not there for you", "ask for another one")
    return question


def _taken_back() -> ErrorReply:
    return ErrorReply(
        409,
        "conflict",
        "It is taken back already, or was answered anew since",
        "undo what came after it first",
    )


def _answered(following: QuestionOut | None) -> ErrorReply:
    return ErrorReply(
        409,
        "answered",
        "This question was answered already",
        "go on with the next one",
        next=None if following is None else following.model_dump(),
    )


def _next(study: CompareStudy, judge: str) -> QuestionOut | None:
    try:
        return shown(study, study.ask(judge))
    except InvalidInput:
        return None


def shown(study: CompareStudy, question: Question) -> QuestionOut:
    """Return what a judge sees of a question."""
    columns = tuple(study.shown_columns)
    return QuestionOut(
        id=question.id,
        left=_item(study.items[question.left], columns),
        right=_item(study.items[question.right], columns),
        judge=visible(question.judge),
        progress=study.progress(),
        answered=study.n_answers(question.judge),
    )


def _item(item: Item, columns: tuple[str, ...]) -> ItemOut:
    """Return what is shown of an item; studies of the first version may hold any character."""
    return _short_item(item, columns) if len(item.text) <= SHORT else _any_item(item, columns)


def _any_item(item: Item, columns: tuple[str, ...]) -> ItemOut:
    fields = {visible(name): item.fields.get(name) for name in columns}
    citation = Citation.of(item.picture)
    return ItemOut(
        id=item.id,
        title=visible(item.title or item.id),
        text=visible_lines(item.text),
        format="code" if item.fields.get("format") == "code" else "text",
        fields={name: _value(value) for name, value in fields.items() if value not in (None, "")},
        picture="" if citation is None else citation.hash,
        size=[] if citation is None else [citation.width, citation.height],
    )


def _value(value: Any) -> str | int | float | bool:
    return visible_lines(value) if isinstance(value, str) else value


_short_item = lru_cache(maxsize=10_000)(_any_item)
