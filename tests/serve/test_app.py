"""The application as a whole: where it answers, what it describes, and its guards around every route."""

from __future__ import annotations

from fastapi import FastAPI

from penchant.serve import create_app
from penchant.study import CompareStudy
from tests.serve.visitor import Visitor, rejected


def test_another_port_has_other_names(study: CompareStudy) -> None:
    """The application answers where it was made for, and only there."""
    here = Visitor(create_app(study, port=9000))
    rejected(here.get("/v1/health"), 421, "wrong_host")
    assert here.get("/v1/health", headers={"Host": "127.0.0.1:9000"}).status_code == 200


def test_the_interface_describes_itself(stranger: Visitor) -> None:
    """The OpenAPI document names every path and no page that loads scripts from elsewhere is served."""
    paths = set(stranger.get("/v1/openapi.json").json()["paths"])
    names = (
        *(
            "health",
            "metrics",
            "study",
            "questions",
            "answers",
            "undo",
            "presentations",
            "feedback",
            "ranking",
        ),
        *("settled", "why", "weights", "interleaving", "items", "items/{item}", "judges", "judges/{name}"),
        *("weights/report", "learning-curve", "outcomes", "upcoming", "predictions", "certainty", "race"),
        *("checks", "history", "activity", "items/import", "simulation"),
        *(
            "settings",
            "tokens",
            "tokens/{token_id}",
            "events",
            "changes",
            "exports/{file}",
            "pictures/{picture}",
        ),
    )
    assert paths == {f"/v1/{name}" for name in names}
    for path in ("/docs", "/redoc", "/openapi.json"):
        rejected(stranger.get(path), 404, "not_found")


def test_the_study_stays_open_when_the_application_ends(app: FastAPI, study: CompareStudy) -> None:
    """Closing it stays with whoever opened it; the links lead to the application's own address."""
    assert [served.study for served in app.state.studies.all] == [study]
    assert app.state.links.url == "http://127.0.0.1:8000"
    assert study.ask("ann").judge == "ann"
