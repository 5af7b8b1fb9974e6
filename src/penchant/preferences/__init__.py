"""`Preferences`: comparisons, rankings, choices, grades and clicks, as the data type that every model takes."""

from penchant.preferences.columns import OUTCOMES
from penchant.preferences.items import BAR, Items
from penchant.preferences.preferences import Preferences
from penchant.preferences.rows import Comparisons

__all__ = ["BAR", "OUTCOMES", "Comparisons", "Items", "Preferences"]
