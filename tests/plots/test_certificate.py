"""The picture of a certificate."""

from __future__ import annotations

import numpy as np

from penchant.gp.certificate import Certificate
from penchant.plots import certificate_chart
from tests.plots.marks import marks


def certificate() -> Certificate:
    """A certificate of two features, of which f_MAP falls in the second."""
    alpha, weight, bound = 0.5, np.array([1.0, 1.0]), np.array([0.5, -0.8])
    return Certificate(
        features=("range", "<b>price"),
        bound=bound,
        value=bound + 0.01,
        point=np.zeros((2, 2)),
        scale=np.array([2.0, 4.0]),
        n_boxes=np.array([1, 1]),
        weight=weight,
        alpha_star=0.4,
        alpha=alpha,
        slope=alpha * weight + (1 - alpha) * bound,
    )


def test_slopes_are_in_parts_of_their_scale() -> None:
    """Of the utility and of f_MAP, each feature in its own scale, and a line at 0."""
    zero, points = marks(certificate_chart(certificate()))
    assert zero.rows == [{"slope": 0.0}]
    slopes = {(row["name"], row["feature"]): row["slope"] for row in points.rows}
    assert slopes["the utility", "range"] == 0.375
    assert slopes["f_MAP, before blending", "<b>price"] == -0.2
    assert (points.fields["color"], points.fields["shape"]) == ("name", "name")
