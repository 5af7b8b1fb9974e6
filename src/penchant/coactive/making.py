"""Make learners by the names under which commands and studies know them, and say which settings made one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import Parameter, signature
from typing import Any

from penchant.checks import one_of, shown
from penchant.coactive.maps import FeatureMap, ItemMap, RankingMap
from penchant.coactive.named_learner import NamedLearner
from penchant.coactive.scaling import Scaling
from penchant.errors import InvalidInput
from penchant.registry import family, find

MAPS = ("ranking", "item")
_GIVEN = ("feature_map", "n_features", "weights")
_FILLED = {"seed": 0}
"""Settings that Python wants and that have a usual value elsewhere."""


def make_learner(
    learner: str = "perceptron",
    *,
    names: Iterable[str] = (),
    map: str = "ranking",
    depth: int | None = None,
    log: str | None = None,
    scaling: Scaling | Mapping[str, tuple[float, float]] | None = None,
    **settings: Any,
) -> NamedLearner:
    """Return a learner with named features that has not begun.

    Parameters
    ----------
    learner : str
        A name of the registry: perceptron, perturbed, exponentiated, convex, second-order.
    names : sequence of str
        Its features. A perceptron needs none: features join as they are met.
    map : {"ranking", "item"}, default "ranking"
        Whether it presents orders (`RankingMap`) or one item (`ItemMap`).
    depth, log
        Of the `RankingMap`; 5 and "natural" unless given.
    scaling
        As for `NamedLearner`.
    **settings
        Those of the learner, see `settings_of_kind`; the seed of a perturbed one is 0 unless given.

    Examples
    --------
    >>> make_learner("convex", names=["stars", "price"], radius=10.0)
    NamedLearner(ConvexPerceptron of 2 features, 0 rounds)
    >>> make_learner("exponentiated", names=["stars"])
    Traceback (most recent call last):
    penchant.errors.InvalidInput: bound must be given for exponentiated, got nothing: give bound=
    """
    kind, known = find(learner, "coactive").load(), settings_of_kind(learner)
    for name in settings:
        one_of("setting", name, known, remedy=f"give a setting of {learner}")
    filled = {name: value for name, value in known.items() if value is not Parameter.empty} | settings
    missing = [name for name in required(learner) if name not in settings]
    if missing:
        raise InvalidInput.of(missing[0], f"be given for {learner}", "nothing", f"give {missing[0]}=")
    columns = tuple(names)
    if not kind.additive and not columns:
        raise InvalidInput.of(
            "names",
            f"hold all features of {learner}",
            "none",
            "name them, or learn with a perceptron, which new features join",
        )
    made = kind(_map(map, depth, log), max(1, len(columns)), **filled)
    return NamedLearner(made, columns, scaling=scaling)


def settings_of_kind(learner: str) -> dict[str, Any]:
    """Return the settings that a learner takes with their usual values, `Parameter.empty` where there is none.

    Examples
    --------
    >>> settings_of_kind("convex")
    {'radius': 100.0, 'forget': 0.0, 'averaged': False}
    """
    parameters = signature(find(learner, "coactive").load()).parameters
    return {
        name: _FILLED.get(name, parameter.default)
        for name, parameter in parameters.items()
        if name not in _GIVEN
    }


def required(learner: str) -> list[str]:
    """Return the settings that must be given since there is no usual value.

    Examples
    --------
    >>> required("exponentiated")
    ['bound']
    """
    return [name for name, value in settings_of_kind(learner).items() if value is Parameter.empty]


def settings_of(named: NamedLearner) -> dict[str, Any]:
    """Return all settings of a learner, also those that are the usual ones: plain values that `make_learner` takes.

    Where it started from and what it has learned are not among them.

    Examples
    --------
    >>> settings_of(make_learner("convex", names=["stars"], map="item"))["map"]
    'item'
    """
    learner = named.learner
    entries = family("coactive").items()
    name = next((key for key, entry in entries if entry.class_name == type(learner).__name__), None)
    if name is None:
        raise InvalidInput.of(
            "learner", "be one of the registry", shown(learner), "use one of Penchant's own"
        )
    found: dict[str, Any] = {"learner": name, "names": list(named.names)}
    if isinstance(learner.feature_map, RankingMap):
        found |= {"map": "ranking", "depth": learner.feature_map.depth, "log": learner.feature_map.log}
    else:
        found |= {"map": "item", "depth": None, "log": None}
    if named.scaling is None:
        found["scaling"] = None
    else:
        found["scaling"] = {name: [c, s] for name, c, s in named.scaling.to_rows()}
    return found | {setting: getattr(learner, setting) for setting in settings_of_kind(name)}


def _map(name: str, depth: int | None, log: str | None) -> FeatureMap:
    one_of("map", name, MAPS)
    chosen: dict[str, Any] = {"depth": depth, "log": log}
    given = {key: value for key, value in chosen.items() if value is not None}
    if name == "item" and given:
        raise InvalidInput.of(
            next(iter(given)), "be left out where map is item", shown(given), "leave it out"
        )
    return ItemMap() if name == "item" else RankingMap(**given)
