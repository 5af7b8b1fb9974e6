"""Rank aggregation: one order out of the orders of many voters."""

from penchant.consensus.consensus import METHODS, Consensus, consensus

__all__ = ["METHODS", "Consensus", "consensus"]
