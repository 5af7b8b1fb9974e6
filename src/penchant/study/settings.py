"""The settings of a study: their checks, and the form in which the log stores them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from penchant import registry
from penchant.ask.stopping import GOALS
from penchant.checks import check_number, one_of, shown, whole
from penchant.errors import InvalidInput
from penchant.study.items import Item, field_names
from penchant.text import first_hidden

MODELS = {name: entry for name, entry in registry.MODELS.items() if entry.in_studies}
"""The models that a study can learn with."""
FIRST_DEFAULTS: dict[str, Any] = {"prior": 0.1, "errors": "auto", "feature_prior": 1.0}
"""Settings of a model that the first version of the log leaves out: the defaults of that time."""
DEFAULTS: dict[str, Any] = {
    "title": "",
    "question": "",
    "instructions": "",
    "model": {"name": "bradley-terry", "settings": {}},
    "features": [],
    "goal": "order",
    "top": None,
    "forbidden": [],
    "repeats": 0.0,
    "least": 0,
    "most_ahead": None,
    "show": [],
    "answers_each": 0,
}
"""The settings of a study, as the log stores them, and their usual values."""
ADDED: dict[str, Any] = {"show": [], "answers_each": 0}
"""Settings that the first event of older studies leaves out, and the values that it means."""
MOST_REPEATS = 0.5
LONGEST_TEXT = 10_000


def checked_settings(
    given: Mapping[str, Any], items: Collection[str], active: Collection[str] | None = None
) -> dict[str, Any]:
    """Return settings as the log stores them, or raise an error that names the wrong one.

    Parameters
    ----------
    given : mapping
        Values by the names of `DEFAULTS`.
    items : collection of str
        The ids of the items of the study.
    active : collection of str, optional
        Those of them that are not retired, among which is ``top`` and a pair that is not forbidden; all unless given.
    """
    for name in given:
        one_of("setting", name, DEFAULTS)
    active = items if active is None else active
    checked = {
        name: _CHECKS[name](name, value, active if name == "top" else items) for name, value in given.items()
    }
    if checked.get("forbidden") and all_forbidden(checked["forbidden"], active):
        whose = "a pair" if len(active) == len(items) else "a pair of items that are not retired"
        raise InvalidInput(f"forbidden must leave {whose} to ask about, got all of them: allow some")
    return checked


def all_forbidden(forbidden: Iterable[Collection[str]], items: Collection[str]) -> bool:
    """Whether every pair of ``items`` is among the different pairs of ``forbidden``.

    Examples
    --------
    >>> pairs = [["a", "b"], ["c", "d"]]
    >>> all_forbidden(pairs, ["c", "d"]), all_forbidden(pairs, ["b", "c", "d"])
    (True, False)
    """
    ids = set(items)
    return sum(map(ids.issuperset, forbidden)) == len(ids) * (len(ids) - 1) // 2


def with_goal(given: Mapping[str, Any], present: str) -> dict[str, Any]:
    """Return settings with the goal that follows from ``top``, and the ``top`` that follows from the goal.

    Parameters
    ----------
    given : mapping
    present : str
        The goal before these settings.

    Examples
    --------
    >>> with_goal({"top": 3}, "order"), with_goal({"top": None}, "top"), with_goal({"goal": "exact"}, "top")
    ({'goal': 'top', 'top': 3}, {'goal': 'order', 'top': None}, {'top': None, 'goal': 'exact'})
    """
    if given.get("top") is not None:
        return {"goal": "top", **given}
    if "top" in given and present == "top":
        return {"goal": DEFAULTS["goal"], **given}
    if given.get("goal", "top") != "top":
        return {"top": None, **given}
    return dict(given)


def check_together(settings: Mapping[str, Any]) -> None:
    """Reject settings that contradict one another."""
    goal, top = settings["goal"], settings["top"]
    if goal == "top" and top is None:
        remedy = "name how many items are to be found, or choose the goal 'order' or 'exact'"
        raise InvalidInput.of("top", "be a number with the goal 'top'", "none", remedy)
    if goal != "top" and top is not None:
        remedy = "leave the goal out, or leave out how many items are to be found"
        raise InvalidInput.of("goal", f"be 'top' with top {top}", repr(goal), remedy)
    needs = MODELS[settings["model"]["name"]].family == "utility"
    if needs and not settings["features"]:
        raise InvalidInput.of(
            "features",
            f"name the features that {settings['model']['name']} learns from",
            "none",
            "name some columns",
        )


def default_model(items: Iterable[Item], features: Collection[str]) -> str:
    """Return the name of the usual model: by links, by features, or neither."""
    if any(item.links for item in items):
        return "linked-gp"
    return "preference-gp" if isinstance(features, Collection) and len(features) else "bradley-terry"


def settings_of_first_versions(content: Mapping[str, Any], version: int) -> dict[str, Any]:
    """Return the settings of a study that was made with version 1 or 2 of its first event."""
    asking = content.get("asking") or {"top": None, "forbidden": []}
    model = {
        "name": content["model"]["name"],
        "settings": {**(FIRST_DEFAULTS if version == 1 else {}), **content["model"]["settings"]},
    }
    goal = "order" if asking["top"] is None else "top"
    return {**DEFAULTS, "title": content["title"], "model": model, "goal": goal, **asking}


def model_as_stored(model: Any) -> dict[str, Any]:
    """Return the name and every setting of a model, from its name or from the model itself."""
    if isinstance(model, str):
        one_of("model", model, MODELS)
        model = MODELS[model].load()()
    for name, entry in MODELS.items():
        if type(model).__name__ == entry.class_name and type(model) is entry.load():
            return {
                "name": name,
                "settings": {key: _plain(key, value) for key, value in model.get_params().items()},
            }
    raise InvalidInput.of(
        "model", f"be one of {', '.join(MODELS)}", type(model).__name__, "choose one of these"
    )


def make_model(stored: Mapping[str, Any]) -> Any:
    """Return the model that `model_as_stored` describes, not fitted."""
    settings = {
        name: tuple(value) if isinstance(value, list) else value for name, value in stored["settings"].items()
    }
    return MODELS[stored["name"]].load()(**settings)


def _plain(name: str, value: Any) -> Any:
    """Return a setting of a model as JSON."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_plain(name, inner) for inner in value]
    remedy = "a study stores plain settings only, leave it out"
    raise InvalidInput.of(name, "be a number, a text or a list of these", type(value).__name__, remedy)


def _model(name: str, value: Any, items: Collection[str]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        return model_as_stored(value)
    limit = "be a model, its name, or its name and settings"
    if value.keys() != {"name", "settings"} or not isinstance(value["settings"], Mapping):
        raise InvalidInput.of(name, limit, "something else", "name one")
    one_of("model", value["name"], MODELS)
    try:
        model = make_model(value)
    except TypeError:
        raise InvalidInput.of(name, "have settings that are known here", "others", "correct them") from None
    stored = model_as_stored(model)
    if stored["settings"].keys() != value["settings"].keys():
        raise InvalidInput.of(name, "have all its settings", "some of them", "give all") from None
    return stored


def _text(name: str, value: Any, items: Collection[str]) -> str:
    return checked_text(name, value)


def check_shown(items: Iterable[Item], names: Collection[str]) -> None:
    """Reject columns to show to judges that no item has."""
    fields = set(field_names(items))
    for name in names:
        if name not in fields:
            limit = f"name columns of the items: {', '.join(sorted(fields)) or 'they have none'}"
            raise InvalidInput.of("show", limit[:200], shown(name), "correct it, or leave it out")


def checked_seed(seed: Any) -> int:
    """Return a seed as it is, or reject one that is not a whole number from 0."""
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**63:
        raise InvalidInput(f"seed must be an integer from 0, got {seed!r}: leave it out for one by chance")
    return seed


def checked_text(name: str, value: Any) -> str:
    """Return a text that people see, or reject one that is too long or would change how other text is shown."""
    if not isinstance(value, str):
        raise InvalidInput.of(name, "be a string", type(value).__name__, "use str()")
    if len(value) > LONGEST_TEXT:
        raise InvalidInput.of(name, f"have at most {LONGEST_TEXT:,} characters", len(value), "shorten it")
    hidden = first_hidden(value, "\n\t" if name == "instructions" else "")
    if hidden is not None:
        raise InvalidInput.of(name, "not hold control characters or direction overrides", hidden, "remove it")
    return value


def _columns(name: str, value: Any, items: Collection[str]) -> list[str]:
    if not isinstance(value, Iterable):
        raise InvalidInput.of(name, "be a list of columns of the items", shown(value), "give a list")
    names = [value] if isinstance(value, str) else list(value)
    if not all(isinstance(column, str) and column for column in names) or len(set(names)) != len(names):
        raise InvalidInput.of(name, "name columns of the items, each once", repr(names)[:80], "correct them")
    return names


def _goal(name: str, value: Any, items: Collection[str]) -> str:
    one_of(name, value, GOALS)
    return str(value)


def _top(name: str, value: Any, items: Collection[str]) -> int | None:
    if value is not None:
        whole(name, value, 1, len(items) - 1, remedy="name a part of the items, or leave it out for all")
    return value if value is None else int(value)


def _repeats(name: str, value: Any, items: Collection[str]) -> float:
    check_number(name, value, least=0, most=MOST_REPEATS, remedy="0.05 asks every twentieth pair again")
    return float(value)


def _least(name: str, value: Any, items: Collection[str]) -> int:
    whole(name, value, 0, remedy="it is the least number of answers an item gets")
    return int(value)


def _most_ahead(name: str, value: Any, items: Collection[str]) -> int | None:
    if value is not None:
        whole(name, value, 1, remedy="allow some difference, or leave it out")
    return value if value is None else int(value)


def _answers_each(name: str, value: Any, items: Collection[str]) -> int:
    whole(name, value, 0, remedy="it is the number of answers after which a judge is thanked; 0 is no number")
    return int(value)


def _forbidden(name: str, value: Any, items: Collection[str]) -> list[list[str]]:
    if not isinstance(value, Iterable):
        raise InvalidInput.of(name, "be a list of pairs of items", shown(value), "give a list")
    ids, pairs = set(items), [_names(pair) for pair in value]
    for pair in pairs:
        if len(set(pair)) != 2 or len(pair) != 2 or not ids.issuperset(pair):
            raise InvalidInput(f"forbidden must hold pairs of two different items, got {pair}: correct it")
    return [list(pair) for pair in sorted({tuple(sorted(pair)) for pair in pairs})]


def _names(pair: Any) -> tuple[str, ...]:
    if isinstance(pair, str) or not isinstance(pair, Iterable):
        raise InvalidInput(f"forbidden must hold pairs of two different items, got {pair!r}: correct it")
    return tuple(map(str, pair))


_CHECKS: dict[str, Callable[[str, Any, Collection[str]], Any]] = {
    "title": _text,
    "question": _text,
    "instructions": _text,
    "model": _model,
    "features": _columns,
    "goal": _goal,
    "top": _top,
    "forbidden": _forbidden,
    "repeats": _repeats,
    "least": _least,
    "most_ahead": _most_ahead,
    "show": _columns,
    "answers_each": _answers_each,
}
