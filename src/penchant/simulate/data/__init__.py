"""Data that simulations are made of: ratings, their factors and synthetic web search."""
