"""Changes of a running coactive study: its items and its settings. Each change is an event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from penchant.errors import InvalidInput
from penchant.study.coactive.features import check_items
from penchant.study.coactive.loop import CoactiveLoop
from penchant.study.coactive.settings import FIXED, check_together, checked_settings
from penchant.study.events import CHANGED, EDITED
from penchant.study.items import Item, check_links, checked_items, item_of, listed_items
from penchant.study.repeating import is_same_change, same_edit


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
        given = {str(name): value for name, value in {**(changes or {}), **fields}.items()}
        with self._changing():
            before = self._recorded(event_id, EDITED)
            if before is not None:
                return same_edit(event_id, before, id, given)
            item = item_of(self._state.items, id).edited(**given)
            check_links([item], self._state.items)
            self._check_features([item])
            self._append(EDITED, {"item": item.to_json()}, event_id)
        return item

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
                self._append(CHANGED, {"settings": different}, event_id)
            return dict(self._state.settings)

    def _check_features(self, items: list[Item]) -> None:
        names = check_items(items, self._state.settings)
        if not self._models.shared.additive:
            learned = set(self._models.shared.names)
            new = next((name for name in names if name not in learned), None)
            if new is not None:
                raise InvalidInput.of(
                    f"feature {new!r}", "be one that the study was made with", "another", "leave it out"
                )


def _is_learner(baseline: Any) -> bool:
    return isinstance(baseline, dict) and "name" in baseline
