"""A belief over many items with features and links that learns one answer at a time, at a cost that stays constant.

An answer adds a site between two rows. The covariance is P + EEᵀ (see `field_posterior`): the direction in which an
answer moves it takes one sparse solve, and E, the means, the variances and those of the differences of linked and
compared items are updated along it. Nothing is left out as answers grow, and nothing is n × n.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.belief import LEAST_VARIANCE, PROBIT_NOISE, NormalBelief, rows_of
from penchant.checks import Floats
from penchant.counts import Counts, as_counts
from penchant.errors import InvalidInput, UnknownItem
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.attribution import Explanation, complete
from penchant.gp.inference.ep import Sites
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked.basis import grown
from penchant.gp.linked.field_posterior import FieldMoments, FieldSites, moments_of, posterior_sites
from penchant.gp.linked.field_prior import FieldPrior
from penchant.gp.linked.linked_parts import Pairs
from penchant.online.answers import BOTH_BAD, RIGHT, TIE, check_answer, log_chance_before_ties, with_first_tie
from penchant.online.pair_weights import PairSites
from penchant.preferences import BAR, Preferences
from penchant.threads import one_thread

_MOST_FIRST_TIES = 0.5
_REVISITED = 2
"""With each answer so many sites are matched to the posterior again, those that moved most since they were."""
_MOST_DELAYED = 48
"""So many changes of E are gathered before it is written to; a multiple of 4."""
_TOLERANCE = 1e-6
"""Of the solves for an answer, relative to the right side."""
_LEAST_LEFT = 1e-6
_MOST_ROWS = 2000


class Direction(NamedTuple):
    """How an answer about two rows moves the belief: P(e_a − e_b), K_t(e_a − e_b) and Eᵀ(e_a − e_b)."""

    first: int
    second: int
    part: Floats
    along: Floats
    apart: Floats

    @property
    def variance(self) -> float:
        """Of the difference of the two rows."""
        return max(float(self.along[self.first] - self.along[self.second]), LEAST_VARIANCE)


class FieldBelief(NormalBelief):
    """A normal belief over the utilities of many items with features and links; see `penchant.belief.LiveBelief`.

    An answer costs three sparse solves and one pass over E, whatever the number of answers. E is written to after many
    of them: what they change is kept beside it until then.
    Means are those of expectation propagation up to the sites that were not revisited yet. Variances are exact changes
    of values that were estimated when the belief was made, with a standard error of some percent; those of
    differences leave out the covariance of the local parts of two items that are neither linked nor compared, which
    makes them too large, never too small.

    Parameters
    ----------
    items : sequence of str
    prior : FieldPrior
        Of the items and the bar.
    answers : Answers, optional
        Those to start from; the bar has the row behind the items.
    counts : array of shape (n_items,), optional
        The number of these answers that each item took part in.
    threshold : float
        Of ties; 0 where there were none.
    model : str
        What made the belief, for its ranking.
    """

    def __init__(
        self,
        items: Sequence[str],
        prior: FieldPrior,
        answers: Answers | None = None,
        *,
        counts: Counts | None = None,
        threshold: float = 0.0,
        model: str = "LinkedGP",
    ) -> None:
        self._prior, self._threshold, self._model = prior, float(threshold), model
        self.items_ = tuple(items)
        given = Answers.none() if answers is None else answers
        with one_thread():
            sites = posterior_sites(prior, given, self._likelihood)
            moments = moments_of(prior, sites)
        self._tallies = np.zeros(len(self.items_)) if counts is None else counts.astype(np.float64)
        self._whole = counts is None or counts.dtype.kind == "i"
        shared = moments.shared
        around = ((shared - shared[:-1].mean(axis=0)) ** 2).sum(axis=1)
        centred = moments.variance - (shared**2).sum(axis=1) + around
        none = np.zeros((0, shared.shape[0])), np.zeros((0, shared.shape[1]))
        self._begin(sites, moments, centred, np.zeros(len(sites.count)), *none)

    def _begin(
        self,
        sites: FieldSites,
        moments: FieldMoments,
        centred: Floats,
        moved: Floats,
        steps: Floats,
        loads: Floats,
    ) -> None:
        self._n_sites, self._moved = len(sites.count), moved.copy()
        self._ends = np.column_stack([sites.first, sites.second])
        self._tie, self._site_values = (
            sites.tie.copy(),
            np.column_stack([sites.count, sites.tau, sites.nu]),
        )
        keys = zip(*self._ends.T.tolist(), self._tie.tolist(), strict=True)
        self._place = {key: place for place, key in enumerate(keys)}
        self._stored = np.ascontiguousarray(moments.shared)
        self._n_delayed = len(steps)
        self._steps = np.zeros((_MOST_DELAYED, len(self._stored)))
        self._loads = np.zeros((_MOST_DELAYED, self._stored.shape[1]))
        self._steps[: len(steps)], self._loads[: len(loads)] = steps, loads
        self._mean, self._variance = moments.mean.copy(), moments.variance.copy()
        self._centred = centred
        self._n_edges = len(moments.edge_variance)
        self._edge_ends = np.column_stack([moments.edge_first, moments.edge_second])
        self._edge_variance = moments.edge_variance.copy()
        edges = zip(*self._edge_ends.T.tolist(), strict=True)
        self._edge = {pair: place for place, pair in enumerate(edges)}
        self._last: tuple[int, int, list[tuple[int, Direction]]] | None = None

    def _shared(self, rows: Any = slice(None)) -> Floats:
        """Return a copy of the rows of E."""
        delayed = slice(self._n_delayed)
        shared: Floats = self._stored[rows] - self._steps[delayed, rows].T @ self._loads[delayed]
        return shared

    # -- moments -------------------------------------------------------------------------------------------

    @property
    def _likelihood(self) -> Probit:
        return Probit(1.0, self._threshold)

    @property
    def noise_(self) -> float:
        """The sd of the rating noise on each of two compared items, √½: P(a beats b) = Φ(ξ_a − ξ_b)."""
        return PROBIT_NOISE

    @property
    def counts_(self) -> Counts:
        """The number of answers that each item took part in, shape (n_items,); weights count."""
        return as_counts(self._tallies, whole=self._whole)

    @property
    def mean(self) -> Floats:
        """The expected utility of each item, shape (n_items,)."""
        return self._mean[:-1].copy()

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of the utilities of ``rows``; None is all items."""
        variance: Floats = np.maximum(self._variance[rows_of(rows, len(self.items_))], LEAST_VARIANCE)
        return variance

    def chooser_arrays(self) -> tuple[Floats, Floats, None]:
        """Return means and variances without a copy, to be read only; there is no covariance matrix.

        The variances are relative to the mean of all items, which comparisons do not tell anything about.
        """
        return self._mean[:-1], self._centred[:-1], None

    @property
    def n_bytes(self) -> int:
        """About how many bytes a copy takes."""
        return int(self._stored.nbytes + self._steps.nbytes + 100 * (self._n_edges + self._n_sites))

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the utilities of ``rows`` with those of ``columns``; None is all items.

        The smaller of both takes a solve for each item, and may be 2,000 items at most.
        """
        n_items = len(self.items_)
        left, right = rows_of(rows, n_items), rows_of(columns, n_items)
        if len(left) > len(right):
            return np.ascontiguousarray(self.covariance(right, left).T)
        if len(left) > _MOST_ROWS:
            raise InvalidInput.of(
                "rows",
                f"be at most {_MOST_ROWS:,} for a covariance",
                f"{len(left):,}",
                "use variance() or difference_variance()",
            )
        block = np.empty((len(left), len(right)))
        pairs = self._pairs()
        with one_thread():
            for start in range(0, len(left), 64):
                part = left[start : start + 64]
                loads = np.zeros((len(part), self._prior.n_rows))
                loads[np.arange(len(part)), part] = 1.0
                block[start : start + 64] = self._prior.local_times(pairs, loads)[:, right]
            block += self._shared(left) @ self._shared(right).T
        return block

    def rough_covariance(self, rows: ArrayLike) -> Floats:
        """Return about the covariance of the utilities of ``rows``, without a solve, by which questions are chosen.

        Variances, and covariances of pairs that are linked or were compared, are those that `difference_variance` uses;
        of other pairs only the feature parts covary.
        """
        chosen = rows_of(rows, len(self.items_))
        variance = self._variance[chosen]
        with one_thread():
            shared = self._shared(chosen)
            block: Floats = shared @ shared.T
        np.fill_diagonal(block, variance)
        first, second = np.triu_indices(len(chosen), k=1)
        apart = self.difference_variance(chosen[first], chosen[second])
        block[first, second] = block[second, first] = (variance[first] + variance[second] - apart) / 2
        return block

    def difference_variance(self, first: ArrayLike, second: ArrayLike) -> Floats:
        """Return the variance of the difference of each pair of items, shape (m,), without a solve."""
        left, right = np.atleast_1d(np.asarray(first)), np.atleast_1d(np.asarray(second))
        variance = self._variance[left] + self._variance[right]
        with one_thread():
            variance -= 2 * np.einsum("ij,ij->i", self._shared(left), self._shared(right))
        low, high = np.minimum(left, right).tolist(), np.maximum(left, right).tolist()
        edges = [self._edge.get(pair, -1) for pair in zip(low, high, strict=True)]
        place = np.array(edges, dtype=np.int64)
        there = place >= 0
        variance[there] = self._edge_variance[place[there]]
        return np.asarray(np.maximum(variance, LEAST_VARIANCE))

    def sample(self, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw the utilities of the items (of those at ``rows``), shape (n_draws, n).

        The feature parts are drawn jointly, the other parts independently.
        """
        chosen = rows_of(rows, len(self.items_))
        rng = np.random.default_rng(seed)
        with one_thread():
            shared = self._shared(chosen)
            rest = np.maximum(self.variance(chosen) - (shared**2).sum(axis=1), 0.0)
            drawn = rng.standard_normal((n_draws, shared.shape[1])) @ shared.T
        drawn += rng.standard_normal((n_draws, len(chosen))) * np.sqrt(rest)
        return np.asarray(self._mean[chosen] + drawn)

    # -- learning ------------------------------------------------------------------------------------------

    def answer(self, first: int, second: int, outcome: int, weight: float = 1.0) -> float:
        """Learn one answer, and return the log probability that it had before; see `LiveBelief.answer`."""
        bar = len(self.items_)
        check_answer(first, second, outcome, weight, bar)
        untied, answers = self._threshold == 0, float(self._tallies.sum()) / 2
        pairs = [(bar, first), (bar, second)] if outcome == BOTH_BAD else [(first, second)]
        if outcome == RIGHT:
            pairs = [(second, first)]
        with one_thread():
            log = sum(self._learn_pair(*pair, tie=outcome == TIE, weight=weight) for pair in pairs)
        self._tallies[[first, second]] += weight
        self._whole = self._whole and float(weight).is_integer()
        return log_chance_before_ties(outcome, float(log), answers, weight) if untied else float(log)

    def learn(self, preferences: Preferences) -> Self:
        """Learn all comparisons of ``preferences``, in their order; ids are matched to ``items_``."""
        catalogue = preferences.catalogue
        place = {item: row for row, item in enumerate((*self.items_, BAR))}
        unknown = [item for item in catalogue.ids if item not in place]
        if unknown:
            raise UnknownItem(
                f"items must be among the {len(self.items_):,} of the belief, got {unknown[0]!r}: start anew with all"
            )
        rows = np.array([place[item] for item in catalogue.ids], dtype=np.int64)
        comparisons = preferences.comparisons()
        ends = rows[np.column_stack([comparisons.better, comparisons.worse])].tolist()
        with one_thread():
            for (first, second), tie, weight in zip(
                ends, comparisons.tie.tolist(), comparisons.weight.tolist(), strict=True
            ):
                self._learn_pair(first, second, tie=tie, weight=weight)
        counts = preferences.compared()[: catalogue.count - catalogue.bar]
        np.add.at(self._tallies, rows[: len(counts)], counts)
        self._whole = self._whole and counts.dtype.kind == "i"
        return self

    def _learn_pair(self, first: int, second: int, *, tie: bool, weight: float) -> float:
        """Learn that the first row is preferred to the second, or a tie, and revisit other sites."""
        if tie:
            if self._threshold == 0:
                self._begin_ties(weight)
            first, second = min(first, second), max(first, second)
        (_, direction), *others = self._directions(first, second)
        log = self._learn(direction, tie=tie, weight=weight, others=others)
        while others:
            (place, direction), *others = others
            count, tau, nu = self._site_values[place]
            copies = max(count, 1.0)
            self._match(place, direction, count, copies * tau, copies * nu, others)
        return log

    def outcome_probabilities(self, first: int, second: int) -> Floats:
        """Return the probabilities that the first is preferred, that the second is, and of a tie, shape (3,)."""
        with one_thread():
            variance = np.array([self._directions(first, second)[0][1].variance])
        mean = np.array([self._mean[first] - self._mean[second]])
        likelihood, no, one = self._likelihood, np.zeros(1, dtype=bool), np.ones(1)
        left, right = (float(np.exp(likelihood.tilted(d, variance, no, one).log[0])) for d in (mean, -mean))
        chances = np.array([left, right, max(1.0 - left - right, 0.0) if self._threshold else 0.0])
        return chances if self._threshold else with_first_tie(chances, float(self._tallies.sum()) / 2)

    def _begin_ties(self, weight: float) -> None:
        """Choose the threshold at the first tie: equal items tie as often as the answers so far did, ½ at most."""
        answers = float(self._site_values[: self._n_sites, 0].sum())
        self._threshold = Probit(1.0).threshold_for(min(weight / (answers + weight), _MOST_FIRST_TIES))

    def _pairs(self) -> Pairs:
        ends, values = self._ends[: self._n_sites], self._site_values[: self._n_sites]
        return Pairs(
            np.ascontiguousarray(ends[:, 0]),
            np.ascontiguousarray(ends[:, 1]),
            np.maximum(values[:, 0], 1) * values[:, 1],
        )

    def _directions(self, a: int, b: int) -> list[tuple[int, Direction]]:
        """Return the direction of an answer about two rows, with −1, and those of the sites to revisit with it.

        They are kept until the belief moves.
        """
        from penchant.gp.linked import _field_kernels as kernels

        if self._last is not None and self._last[:2] == (a, b):
            return self._last[2]
        places = self._to_revisit(a, b)
        ends = np.concatenate([[[a, b]], self._ends[places]])
        chosen, loads = np.arange(len(ends)), np.zeros((len(ends), self._prior.n_rows))
        loads[chosen, ends[:, 0]], loads[chosen, ends[:, 1]] = 1.0, -1.0
        parts = self._prior.local_times(self._pairs(), loads, _TOLERANCE)
        along = np.empty_like(parts)
        apart = kernels.directions_of(
            parts, self._stored, self._steps, self._loads, self._n_delayed, ends, along
        )
        found = []
        for k, ((first, second), place) in enumerate(zip(ends.tolist(), [-1, *places], strict=True)):
            found.append((place, Direction(first, second, parts[k], along[k], apart[k])))
        self._last = a, b, found
        return found

    def _to_revisit(self, a: int, b: int) -> list[int]:
        """Return the sites of other pairs whose expected difference moved most since they were matched."""
        moved, ends = self._moved[: self._n_sites].copy(), self._ends[: self._n_sites]
        moved[((ends == (a, b)) | (ends == (b, a))).all(axis=1)] = 0.0
        places = []
        for _ in range(min(_REVISITED, len(moved))):
            place = int(np.argmax(moved))
            if moved[place] <= 0:
                break
            places.append(place)
            moved[place] = 0.0
        return places

    def _learn(
        self, direction: Direction, *, tie: bool, weight: float, others: list[tuple[int, Direction]]
    ) -> float:
        """Add one answer to its site; return its log probability before."""
        better, worse = direction.first, direction.second
        mean = np.array([self._mean[better] - self._mean[worse]])
        variance = np.array([direction.variance])
        log = self._likelihood.tilted(mean, variance, np.array([tie]), np.ones(1)).log[0]
        place = self._placed(better, worse, tie, direction.variance)
        count, tau, nu = self._site_values[place]
        copies = max(count, 1.0)
        self._match(place, direction, count + weight, copies * tau, copies * nu, others)
        return float(log)

    def _placed(self, better: int, worse: int, tie: bool, variance: float) -> int:
        """Return the place of the site of an answer; a new one is 0, and its pair gets an edge."""
        key = (better, worse, tie)
        if key not in self._place:
            place = self._place[key] = self._n_sites
            self._n_sites += 1
            self._ends = grown(self._ends, (self._n_sites, 2))
            self._site_values = grown(self._site_values, (self._n_sites, 3))
            self._moved = grown(self._moved, (self._n_sites,))
            if len(self._tie) < self._n_sites:
                self._tie = np.concatenate(
                    [self._tie, np.zeros(len(self._ends) - len(self._tie), dtype=bool)]
                )
            self._ends[place], self._tie[place] = (better, worse), tie
        pair = min(better, worse), max(better, worse)
        if pair not in self._edge:
            edge = self._edge[pair] = self._n_edges
            self._n_edges += 1
            self._edge_ends = grown(self._edge_ends, (self._n_edges, 2))
            self._edge_variance = grown(self._edge_variance, (self._n_edges,))
            self._edge_ends[edge] = pair
        self._edge_variance[self._edge[pair]] = variance
        return self._place[key]

    def _match(
        self,
        place: int,
        direction: Direction,
        count: float,
        precision: float,
        pull: float,
        others: list[tuple[int, Direction]],
    ) -> None:
        """Match the site at ``place``, now of ``count`` answers, to its cavity; it had ``precision`` and ``pull``.

        The directions of ``others`` move with the belief.
        """
        from penchant.gp.linked import _field_kernels as kernels

        better, worse = self._ends[place].tolist()
        tau, nu = self._site_values[place, 1:]
        variance = direction.variance
        difference = self._mean[better] - self._mean[worse]
        left = max(1 - tau * variance, _LEAST_LEFT)
        cavity_mean = np.array([(difference - nu * variance) / left])
        cavity_variance = np.array([variance / left])
        tie, power = self._tie[place : place + 1], np.array([min(count, 1.0)])
        tilted = self._likelihood.tilted(cavity_mean, cavity_variance, tie, power)
        matched = Sites.matching(cavity_mean, cavity_variance, tilted)
        tau, nu = max(float(matched.tau[0]), 0.0), float(matched.nu[0])
        self._site_values[place] = count, tau, nu
        more, further = max(count, 1.0) * tau - precision, max(count, 1.0) * nu - pull
        gain = (further - more * difference) / (1 + more * variance)
        step, apart = self._steps[self._n_delayed], direction.apart
        shrinks = kernels.move(
            direction.part,
            direction.along,
            apart,
            better,
            worse,
            more,
            gain,
            self._mean,
            self._variance,
            self._centred,
            self._edge_ends[: self._n_edges],
            self._edge_variance[: self._n_edges],
            step,
        )
        for _, other in others:
            kernels.follow(
                other.part,
                other.along,
                other.apart,
                other.first,
                other.second,
                direction.part,
                direction.along,
                apart,
                step,
                shrinks,
            )
        self._loads[self._n_delayed] = apart
        self._n_delayed += 1
        if self._n_delayed == _MOST_DELAYED:
            kernels.subtract_steps(self._stored, self._steps, self._loads)
            self._n_delayed = 0
        self._last = None
        ends = self._ends[: self._n_sites]
        along = direction.along[ends[:, 0]] - direction.along[ends[:, 1]]
        along *= gain
        self._moved[: self._n_sites] += np.abs(along, out=along)
        self._moved[place] = 0.0

    # -- explanations --------------------------------------------------------------------------------------

    def _pair_sites(self) -> PairSites:
        """Return the sites, all copies of an answer together."""
        pairs, values = self._pairs(), self._site_values[: self._n_sites]
        apart = self._mean[pairs.first] - self._mean[pairs.second]
        gradient = np.maximum(values[:, 0], 1) * values[:, 2] - pairs.tau * apart
        return PairSites(pairs.first, pairs.second, pairs.tau, gradient, apart)

    def _posterior_times(self, load: Floats) -> Floats:
        """Return the covariance of all rows times ``load``, by one solve."""
        local = self._prior.local_times(self._pairs(), load[None])[0]
        shared = self._shared()
        return np.asarray(local + shared @ (load @ shared))

    def _by_pair(self, weights: Floats) -> list[tuple[int, int, float]]:
        """Add up the weights of the sites of each pair: (first, second, weight), −1 being the row of the bar."""
        n_rows = self._prior.n_rows
        low, high = np.sort(self._ends[: self._n_sites], axis=1).T
        codes, place = np.unique(low * n_rows + high, return_inverse=True)
        totals = np.bincount(place, weights, len(codes))
        some = np.flatnonzero(totals)
        first, second = np.divmod(codes[some], n_rows)
        second = np.where(second == n_rows - 1, -1, second)
        return list(zip(first.tolist(), second.tolist(), totals[some].tolist(), strict=True))

    def contributions(self, a: int, b: int) -> list[tuple[int, int, float]]:
        """Return (first, second, weight) of compared pairs; the weights add up to the mean of ``a`` less that of ``b``.

        They are those of `PairSites.contributions`. The mean is that of the sites up to the tolerance of the solves for
        each answer; what that leaves over is shared by the sizes of the weights. The row of the bar of both-bad answers
        is −1.
        """
        load = np.zeros(self._prior.n_rows)
        load[a], load[b] = 1.0, -1.0
        with one_thread():
            solved = self._posterior_times(load)
            weights = self._pair_sites().contributions(load, solved, self._prior.times)
        total = float(self._mean[a] - self._mean[b])
        return complete(Explanation([], [], self._by_pair(weights)), total, (a, b)).answers

    def explain(self, a: int, b: int) -> Explanation:
        """Split the mean of ``a`` less that of ``b``: see `ExplainedMixture.explain`."""
        sites, own = self._pair_sites(), np.zeros(self._prior.n_rows)
        own[[a, b]] = self._prior.own_variance((a, b)) * (1.0, -1.0)
        with one_thread():
            found = self._prior.explain(sites.spread(sites.gradient, len(own)), a, b)
            weights = sites.own_contributions(own, self._posterior_times, self._prior.times)
        total = float(self._mean[a] - self._mean[b])
        return complete(found._replace(answers=self._by_pair(weights)), total, (a, b))

    # -- copies --------------------------------------------------------------------------------------------

    def with_items(self, ids: Sequence[str]) -> Self | None:
        """Return the belief with more items where all items are independent; None where they are not."""
        return None

    def copy(self) -> Self:
        """Return an independent copy, at the cost of its bytes: the dictionaries are copied and not made again."""
        other = type(self).__new__(type(self))
        for name, value in vars(self).items():
            moves = isinstance(value, np.ndarray | dict)
            setattr(other, name, value.copy() if moves else value)
        other._last = None
        return other

    def state(self) -> dict[str, Any]:
        """Return everything the belief consists of, as JSON values and arrays."""
        sites, edges = self._n_sites, self._n_edges
        return {
            "items": list(self.items_),
            "model": self._model,
            "threshold": self._threshold,
            "whole": self._whole,
            "tallies": self._tallies.copy(),
            "ends": self._ends[:sites].copy(),
            "tie": self._tie[:sites].copy(),
            "site_values": self._site_values[:sites].copy(),
            "moved": self._moved[:sites].copy(),
            "shared": self._stored.copy(),
            "steps": self._steps[: self._n_delayed].copy(),
            "loads": self._loads[: self._n_delayed].copy(),
            "mean": self._mean.copy(),
            "variance": self._variance.copy(),
            "centred": self._centred.copy(),
            "edge_ends": self._edge_ends[:edges].copy(),
            "edge_variance": self._edge_variance[:edges].copy(),
            "prior": self._prior.state(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the belief whose `state` this is: it continues to the same bits."""
        belief = cls.__new__(cls)
        belief._prior = FieldPrior.from_state(state["prior"])
        belief._threshold, belief._model = float(state["threshold"]), state["model"]
        belief.items_ = tuple(state["items"])
        belief._tallies, belief._whole = np.array(state["tallies"]), bool(state["whole"])
        values, ends = np.asarray(state["site_values"]), np.asarray(state["ends"])
        sites = FieldSites(ends[:, 0], ends[:, 1], np.asarray(state["tie"]), *values.T.copy())
        edge_ends = np.asarray(state["edge_ends"])
        moments = FieldMoments(
            np.array(state["shared"]),
            np.asarray(state["mean"]),
            np.asarray(state["variance"]),
            edge_ends[:, 0],
            edge_ends[:, 1],
            np.asarray(state["edge_variance"]),
        )
        delayed = np.asarray(state["steps"]), np.asarray(state["loads"])
        belief._begin(sites, moments, np.array(state["centred"]), np.asarray(state["moved"]), *delayed)
        return belief

    def __repr__(self) -> str:
        return f"{self._model} on {len(self.items_):,} items"
