"""Beliefs that learn one answer at a time, at a cost that does not grow with the number of answers."""

from penchant.online.dense import OnlineMixture
from penchant.online.sparse import SparseBelief

__all__ = ["OnlineMixture", "SparseBelief"]
