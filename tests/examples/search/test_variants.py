"""Other ways to play the week."""

from __future__ import annotations

from examples.search.variants import compare


def test_each_variant_is_played_with_each_seed() -> None:
    """Interleaving every search has more rounds than one in three."""
    rows = compare([(3, False), (1, True)], [1], days=1, searches=9)
    counts = [row["wins"] + row["losses"] + row["ties"] for row in rows]
    assert counts == [3, 9]
    assert [row["every"] for row in rows] == [3, 1]
