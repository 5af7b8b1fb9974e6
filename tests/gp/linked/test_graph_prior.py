"""The prior of a graph of links."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.gp.linked.graph_prior import graph_prior


def test_weights_beyond_the_arithmetic_are_rejected() -> None:
    """A link so heavy that the items' own precision is lost beside it is named, not a failed factorisation."""
    links = np.array([[0, 1e19, 2], [1e19, 0, 0], [2, 0, 0]])
    with pytest.raises(InvalidInput, match=r"weights of links must be of one scale, got 1e\+19 at one item"):
        graph_prior(links, beta=1.0, iota=1.0)
