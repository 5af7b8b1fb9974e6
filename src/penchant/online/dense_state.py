"""The arrays of a belief with dense covariances: made from a prior, copied, stored, and bound to the kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats
from penchant.errors import InvalidInput
from penchant.online.likelihood import AnswerLikelihood, quadrature_rules
from penchant.online.posterior import DensePosterior, Labels
from penchant.online.prior import DensePrior, prior_of_state

MOST_ITEMS = 2_000
"""Up to so many items the dense covariance is kept."""
_SITE = 5
_MOST_STEPS = 8
"""How many sites an answer moves together with the covariance, its own first; a multiple of 4. With four, in
simulations of 600 items with features, intervals held less than with eight."""
_FEW_ROWS, _FEW_VISITS, _VISITS = 100, 8, 24
"""How many pairs of each of its items, and of all, are visited after an answer, for few items and for more."""
_MOST_DELAYED = 64
"""So many changes of a large covariance are gathered before it is written to; a multiple of 4."""
_MOST_WAITING = 32
_CAPACITY = 16
_ARRAYS = (
    "counts",
    "pairs",
    "totals",
    "sites",
    "means",
    "covariances",
    "variances",
    "vectors",
    "signs",
    "levels",
    "compared",
    "labels",
    "log_weights",
    "turns",
    "waiting",
    "excess",
)
"""The arrays that make up the state, as attributes with an underscore; of pairs, only those that there are."""

_BY_COMPONENT = (
    "sites",
    "means",
    "covariances",
    "variances",
    "vectors",
    "terms",
    "signs",
    "levels",
    "log_weights",
    "turns",
    "waiting",
    "excess",
)
"""The attributes that have a part for each component."""


class DenseState(DensePosterior):
    """The arrays of `penchant.online.OnlineMixture`, which describes the parameters."""

    _pairs: NDArray[np.int32]
    _place: NDArray[np.int32]
    """The pairs in the order of their first answer, and the number of the pair of any two rows or −1."""
    _narrowed: Floats | None
    """By how much the answers narrowed each component, as in `penchant.online.prior.Normal`; None after an answer."""

    def __init__(
        self,
        items: Sequence[str],
        likelihood: AnswerLikelihood,
        prior: DensePrior,
        *,
        weights: ArrayLike = (1.0,),
        bar: bool = False,
        centred: bool = False,
        model: str = "OnlineMixture",
    ) -> None:
        if len(items) > MOST_ITEMS:
            raise InvalidInput.of(
                "items", f"be at most {MOST_ITEMS:,} for a dense covariance", f"{len(items):,}", "use fewer"
            )
        n_components, n_rows = prior.shape
        self._items, self._n_items = tuple(items), len(items)
        self._bar, self._centred, self._model = bar, centred, model
        self._likelihood, self._prior = likelihood, prior
        self._counts, self._whole, self._bar_met = np.zeros(len(items)), True, False
        self._pairs = np.zeros((0, 2), dtype=np.int32)
        self._totals = np.zeros((0, 3))
        self._sites = np.zeros((n_components, 0, _SITE))
        self._means = np.repeat(prior.mean[None], n_components, axis=0)
        self._covariances = np.stack([prior.covariance(k) for k in range(n_components)])
        self._variances = np.ascontiguousarray(np.diagonal(self._covariances, axis1=1, axis2=2))
        self._vectors, self._signs = np.zeros((n_components, 0, n_rows)), np.zeros((n_components, 0))
        self._levels = np.zeros((n_components, n_rows))
        self._compared = np.zeros(n_rows, dtype=np.bool_)
        self._labels: Labels = np.arange(n_rows, dtype=np.int32)
        self._log_weights = np.log(np.array(weights, dtype=np.float64))
        self._turns = np.zeros((n_components, n_rows + 1), dtype=np.int64)
        self._waiting = np.full((n_components, _MOST_WAITING), -1, dtype=np.int64)
        self._excess = np.zeros((n_components, _MOST_WAITING))
        self._prepare(np.zeros(n_components))

    # -- components ----------------------------------------------------------------------------------------

    def keep_components(self, least: float) -> list[int]:
        """Leave out the components whose weight is below ``least``, and return the numbers of the others.

        These keep the ratios of their weights.
        """
        weights = np.exp(self._log_weights)
        kept: list[int] = np.flatnonzero(weights >= min(least, weights.max())).tolist()
        if len(kept) < len(weights):
            self._choose_components(kept)
        return kept

    def _choose_components(self, kept: Sequence[int]) -> None:
        """Leave out the components that are not among ``kept``."""
        self._prior = self._prior.chosen(kept)
        for name in _BY_COMPONENT:
            setattr(self, f"_{name}", getattr(self, f"_{name}")[kept])
        self._counters = self._counters[[0, *(1 + k for k in kept)]]
        self._log_weights -= np.log(np.exp(self._log_weights).sum())
        narrowed = self._narrowed
        self._bind()
        self._narrowed = None if narrowed is None else narrowed[kept]

    # -- copies --------------------------------------------------------------------------------------------

    def with_items(self, ids: Sequence[str]) -> Self | None:
        """Return a belief with more items, not compared yet; None where their prior is not known."""
        prior = self._prior.with_items(len(ids), bar=self._bar)
        if prior is None:
            return None
        state = self.state()
        state["items"], state["prior"] = [*self._items, *ids], prior.state()
        empty = type(self)(state["items"], self._likelihood, prior, bar=self._bar, weights=self.weights_)
        moved = np.arange(len(self._labels))
        moved[self._n_items :] += len(ids)  # the bar stays the last
        empty._vectors = np.zeros((*state["signs"].shape, len(empty._labels)))
        for name in ("means", "variances", "vectors", "levels", "compared", "counts"):
            wider = getattr(empty, f"_{name}").copy()
            wider[..., moved[: state[name].shape[-1]]] = state[name]
            state[name] = wider
        covariances, labels, turns = empty._covariances, empty._labels, empty._turns
        covariances[:, moved[:, None], moved] = state["covariances"]
        labels[moved] = moved[state["labels"]]
        turns[:, moved], turns[:, -1] = state["turns"][:, :-1], state["turns"][:, -1]
        state |= {"covariances": covariances, "labels": labels, "turns": turns}
        state["pairs"] = moved[state["pairs"]]
        return self.from_state(state)

    def copy(self) -> Self:
        """Return an independent copy."""
        copied = type(self).__new__(type(self))
        vars(copied).update(vars(self))
        for name in (*_ARRAYS, "terms", "counters", "place"):
            setattr(copied, f"_{name}", getattr(self, f"_{name}").copy())
        copied._bind()
        return copied

    @property
    def n_bytes(self) -> int:
        """About how many bytes a copy takes."""
        return int(self._covariances.nbytes + self._place.nbytes + self._sites.nbytes)

    def state(self) -> dict[str, Any]:
        """Return everything the belief consists of, as JSON values and arrays."""
        arrays = {name: getattr(self, f"_{name}") for name in _ARRAYS}
        n_pairs = self._n_pairs
        arrays |= {name: arrays[name][:n_pairs] for name in ("pairs", "totals")}
        arrays["sites"] = self._sites[:, :n_pairs]
        arrays["delays"] = delays = self._counters[1:]
        used = np.arange(delays.max()) < delays[:, None]
        arrays["signs"] = np.where(used, self._signs[:, : delays.max()], 0.0)
        arrays["vectors"] = np.where(used[:, :, None], self._vectors[:, : delays.max()], 0.0)
        return {
            "items": list(self._items),
            "model": self._model,
            "link": self._likelihood.link,
            "noise": self._likelihood.noise,
            "tie": self._likelihood.tie,
            "bar": self._bar,
            "bar_met": self._bar_met,
            "centred": self._centred,
            "whole": self._whole,
            "prior": self._prior.state(),
            **{name: array.copy() for name, array in arrays.items()},
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the belief whose `state` this is: it continues to the same bits."""
        belief = cls.__new__(cls)
        belief._items, belief._n_items = tuple(state["items"]), len(state["items"])
        belief._model, belief._bar, belief._centred = state["model"], state["bar"], state["centred"]
        belief._bar_met, belief._whole = state["bar_met"], state["whole"]
        belief._likelihood = AnswerLikelihood(state["link"], state["noise"], state["tie"])
        belief._prior = prior_of_state(state["prior"])
        kinds = {"pairs": np.int32, "labels": np.int32, "compared": np.bool_}
        kinds |= dict.fromkeys(("turns", "waiting"), np.int64)
        for name in _ARRAYS:
            setattr(belief, f"_{name}", np.array(state[name], dtype=kinds.get(name, np.float64), order="C"))
        belief._prepare(state["delays"])
        return belief

    # -- arrays --------------------------------------------------------------------------------------------

    @property
    def _n_pairs(self) -> int:
        return int(self._counters[0])

    def _prepare(self, delays: ArrayLike) -> None:
        """Compute what follows from the arrays of the state, and make room for more pairs and changes."""
        n_rows = len(self._labels)
        self._counters = np.array([len(self._pairs), *np.asarray(delays)], dtype=np.int64)
        vectors, signs = self._vectors, self._signs
        most = _MOST_STEPS if n_rows <= _FEW_ROWS else _MOST_DELAYED
        self._vectors, self._signs = np.zeros((len(signs), most, n_rows)), np.zeros((len(signs), most))
        self._vectors[:, : signs.shape[1]], self._signs[:, : signs.shape[1]] = vectors, signs
        self._terms = self._vectors.transpose(0, 2, 1).copy()
        self._place = np.full((n_rows, n_rows), -1, dtype=np.int32)
        self._number_pairs()
        self._make_room(len(self._pairs) + _CAPACITY)

    def _number_pairs(self) -> None:
        """Write the number of each pair at its place."""
        first, second = self._pairs[: self._n_pairs].T
        self._place[first, second] = self._place[second, first] = np.arange(self._n_pairs)

    def _make_room(self, capacity: int) -> None:
        """Make room for so many pairs."""
        n_pairs = self._n_pairs
        pairs, totals, sites = self._pairs, self._totals, self._sites
        self._pairs = np.zeros((capacity, 2), dtype=np.int32)
        self._totals = np.zeros((capacity, 3))
        self._sites = np.zeros((len(sites), capacity, _SITE))
        self._pairs[:n_pairs], self._totals[:n_pairs] = pairs[:n_pairs], totals[:n_pairs]
        self._sites[:, :n_pairs] = sites[:, :n_pairs]
        self._bind()

    def _bind(self) -> None:
        """Gather the arguments of the kernels, which must be done again where one of the arrays is another."""
        from penchant.online import _kernels

        self._kernels, self._scores, self._narrowed = _kernels, None, None
        n_rows = len(self._labels)
        visits = _FEW_VISITS if n_rows <= _FEW_ROWS else _VISITS
        self._arguments = (
            self._likelihood.for_kernels,
            quadrature_rules(),
            self._pairs,
            self._totals,
            self._sites,
            self._place,
            self._means,
            self._covariances,
            self._variances,
            self._levels,
            self._compared,
            self._labels,
            self._log_weights,
            *self._prior.for_kernels,
            self._counters,
            self._turns,
            self._waiting,
            self._excess,
            self._vectors,
            self._terms,
            self._signs,
            np.empty(n_rows, dtype=np.int64),
            (self._n_items, visits, _MOST_STEPS),
        )
