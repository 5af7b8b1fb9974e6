"""Fit models of paired comparisons to counts of pairs, which may be on disk.

Counts in memory are the totals that `PairedWorth` learns from. Counts on disk stay there: scores are the mode of the
log posterior, found by `inference.streamed`, and intervals come from its curvature.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self
from warnings import warn

import numpy as np

from penchant.checks import Floats
from penchant.errors import Argument, CannotSave, InvalidInput, PenchantWarning, Text
from penchant.preferences import PairCounts
from penchant.preferences.graph import groups_caveat
from penchant.threads import one_thread
from penchant.worth.adjusted import DECIMALS, LEARNED, AdjustedWorth
from penchant.worth.inference.newton import Link
from penchant.worth.inference.posterior import DENSE_ITEMS, Posterior, dense_posterior, normal_posterior
from penchant.worth.inference.separation import centred_in, real_items
from penchant.worth.inference.streamed import StreamedFit, fit_streamed, group_labels

_SPARSE = (
    "many pairs were compared too seldom for a normal posterior, which is what counts on disk are fitted with: "
    "intervals may be too narrow and scores too far from 0; give more memory to fit in memory"
)
OF_A_FIT = (
    *("covariates_", "side_", "coefficients_"),
    *("_posterior", "_scale", "_on_disk", "_streamed", "_streamed_caveats"),
)
"""What is computed from the data, and forgotten when others are fitted."""


class CountedWorth(AdjustedWorth):
    """What a model of paired comparisons needs to learn from `PairCounts`; `PairedWorth` has the rest."""

    _link: ClassVar[Link]
    features_: Floats | None
    _on_disk: PairCounts | None = None
    _streamed: StreamedFit
    _streamed_caveats: tuple[str, ...]

    def _fit_counts(self, counts: PairCounts, **rows: Any) -> Self:
        """Fit to counts alone. ``rows`` are the arguments of `fit` that need rows, or features."""
        for name, given in rows.items():
            if given is not None and given is not False and (given is True or len(given)):
                raise InvalidInput.of(
                    name,
                    "not be given with counts of pairs",
                    "it",
                    "fit to preferences, which penchant.read returns",
                )
        if self.errors not in ("auto", "model"):
            remedy = Text("counts keep no rows: fit to preferences, or give ", Argument("errors", "model"))
            raise InvalidInput.of("errors", "be auto or model for counts of pairs", repr(self.errors), remedy)
        if not len(counts):
            raise InvalidInput.of("counts", "hold at least one comparison", "none", "count some")
        self.catalogue_, self.features_ = counts.catalogue, None
        self._counts = counts.compared()
        self._start(counts.n_items)
        for name in OF_A_FIT:
            vars(self).pop(name, None)
        if counts.on_disk:
            self._fit_streamed(counts)
        else:
            self.pairs_, self.totals_ = counts.arrays()
            self._fit_totals()
        for caveat in self.caveats():
            warn(caveat, PenchantWarning, stacklevel=4)
        return self

    def _fit_streamed(self, counts: PairCounts) -> None:
        if self.prior == 0:
            raise InvalidInput.of(
                "prior",
                f"be above 0, or {LEARNED!r}, for counts on disk",
                "0",
                "0.001 is nearly maximum likelihood",
            )
        vars(self).pop("pairs_", None)
        vars(self).pop("totals_", None)
        self._on_disk = counts
        precision = None if self.prior == LEARNED else float(self.prior)
        with one_thread():
            fit = fit_streamed(counts, self._link, self._prior, precision)
            labels = group_labels(counts)
        if not fit.mode.converged:
            warn(
                f"scores are where the log likelihood still has gradient {fit.mode.gradient:.1e}, not yet 1e-8: "
                "set a larger prior",
                PenchantWarning,
                stacklevel=6,
            )
        self._streamed, self.prior_, self.tie_ = fit, fit.prior.precision, fit.mode.tie
        scores = centred_in(labels == labels[-1], fit.mode.scores, self.catalogue_)
        self.scores_ = np.round(scores, DECIMALS) + 0.0 if precision is None else scores
        groups = groups_caveat(labels, self.catalogue_.ids)
        sparse = None if fit.nearly_normal or precision is not None else _SPARSE
        self._streamed_caveats = tuple(caveat for caveat in (groups, sparse) if caveat)

    def _streamed_posterior(self) -> Posterior:
        """Return the posterior from the curvature at the mode of counts on disk."""
        hessian, n_items = self._streamed.hessian(), self.catalogue_.count
        centre: Any = (self._counts > 0) & real_items(self.catalogue_)
        if n_items > DENSE_ITEMS:
            posterior = hessian.posterior(centre)
        elif hessian.prior.n_real < n_items:
            posterior = normal_posterior(hessian.matrix(), centre=centre)
        else:
            real = real_items(self.catalogue_) if self.catalogue_.bar else None
            posterior = dense_posterior(
                hessian.matrix(), prior=hessian.prior.precision, centre=centre, real=real
            )
        if self.prior == LEARNED:
            posterior.method = f"mode, scale of the prior learned; {posterior.method}"
        return posterior

    def _in_memory(self, what: str) -> None:
        """Raise `InvalidInput` if the model was fitted to counts on disk, which ``what`` does not take."""
        if self._on_disk is not None:
            raise InvalidInput(
                f"{what} must not be used on a model of counts on disk, which keeps none of them in memory: count all "
                "files again and fit to that, or count with more memory"
            )

    def __save_state__(self) -> dict[str, object]:
        if self._on_disk is not None:
            raise CannotSave(
                "a model of counts on disk cannot be saved, since its pairs are in temporary files: save its ranking, "
                "model.rank(), or count with more memory"
            )
        return super().__save_state__()

    @abstractmethod
    def _fit_totals(self) -> None:
        """Compute the scores from the totals of pairs in memory."""
