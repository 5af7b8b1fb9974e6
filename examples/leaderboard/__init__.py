"""A leaderboard of eight models: judges compare their answers over HTTP, and the owner watches the judges."""
