"""Paper 1, Shivaswamy and Joachims: online learning with preference feedback; players and sets are those of paper 2."""
