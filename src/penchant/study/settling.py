"""The loop: whether it is enough. The answers that stand in; how sure the order is, and how many are left, out.

It is looked at when there is one answer an item, and again each time the answers have grown by a twentieth: what is
said depends on the answers alone, and costs little on the whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penchant.ask import Settled, settled
from penchant.checks import Floats, Ints
from penchant.preferences import Preferences
from penchant.study.real_items import RealItems

if TYPE_CHECKING:
    from penchant.gp import LinkedGP

GROWTH = 0.05
MOST_ITEMS = 500
"""Of more items nothing is said: working all answers out together would take too long for a page."""
_LEAST_TIE = 0.05
_LEAST_SCALE = 1.0
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
    """Return how sure it is that ``order`` is right, as expectation propagation on all answers believes.

    The scale of the prior is the one that explains the answers best, but at least the noise of an answer: from
    few answers that contradict one another it would follow that all items are equal, and any order right.
    """
    belief = RealItems(_learned(answers), n_items)
    return settled(belief, top=top, noise=_NOISE, order=order)


def _learned(answers: Preferences) -> LinkedGP:
    from scipy.special import ndtri

    from penchant.gp import LinkedGP

    told = next(answers.pair_blocks(len(answers)))
    ties: Floats = told.weight * told.tie
    share = float(ties.sum() / told.weight.sum())
    threshold = max(float(ndtri((1 + share) / 2)), _LEAST_TIE) if told.tie.any() else 0.0
    model = LinkedGP(threshold=threshold).fit(n_items=answers.n_items)
    model.update(told.better, told.worse, weight=told.weight, tie=told.tie).tune()
    if model.scale >= _LEAST_SCALE:
        return model
    model.set_params(scale=_LEAST_SCALE).fit(n_items=answers.n_items)
    return model.update(told.better, told.worse, weight=told.weight, tie=told.tie).refresh()
