"""Reports: the ranking, how near it is to the goal, reasons, weights and who wins."""

from __future__ import annotations

import json
import math
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from penchant.errors import InvalidInput
from penchant.serve.access import Reader
from penchant.serve.messages import (
    InterleavingOut,
    RankingOut,
    SettledOut,
    WeightsOut,
    WhyOut,
)
from penchant.serve.queries import StrictRoute
from penchant.serve.replies import replies
from penchant.study import CompareStudy, Why

router = APIRouter(route_class=StrictRoute)
User = Annotated[str | None, Query(description="The user whose own model it is.")]


@router.get("/ranking", responses=replies(), response_model=RankingOut)
async def ranking(reader: Reader) -> JSONResponse:
    """Return the ranking as it stands."""
    return JSONResponse(await reader.in_thread(reader.live.to_json))


@router.get("/settled", responses=replies())
async def settled(reader: Reader) -> SettledOut:
    """Return how near the ranking is to its goal, as far as it was evaluated in the background."""
    return SettledOut(settled=await reader.in_thread(reader.live.settled))


@router.get("/why", responses=replies(404))
async def why(
    a: Annotated[str, Query(description="The id of an item.")],
    b: Annotated[str, Query(description="The id of another.")],
    reader: Reader,
    most: Annotated[int, Query(ge=1, le=1000, description="How many reasons of each kind.")] = 10,
    user: User = None,
) -> WhyOut:
    """Explain why one item stands above another."""
    study = reader.served.study

    def work() -> Why:
        if not isinstance(study, CompareStudy):
            return study.why(a, b, user=user, most=most)
        if user is not None:
            raise InvalidInput.of("user", "be left out where items are compared", "one", "leave it out")
        return study.why(a, b, most=most)

    found = await reader.in_thread(work)
    return WhyOut(**json.loads(found.to_json()))


@router.get("/weights", responses=replies())
async def weights(reader: Reader, user: User = None) -> WeightsOut:
    """Return the weight of each feature in the next order."""
    study = reader.coactive
    return WeightsOut(user=user, weights=await reader.in_thread(lambda: study.weights(user)))


@router.get("/interleaving", responses=replies())
async def interleaving(
    reader: Reader, level: Annotated[float, Query(gt=0, lt=1, description="Of the interval.")] = 0.95
) -> InterleavingOut:
    """Return how often the learned order won against the one that it was interleaved with."""
    study = reader.coactive
    found = await reader.in_thread(lambda: study.interleaving(level=level))
    return InterleavingOut(
        wins=found.wins,
        losses=found.losses,
        ties=found.ties,
        share=None if math.isnan(found.share) else found.share,
        interval=list(found.interval),
        level=found.level,
    )
