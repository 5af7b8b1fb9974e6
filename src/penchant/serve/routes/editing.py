"""Items, judges and settings of a running study."""

from __future__ import annotations

import json
from math import isfinite
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request

from penchant.errors import Conflict, InvalidInput
from penchant.serve.access import Access, Owner, Reader
from penchant.serve.messages import (
    AddedOut,
    ItemChangeIn,
    ItemChangeOut,
    ItemsIn,
    ItemsOut,
    JudgeChangeIn,
    JudgeChangeOut,
    JudgeRow,
    JudgesOut,
    SettingsIn,
    SettingsOut,
    StudyItemOut,
)
from penchant.serve.queries import StrictRoute
from penchant.serve.replies import body_of, replies, takes
from penchant.serve.routes.answering import taken
from penchant.study import CompareStudy, Item

router = APIRouter(route_class=StrictRoute)
_ESCAPED = "percent-encoded; it may hold slashes, encoded or not."
ItemId = Annotated[str, Path(description=f"The id of an item, {_ESCAPED}")]
JudgeName = Annotated[str, Path(description=f"The name of a judge, {_ESCAPED}")]


@router.get("/items", responses=replies())
async def items(reader: Reader) -> ItemsOut:
    """Return all items with their fields, retired ones included."""
    study = reader.served.study

    def work() -> tuple[list[Item], set[str]]:
        return list(study.items.values()), set(study.retired)

    listed, retired = await reader.call(work)  # never what a commit that fails takes back
    return await reader.look(lambda: ItemsOut(items=[_item(item, item.id in retired) for item in listed]))


@router.post("/items", responses=replies(404, 409, body=True, writes=True), openapi_extra=takes(ItemsIn))
async def add_items(request: Request, owner: Owner) -> AddedOut:
    """Add items, all of them or none."""
    body = await body_of(request, ItemsIn)
    _check_finite("items", body.items)
    study, event = owner.served.study, owner.own_id(body.id)

    def work() -> AddedOut:
        duplicate = study.has_event(event)
        try:
            added = study.add_items(body.items, event_id=event)
        except Conflict:
            raise taken(body.id) from None
        return AddedOut(items=[item.id for item in added], duplicate=duplicate)

    return await owner.call(work)


@router.patch("/items/{item:path}", responses=replies(404, 409, body=True, writes=True))
async def change_item(item: ItemId, body: ItemChangeIn, owner: Owner) -> ItemChangeOut:
    """Change fields of an item, retire it or bring it back."""
    study, event = owner.served.study, owner.own_id(body.id)
    _check_finite("fields", body.fields)
    if (body.fields is None) == (body.retired is None):
        received = "none" if body.fields is None else "both"
        raise InvalidInput.of("the body", "hold one of fields and retired", received, "send just one")

    def work() -> ItemChangeOut:
        duplicate = study.has_event(event)
        try:
            if body.fields is not None:
                study.edit_item(item, body.fields, event_id=event)
            elif body.retired:
                study.retire(item, event_id=event)
            else:
                study.bring_back(item, event_id=event)
        except Conflict:
            raise taken(body.id) from None
        return ItemChangeOut(item=_item(study.items[item], item in study.retired), duplicate=duplicate)

    return await owner.call(work)


def _check_finite(name: str, value: Any) -> None:
    """Reject numbers that JSON cannot hold: as a title or text they would be the word "inf"."""
    if isinstance(value, float) and not isfinite(value):
        raise InvalidInput.of(name, "hold finite numbers", value, "write null for what is missing")
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_finite(name, part)


def _item(item: Item, retired: bool) -> StudyItemOut:
    return StudyItemOut(
        id=item.id,
        title=item.title or item.id,
        text=item.text,
        picture=str(item.picture),
        fields=dict(item.fields),
        links=dict(item.links),
        retired=retired,
    )


@router.get("/judges", responses=replies())
async def judges(owner: Owner) -> JudgesOut:
    """Return how reliable each judge is, and whether they lean to a side."""
    study = owner.compare

    def work() -> JudgesOut:
        found = study.judges()
        rows = [JudgeRow(**row) for row in json.loads(found.to_frame().to_json(orient="records"))]
        return JudgesOut(judges=rows, aside=list(study.aside), level=found.level, model=found.model)

    return await owner.look(work)


@router.patch("/judges/{name:path}", responses=replies(404, 409, body=True, writes=True))
async def change_judge(name: JudgeName, body: JudgeChangeIn, owner: Owner) -> JudgeChangeOut:
    """Leave the answers of a judge out of everything that is learned, or let them count again."""
    study, event = owner.compare, owner.own_id(body.id)

    def work() -> JudgeChangeOut:
        duplicate = study.has_event(event)
        try:
            (study.set_aside if body.aside else study.take_back)(name, event_id=event)
        except Conflict:
            raise taken(body.id) from None
        return JudgeChangeOut(judge=name, aside=name in study.aside, duplicate=duplicate)

    return await owner.call(work)


@router.get("/settings", responses=replies())
async def settings(reader: Reader) -> SettingsOut:
    """Return all settings of the study."""
    return await reader.call(lambda: SettingsOut(settings=_settings(reader)))


@router.patch("/settings", responses=replies(409, body=True, writes=True))
async def change_settings(body: SettingsIn, owner: Owner) -> SettingsOut:
    """Change settings of the study."""
    study, event = owner.served.study, owner.own_id(body.id)
    if "event_id" in body.settings:
        raise InvalidInput("event_id is no setting of a study: leave it out")

    def work() -> SettingsOut:
        duplicate = study.has_event(event)
        try:
            changed = study.change(event_id=event, **body.settings)
        except Conflict:
            raise taken(body.id) from None
        return SettingsOut(settings=changed, duplicate=duplicate)

    return await owner.call(work)


def _settings(access: Access) -> dict[str, Any]:
    study = access.served.study
    kind = {"kind": "compare" if isinstance(study, CompareStudy) else "coactive"}
    return {**kind, **study.settings}
