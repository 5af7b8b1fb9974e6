"""Step two: the Bradley–Terry model. Preferences in; log odds of preference, with Davidson's ties, out."""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats
from penchant.worth.newton import Link, Slopes
from penchant.worth.pair_graph import PairGraph
from penchant.worth.paired import PairedWorth

_LARGEST_EXPONENT = 300.0


class _LogisticLink(Link):
    """P(first) : P(second) : P(tie) = e^{d/2} : e^{−d/2} : ν, with log ν as the tie parameter (Davidson 1970)."""

    tie_floor = -np.inf
    logit = 1.0

    def first_tie(self, share: float) -> float:
        return float(np.log(2 * share / (1 - share)))

    def slopes(self, graph: PairGraph, scores: Floats, weight: Floats, tie: float | None) -> Slopes:
        middle = (scores.max() + scores.min()) / 2
        if tie is not None or scores.max() - middle > _LARGEST_EXPONENT:
            return super().slopes(graph, scores, weight, tie)
        # One exponential an item rather than one a pair.
        strength = np.exp(scores - middle)
        slope, bend = np.empty((2, len(graph)))
        for part in graph.parts():
            won, lost = weight[:2, part]
            first, second = strength.take(graph.first[part]), strength.take(graph.second[part])
            total = first + second
            first /= total
            second /= total
            expected = won + lost
            expected *= first
            np.subtract(won, expected, out=slope[part])
            np.multiply(expected, second, out=bend[part])
        return Slopes(slope, bend)

    def decided(self, difference: Floats, weight: Floats) -> Slopes:
        won, lost, _ = weight
        first, _, second = np.moveaxis(self.outcomes(difference, None), -1, 0)
        return Slopes(won * second - lost * first, (won + lost) * first * second)

    def tied(self, difference: Floats, weight: Floats, tie: float) -> Slopes:
        won, lost, equal = weight
        answers = won + lost + equal
        first, both, second = np.moveaxis(self.outcomes(difference, tie), -1, 0)
        lead = first - second
        return Slopes(
            (won - lost - answers * lead) / 2,
            answers * (both * (first + second) + 4 * first * second) / 4,
            equal - answers * both,
            -answers * lead * both / 2,
            answers * both * (first + second),
        )

    def outcomes(self, difference: Floats, tie: float | None) -> Floats:
        half = np.exp(-np.abs(difference) / 2)
        likely, unlikely = np.ones_like(half), half**2
        first = np.where(difference < 0, unlikely, likely)
        second = np.where(difference < 0, likely, unlikely)
        both = np.zeros_like(half) if tie is None else np.exp(tie) * half
        told: Floats = np.stack([first, both, second], axis=-1)
        told /= told.sum(axis=-1, keepdims=True)
        return told


class BradleyTerry(PairedWorth):
    """The odds that a is preferred to b are e^{score of a − score of b} (Bradley and Terry 1952).

    Ties, where there are any, follow Davidson (1970): a is preferred, b is preferred and the two are equal in
    the proportion e^{d/2} : e^{−d/2} : ν, where d is the difference of the scores and ν is learned as well.

    Parameters
    ----------
    prior : float
        Precision of a normal prior with mean 0 on each score; 0.1 is a standard deviation of 3.2, so that a
        preference of 99 to 1 is nothing special. It keeps items finite that always win or always lose. 0 is
        maximum likelihood; where there is none, 0.001 is used and a warning names the groups.
    errors : {"auto", "model", "row", "source", "judge"}
        What intervals rest on. "model" takes all comparisons to be independent, which overstates the certainty
        when rankings are broken into pairs. The others allow comparisons to go together that come from one
        row (a ranking), one page of results or one judge, by sandwich errors; rows concerned are then kept,
        also after `update`. "auto" is "source" if the preferences have sources, else "row" if some row implies
        more than one comparison, else "model"; ``errors_`` says which.
    feature_prior : float
        Precision of a normal prior on each coefficient, used where `fit` is given features.

    Attributes
    ----------
    scores_ : array of shape (n_items,)
        Log odds; they sum to 0.
    tie_ : float or None
        log ν: two equal items tie with probability ν / (2 + ν). None if nothing was tied.
    prior_ : float
        The precision that was used.
    coef_ : array of shape (n_features,)
        What each feature is worth, where `fit` was given features.

    Examples
    --------
    >>> from penchant import Preferences
    >>> pairs = [("tea", "water")] * 6 + [("water", "tea")] * 2 + [("tea", "coffee")] * 3 + [("coffee", "water")] * 3
    >>> model = BradleyTerry().fit(Preferences.from_pairs(pairs))
    >>> model.rank().items
    ('tea', 'coffee', 'water')
    >>> round(model.win_probability("tea", "water"), 2)
    0.85
    """

    _link = _LogisticLink()
