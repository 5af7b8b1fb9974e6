"""Fit the same models on a Dask cluster (extra ``penchant[dask]``), where data outgrow one machine.

Comparisons stay with the workers, and their counts come to the client. Dask's transport between
its processes uses pickle, so that only clusters that are trusted may be used.
"""

from penchant.scale.fitting import fit

__all__ = ["fit"]
