"""Hold BLAS to one thread while Penchant computes: the one rule for threads, used by every numerical package.

There are two reasons. Results must not depend on the number of threads, and several threads add up in another order.
And the matrices here are small: of 100 to 500 rows. Two threads on two idle cores halve the time of a product from
about 150 rows on, and gain nothing in a Cholesky factor below 500; where another process needs one of the cores, the
threads wait for one another, and a factor of 200 rows takes 250 ms instead of 0.2 ms.

Work in parallel belongs in processes, each with one thread.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from threading import Lock, local
from types import TracebackType
from typing import Any


class _Held:
    """How many blocks hold libraries to one thread at the moment, and the numbers of threads to restore."""

    times = 0
    lowered: Sequence[tuple[Any, int]] = ()


class _HeldByThread(_Held, local):
    """The same for each Python thread on its own."""


class _OneThread:
    """A counted guard: the first to enter lowers the number of threads, the last to leave restores it.

    The number is a setting of the whole process, or of the calling thread where BLAS builds on OpenMP. Without the
    count, two Python threads that enter and leave in turns would restore what the other has set, and leave the process
    at one thread.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        if hasattr(os, "register_at_fork"):  # a child must not inherit a lock that nobody will release
            os.register_at_fork(
                before=self._lock.acquire,
                after_in_parent=self._lock.release,
                after_in_child=self._lock.release,
            )

    def __enter__(self) -> None:
        all_held = _held()
        with self._lock:
            for held, libraries in all_held:
                if not held.times:
                    threads = [(library, library.get_num_threads() or 1) for library in libraries]
                    held.lowered = [(library, number) for library, number in threads if number > 1]
                    for library, _ in held.lowered:
                        _set(library, 1)
                held.times += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            for held, _ in _held():
                held.times -= 1
                for library, number in held.lowered if not held.times else ():
                    _set(library, number)


def _set(library: Any, number: int) -> None:
    """Set the number of threads, whichever Python thread set it last; threadpoolctl 3.8 lets only that one."""
    take_over = getattr(library, "clear_controlling_thread", None)
    if take_over is not None:
        take_over(force=True)
    library.set_num_threads(number)
    if take_over is not None:
        take_over(force=True)


SHORT_VECTOR = 10_000
"""Up to this length OpenBLAS multiplies two vectors on one thread."""
_ONE_THREAD, _NOTHING = _OneThread(), nullcontext()


def one_thread(longest: int | None = None) -> AbstractContextManager[None]:
    """Hold BLAS to one thread inside a ``with`` block; blocks may be nested and be entered by several threads.

    Entering costs some microseconds, and less than one inside of another block. Since the number of threads belongs to
    the process, other Python threads have one BLAS thread too for as long.

    Parameters
    ----------
    longest : int, optional
        The length of the longest vector, where vectors are all that is multiplied. BLAS uses one thread of itself for
        one of at most 10,000 numbers, and then nothing is done here.

    Examples
    --------
    >>> import numpy as np
    >>> with one_thread():
    ...     np.ones((2, 2)) @ np.ones((2, 2))
    array([[2., 2.],
           [2., 2.]])
    """
    return _ONE_THREAD if longest is None or longest > SHORT_VECTOR else _NOTHING


@cache
def _held() -> list[tuple[_Held, list[Any]]]:
    """Return the controllers of NumPy's and SciPy's BLAS: those with threads of the process, and of each thread.

    They are looked up once, which takes milliseconds.
    """
    import scipy.linalg.blas  # noqa: F401  brings a library of its own, found only once it is loaded
    from threadpoolctl import ThreadpoolController

    found = ThreadpoolController().select(user_api="blas").lib_controllers
    on_openmp = [library for library in found if getattr(library, "threading_layer", "") == "openmp"]
    others = [library for library in found if library not in on_openmp]
    return [
        (held, libraries)
        for held, libraries in ((_Held(), others), (_HeldByThread(), on_openmp))
        if libraries
    ]
