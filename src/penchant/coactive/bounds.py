"""The former name of `penchant.coactive.analysis.bounds`."""

from penchant.moved import moved_to

__getattr__ = moved_to(__name__, "penchant.coactive.analysis.bounds")
