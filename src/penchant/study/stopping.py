"""Whether a study has enough answers: how good its ranking is expected to be, and about how many answers are left.

It is looked at when there is one answer an item, and again each time the answers have grown by a twentieth: the result
depends on the answers alone, and costs little on the whole.
"""

from __future__ import annotations

import numpy as np

from penchant.ask import Settled, settled
from penchant.preferences import Preferences
from penchant.study.models import PairedModel, noise_of
from penchant.study.without_bar import DrawnWithoutBar
from penchant.worth.paired import LEARNED

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


def settled_by(model: PairedModel, answers: Preferences, n_items: int, top: int | None) -> Settled:
    """Return how good the order of ``model``, fitted to ``answers``, is expected to be.

    A model whose prior is given may be surer than it should be: one that learns its prior judges its order.
    """
    judging = model
    if model.prior != LEARNED:
        judging = type(model)(LEARNED, errors=model.errors).fit(answers[:0]).update(answers)
    order = np.argsort(-model.mean[:n_items], kind="stable")
    return settled(DrawnWithoutBar(judging, n_items), top=top, noise=noise_of(model), order=order)
