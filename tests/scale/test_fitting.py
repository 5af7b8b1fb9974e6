"""`fit` takes models of paired comparisons and names them to others."""

from __future__ import annotations

import pytest

from penchant.errors import InvalidInput
from penchant.rankers import LabelRanker
from penchant.scale import fit
from penchant.worth import BradleyTerry

delayed = pytest.importorskip("dask").delayed


def test_other_models_are_rejected_before_anything_runs():
    """The error names the models that can be fitted, without a client."""
    with pytest.raises(InvalidInput, match="model must be BradleyTerry, Thurstone"):
        fit(LabelRanker(), [delayed(1)])


def test_the_model_itself_comes_back(client):
    """As `fit` of a model returns the model."""
    import numpy as np

    model = BradleyTerry(prior=1.0)
    assert fit(model, [delayed(np.array([[0, 1], [1, 0]]))], client=client) is model
