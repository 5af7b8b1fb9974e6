"""Changes of a running study: its items, its judges and its settings. Each change is an event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from penchant.errors import InvalidInput, UnknownItem
from penchant.store import SideRows
from penchant.study.events import CHANGED, EDITED, SET_ASIDE, TAKEN_BACK
from penchant.study.features import check_features
from penchant.study.items import Item, check_links, checked_items, item_of, listed_items
from penchant.study.parts import PartOfStudy
from penchant.study.pictures import stored_picture, stored_pictures
from penchant.study.repeating import is_same, is_same_change, same_edit
from penchant.study.settings import check_shown, check_together, checked_settings, with_goal
from penchant.study.starting import check_start


class Editing(PartOfStudy):
    """The methods of `Study` that change its items, judges and settings."""

    def add_items(self, items: Iterable[object], *, event_id: str | None = None) -> tuple[Item, ...]:
        """Add items, which are asked about soon; a model of features and links starts from theirs.

        Parameters
        ----------
        items : iterable
            As in `Study.create`; ids must be new.
        event_id : str, optional
            The id of the event, here and in the other methods: the same one with the same change again changes nothing,
            with another change it is an error.
        """
        given, pictures = self._stored(Item.of(item, row) for row, item in enumerate(listed_items(items)))
        with self._changing():
            before = self._recorded_items(event_id, given)
            if before is not None:
                return tuple(before)
            new = checked_items(given, self._state.items)
            together = {**self._state.items, **{item.id: item for item in new}}
            check_features(together.values(), self._state.settings["features"])
            check_start(self._state.settings, together)
            self._record_items(new, event_id, SideRows(pictures))
        return tuple(new)

    def edit_item(
        self,
        id: str,
        changes: Mapping[str, Any] | None = None,
        /,
        *,
        event_id: str | None = None,
        **fields: Any,
    ) -> Item:
        """Change title, text, picture, links or any other field of an item, by name or in a mapping.

        A picture is a `pathlib.Path`. None removes a field. A field that is called event_id can be changed in a mapping
        only.
        """
        given = {str(name): value for name, value in {**(changes or {}), **fields}.items()}
        pictures: dict[str, bytes] = {}
        if "picture" in given:
            name = f"the picture of item {id[:60]!r}"
            given["picture"], pictures = stored_picture(given["picture"], name, *self._storing())
        with self._changing():
            before = self._recorded(event_id, EDITED)
            if before is not None:
                return same_edit(event_id, before, id, given)
            item = item_of(self._state.items, id).edited(**given)
            check_links([item], self._state.items)
            others = {**self._state.items, item.id: item}
            check_features(others.values(), self._state.settings["features"])
            if (item.fields, item.links) != (self._state.items[id].fields, self._state.items[id].links):
                check_start(self._state.settings, others)
            self._append(EDITED, {"item": item.to_json()}, event_id, SideRows(pictures))
        return item

    def picture(self, hash: str) -> bytes | None:
        """Return a picture of the study as WebP, by the hash that its item cites; None where there is none."""
        return self._log.side.context(hash)

    def _stored(self, items: Iterable[Item]) -> tuple[list[Item], dict[str, bytes]]:
        return stored_pictures(items, *self._storing())

    def _storing(self) -> tuple[Callable[[bytes], str], Callable[[str], bool]]:
        """Return the functions that give the hash of a picture, and whether the study has one of this hash."""
        side = self._log.side
        return side.hash, lambda hash: side.context(hash) is not None

    def _check_leaving(self, ids: Sequence[str]) -> None:
        staying = len(self._state.items) - len(self._state.retired) - len(ids)
        if staying < 2:
            raise InvalidInput(
                f"at least 2 items must stay in a study, got {staying}: add others first, or retire fewer"
            )
        top = self._state.settings["top"]
        if top is not None and staying <= top:
            raise InvalidInput(
                f"more items than the top {top} must stay, got {staying}: change top first, or retire fewer"
            )

    def set_aside(self, judge: str, *, event_id: str | None = None) -> None:
        """Leave a judge's answers, earlier and later ones, out of everything that is learned."""
        with self._changing():
            if is_same(event_id, self._recorded(event_id, SET_ASIDE), {"judge": judge}):
                return
            self._check_judge(judge)
            if judge not in self._state.aside:
                self._append(SET_ASIDE, {"judge": judge}, event_id)

    def take_back(self, judge: str, *, event_id: str | None = None) -> None:
        """Let the answers of a judge who was set aside count again."""
        with self._changing():
            if is_same(event_id, self._recorded(event_id, TAKEN_BACK), {"judge": judge}):
                return
            self._check_judge(judge)
            if judge in self._state.aside:
                self._append(TAKEN_BACK, {"judge": judge}, event_id)

    def change(self, /, *, event_id: str | None = None, **settings: Any) -> dict[str, Any]:
        """Change settings of the study, by the names of `Study.create`; return all of them.

        With another model or other features all answers are learned anew. Forbidden pairs may be of retired items;
        `top` counts those that are not retired.
        """
        with self._changing():
            settings = with_goal(settings, self._state.settings["goal"])
            checked = checked_settings(settings, self._state.items, self._state.active())
            if is_same_change(event_id, self._recorded(event_id, CHANGED), checked):
                return dict(self._state.settings)
            together = {**self._state.settings, **checked}
            check_together(together)
            check_features(self._state.items.values(), together["features"])
            check_shown(self._state.items.values(), checked.get("show", ()))
            if checked.keys() & {"model", "features"}:
                check_start(together, self._state.items)
            different = {
                name: value for name, value in checked.items() if self._state.settings[name] != value
            }
            if different:
                self._append(CHANGED, {"settings": different}, event_id)
            return dict(self._state.settings)

    def _check_judge(self, judge: str) -> None:
        if not isinstance(judge, str):
            raise InvalidInput.of("judge", "be a name", type(judge).__name__, "give one name")
        if judge not in self._state.by_judge and judge not in self._state.asked_last:
            raise UnknownItem.of(
                "judge", "be one who was asked or has answered", repr(judge), "list the judges"
            )
