"""Compile functions with Numba, with a cache on disk where that is possible.

Only the ``_kernels`` modules import this, and those are imported when a large array first needs them, so
that starting up stays instant. A compiled function calls only compiled functions of its own file, since
Numba's cache does not notice changes in other files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, cast

import numba

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def compiled(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Compile ``function`` on its first call and keep the machine code on disk where that is possible.

    Other Python threads run while it does: two threads must not give it the same array to write to.
    Where neither the installed package nor the user's cache folder can be written, the function is
    compiled again in each process.
    """
    return _compiled(function)


def reassociated(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Compile ``function`` as `compiled` does, its sums in any order, so that several entries are added at once."""
    return _compiled(function, fastmath={"reassoc", "contract"})


def compiled_together(
    names: Mapping[str, Any], functions: Mapping[Callable[..., Any], bool]
) -> dict[str, Callable[..., Any]]:
    """Compile the functions of one file, which stay plain Python for other callers, and return the compiled ones.

    Parameters
    ----------
    names : mapping
        The ``globals()`` of the file; among the compiled functions, a name stands for the compiled function.
    functions : mapping
        Whether each may add up its sums in any order, as in `reassociated`.
    """
    together = dict(names)
    for function, in_any_order in functions.items():
        copied = FunctionType(function.__code__, together, function.__name__)
        together[function.__name__] = reassociated(copied) if in_any_order else compiled(copied)
    return together


def _compiled(function: Callable[Arguments, Result], **settings: Any) -> Callable[Arguments, Result]:
    try:
        fast = numba.njit(cache=True, nogil=True, **settings)(function)
    except RuntimeError:  # Numba found no place that it may write to
        fast = numba.njit(nogil=True, **settings)(function)
    return cast("Callable[Arguments, Result]", fast)
