"""The bodies of requests, which are checked, and of replies."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

from penchant.store.entry import NAME_LENGTH

Id = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9._:-]+$")]
"""An id that a client made: letters, digits and . _ : - only, so that it never meets one of another client."""
StoredId = Annotated[str, StringConstraints(min_length=1, max_length=NAME_LENGTH)]
"""The id of an event in the log, which may hold any printable character: events can be imported."""
Choice = Literal["left", "right", "tie", "both_bad", "skip"]


class Body(BaseModel):
    """What a request carries: the fields below and no others, of their types as they are."""

    model_config = ConfigDict(extra="forbid", strict=True)


class EmptyBody(Body):
    """An empty object."""


class AnswerIn(Body):
    """An answer, under an id that its sender made, so that it can be sent again without counting twice."""

    id: Id
    question: StoredId
    choice: Choice


class UndoIn(Body):
    """An undo of the last answer, under an id that its sender made."""

    id: Id


class NameIn(Body):
    """The name of a judge to be."""

    name: str


class ItemOut(BaseModel):
    """What a judge sees of an item."""

    id: str
    title: str
    text: str


class QuestionOut(BaseModel):
    """Two items, how far the study has come in words, and how many of the standing answers are the judge's own."""

    id: str
    left: ItemOut
    right: ItemOut
    judge: str
    progress: str
    answered: int


class KeptAnswerOut(BaseModel):
    """An answer that is on disk."""

    id: str
    question: str
    choice: Choice


class AnswerOut(BaseModel):
    """The reply to an answer: what was kept, and what is asked next."""

    answer: KeptAnswerOut
    next: QuestionOut


class UndoOut(BaseModel):
    """The reply to an undo: its id, and the question that is open again."""

    undo: str
    question: QuestionOut


class LinkOut(BaseModel):
    """A judge, the link to hand out, and the id by which it is revoked."""

    judge: str
    link: str
    id: str


class TokenIn(Body):
    """A token to be made."""

    role: Literal["owner", "judge", "app", "reader"]
    name: str
    days: float | None = None


class TokenOut(BaseModel):
    """A token without its secret; times are seconds since 1970 in UTC."""

    id: str
    role: str
    name: str
    made: float
    used: float | None
    expires: float | None


class TokenMade(TokenOut):
    """A token that was just made: the only time that it is shown."""

    token: str
    link: str


class Health(BaseModel):
    """Whether it runs and can write."""

    status: Literal["ok", "failing"]
    writable: bool
    problem: str | None = None
