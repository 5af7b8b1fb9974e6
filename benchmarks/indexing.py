"""Pairs of string ids turned into indices: the door through which all data comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import Answer, Case

QUESTION = "How fast are 5,000,000 pairs of 10,000 string ids indexed, beside pandas.factorize?"


def cases(quick: bool) -> list[Case]:
    """Return three forms in which pairs come, each read by Penchant and by pandas alone."""
    m = 50_000 if quick else 5_000_000
    forms = {"list of tuples": tuples, "NumPy array": array, "pandas frame": frame}
    return [
        case
        for form, make in forms.items()
        for case in (
            Case(what=form, prepare=lambda make=make: penchant(make, m), answer=found),  # type: ignore[misc]
            Case(
                who="pandas.factorize",
                what=form,
                prepare=lambda make=make: pandas(make, m),  # type: ignore[misc]
                answer=distinct,
                cannot="one column of codes, no checks",
            ),
        )
    ]


def indices(m: int) -> Any:
    """Return the pairs as (m, 2) integers below 10,000, no item beside itself."""
    import numpy as np

    random = np.random.default_rng(0)
    better = random.integers(0, 10_000, m)
    return np.column_stack([better, (better + random.integers(1, 10_000, m)) % 10_000])


def names() -> list[str]:
    """Return the 10,000 ids."""
    return [f"item-{number}" for number in range(10_000)]


def array(m: int) -> Any:
    """Return the pairs as a NumPy array of strings."""
    import numpy as np

    return np.array(names())[indices(m)]


def tuples(m: int) -> list[tuple[str, str]]:
    """Return the pairs as Python has them after reading a file."""
    ids = names()
    return [(ids[better], ids[worse]) for better, worse in indices(m).tolist()]


def frame(m: int) -> Any:
    """Return the pairs as two columns of a pandas frame."""
    import numpy as np
    import pandas as pd

    ids = np.array(names(), dtype=object)[indices(m)]
    return pd.DataFrame(ids, columns=["winner", "loser"])


def penchant(make: Callable[[int], Any], m: int) -> Callable[[], object]:
    """Prepare Penchant's row."""
    from penchant import Preferences

    pairs = make(m)
    if make is frame:
        return lambda: Preferences.from_frame(pairs, better="winner", worse="loser")
    return lambda: Preferences.from_pairs(pairs)


def pandas(make: Callable[[int], Any], m: int) -> Callable[[], object]:
    """Prepare the row of pandas: both columns, one above the other, in one call."""
    import numpy as np
    import pandas as pd

    pairs = make(m)
    if make is frame:
        return lambda: pd.factorize(pd.concat([pairs["winner"], pairs["loser"]]))
    if make is array:
        return lambda: pd.factorize(pairs.ravel().astype(object))
    return lambda: pd.factorize(np.array([item for pair in pairs for item in pair], dtype=object))


def found(result: Any) -> Answer:
    """Tell what Penchant indexed."""
    return {"items": result.n_items, "pairs": result.n_pairs}


def distinct(result: Any) -> Answer:
    """Tell what pandas indexed."""
    codes, ids = result
    return {"items": len(ids), "pairs": len(codes) // 2}
