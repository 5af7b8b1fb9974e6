"""What notebooks show of models, preferences, studies and certificates: a few lines and a picture, as HTML.

The picture is an image inside the page: no script runs and nothing is fetched. Text is escaped.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from penchant.counts import counted
from penchant.errors import PenchantError
from penchant.text import visible

if TYPE_CHECKING:
    from penchant.gp.certificate import Certificate
    from penchant.preferences.rows import Rows

_DRAWN = 12
_LONGEST = 300


def view(title: str, lines: Iterable[str] = (), chart: Any = None) -> str:
    """Return a heading, lines of text and perhaps a picture as a piece of HTML.

    Examples
    --------
    >>> view("Tea & milk", ["3 items"])
    '<div style="font-family: sans-serif"><strong>Tea &amp; milk</strong><div>3 items</div></div>'
    """
    parts = [f"<strong>{_shown(title)}</strong>", *(f"<div>{_shown(line)}</div>" for line in lines)]
    if chart is not None:
        from penchant.plots.saving import svg_text

        picture = b64encode(svg_text(chart).encode()).decode()
        parts.append(
            f'<img alt="{_shown(title)}: picture" style="max-width: 100%; height: auto" '
            f'src="data:image/svg+xml;base64,{picture}">'
        )
    return f'<div style="font-family: sans-serif">{"".join(parts)}</div>'


def model_view(model: Any) -> str:
    """Return a model's settings, and once it is fitted what it learned: a ranking, or a utility of features."""
    if hasattr(model, "n_features_in_"):
        return _utility_view(model)
    try:
        ranking = model.rank()
    except (AttributeError, PenchantError):  # not fitted, or a model that ranks nothing
        return view(repr(model), ["not fitted yet"])
    from penchant.plots.ranking import ranking_chart

    return view(repr(model), ranking.certain(), ranking_chart(ranking, most=_DRAWN))


def _utility_view(model: Any) -> str:
    from penchant.plots.utility import slices_chart, utility_chart

    lines = [f"a utility of {counted(model.n_features_in_, 'feature')}"]
    if hasattr(model, "certificate_"):
        lines += repr(model.certificate_).splitlines()
    return view(repr(model), lines, (utility_chart if model.n_features_in_ == 2 else slices_chart)(model))


def preferences_view(preferences: Rows) -> str:
    """Return what preferences hold, and how often the items that were compared most were preferred."""
    from penchant.plots.tallies import tallies_chart

    name, _, content = repr(preferences).partition(": ")
    chart = tallies_chart(preferences, most=_DRAWN) if preferences.n_items else None
    return view(name, [content], chart)


def certificate_view(certificate: Certificate) -> str:
    """Return the proven slopes of a monotone utility."""
    from penchant.plots.certificate import certificate_chart

    return view("Certificate", repr(certificate).splitlines(), certificate_chart(certificate))


def learner_view(learner: Any) -> str:
    """Return the weights that a learner with named features ranks by."""
    return view(repr(learner), [], _weights(learner.weights))


def study_view(study: Any) -> str:
    """Return the progress of a study, and its ranking or its weights."""
    title = study.title or type(study).__name__
    try:
        lines = [study.progress()]
        if study.kind == "coactive":
            return view(title, lines, _weights(study.weights()))
        n_answers = study.preferences().n_answers
        if not n_answers:
            return view(title, lines)
        from penchant.plots.ranking import ranking_chart

        ranking = study.rank()
        return view(
            title, [*lines, *ranking.certain()], ranking_chart(ranking, most=_DRAWN, n_answers=n_answers)
        )
    except PenchantError as error:  # closed, for instance
        return view(title, [str(error)])


def _weights(weights: dict[str, float]) -> Any:
    """Return a chart of weights, None where all of them are 0."""
    if not any(weights.values()):
        return None
    from penchant.plots.coefficients import weights_chart

    return weights_chart(weights, most=_DRAWN)


def _shown(text: str) -> str:
    return escape(visible(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"))
