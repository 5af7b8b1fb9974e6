"""Write the gallery: a page with every chart, and a page of its own for each ranking."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

from examples.gallery.charts import Entry
from examples.gallery.data import MADE_UP
from penchant.plots import save_chart

_STYLE = """
body { font: 16px/1.5 Helvetica, Arial, sans-serif; color: #1f2937; max-width: 70rem; margin: 2rem auto;
       padding: 0 1rem; }
figure { margin: 0 0 3rem; } img { max-width: 100%; height: auto; border: 1px solid #e5e7eb; }
figcaption { color: #4b5563; } .made-up { color: #9a3412; font-weight: bold; }
"""


def write_gallery(entries: Iterable[Entry], folder: Path) -> Path:
    """Draw entries into a folder and return the page that shows them; what is made up is marked."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = []
    for number, entry in enumerate(entries, 1):
        picture = save_chart(entry.chart, folder / f"{number:02d}-{entry.name}.svg")
        own = None
        if entry.name == "ranking_chart":
            own = save_chart(entry.chart, picture.with_suffix(".html"))
        figures.append(_figure(entry, picture.name, own.name if own else None))
    page = folder / "index.html"
    page.write_text(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Penchant: every chart</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>{_STYLE}</style>\n</head>\n'
        f"<body>\n<h1>Every chart</h1>\n{''.join(figures)}</body>\n</html>\n",
        encoding="utf-8",
    )
    return page


def _figure(entry: Entry, picture: str, own: str | None) -> str:
    look = ' class="made-up"' if entry.source == MADE_UP else ""
    link = f' <a href="{escape(own)}">as a page of its own</a>' if own else ""
    return (
        f"<figure>\n<h2>{escape(entry.name)}</h2>\n"
        f'<img src="{escape(picture)}" alt="{escape(entry.name)}, {escape(entry.caption)}">\n'
        f"<figcaption>{escape(entry.caption)}; <span{look}>{escape(entry.source)}</span>{link}</figcaption>\n"
        "</figure>\n"
    )
