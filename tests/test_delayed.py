"""A matrix with delayed changes has the entries of the matrix in which they are made."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.delayed import DelayedMatrix, delayed


@pytest.mark.parametrize("n_terms", [0, 3])
def test_it_reads_as_the_changed_matrix(n_terms: int) -> None:
    """Entries, blocks, products and the whole are those of M − T diag(signs) Tᵀ; further columns do not count."""
    rng = np.random.default_rng(0)
    root, terms = rng.normal(size=(5, 5)), rng.normal(size=(5, 4))
    signs = np.array([1.0, -1.0, 1.0])[:n_terms]
    made = DelayedMatrix(root @ root.T, terms, signs)
    written = root @ root.T - (terms[:, :n_terms] * signs) @ terms[:, :n_terms].T
    rows, columns = np.array([0, 4, 2]), np.array([1, 1, 3])
    np.testing.assert_allclose(made.whole(), written)
    np.testing.assert_allclose(made.entries(rows, columns), written[rows, columns])
    np.testing.assert_allclose(made.block(rows, columns[1:]), written[np.ix_(rows, columns[1:])])
    np.testing.assert_allclose(made.times(terms[:, 3]), written @ terms[:, 3])


def test_a_plain_matrix_has_no_changes() -> None:
    """A matrix is taken as it is, and one with changes stays itself."""
    plain = delayed(np.eye(3))
    assert plain.whole() is plain.matrix
    assert delayed(plain) is plain
