"""The functions of Penchant that a command or a request passes through: ``python -m tests.architecture.paths rank``.

A path is followed the second time, so that what happens once in a process (imports, caches) is left out.
"""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import penchant

PACKAGE = Path(penchant.__file__).parent
UNNAMED = ("<genexpr>", "<lambda>", "<listcomp>", "<dictcomp>", "<setcomp>", "<module>")


class Recorder:
    """Records the functions of the package that are called in any thread while it is on."""

    def __init__(self) -> None:
        self._on = False
        self._codes: dict[CodeType, None] = {}

    def attach(self) -> None:
        """Follow the calls of this thread and of all that are started from now on; each then takes longer."""
        sys.setprofile(self._seen)
        threading.setprofile(self._seen)

    def _seen(self, frame: FrameType, event: str, argument: Any) -> None:
        if self._on and event == "call":
            self._codes[frame.f_code] = None

    @contextmanager
    def on(self) -> Iterator[None]:
        self._on = True
        try:
            yield
        finally:
            self._on = False

    def functions(self) -> list[str]:
        """Return their names, ``penchant.study.compare:CompareStudy.tell``, in the order of the first call."""
        return [
            f"penchant.{'.'.join(path.with_suffix('').parts)}:{code.co_qualname}"
            for code in self._codes
            if code.co_filename.startswith(str(PACKAGE))
            and code.co_flags & inspect.CO_OPTIMIZED
            and code.co_name not in UNNAMED
            for path in [Path(code.co_filename).relative_to(PACKAGE)]
        ]


def run_command(recorder: Recorder, *arguments: str) -> None:
    """Run a command of ``penchant`` twice, and record the second time."""
    from penchant.cli import main

    sys.argv = ["penchant", *arguments]
    for record in (False, True):
        try:
            if record:
                recorder.attach()
                with recorder.on():
                    main()
            else:
                main()
        except SystemExit:
            pass


def rank(recorder: Recorder, folder: Path) -> None:
    """``penchant rank pairs.csv``."""
    pairs = ["ab", "bc", "ca", "ac", "ad", "db", "cd", "ab"]
    (folder / "pairs.csv").write_text(
        "better,worse\n" + "".join(f"{a},{b}\n" for a, b in pairs), encoding="utf-8"
    )
    run_command(recorder, "rank", str(folder / "pairs.csv"))


def answer(recorder: Recorder, folder: Path) -> None:
    """``POST /v1/answers``: an answer is kept and the next question is chosen."""
    give_answers(folder / "first.db")
    recorder.attach()
    give_answers(folder / "second.db", recorder)


def give_answers(path: Path, recorder: Recorder | None = None) -> None:
    """Answer a new study through its server, and record the last answer."""
    from fastapi.testclient import TestClient

    from penchant import Study
    from penchant.serve.app import create_app

    with Study.create(path, ["a", "b", "c", "d"]) as study:
        headers = {
            "Authorization": f"Bearer {study.tokens.make('judge', 'ann')}",
            "Origin": "http://127.0.0.1:8000",
        }
        with TestClient(create_app(study), base_url="http://127.0.0.1:8000", headers=headers) as client:
            question = client.post("/v1/questions", json={}).json()
            for number in range(
                11
            ):  # after ten answers the belief is started anew, after eleven it only learns
                body = {"id": f"answer-{number}", "question": question["id"], "choice": "left"}
                with recorder.on() if recorder is not None and number == 10 else nullcontext():
                    reply = client.post("/v1/answers", json=body)
                reply.raise_for_status()
                question = reply.json()["next"]


def click(recorder: Recorder, folder: Path) -> None:
    """``penchant learn clicks.jsonl``: a presentation with its clicks is learned from."""
    candidates = [{"id": "a", "features": {"x": 1.0}}, {"id": "b", "features": {"x": 2.0}}]
    presentation = {"candidates": candidates, "presented": ["a", "b"], "clicked": ["b"]}
    (folder / "clicks.jsonl").write_text(json.dumps(presentation) + "\n", encoding="utf-8")
    run_command(
        recorder, "learn", str(folder / "clicks.jsonl"), "--save", str(folder / "model.penchant"), "--force"
    )


def feedback(recorder: Recorder, folder: Path) -> None:
    """``penchant feedback search.db PRESENTATION --clicked b``: a study learns from a click."""
    from penchant.study.coactive import CoactiveStudy

    path = folder / "search.db"
    with CoactiveStudy.create(path, seed=1) as study:
        study.present({"a": {"x": 1.0}, "b": {"x": 2.0}}, event_id="p")
    run_command(recorder, "feedback", str(path), "p", "--clicked", "b")


def experiment(recorder: Recorder, folder: Path) -> None:
    """``penchant papers run 2.lemma3 --quick``: an experiment is run, judged and recorded."""
    os.chdir(folder)
    run_command(recorder, "papers", "run", "2.lemma3", "--quick", "--again")


PATHS: dict[str, Callable[[Recorder, Path], None]] = {
    "rank": rank,
    "answer": answer,
    "click": click,
    "feedback": feedback,
    "experiment": experiment,
}


@cache
def functions_of(path: str) -> tuple[str, ...]:
    """Return the functions of a path, found in a process of its own."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.architecture.paths", path]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return tuple(line for line in done.stdout.splitlines() if line.startswith("penchant."))


def main() -> None:
    """Print the functions of the path that is named."""
    recorder = Recorder()
    with tempfile.TemporaryDirectory() as folder:
        PATHS[sys.argv[1]](recorder, Path(folder))
    print(*recorder.functions(), sep="\n")


if __name__ == "__main__":
    main()
