"""A process whose disk is full after a while: it appends until that, makes room, and opens the log again.

    python filling.py FILE

A limit on the size of files stands for the disk: beyond it the system refuses to write. What it prints is JSON.
"""

from __future__ import annotations

import json
import resource
import sys
from itertools import count
from typing import Any

from penchant.errors import CannotStore
from penchant.store import SQLiteLog

LIMIT = 300_000


def main(path: str) -> None:
    said: dict[str, Any] = {"acknowledged": [], "refusals": []}
    log = SQLiteLog.create(path)
    room = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, room[1]))
    try:
        for number in count():
            said["acknowledged"].append(log.append(f"e{number}", "note", {"text": "x" * 1000}).event.id)
    except CannotStore as refusal:
        said["refusals"].append(str(refusal))
    resource.setrlimit(resource.RLIMIT_FSIZE, room)
    try:
        log.append("later", "note", {})
    except CannotStore as refusal:
        said["refusals"].append(str(refusal))
    said["readable"] = [event.id for event in log.events()]
    log.close()
    with SQLiteLog.open(path) as log:
        said["kept"] = [event.id for event in log.events()]
        again = f"e{len(said['acknowledged'])}"
        said["again"] = log.append(again, "note", {"text": "x" * 1000}).event.number
    print(json.dumps(said))


if __name__ == "__main__":
    main(sys.argv[1])
