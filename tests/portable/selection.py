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
    "scale",
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

NOT_QUICK = (
    "ask/test_border.py::test_few_questions_find_the_top",
    "contract/test_saved_states.py",
    "contract/test_stores.py",
    "papers/coactive/test_baselines.py",
    "papers/coactive/test_bounds.py",
    "papers/coactive/test_convex.py",
    "papers/coactive/test_exponentiated.py",
    "papers/coactive/test_perceptron.py",
    "papers/online/test_feedback.py",
    "papers/test_catalogue.py",
    "study/test_disagreement.py::test_clean_studies_rarely_give_an_alarm",
    "worth/inference/test_clusters.py::test_few_rankings_are_told_honestly",
    "worth/inference/test_clusters.py::test_very_few_rankings_are_not_told_too_narrowly",
)
"""Files and functions of these that a quick run leaves out.

They are long simulations, to which another arithmetic is what another seed is, and files that are damaged on purpose.
What the simulations play is compared number by number in the rest of ``coactive``, ``papers``, ``simulate`` and
``worth``.
"""

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
    "test_progress_of_files.py",
    "test_registry.py",
    "test_schema.py",
    "test_study_reports.py",
    "test_text.py",
    "website",
)
"""Those that parse, draw, store or serve, and compute only what the others test."""
