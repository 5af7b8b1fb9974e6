"""Pictures of utilities: what they show is what the model says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant.errors import InvalidInput, NotFitted
from penchant.gp import MonotoneGP, PreferenceGP, SquaredExponential
from penchant.plots import monotone_chart, save_chart, slices_chart, surface_chart, utility_chart
from tests.plots.marks import marks

KEPT = {"lengthscale": 0.25, "scale": 0.6, "noise": 0.15}


def asked(d: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((20, d)), columns=["range", "battery", "price"][:d])
    pairs = np.array([rng.choice(20, 2, replace=False) for _ in range(60)])
    rated = X.sum(axis=1).to_numpy()[pairs] + rng.normal(0, 0.2, pairs.shape)
    return X, np.where(rated[:, :1] > rated[:, 1:], pairs, pairs[:, ::-1])


def monotone(d: int = 2) -> MonotoneGP:
    return MonotoneGP(increasing=["range", "battery"], **KEPT).fit_pairs(*asked(d))


def layers(chart: Any, part: Any = None) -> list[Any]:
    """The rows that each layer of a chart, or of a part of it, draws."""
    whole = chart.to_dict()
    part = whole if part is None else part(whole)
    return [whole["datasets"][layer.get("data", part.get("data"))["name"]] for layer in part["layer"]]


def test_the_map_shows_the_utility() -> None:
    """Cells hold the model's utilities, the other feature stays where it is put, items are drawn."""
    model = monotone(3)
    chart = utility_chart(model, "range", "price", at=[0.5, 0.3, 0.5])
    cells, lines, items = layers(chart)
    values = [cell["value"] for cell in cells]
    corner = model.predict(np.array([[model.box_[0, 0], 0.3, model.box_[2, 0]]]))[0]
    assert values[0] == pytest.approx(corner)
    assert len(items) == len(np.unique(asked(3)[1]))
    assert lines
    assert "battery = 0.3" in chart.to_dict()["title"]["subtitle"]


@pytest.mark.parametrize(
    "gaussian", [monotone, lambda: PreferenceGP(inference="laplace").fit_pairs(*asked(2))]
)
def test_slices_start_from_certainty(gaussian: Any) -> None:
    """A picture a feature; the change is 0 and certain in the middle, and the band holds the line."""
    model = gaussian()
    chart = slices_chart(model)
    told = chart.to_dict()
    assert len(told["concat"]) == 2
    assert "95 %" in told["title"]["subtitle"]
    rows = layers(chart, lambda whole: whole["concat"][0])[0]
    assert all(row["low"] <= row["change"] <= row["high"] for row in rows)
    middle = min(rows, key=lambda row: row["high"] - row["low"])
    ends = rows[0]["x"], rows[-1]["x"]
    assert middle["x"] == pytest.approx(np.mean(ends), abs=np.ptp(ends) / 50)
    assert abs(middle["change"]) < 0.1 * (rows[-1]["high"] - rows[0]["low"])


def test_bands_promise_what_was_measured() -> None:
    """Only those of expectation propagation hold 95 %; where the noise was learned it is said that they do not."""
    X, pairs = asked(2)
    for model, words in (
        (PreferenceGP(optimizer=None), "bands hold it with 95 %"),
        (PreferenceGP(optimizer=None, inference="laplace"), "bands of 95 %, if the settings are right"),
        (MonotoneGP(increasing=[0, 1], **KEPT), "bands of 95 %, if the settings are right"),
        (MonotoneGP(increasing=[0, 1]), "bands of 95 %, too narrow where the noise was learned"),
    ):
        assert slices_chart(model.fit_pairs(X, pairs)).to_dict()["title"]["subtitle"].endswith(words)


def test_a_rough_surface_is_drawn_too() -> None:
    """Lines in more pieces than Altair takes are drawn at fewer heights."""
    rng = np.random.default_rng(1)
    X = rng.random((300, 2))
    pairs = np.array([rng.choice(300, 2, replace=False) for _ in range(600)])
    model = PreferenceGP(SquaredExponential(0.03, 4.0), optimizer=None, inference="laplace")
    _, lines, _ = layers(utility_chart(model.fit_pairs(X, pairs)))
    assert 1000 < len(lines) <= 5000


def test_the_papers_two_pictures() -> None:
    """Red ground beside f_MAP, none beside the blend; thin lines only where the truth is known."""
    model = monotone()
    chart = monotone_chart(model, truth=lambda rows: rows.sum(axis=1))
    left, right = (layers(chart, lambda whole, side=side: whole["hconcat"][side]) for side in (0, 1))  # type: ignore[misc]
    wrong = [sum(cell["value"] for cell in picture[0]) for picture in (left, right)]
    assert wrong[0] > 0
    assert wrong[1] == 0
    assert len(left) == 4
    assert len(monotone_chart(model).to_dict()["hconcat"][0]["layer"]) == 3


def test_pictures_are_files_of_their_marks(tmp_path: Any) -> None:
    """A map of cells, contours and items, bands with their lines, and two maps: each can be written."""
    model = monotone()
    drawn = {
        utility_chart: ["rect", "rule", "circle"],
        slices_chart: ["area", "line"] * 2,
        monotone_chart: ["rect", "rule", "circle"] * 2,
    }
    for number, (picture, kinds) in enumerate(drawn.items()):
        chart = picture(model)
        assert [mark.kind for mark in marks(chart)] == kinds
        assert all(mark.rows for mark in marks(chart))
        written = save_chart(chart, tmp_path / f"{number}.svg").read_text()
        assert all(f"mark-{'symbol' if kind == 'circle' else kind} " in written for kind in kinds)


def test_wrong_wishes_are_refused() -> None:
    """Unfitted models, one feature twice, impossible levels, three features for the paper's pictures."""
    model = monotone(3)
    for wish, words in (
        (lambda: utility_chart(model, 0, "range"), "x and y must be two features, got range twice"),
        (lambda: utility_chart(model, 0, "colour"), "got 'colour'"),
        (lambda: slices_chart(model, level=1.0), "level must be a number between 0 and 1"),
        (lambda: slices_chart(model, at=[0.5]), "at must have 3 entries"),
        (lambda: monotone_chart(model), "the model must have two features, got 3"),
        (
            lambda: monotone_chart(PreferenceGP(optimizer=None).fit_pairs(*asked(2))),  # type: ignore[arg-type]
            "the model must be a MonotoneGP, got PreferenceGP",
        ),
    ):
        with pytest.raises(InvalidInput, match=words):
            wish()
    with pytest.raises(NotFitted, match="must be fitted"):
        utility_chart(MonotoneGP(increasing=0))
    with pytest.raises(NotFitted, match="must be fitted"):
        monotone_chart(MonotoneGP(increasing=0))


def test_a_known_utility_is_drawn_over_its_box() -> None:
    """Cells hold the function's values from corner to corner; lines of equal height, and the items if there are any."""
    chart = surface_chart(lambda rows: rows[:, 0] * rows[:, 1], box=[[0, 2], [1, 3]], items=[[1.0, 2.0]])
    cells, lines, items = layers(chart)
    assert [cells[0]["value"], cells[-1]["value"]] == [0.0, 6.0]
    assert lines
    assert items == [{"x": 1.0, "y": 2.0}]
    assert len(layers(surface_chart(lambda rows: rows.sum(axis=1)))) == 2


def test_a_box_without_room_is_refused() -> None:
    """An end before its beginning, and one feature alone."""
    for box in ([[0, 1], [2, 2]], [[0, 1]]):
        with pytest.raises(
            InvalidInput, match="box must hold a lower and a higher end for each of two features"
        ):
            surface_chart(lambda rows: rows[:, 0], box=box)
