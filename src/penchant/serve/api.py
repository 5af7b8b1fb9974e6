"""The loop, on a page: the interface under ``/v1``. Checked JSON and a token in; the loop's own words out.

The functions are plain ``def``: each waits for the disk in a thread of its own, so that answers which come
together are written together.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request

from penchant.serve.live import LiveRanking
from penchant.serve.messages import (
    AnswerKept,
    AnswerUndone,
    Health,
    JudgeLink,
    KeptAnswer,
    Nothing,
    SaidAnswer,
    SaidName,
    SaidUndo,
    ShownItem,
    ShownQuestion,
)
from penchant.serve.refusals import Refused
from penchant.serve.tokens import Links, Tokens, judge_name
from penchant.study import Question, Study

router = APIRouter(prefix="/v1")


async def _token(authorization: Annotated[str, Header()] = "") -> str:
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Refused(
            401,
            "no_token",
            "Authorization must be Bearer and a token, got none: open the link you were given",
        )
    return token.strip()


Token = Annotated[str, Depends(_token)]


async def _judge(request: Request, token: Token) -> str:
    tokens: Tokens = request.app.state.tokens
    name = tokens.judge_of(token)
    if name is not None:
        return name
    if tokens.is_owner(token):
        raise Refused(
            403, "not_a_judge", "answers need a judge's link, got the owner's: make a judge's link first"
        )
    raise _unknown()


async def _owner(request: Request, token: Token) -> None:
    tokens: Tokens = request.app.state.tokens
    if tokens.is_owner(token):
        return
    if tokens.judge_of(token) is not None:
        raise Refused(
            403, "not_the_owner", "this needs the owner's link, got a judge's: ask whoever runs the study"
        )
    raise _unknown()


def _unknown() -> Refused:
    return Refused(
        401, "wrong_token", "the token must be of this study, got another: open the link you were given"
    )


async def _study(request: Request) -> Study:
    study: Study = request.app.state.study
    return study


Judge = Annotated[str, Depends(_judge)]
TheStudy = Annotated[Study, Depends(_study)]


@router.get("/health")
async def health() -> Health:
    """Say that it runs, to anybody, and nothing else."""
    return Health()


@router.post("/questions")
def questions(said: Nothing, judge: Judge, study: TheStudy) -> ShownQuestion:
    """Ask the next question of the judge whose token it is: an open one again, or a new one."""
    return _shown(study, study.ask(judge))


@router.post("/answers")
def answers(said: SaidAnswer, judge: Judge, study: TheStudy) -> AnswerKept:
    """Keep an answer and ask the next question. The same id again gets the first answer again."""
    asked = _own(judge, study.question(said.question))
    kept = study.tell(asked, said.choice, event_id=said.id)
    answer = KeptAnswer(id=kept.id, question=kept.question.id, choice=said.choice)
    return AnswerKept(answer=answer, next=_shown(study, study.ask(judge)))


@router.post("/undo")
def undo(said: SaidUndo, judge: Judge, study: TheStudy) -> AnswerUndone:
    """Take back the judge's own last answer and ask its question again. The same id again changes nothing."""
    undone = study.undo(judge=judge, undo_id=said.id)
    asked = _own(judge, study.question_behind(undone))
    return AnswerUndone(undo=undone, question=_shown(study, asked))


@router.get("/ranking", dependencies=[Depends(_owner)])
def ranking(request: Request) -> dict[str, Any]:
    """Return the ranking as it stands."""
    live: LiveRanking = request.app.state.live
    return live.to_json()


@router.post("/judges", dependencies=[Depends(_owner)])
async def judges(said: SaidName, request: Request) -> JudgeLink:
    """Make the link under which a judge of that name answers."""
    links: Links = request.app.state.links
    name = judge_name(said.name)
    return JudgeLink(judge=name, link=links.judge(name))


def _own(judge: str, question: Question) -> Question:
    """Stop one judge from speaking for another: an id of somebody else's question is of no use."""
    if question.judge != judge:
        raise Refused(
            403, "not_yours", f"question {question.id!r} must be your own, got another's: ask for a new one"
        )
    return question


def _shown(study: Study, question: Question) -> ShownQuestion:
    return ShownQuestion(
        id=question.id,
        left=_item(study, question.left),
        right=_item(study, question.right),
        judge=question.judge,
        progress=study.progress(),
        answered=sum(answer.question.judge == question.judge for answer in study.answers()),
    )


def _item(study: Study, item_id: str) -> ShownItem:
    item = study.items[item_id]
    return ShownItem(id=item.id, title=item.title, text=item.text)
