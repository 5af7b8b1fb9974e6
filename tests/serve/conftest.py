"""A small study, its application and the people who talk to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from penchant.serve import create_app
from penchant.study import CompareStudy
from tests.serve.visitor import Visitor

ITEMS = [{"title": "Tea", "text": "hot"}, "Coffee", "Water", "Milk"]


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
