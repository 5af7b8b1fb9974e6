"""Rank correlations of two weak orders."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from penchant.checks import Floats, vector
from penchant.errors import InvalidInput
from penchant.orders import pair_counts


def kendall_tau(x: ArrayLike, y: ArrayLike) -> float:
    """Compute Kendall's rank correlation τ_b, which leaves tied pairs out of both lengths.

    τ_b = (C − D) / √((C + D + T_x)(C + D + T_y)), with C concordant and D discordant pairs and T_x, T_y
    those tied in x only and in y only. O(n log n). It does not exist where all of x or all of y are equal.

    Parameters
    ----------
    x, y : array-like of shape (n,)
        Ranks or scores of the same n ≥ 2 items; give both as ranks or both as scores.

    Returns
    -------
    float
        From −1 (one order is the reverse of the other) to 1 (they are the same).

    See Also
    --------
    tau_x : counts a tie that both orders share as agreement.

    Examples
    --------
    >>> kendall_tau([1, 2, 3, 4], [1, 2, 4, 3])
    0.6666666666666666
    """
    x, y = _same_items("x", x, "y", y)
    counts = pair_counts(x, y)
    decided = counts.concordant + counts.discordant
    untied_in_x, untied_in_y = decided + counts.tied_y, decided + counts.tied_x
    if not untied_in_x or not untied_in_y:
        raise InvalidInput(
            f"{'y' if untied_in_x else 'x'} must have two different values, got all equal: "
            "use tau_x, which is defined for ties"
        )
    return (counts.concordant - counts.discordant) / math.sqrt(untied_in_x * untied_in_y)


def tau_x(true_ranks: ArrayLike, predicted_ranks: ArrayLike) -> float:
    """Compute the rank correlation τ_x of two weak orders, in which a tie is a statement of its own.

    τ_x = Σ a_ij b_ij / (n(n − 1)), with a_ij = 1 where the first order has i ahead of j or tied with it, −1
    where behind, 0 for i = j, and b_ij likewise for the second order (Emond and Mason, 2002). A pair tied in
    both orders agrees; a pair tied in one only counts 0. Without ties it is Kendall's τ. O(n log n).

    Parameters
    ----------
    true_ranks, predicted_ranks : array-like of shape (n,)
        Ranks of the same n ≥ 2 items, 1 is best; tied items have the same rank.

    Returns
    -------
    float
        From −1 to 1.

    Examples
    --------
    >>> tau_x([1, 1, 2], [1, 1, 2])
    1.0
    >>> tau_x([1, 1, 1], [1, 2, 3])
    0.0
    """
    x, y = _same_items("true_ranks", true_ranks, "predicted_ranks", predicted_ranks)
    counts = pair_counts(x, y)
    agreeing = counts.concordant + counts.tied_both
    return (agreeing - counts.discordant) / (len(x) * (len(x) - 1) // 2)


def _same_items(x_name: str, x: ArrayLike, y_name: str, y: ArrayLike) -> tuple[Floats, Floats]:
    checked = vector(x_name, x)
    if len(checked) < 2:
        raise InvalidInput(
            f"{x_name} must have at least 2 entries, got {len(checked)}: give two items or more"
        )
    return checked, vector(y_name, y, length=len(checked))
