"""Items, judges and settings of a running study."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter

from penchant.errors import InvalidInput
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
from penchant.serve.report_messages import FileIn
from penchant.study import CompareStudy, Item
from penchant.study.item_files import usable_items
from penchant.text import first_hidden

router = APIRouter(route_class=StrictRoute)
_ESCAPED = "percent-encoded; it may hold slashes, encoded or not."
ItemId = Annotated[str, PathParameter(description=f"The id of an item, {_ESCAPED}")]
JudgeName = Annotated[str, PathParameter(description=f"The name of a judge, {_ESCAPED}")]
Programs = Annotated[
    str,
    Query(max_length=10_000, description="Names of judges that are programs, with commas between them."),
]
LONGEST_NAME = 200


@router.get("/items", responses=replies())
async def items(reader: Reader) -> ItemsOut:
    """Return all items with their fields, retired ones included."""
    study = reader.served.study

    def work() -> tuple[list[Item], set[str]]:
        return list(study.items.values()), set(study.retired)

    listed, retired = await reader.call(work)  # never what a commit that fails takes back
    return await reader.in_thread(
        lambda: ItemsOut(items=[item_out(item, item.id in retired) for item in listed])
    )


@router.post("/items", responses=replies(404, 409, body=True, writes=True), openapi_extra=takes(ItemsIn))
async def add_items(request: Request, owner: Owner) -> AddedOut:
    """Add items, all of them or none."""
    body = await body_of(request, ItemsIn)
    _check_finite("items", body.items)
    return await _added(owner, body.id, body.items)


@router.post("/items/import", responses=replies(409, body=True, writes=True))
async def import_items(body: FileIn, owner: Owner) -> AddedOut:
    """Add the items of a file; where a row is wrong, none, and the error names all such rows by their lines."""
    study, event = owner.served.study, owner.own_id(body.id)
    duplicate = await owner.call(lambda: study.has_event(event))
    existing = () if duplicate else frozenset(study.items)
    return await _added(owner, body.id, await owner.in_thread(lambda: _read(body, existing)))


async def _added(owner: Access, id: str, items: Iterable[object]) -> AddedOut:
    """Add items under an id that the owner sent."""
    study = owner.served.study
    added, duplicate = await owner.change(id, lambda event: study.add_items(items, event_id=event))
    return AddedOut(items=[item.id for item in added], duplicate=duplicate)


def _read(body: FileIn, existing: Collection[str]) -> list[Item]:
    """Return the items of a file that was sent, read as `penchant.study.read_items` reads one."""
    name = Path(body.name.replace("\\", "/")).name
    if not name or first_hidden(body.name) is not None or len(name) > LONGEST_NAME:
        raise InvalidInput.of("name", "be that of a file", ascii(body.name)[:60], "send the name of the file")
    with TemporaryDirectory(prefix="penchant-import-") as folder:
        path = Path(folder) / f"items{Path(name).suffix.lower() if Path(name).suffix.isascii() else ''}"
        path.write_text(body.text, encoding="utf-8", newline="")
        try:
            return usable_items(path, existing)
        except InvalidInput as error:
            raise _named(error, path, name) from None


def _named(error: InvalidInput, path: Path, name: str) -> InvalidInput:
    """Return an error about a file under the name that its sender knows."""
    if error.argument == path.name:
        return InvalidInput.of(name, error.limit, error.received, error.remedy)
    return InvalidInput(str(error).replace(str(path), name))


@router.patch("/items/{item:path}", responses=replies(404, 409, body=True, writes=True))
async def change_item(item: ItemId, body: ItemChangeIn, owner: Owner) -> ItemChangeOut:
    """Change fields of an item, retire it or bring it back."""
    study = owner.served.study
    _check_finite("fields", body.fields)
    if (body.fields is None) == (body.retired is None):
        received = "none" if body.fields is None else "both"
        raise InvalidInput.of("the body", "hold one of fields and retired", received, "send just one")

    def work(event: str) -> StudyItemOut:
        if body.fields is not None:
            study.edit_item(item, body.fields, event_id=event)
        elif body.retired:
            study.retire(item, event_id=event)
        else:
            study.bring_back(item, event_id=event)
        return item_out(study.items[item], item in study.retired)

    changed, duplicate = await owner.change(body.id, work)
    return ItemChangeOut(item=changed, duplicate=duplicate)


def _check_finite(name: str, value: Any) -> None:
    """Reject numbers that JSON cannot hold: as a title or text they would be the word "inf"."""
    if isinstance(value, float) and not isfinite(value):
        raise InvalidInput.of(name, "hold finite numbers", value, "write null for what is missing")
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_finite(name, part)


def item_out(item: Item, retired: bool) -> StudyItemOut:
    """Return an item with all its fields."""
    return StudyItemOut(
        id=item.id,
        title=item.title or item.id,
        text=item.text,
        picture=str(item.picture),
        fields=dict(item.fields),
        links=dict(item.links),
        retired=retired,
    )


@router.get("/judges", responses=replies(422))
async def judges(owner: Owner, programs: Programs = "") -> JudgesOut:
    """Return how reliable each judge is, whether they lean to a side, and how they agree with people."""
    study, reports = owner.compare, owner.served.reports

    def work() -> JudgesOut:
        found = study.judges(programs=[name for name in programs.split(",") if name])
        rows = [JudgeRow(**row) for row in json.loads(found.to_frame().to_json(orient="records"))]
        return JudgesOut(judges=rows, aside=list(study.aside), level=found.level, model=found.model)

    if programs:  # any names may be given, so that their reports are not kept
        return await owner.in_thread(
            lambda: reports.get("judges and programs", work, is_whole=lambda _: False)
        )
    return await owner.in_thread(lambda: reports.get("judges", work))


@router.patch("/judges/{name:path}", responses=replies(404, 409, body=True, writes=True))
async def change_judge(name: JudgeName, body: JudgeChangeIn, owner: Owner) -> JudgeChangeOut:
    """Leave the answers of a judge out of everything that is learned, or let them count again."""
    study = owner.compare

    def work(event: str) -> bool:
        (study.set_aside if body.aside else study.take_back)(name, event_id=event)
        return name in study.aside

    is_aside, duplicate = await owner.change(body.id, work)
    return JudgeChangeOut(judge=name, aside=is_aside, duplicate=duplicate)


@router.get("/settings", responses=replies())
async def settings(reader: Reader) -> SettingsOut:
    """Return all settings of the study."""
    return await reader.call(lambda: SettingsOut(settings=_settings(reader)))


@router.patch("/settings", responses=replies(409, body=True, writes=True))
async def change_settings(body: SettingsIn, owner: Owner) -> SettingsOut:
    """Change settings of the study."""
    study = owner.served.study
    if "event_id" in body.settings:
        raise InvalidInput("event_id is no setting of a study: leave it out")
    changed, duplicate = await owner.change(
        body.id, lambda event: study.change(event_id=event, **body.settings)
    )
    return SettingsOut(settings=changed, duplicate=duplicate)


def _settings(access: Access) -> dict[str, Any]:
    study = access.served.study
    kind = {"kind": "compare" if isinstance(study, CompareStudy) else "coactive"}
    return {**kind, **study.settings}
