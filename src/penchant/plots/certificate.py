"""Draw a certificate of monotonicity: the proven least slopes before and after blending."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penchant.plots.series import colour_of, shape_of
from penchant.plots.theme import INK, SOFT, dressed

if TYPE_CHECKING:
    from penchant.gp.certificate import Certificate

_NAMES = ("the utility", "f_MAP, before blending")


def certificate_chart(certificate: Certificate) -> Any:
    """Draw for each constrained feature the least slope that is proven, in parts of the slope's scale.

    Slopes right of 0 have the sign that was asked for everywhere in the box; those of the utility are.

    Parameters
    ----------
    certificate : Certificate
        ``certificate_`` of a fitted `MonotoneGP`.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.gp import MonotoneGP
    >>> X = np.array([[0.0, 0.2], [0.4, 0.9], [1.0, 0.4], [0.6, 0.1]])
    >>> model = MonotoneGP(increasing=[0]).fit_pairs(X, [(2, 0), (1, 0), (0, 1), (2, 3), (3, 2)])
    >>> certificate_chart(model.certificate_).to_dict()["title"]["text"]
    'Proven least slopes'
    """
    import altair as alt

    rows = [
        {
            "feature": feature,
            "name": name,
            "slope": float(slope / scale) if scale else 0.0,
            "words": f"at least {slope:.3g} everywhere in the box",
        }
        for name, slopes in zip(_NAMES, (certificate.slope, certificate.bound), strict=True)
        for feature, slope, scale in zip(certificate.features, slopes, certificate.scale, strict=True)
    ]
    across = alt.X(
        "slope:Q", title="least slope / largest slope among the items", scale=alt.Scale(padding=10)
    )
    zero = (
        alt.Chart(alt.Data(values=[{"slope": 0.0}])).mark_rule(color=SOFT, strokeDash=[5, 4]).encode(x=across)
    )
    points = (
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True, size=90, opacity=1)
        .encode(
            x=across,
            y=alt.Y("feature:N", title=None, sort=None, axis=alt.Axis(labelLimit=220)),
            color=colour_of(_NAMES, orient="top"),
            shape=shape_of(_NAMES, orient="top"),
            tooltip=["feature:N", "name:N", alt.Tooltip("words:N", title="slope")],
        )
    )
    subtitle = f"right of the dashed line: monotone; blended with α = {certificate.alpha:.3g}"
    heading = alt.TitleParams("Proven least slopes", subtitle=subtitle, color=INK)
    height = 26 * len(certificate.features)
    return dressed(alt.layer(zero, points).properties(width=300, height=height, title=heading))
