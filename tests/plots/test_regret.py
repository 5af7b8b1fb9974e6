"""The picture of regret: means and standard errors over runs, with the bound over them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.plots import regret_chart, save_chart

RUNS = np.random.default_rng(0).random((5, 30)) + 1.0


def layers(chart) -> list[dict]:
    """The layers with their data, which Altair puts outside where they all share it."""
    spec = chart.to_dict()
    return [{"data": spec.get("data"), **layer} for layer in spec["layer"]]


def test_lines_are_means_and_bands_one_standard_error() -> None:
    """Each point is the mean over runs, its band the standard deviation over √runs on both sides."""
    band, line, _ = layers(regret_chart({"mine": RUNS}, log_time=False))
    assert band["data"] == line["data"]
    points = line["data"]["values"]
    error = RUNS.std(axis=0, ddof=1) / np.sqrt(5)
    assert [point["t"] for point in points] == list(range(1, 31))
    np.testing.assert_allclose([point["mean"] for point in points], RUNS.mean(axis=0))
    np.testing.assert_allclose([point["low"] for point in points], RUNS.mean(axis=0) - error)
    np.testing.assert_allclose([point["high"] for point in points], RUNS.mean(axis=0) + error)


def test_a_band_may_be_one_standard_deviation() -> None:
    """It is √runs times as wide, and the subtitle says so; another band is rejected."""
    chart = regret_chart({"mine": RUNS}, band="deviation")
    points = layers(chart)[1]["data"]["values"]
    assert points[-1]["high"] - points[-1]["mean"] == pytest.approx(RUNS[:, -1].std(ddof=1))
    assert chart.to_dict()["title"]["subtitle"] == "mean ± one standard deviation of 5 runs"
    with pytest.raises(InvalidInput, match="band must be one of error, deviation, got 'range'"):
        regret_chart({"mine": RUNS}, band="range")  # type: ignore[arg-type]


def test_a_bound_is_dashed_in_the_colour_of_its_curve() -> None:
    """A bound named as a curve shares its colour; one that is not is grey and has a name of its own."""
    chart = regret_chart({"a": RUNS, "b": RUNS[0]}, bounds={"b": RUNS[1], "Theorem 1": RUNS[2]})
    over = layers(chart)[3]
    assert over["mark"]["strokeDash"]
    assert {row["name"] for row in over["data"]["values"]} == {"b", "Theorem 1"}
    scale = over["encoding"]["color"]["scale"]
    assert scale["domain"] == ["a", "b", "Theorem 1"]
    assert len(set(scale["range"])) == 3


@pytest.mark.parametrize("log_time", [True, False])
def test_long_curves_are_thinned_to_their_ends(log_time: bool) -> None:
    """A million rounds are a few hundred points, of which the last is the last round."""
    curve = 1 / np.sqrt(np.arange(1, 1_000_001))
    points = layers(regret_chart({"long": curve}, log_time=log_time))[1]["data"]["values"]
    assert len(points) <= 200
    assert (points[0]["t"], points[-1]["t"]) == (1, 1_000_000)
    assert points[-1]["mean"] == curve[-1]


def test_a_logarithmic_axis_leaves_out_what_it_cannot_show() -> None:
    """Means that are not above 0 are left out."""
    points = layers(regret_chart({"a": [0.0, 0.0, 1.0, 0.5]}, log_regret=True))[1]["data"]["values"]
    assert [point["t"] for point in points] == [3, 4]


@pytest.mark.parametrize("band", ["error", "deviation"])
def test_a_band_that_reaches_zero_ends_at_the_lowest_point(band: str) -> None:
    """On a logarithmic axis a mean above 0 is drawn whatever its band, which ends above 0."""
    runs = [[10.0, 1.0, 0.5], [0.1, 1.0, 0.4], [0.1, 1.0, 0.6]]
    points = layers(regret_chart({"a": runs}, log_regret=True, log_time=False, band=band))[1]["data"][
        "values"
    ]
    assert [point["t"] for point in points] == [1, 2, 3]
    assert points[0]["mean"] - points[0]["error"] <= (0 if band == "deviation" else 0.2)
    lowest = min(0.5 - points[2]["error"], points[0]["low"])
    assert points[0]["low"] == pytest.approx(lowest if band == "deviation" else 3.4 - points[0]["error"])
    assert all(point["low"] > 0 for point in points)


def test_the_subtitle_says_what_is_drawn() -> None:
    """It tells the number of runs and what is dashed, and nothing of an error that one run does not have."""
    told = [
        regret_chart(curves, bounds=bounds).to_dict()["title"]["subtitle"]
        for curves, bounds in (({"a": RUNS, "b": RUNS[:3]}, {"a": RUNS[0]}), ({"a": RUNS[0]}, None))
    ]
    assert told == ["mean ± one standard error of 3 to 5 runs; dashed: the bound", ""]


@pytest.mark.parametrize("given", [RUNS, RUNS[0], RUNS[:, :1]])
def test_it_is_a_picture(given: np.ndarray, tmp_path: Path) -> None:
    """Many runs, one run and one round are drawn."""
    chart = regret_chart({"a": given}, bounds={"a": np.ones(given.shape[-1])})
    assert save_chart(chart, tmp_path / "picture.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("curves", "said"),
    [
        ({}, "curves must be from 1 to 6, got 0"),
        ({str(i): RUNS for i in range(7)}, "got 7"),
        ({"a": []}, "must be of shape"),
        ({"a": [1.0, np.nan]}, "regret of a of row 1 must be a finite number"),
    ],
)
def test_what_cannot_be_drawn_is_refused(curves, said: str) -> None:
    """No curve, too many to tell apart, no rounds and NaN are named."""
    with pytest.raises(InvalidInput, match=said):
        regret_chart(curves)
