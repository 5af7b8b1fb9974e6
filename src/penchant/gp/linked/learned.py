"""A linked process from everything that was said. Preferences, features and links in; a LinkedGP out."""

from __future__ import annotations

from typing import Any

from penchant.gp.linked.posterior import Progress
from penchant.gp.linked_gp import LinkedGP
from penchant.preferences import Preferences
from penchant.preferences.rows import Comparisons

_LEAST_TIE = 0.05
_MOST_TIES = 0.99
"""Where everything was tied, the threshold stays finite."""


def learned_from(
    said: Preferences,
    *,
    features: Any = None,
    links: Any = None,
    model: LinkedGP | None = None,
    progress: Progress | None = None,
) -> LinkedGP:
    """Return a process that learned all answers together.

    What cannot be learned is rejected before anything is computed.

    Parameters
    ----------
    said : Preferences
    features, links
        What is known of the items, in their order, as `LinkedGP.fit` takes it.
    model : LinkedGP, optional
        One whose settings stay as they are. None: two items count as equal as often as they are said to be, and
        `LinkedGP.tune` learns the prior.
    progress : callable, optional
        As `LinkedGP.tune` takes it.

    Examples
    --------
    >>> model = learned_from(Preferences.from_pairs([("tea", "water"), ("tea", "milk"), ("milk", "tea")]))
    >>> model.rank().items
    ('tea', 'milk', 'water')
    """
    told = said.comparisons()
    own = LinkedGP(threshold=_threshold(told)) if model is None else model
    return own._fit_all(
        {"features": features, "links": links, "n_items": said.n_items, "items": said.items},
        {"better": told.better, "worse": told.worse, "weight": told.weight, "tie": told.tie},
        tune=model is None and len(told) > 0,
        progress=progress,
    )


def _threshold(told: Comparisons) -> float:
    from scipy.special import ndtri

    if not told.tie.any():
        return 0.0
    share = min(float((told.weight * told.tie).sum() / told.weight.sum()), _MOST_TIES)
    return max(float(ndtri((1 + share) / 2)), _LEAST_TIE)
