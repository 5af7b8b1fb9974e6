"""The settings of a coactive study: their checks, the form in which the log stores them, and the learner they make."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any

from penchant import registry
from penchant.checks import check_number, one_of, shown, whole
from penchant.coactive import ItemMap, NamedLearner, RankingMap
from penchant.coactive.learner import Learner
from penchant.coactive.scaling import Scaling
from penchant.errors import InvalidInput
from penchant.study.settings import checked_text

LEARNERS = registry.family("coactive")
"""The learners by the names under which the log knows them."""
MAPS = ("ranking", "item")
GIVEN = "given"
DEFAULTS: dict[str, Any] = {
    "title": "",
    "learner": {"name": "perceptron", "settings": {}},
    "map": "ranking",
    "depth": 5,
    "log": "natural",
    "names": [],
    "features": None,
    "scaling": {},
    "per_user": False,
    "baseline": GIVEN,
    "retention": None,
}
"""The settings of a coactive study, as the log stores them, and their usual values."""
FIXED = ("learner", "map", "depth", "log", "names", "features", "scaling", "per_user")
"""Settings that cannot be changed once the study is made: what was learned depends on them."""
_MADE_BY_STUDY = ("feature_map", "n_features", "weights")


def checked_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as the log stores them, or raise an error that names the wrong one."""
    for name in given:
        one_of("setting", name, DEFAULTS)
    return {name: _CHECKS[name](name, value) for name, value in given.items()}


def check_together(settings: Mapping[str, Any]) -> None:
    """Reject settings that contradict one another."""
    make_learner(settings, seed=0)
    if isinstance(settings["baseline"], dict) and "name" in settings["baseline"]:
        make_learner({**settings, "learner": settings["baseline"]}, seed=0)


def make_learner(settings: Mapping[str, Any], *, seed: int) -> NamedLearner:
    """Return the learner of a study before its first round."""
    stored = settings["learner"]
    kind = LEARNERS[stored["name"]].load()
    names = list(settings["names"])
    if not names and not kind.additive:
        raise InvalidInput.of(
            "names", f"name the features that {stored['name']} learns from", "none", "give names"
        )
    options = dict(stored["settings"])
    if "seed" in signature(kind).parameters and options.get("seed") is None:
        options["seed"] = seed
    start = options.pop("weights", None)
    if start:
        names += [name for name in start if name not in names]
        if "weights" not in signature(kind).parameters:
            raise InvalidInput.of(
                "weights", f"be left out for {stored['name']}", "some", "it starts from equal weights"
            )
        options["weights"] = [float(start.get(name, 0.0)) for name in names]
    feature_map = (
        ItemMap() if settings["map"] == "item" else RankingMap(settings["depth"], log=settings["log"])
    )
    learner = kind(feature_map, max(1, len(names)), **options)
    scaling = {name: tuple(pair) for name, pair in settings["scaling"].items()}
    return NamedLearner(learner, names, scaling=scaling or None)


def learner_as_stored(name: str, learner: Any) -> dict[str, Any]:
    """Return the name and every setting of a learner, from its name, its name and some settings, or a new learner."""
    if isinstance(learner, str):
        learner = {"name": learner, "settings": {}}
    if isinstance(learner, Learner):
        return _stored_of(name, learner)
    limit = f"be a learner, or one of {', '.join(LEARNERS)} with its settings"
    if not isinstance(learner, Mapping) or "name" not in learner:
        raise InvalidInput.of(name, limit, shown(learner), "name one")
    one_of(name, learner["name"], LEARNERS)
    if not isinstance(learner.get("settings", {}), Mapping):
        raise InvalidInput.of(
            f"settings of {name}", "map names to values", shown(learner["settings"]), "give {name: value}"
        )
    given = dict(learner["settings"]) if "settings" in learner else {**learner}
    given.pop("name", None)
    parameters = _parameters(LEARNERS[learner["name"]].load())
    for key in given:
        one_of(f"setting of {learner['name']}", key, [*parameters, "weights"])
    settings: dict[str, Any] = {}
    for key, parameter in parameters.items():
        default = None if parameter.default is Parameter.empty else parameter.default
        settings[key] = given.get(key, default)
        if settings[key] is None and parameter.default is Parameter.empty and key != "seed":
            raise InvalidInput.of(name, f"have the setting {key}", "none", f"give {key}")
    settings["weights"] = _weights(name, given.get("weights"))
    return {"name": learner["name"], "settings": settings}


def _stored_of(name: str, learner: Learner) -> dict[str, Any]:
    for key, entry in LEARNERS.items():
        if type(learner).__name__ == entry.class_name and type(learner) is entry.load():
            if learner.rounds or (learner.weights.any() and "weights" in signature(type(learner)).parameters):
                raise InvalidInput.of(
                    name, "not have begun to learn", repr(learner), "give its weights by name in settings"
                )
            settings = {option: getattr(learner, option) for option in _parameters(type(learner))}
            return {"name": key, "settings": {**settings, "weights": None}}
    raise InvalidInput.of(name, f"be one of {', '.join(LEARNERS)}", type(learner).__name__, "choose one")


def _parameters(kind: type) -> dict[str, Parameter]:
    return {name: found for name, found in signature(kind).parameters.items() if name not in _MADE_BY_STUDY}


def _weights(name: str, value: Any) -> dict[str, float] | None:
    if not value:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InvalidInput.of(
            f"weights of {name}", "map features to numbers", shown(value), "give {name: number}"
        )
    return {key: check_number(f"weight of {shown(key)}", number) for key, number in value.items()}


def _one_of(choices: Sequence[str]) -> Callable[[str, Any], str]:
    def check(name: str, value: Any) -> str:
        one_of(name, value, choices)
        return str(value)

    return check


def _depth(name: str, value: Any) -> int:
    return whole(name, value, 1)


def _names(name: str, value: Any) -> list[str]:
    if not isinstance(value, Iterable):
        raise InvalidInput.of(name, "be texts", shown(value), "give a list of names")
    listed = [value] if isinstance(value, str) else list(value)
    if not all(isinstance(column, str) and column for column in listed) or len(set(listed)) != len(listed):
        raise InvalidInput.of(name, "be different texts", shown(listed), "name each feature once")
    return listed


def _features(name: str, value: Any) -> list[str] | None:
    return None if value is None else _names(name, value)


def _scaling(name: str, value: Any) -> dict[str, list[float]]:
    if value is not None and not isinstance(value, Mapping | Scaling):
        raise InvalidInput.of(
            name, "map features to (centre, scale)", shown(value), "give {name: (centre, scale)}"
        )
    scaling = (
        value
        if isinstance(value, Scaling)
        else Scaling.given({k: tuple(v) if isinstance(v, list) else v for k, v in dict(value or {}).items()})
    )
    pairs = zip(scaling.names, scaling.centres.tolist(), scaling.scales.tolist(), strict=True)
    return {feature: [centre, scale] for feature, centre, scale in pairs}


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput.of(name, "be true or false", shown(value), "give one of the two")
    return value


def _baseline(name: str, value: Any) -> Any:
    """Check a baseline: "given", {"feature": name}, {"weights": {name: number}}, or a learner as `learner`."""
    if value is None or value == GIVEN:
        return GIVEN
    if isinstance(value, Mapping) and value.keys() == {"feature"} and isinstance(value["feature"], str):
        return {"feature": value["feature"]}
    if isinstance(value, Mapping) and value.keys() == {"weights"}:
        return {"weights": _weights(name, value["weights"]) or {}}
    if isinstance(value, str) and value not in LEARNERS:
        limit = f"be {GIVEN!r}, {{'feature': name}}, {{'weights': {{name: number}}}} or one of {', '.join(LEARNERS)}"
        raise InvalidInput.of(name, limit, shown(value), "choose one of these")
    return learner_as_stored(name, value)


def _retention(name: str, value: Any) -> dict[str, float] | None:
    """Check how long contexts are kept: None, {"days": d} or {"rounds": n}; a number is days."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        value = {"days": value}
    if value.keys() == {"days"}:
        return {"days": check_number(f"days of {name}", value["days"], above=0)}
    if value.keys() == {"rounds"}:
        return {"rounds": whole(f"rounds of {name}", value["rounds"], 1)}
    raise InvalidInput.of(
        name, "be a number of days, {'days': d} or {'rounds': n}", shown(value), "give one of these"
    )


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "title": checked_text,
    "learner": learner_as_stored,
    "map": _one_of(MAPS),
    "depth": _depth,
    "log": _one_of(("natural", "base2")),
    "names": _names,
    "features": _features,
    "scaling": _scaling,
    "per_user": _flag,
    "baseline": _baseline,
    "retention": _retention,
}


def first_settings(given: Mapping[str, Any], otherwise: str, features: Iterable[str]) -> dict[str, Any]:
    """Return all settings of a new study, as the log stores them.

    Parameters
    ----------
    given : mapping
        What the caller chose.
    otherwise : str
        The title, unless one is given.
    features : iterable of str
        Those of the items, which a learner that features cannot join learns from unless names are given.
    """
    checked = checked_settings({**DEFAULTS, **given})
    checked["title"] = checked["title"] or otherwise
    found = list(dict.fromkeys(features))
    if not checked["names"] and not LEARNERS[checked["learner"]["name"]].load().additive:
        checked["names"] = found
    check_together(checked)
    learner = make_learner(checked, seed=0)
    unnamed = [] if learner.additive else [name for name in found if name not in learner.names]
    if unnamed:
        raise InvalidInput.of(
            "names",
            f"hold every feature of the items for {checked['learner']['name']}",
            f"none called {shown(unnamed[0])}",
            "add it, or let features leave it out",
        )
    return checked


def is_complete(settings: Collection[str]) -> bool:
    """Return whether these are the settings of a study, all and no others."""
    return set(settings) == DEFAULTS.keys()
