"""Factors and inverses in place are those of NumPy, and other threads go on meanwhile."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.lapack import cholesky, inverse_of_factor, log_determinant


@pytest.mark.parametrize("size", [1, 5, 120])
def test_the_inverse_of_a_matrix(size: int) -> None:
    """By its factor, in the lower half; the upper half stays as it was."""
    root = np.random.default_rng(size).normal(size=(size, size))
    matrix = root @ root.T + np.eye(size)
    work = np.asfortranarray(np.tril(matrix))
    assert cholesky(work)
    np.testing.assert_allclose(np.tril(work), np.linalg.cholesky(matrix), atol=1e-10)
    assert log_determinant(work) == pytest.approx(np.linalg.slogdet(matrix)[1])
    inverse_of_factor(work)
    np.testing.assert_allclose(np.tril(work), np.tril(np.linalg.inv(matrix)), atol=1e-9)
    assert not np.triu(work, 1).any()


def test_a_matrix_without_a_factor_is_reported() -> None:
    """One with a negative eigenvalue."""
    assert not cholesky(np.array([[1.0, 2.0], [2.0, 1.0]], order="F"))


def test_arrays_that_lapack_cannot_take_are_rejected() -> None:
    """By rows, read only, and of single precision: LAPACK would read other numbers, or write where it must not."""
    read_only = np.eye(2, order="F")
    read_only.flags.writeable = False
    for wrong in (np.ones((3, 2)).T[:, ::-1], read_only, np.eye(2, dtype=np.float32, order="F")):
        with pytest.raises(TypeError, match="by columns"):
            cholesky(wrong)
