"""Papers 1 and 2, Shivaswamy and Joachims: the preference perceptron, its variants and baselines."""
