"""What the rankers are fitted with: losses over pairs, their minimisers, boosting and classifiers."""
