"""How far a computation is: what long steps report to whoever shows it."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Is called with what is being done, how many steps of it are done, and how many there are at most."""
