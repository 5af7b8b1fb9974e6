"""The pictures and verdicts of docs/coactive-experiments.md, made again: `make pictures` or with IDs, SETS and sizes.

    python -m tests.docs.coactive_pictures [--data DIR] [--size quick] [ID@SET …]

What a run found goes into docs/pictures/coactive.json, pictures beside it, and the tables of the page are written
from that file, so that a run of one experiment leaves the others as they were.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from penchant.papers.coactive_baselines import dueling_bandit, retrained_svm
from penchant.papers.coactive_clicks import click_preferences
from penchant.papers.coactive_convex import convex_losses, gamma_sensitivity, noisy_convex_losses
from penchant.papers.coactive_sets import SETS
from penchant.papers.coactive_theory import lower_bound
from penchant.papers.coactive_updates import exponentiated_updates
from penchant.papers.perceptron_experiments import (
    batch_updates,
    expected_feedback,
    noisy_feedback,
    strict_feedback,
)
from penchant.papers.result import Result
from penchant.plots import svg_text
from tests.conftest import DATA

DOCS = Path(__file__).parents[2] / "docs"
PAGE, FOLDER = DOCS / "coactive-experiments.md", DOCS / "pictures"
KEPT = FOLDER / "coactive.json"
TABLE = re.compile(r"(<!-- verdicts: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)

Experiment = Callable[..., Result]
ON_SETS: dict[str, Experiment] = {
    "strict": strict_feedback,
    "noisy": noisy_feedback,
    "batch-strict": batch_updates,
    "batch-noisy": partial(batch_updates, feedback="noisy"),
    "expected": expected_feedback,
    "exponentiated-strict": exponentiated_updates,
    "exponentiated-noisy": partial(exponentiated_updates, feedback="noisy"),
    "convex": convex_losses,
    "gamma": gamma_sensitivity,
    "convex-noisy": noisy_convex_losses,
    "bandit-strict": dueling_bandit,
    "bandit-noisy": partial(dueling_bandit, feedback="noisy"),
    "svm-strict": retrained_svm,
    "svm-noisy": partial(retrained_svm, feedback="noisy"),
}
ALONE: dict[str, Experiment] = {"lower-bound": lower_bound, "clicks": click_preferences}


def runs() -> dict[str, Experiment]:
    """Every experiment on every set, as ID@SET."""
    on_sets = {f"{key}@{name}": partial(run, name) for key, run in ON_SETS.items() for name in SETS}
    return on_sets | {f"{key}@": run for key, run in ALONE.items()}


def told(result: Result) -> dict[str, Any]:
    """What the page needs of a result."""
    return {
        "data": result.data,
        "claims": [
            {
                "says": claim.says,
                "verdict": claim.verdict(result.numbers),
                "numbers": [
                    f"{check.quantity} = {result.numbers[check.quantity]!r}" for check in claim.checks
                ],
            }
            for claim in result.claims
        ],
        "seconds": round(sum(result.seconds.values()), 1),
    }


def drawn(chart: Any) -> str:
    """The picture as SVG, coordinates to a tenth of a pixel."""
    return re.sub(r' d="[^"]*"', lambda path: re.sub(r"(\d\.\d)\d+", r"\1", path[0]), svg_text(chart))


def table(kept: dict[str, Any], key: str) -> str:
    """The verdicts on one experiment's claims, set by set."""
    lines = ["| claim | on | found | verdict |", "|---|---|---|---|"]
    for name in (*SETS, ""):
        for claim in kept.get(f"{key}@{name}", {}).get("claims", ()):
            found = "; ".join(claim["numbers"])
            lines.append(f"| {claim['says']} | {name or 'all'} | {found} | **{claim['verdict']}** |")
    return "\n".join(lines) + "\n"


def main() -> None:
    known = runs()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID@SET", help=", ".join(known))
    parser.add_argument("--data", default=str(DATA))
    parser.add_argument("--size", default="default", choices=["quick", "default", "full"])
    wanted = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for key in wanted.ids or known:
        result = known[key](size=wanted.size, data=wanted.data)
        print(f"{key}\n{result!r}\n{sum(result.seconds.values()):.1f} CPU seconds", flush=True)
        kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
        kept[key] = told(result)
        ordered = {key: kept[key] for key in known if key in kept}
        KEPT.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        for name, chart in result.charts.items():
            stem = "-".join(part for part in ("coactive", *key.split("@"), name) if part)
            picture = re.sub(r"[^\w-]", "", stem).lower() + ".svg"
            if f"pictures/{picture}" in PAGE.read_text(encoding="utf-8"):
                (FOLDER / picture).write_text(drawn(chart), encoding="utf-8")
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    page = TABLE.sub(lambda found: found[1] + table(kept, found[2]) + found[3], page)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
