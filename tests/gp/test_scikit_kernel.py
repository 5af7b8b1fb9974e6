"""Kernels of scikit-learn learn as those of penchant.gp do."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as scikit

from penchant.errors import InvalidInput
from penchant.gp import PreferenceGP, ScikitKernel, SquaredExponential
from penchant.gp.inference.hyperprior import OWN_SD, SHARED_SD, Units
from penchant.gp.scikit_kernel import as_kernel
from tests.gp.problems import problem

UNITS = Units(np.array([0.5, 2.0, 0.1]), 4.0)
GIVEN = problem(12, 50, seed=1)
NEW = np.random.default_rng(9).random((6, 2))


def test_kernels_of_scikit_learn_have_priors_by_their_roles() -> None:
    """Length scales and constants have the priors of ours; what has no known role has only its bounds."""
    ours = SquaredExponential((1.0, 1.0, 1.0), 2.0).prior(UNITS)
    theirs = ScikitKernel(scikit.RBF((1.0, 1.0, 1.0)) * scikit.ConstantKernel(2.0)).prior(UNITS)
    np.testing.assert_allclose(ours.centre, theirs.centre)
    np.testing.assert_allclose(ours.precision, theirs.precision)
    other = ScikitKernel(scikit.RationalQuadratic())
    assert other.names == ("alpha", "length_scale")
    np.testing.assert_allclose(np.diagonal(other.prior(UNITS).precision), [0, 1 / (SHARED_SD**2 + OWN_SD**2)])


def test_kernels_of_scikit_learn_are_taken() -> None:
    """The same kernel in scikit-learn's form learns the same utilities and hyperparameters."""
    ours = SquaredExponential((0.5, 0.8), 3.0, (1e-2, 1e2), (1e-2, 1e2))
    theirs = scikit.ConstantKernel(3.0, (1e-2, 1e2)) * scikit.RBF((0.5, 0.8), (1e-2, 1e2))
    models = [PreferenceGP(kernel).fit_pairs(GIVEN.X, GIVEN.pairs) for kernel in (ours, theirs)]
    np.testing.assert_allclose(models[0].predict(NEW), models[1].predict(NEW), atol=5e-3)
    assert models[0].log_evidence_ == pytest.approx(models[1].log_evidence_, abs=1e-3)


def test_only_kernels_are_kernels() -> None:
    """A kernel of either library is returned as one of ours; a name or a class is rejected."""
    ours = SquaredExponential()
    assert as_kernel(ours) is ours
    assert isinstance(as_kernel(scikit.RBF()), ScikitKernel)
    for wrong in ("rbf", SquaredExponential, scikit.RBF):
        with pytest.raises(InvalidInput, match=r"kernel must be a kernel of penchant\.gp or of sklearn"):
            as_kernel(wrong)
