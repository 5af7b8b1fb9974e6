"""Step two: a linked process from everything that was said. Preferences, features and links in; a LinkedGP out."""

from __future__ import annotations

from typing import Any

from penchant.gp.linked.linked_gp import LinkedGP
from penchant.preferences import Preferences
from penchant.preferences.rows import Comparisons

_LEAST_TIE = 0.05


def learned_from(
    said: Preferences, *, features: Any = None, links: Any = None, model: LinkedGP | None = None
) -> LinkedGP:
    """Return a process that learned all answers together.

    Parameters
    ----------
    said : Preferences
    features, links
        What is known of the items, in their order, as `LinkedGP.fit` takes it.
    model : LinkedGP, optional
        One whose settings stay as they are. None: two items count as equal as often as they are said to be, and the
        evidence chooses the prior, but not narrower than the noise of an answer: from few answers that contradict
        one another it would follow that all items are equal, and any order right.

    Examples
    --------
    >>> model = learned_from(Preferences.from_pairs([("tea", "water"), ("tea", "milk"), ("milk", "tea")]))
    >>> model.rank().items
    ('tea', 'milk', 'water')
    """
    told = said.comparisons()
    own = LinkedGP(threshold=_threshold(told)) if model is None else model

    def taught() -> LinkedGP:
        own.fit(features, links, n_items=said.n_items, items=said.items)
        return own.update(told.better, told.worse, weight=told.weight, tie=told.tie)

    taught()
    if model is not None or not len(told):
        return own.refresh()
    own.tune()
    return taught().refresh() if _widened(own) else own


def _threshold(told: Comparisons) -> float:
    from scipy.special import ndtri

    if not told.tie.any():
        return 0.0
    share = float((told.weight * told.tie).sum() / told.weight.sum())
    return max(float(ndtri((1 + share) / 2)), _LEAST_TIE)


def _widened(model: LinkedGP) -> bool:
    """Widen a prior that is narrower than the noise of an answer, and say whether it was."""
    if model.knowledge_.features is None and model.knowledge_.links is not None:
        variance = model.iota**2 / model.beta  # of an item without links, the most that any has
        if variance < 1:
            model.set_params(beta=model.beta * variance)
        return variance < 1
    narrow = model.scale < 1
    if narrow:
        model.set_params(scale=1.0)
    return narrow
