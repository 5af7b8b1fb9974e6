"""The picture of stated and happened: its points are those of the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.metrics import calibration_table
from penchant.plots import calibration_chart, save_chart


def test_points_are_the_bins_of_the_table() -> None:
    """Each filled bin is a point with its interval and its count; the title has the error."""
    table = calibration_table([0, 1, 1, 1, 0], [0.2, 0.2, 0.9, 0.9, 0.5], n_bins=4)
    spec = calibration_chart(table).to_dict()
    points = spec["vconcat"][0]["layer"][1]["data"]["values"]
    assert [point["probability"] for point in points] == table.probability.tolist()
    assert [point["share"] for point in points] == table.share.tolist()
    assert [(point["share_low"], point["share_high"]) for point in points] == list(
        zip(table.share_low, table.share_high, strict=True)
    )
    assert [bar["count"] for bar in spec["vconcat"][1]["data"]["values"]] == [2, 1, 2]
    assert f"{table.expected_calibration_error:.3f}" in spec["vconcat"][0]["title"]["subtitle"]


def test_both_axes_run_from_nothing_to_all() -> None:
    """The diagonal is a diagonal: both scales are 0 to 1 on a square."""
    spec = calibration_chart(calibration_table([1], [0.7])).to_dict()["vconcat"][0]
    assert spec["width"] == spec["height"]
    scales = [layer["encoding"][axis].get("scale") for layer in spec["layer"] for axis in "xy"]
    assert {tuple(scale["domain"]) for scale in scales if scale} == {(0, 1)}


@pytest.mark.parametrize("n", [1, 3000])
def test_it_is_a_picture(n: int, tmp_path: Path) -> None:
    """One probability and thousands are drawn."""
    rng = np.random.default_rng(0)
    stated = rng.random(n)
    table = calibration_table(rng.random(n) < stated, stated)
    assert save_chart(calibration_chart(table), tmp_path / "picture.svg").read_text().startswith("<svg")
