"""Step four: a picture as a file. An Altair chart in; PNG, SVG or HTML out, with no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from penchant.errors import InvalidInput

KINDS = (".png", ".svg", ".html")


def save_chart(chart: Any, path: str | Path) -> Path:
    """Write ``chart`` to ``path``, whose ending says how: .png, .svg or .html."""
    target = Path(path)
    if target.suffix.lower() not in KINDS:
        raise InvalidInput(
            f"picture must end in {', '.join(KINDS)}, got {target.name!r}: give one of these endings"
        )
    if target.suffix.lower() == ".html":
        chart.save(str(target), inline=True)
    else:
        chart.save(str(target), **({"scale_factor": 2} if target.suffix.lower() == ".png" else {}))
    return target
