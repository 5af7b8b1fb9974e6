"""The settings of a study as its log stores them: the model, and which pairs are asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from penchant import registry
from penchant.checks import one_of, whole
from penchant.errors import InvalidInput
from penchant.worth import BradleyTerry, Thurstone

PairedModel = BradleyTerry | Thurstone
MODELS: dict[str, type[PairedModel]] = {
    name: entry.load() for name, entry in registry.MODELS.items() if entry.in_studies
}


ASKING_PRIOR = 0.1
"""The precision of the prior with which questions are chosen where the prior is learned."""

FIRST_DEFAULTS: dict[str, Any] = {"prior": 0.1, "errors": "auto", "feature_prior": 1.0}
"""Settings that the first version of the log leaves out: the defaults of that time."""


def model_named(model: str | PairedModel | None) -> dict[str, Any]:
    """Return the name and every setting of a model, as the log stores them."""
    if model is None or isinstance(model, str):
        name = model or "bradley-terry"
        one_of("model", name, MODELS)
        return {"name": name, "settings": MODELS[name]().get_params()}
    for name, kind in MODELS.items():
        if type(model) is kind:
            return {"name": name, "settings": model.get_params()}
    raise InvalidInput.of(
        "model", f"be one of {', '.join(MODELS)}", type(model).__name__, "choose one of these"
    )


def settings_kept(content: dict[str, Any], version: int) -> dict[str, Any]:
    """Return the settings of the model that an event holds, complete."""
    return {**(FIRST_DEFAULTS if version == 1 else {}), **content["settings"]}


def asking_kept(
    items: Collection[str], top: int | None, forbidden: Iterable[tuple[str, str]]
) -> dict[str, Any]:
    """Return how many items are to be found and which pairs are never asked, as the log stores them."""
    if top is not None:
        whole("top", top, 1, len(items) - 1, remedy="name a part of the items, or leave it out for all")
    ids, pairs = set(items), [_names(pair) for pair in forbidden]
    for pair in pairs:
        if len(set(pair)) != 2 or len(pair) != 2 or not ids.issuperset(pair):
            raise InvalidInput(f"forbidden must hold pairs of two different items, got {pair}: correct it")
    distinct = sorted({tuple(sorted(pair)) for pair in pairs})
    if pairs and len(distinct) == len(ids) * (len(ids) - 1) // 2:
        raise InvalidInput("forbidden must leave a pair to ask about, got all of them: allow some")
    return {"top": top, "forbidden": [list(pair) for pair in distinct]}


def _names(pair: Any) -> tuple[str, ...]:
    if isinstance(pair, str) or not isinstance(pair, Iterable):
        raise InvalidInput(f"forbidden must hold pairs of two different items, got {pair!r}: correct it")
    return tuple(map(str, pair))
