"""The registry: every model that a command or a study can name."""

from __future__ import annotations

import pytest

from penchant.coactive.making import settings_of_kind
from penchant.errors import InvalidInput
from penchant.registry import MODELS, family, find
from penchant.study.settings import MODELS as OF_STUDIES


@pytest.mark.parametrize("name", MODELS)
def test_every_entry_leads_to_its_class(name: str) -> None:
    """The class exists, has the name, and takes the options that it is said to take."""
    entry = MODELS[name]
    kind = entry.load()
    assert kind.__name__ == entry.class_name
    if entry.family == "coactive":
        assert list(entry.options) == list(settings_of_kind(name))
    else:
        assert set(entry.options) <= set(kind().get_params())


def test_a_prior_is_an_option_of_exactly_the_models_that_have_one() -> None:
    """So that no model is left out of `--prior`."""
    for entry in family("worth").values():
        assert ("prior" in entry.options) == ("prior" in entry.load()().get_params())


def test_studies_learn_with_the_models_that_say_so() -> None:
    """By the same names."""
    assert list(OF_STUDIES) == [name for name, entry in MODELS.items() if entry.in_studies]
    assert list(OF_STUDIES) == ["bradley-terry", "thurstone", "preference-gp", "monotone-gp", "linked-gp"]


def test_a_model_is_found_in_its_family_only() -> None:
    """The error names the models of the family."""
    assert find("monotone-gp", "utility") is MODELS["monotone-gp"]
    with pytest.raises(
        InvalidInput, match="learner must be one of perceptron, perturbed, exponentiated, convex, "
    ):
        find("glicko", "coactive")
