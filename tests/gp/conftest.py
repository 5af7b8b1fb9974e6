"""Items that several tests of linked processes are about."""

from __future__ import annotations

import numpy as np
import pytest

from tests.gp.linked.reference import N, random_graph


@pytest.fixture(scope="session")
def known() -> dict[str, np.ndarray]:
    """Features and links of `N` items."""
    rng = np.random.default_rng(3)
    return {"features": rng.normal(size=(N, 4)), "links": random_graph(N, rng)}
