"""Models of the worth of items, from comparisons, rankings and choices."""

from penchant.worth.board_fits import rank_by, rank_over
from penchant.worth.boards import Boards
from penchant.worth.bradley_terry import BradleyTerry
from penchant.worth.crowd import CrowdBradleyTerry
from penchant.worth.effects import Effects
from penchant.worth.glicko import Glicko
from penchant.worth.judges import Judges
from penchant.worth.plackett_luce import PlackettLuce
from penchant.worth.thurstone import Thurstone
from penchant.worth.win_rate import WinRate

__all__ = [
    "Boards",
    "BradleyTerry",
    "CrowdBradleyTerry",
    "Effects",
    "Glicko",
    "Judges",
    "PlackettLuce",
    "Thurstone",
    "WinRate",
    "rank_by",
    "rank_over",
]
