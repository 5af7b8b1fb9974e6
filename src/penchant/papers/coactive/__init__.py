"""Paper 2, Shivaswamy and Joachims: coactive learning, the preference perceptron, its variants and baselines."""
