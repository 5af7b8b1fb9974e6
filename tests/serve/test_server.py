"""The running server: links printed, ended politely, everything kept."""

from __future__ import annotations

import errno
import gc
import json
import signal
import socket
import ssl
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import trustme

from penchant.errors import InvalidInput
from penchant.serve import serve, server
from penchant.study import CompareStudy, Study
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


@pytest.mark.parametrize("pure", [False, True], ids=["uvloop", "asyncio"])
def test_it_ends_politely_and_starts_again_at_once_where_it_was(place: Path, pure: bool) -> None:
    """Ctrl-C and SIGTERM end it with status 0 and everything kept; links outlive it, and its port is free again."""
    with Running(place, pure=pure) as running, judge(running) as client:
        for event in range(5):
            answer(client, f"event-{event}")
        assert "Stopped. 5 answers" in running.stop(signal.SIGINT)
    with Running(place, port=running.port, pure=pure) as again, judge(again) as client:
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
    """The error names what to do, and the study is not left locked."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidInput, match=rf"port {port} must be free, got one in use: .*--port \d+"):
            serve(place, port=port, for_seconds=1)
    CompareStudy.open(place).close()


def test_other_computers_are_rejected_before_anything_is_opened(tmp_path: Path) -> None:
    """No socket and no file is touched for a host that others could reach."""
    for host, url in (("0.0.0.0", None), ("0.0.0.0", "https://rank.example"), ("192.0.2.1", None)):
        with pytest.raises(InvalidInput, match=r"host must"):
            serve(tmp_path / "nothing.db", host=host, url=url)
    assert list(tmp_path.iterdir()) == []


def test_it_can_be_stopped_before_it_has_started(place: Path) -> None:
    """Ctrl-C while it starts: it closes what it opened, in good order."""
    message: list[str] = []

    def say(line: str) -> None:
        message.append(line)
        if line == "Drinks":
            signal.raise_signal(signal.SIGINT)

    serve(place, port=0, for_seconds=60, say=say)
    assert message[-1].startswith("Stopped. 0 answers")
    CompareStudy.open(place).close()


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_length_of_time_is_above_nothing(place: Path, seconds: float) -> None:
    """Serving for no time is rejected with a message."""
    with pytest.raises(InvalidInput, match=r"for_seconds must be a number above 0, got"):
        serve(place, for_seconds=seconds)


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def pem(authority: trustme.CA, tmp_path: Path) -> dict[str, str]:
    """The files of a certificate for another loopback address."""
    issued = authority.issue_cert("127.0.0.2")
    issued.private_key_pem.write_to_path(tmp_path / "key.pem")
    for number, part in enumerate(issued.cert_chain_pems):
        part.write_to_path(tmp_path / "certificate.pem", append=number > 0)
    return {"certificate": str(tmp_path / "certificate.pem"), "key": str(tmp_path / "key.pem")}


@pytest.mark.parametrize("pure", [False, True], ids=["uvloop", "asyncio"])
def test_it_speaks_https_beyond_127_0_0_1(
    place: Path, authority: trustme.CA, pem: dict[str, str], pure: bool
) -> None:
    """With a certificate: links are https, answers arrive, our own page's Origin is let in, others are not."""
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    with Running(place, host="127.0.0.2", pure=pure, **pem) as running:
        assert running.url.startswith("https://127.0.0.2:")
        token = {"Authorization": f"Bearer {running.judge.rpartition('token=')[2]}"}
        with httpx.Client(base_url=running.url, headers=token, verify=trust, trust_env=False) as client:
            assert answer(client, "event-1")["next"]["answered"] == 1
            for origin, status in ((running.url, 200), (f"http://127.0.0.2:{running.port}", 403)):
                reply = client.post("/v1/questions", json={}, headers={"Origin": origin})
                assert reply.status_code == status
            assert client.get("/v1/health", headers={"Host": "rank.example"}).status_code == 421
        with socket.create_connection(("127.0.0.2", running.port), timeout=20) as plain:
            plain.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.2:{running.port}\r\n\r\n".encode())
            with suppress(ConnectionResetError):
                assert not plain.recv(100).startswith(b"HTTP/1.1 200")
        assert "Stopped. 1 answer" in running.stop()


def test_a_handshake_that_does_not_end_is_closed(place: Path, pem: dict[str, str]) -> None:
    """Slow handshakes: half a TLS greeting is closed as soon as half a request is."""
    with Running(place, host="127.0.0.2", limits={"head_seconds": 0.4}, **pem) as running:
        with socket.create_connection(("127.0.0.2", running.port), timeout=20) as half:
            half.sendall(b"\x16\x03\x01")
            with suppress(ConnectionResetError):
                assert half.recv(100) == b""
        running.stop()


def test_files_that_are_no_certificate_are_named(place: Path, pem: dict[str, str]) -> None:
    """Half of the pair, a file that is not there, a key that belongs to another."""
    with pytest.raises(InvalidInput, match=r"key must be given with the other, got none"):
        serve(place, certificate=pem["certificate"])
    with pytest.raises(InvalidInput, match=r"certificate must be given with the other, got none"):
        serve(place, key=pem["key"])
    with pytest.raises(InvalidInput, match=r"certificate must fit its key, got nothing.pem: No such file"):
        serve(place, certificate="nothing.pem", key=pem["key"])
    other = trustme.CA().issue_cert("127.0.0.3").private_key_pem
    other.write_to_path(pem["key"])
    with pytest.raises(InvalidInput, match=r"certificate must fit its key, got .*: "):
        serve(place, **pem)


def test_behind_a_proxy_links_show_its_address(place: Path) -> None:
    """The public name is let in through the proxy, with the scheme that it forwards, and no other name."""
    there = {"url": "https://rank.example", "proxies": ["127.0.0.1"]}
    with Running(place, **there, port=free_port()) as running:
        assert running.owner.startswith("https://rank.example/owner#token=")
        here = f"http://127.0.0.1:{running.port}"
        for host, status in (("rank.example", 200), ("evil.example", 421)):
            headers = {"Host": host, "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https"}
            assert httpx.get(f"{here}/v1/health", headers=headers, trust_env=False).status_code == status
        running.stop()


def test_an_address_of_another_computer_cannot_be_listened_on() -> None:
    """The message names the host."""
    trouble = OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address")
    message = server._why_not(trouble, "192.0.2.1", 8000)
    assert message == "host must be an address of this computer, got '192.0.2.1': 127.0.0.1 is usual"


def test_each_study_has_links_of_its_own(tmp_path: Path) -> None:
    """Judges and an owner for one that compares, an owner and an app for one that learns from clicks."""
    files = [tmp_path / "talks.db", tmp_path / "search.db"]
    Study.create(files[0], ["a", "b"], title="Talks").close()
    Study.create(files[1], kind="coactive", title="Search").close()
    message: list[str] = []
    serve(files, port=0, for_seconds=0.2, say=message.append)
    assert message[0] == "Talks"
    assert "/owner#token=" in message[1]
    assert "/#judge=me&token=" in message[2]
    assert message[3] == "Search"
    assert "/owner#token=" in message[4]
    token = message[5].split()[-1]
    assert [line.partition(" kept in ")[2] for line in message[-2:]] == [str(file) for file in files]
    with Study.open(files[1]) as study:
        found = study.tokens.find(token)
        assert found is not None
        assert found.role == "app"


def test_links_can_be_left_out(place: Path) -> None:
    """A service that is started again and again makes no new tokens, and writes none to its log."""
    message: list[str] = []
    serve(place, port=0, for_seconds=0.2, links=False, say=message.append)
    assert len(message) == 1
    with CompareStudy.open(place) as study:
        assert study.tokens.list() == []


def test_no_study_is_rejected() -> None:
    """There must be something to serve."""
    with pytest.raises(InvalidInput, match="paths must name at least one study, got none"):
        serve([])


def test_a_study_is_named_once(place: Path) -> None:
    """Twice, also under another spelling of its path, is rejected before anything is opened."""
    with pytest.raises(InvalidInput, match="paths must name each study once, got one twice"):
        serve([place, place.parent / "." / place.name])


def test_requests_are_logged_as_json(place: Path) -> None:
    """One line each on the error output, and none of what they held."""
    with Running(place, log_json=True) as running, judge(running) as client:
        answer(client, "event-1")
        logged = running.stop(logged=True)
    lines = [json.loads(line) for line in logged.splitlines()]
    assert [line["route"] for line in lines] == ["/v1/questions", "/v1/answers"]
    assert running.judge.rpartition("token=")[2] not in logged


def test_what_is_open_is_frozen_while_it_serves(place: Path) -> None:
    """The collector does not walk the studies for each request; afterwards it does again."""
    frozen: list[int] = []
    serve(place, port=0, for_seconds=0.2, say=lambda line: frozen.append(gc.get_freeze_count()))
    assert frozen[0] > 1000
    assert gc.get_freeze_count() == 0


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def test_the_stopping_rule_is_evaluated_before_anybody_comes(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the first judge of a settled study would be told that it has just begun, and be asked."""
    evaluated: list[bool] = []
    monkeypatch.setattr(CompareStudy, "settled", lambda study, *, wait=True: evaluated.append(wait))
    monkeypatch.setattr(server.Server, "run", lambda *_, **__: None)
    serve(place, port=0, links=False, say=lambda _: None)
    assert evaluated == [False]
