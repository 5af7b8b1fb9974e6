"""Which page and which model: one list, from which the table and the picture of ``docs/choosing.md`` are made.

``python -m website.choosing`` (part of ``make pages``) writes both.
"""

from __future__ import annotations

import re
from html import escape
from typing import NamedTuple

from website.repository import ROOT

PAGE = ROOT / "docs" / "choosing.md"
PICTURE = ROOT / "docs" / "choosing.svg"


class Choice(NamedTuple):
    """What one has, what one wants, the page about it, the models, and the first command, if there is one."""

    have: str
    want: str
    title: str
    page: str
    models: tuple[str, ...]
    command: str


CHOICES = (
    Choice(
        "votes: a beat b",
        "a ranking with intervals",
        "From a file to a ranking",
        "ranking.md",
        ("BradleyTerry", "Thurstone"),
        "penchant rank votes.csv",
    ),
    Choice(
        "votes: a beat b",
        "adjusted for length, side or home",
        "Models, teams and products",
        "votes.md",
        ("BradleyTerry",),
        "penchant rank votes.csv --side",
    ),
    Choice(
        "votes: a beat b",
        "careless judges found",
        "Checking a study",
        "checking.md",
        ("CrowdBradleyTerry",),
        "penchant judges votes.csv",
    ),
    Choice(
        "votes: a beat b",
        "ratings that follow time",
        "From a file to a ranking",
        "ranking.md#games-in-their-order",
        ("Elo", "Glicko", "Glicko2"),
        "penchant rank games.csv --model glicko",
    ),
    Choice(
        "rankings or ballots",
        "one order, proven nearest",
        "Surveys and elections",
        "surveys.md",
        ("consensus", "PlackettLuce"),
        "penchant consensus ballots.csv",
    ),
    Choice(
        "people to ask",
        "an order with few questions",
        "Studies",
        "studies.md",
        ("BradleyTerry",),
        "penchant new talks.db talks.csv",
    ),
    Choice(
        "people to ask",
        "few questions, linked items",
        "Linked items",
        "linked.md",
        ("LinkedGP",),
        "penchant new papers.db papers.csv --links cites.csv",
    ),
    Choice(
        "clicks and corrections",
        "an order that learns",
        "Learning from logs",
        "learning-from-logs.md",
        ("PreferencePerceptron",),
        "penchant learn clicks.jsonl --save model.penchant",
    ),
    Choice(
        "rows with features, graded",
        "scores for new rows",
        "Object ranking",
        "object-ranking.md",
        ("RankSVM", "RankBoost", "PairwiseRanker"),
        "penchant fit ranker train.csv --save model.penchant",
    ),
    Choice(
        "rows with features, graded",
        "the grade, with probabilities",
        "Rating",
        "rating.md",
        ("OrdinalRegression",),
        "penchant fit ranker train.csv --model ordinal --save model.penchant",
    ),
    Choice(
        "rows with features, graded",
        "labels ranked for each row",
        "Label ranking",
        "label-ranking.md",
        ("LabelRanker", "NearestLabelRanker"),
        "",
    ),
    Choice(
        "rows with features, compared",
        "a smooth utility with error bars",
        "Gaussian processes",
        "gaussian-processes.md",
        ("PreferenceGP",),
        "penchant fit utility pairs.csv --items items.csv",
    ),
    Choice(
        "rows with features, compared",
        "a utility that must rise",
        "Monotone utilities",
        "monotone.md",
        ("MonotoneGP",),
        "penchant fit utility pairs.csv --items items.csv --model monotone-gp --increasing range",
    ),
)

_TABLE = re.compile(r"(?<=<!-- table -->\n\n).*?(?=\n\n<!-- end -->)", re.DOTALL)
_ROW, _TOP, _WIDTH = 44, 52, 940
_COLUMNS = (16, 286, 592)
_BOX = (234, 270, 332)


def table() -> str:
    """Return the table in Markdown."""
    rows = ["| you have | you want | page | model | first command |", "|---|---|---|---|---|"]
    for choice in CHOICES:
        models = ", ".join(f"`{model}`" for model in choice.models)
        link = f"[{choice.title}]({choice.page})"
        command = f"`{choice.command}`" if choice.command else "(in Python)"
        rows.append(f"| {choice.have} | {choice.want} | {link} | {models} | {command} |")
    return "\n".join(rows)


def picture() -> str:
    """Return the picture as SVG: what one has on the left, what one wants, and the page with its model."""
    height = _TOP + _ROW * len(CHOICES) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="14">',
        "<title>From what you have and want to the page and the model</title>",
        f'<rect width="{_WIDTH}" height="{height}" rx="10" fill="#ffffff"/>',
    ]
    for left, text in zip(_COLUMNS, ("You have", "You want", "Page: model"), strict=True):
        parts.append(f'<text x="{left + 4}" y="32" fill="#00695c" font-weight="600">{text}</text>')
    haves = list(dict.fromkeys(choice.have for choice in CHOICES))
    for have in haves:
        rows = [row for row, choice in enumerate(CHOICES) if choice.have == have]
        middle = sum(map(_middle, rows)) / len(rows)
        for row in rows:
            parts += [
                _line((_COLUMNS[0] + _BOX[0], middle), (_COLUMNS[1], _middle(row))),
                _line((_COLUMNS[1] + _BOX[1], _middle(row)), (_COLUMNS[2], _middle(row))),
            ]
        parts.append(_box(0, middle, have, "#00796b", "#ffffff"))
    for row, choice in enumerate(CHOICES):
        parts.append(_box(1, _middle(row), choice.want, "#e0f2f1", "#1b2b29"))
        models = ", ".join(choice.models)
        parts.append(_box(2, _middle(row), choice.title, "#f4f4f4", "#1b2b29", models))
    return "\n".join([*parts, "</svg>", ""])


def _middle(row: int) -> float:
    return _TOP + _ROW * (row + 0.5)


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    half = (start[0] + end[0]) / 2
    path = f"M{start[0]:g} {start[1]:g}C{half:g} {start[1]:g} {half:g} {end[1]:g} {end[0]:g} {end[1]:g}"
    return f'<path d="{path}" fill="none" stroke="#80cbc4" stroke-width="1.5"/>'


def _box(column: int, middle: float, text: str, fill: str, ink: str, below: str = "") -> str:
    left, width = _COLUMNS[column], _BOX[column]
    lines = [(text, -3, 14, ink), (below, 13, 12, "#00695c")] if below else [(text, 5, 14, ink)]
    texts = "".join(
        f'<text x="{left + 10}" y="{middle + down:g}" font-size="{size}" fill="{colour}">{escape(line)}</text>'
        for line, down, size, colour in lines
    )
    return f'<rect x="{left}" y="{middle - 19:g}" width="{width}" height="38" rx="6" fill="{fill}"/>{texts}'


def write() -> None:
    """Write the picture, and the table into its page."""
    PICTURE.write_text(picture(), encoding="utf-8")
    PAGE.write_text(_TABLE.sub(table(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write()
