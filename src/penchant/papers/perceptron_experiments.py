"""The former name of `penchant.papers.coactive.perceptron`."""

from penchant.moved import moved_to

__getattr__ = moved_to(__name__, "penchant.papers.coactive.perceptron")
