"""Figures in words: numbers in, the short text that a table and a picture show out."""

from __future__ import annotations

UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))


def seconds(value: float) -> str:
    """Return a time in the unit that suits it.

    Examples
    --------
    >>> seconds(0.01234), seconds(2.5), seconds(123.4)
    ('12.3 ms', '2.50 s', '123 s')
    """
    unit, size = unit_for(value)
    return f"{three_digits(value / size)} {unit}"


def between(low: float, high: float) -> str:
    """Return two times with one unit.

    Examples
    --------
    >>> between(0.0098, 0.01234)
    '9.80 – 12.3 ms'
    """
    unit, size = unit_for(high)
    return f"{three_digits(low / size)} – {three_digits(high / size)} {unit}"


def unit_for(value: float) -> tuple[str, float]:
    """Return the largest unit in which a time is at least 1."""
    return next((known for known in UNITS if value >= known[1]), UNITS[-1])


def three_digits(value: float) -> str:
    """Return a number of 0 or more with three digits, or more where they stand before the point."""
    return f"{value:.{max(0, 3 - len(str(int(value))))}f}"


def megabytes(value: float) -> str:
    """Return a size in MB; what is below a tenth is the noise of the system's own pages."""
    return f"{value:,.0f} MB" if value >= 10 else f"{value:.1f} MB"


def times(value: float) -> str:
    """Return a ratio with two digits or more.

    Examples
    --------
    >>> times(0.104), times(1.04), times(188.7)
    ('0.10', '1.0', '189')
    """
    return f"{value:,.{2 if value < 0.995 else 1 if value < 9.95 else 0}f}"


def figure(value: object) -> str:
    """Return a number with at most six digits after commas or the point, and any other value as it is.

    Examples
    --------
    >>> figure(1234567), figure(0.123456789), figure("b d c a")
    ('1,234,567', '0.123457', 'b d c a')
    """
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.0f}" if abs(value) >= 1e5 else f"{value:.6g}"
