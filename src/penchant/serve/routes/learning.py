"""Reports about what a study has learned: predictions, races, certainty, the next question; steadiness and curves."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query

from penchant.serve.access import Reader
from penchant.serve.queries import StrictRoute
from penchant.serve.replies import replies
from penchant.serve.report_messages import (
    CertaintyOut,
    CurveBlockOut,
    CurveOut,
    OutcomesOut,
    PredictionsOut,
    RaceOut,
    UpcomingOut,
    WeightOut,
    WeightReportOut,
)

router = APIRouter(route_class=StrictRoute)
MOST_ANSWERS = 2000
Last = Annotated[int, Query(ge=1, le=MOST_ANSWERS, description="How many of the last answers.")]


@router.get("/predictions", responses=replies(422))
async def predictions(reader: Reader, last: Last = MOST_ANSWERS) -> PredictionsOut:
    """Return how well the last answers were predicted, each before it was learned."""
    study, reports = reader.compare, reader.served.reports

    def work() -> PredictionsOut:
        return PredictionsOut(**json.loads(study.predictions(last=last).to_json()))

    return await reader.in_thread(lambda: reports.get(f"predictions {last}", work))


@router.get("/race", responses=replies(422))
async def race(reader: Reader, last: Last = 300) -> RaceOut:
    """Compare the models that the items allow by how well each predicts the last answers; it takes long."""
    study, reports = reader.compare, reader.served.reports

    def work() -> RaceOut:
        return RaceOut(**json.loads(study.race(last=last).to_json()))

    return await reader.in_thread(lambda: reports.get(f"race {last}", work))


@router.get("/certainty", responses=replies(422))
async def certainty(
    reader: Reader,
    seconds: Annotated[
        float | None,
        Query(gt=0, le=60, description="After so many no other point is begun; all unless given."),
    ] = None,
) -> CertaintyOut:
    """Return how near the ranking was to its goal after some numbers of answers.

    With ``seconds``, ``pending`` says how many points are left for the next requests.
    """
    study, reports = reader.compare, reader.served.reports

    def work() -> CertaintyOut:
        return CertaintyOut(**asdict(study.certainty(seconds=seconds)))

    return await reader.in_thread(
        lambda: reports.get("certainty", work, is_whole=lambda found: not found.pending)
    )


@router.get("/upcoming", responses=replies(422))
async def upcoming(reader: Reader) -> UpcomingOut:
    """Return the pair that would be asked next and why; nothing is asked."""
    study = reader.compare
    return await reader.in_thread(lambda: UpcomingOut(**asdict(study.upcoming())))


@router.get("/outcomes", responses=replies(404, 422))
async def outcomes(
    a: Annotated[str, Query(description="The id of an item.")],
    b: Annotated[str, Query(description="The id of another.")],
    reader: Reader,
) -> OutcomesOut:
    """Return how probable it is that a judge prefers one item to another."""
    study = reader.compare
    ahead, behind, tie = await reader.in_thread(lambda: study.outcome_probability(a, b))
    return OutcomesOut(a=a, b=b, ahead=ahead, behind=behind, tie=tie)


@router.get("/weights/report", responses=replies(422))
async def weight_report(reader: Reader) -> WeightReportOut:
    """Return the weights of the features with how steady they are."""
    study = reader.coactive

    def work() -> WeightReportOut:
        found = study.weight_report()
        rows = found.to_frame().to_dict("records")
        return WeightReportOut(
            rounds=found.rounds,
            since=found.since,
            angle=_number(found.angle),
            weights=[
                WeightOut(
                    feature=row["feature"],
                    weight=row["weight"],
                    share=row["share"],
                    deviation=_number(row["deviation"]),
                    steadiness=_number(row["steadiness"]),
                )
                for row in rows
            ],
        )

    return await reader.in_thread(work)


@router.get("/learning-curve", responses=replies(422))
async def learning_curve(reader: Reader) -> CurveOut:
    """Return how well presentations with feedback were ordered, in blocks of rounds that double."""
    study, reports = reader.coactive, reader.served.reports

    def work() -> CurveOut:
        found = study.learning_curve()
        blocks = found.to_frame().to_dict("records")
        return CurveOut(
            rounds=found.rounds,
            first=_number(found.first),
            ndcg=_number(found.ndcg),
            regret=_number(found.regret),
            blocks=[
                CurveBlockOut(
                    first_round=int(block["from"]),
                    last_round=int(block["to"]),
                    first=_number(block["first"]),
                    ndcg=_number(block["ndcg"]),
                    regret=_number(block["regret"]),
                )
                for block in blocks
            ],
        )

    return await reader.in_thread(lambda: reports.get("learning curve", work))


def _number(value: float) -> float | None:
    """Return a number as JSON has it, null where it does not exist."""
    return None if math.isnan(value) else float(value)
