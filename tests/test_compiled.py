"""Compilation with Numba, cached on disk where that is possible."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from penchant.compiled import compiled, reassociated


def total(values: np.ndarray) -> float:
    result = 0.0
    for value in values:
        result += value
    return result


@pytest.mark.parametrize("compile_", [compiled, reassociated])
def test_a_compiled_function_gives_the_result_of_the_plain_one(compile_: Any) -> None:
    """Also where sums may be added in another order, up to rounding."""
    values = np.random.default_rng(0).normal(size=1000)
    assert compile_(total)(values) == pytest.approx(total(values), rel=1e-12)


def test_without_a_place_for_the_cache_functions_are_compiled_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Numba raises `RuntimeError` where it may write nowhere; then nothing is cached."""
    settings: list[dict[str, Any]] = []
    njit = numba.njit

    def without_cache(**given: Any) -> Any:
        settings.append(given)
        if given.pop("cache", False):
            raise RuntimeError("cannot cache function: no locator available")
        return njit(**given)

    monkeypatch.setattr(numba, "njit", without_cache)
    assert reassociated(total)(np.ones(3)) == 3.0
    assert [given["fastmath"] for given in settings] == [{"reassoc", "contract"}] * 2
