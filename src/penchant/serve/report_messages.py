"""The bodies of reports: checks, predictions, races, history, judges' activity, and what a coactive study learned."""

from __future__ import annotations

from pydantic import BaseModel

from penchant.serve.messages import Body, Id, StudyItemOut, shown


class CheckOut(BaseModel):
    """One check: ``passed`` is null where there is not enough data to say."""

    name: str
    passed: bool | None
    value: float | None
    limit: float | None
    message: str


class ChecksOut(BaseModel):
    """All checks of the study, and whether none of them failed."""

    ok: bool
    checks: list[CheckOut]


class CalibrationOut(BaseModel):
    """Answers whose favourite had a probability in one bin: how often it won, with an interval."""

    low: float
    high: float
    probability: float
    share: float
    share_low: float
    share_high: float
    count: int


class PredictionsOut(BaseModel):
    """How well the last answers were predicted, each before it was learned; null where a figure does not exist."""

    answers: int
    both_bad: int
    skips: int
    log_loss: float | None
    standard_error: float | None
    expected: float | None
    coin: float | None
    shares: float | None
    impossible: int
    calibration_z: float | None
    level: float
    verdict: str
    calibration: list[CalibrationOut]


class RacingModelOut(BaseModel):
    """A model in a race: its log loss, and the difference to the best one with an interval that holds at any time."""

    model: str
    log_loss: float | None
    difference: float | None
    lower: float | None
    upper: float | None
    behind: bool


class RaceOut(BaseModel):
    """Models that predicted the same answers, the best first."""

    answers: int
    left_out: int
    level: float
    verdict: str
    models: list[RacingModelOut]


class CertaintyOut(BaseModel):
    """How near the ranking was to its goal after some numbers of answers; ``level`` is enough.

    ``pending`` points are still to be computed.
    """

    goal: str
    level: float
    answers: list[int]
    values: list[float]
    errors: list[float]
    pending: int = 0


class UpcomingOut(BaseModel):
    """The pair that is asked next unless something happens before, and why; probabilities of left, right and tie."""

    left: str
    right: str
    titles: list[str]
    reason: str
    words: str
    probability: list[float]
    difference: float
    sd: float


class OutcomesOut(BaseModel):
    """The probabilities that a judge prefers ``a``, prefers ``b``, and calls them equal."""

    a: str
    b: str
    ahead: float
    behind: float
    tie: float


class EntryOut(BaseModel):
    """An event in words; ``stands`` is null for one that cannot be taken back."""

    number: int
    id: str
    kind: str
    time: float
    who: str
    words: str
    stands: bool | None


class HistoryOut(BaseModel):
    """Events, the newest first; ``last`` is the number of the last event of the log."""

    entries: list[EntryOut]
    last: int


class ActivityOut(BaseModel):
    """What one judge did; ``seconds`` is the median time of an answer."""

    judge: str
    answers: int
    last: float
    seconds: float | None
    decided: int
    left_share: float | None
    agreement: float | None
    repeats: int
    repeats_same: int
    aside: bool


class ActivitiesOut(BaseModel):
    """What each judge did, the most answers first; those who were set aside are among them."""

    judges: list[ActivityOut]


class OpponentOut(BaseModel):
    """How an item fared against another one."""

    item: str
    title: str
    won: int
    lost: int
    tied: int
    both_bad: int
    skipped: int


class ItemReportOut(BaseModel):
    """One item: whom it was compared with, its last answers, and when it was added, edited, retired or brought back."""

    item: StudyItemOut
    answers: int
    opponents: list[OpponentOut]
    last: list[EntryOut]
    changes: list[EntryOut]


class FileIn(Body):
    """A file of items: its name, whose ending tells the format, and its text."""

    model_config = shown({"id": "import-1", "name": "drinks.csv", "text": "title,price\nJuice,3\nWine,7.5\n"})

    id: Id
    name: str
    text: str


class WeightOut(BaseModel):
    """The weight of a feature, its share of the norm of all, and how steady that was: 1 never changed."""

    feature: str
    weight: float
    share: float
    deviation: float | None
    steadiness: float | None


class WeightReportOut(BaseModel):
    """The shared weights, the largest first, and by how many degrees their direction turned since a round."""

    rounds: int
    since: int
    angle: float | None
    weights: list[WeightOut]


class CurveBlockOut(BaseModel):
    """Figures of the rounds of one block, the first and the last of which are named."""

    first_round: int
    last_round: int
    first: float | None
    ndcg: float | None
    regret: float | None


class CurveOut(BaseModel):
    """How well presentations with feedback were ordered, each before it was learned from."""

    rounds: int
    first: float | None
    ndcg: float | None
    regret: float | None
    blocks: list[CurveBlockOut]
