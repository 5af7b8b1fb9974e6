"""Two published data sets of ordered categories: the wine of R's ordinal package and the housing of MASS."""

from __future__ import annotations

from itertools import product

import pandas as pd

# Randall (1989): the bitterness that nine judges (rows) found in eight bottles.
_RATINGS = """23344455 12132354 23325544 32323253 23433333 32322454 11222323 22233334 12323244"""
# Madsen (1976): Sat varies fastest, then Infl, Type and Cont.
_FREQUENCIES = """
21 21 28 34 22 36 10 11 36 61 23 17 43 35 40 26 18 54 13 9 10 8 8 12 6 7 9 18 6 7 15 13 13 7 5 11
14 19 37 17 23 40 3 5 23 78 46 43 48 45 86 15 25 62 20 23 20 10 22 24 7 10 21 57 23 13 31 21 13 5 6 13
"""


def wine() -> pd.DataFrame:
    """72 ratings, 1 to 5, with the temperature and the contact between juice and skins."""
    rows = [
        {"judge": judge + 1, "rating": int(rating), "temp": temp, "contact": contact}
        for judge, ratings in enumerate(_RATINGS.split())
        for rating, (temp, contact, _) in zip(
            ratings, product(("cold", "warm"), ("no", "yes"), range(2)), strict=True
        )
    ]
    return pd.DataFrame(rows)


def housing() -> pd.DataFrame:
    """1,681 people in 72 cells: satisfaction, influence, type of flat and contact with others."""
    levels = {
        "Cont": ["Low", "High"],
        "Type": ["Tower", "Apartment", "Atrium", "Terrace"],
        "Infl": ["Low", "Medium", "High"],
        "Sat": ["Low", "Medium", "High"],
    }
    frame = pd.DataFrame(list(product(*levels.values())), columns=list(levels))
    for name, order in levels.items():
        frame[name] = pd.Categorical(frame[name], categories=order, ordered=True)
    return frame.assign(Freq=[int(number) for number in _FREQUENCIES.split()])


def dummies(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Each level but the first as a column of 0 and 1, which is how R codes factors."""
    return pd.get_dummies(frame[columns], columns=columns, prefix_sep="", drop_first=True, dtype=float)
