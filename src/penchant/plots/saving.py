"""Write charts as PNG, SVG or HTML, without a network."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from penchant.errors import InvalidInput
from penchant.plots.drawable import drawable
from penchant.plots.page import page_of
from penchant.saving.replacing import replaced

KINDS = (".png", ".svg", ".html")
PNG_SCALE = 2
MOST_PIXELS = 200_000_000
"""Pixels of a PNG: four bytes of memory each, and the renderer ends the process where it gets none."""
SIZE = re.compile(r'<svg [^>]*?width="([0-9.e+]+)" height="([0-9.e+]+)"')


class _InScript(json.JSONEncoder):
    """JSON that can stand inside a script: an item called ``</script>…`` would end it and run what follows."""

    def encode(self, o: Any) -> str:
        return super().encode(o).replace("<", "\\u003c")


def save_chart(chart: Any, path: str | Path) -> Path:
    """Write ``chart`` to ``path``, whose ending says how: .png, .svg or .html.

    Characters in names that would act instead of being shown, control characters for instance, are drawn as
    backslash escapes, and names are cut after 200 characters. A PNG has the names of emoji in their place, for which
    the renderer has no font; in the other two the reader's own fonts draw them. A page has the chart's title, fits its
    window, and lists what a chart can show in part only: below a ranking, all items, in a table that can be searched.

    Examples
    --------
    >>> import tempfile
    >>> import altair as alt
    >>> chart = alt.Chart(alt.Data(values=[{"x": 1}])).mark_point().encode(x="x:Q")
    >>> save_chart(chart, Path(tempfile.mkdtemp()) / "chart.svg").name
    'chart.svg'
    """
    target, kind = Path(path), picture_kind(path)
    drawn = (
        _png(_svg(chart, spell_emoji=True))
        if kind == ".png"
        else (svg_text(chart) if kind == ".svg" else _page(chart)).encode()
    )
    with replaced(target) as file:
        file.write(drawn)
    return target


def picture_kind(path: str | Path) -> str:
    """Return the ending of ``path``, which is the format; raise for an unknown one."""
    kind = Path(path).suffix.lower()
    if kind not in KINDS:
        raise InvalidInput.of(
            "picture",
            f"end in {', '.join(KINDS)}",
            repr(Path(path).name),
            "give one of these endings",
        )
    return kind


def svg_text(chart: Any) -> str:
    """Return ``chart`` as the text of an SVG picture.

    Examples
    --------
    >>> import altair as alt
    >>> svg_text(alt.Chart(alt.Data(values=[{"x": 1}])).mark_point().encode(x="x:Q"))[:4]
    '<svg'
    """
    return _svg(chart)


def _svg(chart: Any, *, spell_emoji: bool = False) -> str:
    specification = drawable(_described(chart), spell_emoji=spell_emoji)
    picture: str = _rendered(specification, "svg")["image/svg+xml"]
    return picture


def _page(chart: Any) -> str:
    specification = drawable(_described(chart, listed=True))
    table = specification.pop("usermeta", {}).get("table", ())
    page: str = _rendered(
        specification,
        "html",
        template="inline",
        json_kwds={"cls": _InScript},
        embed_options={"renderer": "svg", "actions": {"source": False, "editor": False, "compiled": False}},
    )["text/html"]
    return page_of(page, _title(specification), table)


def _title(specification: dict[str, Any]) -> str:
    """Return the title of a chart, or of the first of its parts that has one."""
    given = specification.get("title")
    text = given.get("text") if isinstance(given, dict) else given
    if text:
        return text if isinstance(text, str) else " ".join(text)
    parts = [
        part for kind in ("hconcat", "vconcat", "concat", "layer") for part in specification.get(kind, ())
    ]
    return next(filter(None, map(_title, parts)), "Penchant" if "$schema" in specification else "")


def _png(svg: str) -> bytes:
    import vl_convert

    size = SIZE.match(svg)
    width, height = (PNG_SCALE * float(side) for side in size.groups()) if size else (0.0, 0.0)
    if width * height > MOST_PIXELS:
        raise InvalidInput(
            f"a PNG must have at most {MOST_PIXELS:,} pixels, got {width:,.0f} by {height:,.0f}: "
            "write an .svg, or draw fewer items"
        )
    return bytes(vl_convert.svg_to_png(svg, scale=PNG_SCALE))


def _described(chart: Any, *, listed: bool = False) -> dict[str, Any]:
    """Return the specification of a chart; what is only for the table of a page stays where it is ``listed``."""
    import altair as alt

    with alt.data_transformers.enable("default", max_rows=None):
        specification: dict[str, Any] = chart.to_dict()
    if not listed:
        specification.pop("usermeta", None)
    return specification


def _rendered(specification: dict[str, Any], form: Any, **options: Any) -> Any:
    """Return what Altair's own ``save`` would write; here every chart meets the renderer."""
    import altair as alt
    from altair.utils.mimebundle import spec_to_mimebundle

    try:
        return spec_to_mimebundle(
            specification,
            form,
            mode="vega-lite",
            vega_version=alt.VEGA_VERSION,
            vegalite_version=alt.VEGALITE_VERSION,
            vegaembed_version=alt.VEGAEMBED_VERSION,
            **options,
        )
    except ValueError as error:
        raise InvalidInput(f"the chart cannot be drawn ({str(error)[:200]}): correct it") from error
