"""Bradley–Terry with a reliability and a bias for each judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self
from warnings import warn

import numpy as np

from penchant.checks import Floats, Ints, check_number
from penchant.counts import Counts, as_counts
from penchant.errors import InvalidInput, PenchantWarning
from penchant.preferences import Preferences
from penchant.preferences.rows import Comparisons
from penchant.progress import part
from penchant.schema import Array, Either, Maybe, Number, OneOf, Texts, counts, require
from penchant.threads import one_thread
from penchant.worth.inference.arrowhead import Arrowhead
from penchant.worth.inference.crowd_likelihood import (
    Crowd,
    Point,
    add_comparisons,
    minimise,
    sides,
)
from penchant.worth.inference.judge_agreement import agreement_with_people
from penchant.worth.inference.judge_posterior import JudgeMoments, judge_moments, mixed
from penchant.worth.inference.judge_spread import learn_spread, spread_points
from penchant.worth.inference.pairs import PairTotals
from penchant.worth.inference.posterior import Posterior, dense_posterior
from penchant.worth.inference.separation import caveats_of, centred, real_items
from penchant.worth.judges import Judges
from penchant.worth.paired import SMALL_PRIOR
from penchant.worth.worth_model import PosteriorWorth

LEARNED = "learned"
_MOST_ITEMS = 10_000
_STEEP = 1e-6
_DRAWS = (
    (2000, 8),
    (20_000, 4),
    (float("inf"), 2),
)  # up to so many cells, so many draws of worth for `judges`
_SPREAD_CELLS = 10_000
_CONTRADICTION = (
    "judges contradict one another so evenly that it cannot be told which of them are right: "
    "scores are where both readings balance, and their intervals are wide; more answers decide it"
)


def _check_cells(state: Mapping[str, Any]) -> None:
    """Reject saved cells with unknown judges, items or sides, or that are not sorted."""
    judge, low, high, side = state["cells_"]
    n_judges, n_items = len(state["judges_"]), state["catalogue_"].count
    _check_item_count(n_items)
    require(((judge >= -1) & (judge < n_judges)).all(), "cells_ must name judges of judges_")
    require(
        ((low >= 0) & (low < high) & (high < n_items)).all(), "cells_ must name two items, the lower first"
    )
    require((np.abs(side) <= 1).all(), "cells_ must have the sides 1, 0 and -1")
    order = np.lexsort(state["cells_"][::-1])
    require((order == np.arange(len(judge))).all(), "cells_ must be sorted")
    same = (np.diff(state["cells_"]) == 0).all(axis=0)
    require(not same.any(), "cells_ must be different")
    tied = bool(state["counts_"][2].any())
    require(
        (state["tie_"] is not None) == tied, "tie_ must be there where something was tied, and only there"
    )
    fixed = (("reliability_sd", "reliability_", 1.0), ("bias_sd", "bias_", 0.0))
    for name, learned, value in fixed:
        given = state[name] != LEARNED
        require(given or f"{name}_" in state, f"{name}_ must be there where {name} is learned")
        require(
            not given or state[name] > 0 or (state[learned] == value).all(),
            f"{learned} must be {value:g} where {name} is 0",
        )


_SPREAD = Either((OneOf((LEARNED,)), Number(0)))


class CrowdBradleyTerry(PosteriorWorth):
    """Bradley and Terry's worth from judges of whom some are careless, contrary or lean to one side.

    Judge k prefers item i to item j with log odds r_k (s_i − s_j) + b_k where i stood on the left, and − b_k
    where it stood on the right. The reliability r_k is 1 for the average judge, 0 for one who answers at
    random and below 0 for one who answers upside down; the bias b_k is the log odds with which the judge
    takes the left one of two equal items. All are learned together, as the most probable values (Chen et
    al. 2013 learn a probability of being right instead; here a judge's slips are rarer the further apart the
    items are).

    A judge with few answers counts like the average one, since little speaks against it: see
    ``reliability_sd``. The mean of the reliabilities, weighted by answers, is fixed at 1, so that worth is
    in log odds of the average judge, and so is `win_probability`; a judge who is alone is that average.
    Answers without a judge are taken to be by one of average reliability and without bias, those without
    sides to be unmoved by them; with no judges at all this is `BradleyTerry`. Ties are Davidson's, as there.

    The uncertainty of worth is that of the normal approximation at the most probable values, and includes
    that judges are not known exactly. Comparisons that come from one ranking are counted as independent.
    Reliabilities and biases are drawn towards the average, so that extreme ones are understated. How strongly is
    learned: where judges have few answers each, or hardly differ, they count almost alike, since what looks
    careless is then mostly chance.

    Parameters
    ----------
    prior : float
        How surely all items are equal before the first answer: worth is normal with mean 0 and variance
        1/prior. Above 0; with 0.1 a preference of 99 to 1 is nothing special. It leaves log ν alone.
    reliability_sd : float or "learned"
        How much judges are thought to differ: reliability is normal with mean 1 and this standard
        deviation. 0 takes all to be equally reliable; "learned" finds it from the answers.
    bias_sd : float or "learned"
        How far judges are thought to lean: biases are normal with mean 0 and this standard deviation. At
        0.5, one judge in six takes the left one of two equal items more than 62 % of the time. 0 is no bias;
        "learned" finds it from the answers, and 0.5 where no answer says who stood on the left.

    Attributes
    ----------
    scores_ : array of shape (n_items,)
        The worth of each item, in log odds of the average judge.
    judges_ : tuple of str
        Those who answered, sorted.
    reliability_, bias_ : arrays of shape (n_judges,)
        Of each judge; `judges` says how sure they are.
    reliability_sd_, bias_sd_ : float
        The standard deviations that were used, given or learned.
    judge_answers_ : int array of shape (n_judges,)
        How many comparisons each judge made, weights counting repetitions; floats where a weight is not whole.
    tie_ : float or None
        log ν: two equal items tie with probability ν / (2 + ν) for a judge without bias. None if nothing was
        tied; where everything was, a prior of precision 0.001 around 0 keeps it finite.
    cells_ : int array of shape (4, n_cells)
        The judge (-1: unnamed), the two items, lower index first, and the side of the first (1 left, -1
        right, 0 unknown) of everything that was ever asked, each once and sorted.
    cell_counts_ : array of shape (3, n_cells)
        The weight with which the first was preferred, the second, and neither.

    References
    ----------
    Chen, Bennett, Collins-Thompson and Horvitz, "Pairwise ranking aggregation in a crowdsourced setting",
    WSDM 2013. Davidson, "On extending the Bradley–Terry model to accommodate ties", JASA 65, 1970.

    Examples
    --------
    Three judges answer alike, and the fourth says the contrary.

    >>> from penchant import Preferences
    >>> often = [("tea", "coffee"), ("coffee", "water"), ("tea", "water")] * 4
    >>> agreed = (often + [("water", "coffee")]) * 3
    >>> contrary = [(worse, better) for better, worse in agreed]
    >>> who = [judge for judge in ("ann", "bob", "cyd", "dan") for _ in agreed]
    >>> prefs = Preferences.from_pairs(agreed * 3 + contrary, judge=who)
    >>> model = CrowdBradleyTerry().fit(prefs)
    >>> model.rank().items
    ('tea', 'coffee', 'water')
    >>> model.judges()
    judge  answers   reliability     left bias  left share  agreement  finding
    dan         39  -1.09 ± 0.55  +0.00 ± 0.50        50 %       12 %  upside down
    ann         39   1.70 ± 0.49  +0.00 ± 0.50        50 %       63 %
    bob         39   1.70 ± 0.49  +0.00 ± 0.50        50 %       63 %
    cyd         39   1.70 ± 0.49  +0.00 ± 0.50        50 %       63 %
    """

    __saved__: ClassVar = PosteriorWorth.__saved__.extended(
        {"prior": Number(above=0), "reliability_sd": _SPREAD, "bias_sd": _SPREAD},
        {
            "judges_": Texts("n_judges"),
            "judge_answers_": counts("n_judges"),
            "reliability_": Array(("n_judges",)),
            "bias_": Array(("n_judges",)),
            "tie_": Maybe(Number()),
            "cells_": Array((4, "n_cells"), "int64"),
            "counts_": Array((3, "n_cells"), least=0),
        },
        {
            "reliability_sd_": Number(0),
            "bias_sd_": Number(0),
        },
        rules=(_check_cells,),
    )

    judges_: tuple[str, ...]
    judge_answers_: Counts
    reliability_: Floats
    bias_: Floats
    tie_: float | None
    cells_: Ints
    cell_counts_: Floats
    _names_in_files: ClassVar = {**PosteriorWorth._names_in_files, "cell_counts_": "counts_"}

    reliability_sd_: float
    bias_sd_: float

    def __init__(
        self, prior: float = 0.1, *, reliability_sd: float | str = LEARNED, bias_sd: float | str = LEARNED
    ) -> None:
        self.prior = prior
        self.reliability_sd = reliability_sd
        self.bias_sd = bias_sd

    # -- learning ------------------------------------------------------------------------------------------

    def _start(self, n_items: int) -> None:
        self._check_settings()
        _check_item_count(n_items)
        self.judges_ = ()
        self.judge_answers_ = np.zeros(0, dtype=np.int64)
        self.cells_ = np.zeros((4, 0), dtype=np.int64)
        self.cell_counts_ = np.zeros((3, 0))

    def _check_settings(self) -> None:
        check_number("prior", self.prior, above=0, remedy="0.001 is weak")
        for name in ("reliability_sd", "bias_sd"):
            if getattr(self, name) != LEARNED:
                remedy = "0 says that all judges are alike, 'learned' finds it"
                check_number(name, getattr(self, name), least=0, remedy=remedy)

    def _rearrange(self, moved: Ints, n_items: int) -> None:
        _check_item_count(n_items)
        judge, low, high, side = self.cells_
        self.cells_ = np.stack([judge, moved[low], moved[high], side])

    def _learn(self, preferences: Preferences) -> None:
        for block in preferences.pair_blocks():
            self._count(block, preferences.judges)
        named = self.cells_[0] >= 0
        totals = np.bincount(self.cells_[0, named], self.cell_counts_.sum(axis=0)[named], len(self.judges_))
        self.judge_answers_ = as_counts(totals.astype(np.float64))
        for outdated in ("_derivatives", "_posterior"):
            vars(self).pop(outdated, None)
        with one_thread():
            with part(0, 2):
                self._learn_spread()
            crowd = self._crowd()
            with part(1, 2):
                point, gradient = minimise(crowd)
        self.scores_ = centred(point.common[: crowd.n_items], self._totals(), self.catalogue_)
        self.reliability_ = crowd.reliability(point)[:-1]
        self.bias_ = crowd.bias(point)[:-1]
        self.tie_ = crowd.log_tie(point) if crowd.tied > 0 else None
        if gradient > _STEEP * (1 + _STEEP * crowd.weight.sum()):
            warn(
                f"the fit of {self!r} stopped where the log posterior still has gradient {gradient:.1e}: "
                "scores are not exact; give a smaller reliability_sd",
                PenchantWarning,
                stacklevel=5,
            )

    def _learn_spread(self) -> None:
        """Set the standard deviations of reliabilities and biases, those that were given or else learned."""
        given = [None if value == LEARNED else float(value) for value in (self.reliability_sd, self.bias_sd)]
        self.reliability_sd_, self.bias_sd_ = (0.0 if value is None else value for value in given)
        if None in given:
            found = learn_spread(self._crowd())
            if given[0] is None:
                self.reliability_sd_ = found.reliability_sd
            if given[1] is None:
                self.bias_sd_ = found.bias_sd

    @classmethod
    def __load_state__(cls, state: Mapping[str, Any]) -> Self:
        model = super().__load_state__(state)
        if (
            "scores_" in state and "bias_sd_" not in state
        ):  # a file of an earlier version, where both were given
            model.reliability_sd_, model.bias_sd_ = float(state["reliability_sd"]), float(state["bias_sd"])
        return model

    def _count(self, comparisons: Comparisons, names: tuple[str, ...]) -> None:
        """Add comparisons to the cells, in their order."""
        judge = self._numbered(comparisons.judge, names, len(comparisons))
        self.cells_, self.cell_counts_ = add_comparisons(
            self.cells_, self.cell_counts_, comparisons, judge, self.catalogue_.count
        )

    def _numbered(self, judge: Ints | None, names: tuple[str, ...], n_rows: int) -> Ints:
        """Return the number of each row's judge, after adding new judges in sorted order."""
        if judge is None:
            return np.full(n_rows, -1)
        here = np.bincount(judge[judge >= 0], minlength=len(names))
        new = {name for name, count in zip(names, here, strict=True) if count}
        judges = tuple(sorted({*self.judges_, *new}))
        place = {name: number for number, name in enumerate(judges)}
        moved = np.array([place[name] for name in self.judges_], dtype=np.int64)
        self.cells_ = np.stack([np.append(moved, -1)[self.cells_[0]], *self.cells_[1:]])
        self.judges_ = judges
        numbers: Ints = np.array([*(place.get(name, -1) for name in names), -1], dtype=np.int64)[judge]
        return numbers

    def _crowd(self) -> Crowd:
        judge, low, high, side = self.cells_
        won, lost, tied = self.cell_counts_
        return Crowd(
            judge=judge,
            low=low,
            high=high,
            side=side.astype(np.float64),
            margin=won - lost,
            weight=won + lost + tied,
            tied=float(tied.sum()),
            n_items=self.catalogue_.count,
            n_judges=len(self.judges_),
            prior=self.prior,
            reliability_sd=self.reliability_sd_,
            bias_sd=self.bias_sd_,
            tie_prior=0.0 if won.any() or lost.any() else SMALL_PRIOR,
        )

    def _point(self) -> Point:
        """Return what was learned in the parameters of `Crowd`."""
        common = self.scores_ if self.tie_ is None else np.append(self.scores_, self.tie_)
        judges = np.zeros((2, len(self.judges_)))
        if self.reliability_sd_:
            judges[0] = (self.reliability_ - 1) / self.reliability_sd_
        if self.bias_sd_:
            judges[1] = self.bias_ / self.bias_sd_
        return Point(common, judges)

    # -- caveats -------------------------------------------------------------------------------------------

    def caveats(self) -> tuple[str, ...]:
        """Return the caveats: groups never compared, and judges who contradict one another evenly."""
        contradiction = () if self._curve().is_minimum else (_CONTRADICTION,)
        return (*caveats_of(self._totals(), self.catalogue_.ids, self.prior, self.prior), *contradiction)

    # -- posterior ----------------------------------------------------------------------------------------

    def _curve(self) -> Arrowhead:
        if not hasattr(self._fitted(), "_derivatives"):
            with one_thread():
                self._derivatives = self._crowd().derivatives(self._point())
        return self._derivatives

    def _totals(self) -> PairTotals:
        return PairTotals(self.cells_[1:3].astype(np.int32), self.cell_counts_)

    def _make_posterior(self) -> Posterior:
        information, n = self._curve().information(self.prior), self.catalogue_.count
        if self.tie_ is not None:
            border = information[:n, n]
            information = information[:n, :n] - np.outer(border, border) / information[n, n]
        centre, real = self._totals().centre(self.catalogue_), real_items(self.catalogue_)
        return dense_posterior(information, prior=self.prior, centre=centre, real=real)

    def judges(self, *, level: float = 0.95, programs: Sequence[str] = ()) -> Judges:
        """Return the reliability and bias of each judge with standard errors, least reliable first.

        They are means and standard deviations of the posterior, averaged over how much judges differ in general and
        over the worth of the items, so that errors count how little is known about both. ``reliability_`` and
        ``bias_`` are the most probable values, given the most probable worth.

        In simulations with spreads drawn from their priors, 95 % intervals held 94 to 95 % of the biases with 3 and 10
        answers a judge, and 91 and 94 % of the reliabilities. At a fixed spread they hold more where judges hardly
        differ (all biases, where none leans) and less reliabilities where some judges are of another kind than the
        rest: with a fifth of spammers and three answers each, 75 to 82 %.

        Parameters
        ----------
        level : float
            The confidence level of what is found, for each judge separately.
        programs : sequence of str
            The judges that are programs: agreement is then that with people alone.
        """
        names = self._fitted().judges_
        is_program = np.array([name in set(programs) for name in names], dtype=bool)
        agreement = agreement_with_people(self.cells_, self.cell_counts_, self.catalogue_.count, is_program)
        with one_thread():
            found = self._judge_moments()
        (reliability, bias), error = found.mean, np.sqrt(found.covariance[[0, 2]])
        order = np.argsort(reliability, kind="stable")
        return Judges(
            judges=tuple(self.judges_[k] for k in order),
            answers=self.judge_answers_[order],
            reliability=reliability[order],
            reliability_error=error[0, order],
            bias=bias[order],
            bias_error=error[1, order],
            level=level,
            model=repr(self),
            agreement=agreement.share[order],
            agreement_error=agreement.error[order],
            shared=agreement.weight[order],
            programs=tuple(dict.fromkeys(programs)),
        )

    def _judge_moments(self) -> JudgeMoments:
        """Return the moments of each judge, averaged over draws of worth and over standard deviations."""
        crowd, point = self._crowd(), self._point()
        given = [None if value == LEARNED else float(value) for value in (self.reliability_sd, self.bias_sd)]
        n_draws = next(n for cells, n in _DRAWS if crowd.judge.size <= cells)
        found = []
        for draw in self._curve().common_draws(self.prior, n_draws, seed=0):
            drawn = Point(point.common + draw, point.judges)
            spreads = spread_points(crowd, drawn, given[0], given[1], _SPREAD_CELLS)
            found.append(judge_moments(crowd, drawn, spreads))
        return mixed(found)

    # -- probabilities -------------------------------------------------------------------------------------

    def answer_probability(self, a: Any, b: Any, judge: str, *, a_on_left: bool | None = None) -> Any:
        """Return the probability that ``judge`` prefers ``a`` to ``b``, given that one of them is preferred.

        Parameters
        ----------
        a, b : id, or sequence of ids of shape (m,)
        judge : str
        a_on_left : bool, optional
            Where ``a`` is shown; without it, the judge's bias plays no part.
        """
        first, second = self._fitted()._indices(a), self._indices(b)
        if judge not in self.judges_:
            names = ", ".join(map(repr, self.judges_[:5])) or "nobody"
            raise InvalidInput(
                f"judge {judge!r} must be one of {len(self.judges_)} ({names}): "
                "correct the name, or ask win_probability for an average judge"
            )
        side = 0 if a_on_left is None else 1 if a_on_left else -1
        probability = _chance(self._log_odds(first, second, self.judges_.index(judge), side))
        return probability if np.ndim(probability) else float(probability)

    def score(self, preferences: Preferences, y: None = None) -> float:
        """Return the mean log probability of who was preferred in ``preferences``; ties are left out.

        Each answer is predicted with the reliability and bias of its judge and the sides; a new judge is average.
        """
        comparisons = preferences.comparisons()
        decided = ~comparisons.tie
        if not decided.any():
            raise InvalidInput("score needs at least one comparison that was decided, got none: give some")
        index = self._fitted().catalogue_.encode(preferences.items)
        place = {name: k for k, name in enumerate(self.judges_)}
        judge = np.full(len(comparisons), -1)
        if comparisons.judge is not None:
            judge = np.array([*(place.get(name, -1) for name in preferences.judges), -1])[comparisons.judge]
        odds = self._log_odds(index[comparisons.better], index[comparisons.worse], judge, sides(comparisons))
        return float(-np.average(np.logaddexp(0, -odds[decided]), weights=comparisons.weight[decided]))

    def _log_odds(self, first: Any, second: Any, judge: Any, side: Any) -> Any:
        """Return the log odds with which judges, by number, prefer the first; -1 is an average judge."""
        reliability, bias = np.append(self.reliability_, 1.0), np.append(self.bias_, 0.0)
        return reliability[judge] * (self.scores_[first] - self.scores_[second]) + side * bias[judge]

    def _win_probability(self, first: Ints, second: Ints) -> Any:
        return _chance(self.scores_[first] - self.scores_[second])

    def _outcome_probability(self, first: Ints, second: Ints) -> Floats:
        half = np.asarray(self.scores_[first] - self.scores_[second]) / 2
        tie = np.full_like(half, -np.inf if self.tie_ is None else self.tie_)
        logits = np.stack([half, tie, -half], axis=-1)
        share = np.exp(logits - logits.max(axis=-1, keepdims=True))
        probability: Floats = share / share.sum(axis=-1, keepdims=True)
        return probability


def _chance(odds: Any) -> Any:
    return np.exp(-np.logaddexp(0, -odds))


def _check_item_count(n_items: int) -> None:
    if n_items > _MOST_ITEMS:
        raise InvalidInput(
            f"CrowdBradleyTerry takes at most {_MOST_ITEMS:,} items, whose square it keeps in memory, got "
            f"{n_items:,}: use BradleyTerry, or a part of the items with preferences.among(items)"
        )
