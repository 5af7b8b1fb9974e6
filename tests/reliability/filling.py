"""A study on a disk that fills up and gets room again, over and over, and what it tells its clients.

    python filling.py FOLDER SEED

FOLDER is mounted anew, as a small disk in memory. What is printed is JSON.
"""

from __future__ import annotations

import json
import logging
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

from penchant.serve import create_app
from penchant.study import Study
from tests.serve.visitor import Visitor

SIZE = "700k"
CYCLES = 3


def fill(filler: Path, leave: int) -> None:
    """Write zeros until nothing more fits, then give some bytes back."""
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass
        file.truncate(max(file.tell() - leave, 0))


def cycle(
    turn: int, judge: Visitor, stranger: Visitor, filler: Path, luck: random.Random, seen: Counter[str]
) -> list[str]:
    """Answer until the disk is full, check what is said, make room, and send again what was not acknowledged."""
    kept: list[str] = []
    fill(filler, leave=luck.randrange(0, 60_000))
    for number in range(2000):
        event, question = f"{turn}-{number}", None
        reply = judge.post("/v1/questions", {})
        if reply.status_code == 200:
            question = reply.json()["id"]
            reply = judge.answers(event, "left", question)
        if reply.status_code != 200:
            break
        kept.append(event)
    assert reply.status_code == 507, (reply.status_code, reply.text)
    assert int(reply.headers["Retry-After"]) > 0
    assert reply.json()["error"]["code"] == "no_space"
    health = stranger.get("/v1/health")
    assert (health.status_code, health.json()["error"]["code"]) == (503, "failing"), health.text
    filler.unlink()
    health = stranger.get("/v1/health")
    assert (health.status_code, health.json()) == (200, {"status": "ok"}), health.text
    again = judge.answers(event, "left", question)
    assert again.status_code == 200, again.text
    seen["answers rejected with 507"] += 1
    seen["recovered without a restart"] += 1
    return [*kept, event]


def main(folder: str, seed: str) -> None:
    logging.getLogger("penchant.serve").setLevel(logging.CRITICAL)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], check=True)
    luck, seen, kept = random.Random(int(seed)), Counter[str](), []
    path = Path(folder) / "study.db"
    with Study.create(path, [f"item {k}" for k in range(6)], seed=1) as study:
        app = create_app(study)
        judge, stranger = Visitor(app, study.tokens.make("judge", "ann")), Visitor(app)
        for turn in range(CYCLES):
            kept += cycle(turn, judge, stranger, Path(folder) / "filler", luck, seen)
    with Study.open(path) as study:
        stored = [event.id.rpartition("/")[2] for event in study.answers()]
    assert stored == kept, "an acknowledged answer is lost, or counts twice"
    seen["acknowledged answers, all there"] = len(kept)
    print(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
