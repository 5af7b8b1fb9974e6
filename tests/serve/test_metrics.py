"""Figures as Prometheus reads them, with no label that a client can choose."""

from __future__ import annotations

import re

import pytest
from fastapi import FastAPI
from prometheus_client.parser import text_string_to_metric_families

from penchant.serve.logs import method_of, route_of
from penchant.serve.metrics import CONTENT_TYPE, Metrics
from penchant.study import CompareStudy
from penchant.study.coactive import CoactiveStudy
from tests.serve.conftest import SHOP
from tests.serve.visitor import Visitor, rejected


def samples(visitor: Visitor) -> dict[tuple[str, ...], float]:
    """Return the figures that a visitor gets, by name and labels."""
    reply = visitor.get("/v1/metrics")
    assert reply.headers["Content-Type"] == CONTENT_TYPE
    return {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(reply.text)
        for sample in family.samples
    }


def test_figures_of_a_study_of_comparisons(ann: Visitor, reader: Visitor, study: CompareStudy) -> None:
    """Events, answers and items are those of the study, and requests are counted by route and status."""
    ann.answers("event-1", "left")
    rejected(ann.post("/v1/answers", {}), 422, "invalid")
    study.retire("Milk")
    found = samples(reader)
    assert found[("penchant_events",)] == study.last_event()
    assert (found[("penchant_answers",)], found[("penchant_items",)]) == (1, 3)
    assert (found[("penchant_waiting_requests",)], found[("penchant_writable",)]) == (0, 1)
    assert found[("penchant_requests_total", "POST", "/v1/answers", "200")] == 1
    assert found[("penchant_requests_total", "POST", "/v1/answers", "422")] == 1
    assert found[("penchant_request_seconds_count", "/v1/answers")] == 2
    assert found[("penchant_request_seconds_bucket", "+Inf", "/v1/answers")] == 2


def test_figures_of_a_coactive_study(shop: Visitor, watcher: Visitor, search: CoactiveStudy) -> None:
    """Presentations and rounds stand in the place of answers."""
    search.feedback(search.present(["a", "b", "c"]), clicked=["c"])
    found = samples(watcher)
    assert (found[("penchant_presentations",)], found[("penchant_rounds",)]) == (1, 1)
    assert ("penchant_answers",) not in found


def test_no_label_is_a_clients_choice(owner: Visitor, app: FastAPI) -> None:
    """Whatever paths, ids, methods and hosts are sent, the labels are those of the interface or "none"."""
    for path in (
        "/v1/secret-1",
        "/secret-2",
        "/static/secret-3",
        "/v1/exports/secret-4",
        "/v1/items/secret-5/x",
    ):
        for method in ("GET", "PATCH", "DELETE", "SECRET6"):
            owner.request(
                method, path, json={"id": "secret-7", "fields": {}}, headers={"User-Agent": "secret-8"}
            )
    owner.get("/v1/health", headers={"Host": "secret-9.example"})
    owner.get("/v1/why?a=secret-10&b=x")
    text = owner.get("/v1/metrics").text
    assert "secret" not in text.lower()
    routes = set(re.findall(r'route="([^"]*)"', text))
    assert routes <= set(app.openapi()["paths"]) | {
        "/",
        "/owner",
        "/static/{file}",
        "/v1/openapi.json",
        "none",
    }
    assert {"/v1/exports/{file}", "/v1/items/{item}", "none"} <= routes
    assert set(re.findall(r'method="([^"]*)"', text)) <= {"GET", "PATCH", "DELETE", "other"}


def test_figures_are_for_those_who_may_look(ann: Visitor, stranger: Visitor) -> None:
    """Nobody else learns how busy the server is."""
    rejected(ann.get("/v1/metrics"), 403, "not_a_reader")
    rejected(stranger.get("/v1/metrics"), 401, "no_token")


def test_one_study_does_not_show_the_other(
    both: FastAPI, study: CompareStudy, search: CoactiveStudy, watcher: Visitor
) -> None:
    """The counts of events and of requests are those of the token's own study, also of what was rejected there."""
    for _ in range(3):
        study.tell(study.ask("ann"), "left")
    ann = Visitor(both, study.tokens.make("judge", "ann"))
    ann.answers("event-1", "left")
    ann.get("/v1/ranking")
    for path in ("/", "/v1/health", "/v1/nothing"):
        Visitor(both).get(path)
    Visitor(both, "stolen").get("/v1/study")
    assert samples(watcher)[("penchant_events",)] == search.last_event() == 2
    routes = {labels[2] for labels in samples(watcher) if labels[0] == "penchant_requests_total"}
    assert routes == {"/v1/metrics"}
    found = samples(Visitor(both, study.tokens.make("reader", "board")))
    assert found[("penchant_requests_total", "POST", "/v1/answers", "200")] == 1
    assert found[("penchant_requests_total", "GET", "/v1/ranking", "403")] == 1
    assert not any("/v1/metrics" in labels for labels in found)


def test_feedback_of_a_page_is_counted_for_its_study(shop: Visitor, watcher: Visitor, both: FastAPI) -> None:
    """It carries no token: the presentation names the study."""
    shown = shop.post("/v1/presentations", {"id": "r1", "candidates": ["a", "b"]}).json()["id"]
    page = Visitor(both)
    page.post("/v1/feedback", {"presentation": shown, "clicked": ["a"]}, headers={"Origin": SHOP})
    assert samples(watcher)[("penchant_requests_total", "POST", "/v1/feedback", "200")] == 1


def test_a_study_alone_counts_every_request(stranger: Visitor, reader: Visitor) -> None:
    """Those without a token too: there is nobody else whom they could be for."""
    stranger.get("/v1/study")
    stranger.get("/")
    found = samples(reader)
    assert found[("penchant_requests_total", "GET", "/v1/study", "401")] == 1
    assert found[("penchant_requests_total", "GET", "/", "200")] == 1


def test_a_request_that_fails_is_counted_as_500(
    ann: Visitor, owner: Visitor, study: CompareStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Errors of our own show in the figures."""
    monkeypatch.setattr(study, "ask_ahead", lambda *_: 1 / 0)
    rejected(ann.post("/v1/questions", {}), 500, "unexpected")
    assert samples(owner)[("penchant_requests_total", "POST", "/v1/questions", "500")] == 1


def test_a_path_of_no_route_has_one_name() -> None:
    """As has a method that nobody uses."""
    assert route_of({"path": "/v1/nothing"}) == route_of({"path": "/x"}) == "none"
    assert (method_of({"method": "GET"}), method_of({"method": "BREW"})) == ("GET", "other")


def test_each_server_has_figures_of_its_own() -> None:
    """Two in one process do not count each other's requests."""
    first, second = Metrics(), Metrics()
    first.count(None, "/v1/study", "GET", 200, 0.01)
    counted = [
        metrics._requests[0]._requests.labels("/v1/study", "GET", "200") for metrics in (first, second)
    ]
    assert [value._value.get() for value in counted] == [1, 0]
