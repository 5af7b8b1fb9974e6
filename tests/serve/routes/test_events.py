"""The log of a study over HTTP: its events, the stream of its changes, and files."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from fastapi import FastAPI

from penchant.serve import changes
from penchant.serve.routes import events
from penchant.study import CompareStudy
from penchant.study.coactive import CoactiveStudy
from tests.serve.visitor import HERE, Visitor, finished, rejected


def test_events_are_read_in_parts(ann: Visitor, owner: Visitor, study: CompareStudy) -> None:
    """Those after a number, as many as are wanted, with the number of the last one of the log."""
    for number in range(3):
        ann.answers(f"event-{number}", "left")
    whole = owner.get("/v1/events").json()
    assert whole["last"] == len(whole["events"]) == study.last_event()
    assert [event["number"] for event in whole["events"]] == list(range(1, whole["last"] + 1))
    assert whole["events"][0]["kind"] == "created"
    assert set(whole["events"][0]) == {"number", "id", "kind", "version", "time", "content"}
    part = owner.get("/v1/events?after=2&limit=2").json()
    assert part == {"events": whole["events"][2:4], "last": whole["last"]}
    assert owner.get(f"/v1/events?after={2**53}").json() == {"events": [], "last": whole["last"]}


@pytest.mark.parametrize(
    "query", ["after=-1", "after=x", f"after={2**54}", "limit=0", "limit=1001", "limit="]
)
def test_a_part_that_does_not_exist_is_named(owner: Visitor, query: str) -> None:
    """The parameter and its limit are in the message."""
    assert f"{query.partition('=')[0]} must" in rejected(owner.get(f"/v1/events?{query}"), 422, "invalid")


def test_the_log_is_for_the_owner(ann: Visitor, reader: Visitor) -> None:
    """It holds who answered what."""
    for visitor in (ann, reader):
        rejected(visitor.get("/v1/events"), 403, "not_the_owner")
        rejected(visitor.get("/v1/exports/events.jsonl"), 403, "not_the_owner")


def test_a_study_of_comparisons_is_exported_whole(
    ann: Visitor, owner: Visitor, study: CompareStudy, tmp_path: Path
) -> None:
    """Every file is what the study itself writes, and of the events an equal study is made."""
    for number in range(5):
        ann.answers(f"event-{number}", "left")
    for name in events.EXPORTS["compare"]:
        reply = owner.get(f"/v1/exports/{name}")
        assert (reply.status_code, reply.headers["Content-Type"]) == (200, "application/octet-stream")
        assert reply.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        study.export(tmp_path / name, what=name.partition(".")[0])
        (tmp_path / "sent").mkdir(exist_ok=True)
        (tmp_path / "sent" / name).write_bytes(reply.content)
        if not name.endswith(".parquet"):
            assert reply.content == (tmp_path / name).read_bytes(), name
    for what in ("answers", "ranking"):
        table = pd.read_parquet(tmp_path / "sent" / f"{what}.parquet")
        assert table.equals(pd.read_parquet(tmp_path / f"{what}.parquet"))
        rows = list(
            csv.DictReader(io.StringIO((tmp_path / "sent" / f"{what}.csv").read_text(encoding="utf-8")))
        )
        assert len(rows) == len(table) == {"answers": 5, "ranking": 4}[what]
    with CompareStudy.from_events(tmp_path / "copy.db", tmp_path / "sent" / "events.jsonl") as copy:
        assert copy.rank().to_json() == study.rank().to_json()


def test_a_coactive_study_is_exported_whole(
    shop: Visitor, seller: Visitor, search: CoactiveStudy, tmp_path: Path
) -> None:
    """Its events make an equal study, and its presentations are a log to learn from."""
    search.feedback(search.present(["a", "b", "c"]), clicked=["c"])
    (tmp_path / "events.jsonl").write_bytes(seller.get("/v1/exports/events.jsonl").content)
    with CoactiveStudy.open(search._log.place, write=False) as other:
        other.export(tmp_path / "presentations.jsonl", what="presentations")
    assert (
        seller.get("/v1/exports/presentations.jsonl").content
        == (tmp_path / "presentations.jsonl").read_bytes()
        != b""
    )
    with CoactiveStudy.from_events(tmp_path / "copy.db", tmp_path / "events.jsonl") as copy:
        assert copy.weights() == search.weights()
    rejected(seller.get("/v1/exports/ranking.csv"), 404, "unknown")


@pytest.mark.parametrize(
    "name", ["drinks.db", "events", "events.csv", "ranking.xlsx", "%2e%2e%2fdrinks.db", ".."]
)
def test_only_files_that_are_made_for_it_are_sent(owner: Visitor, name: str) -> None:
    """No other name leads anywhere, least of all to the file of the study."""
    reply = owner.get(f"/v1/exports/{name}")
    rejected(reply, 404, reply.json()["error"]["code"])


@pytest.mark.parametrize("part", ["bytes=0-3", "bytes=99999999-", "bytes=x"])
def test_a_file_is_sent_whole(owner: Visitor, part: str) -> None:
    """It is made anew for each request, so that parts of two would not fit together."""
    reply = owner.get("/v1/exports/events.jsonl", headers={"Range": part})
    assert reply.status_code == 200
    assert len(reply.text.splitlines()) == 2
    assert "Accept-Ranges" not in reply.headers


def test_no_export_is_left_behind(
    owner: Visitor, study: CompareStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither after it was sent nor where it could not be made."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    assert owner.get("/v1/exports/ranking.csv").status_code == 200

    def fails(*_: Any, **__: Any) -> None:
        raise OSError("no room")

    monkeypatch.setattr(study, "export", fails)
    rejected(owner.get("/v1/exports/ranking.csv"), 500, "unexpected")
    assert list((tmp_path / "temporary").iterdir()) == []


# -- the stream of changes ---------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "TOGETHER", 0.001)
    monkeypatch.setattr(changes, "HEARTBEAT", 0.02)


class Listening:
    """A client of the stream that reads it as it comes, which clients of whole replies cannot."""

    def __init__(self, visitor: Visitor, **headers: str) -> None:
        self.visitor = visitor
        self.headers = {"Host": HERE.partition("//")[2], **visitor.headers, **headers}
        self.status = 0
        self.texts: list[str] = []
        self.gone = asyncio.Event()

    async def run(self, until: Callable[[str], Any] = lambda text: False) -> str:
        """Read until the stream ends by itself, or goes away when ``until`` is true of what came."""
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/v1/changes",
            "raw_path": b"/v1/changes",
            "query_string": b"",
            "root_path": "",
            "scheme": "http",
            "http_version": "1.1",
            "server": ("127.0.0.1", 8000),
            "client": ("127.0.0.1", 1),
            "headers": [(name.lower().encode(), value.encode()) for name, value in self.headers.items()],
        }
        asked = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> Any:
            if asked:
                return asked.pop()
            await self.gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                self.status = message["status"]
                self.type = dict(message["headers"])[b"content-type"]
            else:
                self.texts.append(message.get("body", b"").decode())
                if until("".join(self.texts)):
                    self.gone.set()

        await asyncio.wait_for(self.visitor.app(scope, receive, send), 30)
        return "".join(self.texts)


def data(text: str) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]


def test_a_stream_says_where_the_study_is_and_what_changes(reader: Visitor, study: CompareStudy) -> None:
    """Server-sent events with the number of the last event, then each change as it happens."""

    async def watched() -> tuple[Listening, str]:
        stream = Listening(reader)

        def asks_then_leaves(text: str) -> bool:
            if len(data(text)) == 1 and study.last_event() == 2:
                asyncio.get_running_loop().run_in_executor(None, study.ask, "ann")
            return len(data(text)) == 2

        return stream, await stream.run(asks_then_leaves)

    stream, text = finished(watched())
    assert (stream.status, stream.type) == (200, b"text/event-stream; charset=utf-8")
    assert text.startswith(f"retry: {changes.RETRY}\n\n")
    assert data(text) == [{"revision": 2, "kinds": []}, {"revision": 3, "kinds": ["asked"]}]
    assert "id: 3\nevent: change\n" in text


def test_a_stream_that_was_cut_is_resumed(reader: Visitor, study: CompareStudy) -> None:
    """Last-Event-ID brings what came since, and heartbeats where nothing did."""
    study.tell(study.ask("ann"), "left")
    last = {"Last-Event-ID": "2"}
    text = finished(Listening(reader, **last).run(lambda text: ": no change" in text))
    assert data(text) == [{"revision": 4, "kinds": ["answered", "asked"]}]
    for wrong in ("x", "", "1.5", "-1", "٣", "9" * 21):
        reply = reader.get("/v1/changes", headers={"Last-Event-ID": wrong.encode()})
        assert "Last-Event-ID must" in rejected(reply, 422, "invalid").replace(
            "last-event-id", "Last-Event-ID"
        )


def test_a_stream_ends_when_its_token_is_revoked(reader: Visitor, study: CompareStudy) -> None:
    """It looks again with each message and each heartbeat."""
    (token,) = (token for token in study.tokens.list() if token.name == "board")

    def revokes(text: str) -> bool:
        if data(text) and study.tokens.list():
            study.tokens.revoke(token.id)
        return False

    assert data(finished(Listening(reader).run(revokes))) == [{"revision": 2, "kinds": []}]


def test_a_stream_ends_as_soon_as_the_owner_revokes_its_token(
    reader: Visitor, owner: Visitor, study: CompareStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, not after a heartbeat: who was shut out does not stay connected."""
    monkeypatch.setattr(changes, "HEARTBEAT", 60.0)
    (token,) = (token for token in study.tokens.list() if token.name == "board")

    async def revoked() -> str:
        stream = Listening(reader)
        running = asyncio.ensure_future(stream.run())
        while not data("".join(stream.texts)):
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)
        reply = await asyncio.to_thread(owner.request, "DELETE", f"/v1/tokens/{token.id}")
        assert reply.status_code == 200
        return await running

    assert data(finished(revoked())) == [{"revision": 2, "kinds": []}]


def test_streams_end_when_the_server_stops(
    reader: Visitor, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, not after a heartbeat: a server that stops does not wait for its readers."""
    monkeypatch.setattr(changes, "HEARTBEAT", 60.0)

    async def stopped() -> list[str]:
        streams = [Listening(reader) for _ in range(3)]
        running = [asyncio.ensure_future(stream.run()) for stream in streams]
        while not all(data("".join(stream.texts)) for stream in streams):
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)
        app.state.studies.stop()
        return await asyncio.gather(*running)

    assert [len(data(text)) for text in finished(stopped())] == [1, 1, 1]


def test_every_stream_that_was_counted_is_counted_out(reader: Visitor, app: FastAPI) -> None:
    """Also one whose client went away before its first message."""
    counted: list[str] = []

    class Counted:
        def enter(self, token_id: str) -> None:
            counted.append("in")

        def leave(self, token_id: str) -> None:
            counted.append("out")

    app.state.streams = Counted()
    finished(Listening(reader).run(lambda text: bool(data(text))))
    assert counted == ["in", "out"]

    async def gone_at_once() -> None:
        stream = Listening(reader)
        stream.gone.set()
        await stream.run()

    finished(gone_at_once())
    assert counted == ["in", "out"] * 2
