"""Figures of a study behind a server, as Prometheus reads them: its requests, how long they took, and its counts."""

from __future__ import annotations

from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from penchant.serve.logs import method_of, noted, route_of
from penchant.serve.served import Served
from penchant.study import CompareStudy

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Requests:
    """How many requests a study was sent, and how long they took.

    They are counted by the path of their route, never by what stands in its place: no id of a client is a label.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "penchant_requests",
            "Requests by route, method and status",
            ["route", "method", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "penchant_request_seconds",
            "How long requests took",
            ["route"],
            buckets=SECONDS,
            registry=self.registry,
        )

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request that was served."""
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)


class Metrics:
    """The figures of one server, those of each study apart: who may look at one learns nothing of the others.

    Parameters
    ----------
    studies : int
        How many there are. What no study can be named for, for instance a page or a token that does not work, is
        counted where there is one alone, whose it must be.
    """

    def __init__(self, studies: int = 1) -> None:
        self._requests = [Requests() for _ in range(studies)]

    def count(self, study: int | None, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request for a study by its number, None where it carried no token that works."""
        if study is None and len(self._requests) == 1:
            study = 0
        if study is not None:
            self._requests[study].count(route, method, status, seconds)

    def text(self, served: Served) -> str:
        """Return the figures of one study."""
        registry, study = CollectorRegistry(), served.study
        figures = {
            "penchant_events": ("Events in the log", study.last_event()),
            "penchant_items": ("Items that are not retired", len(study.items) - len(study.retired)),
            "penchant_waiting_requests": (
                "Requests that wait for the study or are under way",
                len(served.worker),
            ),
            "penchant_writable": ("1 where events can be written", int(study.problem() is None)),
        }
        if isinstance(study, CompareStudy):
            figures["penchant_answers"] = ("Answers that count", study.n_answers())
        else:
            figures["penchant_presentations"] = ("Presentations", study.n_presentations)
            figures["penchant_rounds"] = ("Rounds that were learned", study.n_rounds)
        for name, (what, value) in figures.items():
            Gauge(name, what, registry=registry).set(value)
        requests = self._requests[served.number].registry
        return (generate_latest(requests) + generate_latest(registry)).decode()


class Measured:
    """Counts each request with its status and how long it took until its reply had been sent."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request and count it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, status = perf_counter(), 500

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, counted)
        finally:
            metrics: Metrics = scope["app"].state.metrics
            _, study = noted(scope)
            metrics.count(study, route_of(scope), method_of(scope), status, perf_counter() - begun)
