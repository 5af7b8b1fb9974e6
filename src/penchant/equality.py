"""Equality of results in which NaN stands for a number that does not exist."""

from __future__ import annotations


class EqualNaN:
    """Compare field by field, NaN being equal to NaN. Inherit it in a dataclass with ``eq=False``.

    The equality that `dataclasses` generates compares NaN by identity up to Python 3.12, so that it depends on how a
    result was made, and from 3.13 on by value, so that a result differs from itself.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, eq=False)
    ... class Mean(EqualNaN):
    ...     value: float
    ...     error: float
    >>> Mean(1.0, float("nan")) == Mean(1.0, float("nan")), Mean(1.0, 0.5) == Mean(1.0, float("nan"))
    (True, False)
    """

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._comparable() == other._comparable()

    def __hash__(self) -> int:
        return hash(self._comparable())

    def _comparable(self) -> tuple[object, ...]:
        """Return the fields, each beside whether it is NaN, which is then left out."""
        return tuple((True, None) if value != value else (False, value) for value in vars(self).values())
