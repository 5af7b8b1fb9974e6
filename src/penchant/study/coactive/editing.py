"""Changes of a running coactive study: its items and its settings. Each change is an event."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from typing import Any

from penchant.errors import InvalidInput, UnknownItem
from penchant.study.coactive.events import newest
from penchant.study.coactive.features import check_items
from penchant.study.coactive.loop import CoactiveLoop
from penchant.study.coactive.settings import FIXED, check_together, checked_settings
from penchant.study.events import CHANGED, EDITED, RETIRED, RETURNED
from penchant.study.items import Item, check_links, checked_items, listed_items
from penchant.study.repeating import is_same_change, is_same_list, same_edit


class CoactiveEditing(CoactiveLoop):
    """The methods of `CoactiveStudy` that change its items and settings."""

    def add_items(self, items: Iterable[object], *, event_id: str | None = None) -> tuple[Item, ...]:
        """Add items, which can be presented from here on.

        Parameters
        ----------
        items : iterable
            As in `CoactiveStudy.create`; ids must be new.
        event_id : str, optional
            The id of the event, here and in the other methods: the same one with the same change again changes nothing,
            with another change it is an error.
        """
        given = listed_items(items)
        with self._changing():
            before = self._recorded_items(event_id, given)
            if before is not None:
                return tuple(before)
            new = checked_items(given, self._state.items, least=1)
            self._check_features(new)
            self._record_items(new, event_id)
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

        None removes a field. A field that is called event_id can be changed in a mapping only. Feedback on an earlier
        presentation is learned with the features that the item had then.
        """
        given = {**(changes or {}), **fields}
        with self._changing():
            before = self._recorded(event_id, EDITED)
            if before is not None:
                return same_edit(event_id, before, id, given)
            item = self._known_item(id).edited(**given)
            check_links([item], self._state.items)
            self._check_features([item])
            self._append_one(EDITED, {"item": item.to_json()}, event_id)
        return item

    def retire(self, *ids: str, event_id: str | None = None) -> None:
        """Take items out of what can be presented."""
        with self._changing():
            named = dict.fromkeys(self._known_item(id).id for id in ids)
            if is_same_list(event_id, self._recorded(event_id, RETIRED), named):
                return
            leaving = [id for id in named if id not in self._state.retired]
            if leaving:
                self._append_one(RETIRED, {"items": leaving}, event_id)

    def bring_back(self, *ids: str, event_id: str | None = None) -> None:
        """Let retired items be presented again."""
        with self._changing():
            named = dict.fromkeys(self._known_item(id).id for id in ids)
            if is_same_list(event_id, self._recorded(event_id, RETURNED), named):
                return
            coming = [id for id in named if id in self._state.retired]
            if coming:
                self._append_one(RETURNED, {"items": coming}, event_id)

    def change(self, /, *, event_id: str | None = None, **settings: Any) -> dict[str, Any]:
        """Change title, baseline or retention, by the names of `CoactiveStudy.create`; return all settings."""
        with self._changing():
            for name in settings:
                if name in FIXED:
                    raise InvalidInput.of(
                        name,
                        "stay as the study was made",
                        "another",
                        "make a new study and replay the log into it",
                    )
            checked = checked_settings(settings)
            if is_same_change(event_id, self._recorded(event_id, CHANGED), checked):
                return dict(self._state.settings)
            if "baseline" in checked and _is_learner(checked["baseline"]) | _is_learner(
                self._state.settings["baseline"]
            ):
                raise InvalidInput.of(
                    "baseline",
                    "be changed only between orders that do not learn",
                    "a learner",
                    "make a new study",
                )
            check_together({**self._state.settings, **checked})
            different = {
                name: value for name, value in checked.items() if self._state.settings[name] != value
            }
            if different:
                self._append_one(CHANGED, {"settings": different}, event_id)
            return dict(self._state.settings)

    def _append_one(self, kind: str, content: dict[str, Any], event_id: str | None) -> None:
        self._record([(event_id or f"{kind[0]}-{secrets.token_hex(8)}", kind, content, newest(kind))])

    def _check_features(self, items: list[Item]) -> None:
        names = check_items(items, self._state.settings)
        if not self._models.shared.additive:
            learned = set(self._models.shared.names)
            stranger = next((name for name in names if name not in learned), None)
            if stranger is not None:
                raise InvalidInput.of(
                    f"feature {stranger!r}", "be one that the study was made with", "another", "leave it out"
                )

    def _known_item(self, id: str) -> Item:
        if not isinstance(id, str):
            raise InvalidInput.of("item", "be an id", type(id).__name__, "give ids one by one")
        if id not in self._state.items:
            raise UnknownItem(f"item {id!r} must be of this study, got an unknown one: list the items")
        return self._state.items[id]


def _is_learner(baseline: Any) -> bool:
    return isinstance(baseline, dict) and "name" in baseline
