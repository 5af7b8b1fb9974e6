"""Requests that no server should accept: broken JSON, wrong types, depth, sizes, methods, headers, ids and chunks."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.wire import HOST, got, posted

ROUTES = ("/v1/questions", "/v1/answers", "/v1/undo", "/v1/judges", "/v1/tokens")
READ = ("/v1/ranking", "/v1/tokens", "/v1/health", "/", "/owner", "/static/judge.js")


@dataclass(frozen=True)
class Target:
    """The server, and the tokens of its two studies.

    Attributes
    ----------
    port : int
    judge, question : str
        A judge's token, and the question that the judge holds.
    owner : str
        The token of the owner of the study of comparisons.
    app, presentation : str
        An application's token, and the presentation that feedback may name.
    """

    port: int
    judge: str
    question: str
    owner: str
    app: str
    presentation: str


@dataclass(frozen=True)
class Malformed:
    """A request as it is sent.

    Attributes
    ----------
    kind : str
        What is wrong with it.
    data : bytes
    harmless : bool
        Whether it may also be accepted, since what is wrong may not matter; it writes nothing.
    cut : bool
        Whether it is not whole: a server may wait for the rest, and reply nothing when none comes.
    """

    kind: str
    data: bytes
    harmless: bool = False
    cut: bool = False


Maker = Callable[[random.Random, Target], Malformed]


def malformed(number: int, target: Target) -> Malformed:
    """Return malformed request ``number``."""
    luck = random.Random(number)
    return MAKERS[number % len(MAKERS)](luck, target)


def bad_json(luck: random.Random, target: Target) -> Malformed:
    good = _answer(target)
    body = luck.choice(
        [
            lambda: good[: luck.randrange(1, len(good))],
            lambda: good + luck.choice([b",", b"}", b"{}", b"null", b"\x00", b"//"]),
            lambda: good.replace(b'"', b"'"),
            lambda: good.replace(b":", b"=", 1),
            lambda: good.replace(b",", b",,", 1),
            lambda: b"\xef\xbb\xbf" + good[:-1],
            lambda: good[:-1].decode().encode("utf-16"),
            lambda: b"",
            lambda: bytes(luck.randrange(256) for _ in range(luck.randrange(1, 200))),
            lambda: b'{"id": NaN}',
            lambda: b'{"id": "\xff\xfe"}',
            lambda: b'{"id": "\\ud800"}',
            lambda: b'{"id": "\\u12"}',
            lambda: b"[" * luck.randrange(1, 500),
        ]
    )()
    return Malformed("JSON", posted(target.port, "/v1/answers", target.judge, body))


def wrong_types(luck: random.Random, target: Target) -> Malformed:
    value = luck.choice(
        [None, True, 0, -1, 1.5, 10**400, 1e300, "", [], {}, [[]], {"a": None}, ["left"], "x" * 5000, "\x00"]
    )
    if luck.random() < 0.3:
        body: Any = value if value != {} else []
    else:
        body = {"id": "e-1", "question": target.question, "choice": "left"}
        body[luck.choice(list(body))] = value
    return Malformed("type", posted(target.port, "/v1/answers", target.judge, json.dumps(body).encode()))


def extra_fields(luck: random.Random, target: Target) -> Malformed:
    body = {luck.choice(["x", "id ", "__proto__", "é", "", "a" * 1000]): luck.choice([1, "left", None])}
    return Malformed("field", _posted(luck, target, json.dumps(body).encode()))


def depth(luck: random.Random, target: Target) -> Malformed:
    levels = luck.choice([21, 100, 1_000, 5_000, 30_000])
    opened, closed = luck.choice([(b"[", b"]"), (b'{"a":', b"}")])
    if levels > 10_000 and opened != b"[":
        levels = 10_000
    body = opened * levels + b"1" + closed * levels
    return Malformed("depth", _posted(luck, target, body))


def size(luck: random.Random, target: Target) -> Malformed:
    body = b'{"id": "' + b"x" * luck.choice([65_536, 70_000, 200_000]) + b'"}'
    return Malformed("size", posted(target.port, "/v1/answers", target.judge, body), cut=True)


def wrong_length(luck: random.Random, target: Target) -> Malformed:
    length = luck.choice(
        ["-1", "1e3", "0x10", "abc", "", "99999999999999999999", "5, 5", " ", "+5", "10 10", "1_0"]
    )
    head = _head(target, "POST", "/v1/questions", [("Content-Type", "application/json")])
    return Malformed("length", head + f"Content-Length: {length}\r\n\r\n{{}}".encode(), cut=True)


def methods(luck: random.Random, target: Target) -> Malformed:
    method, path = luck.choice(
        [
            ("GET", "/v1/answers"),
            ("PUT", "/v1/questions"),
            ("PATCH", "/v1/answers"),
            ("DELETE", "/v1/ranking"),
            ("OPTIONS", "/v1/answers"),
            ("TRACE", "/v1/ranking"),
            ("POST", "/v1/ranking"),
            ("POST", "/"),
            ("PROPFIND", "/v1/ranking"),
        ]
    )
    more = [("Content-Type", "application/json"), ("Content-Length", "2")]
    return Malformed("method", _head(target, method, path, more) + b"\r\n{}")


def no_method(luck: random.Random, target: Target) -> Malformed:
    line = luck.choice(
        [
            "FOO / HTTP/1.1",
            "post /v1/answers HTTP/1.1",
            "GET  / HTTP/1.1 x",
            "GET",
            "GET /v1/nothing",
            "/ GET HTTP/1.1",
            "GET / HTTP/9.9",
            "GET / HTTP/1.",
            "GET / http/1.1",
            "",
            "PRI * HTTP/2.0",
            "G\x00T / HTTP/1.1",
            "GET " + "/x" * 20_000 + " HTTP/1.1",
        ]
    )
    return Malformed("request line", f"{line}\r\nHost: {HOST}:{target.port}\r\n\r\n".encode(), cut=True)


def headers(luck: random.Random, target: Target) -> Malformed:
    body = b"{}"
    good = [
        ("Host", f"{HOST}:{target.port}"),
        ("Authorization", f"Bearer {target.judge}"),
        ("Content-Type", "application/json"),
        ("Content-Length", "2"),
    ]
    tokens = ["Bearer", "Basic x", "Bearer é", "Bearer " + "x" * 9000]
    types = ["text/plain", "application/x-www-form-urlencoded", "", "é"]
    origins = ["http://evil.example", "null", "é", ""]
    wrong = luck.choice(
        [
            [("Host", "evil.example"), *good[1:]],
            [*good, ("Host", f"{HOST}:{target.port}")],
            good[1:],
            [good[0], ("Authorization", luck.choice(tokens)), *good[2:]],
            [good[0], *good[2:]],
            [*good[:2], ("Content-Type", luck.choice(types)), good[3]],
            [*good, ("Origin", luck.choice(origins))],
            [*good, ("X" * 70_000, "1")],
            [*good, ("X", "1" * 70_000)],
            [*good, *((f"X-{k}", "1" * 100) for k in range(700))],
            [*good, ("Transfer-Encoding", "chunked")],
            [*good, ("Transfer-Encoding", "gzip, chunked")],
            [*good, ("Bad Name", "1")],
            [*good, ("X", "a\x00b")],
            [*good, (" folded", "1")],
            [*good, ("Content-Length", "3")],
        ]
    )
    head = "POST /v1/judges HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in wrong) + "\r\n"
    return Malformed("header", head.encode("latin-1", "replace") + body, cut=True)


def half(luck: random.Random, target: Target) -> Malformed:
    whole = posted(target.port, "/v1/answers", target.judge, _answer(target))
    return Malformed("half", whole[: luck.randrange(1, len(whole))], cut=True)


def wrong_ids(luck: random.Random, target: Target) -> Malformed:
    id = luck.choice(["", "x" * 101, "a b", "a/b", "é", "\u202e", "😀", "../..", "e\n", "'; --", "%00"])
    question = luck.choice([target.question, "q-0", "created", "items-0", "x" * 4000, "é", "http/t-0/e"])
    if id and question != target.question and luck.random() < 0.5:
        id = "e-1"
    body = json.dumps({"id": id, "question": question, "choice": luck.choice(["left", "LEFT", "none"])})
    return Malformed("id", posted(target.port, "/v1/answers", target.judge, body.encode()))


def wrong_paths(luck: random.Random, target: Target) -> Malformed:
    path = luck.choice(
        [
            "/v1/../../etc/passwd",
            "/static/../server.py",
            "/static/%2e%2e/server.py",
            "/static/..%2fserver.py",
            "/%00",
            "/v1/%ff%fe",
            "/v1/answers/",
            "/v1//answers",
            "/v2/answers",
            "/v1/ranking%00",
            "/v1/exports/..%2f..%2fx",
            "/v1/tokens/" + "x" * 3000,
            "//evil.example/v1/ranking",
            "/v1/é",
            "/" + "%f0%9f%98%80" * 50,
        ]
    )
    return Malformed("path", got(target.port, path, target.owner))


def queries(luck: random.Random, target: Target) -> Malformed:
    value = luck.choice(["-1", "9" * 400, "1e9", "nan", "0x1", "%00", "é", "", "1;2", "%ff"])
    name, path = luck.choice(
        [("after", "/v1/events"), ("limit", "/v1/events"), ("most", "/v1/why"), ("a", "/v1/why")]
    )
    return Malformed("query", got(target.port, f"{path}?{name}={value}", target.judge))


def chunks(luck: random.Random, target: Target) -> Malformed:
    more = [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")]
    body = luck.choice(
        [
            b"zz\r\n{}\r\n0\r\n\r\n",
            b"-2\r\n{}\r\n0\r\n\r\n",
            b"ffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
            b"2\r\n{}\r\n",
            b"2\r\n{}xx0\r\n\r\n",
            b"5\r\n{}\r\n0\r\n\r\n",
            b"2;" + b"x" * 70_000 + b"\r\n{}\r\n0\r\n\r\n",
            b"1\r\n[\r\n" * 3_000 + b"0\r\n\r\n",
            b"1000\r\n" + b" " * 4096 + b"\r\n",
            b"\r\n" * 100,
        ]
    )
    return Malformed("chunks", _head(target, "POST", "/v1/answers", more) + b"\r\n" + body, cut=True)


def noise(luck: random.Random, target: Target) -> Malformed:
    data = luck.choice(
        [
            lambda: luck.randbytes(luck.randrange(1, 3_000)),
            lambda: b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + luck.randbytes(200),
            lambda: b"\x00" * luck.randrange(1, 100_000),
            lambda: b"GET / HTTP/1.1\r\n" * 200,
            lambda: b"\r\n" * 1_000,
        ]
    )()
    return Malformed("noise", data, cut=True)


def mutated(luck: random.Random, target: Target) -> Malformed:
    """A good request with a few bytes changed, left out or put in; it writes nothing even when it is good."""
    data = bytearray(
        luck.choice(
            [
                posted(target.port, "/v1/questions", target.judge, b"{}"),
                posted(target.port, "/v1/answers", "wrong", _answer(target)),
                got(target.port, luck.choice(READ), target.owner),
            ]
        )
    )
    for _ in range(luck.randrange(1, 6)):
        place = luck.randrange(len(data))
        data[place : place + luck.randrange(2)] = luck.choice([b"", luck.randbytes(1), b"\r\n", b"\x00"])
    return Malformed("mutated", bytes(data), harmless=True, cut=True)


def presentations(luck: random.Random, target: Target) -> Malformed:
    """Candidates that are unknown, too many, ragged, no numbers, or of features that cannot be."""
    table = {"ids": ["a", "b"], "features": ["x", "y"], "rows": [[1, 2], [3, 4]]}
    candidates = luck.choice(
        [
            lambda: luck.choice([None, 1, "i0", True, [], {}, [[]], [1, 2], ["nothing"], ["i0", "i0"], [""]]),
            lambda: ["i0"] * 5_000,
            lambda: (
                table
                | {"rows": luck.choice([[], [[1, 2]], [[1], [2]], [[1, "2"], [3, 4]], [1, 2], [[1, 2]] * 3])}
            ),
            lambda: table | {"ids": luck.choice([["a", "a"], ["a", ""], [None, None]])},
            lambda: table | {"features": luck.choice([["x", "x"], ["x"], [[], []]])},
            lambda: {
                "a": luck.choice([None, 1, [], {"x": None}, {"x": [1]}, {"x": {"y": 1}}, {"x": 10**400}])
            },
        ]
    )()
    body = json.dumps({"id": f"p-{luck.randrange(10**9)}", "candidates": candidates})
    if luck.random() < 0.1:
        body = body.replace("1", luck.choice(["NaN", "Infinity", "1e999", "-1e999"]))
    return Malformed("presentation", posted(target.port, "/v1/presentations", target.app, body.encode()))


def feedback(luck: random.Random, target: Target) -> Malformed:
    """Feedback on nothing, of nothing, or on candidates that were not shown."""
    body: dict[str, Any] = {"id": "f-1", "presentation": target.presentation}
    body |= luck.choice(
        [
            {},
            {"clicked": ["nothing"]},
            {"clicked": "i0"},
            {"clicked": [1]},
            {"clicked": ["i0"], "better": "i1"},
            {"order": ["i0", "i0", "i1"]},
            {"order": ["i0"] * 3_000},
            {"better": 1},
            {"better": "x" * 5_000},
            {"clicked": ["i0"], "presentation": luck.choice(["", "p-0", "created", "é", "p-" + "0" * 40])},
            {"clicked": ["i0"], "id": luck.choice([None, "", "a b", 1])},
        ]
    )
    token = target.app if luck.random() < 0.8 else luck.choice(["", "wrong", target.judge])
    return Malformed("feedback", posted(target.port, "/v1/feedback", token, json.dumps(body).encode()))


def changes(luck: random.Random, target: Target) -> Malformed:
    """Changes of the study, by its owner, that cannot be."""
    method, path, body = luck.choice(
        [
            (
                "POST",
                "/v1/items",
                {"items": luck.choice([1, [1], [None], [{}], [{"title": ""}], ["\x00"]])},
            ),
            ("POST", "/v1/items", {"items": [{"id": "i0", "title": "again"}]}),
            ("PATCH", "/v1/items/nothing", {"retired": True}),
            ("PATCH", "/v1/items/i0", {"retired": luck.choice(["yes", 1, None, []])}),
            ("PATCH", "/v1/items/i0", {"fields": luck.choice([1, [], {"x": []}, {"links": {"nothing": 1}}])}),
            (
                "PATCH",
                "/v1/settings",
                {"settings": luck.choice([1, {"nothing": 1}, {"top": -1}, {"repeats": 2}])},
            ),
            ("PATCH", "/v1/judges/nobody", {"aside": luck.choice(["yes", 1, None])}),
            ("POST", "/v1/tokens", {"role": luck.choice(["king", 1, None]), "name": "x", "days": 1}),
            (
                "POST",
                "/v1/tokens",
                {"role": "judge", "name": luck.choice(["", "x" * 101, "\x00", 1]), "days": 1},
            ),
            (
                "POST",
                "/v1/tokens",
                {"role": "judge", "name": "x", "days": luck.choice([-1, 0, 1e9, "1", 10**400])},
            ),
            ("DELETE", "/v1/tokens/" + luck.choice(["nothing", "%00", "é", "x" * 3_000]), {}),
        ]
    )
    if method != "DELETE" and path != "/v1/tokens":
        body = {"id": f"c-{luck.randrange(10**9)}", **body}
    data = posted(target.port, path, target.owner, json.dumps(body).encode())
    return Malformed("change", data.replace(b"POST", method.encode(), 1))


MAKERS: tuple[Maker, ...] = (
    bad_json,
    wrong_types,
    extra_fields,
    depth,
    size,
    wrong_length,
    methods,
    no_method,
    headers,
    half,
    wrong_ids,
    wrong_paths,
    queries,
    chunks,
    noise,
    mutated,
    presentations,
    feedback,
    changes,
)


def _answer(target: Target) -> bytes:
    return json.dumps({"id": "e-1", "question": target.question, "choice": "left"}).encode()


def _posted(luck: random.Random, target: Target, body: bytes) -> bytes:
    route = luck.choice(ROUTES)
    return posted(
        target.port, route, target.owner if route in ("/v1/judges", "/v1/tokens") else target.judge, body
    )


def _head(target: Target, method: str, path: str, more: list[tuple[str, str]]) -> bytes:
    """Return a request line and headers, without the empty line that ends them."""
    lines = [
        f"{method} {path} HTTP/1.1",
        f"Host: {HOST}:{target.port}",
        f"Authorization: Bearer {target.judge}",
        *(f"{name}: {value}" for name, value in more),
    ]
    return "".join(f"{line}\r\n" for line in lines).encode()
