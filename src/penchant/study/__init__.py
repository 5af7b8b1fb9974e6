"""Interactive studies: ask, tell, undo and rank as a fold of an event log."""

from penchant.study.answers import Answer, Question
from penchant.study.item_files import read_items, read_links
from penchant.study.items import Item
from penchant.study.study import Study
from penchant.study.tokens import Token, Tokens

__all__ = ["Answer", "Item", "Question", "Study", "Token", "Tokens", "read_items", "read_links"]
