"""The least that a durable service costs: FastAPI and SQLite, which keep what was sent and reply as much as a study.

Started as ``serve(port, seconds, queue, path)`` in a process of its own, under the settings of ``penchant serve``. Each
request is one commit of one row, in WAL mode with ``synchronous=FULL``.
"""

import sqlite3
import threading
from typing import Any

PROGRAM = "import sys; from benchmarks.echo import serve; serve(*sys.argv[1:])"


def create_app(path: str) -> Any:
    """Return the application that writes each body to a file."""
    from fastapi import FastAPI
    from pydantic import BaseModel

    app, database = FastAPI(), sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, id TEXT, content TEXT)")
    item = {"title": "item 17", "text": ""}
    question = {"left": {"id": "i17", **item}, "right": {"id": "i4", **item}, "judge": "judge 3"}
    numbers = {"score": 1 / 7, "low": 1 / 9, "high": 1 / 3, "first": 12, "last": 34, "group": 5}
    ranked = [{"item": f"i{k}", **item, **numbers, "answers": k} for k in range(200)]

    class AnswerIn(BaseModel):
        id: str
        question: str
        choice: str

    class PresentationIn(BaseModel):
        id: str
        candidates: Any

    class FeedbackIn(BaseModel):
        id: str
        presentation: str
        clicked: list[str]

    def keep(id: str, content: BaseModel) -> dict[str, Any]:
        row = database.execute(
            "INSERT INTO rows (id, content) VALUES (?, ?)", (id, content.model_dump_json())
        )
        return {"id": f"q-{row.lastrowid}", **question, "progress": "1 answer of 2,000", "answered": 1}

    @app.post("/v1/questions")
    async def questions() -> dict[str, Any]:
        return {"id": "q-0", **question}

    @app.post("/v1/answers")
    async def answers(body: AnswerIn) -> dict[str, Any]:
        return {"answer": body.model_dump(), "duplicate": False, "next": keep(body.id, body)}

    @app.post("/v1/presentations")
    async def presentations(body: PresentationIn) -> dict[str, Any]:
        given = body.candidates
        return {"id": keep(body.id, body)["id"], "order": given["ids"] if isinstance(given, dict) else given}

    @app.post("/v1/feedback")
    async def feedback(body: FeedbackIn) -> dict[str, Any]:
        return {"id": keep(body.id, body)["id"], "order": body.clicked * 25, "changed": True}

    @app.get("/v1/ranking")
    async def ranking() -> dict[str, Any]:
        return {"items": ranked}

    return app


def serve(port: str, seconds: str, queue: str, path: str) -> None:
    """Serve on this computer until told to stop, or until the seconds are over."""
    import socket

    import uvicorn

    with socket.create_server(("127.0.0.1", int(port))) as listener:
        config = uvicorn.Config(
            create_app(path),
            lifespan="off",
            ws="none",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
        )
        server = uvicorn.Server(config)
        timer = threading.Timer(float(seconds), setattr, (server, "should_exit", True))
        timer.daemon = True
        timer.start()
        print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
        server.run(sockets=[listener])
