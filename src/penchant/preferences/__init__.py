"""`Preferences`: comparisons, rankings, choices, grades and clicks, as the data type that every model takes.

`PairCounts` are comparisons that were only counted, where there are more of them than memory holds.
"""

from penchant.preferences.columns import OUTCOMES
from penchant.preferences.items import BAR, Items
from penchant.preferences.pair_counts import PairCounter, PairCounts
from penchant.preferences.preferences import Preferences
from penchant.preferences.rows import Comparisons

__all__ = [
    "BAR",
    "OUTCOMES",
    "Comparisons",
    "Items",
    "PairCounter",
    "PairCounts",
    "Preferences",
]
