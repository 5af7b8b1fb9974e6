"""Priors over features and links, and the posterior that `LinkedGP` computes from them."""
