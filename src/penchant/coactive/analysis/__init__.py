"""The theory of coactive learning: regret, convex losses, upper bounds and the lower bound."""
