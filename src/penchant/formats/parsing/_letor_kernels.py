"""Parse lines of LETOR out of a block of bytes; a line that is in any way unusual is left to the caller."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from penchant.compiled import compiled

N_PLACES = 8
POSITION, LINE, N_ROWS, N_VALUES, HIGHEST, IS_ODD, ODD_END, LONGEST = range(N_PLACES)
"""The places of the state that `parse` goes on from and leaves behind."""
NO_INTEGER = -1
"""The query of a row whose label is no integer of at most 18 digits: it stands in its span."""

_NEWLINE, _RETURN, _HASH, _COLON, _PLUS, _MINUS, _POINT, _ZERO = 10, 13, 35, 58, 43, 45, 46, 48
_EXACT = 2**53  # whole numbers up to here, and powers of ten up to 22, are doubles
_MOST_DIGITS = 19  # that fit 64 bits
_MOST_SORTED = 1000  # features in disorder, as sorting takes time that grows with their square
_LARGEST_POWER = 250  # of ten, far enough from overflow for products and their errors
_POWERS = [Fraction(10) ** power for power in range(-_LARGEST_POWER, _LARGEST_POWER + 1)]
_HIGH = np.array([float(power) for power in _POWERS])
_LOW = np.array([float(power - Fraction(float(power))) for power in _POWERS])
_SPLIT = 134217729.0  # 2²⁷ + 1


@compiled
def _scaled(digits, power):  # type: ignore[no-untyped-def]
    """Return ``digits`` · 10^``power`` rounded to the nearest double, and whether that is certain.

    The product is formed with twice the digits of a double (Dekker 1971): its error is below 2⁻⁹⁸ of it, and the
    rounding is uncertain only where the product is as near as 2⁻⁹⁵ to the middle between two doubles.
    """
    if digits == 0:
        return 0.0, True
    if digits <= _EXACT and -22 <= power <= 22:
        if power < 0:
            return np.float64(digits) / _HIGH[_LARGEST_POWER - power], True
        return np.float64(digits) * _HIGH[_LARGEST_POWER + power], True
    if power < -_LARGEST_POWER or power > _LARGEST_POWER:
        return 0.0, False
    top, bottom = digits >> np.uint64(32), digits & np.uint64(0xFFFFFFFF)
    large, small = np.float64(top) * 4294967296.0, np.float64(bottom)
    first = large + small
    rest = small - (first - large)
    high, low = _HIGH[_LARGEST_POWER + power], _LOW[_LARGEST_POWER + power]
    product = first * high
    a = _SPLIT * first
    a_high = a - (a - first)
    a_low = first - a_high
    b = _SPLIT * high
    b_high = b - (b - high)
    b_low = high - b_high
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    error += first * low + rest * high
    value = product + error
    left = error - (value - product)
    margin = abs(value) * 2.0**-95
    return value, value + (left + margin) == value and value + (left - margin) == value


@compiled
def _is_space(byte):  # type: ignore[no-untyped-def]
    return byte == 32 or 9 <= byte <= 13


@compiled
def _real(data, place, end, longest):  # type: ignore[no-untyped-def]
    """Return the number at ``place``, where it ends, and whether it is one whose value is certain.

    One of more than ``longest`` characters is not.
    """
    start = place
    negative = place < end and data[place] == _MINUS
    if place < end and (data[place] == _MINUS or data[place] == _PLUS):
        place += 1
    digits, n_digits, n_written, power = np.uint64(0), 0, 0, 0
    cut = False
    after_point = False
    while place < end:
        byte = data[place]
        if byte == _POINT and not after_point:
            after_point = True
        elif 48 <= byte <= 57:
            n_written += 1
            if n_digits < _MOST_DIGITS:
                digits = digits * np.uint64(10) + np.uint64(byte - _ZERO)
                if digits > 0:
                    n_digits += 1
                power -= after_point
            else:
                cut = cut or byte != _ZERO
                power += not after_point
        else:
            break
        place += 1
    if n_written == 0:
        return 0.0, place, False
    if place < end and (data[place] == 69 or data[place] == 101):
        place += 1
        down = place < end and data[place] == _MINUS
        if place < end and (data[place] == _MINUS or data[place] == _PLUS):
            place += 1
        first, exponent = place, 0
        while place < end and 48 <= data[place] <= 57:
            exponent = min(exponent * 10 + (data[place] - _ZERO), 10_000)
            place += 1
        if place == first:
            return 0.0, place, False
        power += -exponent if down else exponent
    if place - start > longest:
        return 0.0, place, False
    value, certain = _scaled(digits, power)
    if cut:  # the rest of the digits lies between this number and the next
        above, also = _scaled(digits + np.uint64(1), power)
        certain = certain and also and above == value
    return (-value if negative else value), place, certain


@compiled
def _row(data, start, end, values, columns, state, spans, grades, queries):  # type: ignore[no-untyped-def]
    """Parse one line into the row ``state[N_ROWS]``; return whether it is one that can be parsed here."""
    row, first, longest = state[N_ROWS], state[N_VALUES], state[LONGEST]
    grade, place, fine = _real(data, start, end, longest)
    if not fine or place >= end or not _is_space(data[place]):
        return False
    while place < end and _is_space(data[place]):
        place += 1
    if place + 4 >= end or not (
        data[place] == 113 and data[place + 1] == 105 and data[place + 2] == 100 and data[place + 3] == _COLON
    ):
        return False
    place += 4
    begin, query, is_integer = place, 0, True
    while place < end and not _is_space(data[place]) and data[place] != _HASH:
        if 48 <= data[place] <= 57 and place - begin < 18:
            query = query * 10 + (data[place] - _ZERO)
        else:
            is_integer = False
        place += 1
    if place == begin or place - begin > longest:
        return False
    spans[row, 0], spans[row, 1], spans[row, 2], spans[row, 3] = begin, place, end, end
    count, last, in_order = first, 0, True
    while True:
        gap = place
        while place < end and _is_space(data[place]):
            place += 1
        if place == end:
            break
        if data[place] == _HASH:
            spans[row, 2] = place + 1
            break
        column, digit = 0, place
        while place < end and 48 <= data[place] <= 57:
            column = min(column * 10 + (data[place] - _ZERO), 10**10)
            place += 1
        if gap == digit or place == digit or place >= end or data[place] != _COLON:
            return False
        if place - digit > min(9, longest):
            return False
        value, place, fine = _real(data, place + 1, end, longest)
        if not fine or column == 0:
            return False
        if place < end and data[place] != _HASH and not _is_space(data[place]):
            return False
        in_order = in_order and column > last
        last = max(last, column)
        columns[count], values[count] = column - 1, value
        count += 1
    if not in_order:
        if count - first > _MOST_SORTED:
            return False
        for at in range(first + 1, count):
            column, value, back = columns[at], values[at], at
            while back > first and columns[back - 1] > column:
                columns[back], values[back] = columns[back - 1], values[back - 1]
                back -= 1
            columns[back], values[back] = column, value
        for at in range(first + 1, count):
            if columns[at] == columns[at - 1]:
                return False
    grades[row], queries[row] = grade, query if is_integer else NO_INTEGER
    state[N_ROWS], state[N_VALUES], state[HIGHEST] = row + 1, count, max(state[HIGHEST], last)
    return True


@compiled
def parse(data, stop, values, columns, state, ends, spans, grades, queries):  # type: ignore[no-untyped-def]
    """Parse the lines of ``data`` from ``state[POSITION]`` up to ``stop``, or to the first unusual one.

    Parameters
    ----------
    data : uint8 array
        Whole lines up to ``stop``.
    stop : int
    values, columns : float64 and int32 arrays
        The values of all rows and their features counted from 0, ``state[N_VALUES]`` of them so far.
    state : int64 array
        ``IS_ODD`` says whether it ended at an unusual line, which begins at ``POSITION`` and ends at ``ODD_END``.
        Numbers and labels of queries of more than ``LONGEST`` characters are unusual.
    ends : int64 array
        Of each row of this block: where its values end in ``values``.
    spans : int64 array of shape (n, 4)
        Of each row: where the label of its query begins and ends in ``data``, and its comment.
    grades, queries : float64 and int64 arrays
        Of each row.
    """
    state[IS_ODD] = 0
    while state[POSITION] < stop:
        start = state[POSITION]
        end = start
        while end < stop and data[end] != _NEWLINE and data[end] != _RETURN:
            end += 1
        after = end + 1
        if end + 1 < stop and data[end] == _RETURN and data[end + 1] == _NEWLINE:
            after += 1
        while start < end and _is_space(data[start]):
            start += 1
        if start < end and data[start] != _HASH:
            row = state[N_ROWS]
            if not _row(data, start, end, values, columns, state, spans, grades, queries):
                state[IS_ODD], state[ODD_END] = 1, end
                return
            ends[row] = state[N_VALUES]
        state[POSITION] = after
        state[LINE] += 1
