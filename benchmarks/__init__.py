"""How fast, and beside whom: one file a question, one harness, results as a table and a picture."""
