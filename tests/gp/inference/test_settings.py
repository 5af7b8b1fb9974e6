"""Settings that a model cannot use are rejected with their name, the limit, the value and a remedy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.gp.inference import settings

WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: settings.of_usual_size("noise", 0), "noise must be a number above 0, got 0"),
    (lambda: settings.of_usual_size("noise", 1e60), "noise must be from 1e-50 to 1e\\+50, got 1e\\+60"),
    (lambda: settings.enough_noise(1e-9, np.nan), "noise must be larger beside the scale.*got 1e-09"),
    (lambda: settings.scale_of("variance", []), "variance must be a number or one a feature"),
    (lambda: settings.scale_of("variance", (1.0, -1.0)), "variance must be above 0, got -1.0"),
    (
        lambda: settings.check_features("variance", (1.0, 2.0), np.ones((2, 3))),
        "for each of 3 features, got 2",
    ),
    (lambda: settings.check_bounds("bounds", (2.0, 1.0), 1.0), "bounds must be \\(least, most\\)"),
    (lambda: settings.check_bounds("bounds", (0.0, 1.0), 1.0), "bounds must be a pair of numbers above 0"),
    (
        lambda: settings.check_bounds("bounds", ((1.0, 2.0),) * 3, (1.0, 1.0)),
        "one for each of 2 numbers, got 3",
    ),
]


@pytest.mark.parametrize(("check", "words"), WRONG, ids=[words for _, words in WRONG])
def test_what_cannot_be_used_is_rejected(check: Callable[[], object], words: str) -> None:
    """Each message names the setting and the value."""
    with pytest.raises(InvalidInput, match=words):
        check()


def test_numbers_and_bounds_are_taken_as_they_are() -> None:
    """One number stays a float and several become a tuple; bounds are logarithms, a row for each number."""
    assert settings.scale_of("lengthscale", np.float32(2)) == 2.0
    assert settings.scale_of("lengthscale", np.array([1, 3])) == (1.0, 3.0)
    np.testing.assert_allclose(settings.log_bounds((1.0, np.e), (1.0, 2.0)), [[0, 1], [0, 1]])
    np.testing.assert_allclose(settings.log_bounds(None, np.e), [[1, 1]])
    settings.check_bounds("bounds", None, 1.0)
