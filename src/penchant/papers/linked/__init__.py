"""Paper 5, Xu, Kersting and Joachims: active questions about items with links.

Each experiment takes the name of a set of `penchant.papers.linked.sets.SETS`, unless it has no sets, and the options of
`penchant.papers.run.Run`.
"""
