"""Fit the same models on a Dask cluster (extra ``penchant[dask]``), where data outgrow one machine.

Rows stay with the workers, and sums over them come to the client. Dask's transport between its processes uses pickle,
so that only clusters that are trusted may be used.

`map_letor` needs no cluster: it writes graded documents that outgrow memory to a matrix on disk.
"""

from penchant.scale.fitting import fit
from penchant.scale.mapped import MappedRows, map_letor
from penchant.scale.predicting import evaluate, predict
from penchant.scale.users import learn_users

__all__ = ["MappedRows", "evaluate", "fit", "learn_users", "map_letor", "predict"]
