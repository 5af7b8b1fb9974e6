"""The Gaussian process over features and links. What is known of items in, a belief out."""
