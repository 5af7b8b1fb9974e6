"""How often judges agree with people who were asked about the same pair."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints


class JudgeAgreement(NamedTuple):
    """How often decided answers agree with those of other people about the same pair.

    Attributes
    ----------
    share : array of shape (n_judges,)
        The mean over a judge's answers of the share of other people's answers that are the same; NaN where nobody else
        decided a pair that the judge did.
    weight : array of shape (n_judges,)
        How many of the judge's answers that rests on.
    error : array of shape (n_judges,)
        The standard error, answers about one pair going together; NaN with fewer than two pairs.
    """

    share: Floats
    weight: Floats
    error: Floats


def agreement_with_people(
    cells: Ints, counts: Floats, n_items: int, is_program: NDArray[np.bool_]
) -> JudgeAgreement:
    """Compare each judge with the judges who are no programs, himself left out.

    Parameters
    ----------
    cells : int array of shape (4, n_cells)
        The judge (-1: unnamed), the two items and the side of counted answers.
    counts : array of shape (3, n_cells)
        The weight with which the first was preferred, the second, and neither.
    n_items : int
    is_program : bool array of shape (n_judges,)
    """
    n_judges = len(is_program)
    named = cells[0] >= 0
    judge, low, high = cells[:3, named]
    pairs, pair = np.unique(low * n_items + high, return_inverse=True)
    voices, voice = np.unique(judge * max(len(pairs), 1) + pair, return_inverse=True)
    own = np.stack([np.bincount(voice, side[named], len(voices)) for side in counts[:2]]).astype(np.float64)
    judge, pair = np.divmod(voices, max(len(pairs), 1))
    by_people = own * ~is_program[judge] if len(voices) else own
    people = np.stack([np.bincount(pair, side, len(pairs)) for side in by_people]).astype(np.float64)
    others = people[:, pair] - by_people
    answered, asked = own.sum(axis=0), others.sum(axis=0)
    shared = (asked > 0) & (answered > 0)
    agreed = np.divide((own * others).sum(axis=0), asked, out=np.zeros_like(asked), where=shared)

    def total(values: Floats) -> Floats:
        return np.bincount(judge[shared], values[shared], n_judges).astype(np.float64)

    weight = total(answered)
    share = np.divide(total(agreed), weight, out=np.full(n_judges, np.nan), where=weight > 0)
    residual = (
        total((agreed - answered * np.nan_to_num(share)[judge]) ** 2) if len(voices) else np.zeros(n_judges)
    )
    several = total(np.ones_like(asked)) > 1
    error = np.divide(np.sqrt(residual), weight, out=np.full(n_judges, np.nan), where=several)
    return JudgeAgreement(share, weight, error)
