"""The five texts, experiment by experiment. A seed in, the figures that a paper reports out."""
