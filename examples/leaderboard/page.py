"""Put the figures of the leaderboard into ``docs/leaderboard-example.md``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from examples import pages
from examples.leaderboard.judges import COIN
from examples.pages import DOCS, Parts, table

PAGE = DOCS / "leaderboard-example.md"
FIGURES, RUNS = DOCS / "figures" / "leaderboard-example.json", DOCS / "figures" / "leaderboard-runs.json"


def filled(text: str, figures: Mapping[str, Any]) -> str:
    """Return the page with the figures between its marks."""
    return pages.filled(text, "board", PARTS, figures)


def figures_of_docs() -> dict[str, Any]:
    """Return the figures of the leaderboard and of its other runs that the docs hold."""
    return {
        name: value
        for file in (FIGURES, RUNS)
        for name, value in json.loads(file.read_text(encoding="utf-8")).items()
    }


def write_page() -> None:
    """Make the page from the figures that the docs hold."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), figures_of_docs()), encoding="utf-8")


def size(figures: Mapping[str, Any]) -> str:
    """Return how large the example is."""
    judges = len(figures["judges"]) + len(figures["aside"])
    return f"{figures['models']} models, {figures['prompts']} prompts, {judges} judges, {figures['answers']} answers."


def outcome(figures: Mapping[str, Any]) -> str:
    """Return how it ended, in a sentence or two."""
    pairs = figures["models"] * (figures["models"] - 1) // 2
    return (
        f"{figures['board'][0]['model']} is first after {figures['answers']} answers, of which {figures['counted']} "
        f"count. Settled: {figures['settled']}. {figures['pairs in order']} of {pairs} pairs stand as they would if "
        f"every judge who reads were asked about every pair at every prompt, which takes {figures['everything']:,} "
        "answers."
    )


def board(figures: Mapping[str, Any]) -> str:
    """Return the models, best first."""
    head = ["model", "rank", "score", "95 % interval", "ranks", "answers", "share won", "what it is like"]
    rows = [
        [
            row["model"],
            f"{row['rank']}",
            f"{row['score']:.2f}",
            f"{row['lower']:.2f} to {row['upper']:.2f}",
            "–".join(f"{rank}" for rank in dict.fromkeys(row["ranks"])),
            f"{row['answers']}",
            f"{row['share']:.2f}",
            row["style"],
        ]
        for row in figures["board"]
    ]
    return table(head, rows)


def judges(figures: Mapping[str, Any]) -> str:
    """Return the report of the judges when the owner first doubted one, or the last report."""
    rows = [
        [
            row["judge"],
            f"{row['comparisons']}",
            f"{row['reliability']:.2f} ± {row['error']:.2f}",
            row["finding"] or "–",
        ]
        for row in figures["doubted"] or figures["judges"]
    ]
    done = [f"{row['judge']} after {row['comparisons']} of its answers" for row in figures["aside"]]
    said = f"The owner set aside: {', '.join(done)}." if done else "The owner set nobody aside."
    return f"{table(['judge', 'comparisons', 'reliability', 'finding'], rows)}\n\n{said}"


def why(figures: Mapping[str, Any]) -> str:
    """Return why the first stands above the second."""
    found = figures["why"]
    head = f"{found['a']} stands above {found['b']} by {found['difference']:.2f} ± {found['sd']:.2f}."
    rows = [[what, f"{weight:+.2f}"] for what, weight in found["reasons"]]
    return f"{head}\n\n{table(['reason', 'weight'], rows)}"


def exports(figures: Mapping[str, Any]) -> str:
    """Return the files that the owner took home."""
    return table(["file", "records"], [[f"`{name}`", f"{n:,}"] for name, n in figures["exports"].items()])


def runs(figures: Mapping[str, Any]) -> str:
    """Return how the other runs ended."""
    head = ["rule", "seed", "answers", "counted", "settled", "first", "set aside", "pairs as all would say"]
    rows = [
        [
            "surely below half" if row["cautious"] else "at random",
            f"{row['seed']}",
            *(f"{row[key]}" for key in ("answers", "counted")),
            "yes" if row["enough"] else "no",
            row["first"],
            ", ".join(row["aside"]) or "nobody",
            f"{row['pairs in order']} of {row['pairs']}",
        ]
        for row in figures["runs"]
    ]
    return f"{table(head, rows)}\n\n{_set_aside(figures['runs'])}"


def _set_aside(runs: Sequence[Mapping[str, Any]]) -> str:
    """Return how often each rule set the judge aside who does not read, and others."""
    said = []
    for cautious, rule in ((False, 'By "at random"'), (True, 'By "surely below half"')):
        aside = [set(row["aside"]) for row in runs if row["cautious"] == cautious]
        found, others = (sum(map(bool, names)) for names in _split(aside))
        said.append(
            f"{rule}, *{COIN.name}* was set aside in {found} of {len(aside)} runs, a judge who reads in {others}."
        )
    return " ".join(said)


def _split(aside: Sequence[set[str]]) -> tuple[list[set[str]], list[set[str]]]:
    return [names & {COIN.name} for names in aside], [names - {COIN.name} for names in aside]


PARTS: Parts = {
    "size": size,
    "outcome": outcome,
    "models": board,
    "judges": judges,
    "why": why,
    "exports": exports,
    "runs": runs,
}
"""What can stand between two marks."""
