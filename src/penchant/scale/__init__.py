"""Fit the same models on a Dask cluster (extra ``penchant[dask]``), where data outgrow one machine.

Rows stay with the workers, and sums over them come to the client. Dask's transport between its processes uses pickle,
so that only clusters that are trusted may be used.
"""

from penchant.scale.fitting import fit
from penchant.scale.predicting import evaluate, predict
from penchant.scale.users import learn_users

__all__ = ["evaluate", "fit", "learn_users", "predict"]
