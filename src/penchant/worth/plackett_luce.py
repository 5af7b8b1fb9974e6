"""The Plackett–Luce model of rankings and choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, Self
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, Ints, check_number, one_of
from penchant.errors import InvalidInput, PenchantWarning
from penchant.preferences import Items, Preferences
from penchant.preferences.statements import Statements
from penchant.schema import Array, Instance, Number, OneOf, TupleOf, Whole, require
from penchant.threads import one_thread
from penchant.worth.inference.davidson_luce import Choices
from penchant.worth.inference.pairs import NO_TOTALS, PairTotals
from penchant.worth.inference.posterior import DENSE_ITEMS, Posterior, dense_posterior, sampled_posterior
from penchant.worth.inference.separation import caveats_of, centred, has_maximum, real_items
from penchant.worth.inference.stage_mode import most_likely, with_prior
from penchant.worth.inference.stages import Stages
from penchant.worth.inference.weak_orders import chains, distinct, has_levels
from penchant.worth.paired import SMALL_PRIOR, check_pairs
from penchant.worth.worth_model import PosteriorWorth

_DENSE_CELLS = 200_000_000
_MOST_TIED = 2_000
UNORDERED: Final = "unordered"
DAVIDSON_LUCE: Final = "davidson-luce"


def _check_orders(state: Mapping[str, Any]) -> None:
    orders = state["orders_"]
    require(orders.catalogue == state["catalogue_"], "orders_ must be about the items of catalogue_")
    ranked = has_levels(orders.statements) | orders.statements.tied
    require(ranked.all(), "orders_ must put some item before another in each row")
    if state.get("ties") == DAVIDSON_LUCE:
        require(
            len(state["tie_sizes_"]) == len(state["tie_prevalence_"]), "tie_prevalence_ must be one a size"
        )
    require(not state["totals_"][2].any(), "totals_ must hold no ties")


class PlackettLuce(PosteriorWorth):
    """The worth of items from full or partial rankings, from choices of one out of several, or from pairs.

    A ranking is a sequence of choices: the best of all, the best of the rest, and so on; of those that are
    there, an item with score s is chosen with a probability in proportion to exp(s) (Luce 1959, Plackett
    1975). A choice of one of k is the first of these stages alone, a pair is Bradley–Terry's comparison. A
    ranking is one observation with as many stages, so that its intervals have their stated coverage where those of
    its pairs, taken as independent, are too narrow.

    Items on one level of a ranking: the last level is the rest from which nothing was chosen, so that its members
    are merely below all others. Members of a higher level were preferred to all below in an order that
    is not known; this takes Efron's approximation, in which each of them is on average half removed when another
    is chosen. Plackett–Luce has no model of ties: items that were called equal are treated in the same
    way, as not ranked among themselves, which draws them together unless they are on the last level. Rows that only
    call items equal are left out with a warning; `BradleyTerry` has a model of ties.

    With ``ties="davidson-luce"`` a tie is an outcome of its own, as in R's PlackettLuce (Turner and others 2020): at
    each stage a set of d items that tie is chosen with a probability in proportion to δ_d times the geometric mean of
    their exp(s). The δ are learned with the scores; sizes of ties that were never seen have none. For pairs it is
    Davidson's (1970) model.

    Parameters
    ----------
    prior : float
        The precision of a normal prior around 0 on each score: 0.1 says that scores are mostly between −6 and
        6, and counts as much as 0.4 comparisons of equals. 0 is maximum likelihood, with scores that sum to 0;
        it exists only where a chain of preferences leads from each item to each other one, and elsewhere 0.001
        is used and a warning names the groups.
    ties : {"unordered", "davidson-luce"}, default "unordered"
        How items that a row calls equal are read. The second takes rankings and comparisons of at most 2,000 items,
        not choices or grades, in which items on one level are merely not ranked.

    Attributes
    ----------
    scores_ : array of shape (n_items,)
        A difference of 1 is odds of e to one.
    pairs_ : int array of shape (2, n_pairs)
        The different pairs of items that a row compared, lower index first.
    totals_ : array of shape (3, n_pairs)
        With which weight the first was preferred, and the second; the rest is 0.
    orders_ : Preferences
        Each different row about more than two items, once, with its summed weight; with "davidson-luce" every row.
    tie_sizes_ : tuple of int
        With "davidson-luce": how many items tied, of the ties that were seen.
    tie_prevalence_ : tuple of float
        Their δ, in the same order.
    prior_ : float
        The precision that was used.

    Examples
    --------
    >>> from penchant import Preferences
    >>> orders = [["tea", "coffee", "water"], ["coffee", "tea"], ["tea", "water", "coffee"], ["coffee", "water"]]
    >>> model = PlackettLuce().fit(Preferences.from_rankings(orders))
    >>> model.rank().items
    ('tea', 'coffee', 'water')
    >>> round(model.choice_probability("tea", ["tea", "coffee", "water"]), 2)
    0.61
    """

    __saved__: ClassVar = PosteriorWorth.__saved__.extended(
        {"prior": Number(0)},
        {
            "pairs_": Array((2, "n_pairs"), "int32", below="n_items"),
            "totals_": Array((3, "n_pairs"), least=0),
            "orders_": Instance(Preferences),
            "prior_": Number(0),
        },
        {
            "ties": OneOf((UNORDERED, DAVIDSON_LUCE)),
            "tie_sizes_": TupleOf(Whole(2)),
            "tie_prevalence_": TupleOf(Number(0)),
        },
        rules=(check_pairs, _check_orders),
    )

    pairs_: NDArray[np.int32]
    totals_: Floats
    orders_: Preferences
    prior_: float
    tie_sizes_: tuple[int, ...]
    tie_prevalence_: tuple[float, ...]

    def __init__(
        self, prior: float = 0.1, *, ties: Literal["unordered", "davidson-luce"] = UNORDERED
    ) -> None:
        self.prior = prior
        self.ties = ties

    def choice_probability(self, chosen: Any, offered: Sequence[Any]) -> float:
        """Return the probability that ``chosen`` is preferred to all others that are ``offered``.

        Parameters
        ----------
        chosen : id
        offered : sequence of ids
            Must hold ``chosen``.
        """
        options = self._fitted()._different("offered", offered)
        index = self.catalogue_.index(chosen)
        if index not in options:
            raise InvalidInput(f"offered must hold the chosen {chosen!r}, got {list(offered)}: add it")
        scores = self.scores_[options]
        return float(np.exp(self.scores_[index] - scores.max()) / np.exp(scores - scores.max()).sum())

    def order_probability(self, order: Sequence[Any]) -> float:
        """Return the probability that the items of ``order`` are ranked just so, best first."""
        scores = self.scores_[self._fitted()._different("order", order)]
        below = np.logaddexp.accumulate(scores[::-1])[::-1]
        return float(np.exp((scores - below).sum()))

    def _different(self, name: str, items: Sequence[Any]) -> Ints:
        indices = self.catalogue_.encode(list(items))
        if len(np.unique(indices)) < max(len(indices), 1):
            raise InvalidInput(f"{name} must be different items, got {list(items)}: name each item once")
        return indices

    def _start(self, n_items: int) -> None:
        check_number("prior", self.prior, least=0, remedy="0.1 is weak, 0 is maximum likelihood")
        one_of("ties", self.ties, (UNORDERED, DAVIDSON_LUCE))
        self.pairs_, self.totals_ = NO_TOTALS.pairs, NO_TOTALS.weight
        self.orders_ = _strict_pairs([], [], [], self.catalogue_)

    def _rearrange(self, moved: Ints, n_items: int) -> None:
        self.pairs_ = PairTotals(self.pairs_, self.totals_).renumbered(moved).pairs

    def _learn(self, preferences: Preferences) -> None:
        if self.ties == DAVIDSON_LUCE:
            self._learn_with_ties(preferences)
            return
        _warn_of_ties(preferences)
        plain = preferences.without("judge", "better_on_left", "period", "source")
        ranks, sizes = has_levels(plain.statements), plain.statements.sizes
        totals = PairTotals(self.pairs_, self.totals_).plus(plain[ranks & (sizes == 2)])
        self.pairs_, self.totals_ = totals.pairs, totals.weight
        self.orders_ = distinct(self.orders_.on(self.catalogue_) + plain[ranks & (sizes > 2)])
        exists = self.prior > 0 or has_maximum(self._relations(), preferences.n_items)
        self.prior_ = float(self.prior) if exists else SMALL_PRIOR
        with one_thread():
            scores = most_likely(Stages(self._rows()), self.prior_)
        self.scores_ = centred(scores, self._relations(), self.catalogue_)
        vars(self).pop("_posterior", None)

    def _learn_with_ties(self, preferences: Preferences) -> None:
        _check_ties(preferences)
        plain = preferences.without("judge", "better_on_left", "period", "source")
        self.orders_ = distinct(self.orders_.on(self.catalogue_) + plain, tied=True)
        exists = self.prior > 0 or has_maximum(self._relations(), preferences.n_items)
        self.prior_ = float(self.prior) if exists else SMALL_PRIOR
        choices = Choices.of(self.orders_)
        with one_thread():
            found = choices.maximum(self.prior_)
        self.scores_ = centred(found[: choices.n_items], self._relations(), self.catalogue_)
        self.tie_sizes_ = choices.sizes[1:]
        self.tie_prevalence_ = tuple(np.exp(found[choices.n_items :]).tolist())
        vars(self).pop("_posterior", None)

    def _rows(self) -> Preferences:
        """Return each different row once, with its weight."""
        (first, second), (won, lost, _) = self.pairs_, self.totals_
        forth, back = won > 0, lost > 0
        better = np.concatenate([first[forth], second[back]])
        worse = np.concatenate([second[forth], first[back]])
        weight = np.concatenate([won[forth], lost[back]])
        return _strict_pairs(better, worse, weight, self.catalogue_) + self.orders_

    def _relations(self) -> PairTotals:
        """Return pairs that connect the items that the rows connect."""
        return PairTotals(self.pairs_, self.totals_).plus(
            chains(self.orders_, tied=self.ties == DAVIDSON_LUCE)
        )

    def caveats(self) -> tuple[str, ...]:
        """Return the caveats: groups never compared, or the prior that replaced a missing maximum likelihood."""
        return caveats_of(self._relations(), self._fitted().catalogue_.ids, self.prior, self.prior_)

    def _make_posterior(self) -> Posterior:
        if self.ties == DAVIDSON_LUCE:
            at = np.append(self.scores_, np.log(self.tie_prevalence_))
            return dense_posterior(
                Choices.of(self.orders_).precision_of_scores(at, self.prior_),
                prior=self.prior_,
                centre=self._relations().centre(self.catalogue_),
                real=real_items(self.catalogue_),
            )
        stages = Stages(self._rows())
        curve = stages.at(self.scores_)
        centre = self._relations().centre(self.catalogue_)
        if stages.n_items <= DENSE_ITEMS and stages.n_cells <= _DENSE_CELLS:
            hessian = curve.matrix() + self.prior_ * np.eye(stages.n_items)
            real = real_items(self.catalogue_)
            return dense_posterior(hessian, prior=self.prior_, centre=centre, real=real)

        def noise(rng: np.random.Generator) -> Floats:
            pull: Floats = np.sqrt(self.prior_) * rng.standard_normal(stages.n_items)
            return curve.noise(rng) + pull

        product, diagonal = with_prior(curve, self.prior_)
        return sampled_posterior(product, diagonal, noise, stages.n_items, centre=centre)

    def _outcome_probability(self, first: Ints, second: Ints) -> Floats:
        if self.ties != DAVIDSON_LUCE or 2 not in self.tie_sizes_:
            return super()._outcome_probability(first, second)
        delta = self.tie_prevalence_[self.tie_sizes_.index(2)]
        half = (self.scores_[first] - self.scores_[second]) / 2
        log_odds = np.stack([half, np.full_like(half, np.log(delta)), -half], axis=-1)
        worth = np.exp(log_odds - log_odds.max(axis=-1, keepdims=True))
        outcome: Floats = worth / worth.sum(axis=-1, keepdims=True)
        return outcome

    def __save_state__(self) -> dict[str, object]:
        state = super().__save_state__()
        if self.ties == UNORDERED:  # files are then as those of earlier versions, which have no such setting
            del state["ties"]
        return state

    @classmethod
    def __load_state__(cls, state: Mapping[str, Any]) -> Self:
        return super().__load_state__({"ties": UNORDERED, **state})

    def _win_probability(self, first: Ints, second: Ints) -> Any:
        from scipy.special import expit

        probability: Floats = expit(self.scores_[first] - self.scores_[second])
        return probability


def _strict_pairs(better: ArrayLike, worse: ArrayLike, weight: ArrayLike, catalogue: Items) -> Preferences:
    first, second = np.asarray(better, dtype=np.int64), np.asarray(worse, dtype=np.int64)
    statements = Statements.of_pairs(first, second, np.zeros(len(first), dtype=bool))
    return Preferences(statements, catalogue, weight=np.asarray(weight, dtype=np.float64))


def _check_ties(preferences: Preferences) -> None:
    """Reject rows whose items on one level are merely not ranked, and more items than a dense matrix is made of."""
    if not preferences.statements.standardised()[0].tied.all():
        raise InvalidInput.of(
            "preferences",
            "be rankings, whose equal items are ties, for ties='davidson-luce'",
            "choices or grades, whose items on one level are not ranked",
            "leave ties='unordered'",
        )
    if preferences.n_items > _MOST_TIED:
        raise InvalidInput.of(
            "preferences",
            f"be about at most {_MOST_TIED:,} items for ties='davidson-luce'",
            f"{preferences.n_items:,}",
            "leave ties='unordered'",
        )


def _warn_of_ties(preferences: Preferences) -> None:
    statements = preferences.statements
    only_ties = int((statements.tied & (statements.sizes > 1) & ~has_levels(statements)).sum())
    if only_ties:
        warn(
            f"PlackettLuce has no model of ties: {only_ties:,} of {len(statements):,} rows say only that items "
            "are equal and are left out; use BradleyTerry to learn from them",
            PenchantWarning,
            stacklevel=5,
        )
