"""The former name of `penchant.worth.worth_model`."""

from penchant.moved import moved_to

__getattr__ = moved_to(__name__, "penchant.worth.worth_model")
