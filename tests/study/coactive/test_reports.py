"""Reports: weights and how steady they are, progress, the learning curve, and reasons."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.errors import InvalidInput, UnknownItem
from tests.study.coactive.simulated import clicks, made


def test_the_weights_tell_what_people_click(path: Path) -> None:
    """The feature that people click by has the largest weight, which grows steady; drift is an angle."""
    with made(path) as study:
        clicks(study, 40)
        report = study.weight_report()
        assert report.to_frame()["feature"].iloc[0] == "x"
        assert dict(zip(report.names, report.values.tolist(), strict=True)) == study.weights()
        assert report.rounds == 40
        assert 0 <= report.angle <= 180
        assert report.steadiness[report.names.index("x")] > 0.5


def test_the_learning_curve_rises(path: Path) -> None:
    """The share of clicks at the first place is higher in the last rounds than in the first."""
    with made(path) as study:
        assert study.learning_curve().rounds == 0
        clicks(study, 64)
        curve = study.learning_curve()
        assert curve.rounds == 64
        assert curve.first_by_block[-1] > curve.first_by_block[:3].mean()
        assert np.isnan(curve.regret)


def test_regret_is_known_where_a_whole_order_was_given(path: Path) -> None:
    """It is 0 where the person's own order is the presented one; the first place counts where it was left."""
    with made(path) as study:
        ids = ["i0", "i1", "i2"]
        study.feedback(study.present(ids), order=study.present(ids).order)
        assert study.learning_curve().regret == 0
        assert study.learning_curve().first == 1
        shown = study.present(ids)
        study.feedback(shown, order=shown.order[::-1])
        assert study.learning_curve().regret > 0
        shown = study.present(ids)
        study.feedback(shown, better=shown.order[1])
        assert study.learning_curve().first == pytest.approx(1 / 3)


def test_why_adds_up_to_the_difference(path: Path) -> None:
    """Contributions sum to the difference of the scores, of items, of a context and of a presentation."""
    with made(path, per_user=True) as study:
        clicks(study, 10, users=1)
        shown = study.present(["i3", "i5", "i1"])
        context = {"a": {"x": 1.0, "y": 2.0}, "b": {"z": 1.0}}
        for found in (
            study.why("i3", "i5"),
            study.why("i3", "i5", shown),
            study.why("i3", "i5", shown.id, user="user 0"),
            study.why("a", "b", context, most=1),
        ):
            assert sum(weight for _, weight in found.features) == pytest.approx(found.difference)
        assert len(study.why("a", "b", context, most=1).features) == 2
        assert "item 3" in repr(study.why("i3", "i5"))
        with pytest.raises(UnknownItem, match="b must be a candidate of the context, got 'i5'"):
            study.why("a", "i5", {"a": {}, "b": {}})
        with pytest.raises(InvalidInput, match="a and b must be two candidates"):
            study.why("i3", "i3")


def test_progress_is_a_sentence(path: Path) -> None:
    """It counts what was presented, what was answered, and what was learned."""
    with made(path) as study:
        assert study.progress() == "0 presentations, 0 with feedback; 0 rounds learned"
        clicks(study, 2)
        study.present(["i0"])
        assert study.progress() == "3 presentations, 2 with feedback; 2 rounds learned"


def test_users_are_named(path: Path) -> None:
    """Those to whom something was presented, in the order in which they came."""
    with made(path) as study:
        for user in ("ann", "bob", "ann"):
            study.present(["i0"], user=user)
        assert study.users == ("ann", "bob")
        with pytest.raises(InvalidInput, match="user must be one to whom something was presented, got 'zoe'"):
            study.weights("zoe")
