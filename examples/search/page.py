"""Put the figures of the week into ``docs/search-example.md``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from examples import pages
from examples.pages import DOCS, Parts, table

PAGE = DOCS / "search-example.md"
FIGURES, VARIANTS = DOCS / "figures" / "search-example.json", DOCS / "figures" / "search-variants.json"


def filled(text: str, figures: Mapping[str, Any]) -> str:
    """Return the page with the figures between its marks."""
    return pages.filled(text, "week", PARTS, figures)


def figures_of_docs() -> dict[str, Any]:
    """Return the figures of the week and of its variants that the docs hold."""
    return {
        name: value
        for file in (FIGURES, VARIANTS)
        for name, value in json.loads(file.read_text(encoding="utf-8")).items()
    }


def write_page() -> None:
    """Make the page from the figures that the docs hold."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), figures_of_docs()), encoding="utf-8")


def who_wins(figures: Mapping[str, Any]) -> str:
    """Return who won, in a sentence, and day by day."""
    days = figures["interleaving"]
    last = days[-1]
    decided = next((day for day, row in enumerate(days, 1) if row["low"] > 0.5), None)
    when = f"from day {decided} on" if decided else "on no day"
    head = (
        f"Of {figures['searches']:,} searches, {last['wins'] + last['losses'] + last['ties']:,} were interleaved. The "
        f"learned order won {last['wins']}, the text match {last['losses']}, and {last['ties']} were ties: a share of "
        f"**{last['share']:.3f}**, with a 95 % interval of {last['low']:.3f} to {last['high']:.3f}. "
        f"The interval excludes 1/2 {when}."
    )
    rows = [
        [
            *(f"{number}" for number in (day, row["wins"], row["losses"], row["ties"])),
            f"{row['share']:.3f}",
            f"{row['low']:.3f} to {row['high']:.3f}",
        ]
        for day, row in enumerate(days, 1)
    ]
    return f"{head}\n\n{table(['after day', 'won', 'lost', 'ties', 'share', '95 % interval'], rows)}"


def regret(figures: Mapping[str, Any]) -> str:
    """Return how regret fell beside the bound."""
    found = figures["regret"]
    places = [place for place, round in enumerate(found["rounds"]) if _is_shown(round, found["rounds"])]
    rows = [
        [f"{found['rounds'][place]:,}", f"{found['regret'][place]:.3f}", f"{found['bound'][place]:.2f}"]
        for place in places
    ]
    given = (
        f"α = {found['alpha']}, R = {found['R']:.2f}, ‖w\\*‖ = {found['norm']:.2f}; the best order is worth "
        f"{found['largest']:.2f} on average."
    )
    return f"{given}\n\n{table(['searches', 'mean regret', 'bound'], rows)}"


def _is_shown(round: int, rounds: Sequence[int]) -> bool:
    """Return whether a round is the first kept at or after 1, 10, 100, 300 and 1,000, or the last."""
    wanted = [next((kept for kept in rounds if kept >= at), rounds[-1]) for at in (1, 10, 100, 300)]
    return round in (*wanted, rounds[-1])


def weights(figures: Mapping[str, Any]) -> str:
    """Return the weights of the model for all."""
    rows = [
        [row["feature"], f"{row['weight']:+.2f}", f"{row['share']:+.2f}", f"{row['steadiness']:.2f}"]
        for row in figures["weights"]
        if abs(row["share"]) >= 0.1
    ]
    left = len(figures["weights"]) - len(rows)
    return (
        f"{table(['feature', 'weight', 'share', 'steadiness'], rows)}\n\n{left} more have a share below 0.1."
    )


def people(figures: Mapping[str, Any]) -> str:
    """Return the regret of each person under four orders, and what their own model says."""
    head = ["person", "text match", "one model for all", "shared start", "own model", "own model in words"]
    rows = [
        [
            row["person"],
            *(f"{row[key]:.2f}" for key in ("text match", "one for all", "start", "own")),
            row["wants"],
        ]
        for row in figures["people"]
    ]
    return table(head, rows)


def first_places(figures: Mapping[str, Any]) -> str:
    """Return the learning curve."""
    rows = [
        [f"{row['from']:,} to {row['to']:,}", f"{row['first']:.2f}", f"{row['ndcg']:.2f}"]
        for row in figures["first place"]
        if row["to"] - row["from"] >= 15
    ]
    return table(["searches", "first place clicked", "NDCG@10"], rows)


def variants(figures: Mapping[str, Any]) -> str:
    """Return who won in each variant of the week."""
    head = ["interleaved", "learned from", "seed", "share", "95 % interval", "own regret", "start's regret"]
    rows = [
        [
            "every search" if row["every"] == 1 else f"one search in {row['every']}",
            "yes" if row["learn"] else "no",
            f"{row['seed']}",
            f"{row['share']:.3f}",
            f"{row['low']:.3f} to {row['high']:.3f}",
            f"{row['own']:.2f}",
            f"{row['start']:.2f}",
        ]
        for row in figures["variants"]
    ]
    return table(head, rows)


def size(figures: Mapping[str, Any]) -> str:
    """Return how large the example is."""
    return (
        f"{figures['documents']} documents, {figures['queries']} queries, {len(figures['people'])} people, "
        f"{figures['days']} days, {figures['searches']:,} searches."
    )


PARTS: Parts = {
    "size": size,
    "who wins": who_wins,
    "regret": regret,
    "weights": weights,
    "people": people,
    "first places": first_places,
    "variants": variants,
}
"""What can stand between two marks."""
