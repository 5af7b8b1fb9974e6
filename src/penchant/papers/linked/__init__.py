"""Paper 5, Xu, Kersting and Joachims: active questions about items with links."""
