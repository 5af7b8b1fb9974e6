"""Likelihoods, solvers and posteriors of the models of worth."""
