"""Step four: a picture as a file. An Altair chart in; PNG, SVG or HTML out, with no network."""

from __future__ import annotations

import json
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from penchant.errors import InvalidInput
from penchant.saving.replacing import replaced


class _InScript(json.JSONEncoder):
    """JSON that can stand inside a script: an item called ``</script>…`` would end it and run what follows."""

    def encode(self, o: Any) -> str:
        return super().encode(o).replace("<", "\\u003c")


KINDS: dict[str, dict[str, Any]] = {
    ".png": {"scale_factor": 2},
    ".svg": {},
    ".html": {"inline": True, "json_kwds": {"cls": _InScript}},
}


def save_chart(chart: Any, path: str | Path) -> Path:
    """Write ``chart`` to ``path``, whose ending says how: .png, .svg or .html."""
    target, kind = Path(path), picture_kind(path)
    drawn = BytesIO() if kind == ".png" else StringIO()
    chart.save(drawn, format=kind[1:], **KINDS[kind])
    with replaced(target) as file:
        content = drawn.getvalue()
        file.write(content if isinstance(content, bytes) else content.encode())
    return target


def picture_kind(path: str | Path) -> str:
    """Return the ending of ``path``, which says what picture it is to be; refuse one that is none."""
    kind = Path(path).suffix.lower()
    if kind not in KINDS:
        raise InvalidInput(
            f"picture must end in {', '.join(KINDS)}, got {Path(path).name!r}: give one of these endings"
        )
    return kind


def svg_text(chart: Any) -> str:
    """Return ``chart`` as the text of an SVG picture."""
    file = StringIO()
    chart.save(file, format="svg")
    return file.getvalue()
