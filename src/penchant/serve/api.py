"""The HTTP interface under ``/v1``: each function checks JSON and a token and calls the study.

The functions are plain ``def``: each waits for the disk in a thread of its own, so that answers which come
together are written together.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse

from penchant.errors import Conflict, InvalidInput
from penchant.serve.access import allowed, own_id
from penchant.serve.errors import ErrorReply, error_response
from penchant.serve.live import LiveRanking
from penchant.serve.messages import (
    AnswerIn,
    AnswerOut,
    EmptyBody,
    Health,
    ItemOut,
    KeptAnswerOut,
    LinkOut,
    NameIn,
    QuestionOut,
    TokenIn,
    TokenMade,
    TokenOut,
    UndoIn,
    UndoOut,
)
from penchant.study import CompareStudy, Question, Token
from penchant.study.tokens import Links
from penchant.text import visible

router = APIRouter(prefix="/v1")


def _study(request: Request) -> CompareStudy:
    study: CompareStudy = request.app.state.study
    return study


TheStudy = Annotated[CompareStudy, Depends(_study)]
Judge = Annotated[Token, Depends(allowed("answer"))]
Owner = Annotated[Token, Depends(allowed("run"))]


@router.get("/health")
def health(study: TheStudy, response: Response) -> Health:
    """Report, to anybody, whether answers can be written: 200 if so, else 503 and what is wrong."""
    if study.problem() is None:
        return Health(status="ok", writable=True)
    response.status_code = 503
    return Health(
        status="failing", writable=False, problem="answers cannot be written: see the server's terminal"
    )


@router.post("/questions")
def questions(body: EmptyBody, judge: Judge, study: TheStudy) -> QuestionOut:
    """Ask the next question of the judge whose token it is: an open one again, or a new one."""
    return _shown(study, study.ask(judge.name))


@router.post("/answers", response_model=AnswerOut)
def answers(body: AnswerIn, judge: Judge, study: TheStudy) -> AnswerOut | JSONResponse:
    """Keep an answer and ask the next question. The same id again gets the first answer again.

    A question that was answered already is 409 with the next question in the reply.
    """
    asked = _own(judge, study, body.question)
    try:
        turn = study.turn(asked, body.choice, event_id=own_id(judge, body.id))
    except Conflict:
        if not study.is_answered(asked) or study.has_answer(own_id(judge, body.id)):
            raise _taken(body.id) from None
        return _answered_already(_shown(study, study.ask(judge.name)))
    answer = KeptAnswerOut(id=body.id, question=asked.id, choice=body.choice)
    return AnswerOut(answer=answer, next=_shown(study, turn.question or study.ask(judge.name)))


@router.post("/undo")
def undo(body: UndoIn, judge: Judge, study: TheStudy) -> UndoOut:
    """Take back the judge's own last answer and ask its question again. The same id again changes nothing."""
    try:
        undone = study.undo(judge=judge.name, undo_id=own_id(judge, body.id))
    except Conflict:
        raise _taken(body.id) from None
    except InvalidInput:
        raise ErrorReply(
            422, "invalid", "There is no answer of yours to take back yet: answer first."
        ) from None
    return UndoOut(undo=body.id, question=_shown(study, study.question_behind(undone)))


@router.get("/ranking", dependencies=[Depends(allowed("look"))])
def ranking(request: Request) -> dict[str, Any]:
    """Return the ranking as it stands."""
    live: LiveRanking = request.app.state.live
    return live.to_json()


@router.post("/judges")
def judges(body: NameIn, owner: Owner, study: TheStudy, request: Request) -> LinkOut:
    """Make a link under which a judge of that name answers. It is shown in this reply and never again."""
    made = _make(study, request, "judge", body.name)
    return LinkOut(judge=made.name, link=made.link, id=made.id)


@router.get("/tokens")
def tokens(owner: Owner, study: TheStudy) -> list[TokenOut]:
    """List the tokens of the study: to whom, when made, when last used; never the token itself."""
    return [TokenOut(**vars(token)) for token in study.tokens.list()]


@router.post("/tokens")
def make_token(body: TokenIn, owner: Owner, study: TheStudy, request: Request) -> TokenMade:
    """Make a token of any role. It is shown in this reply and never again."""
    return _make(study, request, body.role, body.name, body.days)


@router.delete("/tokens/{token_id}")
def revoke_token(token_id: str, owner: Owner, study: TheStudy) -> EmptyBody:
    """Make a token stop working, at once and for good."""
    study.tokens.revoke(token_id)
    return EmptyBody()


def _make(
    study: CompareStudy, request: Request, role: str, name: str, days: float | None = None
) -> TokenMade:
    links: Links = request.app.state.links
    token = study.tokens.make(role, name, days=days)
    found = study.tokens.find(token, record=False)
    assert found is not None  # noqa: S101 - it was made a moment ago
    return TokenMade(**vars(found), token=token, link=links.to(role, found.name, token))


def _own(judge: Token, study: CompareStudy, question_id: str) -> Question:
    """Stop one judge from answering for another: somebody else's question is as unknown as none at all."""
    question = study.find_question(question_id)
    if question is None or question.judge != judge.name:
        raise ErrorReply(404, "unknown", "This question is not there for you: here is another one.")
    return question


def _taken(id: str) -> ErrorReply:
    return ErrorReply(
        409, "conflict", f"id {id!r} was sent before with another content: send it under a new id"
    )


def _answered_already(following: QuestionOut) -> JSONResponse:
    message = "This one was answered already: here is the next."
    return error_response(409, "answered", message, next=following.model_dump())


def _shown(study: CompareStudy, question: Question) -> QuestionOut:
    return QuestionOut(
        id=question.id,
        left=_item(study, question.left),
        right=_item(study, question.right),
        judge=visible(question.judge),
        progress=study.progress(),
        answered=study.n_answers(question.judge),
    )


def _item(study: CompareStudy, item_id: str) -> ItemOut:
    """Return what is shown of an item; studies of the first version may hold any character."""
    item = study.items[item_id]
    lines = (visible(line) for line in item.text.split("\n"))
    return ItemOut(id=item.id, title=visible(item.title or item.id), text="\n".join(lines))
