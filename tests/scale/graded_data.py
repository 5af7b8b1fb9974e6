"""Graded rows for the tests of rankers on a cluster."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd


def graded(n_queries=40, rows=12, n_features=6, seed=0, decimals=6):
    """Return X, grades from 0 to 3, queries and weights."""
    random = np.random.default_rng(seed)
    n = n_queries * rows
    X = random.normal(size=(n, n_features)).round(decimals)
    worth = X @ np.linspace(1, -1, n_features) + random.normal(size=n)
    grades = np.digitize(worth, [-1.0, 0.5, 1.5]).astype(float)
    return X, grades, np.repeat(np.arange(n_queries), rows), random.integers(1, 4, n).astype(float)


def many(seed):
    """Return 15,000 rows of 40 features, 4.8 MB as doubles, whose queries no other seed has."""
    X, grades, qid, _ = graded(600, 25, 40, seed=seed)
    return X, grades, qid + 1000 * seed


def client_peak(work):
    """Return what ``work`` returns, and the most memory that Python held meanwhile in this process, in MB."""
    tracemalloc.start()
    try:
        result = work()
        return result, tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def table(X, grades, qid, weight=None):
    """Return the rows as a table."""
    found = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    columns = {"grade": grades, "qid": qid} | ({} if weight is None else {"w": weight})
    return found.assign(**columns)


def letor(X, grades, qid):
    """Return the rows as LETOR text; features of 0 are left out."""
    lines = []
    for row, grade, query in zip(X, grades, qid, strict=True):
        cells = " ".join(f"{k}:{value!r}" for k, value in enumerate(row.tolist(), 1) if value)
        lines.append(f"{grade:g} qid:{query} {cells}\n")
    return "".join(lines)
