"""Whether a study has enough answers: how good its ranking is expected to be, and about how many answers are left.

It is looked at when there is one answer an item, and again each time the answers have grown by a twentieth: the result
depends on the answers alone, and costs little on the whole.
"""

from __future__ import annotations

GROWTH = 0.05
MOST_ITEMS = 500
"""Studies of more items are not judged: working all answers out together would take too long for a page."""


def last_look(n_items: int, n_answers: int) -> int:
    """Return how many answers there were at the last look; 0 before the first.

    Examples
    --------
    >>> last_look(40, 39), last_look(40, 41), last_look(40, 43)
    (0, 40, 42)
    """
    if n_answers < n_items:
        return 0
    look = n_items
    while (later := max(look + 1, int(look * (1 + GROWTH)))) <= n_answers:
        look = later
    return look
