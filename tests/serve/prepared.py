"""Both kinds of studies with everything in them that the examples of the interface name, and all who may ask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from penchant.serve import create_app
from penchant.serve.address import Address
from penchant.store import SQLiteLog
from penchant.study import CompareStudy
from penchant.study.coactive import CoactiveStudy
from penchant.study.pictures import cited_pictures
from penchant.study.tokens import ROLES
from tests.serve.conftest import FILMS, ITEMS, PLENTY, SHOP
from tests.serve.visitor import Visitor
from tests.study.drawn import drawn

QUESTION = "q-5f2c8e1a9b3d7046"
PRESENTATION = "p-0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
JUDGE = "ann"


@dataclass
class Prepared:
    """Two studies behind one application, and a token of each role for each of them."""

    compare: CompareStudy
    coactive: CoactiveStudy
    app: FastAPI
    tokens: dict[tuple[str, str], str]

    def visitor(self, kind: str, role: str) -> Visitor:
        """Return somebody with the token of a role, or a stranger where there is no such role."""
        return Visitor(self.app, self.tokens.get((kind, role)))

    @property
    def picture(self) -> str:
        """The one picture of the study of comparisons."""
        (hash,) = cited_pictures(self.compare.items.values())
        return hash

    def token_id(self, kind: str, role: str) -> str:
        """Return the id by which a token is revoked."""
        study: Any = getattr(self, kind)
        return next(str(token.id) for token in study.tokens.list() if token.role == role)


@contextmanager
def prepared(folder: Path) -> Iterator[Prepared]:
    """Make the studies and close them."""
    items = [*ITEMS, {"id": "Cider", "picture": drawn()}]
    CompareStudy.create(folder / "compare.db", items, title="Drinks", seed=1).close()
    with SQLiteLog.open(folder / "compare.db") as log:
        log.append_all([(QUESTION, "asked", {"left": "Tea", "right": "Milk", "judge": JUDGE}, 1)])
    with (
        CompareStudy.open(folder / "compare.db") as compare,
        CoactiveStudy.create(folder / "coactive.db", FILMS, title="Search", seed=1) as coactive,
    ):
        coactive.present(["a", "b", "c"], user="u7", event_id=PRESENTATION)
        tokens = {
            (study.kind, role): study.tokens.make(role, JUDGE if role == "judge" else role)
            for study in (compare, coactive)
            for role in ROLES
        }
        app = create_app([compare, coactive], address=Address(allowed=[SHOP]), limits=PLENTY)
        yield Prepared(compare, coactive, app, tokens)
