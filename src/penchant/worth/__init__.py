"""Step two: the worth of items without features."""

from penchant.worth.win_rate import WinRate

__all__ = ["WinRate"]
