"""What a chart draws: its marks, each with the rows and the fields that it shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np


class Mark(NamedTuple):
    """One mark of a chart: its kind, its rows of data, and the fields that its channels show."""

    kind: str
    rows: list[dict[str, Any]]
    fields: dict[str, str]


def marks(chart: Any) -> list[Mark]:
    """Return the marks of a chart; a field that a mark shows is in some of its rows, if there are any."""
    return marks_of(chart.to_dict())


def marks_of(spec: dict[str, Any]) -> list[Mark]:
    """Return the marks of a chart that is described as Vega-Lite."""
    found = list(_marks(spec, spec.get("datasets", {}), None, {}))
    for mark in found:
        for channel, field in mark.fields.items():
            shown = not mark.rows or any(field in row for row in mark.rows)
            assert shown, f"{channel} of {mark.kind} shows no {field!r}"
    return found


def line_means(chart: Any) -> dict[tuple[str, float], float]:
    """Return the mean of each name at each place of a chart of lines, whose bands lie around them."""
    (band,), (line,) = ([mark for mark in marks(chart) if mark.kind == kind] for kind in ("area", "line"))
    assert all(row["low"] <= row["mean"] <= row["high"] for row in band.rows)
    return {(row["name"], row["at"]): row["mean"] for row in line.rows}


def assert_readable(rows: list[dict[str, Any]], field: str, scale: dict[str, Any]) -> None:
    """Check that each number has a contrast of 4.5 to 1 with its cell, whose colour follows from the chart's scale."""
    assert scale["interpolate"] == "rgb"
    for row in rows:
        ground = [np.interp(row[field], scale["domain"], channel) for channel in _channels(scale["range"])]
        luminances = sorted(map(_luminance, (ground, [channel[0] for channel in _channels([row["ink"]])])))
        assert (luminances[1] + 0.05) / (luminances[0] + 0.05) >= 4.5, row


def _channels(colours: list[str]) -> list[list[float]]:
    return [[int(colour[place : place + 2], 16) / 255 for colour in colours] for place in (1, 3, 5)]


def _luminance(channels: list[float]) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _marks(spec: Any, datasets: Any, rows: Any, encoding: Any) -> Iterator[Mark]:
    if "data" in spec:
        data = spec["data"]
        rows = datasets[data["name"]] if "name" in data else data["values"]
    encoding = {**encoding, **spec.get("encoding", {})}
    for parts in ("layer", "hconcat", "vconcat", "concat"):
        for part in spec.get(parts, ()):
            yield from _marks(part, datasets, rows, encoding)
    if "mark" in spec:
        fields = {channel: told["field"] for channel, told in encoding.items() if "field" in told}
        kind = spec["mark"] if isinstance(spec["mark"], str) else spec["mark"]["type"]
        yield Mark(kind, rows, fields)
