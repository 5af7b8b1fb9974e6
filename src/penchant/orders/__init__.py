"""Orders and ranks: conversions, distances, orders from pairwise preferences, interleaving.

An *order* lists item indices, best first; *ranks* give each item its place, 1 is best.
"""

from penchant.orders.cohen import agreement, cohen_order, component_order, optimal_order
from penchant.orders.distances import (
    PairCounts,
    discounted_error,
    kendall_distance,
    pair_counts,
    position_error,
    spearman_footrule,
)
from penchant.orders.ranks import order_from_ranks, order_from_scores, prepend, ranks_from_order, team_draft

__all__ = [
    "PairCounts",
    "agreement",
    "cohen_order",
    "component_order",
    "discounted_error",
    "kendall_distance",
    "optimal_order",
    "order_from_ranks",
    "order_from_scores",
    "pair_counts",
    "position_error",
    "prepend",
    "ranks_from_order",
    "spearman_footrule",
    "team_draft",
]
