"""Which tests compute, and are run under every arithmetic; which do not."""

from __future__ import annotations

NUMERICAL = (
    "ask",
    "coactive",
    "consensus",
    "contract",
    "gp",
    "metrics",
    "online",
    "orders",
    "papers",
    "preferences",
    "rankers",
    "saving",
    "simulate",
    "study",
    "test_belief.py",
    "test_delayed.py",
    "test_lapack.py",
    "test_linalg.py",
    "test_mixture.py",
    "test_ranking.py",
    "test_threads.py",
    "worth",
)
"""Folders and files of ``tests`` whose results come from BLAS, NumPy's sums or compiled code."""

OTHER = (
    "architecture",
    "benchmarks",
    "browser",
    "cli",
    "client",
    "docs",
    "examples",
    "formats",
    "plots",
    "portable",
    "reliability",
    "serve",
    "store",
    "test_checks.py",
    "test_compiled.py",
    "test_counts.py",
    "test_equality.py",
    "test_errors.py",
    "test_frames.py",
    "test_model.py",
    "test_moved.py",
    "test_overview.py",
    "test_progress.py",
    "test_registry.py",
    "test_schema.py",
    "test_text.py",
)
"""Those that parse, draw, store or serve, and compute only what the others test."""
