"""Put figures into pages of the docs.

They stand between two marks, for example of the figures that are called "week"::

    <!-- week NAME -->
    <!-- end of week -->
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"

Parts = Mapping[str, Callable[[Mapping[str, Any]], str]]
"""What can stand between two marks, by its name: a text that is made from all figures."""


def filled(text: str, called: str, parts: Parts, figures: Mapping[str, Any]) -> str:
    """Return a page with the figures between its marks."""
    marked = re.compile(rf"(<!-- {called} ([a-z ]+) -->\n).*?(<!-- end of {called} -->)", re.DOTALL)
    return marked.sub(lambda found: f"{found[1]}{parts[found[2]](figures)}\n{found[3]}", text)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first column holds words and whose others hold numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
