"""A small study of each kind, their application and the people who talk to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from penchant.serve import create_app
from penchant.serve.address import Address
from penchant.serve.limits import Limits
from penchant.study import CompareStudy
from penchant.study.coactive import CoactiveStudy
from tests.serve.visitor import Visitor

ITEMS = [{"title": "Tea", "text": "hot"}, "Coffee", "Water", "Milk"]
FILMS = [
    {"id": "a", "title": "Alien", "dark": 1.0},
    {"id": "b", "title": "Brazil", "dark": 0.5, "long": 1.0},
    {"id": "c", "title": "Cats", "long": 0.5},
]
SHOP = "https://shop.example"
"""A page of another site that may send feedback."""
PLENTY = Limits(token_rate=1e6, token_burst=10**6, address_rate=1e6, address_burst=10**6)
"""As many requests as a test sends."""


@pytest.fixture
def study(tmp_path: Path) -> Iterator[CompareStudy]:
    with CompareStudy.create(tmp_path / "drinks.db", ITEMS, title="Drinks", seed=1) as study:
        yield study


@pytest.fixture
def app(study: CompareStudy) -> FastAPI:
    return create_app(study)


@pytest.fixture
def ann(app: FastAPI, study: CompareStudy) -> Visitor:
    return Visitor(app, study.tokens.make("judge", "ann"))


@pytest.fixture
def bob(app: FastAPI, study: CompareStudy) -> Visitor:
    return Visitor(app, study.tokens.make("judge", "bob"))


@pytest.fixture
def owner(app: FastAPI, study: CompareStudy) -> Visitor:
    return Visitor(app, study.tokens.make("owner", "me"))


@pytest.fixture
def reader(app: FastAPI, study: CompareStudy) -> Visitor:
    return Visitor(app, study.tokens.make("reader", "board"))


@pytest.fixture
def stranger(app: FastAPI) -> Visitor:
    return Visitor(app)


@pytest.fixture
def search(tmp_path: Path) -> Iterator[CoactiveStudy]:
    with CoactiveStudy.create(tmp_path / "search.db", FILMS, title="Search", seed=1) as search:
        yield search


@pytest.fixture
def both(study: CompareStudy, search: CoactiveStudy) -> FastAPI:
    return create_app([study, search], address=Address(allowed=[SHOP]), limits=PLENTY)


@pytest.fixture
def shop(both: FastAPI, search: CoactiveStudy) -> Visitor:
    """The app of the coactive study."""
    return Visitor(both, search.tokens.make("app", "shop"))


@pytest.fixture
def seller(both: FastAPI, search: CoactiveStudy) -> Visitor:
    """The owner of the coactive study."""
    return Visitor(both, search.tokens.make("owner", "seller"))


@pytest.fixture
def watcher(both: FastAPI, search: CoactiveStudy) -> Visitor:
    """A reader of the coactive study."""
    return Visitor(both, search.tokens.make("reader", "watcher"))
