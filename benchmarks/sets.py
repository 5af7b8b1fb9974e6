"""Real data for the questions that need it: the name of a set in, its rows out, or the words why there are none.

Sets lie outside the repository, each as ``NAME/NAME.tar.xz`` in the folder that ``PENCHANT_DATA`` names.
Everything here is plain NumPy, but for the reader of LETOR's files, which is scikit-learn's.
"""

from __future__ import annotations

import os
import tarfile
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from benchmarks.case import Cannot
from benchmarks.peers import ROOT
from benchmarks.queries import Documents

DATA = Path(os.environ.get("PENCHANT_DATA", ROOT.parent / "shared" / "data"))
WIDTHS = {"letor4-mq2008": 46, "letor2-ohsumed": 25, "mslr-sample": 136}
MISSING = -(2.0**31)  # as one of the ordinal sets writes it


def opened(name: str, member: str) -> BytesIO:
    """Return a file of a set."""
    archive = DATA / name / f"{name}.tar.xz"
    if not archive.exists():
        raise Cannot(
            f"skipped: data set {name} is not in {DATA}: set PENCHANT_DATA to the folder that holds it"
        )
    with tarfile.open(archive) as files:
        found = files.extractfile(f"{name}/{member}")
        assert found is not None
        return BytesIO(found.read())


def letor(name: str, *members: str) -> Documents:
    """Return the documents of some parts of a set of queries, queries numbered as they come."""
    import numpy as np

    X, grades, qid = (
        np.concatenate(column) for column in zip(*(part(name, m) for m in members), strict=True)
    )
    return Documents(X, grades.astype(np.int64), np.cumsum(np.r_[0, np.diff(qid) != 0]))


@cache
def part(name: str, member: str) -> tuple[Any, Any, Any]:
    """Return the features, the grades and the queries of one part."""
    from sklearn.datasets import load_svmlight_file

    X, grades, qid = load_svmlight_file(
        opened(name, member), n_features=WIDTHS[name], query_id=True, zero_based=False
    )
    return X.toarray(), grades, qid


def table(name: str, member: str) -> Any:
    """Return the numbers of a CSV file below its first line; what is missing is the median of its column."""
    import numpy as np

    rows = np.loadtxt(opened(name, member), delimiter=",", quotechar='"', skiprows=1)
    known = np.where(rows == MISSING, np.nan, rows)
    return np.where(np.isnan(known), np.nanmedian(known, axis=0), known)


def fold(n: int, number: int, folds: int = 5) -> tuple[Any, Any]:
    """Return the rows to learn from and the rows to judge by in one of the folds of ``n`` rows."""
    import numpy as np

    belongs = np.random.default_rng(0).permutation(n) % folds
    return np.flatnonzero(belongs != number % folds), np.flatnonzero(belongs == number % folds)


def scaler(X: Any) -> Any:
    """Return a function that gives features the mean 0 and the deviation 1 that they have in ``X``."""
    middle, width = X.mean(axis=0), X.std(axis=0)
    width[width == 0] = 1
    return lambda other: (other - middle) / width
