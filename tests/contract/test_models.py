"""Every public model is found by introspection, and a contract suite that pytest runs holds it to its promises."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from types import SimpleNamespace
from typing import Any

import pytest

import penchant
from penchant.rankers import (
    LabelRanker,
    NearestLabelRanker,
    OrdinalRegression,
    PairwiseRanker,
    RankBoost,
    RankSVM,
)
from penchant.worth import (
    BradleyTerry,
    CrowdBradleyTerry,
    Elo,
    Glicko,
    Glicko2,
    PlackettLuce,
    Thurstone,
    WinRate,
)
from tests.contract import test_linked_model, test_pair_models
from tests.contract.model import ModelContract
from tests.contract.pair_model import PairModelContract
from tests.contract.ranker import RANKS, RankerContract
from tests.contract.test_linked_model import LinkedModelContract

CONTRACTS = (ModelContract, PairModelContract, LinkedModelContract, RankerContract)


def suite(contract: type, model: type, **attributes: Any) -> Any:
    """Return a test class that holds ``model`` to ``contract``."""
    return type(f"Test{model.__name__}", (contract,), {"Model": model, "__module__": __name__, **attributes})


TestBradleyTerry = suite(ModelContract, BradleyTerry)
TestCrowdBradleyTerry = suite(ModelContract, CrowdBradleyTerry)
TestElo = suite(ModelContract, Elo)
TestGlicko = suite(ModelContract, Glicko)
TestGlicko2 = suite(ModelContract, Glicko2)
TestPlackettLuce = suite(ModelContract, PlackettLuce)
TestThurstone = suite(ModelContract, Thurstone)
TestWinRate = suite(ModelContract, WinRate)
TestRankSVM = suite(RankerContract, RankSVM)
TestRankBoost = suite(RankerContract, RankBoost)
TestPairwiseRanker = suite(RankerContract, PairwiseRanker)
TestOrdinalRegression = suite(RankerContract, OrdinalRegression)
TestLabelRanker = suite(RankerContract, LabelRanker, target=RANKS)
TestNearestLabelRanker = suite(RankerContract, NearestLabelRanker, target=RANKS)


def public_models() -> set[type]:
    """Return all classes with a method fit that a package or module of Penchant exports."""
    found: set[type] = set()
    for package in pkgutil.iter_modules(penchant.__path__):
        module = importlib.import_module(f"penchant.{package.name}")
        exported = [getattr(module, name) for name in getattr(module, "__all__", ())]
        found |= {thing for thing in exported if inspect.isclass(thing) and hasattr(thing, "fit")}
    return found


def held(modules: list[Any]) -> set[type]:
    """Return the models of the suites in ``modules`` that pytest collects and runs with all promises of a contract."""
    suites = [thing for module in modules for name, thing in vars(module).items() if name.startswith("Test")]
    return {
        one.Model for one in suites if inspect.isclass(one) and any(runs(one, kind) for kind in CONTRACTS)
    }


def runs(suite: type, contract: type) -> bool:
    """Return whether ``suite`` runs all promises of ``contract``: none replaced, and none skipped."""
    if not issubclass(suite, contract) or suite is contract or not getattr(suite, "__test__", True):
        return False
    skipped = any(mark.name in ("skip", "skipif", "xfail") for mark in getattr(suite, "pytestmark", ()))
    clauses = [name for name in dir(contract) if name.startswith("test_")]
    return not skipped and all(getattr(suite, name) is getattr(contract, name) for name in clauses)


def test_every_public_model_has_a_contract() -> None:
    """A model that is exported but not held to a contract fails here."""
    found = public_models()
    assert {BradleyTerry, RankSVM} <= found
    assert {
        model.__name__ for model in found - held([sys.modules[__name__], test_linked_model, test_pair_models])
    } == set()


def broken(**attributes: Any) -> SimpleNamespace:
    """Return a test module whose only suite holds a model to its contract, but for ``attributes``."""
    return SimpleNamespace(TestWinRate=suite(ModelContract, WinRate, **attributes))


@pytest.mark.parametrize(
    "module",
    [
        SimpleNamespace(),
        SimpleNamespace(Named=WinRate, TestWinRate=SimpleNamespace(Model=WinRate)),
        SimpleNamespace(TestWinRate=type("TestWinRate", (), {"Model": WinRate})),
        SimpleNamespace(WinRateSuite=suite(ModelContract, WinRate)),
        broken(__test__=False),
        broken(pytestmark=[pytest.mark.skip]),
        broken(test_it_ranks=None),
        broken(test_it_ranks=lambda self: None),
    ],
    ids=["none", "attribute", "no contract", "not collected", "no test", "skipped", "removed", "replaced"],
)
def test_a_suite_that_does_not_run_holds_no_model(module: Any) -> None:
    """A class that merely names a model, or does not run all promises of its contract, does not count."""
    assert held([module]) == set()
    assert held([broken()]) == {WinRate}
