"""Models of the worth of items, from comparisons, rankings and choices."""

from penchant.worth.board_fits import rank_by, rank_over
from penchant.worth.boards import Boards
from penchant.worth.bootstrap import bootstrap
from penchant.worth.bradley_terry import BradleyTerry
from penchant.worth.crowd import CrowdBradleyTerry
from penchant.worth.effects import Effects
from penchant.worth.elo import Elo
from penchant.worth.glicko import Glicko
from penchant.worth.glicko2 import Glicko2
from penchant.worth.judges import Judges
from penchant.worth.plackett_luce import PlackettLuce
from penchant.worth.thurstone import Thurstone
from penchant.worth.win_rate import WinRate

__all__ = [
    "Boards",
    "BradleyTerry",
    "CrowdBradleyTerry",
    "Effects",
    "Elo",
    "Glicko",
    "Glicko2",
    "Judges",
    "PlackettLuce",
    "Thurstone",
    "WinRate",
    "bootstrap",
    "rank_by",
    "rank_over",
]
