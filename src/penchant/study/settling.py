"""The loop: whether it is enough. The answers that stand in; how sure the order is, and how many are left, out.

It is looked at when there is one answer an item, and again each time the answers have grown by a twentieth: what is
said depends on the answers alone, and costs little on the whole.
"""

from __future__ import annotations

from penchant.ask import Settled, settled
from penchant.checks import Ints
from penchant.preferences import Preferences
from penchant.study.real_items import RealItems

GROWTH = 0.05
MOST_ITEMS = 500
"""Of more items nothing is said: working all answers out together would take too long for a page."""
_NOISE = 0.5**0.5


def looked_at(n_items: int, n_answers: int) -> int:
    """Return how many answers there were at the last look; 0 before the first.

    Examples
    --------
    >>> looked_at(40, 39), looked_at(40, 41), looked_at(40, 43)
    (0, 40, 42)
    """
    if n_answers < n_items:
        return 0
    look = n_items
    while (later := max(look + 1, int(look * (1 + GROWTH)))) <= n_answers:
        look = later
    return look


def settled_by(answers: Preferences, n_items: int, order: Ints, top: int | None) -> Settled:
    """Return how sure it is that ``order`` is right, as expectation propagation on all answers believes."""
    from penchant.gp.linked.learned import learned_from

    belief = RealItems(learned_from(answers), n_items)
    return settled(belief, top=top, noise=_NOISE, order=order)
