"""A second process that serves a study in PostgreSQL: it reads, rejects what writes, and takes over."""

from __future__ import annotations

import pytest

from penchant.serve import create_app
from penchant.study import CompareStudy
from tests.postgresql import Server
from tests.serve.conftest import ITEMS
from tests.serve.visitor import Visitor, rejected
from tests.store.postgres.test_standby import soon

pytestmark = pytest.mark.needs("postgres")


def test_a_standby_reads_rejects_and_takes_over(postgres: Server) -> None:
    """The ranking is served with the answers of the other process; an answer is 503 until that has ended, then kept."""
    address = postgres.address()
    with CompareStudy.create(address, ITEMS, title="Drinks", seed=1) as study:
        token, owner = study.tokens.make("judge", "ann"), study.tokens.make("owner", "me")
        question = study.ask("ann")
        with CompareStudy.open(address, standby=True) as second:
            app = create_app(second)
            ann, me, stranger = Visitor(app, token), Visitor(app, owner), Visitor(app)
            assert me.get("/v1/ranking").json()["answers"] == 0
            reply = ann.answers("event-1", "left", question.id)
            assert "send it again under the same id" in rejected(reply, 503, "standby")
            assert reply.headers["Retry-After"] == "1"
            rejected(stranger.get("/v1/health"), 503, "standby")
            study.tell(question, "left")
            assert me.get("/v1/ranking").json()["answers"] == 1
            following = study.ask("ann")
            study._log.close()
            soon(lambda: not second.is_standby)
            assert stranger.get("/v1/health").status_code == 200
            assert ann.answers("event-2", "left", following.id).json()["duplicate"] is False
            assert me.get("/v1/ranking").json()["answers"] == 2
