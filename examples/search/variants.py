"""Play the week in other ways and with other seeds: ``python -m examples.search.variants``.

It writes ``docs/figures/search-variants.json`` and puts its table into the page; this takes two minutes.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from examples.search.page import VARIANTS as WRITTEN
from examples.search.page import write_page
from examples.search.week import play

VARIANTS = ((3, False), (3, True), (1, True))
"""Every how many searches the study interleaves, and whether it learns from those."""
SEEDS = (1, 2, 3)


def compare(variants: Any = VARIANTS, seeds: Any = SEEDS, **size: int) -> list[dict[str, Any]]:
    """Return who wins, and the mean regret of people's own models, for each variant and seed."""
    rows = []
    for every, learn in variants:
        for seed in seeds:
            with TemporaryDirectory() as folder:
                found = play(
                    Path(folder), seed=seed, every=every, learn_interleaved=learn, in_process=True, **size
                )
            last, people = found["interleaving"][-1], found["people"]
            means = {key: sum(row[key] for row in people) / len(people) for key in ("own", "start")}
            row = {"every": every, "learn": learn, "seed": seed, **last}
            rows.append(row | {key: round(value, 4) for key, value in means.items()})
    return rows


if __name__ == "__main__":
    WRITTEN.write_text(json.dumps({"variants": compare()}, indent=1) + "\n", encoding="utf-8")
    write_page()
