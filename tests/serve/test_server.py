"""The running server: links printed, ended politely, everything kept."""

from __future__ import annotations

import signal
import socket
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from penchant.errors import InvalidInput
from penchant.serve import serve
from penchant.study import CompareStudy
from tests.serve.running import Running


@pytest.fixture
def place(tmp_path: Path) -> Path:
    CompareStudy.create(tmp_path / "drinks.db", ["tea", "coffee", "water"], title="Drinks").close()
    return tmp_path / "drinks.db"


def judge(running: Running) -> httpx.Client:
    token = running.judge.rpartition("token=")[2]
    return httpx.Client(base_url=running.url, headers={"Authorization": f"Bearer {token}"}, trust_env=False)


def answer(client: httpx.Client, event: str) -> dict[str, Any]:
    asked = client.post("/v1/questions", json={}).raise_for_status().json()["id"]
    body = {"id": event, "question": asked, "choice": "left"}
    return dict(client.post("/v1/answers", json=body).raise_for_status().json())


def test_it_ends_politely_and_starts_again_at_once_where_it_was(place: Path) -> None:
    """Ctrl-C and SIGTERM end it with status 0 and everything kept; links outlive it, and its port is free again."""
    with Running(place) as running, judge(running) as client:
        for event in range(5):
            answer(client, f"event-{event}")
        assert "Stopped. 5 answers" in running.stop(signal.SIGINT)
    with Running(place, port=running.port) as again, judge(again) as client:
        assert answer(client, "event-5")["next"]["answered"] == 6
        with judge(running) as old:  # the first start's link, on the same port
            assert answer(old, "event-6")["next"]["answered"] == 7
        assert "Stopped. 7 answers" in again.stop(signal.SIGTERM)
    with CompareStudy.open(place) as study:
        sent = [answer.id.rpartition("/")[2] for answer in study.answers()]
        assert sent == [f"event-{event}" for event in range(7)]
        assert [token.role for token in study.tokens.list()].count("owner") == 2


def listeners(port: int) -> list[str]:
    """The numbers, as the system writes them, on which somebody listens to ``port``."""
    rows = [row.split() for row in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    return [row[1] for row in rows if row[3] == "0A" and int(row[1].partition(":")[2], 16) == port]


def test_it_listens_to_this_computer_and_ends_by_itself_when_told_to(place: Path) -> None:
    """Its socket has the loopback number; ``for_seconds`` ends it as politely as Ctrl-C, in any thread."""
    message: list[str] = []
    listening: list[str] = []

    def say(line: str) -> None:
        message.append(line)
        if "/owner#" in line:
            listening.extend(listeners(int(line.partition("/owner")[0].rpartition(":")[2])))

    serving = threading.Thread(
        target=serve, args=(place,), kwargs={"port": 0, "for_seconds": 0.5, "say": say}
    )
    serving.start()
    serving.join(30)
    assert not serving.is_alive()
    assert [number.partition(":")[0] for number in listening] == ["0100007F"]
    assert message[0] == "Drinks"
    assert message[-1].startswith("Stopped. 0 answers")
    CompareStudy.open(place).close()


def test_a_port_in_use_is_told_with_a_free_one(place: Path) -> None:
    """The refusal names what to do, and the study is not left locked."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidInput, match=rf"port {port} must be free, got one in use: .*--port \d+"):
            serve(place, port=port, for_seconds=1)
    CompareStudy.open(place).close()


def test_other_computers_are_rejected_before_anything_is_opened(tmp_path: Path) -> None:
    """No socket and no file is touched for a host that others could reach."""
    with pytest.raises(InvalidInput, match=r"host must be"):
        serve(tmp_path / "nothing.db", host="0.0.0.0")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_length_of_time_is_above_nothing(place: Path, seconds: float) -> None:
    """Serving for no time is rejected with a message."""
    with pytest.raises(InvalidInput, match=r"for_seconds must be a number above 0, got"):
        serve(place, for_seconds=seconds)
