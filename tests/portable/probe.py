"""Report the arithmetic of this process as JSON: ``python -m tests.portable.probe``.

It multiplies and factors a matrix first, so that a processor which lacks an instruction ends the process here.
"""

from __future__ import annotations

import json

import numpy as np
import scipy.linalg
from numba.core.registry import cpu_target
from threadpoolctl import threadpool_info


def arithmetic() -> dict[str, object]:
    """Return what BLAS, NumPy and Numba compute with in this process."""
    matrix = np.arange(90_000, dtype=float).reshape(300, 300)
    scipy.linalg.cholesky(matrix @ matrix.T + 1e9 * np.eye(300))
    libraries = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return {
        "blas": sorted({str(library.get("architecture")) for library in libraries}),
        "openblas": all(library["internal_api"] == "openblas" for library in libraries),
        "threads": sorted({library["num_threads"] for library in libraries}),
        "numba": cpu_target.target_context.codegen().magic_tuple()[1],
        "numpy": np.show_config(mode="dicts")["SIMD Extensions"].get("found", []),
    }


if __name__ == "__main__":
    print(json.dumps(arithmetic()))
