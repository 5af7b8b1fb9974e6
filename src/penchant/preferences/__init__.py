"""What people said, as the one currency that every model takes."""

from penchant.preferences.columns import OUTCOMES
from penchant.preferences.items import BAR, Items
from penchant.preferences.preferences import Preferences
from penchant.preferences.rows import Comparisons

__all__ = ["BAR", "OUTCOMES", "Comparisons", "Items", "Preferences"]
