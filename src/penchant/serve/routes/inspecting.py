"""What the owner inspects: the history in words, what judges did, one item, and the checks."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query

from penchant.serve.access import Owner
from penchant.serve.queries import StrictRoute
from penchant.serve.replies import replies
from penchant.serve.report_messages import (
    ActivitiesOut,
    ActivityOut,
    ChecksOut,
    EntryOut,
    HistoryOut,
    ItemReportOut,
    OpponentOut,
)
from penchant.serve.routes.editing import ItemId, item_out
from penchant.study.history import MOST_ENTRIES

router = APIRouter(route_class=StrictRoute)


@router.get("/history", responses=replies(422))
async def history(
    owner: Owner,
    before: Annotated[
        int | None,
        Query(ge=1, le=2**53, description="Only events of smaller numbers; else from the newest on."),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_ENTRIES, description="The most events to return.")] = 50,
) -> HistoryOut:
    """Return events in words, the newest first, and whether each that can be taken back counts."""
    study = owner.served.study

    def work() -> HistoryOut:
        last = study.last_event()
        found = study.history(before=before, limit=limit)
        return HistoryOut(entries=[EntryOut(**asdict(entry)) for entry in found], last=last)

    return await owner.in_thread(work)


@router.get("/activity", responses=replies(422))
async def activity(owner: Owner) -> ActivitiesOut:
    """Return what each judge did: answers, pace, sides, agreement, repeats."""
    study, reports = owner.compare, owner.served.reports

    def work() -> ActivitiesOut:
        return ActivitiesOut(judges=[ActivityOut(**asdict(found)) for found in study.activity()])

    return await owner.in_thread(lambda: reports.get("activity", work))


@router.get("/checks", responses=replies())
async def checks(owner: Owner) -> ChecksOut:
    """Check the answers and the state of the study: each check, whether it passed, failed or lacks data."""
    study, reports = owner.served.study, owner.served.reports
    return await owner.in_thread(
        lambda: reports.get("checks", lambda: ChecksOut(**json.loads(study.check().to_json())))
    )


@router.get("/items/{item:path}", responses=replies(404, 422))
async def item_report(
    item: ItemId,
    owner: Owner,
    most: Annotated[int, Query(ge=1, le=1000, description="How many of its last answers.")] = 20,
) -> ItemReportOut:
    """Return one item: whom it was compared with, its last answers and its own history."""
    study = owner.compare
    if not item:
        raise HTTPException(404)

    def work() -> ItemReportOut:
        found = study.item_report(item, most=most)
        return ItemReportOut(
            item=item_out(found.item, found.retired),
            answers=found.answers,
            opponents=[OpponentOut(**asdict(opponent)) for opponent in found.opponents],
            last=[EntryOut(**asdict(entry)) for entry in found.last],
            changes=[EntryOut(**asdict(entry)) for entry in found.changes],
        )

    return await owner.in_thread(work)
