"""A slow and plain model of a coactive study: everything that stands is learned anew for each question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from penchant.coactive import NamedLearner, PerturbedPerceptron, swap_clicked
from penchant.orders import prepend
from penchant.study.coactive.settings import make_learner


@dataclass
class Shown:
    """One presentation: its candidates with their features then, the order, and the feedback so far."""

    features: list[dict[str, Any]]
    order: list[int]
    user: str | None
    learn: bool
    given: list[tuple[str, str, list[int]]] = field(default_factory=list)  # id, what, indices


@dataclass
class Oracle:
    """What a study should have learned."""

    settings: dict[str, Any]
    shown: dict[str, Shown] = field(default_factory=dict)
    log: list[tuple[str, str]] = field(
        default_factory=list
    )  # feedback id, presentation; in the order of the log
    undone: set[str] = field(default_factory=set)
    frozen: set[str] = field(default_factory=set)
    """Feedback before the last erasure, which the base holds."""
    base: tuple[NamedLearner, dict[str, NamedLearner]] | None = None

    def step(self, shown: Shown, last: str) -> tuple[list[int], list[int]]:
        """Return the orders before and after one feedback."""
        perturbed = isinstance(make_learner(self.settings, seed=0).learner, PerturbedPerceptron)
        base = now = before = list(shown.order)
        clicks: list[int] = []
        for id, what, indices in shown.given:
            if id in self.undone:
                continue
            before = now
            if what == "clicked":
                clicks = clicks + indices
                now = swap_clicked(base, clicks).tolist() if perturbed else prepend(base, clicks)
            else:
                base = now = prepend(now, indices)
                clicks = []
            if id == last:
                return before, now
        raise AssertionError

    def models(self) -> tuple[NamedLearner, dict[str, NamedLearner]]:
        """Return the shared model and the users' own, learned from what stands."""
        if self.base is None:
            shared, users = make_learner(self.settings, seed=self.settings["seed"]), {}
        else:
            shared, users = self.base[0].copy(), {name: own.copy() for name, own in self.base[1].items()}
        for id, presentation in self.log:
            shown = self.shown[presentation]
            if id in self.undone or id in self.frozen or not shown.learn:
                continue
            before, after = self.step(shown, id)
            if self.settings["per_user"] and shown.user is not None:
                own = users.setdefault(shown.user, shared.copy())
                own.learn(shown.features, before, after)
            shared.learn(shown.features, before, after)
        return shared, users

    def freeze(self, without: str | None = None) -> None:
        """Let what is learned now be where everything starts, without a user's own model."""
        shared, users = self.models()
        users.pop(without or "", None)
        self.base = shared, users
        self.frozen = {id for id, _ in self.log}

    def weights(self, user: str | None = None) -> dict[str, float]:
        """Return the weights that are not 0."""
        shared, users = self.models()
        return nonzero(users.get(user or "", shared).weights)


def nonzero(weights: dict[str, float]) -> dict[str, float]:
    return {name: weight for name, weight in weights.items() if weight}
