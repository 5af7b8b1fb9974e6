"""A chart as a page of its own: with a title, as wide as its window, and with a table that can be searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

_NUMBERS = {"rank", "score", "ranks", "group", "answers"}
_STYLE = """
body { margin: 1rem auto; max-width: 64rem; padding: 0 1rem; color: #1f2937; background: white;
       font: 15px/1.45 Helvetica, Arial, sans-serif; }
.vega-embed { display: block !important; width: 100%; position: relative; }
.vega-embed details { position: absolute !important; top: 0; right: 0; }
.vega-embed svg { max-width: 100%; height: auto; }
.all { max-height: 80vh; overflow: auto; border-top: 1px solid #d1d5db; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { position: sticky; top: 0; background: white; text-align: left; font-weight: 600; }
th, td { padding: .2rem .9rem .2rem 0; white-space: nowrap; }
td.item { white-space: normal; overflow-wrap: anywhere; min-width: 12rem; }
.number { text-align: right; }
tbody tr:nth-child(odd) { background: #f8fafc; }
label { display: block; margin: 1.2rem 0 .5rem; }
input { font: inherit; padding: .3rem .5rem; min-width: 16rem; }
"""
_SEARCH = """
const field = document.getElementById("search"), found = document.getElementById("found");
const rows = Array.from(document.querySelectorAll("tbody tr"));
field.addEventListener("input", () => {
  const wanted = field.value.toLowerCase();
  let shown = 0;
  for (const row of rows) {
    row.hidden = !row.dataset.name.includes(wanted);
    shown += !row.hidden;
  }
  found.textContent = wanted ? `${shown.toLocaleString("en")} found` : "";
});
document.getElementById("searching").hidden = false;
"""


def page_of(embedded: str, title: str, table: Sequence[Mapping[str, str]] = ()) -> str:
    """Return Altair's page of a chart with a title, a style that fits its window, and the table below the picture.

    Without JavaScript the table is there all the same, and only the search is not.
    """
    head = (
        f'<title>{escape(title)}</title>\n<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"\n<style>{_STYLE}</style>\n"
    )
    before, opened, rest = embedded.partition("<head>")
    body, closed, after = rest.rpartition("</body>")
    return f"{before}{opened}\n{head}{body}{_searchable(table) if table else ''}{closed}{after}"


def _searchable(table: Sequence[Mapping[str, str]]) -> str:
    names = list(table[0])
    heads = "".join(f'<th scope="col"{_look(name)}>{escape(name)}</th>' for name in names)
    body = "\n".join(_line(row, names) for row in table)
    return (
        '<p id="searching" hidden><label>Search the items: <input id="search" type="search" autocomplete="off"> '
        '<span id="found" role="status"></span></label></p>\n'
        f'<div class="all" tabindex="0" role="region" aria-label="All items"><table>\n<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table></div>\n<script>{_SEARCH}</script>\n"
    )


def _line(row: Mapping[str, str], names: Sequence[str]) -> str:
    cells = "".join(f"<td{_look(name)}>{escape(row[name])}</td>" for name in names)
    return f'<tr data-name="{escape(row.get("item", "").lower())}">{cells}</tr>'


def _look(name: str) -> str:
    if name == "item":
        return ' class="item"'
    return ' class="number"' if name in _NUMBERS or name.endswith("interval") else ""
