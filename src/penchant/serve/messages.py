"""The bodies of requests, which are checked, and of replies."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema

from penchant.store.entry import NAME_LENGTH

MOST_AHEAD = 5
Id = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9._:-]+$")]
"""An id that a client made: letters, digits and . _ : - only, so that it never meets one of another client."""
StoredId = Annotated[str, StringConstraints(min_length=1, max_length=NAME_LENGTH)]
"""The id of an event in the log, which may hold any printable character: events can be imported."""
Choice = Literal["left", "right", "tie", "both_bad", "skip"]
Ahead = Annotated[int, Field(ge=0, le=MOST_AHEAD)]
"""How many questions beyond the next one are reserved for the judge."""
Role = Literal["owner", "judge", "app", "reader"]
_NAME = "Whose it is: 1 to 100 characters, none of them a control character."


class Body(BaseModel):
    """What a request carries: the fields below and no others, of their types as they are."""

    model_config = ConfigDict(extra="forbid", strict=True)


def shown(*examples: dict[str, Any]) -> ConfigDict:
    """Return the configuration of a body with examples for the description of the interface."""
    return ConfigDict(json_schema_extra={"examples": list(examples)})


class EmptyBody(Body):
    """An empty object."""

    model_config = shown({})


class ErrorText(BaseModel):
    """What went wrong: a code for programs, what was received and its limit, and what to do."""

    code: str
    message: str
    hint: str


class ErrorOut(BaseModel):
    """The one shape of an error."""

    error: ErrorText


# -- the study ---------------------------------------------------------------------------------------------


class Health(BaseModel):
    """That the server runs and can write."""

    status: Literal["ok"]


class StudyOut(BaseModel):
    """The study of a token, and whose token it is; ``revision`` is the number of the last event.

    ``id`` tells this study from others; copies of it have the same.
    ``answered`` counts the answers of a judge, ``answers_each`` is the number after which a judge is thanked (0: none
    was agreed), ``settled`` says whether the study has what it needs, and ``needs`` what it still needs, in words.
    """

    id: str
    title: str
    kind: Literal["compare", "coactive"]
    question: str
    instructions: str
    progress: str
    revision: int
    role: Role
    name: str
    answered: int
    answers_each: int
    settled: bool
    needs: str


# -- questions and answers ---------------------------------------------------------------------------------


class ItemOut(BaseModel):
    """What a judge sees of an item.

    ``format`` is "code" where the text is to be set in one width, ``fields`` are the columns that the study shows.
    ``picture`` is what ``GET /v1/pictures/{picture}`` takes, "" where there is none, and ``size`` its width and height
    in pixels.
    """

    id: str
    title: str
    text: str
    format: Literal["text", "code"] = "text"
    fields: dict[str, str | int | float | bool] = {}
    picture: str = ""
    size: list[int] = []


class QuestionOut(BaseModel):
    """Two items, how far the study has come in words, and how many of the standing answers are the judge's own."""

    id: str
    left: ItemOut
    right: ItemOut
    judge: str
    progress: str
    answered: int


class QuestionsIn(Body):
    """How many questions to reserve beyond the next one."""

    model_config = shown({}, {"ahead": 2})

    ahead: Ahead = 0


class QuestionsOut(QuestionOut):
    """The next question, and those that come after it: a judge can go on to them before a reply comes."""

    ahead: list[QuestionOut]


class AnswerIn(Body):
    """An answer, under an id that its sender made, so that it can be sent again without counting twice."""

    model_config = shown(
        {"id": "answer-1", "question": "q-5f2c8e1a9b3d7046", "choice": "left"},
        {"id": "answer-2", "question": "q-5f2c8e1a9b3d7046", "choice": "tie", "ahead": 2},
    )

    id: Id
    question: StoredId
    choice: Choice
    ahead: Ahead = 0


class KeptAnswerOut(BaseModel):
    """An answer that is on disk."""

    id: str
    question: str
    choice: Choice


class AnswerOut(BaseModel):
    """What was kept, whether it was there before, and what is asked next; null where there is nothing to ask.

    ``ahead`` are the questions after the next one, as many as were asked for, or fewer.
    """

    answer: KeptAnswerOut
    duplicate: bool
    next: QuestionOut | None
    ahead: list[QuestionOut]


class AnsweredOut(ErrorOut):
    """The question was answered already: the error, and what is asked next."""

    next: QuestionOut | None


class UndoIn(Body):
    """An undo under an id that its sender made.

    ``event`` is what to take back: of a judge or an app the id under which they sent it, of the owner the id of an
    event. Without it, it is the last answer of the judge, or the last feedback (of ``user``).
    """

    model_config = shown({"id": "undo-1"}, {"id": "undo-2", "event": "answer-1"})

    id: Id
    event: StoredId | None = None
    user: str | None = None


class UndoOut(BaseModel):
    """The id of the undo, whether it was there before, and the question that is open again."""

    undo: str
    duplicate: bool
    question: QuestionOut | None = None


# -- presentations and feedback ----------------------------------------------------------------------------

CANDIDATES = {
    "anyOf": [
        {"type": "array", "items": {"type": "string"}, "description": "Ids of items of the study."},
        {
            "type": "object",
            "description": "Dense features: rows[i][j] is the feature features[j] of the candidate ids[i].",
            "properties": {
                "ids": {"type": "array", "items": {"type": "string"}},
                "features": {"type": "array", "items": {"type": "string"}},
                "rows": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
            },
            "required": ["ids", "features", "rows"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "description": "Features by name for each candidate: numbers, true or false, or categories.",
            "additionalProperties": {
                "type": "object",
                "additionalProperties": {"type": ["number", "boolean", "string"]},
            },
        },
    ]
}


class PresentationIn(Body):
    """Candidates to put in order, under an id that the sender made.

    ``candidates`` is a list of ids of items of the study, an object of features by id, or a table.
    """

    model_config = shown(
        {"id": "r1", "candidates": ["a", "b", "c"], "user": "u7", "interleave": "baseline"},
        {"id": "r2", "candidates": {"x": {"price": 2.0, "new": True}, "y": {"price": 1.5}}, "learn": False},
        {"id": "r3", "candidates": {"ids": ["x", "y"], "features": ["price"], "rows": [[2.0], [1.5]]}},
    )

    id: Id
    candidates: Annotated[Any, WithJsonSchema(CANDIDATES)]
    user: str | None = None
    learn: bool = True
    interleave: list[str] | Literal["baseline"] | None = Field(
        None, description='"baseline", or another order of the candidates.'
    )


class PresentationOut(BaseModel):
    """An order that is on disk, best first.

    ``id`` is what feedback names; whoever knows it may give feedback once without a token. ``teams`` names for each
    place the order that added it (0: the learned one), where two were interleaved.
    """

    id: str
    order: list[str]
    teams: list[int] | None
    learn: bool
    duplicate: bool


class FeedbackIn(Body):
    """What a person made of a presentation: just one of ``clicked``, ``order`` and ``better``.

    Without a token ``id`` may be left out.
    """

    model_config = shown(
        {"id": "f1", "presentation": "p-0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "clicked": ["b"]},
        {"id": "f2", "presentation": "p-0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "order": ["c", "a", "b"]},
        {"id": "f3", "presentation": "p-0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "better": "c"},
    )

    id: Id | None = None
    presentation: StoredId
    clicked: list[str] | None = None
    order: list[str] | None = None
    better: str | None = None


class FeedbackOut(BaseModel):
    """Feedback that is on disk: the improved order, whether it differs from what was shown, and whether it is learned.

    ``late`` is true where it came an hour or more after the presentation.
    """

    id: str
    presentation: str
    order: list[str]
    changed: bool
    learned: bool
    late: bool
    duplicate: bool


# -- reports -----------------------------------------------------------------------------------------------


class RankingRow(BaseModel):
    """An item in the ranking, with the interval of its score and the ranks that it may have.

    The places of the items of one ``group`` are open: their ranks overlap.
    """

    model_config = ConfigDict(extra="allow")

    rank: int
    item: str
    title: str
    score: float
    lower: float | None = None
    upper: float | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    group: int | None = None
    answers: int | float | None = None


class RankingOut(BaseModel):
    """The ranking with its intervals, what is certain about it, and how near it is to the goal of the study.

    ``verdict`` says which places are certain and whether the goal is reached, the most important sentence first.
    """

    model_config = ConfigDict(extra="allow")

    study: str
    progress: str
    answers: int
    certain: list[str]
    settled: dict[str, Any] | None
    verdict: list[str]
    model: str
    level: float = Field(description="Of the intervals.")
    items: list[RankingRow] = Field(description="Best first.")
    notes: list[str]


class SettledOut(BaseModel):
    """How near the ranking is to its goal; null while it is too early to say.

    ``words`` says it in a sentence and ``enough`` whether the goal is reached: ``value``, with the standard error
    ``error``, is the correlation or probability that must reach ``level``, and ``left`` the estimated number of answers
    until then, with an interval ``left_range``.
    """

    settled: dict[str, Any] | None


class ReasonOut(BaseModel):
    """What speaks for the first of two items, or below 0 for the second, and by how much of their difference."""

    what: str
    weight: float


class WhyOut(BaseModel):
    """Why item ``a`` stands above or below item ``b``: the weights of all reasons add up to ``difference``."""

    a: str
    b: str
    difference: float
    sd: float
    titles: list[str]
    answers: list[ReasonOut]
    links: list[ReasonOut]
    features: list[ReasonOut]


class WeightsOut(BaseModel):
    """The weight of each feature in the next order, of the shared model or of a user's own."""

    user: str | None
    weights: dict[str, float]


class InterleavingOut(BaseModel):
    """How often the learned order won against the one that it was interleaved with."""

    wins: int
    losses: int
    ties: int
    share: float | None
    interval: list[float]
    level: float


class SimulationOut(BaseModel):
    """How a simulated reader fared: entry t of ``regret`` is the average of the first t + 1 rounds.

    ``bound`` is what Theorem 1 of coactive learning allows it to be, for this α, R and norm of the taste; null for
    learners that it is not about. ``taste`` are the hidden weights, ``learned`` those of the copy after the last round.
    """

    rounds: int
    seed: int
    regret: list[float]
    bound: list[float] | None
    alpha: float
    R: float
    norm: float
    taste: dict[str, float]
    learned: dict[str, float]


# -- items, judges, settings and tokens --------------------------------------------------------------------


class StudyItemOut(BaseModel):
    """An item with all its fields; ``links`` are weights by id."""

    id: str
    title: str
    text: str
    picture: str
    fields: dict[str, str | int | float | bool | None]
    links: dict[str, float]
    retired: bool


class ItemsOut(BaseModel):
    """All items of the study, retired ones included."""

    items: list[StudyItemOut]


class ItemsIn(Body):
    """New items: texts, or objects with title and perhaps id, text, picture, links and other fields."""

    model_config = shown({"id": "items-1", "items": ["Juice", {"id": "w", "title": "Wine", "price": 7.5}]})

    id: Id
    items: list[str | dict[str, Any]] = Field(min_length=1)


class AddedOut(BaseModel):
    """The ids of the items that are there now, and whether they were before."""

    items: list[str]
    duplicate: bool


class ItemChangeIn(Body):
    """New values of some fields of an item (null removes one), or whether it is retired: one of the two."""

    model_config = shown({"id": "edit-1", "fields": {"text": "green"}}, {"id": "edit-2", "retired": True})

    id: Id
    fields: dict[str, Any] | None = None
    retired: bool | None = None


class ItemChangeOut(BaseModel):
    """The item as it is now."""

    item: StudyItemOut
    duplicate: bool


class NameIn(Body):
    """The name of a judge to be."""

    model_config = shown({"name": "ann"})

    name: str = Field(description=_NAME)


class LinkOut(BaseModel):
    """A judge, the link to hand out, also as the rows of a QR code (1 is dark), and the id by which it is revoked."""

    judge: str
    link: str
    id: str
    qr: list[str]


class JudgeRow(BaseModel):
    """How reliable a judge is (1 is usual), how much they lean to the left, and what stands out.

    ``agreement`` is the share of answers that agree with those of other people about the same pair, null where nobody
    else answered one, and ``shared`` how many answers that rests on.
    """

    model_config = ConfigDict(extra="allow")

    judge: str
    answers: int | float
    reliability: float | None
    reliability_error: float | None
    bias: float | None
    bias_error: float | None
    left_share: float | None
    finding: str
    program: bool = False
    agreement: float | None = None
    agreement_error: float | None = None
    shared: int | float | None = None


class JudgesOut(BaseModel):
    """The judges whose answers count, the least reliable first, and the names of those who were set aside."""

    judges: list[JudgeRow]
    aside: list[str]
    level: float
    model: str


class JudgeChangeIn(Body):
    """Whether the answers of a judge are left out."""

    model_config = shown({"id": "aside-1", "aside": True})

    id: Id
    aside: bool


class JudgeChangeOut(BaseModel):
    """A judge, and whether their answers are left out now."""

    judge: str
    aside: bool
    duplicate: bool


class SettingsIn(Body):
    """New values of some settings."""

    model_config = shown({"id": "settings-1", "settings": {"title": "Drinks for the office"}})

    id: Id
    settings: dict[str, Any]


class SettingsOut(BaseModel):
    """All settings of the study."""

    settings: dict[str, Any]
    duplicate: bool = False


class TokenIn(Body):
    """A token to be made."""

    model_config = shown({"role": "reader", "name": "board", "days": 30.0})

    role: Role
    name: str = Field(description=_NAME)
    days: float | None = Field(
        None, description="How long it works, a minute to a century; for ever if not given."
    )


class TokenOut(BaseModel):
    """A token without its secret; times are seconds since 1970 in UTC."""

    id: str
    role: str
    name: str
    made: float
    used: float | None
    expires: float | None


class TokenMade(TokenOut):
    """A token that was just made: the only time that it is shown; ``qr`` are the rows of its link as a QR code."""

    token: str
    link: str
    qr: list[str]


# -- events ------------------------------------------------------------------------------------------------


class EventOut(BaseModel):
    """An event of the log; ``time`` is in seconds since 1970 in UTC."""

    number: int
    id: str
    kind: str
    version: int
    time: float
    content: dict[str, Any]


class EventsOut(BaseModel):
    """Events in their order; ``last`` is the number of the last event of the log."""

    events: list[EventOut]
    last: int
