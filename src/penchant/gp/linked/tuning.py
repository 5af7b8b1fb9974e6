"""Step two, inside: hyperparameters of the linked process. Answers in; the settings that explain them best out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.gp.likelihood import Probit
from penchant.gp.linked.full_ep import Answers, ep_on_touched
from penchant.gp.linked.graph_prior import WRITTEN_OUT
from penchant.gp.linked.knowledge import Knowledge, Settings

_REACH = np.log(1e3)
"""How far each hyperparameter may go from where it starts, as a logarithm."""


def tuned(
    knowledge: Knowledge, answers: Answers, start: Settings, likelihood: Probit, restarts: int, seed: int
) -> Settings:
    """Return the settings under which the answers have the highest evidence, by L-BFGS from ``start``.

    The weights ω stay as they are: ω₁ is redundant beside κ, and ω₂ beside β.
    """
    from scipy.optimize import minimize

    names = _tunable(knowledge, answers)

    def loss(logs: Floats) -> tuple[float, Floats]:
        settings = start._replace(**dict(zip(names, np.exp(logs).tolist(), strict=True)))
        value, slope = evidence(knowledge, answers, settings, likelihood, names)
        return -value, -slope

    first = np.log([getattr(start, name) for name in names])
    rng = np.random.default_rng(seed)
    starts = [first, *(first + rng.normal(0.0, 1.0, len(first)) for _ in range(restarts))]
    bounds = [(log - _REACH, log + _REACH) for log in first]
    found = [minimize(loss, point, jac=True, method="L-BFGS-B", bounds=bounds) for point in starts]
    best = min(found, key=lambda end: float(end.fun))
    return start._replace(**dict(zip(names, np.exp(best.x).tolist(), strict=True)))


def evidence(
    knowledge: Knowledge, answers: Answers, settings: Settings, likelihood: Probit, names: tuple[str, ...]
) -> tuple[float, Floats]:
    """Return EP's log evidence, and its derivatives by the logarithms of the settings that are named.

    At EP's fixed point the sites may be held: ∂ log Z = ½ αᵀ ∂K α − ½ tr(R ∂K) with R = (K + W⁻¹)⁻¹.
    """
    items, belief = ep_on_touched(knowledge.prior(settings), answers, likelihood)
    pull = np.outer(belief.alpha, belief.alpha) - belief.posterior.explained()
    slopes = [0.5 * float((pull * _SLOPES[name](knowledge, settings, items)).sum()) for name in names]
    return belief.log_evidence, np.array(slopes)


def _tunable(knowledge: Knowledge, answers: Answers) -> tuple[str, ...]:
    if not len(answers):
        raise InvalidInput("tuning needs answers, got none: call update first")
    names: list[str] = []
    if knowledge.features is not None:
        names += ["scale", "lengthscale"]
    if knowledge.links is not None:
        if knowledge.n_items > WRITTEN_OUT or knowledge.arrived:
            raise InvalidInput(
                f"beta and iota are tuned for at most {WRITTEN_OUT} items that came together, got "
                f"{knowledge.n_items}: give them, or tune on a part of the graph"
            )
        names += ["beta", "iota"]
    if not names and knowledge.covariance is None:
        names = ["scale"]
    if not names:
        raise InvalidInput("a covariance that was given has nothing to tune: give features or links instead")
    return tuple(names)


def _of_scale(knowledge: Knowledge, settings: Settings, items: Ints) -> Floats:
    part = Knowledge(knowledge.n_items, features=knowledge.features)
    weight = settings.mix[0] ** 2 if knowledge.features is not None else 1.0
    return 2 * weight * _part(part, settings, items)


def _of_lengthscale(knowledge: Knowledge, settings: Settings, items: Ints) -> Floats:
    part = Knowledge(knowledge.n_items, features=knowledge.features)
    kernel = _part(part, settings, items)
    # log(k/κ²) = −½‖x − x′‖²/ℓ², and the derivative by log ℓ is −2 times that.
    distance = -2 * np.log(np.maximum(kernel / settings.scale**2, np.finfo(float).tiny))
    slope: Floats = settings.mix[0] ** 2 * kernel * distance
    return slope


def _of_beta(knowledge: Knowledge, settings: Settings, items: Ints) -> Floats:
    part = Knowledge(knowledge.n_items, links=knowledge.links)
    return -(settings.mix[1] ** 2) * _part(part, settings, items)


def _of_iota(knowledge: Knowledge, settings: Settings, items: Ints) -> Floats:
    """Return ∂K_r/∂ log ι = 2β/ι² K_r K_r, on the items."""
    part = Knowledge(knowledge.n_items, links=knowledge.links)
    rows = part.prior(_alone(settings)).block(items)
    return 2 * settings.mix[1] ** 2 * settings.beta / settings.iota**2 * (rows @ rows.T)


def _part(part: Knowledge, settings: Settings, items: Ints) -> Floats:
    """Return one part of the prior on the items, unweighted."""
    return part.prior(_alone(settings)).block(items, items)


def _alone(settings: Settings) -> Settings:
    return settings._replace(mix=(1.0, 1.0), nugget=0.0)


_SLOPES: dict[str, Callable[[Knowledge, Settings, Ints], Floats]] = {
    "scale": _of_scale,
    "lengthscale": _of_lengthscale,
    "beta": _of_beta,
    "iota": _of_iota,
}
