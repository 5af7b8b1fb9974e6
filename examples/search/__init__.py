"""A small search engine that learns from clicks: documents, simulated people, a week, and what came of it."""
