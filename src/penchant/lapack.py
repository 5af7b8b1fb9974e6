"""Cholesky factors and inverses in place, without the interpreter's lock.

SciPy's own wrappers hold the lock while LAPACK works: a factor of 1,000 rows in the background stops all other threads
for some hundredths of a second. The same functions, called by their addresses, do not.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

import numpy as np

from penchant.checks import Floats


def cholesky(matrix: Floats) -> bool:
    """Overwrite the lower half of a symmetric ``matrix``, by columns, with its factor; False where there is none.

    Examples
    --------
    >>> matrix = np.array([[4.0, 0.0], [2.0, 5.0]], order="F")
    >>> cholesky(matrix), matrix.tolist()
    (True, [[2.0, 0.0], [1.0, 2.0]])
    """
    return _run("dpotrf", matrix) == 0


def inverse_of_factor(factor: Floats) -> None:
    """Overwrite the lower half of a Cholesky ``factor``, by columns, with that of the inverse of its matrix.

    Examples
    --------
    >>> factor = np.array([[2.0, 0.0], [1.0, 2.0]], order="F")
    >>> inverse_of_factor(factor)
    >>> factor.tolist()
    [[0.3125, 0.0], [-0.125, 0.25]]
    """
    _run("dpotri", factor)


def log_determinant(factor: Floats) -> float:
    """Return the logarithm of the determinant of the matrix with this Cholesky ``factor``."""
    return 2 * float(np.log(np.diagonal(factor)).sum())


def _run(name: str, matrix: Floats) -> int:
    if not (matrix.flags.f_contiguous and matrix.flags.writeable and matrix.dtype == np.float64):
        raise TypeError("matrix must hold doubles by columns and be writeable")
    rows, info = ctypes.c_int(len(matrix)), ctypes.c_int(0)
    leading = ctypes.c_int(max(1, len(matrix)))
    _function(name)(b"L", ctypes.byref(rows), matrix.ctypes.data, ctypes.byref(leading), ctypes.byref(info))
    return info.value


@cache
def _function(name: str) -> Callable[..., None]:
    """Return a function of SciPy's LAPACK with the arguments uplo, n, a, lda and info; ctypes releases the lock."""
    from scipy.linalg import cython_lapack

    capsule = dict[str, object](cython_lapack.__pyx_capi__)[name]
    named, pointed = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    named.restype, named.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointed.restype, pointed.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    whole = ctypes.POINTER(ctypes.c_int)
    kind = ctypes.CFUNCTYPE(None, ctypes.c_char_p, whole, ctypes.c_void_p, whole, whole)
    function: Callable[..., None] = kind(pointed(capsule, named(capsule)))
    return function
