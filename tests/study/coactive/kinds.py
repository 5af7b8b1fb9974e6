"""Settings of studies with every learner, for the tests that hold for all of them."""

from __future__ import annotations

from typing import Any

NAMES = ["x", "y", "z"]
STUDIES: dict[str, dict[str, Any]] = {
    "perceptron": {},
    "averaged": {"learner": {"name": "perceptron", "averaged": True, "forget": 0.1}, "per_user": True},
    "batch": {"learner": {"name": "perceptron", "batch": 3}, "depth": 2, "per_user": True},
    "perturbed": {"learner": {"name": "perturbed"}, "per_user": True},
    "exponentiated": {"learner": {"name": "exponentiated", "bound": 5.0}, "names": NAMES, "per_user": True},
    "convex": {"learner": {"name": "convex", "radius": 2.0}, "names": NAMES, "log": "base2"},
    "second-order": {"learner": {"name": "second-order", "radius": 1.0}, "names": NAMES, "per_user": True},
    "item": {"map": "item", "per_user": True, "scaling": {"x": (1.0, 2.0)}},
    "rival": {"baseline": {"name": "perceptron", "forget": 0.5}, "scaling": {"y": (0.0, 3.0)}},
}
