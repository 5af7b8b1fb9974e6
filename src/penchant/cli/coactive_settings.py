"""The options with which ``penchant new --coactive`` and ``penchant change`` set up a coactive study."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.options import model_option, names_typed, option, values_typed
from penchant.errors import InvalidInput
from penchant.registry import family, find

if TYPE_CHECKING:
    from penchant.study import Item

_LEARNERS = family("coactive")
_USUAL = next(iter(_LEARNERS))
_SHARED = ("title", "features", "feature", "setting")
"""Options of both kinds of studies."""
_PLAIN = ("title", "map", "depth")


def _options(
    learner: Annotated[
        str | None, model_option("coactive", "How to learn (--coactive).", show_default=False)
    ] = None,
    map: Annotated[
        str | None,
        option(
            "NAME", "What is presented: ranking, or item, the first alone; ranking unless given (--coactive)."
        ),
    ] = None,
    depth: Annotated[
        int | None, option("N", "How many places of a ranking count; 5 unless given (--coactive).")
    ] = None,
    names: Annotated[
        str | None,
        option(
            "NAMES",
            "The features with commas between them, for learners that others cannot join; those of ITEMS unless given "
            "(--coactive).",
        ),
    ] = None,
    scale: Annotated[
        bool,
        typer.Option("--scale", help="Divide each feature by its standard deviation in ITEMS (--coactive)."),
    ] = False,
    per_user: Annotated[
        bool,
        typer.Option(
            "--per-user", help="Give each user a model, which starts as the shared one (--coactive)."
        ),
    ] = False,
    baseline: Annotated[
        str | None,
        option(
            "ORDER",
            "What --interleave baseline stands for: given, feature=NAME (the largest first), a learner, or JSON; given "
            "unless given (--coactive).",
        ),
    ] = None,
    retention: Annotated[
        str | None,
        option(
            "HOW-LONG",
            "How long candidates are kept: a number of days, rounds=N, or none; none unless given (--coactive).",
        ),
    ] = None,
) -> None:
    """Declare the options of ``new`` and ``change`` for settings of a coactive study."""


OPTIONS = dict(signature(_options, eval_str=True).parameters)
"""The options for settings of a coactive study, as parameters of a command."""


def split_typed(typed: Mapping[str, Any], coactive: bool) -> dict[str, Any]:
    """Return the options of one kind of study, or reject one of the other kind that was typed."""
    for name, value in typed.items():
        if name in _SHARED or value in (None, False) or (name in OPTIONS) == coactive:
            continue
        limit = "be left out for a study that presents orders" if coactive else "be given with --coactive"
        remedy = "leave it out" if coactive else "add --coactive, or leave it out"
        raise InvalidInput.of(f"--{name.replace('_', '-')}", limit, repr(value), remedy)
    return {name: value for name, value in typed.items() if name in _SHARED or (name in OPTIONS) == coactive}


def coactive_typed(typed: Mapping[str, Any], items: Iterable[Item] = ()) -> dict[str, Any]:
    """Return the settings that were typed, as `CoactiveStudy.create` and `change` take them.

    Parameters
    ----------
    typed : mapping
        The values of `OPTIONS` and of those that both kinds of studies have.
    items : iterable of Item
        By which ``--scale`` scales.
    """
    features = [*(names_typed(typed["features"]) or ()), *(typed["feature"] or ())]
    found = {
        **{name: typed[name] for name in _PLAIN},
        "features": features or None,
        "learner": _learner_typed(typed["learner"], typed["setting"]),
        "names": names_typed(typed["names"]),
        "scaling": _scaling(items, features or None) if typed["scale"] else None,
        "per_user": typed["per_user"] or None,
        "baseline": _baseline_typed(typed["baseline"]),
    }
    given = {name: value for name, value in found.items() if value is not None}
    if typed["retention"] is not None:
        given["retention"] = retention_typed(typed["retention"])
    return given


def _learner_typed(name: str | None, setting: list[str] | None) -> dict[str, Any] | None:
    if name is None and not setting:
        return None
    entry = find(name or _USUAL, "coactive")
    return {"name": name or _USUAL, **values_typed(setting, [*entry.options, "weights"])}


def _scaling(items: Iterable[Item], features: list[str] | None) -> Any:
    from penchant.coactive import Scaling
    from penchant.study.coactive.features import item_features

    rows = [item_features(item, features) for item in items]
    if not rows:
        raise InvalidInput.of("--scale", "be given with ITEMS, by which it scales", "none", "leave it out")
    return Scaling.of(rows)


def _baseline_typed(words: str | None) -> Any:
    """Return a baseline: given, a feature, a learner, or what JSON says."""
    if words is None or words == "given" or words in _LEARNERS:
        return words
    name, equals, feature = words.partition("=")
    if equals and name == "feature" and feature:
        return {"feature": feature}
    try:
        value = json.loads(words)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        limit = f"be given, feature=NAME, one of {', '.join(_LEARNERS)}, or JSON"
        raise InvalidInput.of("baseline", limit, repr(words), "give one of these")
    return value


def retention_typed(words: str) -> Any:
    """Return how long candidates are kept: days, rounds=N, or None for ever."""
    if words == "none":
        return None
    name, equals, number = words.rpartition("=")
    try:
        if name == "rounds":
            return {"rounds": int(number)}
        if name in ("", "days") and bool(name) == bool(equals):
            return {"days": float(number)}
    except ValueError:
        pass
    raise InvalidInput.of(
        "retention", "be a number of days, rounds=N or none", repr(words), "give one of these"
    )
