"""Make reports of the JSON of replies. JSON of another form ends in KeyError, TypeError or ValueError."""

from __future__ import annotations

from dataclasses import fields
from math import nan
from typing import TYPE_CHECKING, Any, TypeVar

from penchant.client.reading import item_of
from penchant.client.reports import ItemReport, Predictions, Race
from penchant.study_reports import Activity, Certainty, Check, Checks, Entry, Opponent, Upcoming

if TYPE_CHECKING:
    from penchant.coactive import Progress, WeightReport

T = TypeVar("T")


def _parts(kind: type[T], body: Any, **others: Any) -> T:
    """Return an object whose fields are those of the body, but for ``others``."""
    names = [part.name for part in fields(kind) if part.name not in others]  # type: ignore[arg-type]
    return kind(**{name: body[name] for name in names}, **others)


def _float(value: Any) -> float:
    return nan if value is None else float(value)


def checks_of(body: Any) -> Checks:
    """Return the checks of a study."""
    return Checks(tuple(_parts(Check, check) for check in body["checks"]))


def predictions_of(body: Any) -> Predictions:
    """Return how well answers were predicted."""
    names = ("log_loss", "standard_error", "expected", "coin", "shares", "calibration_z")
    figures = {name: _float(body[name]) for name in names}
    return _parts(Predictions, body, **figures, calibration=tuple(map(dict, body["calibration"])))


def race_of(body: Any) -> Race:
    """Return a race of models."""
    rows = body["models"]
    return Race(
        tuple(str(row["model"]) for row in rows),
        tuple(_float(row["log_loss"]) for row in rows),
        tuple(_float(row["difference"]) for row in rows),
        tuple((_float(row["lower"]), _float(row["upper"])) for row in rows),
        tuple(bool(row["behind"]) for row in rows),
        *(body[name] for name in ("answers", "left_out", "level", "verdict")),
    )


def certainty_of(body: Any) -> Certainty:
    """Return how certainty grew."""
    lists = {name: tuple(body[name]) for name in ("answers", "values", "errors")}
    return _parts(Certainty, body, **lists)


def upcoming_of(body: Any) -> Upcoming:
    """Return the next question."""
    first, second = map(str, body["titles"])
    left, right, tie = map(float, body["probability"])
    return _parts(Upcoming, body, titles=(first, second), probability=(left, right, tie))


def outcome_of(body: Any) -> tuple[float, float, float]:
    """Return the probabilities of an outcome."""
    return float(body["ahead"]), float(body["behind"]), float(body["tie"])


def history_of(body: Any) -> list[Entry]:
    """Return events in words."""
    return [_parts(Entry, entry) for entry in body["entries"]]


def activity_of(body: Any) -> tuple[Activity, ...]:
    """Return what each judge did."""
    return tuple(_parts(Activity, row) for row in body["judges"])


def item_report_of(body: Any) -> ItemReport:
    """Return the report of an item."""
    item = item_of(body["item"])
    return ItemReport(
        item,
        item.retired,
        int(body["answers"]),
        tuple(_parts(Opponent, row) for row in body["opponents"]),
        tuple(_parts(Entry, row) for row in body["last"]),
        tuple(_parts(Entry, row) for row in body["changes"]),
    )


def weight_report_of(body: Any) -> WeightReport:
    """Return weights with how steady they are, the largest first."""
    import numpy as np

    from penchant.coactive import WeightReport

    rows = body["weights"]
    values, shares, deviations, steadiness = (
        np.array([_float(row[name]) for row in rows])
        for name in ("weight", "share", "deviation", "steadiness")
    )
    names = tuple(str(row["feature"]) for row in rows)
    figures = int(body["rounds"]), int(body["since"]), _float(body["angle"])
    return WeightReport(names, values, shares, deviations, steadiness, *figures)


def curve_of(body: Any) -> Progress:
    """Return a learning curve."""
    import numpy as np

    from penchant.coactive import Progress

    names, blocks = ("first", "ndcg", "regret"), body["blocks"]
    curves = [np.array([_float(block[name]) for block in blocks]) for name in names]
    ends = np.array([int(block["last_round"]) for block in blocks], dtype=np.int64)
    first, ndcg, regret = (_float(body[name]) for name in names)
    return Progress(first, ndcg, regret, ends, *curves)
