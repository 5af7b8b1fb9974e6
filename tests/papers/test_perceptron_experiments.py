"""The former name of a module that the docs named still works."""

from __future__ import annotations

import pytest

from penchant.papers.coactive import perceptron


def test_the_former_name_warns_with_the_new_one() -> None:
    """It gives the same functions, and no others."""
    with pytest.warns(FutureWarning, match=r"is now penchant\.papers\.coactive\.perceptron"):
        from penchant.papers.perceptron_experiments import strict_feedback
    assert strict_feedback is perceptron.strict_feedback
    with pytest.raises(ImportError, match="cannot import name 'other'"):
        from penchant.papers.perceptron_experiments import other  # noqa: F401
