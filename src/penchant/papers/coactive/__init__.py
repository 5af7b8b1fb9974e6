"""Papers 1 and 2, Shivaswamy and Joachims: the preference perceptron, its variants and baselines.

Each experiment takes the name of a set of `penchant.papers.coactive.sets.SETS`, unless it has no sets, and the options
of `penchant.papers.run.Run`.
"""
