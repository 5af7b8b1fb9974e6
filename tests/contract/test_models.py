"""Every public model is found by introspection and held to the contract."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import penchant
from penchant.model import Model
from penchant.worth import BradleyTerry, CrowdBradleyTerry, Glicko, PlackettLuce, Thurstone, WinRate
from tests.contract import test_linked_model, test_pair_models
from tests.contract.model import ModelContract


class TestBradleyTerry(ModelContract):
    Model = BradleyTerry


class TestCrowdBradleyTerry(ModelContract):
    Model = CrowdBradleyTerry


class TestGlicko(ModelContract):
    Model = Glicko


class TestPlackettLuce(ModelContract):
    Model = PlackettLuce


class TestThurstone(ModelContract):
    Model = Thurstone


class TestWinRate(ModelContract):
    Model = WinRate


def public_models() -> set[type]:
    """All models that a room of the package exports."""
    found: set[type] = set()
    for room in pkgutil.iter_modules(penchant.__path__):
        module = importlib.import_module(f"penchant.{room.name}")
        exported = [getattr(module, name) for name in getattr(module, "__all__", ())]
        found |= {thing for thing in exported if inspect.isclass(thing) and issubclass(thing, Model)}
    return found


def test_every_public_model_has_a_contract() -> None:
    """A model that is exported but not held to the contract fails here."""
    others = (test_pair_models, test_linked_model)
    suites = [*ModelContract.__subclasses__(), *(suite for room in others for suite in vars(room).values())]
    held = {suite.Model for suite in suites if hasattr(suite, "Model")}
    assert public_models()
    assert {model.__name__ for model in public_models() - held} == set()
