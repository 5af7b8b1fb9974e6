"""Start the belief of a study: make its model, the features and links of its items, and learn from answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from penchant.belief import LiveBelief
from penchant.errors import InvalidInput
from penchant.preferences import Preferences
from penchant.preferences.columns import UNKNOWN
from penchant.preferences.items import Items
from penchant.study.encoding import Encoded, Encoder
from penchant.study.features import feature_table, links_matrix, standardised
from penchant.study.items import Item
from penchant.study.learning import LINKED, MANY, QUICK, SLOW, USUAL, Background, Learning
from penchant.study.refitted import Refitted
from penchant.study.settings import MODELS, make_model
from penchant.study.state import State

MONOTONE = "monotone-gp"
QUICK_ITEMS = 200
"""Up to so many items a model of worth starts within a tenth of a second."""
SLOW_ITEMS = 500
"""Up to so many linked items a start costs little enough to be made after one fifth more answers."""
FEATURES, LINKS = "features", "links"
_BOTH_WAYS = Preferences.from_pairs([("a", "b"), ("b", "a")], judge=["c", "d"])


class ModelStart:
    """The model of a study, with what it knows of the items before any answer.

    Parameters
    ----------
    model : mapping
        Name and settings, as the log stores them.
    items : mapping of Item
    features : sequence of str
        The columns of the items that are features.

    Attributes
    ----------
    schedule : Schedule
        At which numbers of answers it is worth to start anew.
    encode : Encoder
        Turns answers into the rows that it is started from.
    """

    def __init__(self, model: Mapping[str, Any], items: Mapping[str, Item], features: Sequence[str]) -> None:
        self.model = make_model(model)
        self.ids = tuple(items)
        self.encode = Encoder({item: row for row, item in enumerate(self.ids)})
        self._stored = model
        self._family = family = MODELS[model["name"]].family
        self._given: dict[str, Any] = {}
        if features and family != "worth":
            table = feature_table(items.values(), features)
            self._given[FEATURES] = table if model["name"] == MONOTONE else standardised(table)
        if family == "linked" and any(item.links for item in items.values()):
            self._given[LINKS] = links_matrix(items.values())
        few = len(self.ids) <= QUICK_ITEMS
        most = LINKED if len(self.ids) > SLOW_ITEMS else SLOW
        many = {"worth": MANY, "linked": most}.get(family, SLOW)
        self.schedule = many if not few else QUICK if family == "worth" else USUAL
        self._live = getattr(self.model, "can_live", lambda: True)()

    @classmethod
    def of(cls, state: State) -> ModelStart:
        """Return the start of a study."""
        return cls(state.settings["model"], state.items, state.settings["features"])

    def __call__(self, answers: Encoded) -> LiveBelief:
        """Return the belief after ``answers``, which `encode` made."""
        if not self._live:
            return Refitted(self.model, self._judged(answers))
        belief: LiveBelief = self.model.live(self._outcomes(answers), **self._given)
        return belief

    def _outcomes(self, answers: Encoded, **columns: Any) -> Preferences:
        """Return answers as preferences, without judges, which live beliefs do not use."""
        weight = answers["weight"]
        return Preferences.from_answer_codes(
            Items.named(self.ids),
            answers["left"].astype(np.int64),
            answers["right"].astype(np.int64),
            answers["outcome"],
            weight=None if (weight == 1.0).all() else weight,
            **columns,
        )

    def _judged(self, answers: Encoded) -> Preferences:
        """Return answers as preferences with judges, and with sides where they are known."""
        names = np.array([*self.encode.judges, ""], dtype=object)
        preferences = self._outcomes(answers, judge=names[answers["judge"]].tolist())
        placed = answers["sides"]
        if preferences.better_on_left is None or placed.all():
            return preferences
        on_left = np.where(placed, preferences.better_on_left, UNKNOWN).astype(np.int8)
        return replace(preferences, better_on_left=on_left if placed.any() else None)

    def learning(self, background: Background | None = None) -> Learning:
        """Return a learning that starts from the model and has learned nothing yet."""
        return Learning(self, background, schedule=self.schedule)

    def fitted(self, preferences: Preferences) -> Any:
        """Return the model fitted to ``preferences`` by its batch method; linked-gp has none."""
        if self._family == "linked":
            raise InvalidInput.of(
                "model", "have a batch fit", type(self.model).__name__, "use belief(), which is all it has"
            )
        model = make_model(self._stored)
        if self._family == "worth":
            return model.update(preferences)
        return model.fit_pairs(self._given[FEATURES], preferences)


def check_start(settings: Mapping[str, Any], items: Mapping[str, Item]) -> None:
    """Reject settings and items from which the model cannot start: too many items, or features that it cannot use."""
    if MODELS[settings["model"]["name"]].family == "worth":  # which takes any items: two show whether it fits
        make_model(settings["model"]).update(_BOTH_WAYS)
        return
    from penchant.online.dense_state import MOST_ITEMS

    if MODELS[settings["model"]["name"]].family == "utility" and len(items) > MOST_ITEMS:
        raise InvalidInput.of(
            "items",
            f"be at most {MOST_ITEMS:,} for {settings['model']['name']}",
            f"{len(items):,}",
            "choose the model linked-gp, which takes more, or leave items out",
        )
    start = ModelStart(settings["model"], items, settings["features"])
    start(start.encode([]))
