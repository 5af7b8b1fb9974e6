"""Interactive studies: ask, tell, undo and rank as a fold of an event log."""

from penchant.study.answers import Answer, Question, Turn
from penchant.study.compare import CompareStudy
from penchant.study.item_files import read_items, read_links
from penchant.study.items import Item
from penchant.study.predictions import Predictions
from penchant.study.race import Race
from penchant.study.study import Study
from penchant.study.tokens import Token, Tokens
from penchant.study.why import Why
from penchant.study_reports import Check, Checks

__all__ = [
    "Answer",
    "Check",
    "Checks",
    "CompareStudy",
    "Item",
    "Predictions",
    "Question",
    "Race",
    "Study",
    "Token",
    "Tokens",
    "Turn",
    "Why",
    "read_items",
    "read_links",
]
